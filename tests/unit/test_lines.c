/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lines.h"

static bool collect(void *context, const char *bytes, size_t length)
{
    cps_buf_append(context, bytes, length);
    cps_buf_append(context, "|", 1);
    return true;
}

/* Whatever the pieces that bytes come in, the lines are the same. */
static void pieces_do_not_matter(void **state)
{
    static const char text[] = "one\r\n\ntwo\n0123456789\n01234567890\nthree\nlast";

    (void)state;
    for (size_t piece = 1; piece < sizeof(text); piece++) {
        struct cps_lines lines = {.maximum = 10};
        struct cps_buf out = {0};

        for (size_t i = 0; i < sizeof(text) - 1; i += piece) {
            size_t left = sizeof(text) - 1 - i;

            cps_lines_feed(&lines, text + i, left < piece ? left : piece, collect, &out);
        }
        cps_lines_finish(&lines, collect, &out);
        cps_buf_append(&out, "", 1);
        assert_string_equal(out.data, "one|two|0123456789|three|last|");
        assert_int_equal(lines.too_long, 1);
        cps_buf_free(&out);
        cps_lines_free(&lines);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pieces_do_not_matter)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
