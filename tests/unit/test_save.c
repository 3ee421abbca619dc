/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "save.h"
#include "trace_maker.h"

static char folder[] = "/tmp/compass-save-XXXXXX";

static int enter_folder(void **state)
{
    (void)state;
    (void)setenv("TZ", "UTC", 1);
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave_folder(void **state)
{
    (void)state;
    return chdir("/") == 0 && rmdir(folder) == 0 ? 0 : -1;
}

static struct cps_trace *trace_with_id(const char *id)
{
    struct cps_trace *trace = made_trace("/", 1000, NULL, 0);

    trace->id = made_string(trace, id);
    return trace;
}

static void a_file_is_new_and_for_its_owner_alone(void **state)
{
    cps_auto_trace struct cps_trace *trace = trace_with_id("../../a b\n\x1b[2J");
    char first[CPS_SAVE_NAME_SIZE], second[CPS_SAVE_NAME_SIZE];
    struct stat found;

    (void)state;
    assert_int_equal(cps_save(trace, cps_export_find("html"), first), 0);
    assert_string_equal(first, "compass-20260921-141320-ab2J.html");
    assert_int_equal(cps_save(trace, cps_export_find("html"), second), 0);
    assert_string_equal(second, "compass-20260921-141320-ab2J-1.html");
    assert_int_equal(stat(first, &found), 0);
    assert_int_equal(found.st_mode & 0777, 0600);
    assert_true(found.st_size > 0);
    assert_int_equal(unlink(first) + unlink(second), 0);
}

static void a_link_is_not_followed(void **state)
{
    cps_auto_trace struct cps_trace *trace = trace_with_id("x");
    char name[CPS_SAVE_NAME_SIZE];

    (void)state;
    assert_int_equal(symlink("elsewhere", "compass-20260921-141320-x.ndjson"), 0);
    assert_int_equal(cps_save(trace, cps_export_find("ndjson"), name), 0);
    assert_string_equal(name, "compass-20260921-141320-x-1.ndjson");
    assert_int_equal(access("elsewhere", F_OK), -1);
    assert_int_equal(unlink(name) + unlink("compass-20260921-141320-x.ndjson"), 0);
}

static int fails(const struct cps_trace *const *traces, size_t count, struct cps_buf *out)
{
    (void)traces;
    (void)count;
    (void)out;
    return -ENOMEM;
}

static void what_cannot_be_written_leaves_no_file(void **state)
{
    static const struct cps_export_format failing = {
        .name = "failing", .suffix = ".x", .export = fails};
    static const struct cps_export_format nowhere = {
        .name = "nowhere", .suffix = "/x", .export = cps_export_ndjson};
    cps_auto_trace struct cps_trace *trace = trace_with_id("x");
    char name[CPS_SAVE_NAME_SIZE];

    (void)state; /* and leave_folder finds it empty */
    assert_int_equal(cps_save(trace, &failing, name), -ENOMEM);
    assert_int_equal(cps_save(trace, &nowhere, name), -ENOENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_new_and_for_its_owner_alone),
        cmocka_unit_test(a_link_is_not_followed),
        cmocka_unit_test(what_cannot_be_written_leaves_no_file),
    };

    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
