/* mutate.c - changes that keep the form of a file, for the targets whose inputs have one: random
 * bytes seldom get past the first bracket or length. In JSON, values and members are erased,
 * repeated or replaced by others; the length of a safetensors header follows the header; a record
 * of a protocol buffer (FUZZ_SPM) keeps its own length. Half of all changes are libFuzzer's. */
#include <stdint.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

enum { MOST = 4096 }; /* bytes that are moved at once */

typedef struct range {
    size_t begin, end;
} range;

/* The next number of a sequence, below n (n > 0). */
static size_t pick(uint64_t *random, size_t n) {
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (size_t)(*random >> 33) % n;
}

/* Puts `with`, which does not lie in data, where `at` was; returns the new size: the old one when
 * it would not fit. */
static size_t splice(uint8_t *data, size_t size, size_t most, range at, const void *with, size_t length) {
    if (size - (at.end - at.begin) + length > most) return size;
    memmove(data + at.begin + length, data + at.end, size - at.end);
    memcpy(data + at.begin, with, length);
    return size - (at.end - at.begin) + length;
}

#if defined(FUZZ_SPM)
static size_t read_varint(const uint8_t *p, size_t n, uint64_t *out) {
    *out = 0;
    for (size_t i = 0; i < n && i < 10; i++) {
        *out |= (uint64_t)(p[i] & 127) << 7 * i;
        if (p[i] < 128) return i + 1;
    }
    return 0;
}

/* One of the records of data that hold bytes, by chance: *whole from its length on, *payload
 * without. 0: there is none. */
static int find_record(const uint8_t *data, size_t size, uint64_t *random, range *whole, range *payload) {
    size_t seen = 0;
    for (size_t at = 0, used; at < size; at += used) {
        uint64_t key, length = 0;
        if (!(used = read_varint(data + at, size - at, &key))) break;
        at += used;
        unsigned kind = key & 7;
        used = kind == 5 ? 4 : kind == 1 ? 8 : read_varint(data + at, size - at, &length);
        if (!used || used > size - at || (kind == 2 && length > size - at - used)) break;
        if (kind != 2) continue;
        if (pick(random, ++seen) == 0) {
            *whole = (range){at, at + used + (size_t)length};
            *payload = (range){at + used, whole->end};
        }
        used += (size_t)length;
    }
    return seen > 0;
}

/* Changes the payload of a record by chance, or, with levels left, that of a record in it; its
 * length follows. */
static size_t mutate_record(uint8_t *data, size_t size, size_t most, uint64_t *random, int levels) {
    uint8_t bytes[10 + MOST], *body = bytes + 10;
    range whole, payload;
    if (!find_record(data, size, random, &whole, &payload) || payload.end - payload.begin > MOST)
        return LLVMFuzzerMutate(data, size, most);
    size_t length = payload.end - payload.begin;
    memcpy(body, data + payload.begin, length);
    length =
        levels && pick(random, 2) ? mutate_record(body, length, MOST, random, levels - 1) : LLVMFuzzerMutate(body, length, MOST);
    size_t digits = 1;
    while (length >> 7 * digits) digits++;
    uint8_t *head = body - digits;
    for (size_t i = 0; i < digits; i++) head[i] = (uint8_t)((length >> 7 * i & 127) | (i + 1 < digits ? 128 : 0));
    return splice(data, size, most, whole, head, digits + length);
}

static size_t mutate_form(uint8_t *data, size_t size, size_t most, uint64_t *random) {
    return mutate_record(data, size, most, random, 1);
}

#else
/* The end of the string whose quote is at data[at]. */
static size_t string_end(const uint8_t *data, size_t size, size_t at) {
    for (at++; at < size && data[at] != '"'; at++) at += data[at] == '\\';
    return at < size ? at + 1 : size;
}

static size_t skip_any(const uint8_t *data, size_t size, size_t at, const char *bytes) {
    while (at < size && data[at] && strchr(bytes, data[at])) at++;
    return at;
}

/* The end of the value that begins at data[at]; of broken JSON, some place behind. */
static size_t value_end(const uint8_t *data, size_t size, size_t at) {
    size_t depth = 0;
    do {
        uint8_t c = data[at];
        size_t word = skip_any(data, size, at, "+-.0123456789Eaeflnrstu");
        at = c == '"' ? string_end(data, size, at) : word > at ? word : at + 1;
        depth += c == '{' || c == '[';
        depth -= depth && (c == '}' || c == ']');
    } while (depth && at < size);
    return at;
}

