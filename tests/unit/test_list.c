/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "list.h"
#include "screen.h"

static void the_window_follows_the_cursor(void **state)
{
    struct cps_list list = {0};

    (void)state;
    assert_int_equal(cps_list_fit(&list, 100, 2, 12), 10);
    for (int i = 0; i < 12; i++)
        assert_true(cps_list_key(&list, 100, CPS_KEY_DOWN));
    assert_int_equal(cps_list_fit(&list, 100, 2, 12), 13);
    assert_int_equal(list.top, 3);
    assert_true(cps_list_key(&list, 100, CPS_KEY_HOME));
    assert_int_equal(cps_list_fit(&list, 100, 2, 12), 10);
    assert_int_equal(list.top, 0);
    assert_true(cps_list_key(&list, 100, 'G'));
    assert_int_equal(cps_list_fit(&list, 100, 2, 12), 100);
    assert_int_equal(list.top, 90);
    assert_true(cps_list_key(&list, 100, CPS_KEY_PAGE_UP));
    assert_int_equal(list.cursor, 90);
    assert_false(cps_list_key(&list, 100, 'x'));
}

static void fewer_rows_pull_cursor_and_window_back(void **state)
{
    struct cps_list list = {.cursor = 99, .top = 90};

    (void)state;
    assert_int_equal(cps_list_fit(&list, 5, 2, 12), 5);
    assert_int_equal(list.cursor, 4);
    assert_int_equal(list.top, 0);
    assert_int_equal(cps_list_fit(&list, 0, 2, 12), 0);
    assert_int_equal(list.cursor, 0);
    assert_true(cps_list_key(&list, 0, CPS_KEY_DOWN));
    assert_int_equal(list.cursor, 0);
}

static void where_no_row_fits_none_is_drawn_or_marked(void **state)
{
    struct cps_list list = {.cursor = 3};
    struct cps_canvas canvas;

    (void)state;
    assert_int_equal(cps_canvas_init(&canvas, 10, 20, true), 0);
    assert_int_equal(cps_list_fit(&list, 5, 12, 4), 0);
    cps_list_select(&list, 5, &canvas, 4);
    assert_int_equal(canvas.selected, -1);
    assert_int_equal(cps_list_fit(&list, 5, 4, 6), 4);
    cps_list_select(&list, 5, &canvas, 4);
    assert_int_equal(canvas.selected, 5);
    cps_list_select(&list, 0, &canvas, 4);
    assert_int_equal(canvas.selected, 5);
    cps_canvas_free(&canvas);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_window_follows_the_cursor),
        cmocka_unit_test(fewer_rows_pull_cursor_and_window_back),
        cmocka_unit_test(where_no_row_fits_none_is_drawn_or_marked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
