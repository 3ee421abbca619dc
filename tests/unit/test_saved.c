/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "reader.h"
#include "saved.h"

/* A new file with this text; its name is to be freed. */
static char *file_with(const char *text)
{
    char *path = strdup("/tmp/compass-saved-XXXXXX");
    int fd = mkstemp(path);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    (void)close(fd);
    return path;
}

static void read_text(struct cps_saved *saved, const char *text)
{
    char *path = file_with(text);

    assert_int_equal(cps_saved_read(saved, path, NULL), 0);
    (void)unlink(path);
    free(path);
}

static void traces_of_many_files_are_kept_in_order(void **state)
{
    struct cps_saved saved = {0};

    (void)state;
    read_text(&saved, "{\"metadata\":{\"source\":\"http\",\"id\":\"a\"}}\n"
                      "{\"metadata\":{\"source\":\"cli\",\"id\":\"b\"}}\r\n\n");
    read_text(&saved, "{\"metadata\":{\"source\":\"http\",\"id\":\"c\"}}"); /* no newline */
    assert_int_equal(saved.count, 3);
    assert_string_equal(saved.traces[0]->id.data, "a");
    assert_string_equal(saved.traces[1]->id.data, "b");
    assert_string_equal(saved.traces[2]->id.data, "c");
    assert_int_equal(saved.refused, 0);
    cps_saved_free(&saved);
}

static void bad_lines_are_counted_and_events_passed_over(void **state)
{
    struct cps_saved saved = {0};

    (void)state;
    read_text(&saved, "{\"event\":{\"kind\":\"alive\"}}\nnonsense\n"
                      "{\"metadata\":{\"source\":\"http\",\"id\":\"a\"}}\n{\"metadata\":1}\n");
    assert_int_equal(saved.count, 1);
    assert_int_equal(saved.refused, 2);
    assert_non_null(strstr(saved.why.text, ": entry 2: trace: not JSON"));
    cps_saved_free(&saved);
}

/* As much as the stream may send in a line is read, and no more. */
static void a_line_that_is_too_long_is_left_out(void **state)
{
    static const char after[] = "\n{\"metadata\":{\"source\":\"http\",\"id\":\"b\"}}\n";
    size_t length = CPS_READER_LINE_MAX + 1;
    char *text = malloc(length + sizeof(after));
    struct cps_saved saved = {0};

    (void)state;
    assert_non_null(text);
    memset(text, ' ', length);
    memcpy(text + length, after, sizeof(after));
    read_text(&saved, text);
    assert_int_equal(saved.count, 1);
    assert_int_equal(saved.refused, 1);
    assert_non_null(strstr(saved.why.text, "longer than 64 MiB"));
    cps_saved_free(&saved);
    free(text);
}

static void a_file_that_cannot_be_read_is_named(void **state)
{
    struct cps_saved saved = {0};
    struct cps_error error = {0};

    (void)state;
    assert_int_equal(cps_saved_read(&saved, "/nonexistent/x", &error), -ENOENT);
    assert_string_equal(error.text, "/nonexistent/x: No such file or directory");
    assert_int_equal(cps_saved_read(&saved, "/", &error), -EISDIR);
    cps_saved_free(&saved);
}

static void many_traces_fit(void **state)
{
    struct cps_saved saved = {0};
    char *text = calloc(300, 64);
    size_t length = 0;

    (void)state;
    for (int i = 0; i < 300; i++)
        length += (size_t)snprintf(text + length, 64,
                                   "{\"metadata\":{\"source\":\"http\",\"id\":\"%d\"}}\n", i);
    read_text(&saved, text);
    assert_int_equal(saved.count, 300);
    assert_string_equal(saved.traces[299]->id.data, "299");
    cps_saved_free(&saved);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(traces_of_many_files_are_kept_in_order),
        cmocka_unit_test(bad_lines_are_counted_and_events_passed_over),
        cmocka_unit_test(a_line_that_is_too_long_is_left_out),
        cmocka_unit_test(a_file_that_cannot_be_read_is_named),
        cmocka_unit_test(many_traces_fit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