/* A value or, by chance where it is a key, a member. */
static range find_value(const uint8_t *data, size_t size, uint64_t *random) {
    size_t begin = pick(random, size);
    while (begin < size && !(data[begin] && strchr("{[\"-0123456789tfn", data[begin]))) begin++;
    if (begin == size) return (range){0, 0};
    range r = {begin, value_end(data, size, begin)};
    size_t colon = skip_any(data, size, r.end, " \t\r\n");
    if (colon < size && data[colon] == ':' && pick(random, 4)) {
        size_t value = skip_any(data, size, colon + 1, " \t\r\n");
        if (value < size) r.end = value_end(data, size, value);
    }
    return r;
}

static size_t mutate_json(uint8_t *data, size_t size, size_t most, uint64_t *random) {
    static const char *const values[] = {"null",
                                         "true",
                                         "false",
                                         "0",
                                         "1",
                                         "-1",
                                         "2",
                                         "65536",
                                         "1048576",
                                         "4294967295",
                                         "9223372036854775807",
                                         "18446744073709551616",
                                         "0.5",
                                         "1e308",
                                         "1e999",
                                         "\"\"",
                                         "\"a\"",
                                         "\"\\u0000\"",
                                         "[]",
                                         "{}",
                                         "[0,0]",
                                         "{\"a\":0}"};
    enum { ERASE, REPLACE, BEFORE, BEHIND, KNOWN };
    uint8_t bytes[1 + MOST + 1]; /* a comma on either side */
    if (size == 0) return LLVMFuzzerMutate(data, size, most);
    range at = find_value(data, size, random), from = find_value(data, size, random);
    size_t length = from.end - from.begin, how = pick(random, KNOWN + 2);
    if (length > MOST) return LLVMFuzzerMutate(data, size, most);
    memcpy(bytes + 1, data + from.begin, length);
    if (how == ERASE) {
        size_t comma = skip_any(data, size, at.end, " \t\r\n");
        if (comma < size && data[comma] == ',') at.end = comma + 1;
        return splice(data, size, most, at, "", 0);
    }
    if (how == REPLACE) return splice(data, size, most, at, bytes + 1, length);
    if (how == BEFORE) {
        bytes[1 + length] = ',';
        return splice(data, size, most, (range){at.begin, at.begin}, bytes + 1, length + 1);
    }
    if (how == BEHIND) {
        bytes[0] = ',';
        return splice(data, size, most, (range){at.end, at.end}, bytes, length + 1);
    }
    const char *known = values[pick(random, sizeof values / sizeof *values)];
    return splice(data, size, most, at, known, strlen(known));
}

#if defined(FUZZ_SAFETENSORS)
/* The header ends behind the last brace; the change is made in it, and the length in front of it is
 * that of the new one. */
static size_t mutate_form(uint8_t *data, size_t size, size_t most, uint64_t *random) {
    enum { HEAD = 8 };
    const uint8_t *brace = size > HEAD ? memrchr(data + HEAD, '}', size - HEAD) : NULL;
    if (!brace || most > MOST) return LLVMFuzzerMutate(data, size, most);
    uint8_t rest[MOST];
    size_t length = (size_t)(brace + 1 - data) - HEAD, after = size - HEAD - length;
    memcpy(rest, brace + 1, after);
    length = pick(random, 4) ? mutate_json(data + HEAD, length, most - HEAD - after, random)
                             : LLVMFuzzerMutate(data + HEAD, length, most - HEAD - after);
    memcpy(data + HEAD + length, rest, after);
    for (int i = 0; i < HEAD; i++) data[i] = (uint8_t)((uint64_t)length >> 8 * i);
    return HEAD + length + after;
}
#else
static size_t mutate_form(uint8_t *data, size_t size, size_t most, uint64_t *random) {
    return mutate_json(data, size, most, random);
}
#endif
#endif

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    uint64_t random = seed;
    return pick(&random, 2) ? mutate_form(data, size, most, &random) : LLVMFuzzerMutate(data, size, most);
}
