/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "buf.h"

static void appends_grow_it(void **state)
{
    cps_auto_buf struct cps_buf buf = {0};

    (void)state;
    for (int i = 0; i < 1000; i++)
        cps_buf_append_format(&buf, "%d,", i % 10);
    cps_buf_append_string(&buf, "end");
    cps_buf_append(&buf, "\0x", 2);
    assert_false(cps_buf_failed(&buf));
    assert_int_equal(buf.length, 2005);
    assert_memory_equal(buf.data, "0,1,2,", 6);
    assert_memory_equal(buf.data + 1998, "9,end\0x", 7);
}

static void nothing_is_appended_without_touching_the_buffer(void **state)
{
    struct cps_buf buf = {0};

    (void)state;
    cps_buf_append(&buf, NULL, 0);
    cps_buf_append_string(&buf, "");
    assert_null(buf.data);
    assert_int_equal(buf.length, 0);
    assert_false(cps_buf_failed(&buf));
}

static void reserved_room_is_there_and_not_counted(void **state)
{
    cps_auto_buf struct cps_buf buf = {0};
    char *room = cps_buf_reserve(&buf, 100000);

    (void)state;
    assert_non_null(room);
    memset(room, 'x', 100000);
    assert_int_equal(buf.length, 0);
    assert_true(buf.capacity >= 100000);
    assert_non_null(cps_buf_reserve(&buf, 0));
}

static void a_failure_sticks_until_it_is_cleared(void **state)
{
    cps_auto_buf struct cps_buf buf = {0};

    (void)state;
    cps_buf_append_string(&buf, "before");
    assert_null(cps_buf_reserve(&buf, SIZE_MAX));
    assert_true(cps_buf_failed(&buf));
    cps_buf_append_string(&buf, "after");
    cps_buf_append_format(&buf, "%d", 1);
    assert_null(cps_buf_reserve(&buf, 1));
    assert_int_equal(buf.length, 6);
    cps_buf_clear(&buf);
    assert_false(cps_buf_failed(&buf));
    cps_buf_append_string(&buf, "again");
    assert_memory_equal(buf.data, "again", 5);
}

static void a_freed_buffer_is_an_empty_one(void **state)
{
    struct cps_buf buf = {0};

    (void)state;
    cps_buf_append_string(&buf, "text");
    cps_buf_free(&buf);
    assert_null(buf.data);
    assert_int_equal(buf.length + buf.capacity, 0);
    cps_buf_append_string(&buf, "x");
    assert_int_equal(buf.length, 1);
    cps_buf_free(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(appends_grow_it),
        cmocka_unit_test(nothing_is_appended_without_touching_the_buffer),
        cmocka_unit_test(reserved_room_is_there_and_not_counted),
        cmocka_unit_test(a_failure_sticks_until_it_is_cleared),
        cmocka_unit_test(a_freed_buffer_is_an_empty_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
