/* sentencepiece.c - see sentencepiece.h. Source of the field numbers: sentencepiece_model.proto of
 * SentencePiece 0.2.0; of the encoding: the protocol buffers' wire format. */
#include "models/tokenizer/sentencepiece.h"

#include "core/base/status.h"
#include "core/base/utf8.h"
#include "models/tokenizer/vocabulary.h"

enum { MODEL_PIECES = 1, MODEL_TRAINER = 2, MODEL_NORMALIZER = 3 };
enum { PIECE_TEXT = 1, PIECE_SCORE = 2, PIECE_TYPE = 3 };
enum { TRAINER_MODEL = 3, TRAINER_SUFFIX = 24, TRAINER_UNKNOWN = 40, UNIGRAM = 1 };
enum { NORMALIZER_MAP = 2, NORMALIZER_PREFIX = 3, NORMALIZER_EXTRA = 4, NORMALIZER_ESCAPE = 5 };

typedef enum wire { VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5 } wire;

typedef struct field {
    uint32_t number;
    wire kind;
    uint64_t value; /* VARINT, FIXED32 */
    eg_str bytes;   /* BYTES */
} field;

static int read_varint(eg_str *in, uint64_t *out) {
    *out = 0;
    for (unsigned shift = 0; shift < 64 && in->len; shift += 7) {
        unsigned char byte = (unsigned char)*in->ptr;
        *in = (eg_str){in->ptr + 1, in->len - 1};
        *out |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) return 1;
    }
    return 0;
}

/* The next field of a message; 0 if it is malformed. */
static int read_field(eg_str *in, field *f) {
    uint64_t key, length;
    if (!read_varint(in, &key) || key >> 3 == 0 || key >> 3 > INT32_MAX) return 0;
    *f = (field){.number = (uint32_t)(key >> 3), .kind = (wire)(key & 7)};
    switch (f->kind) {
    case VARINT: return read_varint(in, &f->value);
    case FIXED32:
    case FIXED64: length = f->kind == FIXED32 ? 4 : 8; break;
    case BYTES:
        if (!read_varint(in, &length)) return 0;
        break;
    default: return 0;
    }
    if (length > in->len) return 0;
    f->bytes = (eg_str){in->ptr, (size_t)length};
    for (size_t i = 0; f->kind == FIXED32 && i < 4; i++) f->value |= (uint64_t)(unsigned char)in->ptr[i] << 8 * i;
    *in = (eg_str){in->ptr + length, in->len - (size_t)length};
    return 1;
}

static eg_status broken(const char *what, eg_error *err) {
    return eg_fail(err, EG_EFORMAT, "spm.model: %s is truncated or not a protocol buffer: fetch the file again", what);
}

static eg_status refuse(const char *what, eg_error *err) {
    return eg_fail(err, EG_EUNSUPPORTED, "spm.model: %s; supported are unigram models as of DeBERTa-v2 and v3", what);
}

static eg_status read_piece(eg_str in, uint32_t id, eg_sentencepiece *m, eg_error *err) {
    m->types[id] = EG_SP_NORMAL;
    while (in.len) {
        field f;
        if (!read_field(&in, &f)) return broken("a piece", err);
        if (f.number == PIECE_TEXT && f.kind == BYTES) m->pieces[id] = f.bytes;
        if (f.number == PIECE_TYPE && f.kind == VARINT) m->types[id] = (uint8_t)(f.value < 255 ? f.value : 255);
        if (f.number == PIECE_SCORE && f.kind == FIXED32) {
            uint32_t bits = (uint32_t)f.value;
            float score;
            memcpy(&score, &bits, sizeof score);
            m->scores[id] = (double)score;
        }
    }
    size_t valid = eg_utf8_valid_prefix(m->pieces[id].ptr, m->pieces[id].len);
    if (valid < m->pieces[id].len) return eg_fail(err, EG_EFORMAT, "spm.model: piece %u is not valid UTF-8", id);
    return EG_OK;
}

static eg_status read_trainer(eg_str in, eg_sentencepiece *m, eg_error *err) {
    while (in.len) {
        field f;
        if (!read_field(&in, &f)) return broken("trainer_spec", err);
        if (f.kind != VARINT) continue;
        if (f.number == TRAINER_MODEL && f.value != UNIGRAM) return refuse("trainer_spec.model_type is not UNIGRAM", err);
        if (f.number == TRAINER_SUFFIX && f.value) return refuse("trainer_spec.treat_whitespace_as_suffix is true", err);
        if (f.number == TRAINER_UNKNOWN) m->unknown = f.value < UINT32_MAX ? (uint32_t)f.value : UINT32_MAX;
    }
    return EG_OK;
}

static eg_status read_normalizer(eg_str in, eg_sentencepiece *m, eg_error *err) {
    while (in.len) {
        field f;
        if (!read_field(&in, &f)) return broken("normalizer_spec", err);
        if (f.number == NORMALIZER_MAP && f.kind == BYTES) m->charsmap = f.bytes;
        if (f.kind != VARINT || f.value) continue;
        if (f.number == NORMALIZER_PREFIX) return refuse("normalizer_spec.add_dummy_prefix is false", err);
        if (f.number == NORMALIZER_EXTRA) return refuse("normalizer_spec.remove_extra_whitespaces is false", err);
        if (f.number == NORMALIZER_ESCAPE) return refuse("normalizer_spec.escape_whitespaces is false", err);
    }
    return EG_OK;
}

eg_status eg_sentencepiece_parse(eg_str bytes, eg_arena *arena, eg_sentencepiece *out, eg_error *err) {
    *out = (eg_sentencepiece){0};
    size_t count = 0;
    field f;
    for (eg_str in = bytes; in.len;) {
        if (!read_field(&in, &f)) return broken("the model", err);
        count += f.number == MODEL_PIECES && f.kind == BYTES;
    }
    if (count == 0) return eg_fail(err, EG_EFORMAT, "spm.model: it has no pieces: it is no SentencePiece model");
    if (count > EG_MAX_VOCABULARY) return eg_fail(err, EG_ELIMIT, "spm.model: %zu pieces; at most %d", count, EG_MAX_VOCABULARY);
    out->pieces = eg_arena_array(arena, count, sizeof *out->pieces);
    out->scores = eg_arena_array(arena, count, sizeof *out->scores);
    out->types = eg_arena_alloc(arena, count);
    if (!out->pieces || !out->scores || !out->types) return eg_fail_memory(err, count * sizeof *out->pieces);
    eg_status s = EG_OK;
    for (eg_str in = bytes; s == EG_OK && in.len;) {
        if (!read_field(&in, &f)) return broken("the model", err);
        if (f.kind != BYTES) continue;
        if (f.number == MODEL_PIECES) s = read_piece(f.bytes, out->count++, out, err);
        if (f.number == MODEL_TRAINER) s = read_trainer(f.bytes, out, err);
        if (f.number == MODEL_NORMALIZER) s = read_normalizer(f.bytes, out, err);
    }
    return s;
}
