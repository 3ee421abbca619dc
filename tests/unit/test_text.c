/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "text.h"

struct conversion {
    const char *bytes;
    size_t length;
    const char *expected;
};

#define U "\xef\xbf\xbd"
#define CASE(bytes, expected)                                                                      \
    {                                                                                              \
        bytes, sizeof(bytes) - 1, expected                                                         \
    }

static void safe_lets_no_control_sequence_through(void **state)
{
    static const struct conversion cases[] = {
        CASE("plain", "plain"),
        CASE("\x1b[31m", U "[31m"),
        CASE("a\0b\r\n\t\x7f", "a" U "b" U U U U),
        CASE("\xc2\x9b", U), /* C1 control sequence introducer */
        CASE("\x9b", U),     /* the same as one byte */
        CASE("\xe2\x80\xae"
             "x",
             U "x"),                                         /* right-to-left override */
        CASE("\xe2\x81\xa6\xef\xbb\xbf", U U),               /* isolate, byte order mark */
        CASE("\xd8\xb9\xd8\xb1\xe6\x97\xa5\xf0\x9f\x98\x80", /* Arabic, Japanese, emoji */
             "\xd8\xb9\xd8\xb1\xe6\x97\xa5\xf0\x9f\x98\x80"),
        CASE("\xc0\xaf", U U),             /* overlong */
        CASE("\xed\xa0\x80", U U U),       /* surrogate */
        CASE("\xf4\x90\x80\x80", U U U U), /* beyond U+10FFFF */
        CASE("\xe6\x97", U),               /* cut short: one replacement */
        CASE("\xf0\x9f\x98"
             "a",
             U "a"),
        CASE("\xff\xfe", U U),
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        cps_auto_buf struct cps_buf out = {0};

        cps_text_append_safe(&out, cases[i].bytes, cases[i].length, false);
        cps_buf_append(&out, "", 1);
        assert_string_equal(out.data, cases[i].expected);
    }
}

static void safe_ascii_leaves_only_ascii(void **state)
{
    cps_auto_buf struct cps_buf out = {0};

    (void)state;
    cps_text_append_safe(&out, "a\xd8\xb9\x1b\xff~", 6, true);
    cps_buf_append(&out, "", 1);
    assert_string_equal(out.data, "a???~");
}

static void safe_passes_no_code_point_that_is_not_printable(void **state)
{
    (void)state;
    for (uint32_t byte = 0; byte < 256; byte++) {
        cps_auto_buf struct cps_buf out = {0};
        char raw = (char)byte;

        cps_text_append_safe(&out, &raw, 1, false);
        if (byte >= 0x20 && byte < 0x7f)
            assert_int_equal(out.data[0], raw);
        else
            assert_memory_equal(out.data, U, 3);
    }
}

static void json_is_always_valid(void **state)
{
    static const struct conversion cases[] = {
        CASE("", "\"\""),
        CASE("a\"\\\b\f\n\r\t/", "\"a\\\"\\\\\\b\\f\\n\\r\\t/\""),
        CASE("\0\x1f\x7f\xc2\x85", "\"\\u0000\\u001f\\u007f\\u0085\""),
        CASE("\xff"
             "a\xe6\x97",
             "\"" U "a" U "\""),
        CASE("\xe6\x97\xa5", "\"\xe6\x97\xa5\""),
        CASE("a b\xc3\xa9\xe6\x97\xa5 c", "\"a b\xc3\xa9\xe6\x97\xa5 c\""),
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        cps_auto_buf struct cps_buf out = {0};

        cps_text_append_json(&out, cases[i].bytes, cases[i].length);
        cps_buf_append(&out, "", 1);
        assert_string_equal(out.data, cases[i].expected);
    }
}

/* What may not be shown, from the first to the last; their neighbours may. */
static void printable_leaves_out_what_hides_or_turns_text(void **state)
{
    static const struct {
        uint32_t first, last;
    } ranges[] = {{0, 0x1f},        {0x7f, 0x9f},       {0xad, 0xad},      {0x61c, 0x61c},
                  {0x200b, 0x200c}, {0x200e, 0x200f},   {0x2028, 0x202e},  {0x2060, 0x206f},
                  {0xd800, 0xdfff}, {0xfdd0, 0xfdef},   {0xfeff, 0xfeff},  {0xfff9, 0xfffb},
                  {0xfffe, 0xffff}, {0x1fffe, 0x1ffff}, {0xdfffe, 0xe0fff}};
    size_t hidden = 0, expected = 0;

    (void)state;
    for (size_t i = 0; i < sizeof(ranges) / sizeof(*ranges); i++) {
        assert_false(cps_text_printable(ranges[i].first));
        assert_false(cps_text_printable(ranges[i].last));
        assert_true(ranges[i].first == 0 || cps_text_printable(ranges[i].first - 1));
        assert_true(cps_text_printable(ranges[i].last + 1));
        if (ranges[i].last < 0xfffe)
            expected += ranges[i].last - ranges[i].first + 1;
    }
    for (uint32_t code = 0; code < 0xfffe; code++)
        hidden += !cps_text_printable(code);
    assert_int_equal(hidden, expected); /* and nothing else below the last two of the plane */
    assert_false(cps_text_printable(0x10ffff));
    assert_false(cps_text_printable(0x110000));
}

