/* table.h - the tables of commands, one for each family, which command_table.c joins, and what
 * several of them use. For this folder and command_table.c. Constant data, no code. The texts
 * are read by people and by language models: plain words, the defaults and the units named. */
#ifndef EG_TOOLS_COMMANDS_TABLE_H
#define EG_TOOLS_COMMANDS_TABLE_H

#include "tools/command_table.h"

/* The headings of the overview. */
#define CHECKING "Check documents"
#define MEMORY "Use the memory"
#define INFERENCE "Run models"
#define INSTALLATION "Look after the installation"

#define TYPES "observation inference decision"

extern const option no_options[];
/* Of commands that are about one fact. */
extern const argument fact_arguments[];

/* Each ends with an entry without a name. */
extern const command document_commands[], fact_commands[], life_commands[], judging_commands[], keeping_commands[],
    agent_commands[], inference_commands[], installation_commands[];

#endif
