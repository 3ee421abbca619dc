/* SPDX-License-Identifier: Apache-2.0 */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "canvas.h"

static struct cps_canvas make(bool ascii)
{
    struct cps_canvas canvas = {0};

    assert_int_equal(cps_canvas_init(&canvas, 2, 8, ascii), 0);
    return canvas;
}

static wchar_t at(const struct cps_canvas *canvas, int column)
{
    return canvas->cells[column].text[0];
}

static void no_byte_becomes_a_control_character(void **state)
{
    (void)state;
    for (int ascii = 0; ascii < 2; ascii++) {
        struct cps_canvas canvas = make(ascii);

        for (unsigned first = 0; first < 256; first++) {
            for (unsigned second = 0; second < 256; second += 3) {
                char bytes[] = {(char)first, (char)second, 'x'};

                cps_canvas_clear(&canvas);
                cps_canvas_put(&canvas, 0, 0, 8, CPS_STYLE_NORMAL, bytes, sizeof(bytes));
                for (int i = 0; i < 8; i++) {
                    wchar_t code = at(&canvas, i);

                    assert_true(code == 0 || (code >= 0x20 && code < 0x7f) ||
                                (!ascii && code >= 0xa0));
                }
            }
        }
        cps_canvas_free(&canvas);
    }
}

static void wide_characters_are_never_split(void **state)
{
    struct cps_canvas canvas = make(false);

    (void)state;
    assert_int_equal(cps_canvas_text(&canvas, 0, 0, 3, CPS_STYLE_NORMAL, "本本本"), 2);
    assert_int_equal(at(&canvas, 0), 0x672c);
    assert_int_equal(at(&canvas, 1), 0);
    assert_int_equal(cps_canvas_text(&canvas, 0, 0, 8, CPS_STYLE_NORMAL, "e\xcc\x81x"), 2);
    assert_int_equal(canvas.cells[0].text[1], 0x301);
    assert_int_equal(at(&canvas, 1), L'x');
    cps_canvas_free(&canvas);
}

static void what_is_cut_says_so(void **state)
{
    struct cps_canvas canvas = make(false);

    (void)state;
    assert_int_equal(cps_canvas_text(&canvas, 0, 0, 5, CPS_STYLE_NORMAL, "abcdef"), 5);
    assert_int_equal(at(&canvas, 3), L'd');
    assert_int_equal(at(&canvas, 4), 0x2026);
    assert_int_equal(cps_canvas_tail(&canvas, 0, 0, 5, CPS_STYLE_NORMAL, "abcdef", 6), 5);
    assert_int_equal(at(&canvas, 0), 0x2026);
    assert_int_equal(at(&canvas, 4), L'f');
    assert_int_equal(at(&canvas, 1), L'c');
    cps_canvas_free(&canvas);
}

/* Writes the two bytes of a combining accent. */
static void put_accent(char *at)
{
    at[0] = '\xcc';
    at[1] = '\x81';
}

/* A name of a megabyte that has nearly no width: were each of these read to its end, the test would
 * not end in its time. */
static void a_stranger_cannot_make_a_row_slow(void **state)
{
    struct cps_canvas canvas = make(false);
    size_t length = (size_t)2 << 20;
    char *name = malloc(length);

    (void)state;
    assert_non_null(name);
    for (size_t i = 0; i < length; i += 2)
        put_accent(name + i);
    for (int i = 0; i < 1000; i++) {
        name[0] = name[1] = 'a';
        assert_int_equal(cps_canvas_put(&canvas, 0, 0, 5, CPS_STYLE_NORMAL, name, length), 2);
        put_accent(name);
        name[length - 2] = 'y';
        name[length - 1] = 'z';
        assert_int_equal(cps_canvas_tail(&canvas, 0, 0, 5, CPS_STYLE_NORMAL, name, length), 2);
        put_accent(name + length - 2);
    }
    assert_int_equal(at(&canvas, 0), L'y');
    assert_int_equal(at(&canvas, 1), L'z');
    memset(name, 'n', length);
    name[length - 1] = 'z';
    assert_int_equal(cps_canvas_tail(&canvas, 0, 0, 5, CPS_STYLE_NORMAL, name, length), 5);
    assert_int_equal(at(&canvas, 0), 0x2026);
    assert_int_equal(at(&canvas, 4), L'z');
    free(name);
    cps_canvas_free(&canvas);
}

static void outside_is_ignored(void **state)
{
    struct cps_canvas canvas = make(false);

    (void)state;
    cps_canvas_text(&canvas, 9, 0, 5, CPS_STYLE_NORMAL, "abc");
    cps_canvas_text(&canvas, -1, -3, 5, CPS_STYLE_NORMAL, "abc");
    cps_canvas_bar(&canvas, 0, 6, 20, CPS_STYLE_NORMAL, 5, 5);
    cps_canvas_right(&canvas, 0, 0, -4, CPS_STYLE_NORMAL, "abc");
    assert_int_equal(at(&canvas, 7), 0x2588);
    assert_int_equal(at(&canvas, 5), L' ');
    cps_canvas_free(&canvas);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_byte_becomes_a_control_character),
        cmocka_unit_test(wide_characters_are_never_split),
        cmocka_unit_test(what_is_cut_says_so),
        cmocka_unit_test(a_stranger_cannot_make_a_row_slow),
        cmocka_unit_test(outside_is_ignored),
    };

    if (!setlocale(LC_CTYPE, "C.UTF-8"))
        return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
