/* ids.c - the text form of ids, and ids as people abbreviate them. */
#include "core/memory/ids.h"

void eg_id_format(eg_id id, char out[EG_ID_TEXT]) {
    static const char hex[] = "0123456789abcdef";
    size_t at = 0;
    for (size_t i = 0; i < 16; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10) out[at++] = '-';
        out[at++] = hex[id.bytes[i] >> 4];
        out[at++] = hex[id.bytes[i] & 15];
    }
    out[at] = '\0';
}

static int hex_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

int eg_id_parse(eg_str text, eg_id *out) {
    if (text.len != EG_ID_TEXT - 1) return 0;
    size_t at = 0;
    for (size_t i = 0; i < 16; i++) {
        if ((i == 4 || i == 6 || i == 8 || i == 10) && text.ptr[at++] != '-') return 0;
        int high = hex_value(text.ptr[at]), low = hex_value(text.ptr[at + 1]);
        if (high < 0 || low < 0) return 0;
        out->bytes[i] = (uint8_t)(high << 4 | low);
        at += 2;
    }
    return 1;
}

eg_status eg_id_resolve(eg_memory *m, eg_request *rq, const char *what, eg_str text, eg_id *out) {
    if (eg_id_parse(text, out)) return EG_OK;
    int digits = text.len >= 4 && text.len <= 12; /* the last group of a UUID */
    for (size_t i = 0; digits && i < text.len; i++) digits = hex_value(text.ptr[i]) >= 0;
    if (!digits)
        return eg_request_fail(rq, EG_EINVAL, "%s '%.*s' is not a valid id: give the full id, or at least its last 4 hex digits",
                               what, (int)(text.len < 60 ? text.len : 60), text.ptr ? text.ptr : "");
    eg_id found[2];
    size_t n = 0;
    eg_status s = STORE(m, ids_by_suffix, rq, text, found, 2, &n);
    if (s != EG_OK) return s;
    if (n == 1) {
        *out = found[0];
        return EG_OK;
    }
    return eg_request_fail(rq, n ? EG_EINVAL : EG_ENOENT,
                           n ? "%s '%.*s' matches several ids: give more digits"
                             : "%s '%.*s': no id in this workspace ends with these digits",
                           what, (int)text.len, text.ptr);
}
