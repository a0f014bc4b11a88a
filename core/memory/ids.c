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

/* An id that is written down to somewhere; the digits that are left out are all `rest`. 0: the text
 * is no beginning of an id. */
static int beginning_of(eg_str text, int rest, eg_id *out) {
    char whole[EG_ID_TEXT];
    if (text.len >= EG_ID_TEXT) return 0;
    for (size_t i = 0; i < EG_ID_TEXT - 1; i++) {
        int dash = i == 8 || i == 13 || i == 18 || i == 23;
        whole[i] = i < text.len ? text.ptr[i] : dash ? '-' : rest ? 'f' : '0';
    }
    return eg_id_parse((eg_str){whole, EG_ID_TEXT - 1}, out);
}

enum { LEAST = 4 /* digits of a shortened id */, MATCHES = 5 /* that are read; one less is named */ };

static eg_status ids_by_beginning(eg_memory *m, eg_request *rq, eg_str text, eg_id found[MATCHES], size_t *n) {
    eg_id first, last;
    (void)beginning_of(text, 0, &first);
    (void)beginning_of(text, 1, &last);
    return STORE(m, ids_between, rq, first, last, found, MATCHES, n);
}

/* EG_EINVAL with the ends of the ids that the text may stand for. */
static eg_status several(eg_request *rq, const char *what, eg_str text, const eg_id *found, size_t n) {
    char names[MATCHES * (EG_ID_TEXT + 2)];
    size_t used = 0;
    for (size_t i = 0; i < n && i < MATCHES - 1; i++) {
        char id[EG_ID_TEXT];
        eg_id_format(found[i], id);
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", id);
    }
    return eg_request_fail(rq, EG_EINVAL, "%s '%.*s' matches several ids: %s%s; give more digits, or the last 12 of one", what,
                           (int)text.len, text.ptr, names, n == MATCHES ? " and more" : "");
}

eg_status eg_id_resolve(eg_memory *m, eg_request *rq, const char *what, eg_str text, eg_id *out) {
    if (eg_id_parse(text, out)) return EG_OK;
    int ends = text.len >= LEAST && text.len <= 12; /* the last group of a UUID */
    for (size_t i = 0; ends && i < text.len; i++) ends = hex_value(text.ptr[i]) >= 0;
    eg_id first;
    int begins = text.len >= LEAST && beginning_of(text, 0, &first) && EG_HAS(m->env.storage_ops, ids_between) &&
                 m->env.storage_ops->ids_between;
    if (!ends && !begins)
        return eg_request_fail(
            rq, EG_EINVAL, "%s '%.*s' is not a valid id: give the full id, or at least 4 hex digits that it ends or begins with",
            what, (int)(text.len < 60 ? text.len : 60), text.ptr ? text.ptr : "");
    eg_id found[MATCHES];
    size_t n = 0;
    eg_status s = EG_OK;
    if (ends) s = STORE(m, ids_by_suffix, rq, text, found, MATCHES, &n);
    if (s == EG_OK && n == 0 && begins) s = ids_by_beginning(m, rq, text, found, &n);
    if (s != EG_OK) return s;
    if (n == 0)
        return eg_request_fail(rq, EG_ENOENT, "%s '%.*s': no id in this workspace ends with these digits%s", what, (int)text.len,
                               text.ptr, begins ? ", or begins with them" : "");
    *out = found[0];
    return n == 1 ? EG_OK : several(rq, what, text, found, n);
}
