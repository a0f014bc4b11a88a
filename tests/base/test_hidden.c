/* test_hidden.c - which characters count as hidden, where they belong to what is written, and how
 * they are shown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/hidden.h"
#include "core/base/utf8.h"

static void shows(const char *text, size_t n, eg_hidden_form form, const char *wanted) {
    eg_buffer b = {0};
    eg_hidden_show(&b, (eg_str){text, n}, form);
    eg_buffer_add(&b, "", 1);
    assert_int_equal(b.failed, 0);
    assert_string_equal(b.ptr, wanted);
    eg_buffer_release(&b);
}
#define SHOWS(text, form, wanted) shows(text, sizeof(text) - 1, form, wanted)

/* Texts with their code points as they are written in other tongues and with emoji: nothing in them
 * is hidden. */
static void what_belongs(void **state) {
    (void)state;
    static const char *const texts[] = {
        "plain\ttext\r\nof two lines\n",
        "na\u00EFve caf\u00E9 \u2014 \u00A0 \u2003 \u2028 \uFFFD \uE000",
        /* Persian: "I want" */
        "\u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645",
        /* an abbreviation in Arabic script */
        "\u0647\u200D",
        /* Devanagari */
        "\u0915\u094D\u200D\u0937 \u0930\u094D\u200C\u092E",
        /* Sinhala */
        "\u0DC1\u0DCA\u200D\u0DBB\u0DD3",
        /* Hebrew */
        "(\u05E2\u05D1\u05E8\u05D9\u05EA)\u200F!",
        /* marks at the ends of lines */
        "\u200F\u05E9\u05DC\u05D5\u05DD\u200F\r\n\u061C\u0633",
        /* Thai */
        "\u0E44\u0E17\u0E22\u200B\u0E44\u0E17\u0E22",
        /* families, a flag */
        "\U0001F468\u200D\U0001F469\u200D\U0001F467 \U0001F3F3\uFE0F\u200D\U0001F308",
        "\U0001F9D1\U0001F3FD\u200D\U0001F4BB \u2764\uFE0F 1\uFE0F\u20E3 \u26A0\uFE0F \u2714\uFE0E",
        /* Scotland */
        "\U0001F3F4\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F",
        /* chosen forms of ideographs and signs */
        "\u845B\U000E0100 \u8FBB\uFE00 \u2229\uFE00",
        /* Mongolian */
        "\u1820\u180B\u1820",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        eg_str s = eg_str_of(texts[i]);
        uint32_t cp = 0;
        if (eg_hidden_next(s, 0, &cp) != s.len) fail_msg("text %zu: U+%04X", i, cp);
        eg_buffer b = {0};
        eg_hidden_show(&b, s, EG_HIDDEN_TEXT);
        assert_true(eg_str_eq((eg_str){b.ptr, b.len}, s));
        eg_buffer_release(&b);
    }
}

/* Every control and default-ignorable code point between Latin letters, where none belongs. */
static void each_between_letters(void **state) {
    (void)state;
    static const uint32_t ranges[][2] = {{0x01, 0x08},     {0x0B, 0x1F},       {0x7F, 0x9F},       {0xAD, 0xAD},
                                         {0x34F, 0x34F},   {0x61C, 0x61C},     {0x115F, 0x1160},   {0x17B4, 0x17B5},
                                         {0x180B, 0x180F}, {0x200B, 0x200F},   {0x202A, 0x202E},   {0x2060, 0x206F},
                                         {0x3164, 0x3164}, {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},
                                         {0xFFF0, 0xFFFB}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF}};
    size_t hidden = 0, wanted = 0;
    for (uint32_t cp = 1; cp <= 0x10FFFF; cp++) {
        char text[8] = "a", shown[16];
        size_t n = eg_utf8_encode(cp, text + 1);
        if (!n) continue;
        text[1 + n] = 'b';
        int in = 0;
        for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) in |= cp >= ranges[i][0] && cp <= ranges[i][1];
        uint32_t found = 0;
        size_t at = eg_hidden_next((eg_str){text, n + 2}, 0, &found);
        wanted += (size_t)in;
        hidden += at == 1 && found == cp;
        if (in != (at == 1)) fail_msg("U+%04X: %s", cp, in ? "is not found" : "is found");
        if (!in) continue;
        snprintf(shown, sizeof shown, "a<U+%04X>b", cp);
        shows(text, n + 2, EG_HIDDEN_TEXT, shown);
    }
    assert_int_equal(hidden, wanted);
}

/* What belongs alone hides something when it comes in rows or elsewhere. */
static void what_does_not(void **state) {
    (void)state;
    SHOWS("pay\u202Eload\u202C", EG_HIDDEN_TEXT, "pay<U+202E>load<U+202C>");
    SHOWS("a\U000E0069\U000E0067", EG_HIDDEN_TEXT, "a<U+E0069><U+E0067>");
    /* tags behind the black flag that spell no flag, or go on behind one */
    SHOWS("\U0001F3F4\U000E0069\U000E007F", EG_HIDDEN_TEXT, "\U0001F3F4<U+E0069><U+E007F>");
    SHOWS("\U0001F3F4\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F\U000E0061", EG_HIDDEN_TEXT,
          "\U0001F3F4\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F<U+E0061>");
    SHOWS("\u2764\uFE0F\uFE0E", EG_HIDDEN_TEXT, "\u2764\uFE0F<U+FE0E>");
    SHOWS("\u0645\u200C\u200C\u062E", EG_HIDDEN_TEXT, "\u0645\u200C<U+200C>\u062E");
    SHOWS("a\u200Fb", EG_HIDDEN_TEXT, "a<U+200F>b");
    SHOWS("\u05D0\u200F\u200E", EG_HIDDEN_TEXT, "\u05D0<U+200F><U+200E>");
    SHOWS("\U0001F468\u200D b", EG_HIDDEN_TEXT, "\U0001F468<U+200D> b");
    SHOWS("safe\revil\x1B[2J\x7F", EG_HIDDEN_TEXT, "safe<U+000D>evil<U+001B>[2J<U+007F>");
    SHOWS("nul\0byte \xFF\xE2\x80", EG_HIDDEN_TEXT, "nul<U+0000>byte <0xFF><0xE2><0x80>");
}

static void forms(void **state) {
    (void)state;
    SHOWS("name\n\x1B.md\r\n", EG_HIDDEN_LINE, "name<U+000A><U+001B>.md\r<U+000A>");
    SHOWS(
        "{\"a\": \"x\u202Ey \\u202e \\u001b \\b\\f\\n\\r\\r\\n\\t\\\"\\\\u202e \\uDB40\\uDC41 \\u00e9 \u00E9\"}\n",
        EG_HIDDEN_JSON,
        "{\"a\": \"x<U+202E>y <U+202E> <U+001B> <U+0008><U+000C>\\n<U+000D>\\r\\n\\t\\\"\\\\u202e <U+E0041> \\u00e9 \u00E9\"}\n");
    /* an escape that is cut off is nobody's: it stays */
    SHOWS("\"\\ud83d\" \\u20", EG_HIDDEN_JSON, "\"\\ud83d\" \\u20");
    SHOWS("[\"x\u202E\U000E0041\u00AD\", \"\\u202e\"]", EG_HIDDEN_ESCAPED, "[\"x\\u202e\\udb40\\udc41\\u00ad\", \"\\u202e\"]");
    SHOWS("", EG_HIDDEN_TEXT, "");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_belongs), cmocka_unit_test(each_between_letters),
                                       cmocka_unit_test(what_does_not), cmocka_unit_test(forms)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
