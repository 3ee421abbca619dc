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
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        cps_auto_buf struct cps_buf out = {0};

        cps_text_append_json(&out, cases[i].bytes, cases[i].length);
        cps_buf_append(&out, "", 1);
        assert_string_equal(out.data, cases[i].expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(safe_lets_no_control_sequence_through),
        cmocka_unit_test(safe_ascii_leaves_only_ascii),
        cmocka_unit_test(safe_passes_no_code_point_that_is_not_printable),
        cmocka_unit_test(json_is_always_valid),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
