/* installation.c - commands that look after the installation. See table.h. */
#include "tools/cli.h"
#include "tools/commands/table.h"

static const char *const models_text[] = {
    "Lists, downloads, checks and chooses models. MODEL is a name that `engram models` prints, or the path of a folder with a / "
    "in it; pull also takes ORG/REPO or ORG/REPO@REVISION of Hugging Face or a compatible hub. pull uses the hub of "
    "$HF_ENDPOINT (default: https://huggingface.co) and sends $HF_TOKEN to that hub only.",
    NULL};
static const action models_actions[] = {
    {"list", "", "the models that are installed and those that pull knows by name (the default)"},
    {"pull", "MODEL", "download a model, check it and open it; continues an earlier download that was interrupted"},
    {"verify", "[MODEL]", "compare the files of one or all models with their recorded checksums, and open them"},
    {"use", "MODEL", "open a model, then write it into engram.conf as the one in use"},
    {0}};
static const option models_options[] = {
    {.name = "as",
     .value = "USE",
     .choices = "nli embed",
     .description = "use: what the model is used for (default: what it was made for)"},
    {.name = "now",
     .description = "use, of an embedding model: compute the embeddings of the stored facts now, not in the background"},
    {.name = "name",
     .value = "NAME",
     .description = "pull: the name under which it is installed (default: that of the repository)"},
    {0}};
static const exit_status models_exits[] = {{0, "success"},
                                           {1, "verify: a file differs from its recorded checksum"},
                                           {2, "an error, such as a model that cannot be opened"},
                                           {130, "interrupted (128 plus the number of the signal)"},
                                           {0}};
static const example models_examples[] = {
    {"engram models", "list the models"}, {"engram models pull bge-small-en-v1.5", "download one that is known by name"}, {0}};

static const char *const plugins_text[] = {"Lists the plugins that are loaded and those that are not, with the reason.", NULL};
static const action plugins_actions[] = {{"list", "", "the plugins that the setting `plugins` names (the default)"},
                                         {"check", "FILE", "load a plugin and test that it keeps the contract of its kind"},
                                         {0}};

static const char *const workspaces_text[] = {
    "A workspace is a memory of its own. Each git repository has one; `engram workspaces` lists those of the store, with the "
    "repositories that are known to use them. The star marks the one of this folder.",
    "rename and merge change the repositories' records too, so they find their memory under the new name. merge keeps all facts "
    "with their ids and times, and their part of the audit log; facts of both are compared with each other afterwards, and of two "
    "that say the same in one scope one stays, with the conflicts of both. remove takes the facts away for good: only the audit log keeps that there were some.",
    NULL};
static const action workspaces_actions[] = {{"list", "", "the workspaces of the store (the default)"},
                                            {"rename", "OLD NEW", "give a workspace another name"},
                                            {"merge", "FROM TO", "put all facts of one workspace into another one"},
                                            {"remove", "NAME", "remove a workspace with all its facts"},
                                            {0}};
static const option workspaces_options[] = {{.name = "yes", .short_name = 'y', .description = "remove: do not ask"}, {0}};
static const example workspaces_examples[] = {
    {"engram workspaces", "list them"},
    {"engram workspaces merge local team", "move what was stored outside of repositories"},
    {0}};

static const char *const install_text[] = {
    "Enters Engram into the configuration of clients of the Model Context Protocol, so that their agents get its tools. Without "
    "CLIENT, lists which clients are found here and whether Engram is entered.",
    "Only the entry is added: comments, indentation and all other settings stay as they are, and --remove restores the file. An "
    "entry of the name engram that says something else stays, unless --force is given. A file that is not well formed is left as "
    "it is. --workspace and --home become part of the entry.",
    "--instructions and --hook write a block of lines between two marks; what stands outside of them stays. A second run replaces "
    "the block in place.",
    NULL};
static const argument install_arguments[] = {
    {"CLIENT",
     "claude-code, claude-desktop, cursor, vscode, windsurf, codex, gemini, zed or opencode; all: those that are found here",
     COMPLETE_NOTHING},
    {0}};
static const option install_options[] = {
    {.name = "instructions",
     .value = "FILE",
     .complete = COMPLETE_FILES,
     .description = "add a block to FILE, such as AGENTS.md or CLAUDE.md, that tells agents when to query, commit and settle"},
    {.name = "hook",
     .value = "HOOK",
     .choices = "pre-commit session-start",
     .description = "pre-commit: have git check what changed before each commit of this repository (engram check --diff HEAD); "
                    "session-start: have each CLIENT put what engram recall prints before its agent when a session starts "
                    "(claude-code, codex, gemini)"},
    {.name = "dry-run", .description = "print what would change, and change nothing"},
    {.name = "remove", .description = "take the entry, the block or the hook away"},
    {.name = "force",
     .description = "replace an entry of the name engram that is different; what you added to it, such as env, stays"},
    {.name = "profile",
     .value = "PROFILE",
     .choices = "core team all",
     .description = "the tools that agents see: see engram mcp (default: core)"},
    {0}};
