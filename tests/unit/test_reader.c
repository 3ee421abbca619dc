/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "reader.h"

#define TRACE "{\"metadata\":{\"source\":\"http\",\"id\":\"a\"}}"

/* What came out, in short: "trace a|warn text|dropped 3|". */
static struct cps_buf seen;
static struct cps_reader reader;

static void on_trace(void *context, struct cps_trace *trace, const char *line, size_t length)
{
    (void)context;
    assert_int_equal(length, strlen(TRACE));
    assert_memory_equal(line, TRACE, length);
    cps_buf_append_format(&seen, "trace %s|", trace->id.data);
    cps_trace_free(trace);
}

static void on_log(void *context, enum cps_level level, const char *message)
{
    static const char *const names[] = {"debug", "info", "warn", "error"};

    (void)context;
    cps_buf_append_format(&seen, "%s %s|", names[level], message);
}

static void on_dropped(void *context, uint64_t count)
{
    (void)context;
    cps_buf_append_format(&seen, "dropped %u|", (unsigned)count);
}

static int setup(void **state)
{
    static const struct cps_feed_sink sink = {
        .trace = on_trace, .log = on_log, .dropped = on_dropped};

    (void)state;
    cps_reader_init(&reader, &sink);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    cps_reader_free(&reader);
    cps_buf_free(&seen);
    return 0;
}

static void feed(const char *text)
{
    cps_reader_feed(&reader, text, strlen(text));
}

static void assert_seen(const char *expected)
{
    cps_buf_append(&seen, "", 1);
    assert_string_equal(seen.data, expected);
    cps_buf_clear(&seen);
}

static void traces_and_events_arrive(void **state)
{
    (void)state;
    feed(TRACE "\n{\"event\":{\"kind\":\"dropped\",\"traces\":3}}\n");
    feed("{\"event\":{\"kind\":\"log\",\"level\":\"error\",\"msg\":\"no probe\"}}\n" TRACE "\n");
    assert_seen("trace a|dropped 3|error no probe|trace a|");
    assert_int_equal(reader.traces, 2);
    assert_int_equal(reader.malformed, 0);
}

static void what_is_not_known_is_passed_over(void **state)
{
    (void)state;
    feed("{\"event\":{\"kind\":\"alive\"}}\n{\"event\":{\"kind\":\"later\",\"x\":[1]}}\n"
         "{\"event\":{}}\n{\"event\":{\"kind\":\"log\"}}\n"
         "{\"event\":{\"kind\":\"dropped\",\"traces\":-1}}\n\n");
    feed("{\"event\":{\"kind\":\"log\",\"level\":\"shout\",\"msg\":\"m\"}}\n");
    assert_seen("info m|");
    assert_int_equal(reader.malformed, 0);
}

static void what_cannot_be_read_is_told_and_counted(void **state)
{
    (void)state;
    feed("{}\n{\"event\":nonsense\n" TRACE "\n");
    assert_seen("warn a line of the stream was not read: trace: metadata: an object was expected|"
                "warn a line of the stream was not read: an event that is not JSON|trace a|");
    assert_int_equal(reader.malformed, 2);
    assert_int_equal(reader.traces, 1);
}

static void a_cut_stream_loses_the_line_that_had_begun(void **state)
{
    (void)state;
    feed(TRACE "\n{\"meta");
    cps_reader_cut(&reader);
    assert_seen("trace a|warn a line of the stream was not read: the stream ended in it|");
    cps_reader_cut(&reader);
    feed(TRACE "\n");
    assert_seen("trace a|");
    assert_int_equal(reader.malformed, 1);
}

static void the_last_line_of_a_file_needs_no_end(void **state)
{
    (void)state;
    feed(TRACE);
    assert_int_equal(reader.traces, 0);
    cps_reader_finish(&reader);
    assert_seen("trace a|");
}

static void a_line_that_is_too_long_is_dropped_alone(void **state)
{
    (void)state;
    reader.lines.maximum = sizeof(TRACE);
    feed("0123456789");
    for (size_t i = 0; i < sizeof(TRACE); i++)
        feed("x");
    feed("\n" TRACE "\n");
    assert_seen("warn a line of the stream was not read: it is too long|trace a|");
    assert_int_equal(reader.malformed, 1);
}

static void an_event_of_megabytes_is_not_looked_into(void **state)
{
    static char message[65536];

    (void)state;
    memset(message, 'y', sizeof(message) - 1);
    feed("{\"event\":{\"kind\":\"log\",\"msg\":\"");
    feed(message);
    feed("\"}}\n" TRACE "\n");
    assert_seen("warn a line of the stream was not read: an event that is too long|trace a|");
    assert_int_equal(reader.malformed, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(traces_and_events_arrive),
        TEST(what_is_not_known_is_passed_over),
        TEST(what_cannot_be_read_is_told_and_counted),
        TEST(a_cut_stream_loses_the_line_that_had_begun),
        TEST(the_last_line_of_a_file_needs_no_end),
        TEST(a_line_that_is_too_long_is_dropped_alone),
        TEST(an_event_of_megabytes_is_not_looked_into),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
