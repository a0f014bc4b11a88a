/* tool_calls.h - what the tests of the memory toolset share: the toolset opened in a made-up host,
 * and calls of its tools. One thread. */
#ifndef TEST_TOOL_CALLS_H
#define TEST_TOOL_CALLS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "fake_host.h"
#include "json.h"

extern fake_host host;
extern eg_error last_error; /* of the last call */

/* Of each test: a host with an empty memory. */
int setup(void **state);
int teardown(void **state);
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

/* Calls a tool; *result (when not NULL) is the parsed result, to be deleted, or NULL. */
eg_status call(const char *tool, const char *arguments, cJSON **result);

/* The same with all members of the result. */
eg_status call_verbose(const char *tool, const char *arguments, cJSON **result);

/* The call is refused (EG_EINVAL) with a message that holds `word`; it is not refused. */
void refused(const char *tool, const char *arguments, const char *word);
void accepted(const char *tool, const char *arguments);

/* The text of a member; "null" for a null, "(no text)" for anything else. */
const char *text_of(const cJSON *object, const char *key);

/* Arguments that are enough for a tool, and with which any other one may be given; to be
 * deleted. */
cJSON *enough_for(const char *tool);

#endif