static const exit_status install_exits[] = {{0, "success"},
                                            {1, "an entry of the name engram is different and was left as it is"},
                                            {2, "an error; a message on standard error says what was wrong and what to do"},
                                            {130, "interrupted (128 plus the number of the signal)"},
                                            {0}};
static const example install_examples[] = {{"engram install", "list the clients"},
                                           {"engram install --dry-run cursor", "show what would change"},
                                           {"engram install claude-code codex", "enter it for two clients"},
                                           {"engram install --remove all", "take it out of all"},
                                           {"engram install --instructions AGENTS.md", "tell agents of this project"},
                                           {"engram install --hook pre-commit", "check before each commit"},
                                           {"engram install --hook session-start claude-code", "begin sessions with the facts"},
                                           {0}};

static const char *const allow_text[] = {
    "A project's .engram.conf comes with its repository, so somebody else may have written it. By itself it sets the scope and, "
    "within limits, how contradictions are found. Everything else in it, such as the workspace, plugins, models and commands, is "
    "left out with a warning until you allow it.",
    "`engram allow` prints the settings of the nearest .engram.conf in this folder or above it and allows all of them. This "
    "holds for this file with this content: when either changes, allow it again. A workspace that belongs to another repository "
    "(git-...) or to no project (local) cannot be set there at all.",
    NULL};
static const option allow_options[] = {{.name = "remove", .description = "take back what was allowed"}, {0}};

static const char *const doctor_text[] = {
    "Checks the installation: the CPU, the store, the plugins, the models. The store is read as a whole: its pages and the "
    "chain of the audit of every workspace. Each problem is printed with what to do about it, "
    "followed by all settings and where their values come from.",
    NULL};
static const option doctor_options[] = {
    {.name = "deep", .description = "also compare the rows of the store with its indexes, which takes longer"},
    {.name = "repair-time",
     .description = "where the last commit lies ahead of the clock: let what happened later than now have happened now"},
    {0}};

static const char *const help_text[] = {
    "Prints the list of commands, or the help of one command. --format prints it as a manual page or as shell completion.", NULL};
static const argument help_arguments[] = {{"COMMAND", "the command to explain", COMPLETE_COMMANDS}, {0}};
static const option help_options[] = {
    {.name = "format",
     .value = "FORMAT",
     .choices = "text man bash zsh fish names",
     .description =
         "man: a manual page, of the program or of COMMAND; bash, zsh, fish: completion for that shell; names: the names "
         "of all commands, one a line (default: text)"},
    {0}};
static const example help_examples[] = {
    {"engram help check", "explain a command"},
    {"engram help --format bash > ~/.local/share/bash-completion/completions/engram", "install completion for bash"},
    {0}};

const command installation_commands[] = {{.name = "install",
                                          .group = INSTALLATION,
                                          .synopsis = "[CLIENT...]",
                                          .summary = "enter Engram into the configuration of agents' clients",
                                          .description = install_text,
                                          .arguments = install_arguments,
                                          .options = install_options,
                                          .exits = install_exits,
                                          .examples = install_examples,
                                          .run = run_install},
                                         {.name = "models",
                                          .group = INSTALLATION,
                                          .synopsis = "[list | pull MODEL | verify [MODEL] | use MODEL]",
                                          .summary = "list, download, check and choose models",
                                          .description = models_text,
                                          .actions = models_actions,
                                          .options = models_options,
                                          .exits = models_exits,
                                          .examples = models_examples,
                                          .run = run_models},
                                         {.name = "plugins",
                                          .group = INSTALLATION,
                                          .synopsis = "[list | check FILE]",
                                          .summary = "list the plugins, or test one",
                                          .description = plugins_text,
                                          .actions = plugins_actions,
                                          .options = no_options,
                                          .run = run_plugins},
                                         {.name = "workspaces",
                                          .group = INSTALLATION,
                                          .synopsis = "[list | rename OLD NEW | merge FROM TO | remove NAME]",
                                          .summary = "list, rename, merge and remove workspaces",
                                          .description = workspaces_text,
                                          .actions = workspaces_actions,
                                          .options = workspaces_options,
                                          .examples = workspaces_examples,
                                          .run = run_workspaces},
                                         {.name = "allow",
                                          .group = INSTALLATION,
                                          .synopsis = "",
                                          .summary = "obey the settings of this project's .engram.conf",
                                          .description = allow_text,
                                          .options = allow_options,
                                          .run = run_allow},
                                         {.name = "doctor",
                                          .group = INSTALLATION,
                                          .synopsis = "",
                                          .summary = "check the installation and print the settings",
                                          .description = doctor_text,
                                          .options = doctor_options,
                                          .run = run_doctor},
                                         {.name = "version",
                                          .group = INSTALLATION,
                                          .synopsis = "",
                                          .summary = "print the version",
                                          .options = no_options,
                                          .run = run_version},
                                         {.name = "help",
                                          .group = INSTALLATION,
                                          .synopsis = "[COMMAND]",
                                          .summary = "explain the commands",
                                          .description = help_text,
                                          .arguments = help_arguments,
                                          .options = help_options,
                                          .examples = help_examples,
                                          .run = run_help},
                                         {0}};
