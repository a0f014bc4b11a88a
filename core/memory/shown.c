/* shown.c - see shown.h. */
#include "core/memory/shown.h"

eg_status eg_show_text(eg_request *rq, eg_str *text, eg_hidden_form form) {
    eg_buffer b = {0};
    if (!text->len) return EG_OK;
    eg_hidden_show(&b, *text, form);
    int same = !b.failed && eg_str_eq((eg_str){b.ptr, b.len}, *text);
    eg_str shown = same || b.failed ? (eg_str){0} : eg_request_copy(rq, (eg_str){b.ptr, b.len});
    eg_buffer_release(&b);
    if (same) return EG_OK;
    if (!shown.ptr) return eg_request_fail(rq, EG_ENOMEM, "out of memory while a text was made ready to be shown");
    *text = shown;
    return EG_OK;
}