/* Every code point, written as the standard says, reads back; every other sequence is refused. */
static size_t write_utf8(uint32_t code, char *to)
{
    if (code < 0x80) {
        to[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        to[0] = (char)(0xc0 | code >> 6);
        to[1] = (char)(0x80 | (code & 0x3f));
        return 2;
    }
    if (code < 0x10000) {
        to[0] = (char)(0xe0 | code >> 12);
        to[1] = (char)(0x80 | (code >> 6 & 0x3f));
        to[2] = (char)(0x80 | (code & 0x3f));
        return 3;
    }
    to[0] = (char)(0xf0 | code >> 18);
    to[1] = (char)(0x80 | (code >> 12 & 0x3f));
    to[2] = (char)(0x80 | (code >> 6 & 0x3f));
    to[3] = (char)(0x80 | (code & 0x3f));
    return 4;
}

static void next_reads_every_code_point_but_surrogates(void **state)
{
    (void)state;
    for (uint32_t code = 0; code < 0x120000; code++) {
        bool fine = code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
        char bytes[5] = {0};
        size_t length = write_utf8(code, bytes);
        uint32_t read;
        size_t took = cps_text_next(bytes, length, &read);

        assert_int_equal(read, fine ? code : CPS_TEXT_INVALID);
        assert_int_equal(took, fine ? length : 1);
    }
}

static void next_refuses_forms_that_are_longer_than_needed(void **state)
{
    (void)state;
    for (uint32_t code = 0; code < 0x10000; code++) {
        char four[4] = {(char)0xf0, (char)(0x80 | code >> 12), (char)(0x80 | (code >> 6 & 0x3f)),
                        (char)(0x80 | (code & 0x3f))};
        char three[3] = {(char)0xe0, (char)(0x80 | (code >> 6 & 0x3f)),
                         (char)(0x80 | (code & 0x3f))};
        char two[2] = {(char)(0xc0 | (code >> 6 & 1)), (char)(0x80 | (code & 0x3f))};
        uint32_t read;

        assert_int_equal(cps_text_next(four, 4, &read), 1);
        assert_int_equal(read, CPS_TEXT_INVALID);
        if (code < 0x800) {
            assert_int_equal(cps_text_next(three, 3, &read), 1);
            assert_int_equal(read, CPS_TEXT_INVALID);
        }
        assert_int_equal(cps_text_next(two, 2, &read), 1);
        assert_int_equal(read, CPS_TEXT_INVALID);
    }
}

/* The longest prefix that could have begun a character becomes one replacement. */
static void next_takes_what_was_cut_short_as_one(void **state)
{
    static const struct {
        const char *bytes;
        size_t length, took;
    } cases[] = {
        {"\xc3", 1, 1},         {"\xc3(", 2, 1},
        {"\xe1\x80", 2, 2},     {"\xe1\x80(", 3, 2},
        {"\xf1\x80\x80", 3, 3}, {"\xf1\x80\x80\xc0", 4, 3},
        {"\xf4\x8f\xbf", 3, 3}, {"\xe0\x9f\x80", 3, 1},
        {"\xed\xbf\xbf", 3, 1}, {"\xf0\x8f\xbf\xbf", 4, 1},
        {"\x80", 1, 1},         {"\xf5\x80\x80\x80", 4, 1},
        {"\xc1\xbf", 2, 1},     {"\xfe", 1, 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        uint32_t read;

        assert_int_equal(cps_text_next(cases[i].bytes, cases[i].length, &read), cases[i].took);
        assert_int_equal(read, CPS_TEXT_INVALID);
    }
}

static void safe_output_reads_back_as_printable_only(void **state)
{
    uint32_t random = 1;

    (void)state;
    for (int round = 0; round < 2000; round++) {
        cps_auto_buf struct cps_buf out = {0};
        char bytes[64];

        for (size_t i = 0; i < sizeof(bytes); i++) {
            random = random * 1664525 + 1013904223;
            bytes[i] = (char)(random >> 24);
        }
        cps_text_append_safe(&out, bytes, sizeof(bytes), false);
        for (size_t at = 0; at < out.length;) {
            uint32_t code;

            at += cps_text_next(out.data + at, out.length - at, &code);
            assert_true(code != CPS_TEXT_INVALID && cps_text_printable(code));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(safe_lets_no_control_sequence_through),
        cmocka_unit_test(safe_ascii_leaves_only_ascii),
        cmocka_unit_test(safe_passes_no_code_point_that_is_not_printable),
        cmocka_unit_test(json_is_always_valid),
        cmocka_unit_test(printable_leaves_out_what_hides_or_turns_text),
        cmocka_unit_test(next_reads_every_code_point_but_surrogates),
        cmocka_unit_test(next_refuses_forms_that_are_longer_than_needed),
        cmocka_unit_test(next_takes_what_was_cut_short_as_one),
        cmocka_unit_test(safe_output_reads_back_as_printable_only),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
