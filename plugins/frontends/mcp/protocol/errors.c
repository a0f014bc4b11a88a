/* errors.c - answers messages with errors. See state.h. */
#include <stdarg.h>
#include <stdio.h>

#include "state.h"

void mcp_send_error(mcp_session *s, const message *m, int code, const char *text) {
    pj_out o = {0};
    mcp_answer_error(&o, m->rev ? m->rev : s->latest, m->id, code, text);
    mcp_send_answer(&s->sink, m->in, m->id, &o);
}

void mcp_send_errorf(mcp_session *s, const message *m, int code, const char *format, ...) {
    char text[400];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    mcp_send_error(s, m, code, text);
}
