/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "convert.h"

/* Converts one line to a file; the file's size. */
static off_t converted(char *format, const char *line)
{
    char input[] = "/tmp/compass-convert-XXXXXX";
    char output[] = "/tmp/compass-converted-XXXXXX";
    char program[] = "convert";
    char option[] = "--output";
    char *words[] = {program, option, output, format, input, NULL};
    struct stat status;
    int in = mkstemp(input);
    int out = mkstemp(output);

    assert_true(in >= 0 && out >= 0);
    assert_int_equal(write(in, line, strlen(line)), strlen(line));
    assert_int_equal(cps_convert_main(5, words), 0);
    assert_int_equal(fstat(out, &status), 0);
    (void)close(in);
    (void)close(out);
    (void)unlink(input);
    (void)unlink(output);
    return status.st_size;
}

/* A request that took no time has no stack with time of its own. */
static void nothing_to_write_is_an_empty_file(void **state)
{
    char format[] = "collapsed";

    (void)state;
    assert_int_equal(
        converted(format, "{\"metadata\":{\"source\":\"http\",\"startTime\":1,\"endTime\":1}}\n"),
        0);
    assert_true(
        converted(format, "{\"metadata\":{\"source\":\"http\",\"startTime\":1,\"endTime\":2}}\n") >
        0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_to_write_is_an_empty_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
