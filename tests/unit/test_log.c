/* SPDX-License-Identifier: Apache-2.0 */
#include "log.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

/* What was logged since the last call, as a JSON value. */
static json_t *logged(int fd)
{
    char text[2048];
    ssize_t length = read(fd, text, sizeof(text));

    assert_true(length > 0);
    assert_int_equal(text[length - 1], '\n');
    assert_null(memchr(text, '\n', (size_t)length - 1));
    json_t *line = json_loadb(text, (size_t)length, 0, NULL);
    assert_non_null(line);
    return line;
}

static void lines_are_json(void **state)
{
    int ends[2];

    (void)state;
    assert_int_equal(pipe(ends), 0);
    cps_log_set_fd(ends[1]);
    cps_log(CPS_LOG_WARN, "a \"quoted\"\nsentence", "path", "/tmp/\xff", "none", NULL, NULL);
    json_t *line = logged(ends[0]);
    assert_string_equal(json_string_value(json_object_get(line, "level")), "warn");
    assert_string_equal(json_string_value(json_object_get(line, "msg")), "a \"quoted\"\nsentence");
    assert_string_equal(json_string_value(json_object_get(line, "path")), "/tmp/\xef\xbf\xbd");
    const char *time = json_string_value(json_object_get(line, "time"));
    assert_non_null(time);
    assert_int_equal(strlen(time), strlen("2026-01-02T03:04:05.678Z"));
    json_decref(line);
    cps_log_set_fd(2);
    (void)close(ends[0]);
    (void)close(ends[1]);
}

static void lower_levels_are_silent(void **state)
{
    int ends[2];

    (void)state;
    assert_int_equal(pipe(ends), 0);
    cps_log_set_fd(ends[1]);
    cps_log_set_level(CPS_LOG_ERROR);
    cps_log(CPS_LOG_WARN, "not this", NULL);
    cps_log(CPS_LOG_ERROR, "this", NULL);
    json_t *line = logged(ends[0]);
    assert_string_equal(json_string_value(json_object_get(line, "msg")), "this");
    json_decref(line);
    cps_log_set_level(CPS_LOG_INFO);
    cps_log_set_fd(2);
    (void)close(ends[0]);
    (void)close(ends[1]);
}

static void levels_have_names(void **state)
{
    enum cps_log_level level = CPS_LOG_INFO;

    (void)state;
    assert_int_equal(cps_log_level_parse("debug", &level), 0);
    assert_int_equal(level, CPS_LOG_DEBUG);
    assert_int_equal(cps_log_level_parse("Debug", &level), -EINVAL);
    assert_int_equal(level, CPS_LOG_DEBUG);
    assert_string_equal(cps_log_level_name(CPS_LOG_ERROR), "error");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_json),
        cmocka_unit_test(lower_levels_are_silent),
        cmocka_unit_test(levels_have_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
