/* SPDX-License-Identifier: Apache-2.0 */
/* Every format adds up to the duration of the request, also where calls nest and repeat. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <jansson.h>

#include "export.h"
#include "trace_maker.h"

#define DURATION 838000000u

static const struct made_call calls[] = {
    {"index.php", 0, 838000000, 0},   {"Kernel::handle", 7000000, 831000000, 1},
    {"load", 10000000, 30000000, 2},  {"query", 12000000, 10000000, 3},
    {"query", 25000000, 10000000, 3}, {"load", 50000000, 400000000, 2},
    {"load", 55000000, 300000000, 3}, {"query", 60000000, 5000000, 4},
};

static struct cps_trace *nested(void)
{
    return made_trace("/node/1", DURATION, calls, sizeof(calls) / sizeof(*calls));
}

/* Runs an exporter over one or two traces; the text ends with a NUL that is not counted. */
static void export(cps_exporter *exporter, const struct cps_trace *first,
                   const struct cps_trace *second, struct cps_buf *out)
{
    const struct cps_trace *traces[] = {first, second};

    assert_int_equal(exporter(traces, second ? 2 : 1, out), 0);
    cps_buf_append(out, "", 1);
    out->length--;
}

static json_t *parse(const struct cps_buf *out)
{
    json_error_t error;
    json_t *root = json_loadb(out->data, out->length, JSON_ALLOW_NUL, &error);

    if (!root)
        fail_msg("%s at %d", error.text, error.position);
    return root;
}

/* Own time of all frames of an evented profile, which has to be in order and nested. */
static uint64_t speedscope_total(const json_t *profile, size_t frames)
{
    json_int_t stack[64] = {0};
    json_int_t last = 0;
    uint64_t total = 0;
    size_t depth = 0;
    size_t i;
    json_t *event;

    json_array_foreach(json_object_get(profile, "events"), i, event)
    {
        const char *type = json_string_value(json_object_get(event, "type"));
        json_int_t frame = json_integer_value(json_object_get(event, "frame"));
        json_int_t at = json_integer_value(json_object_get(event, "at"));

        assert_true(at >= last && frame >= 0 && frame < (json_int_t)frames);
        if (depth > 0)
            total += (uint64_t)(at - last);
        last = at;
        if (*type == 'O') {
            assert_true(depth < sizeof(stack) / sizeof(*stack));
            stack[depth++] = frame;
        } else {
            assert_true(depth > 0);
            assert_int_equal(stack[--depth], frame);
        }
    }
    assert_int_equal(depth, 0);
    assert_true(last <= json_integer_value(json_object_get(profile, "endValue")));
    return total;
}

static void speedscope_adds_up(void **state)
{
    cps_auto_trace struct cps_trace *trace = nested();
    cps_auto_trace struct cps_trace *other = made_trace("/other", 5000, NULL, 0);
    cps_auto_buf struct cps_buf out = {0};
    json_t *root;
    json_t *profiles;
    size_t frames;

    (void)state;
    export(cps_export_speedscope, trace, other, &out);
    root = parse(&out);
    profiles = json_object_get(root, "profiles");
    frames = json_array_size(json_object_get(json_object_get(root, "shared"), "frames"));
    assert_int_equal(json_array_size(profiles), 2);
    assert_int_equal(frames, trace->name_count + 2);
    assert_int_equal(speedscope_total(json_array_get(profiles, 0), frames), DURATION);
    assert_int_equal(speedscope_total(json_array_get(profiles, 1), frames), 5000);
    assert_string_equal(json_string_value(json_object_get(json_array_get(profiles, 0), "name")),
                        "GET /node/1");
    json_decref(root);
}

static void speedscope_has_a_profile_for_every_lane(void **state)
{
    static const struct made_call overlapping[] = {
        {"handler", 0, 100, 0}, {"fetch", 10, 50, 1}, {"fetch", 20, 70, 1}};
    cps_auto_trace struct cps_trace *trace = made_trace("/", 100, overlapping, 3);
    cps_auto_buf struct cps_buf out = {0};
    json_t *root;
    json_t *profiles;

    (void)state;
    export(cps_export_speedscope, trace, NULL, &out);
    root = parse(&out);
    profiles = json_object_get(root, "profiles");
    assert_int_equal(json_array_size(profiles), 2);
    assert_int_equal(speedscope_total(json_array_get(profiles, 0), 3), 100);
    assert_int_equal(speedscope_total(json_array_get(profiles, 1), 3), 70);
    json_decref(root);
}

static void chrome_has_every_call_with_its_time(void **state)
{
    cps_auto_trace struct cps_trace *trace = nested();
    cps_auto_buf struct cps_buf out = {0};
    json_t *root;
    json_t *event;
    double total = 0;
    size_t spans = 0;
    size_t i;

    (void)state;
    export(cps_export_chrome, trace, NULL, &out);
    root = parse(&out);
    json_array_foreach(json_object_get(root, "traceEvents"), i, event)
    {
        if (*json_string_value(json_object_get(event, "ph")) != 'X')
            continue;
        spans++;
        assert_non_null(json_object_get(event, "ts"));
        total += json_number_value(json_object_get(event, "dur"));
        if (spans == 1)
            assert_true(json_number_value(json_object_get(event, "dur")) == DURATION / 1e3);
    }
    assert_int_equal(spans, 1 + trace->call_count);
    for (size_t call = 0; call < trace->call_count; call++)
        total -= (double)trace->calls[call].elapsed / 1e3;
    assert_true(total == DURATION / 1e3);
    json_decref(root);
}

static uint64_t collapsed_total(char *text)
{
    uint64_t total = 0;

    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        const char *space = strrchr(line, ' ');
        char *end;

        assert_non_null(space);
        total += strtoull(space + 1, &end, 10);
        assert_true(*end == '\0' && end > space + 1);
    }
    return total;
}

static void collapsed_adds_up(void **state)
{
    cps_auto_trace struct cps_trace *trace = nested();
    cps_auto_buf struct cps_buf out = {0};

    (void)state;
    export(cps_export_collapsed, trace, NULL, &out);
    assert_non_null(strstr(out.data, "GET /node/1;index.php;Kernel::handle;load;query 20000000\n"));
    assert_int_equal(collapsed_total(out.data), DURATION);
}

/* The cost of functions themselves: lines of two numbers that no calls= line comes before. */
static uint64_t callgrind_total(char *text)
{
    uint64_t total = 0;
    int after_calls = 0;

    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        if (line[0] == '0' && !after_calls)
            total += strtoull(line + 2, NULL, 10);
        after_calls = strncmp(line, "calls=", 6) == 0;
    }
    return total;
}

static void callgrind_adds_up(void **state)
{
    cps_auto_trace struct cps_trace *trace = nested();
    cps_auto_buf struct cps_buf out = {0};

    (void)state;
    export(cps_export_callgrind, trace, NULL, &out);
    assert_non_null(strstr(out.data, "fn=load\n0 405000000\ncfn=load\ncalls=1 0\n0 300000000\n"));
    assert_int_equal(callgrind_total(out.data), DURATION);
}

static void callgrind_takes_exact_totals(void **state)
{
    cps_auto_trace struct cps_trace *trace = nested();
    cps_auto_buf struct cps_buf out = {0};
    struct cps_function function = {
        .calls = 5000, .elapsed = 800000000, .self = 800000000, .longest = 5, .caller_count = 1};
    struct cps_caller caller = {.calls = 5000, .elapsed = 800000000};

    (void)state;
    trace->has_functions = true;
    function.name = made_name(trace, "strlen");
    caller.name = made_name(trace, "load");
    assert_int_equal(cps_trace_add_function(trace, &function), 0);
    assert_int_equal(cps_trace_add_caller(trace, &caller), 0);
    export(cps_export_callgrind, trace, NULL, &out);
    assert_non_null(strstr(out.data, "fn=load\n0 0\ncfn=strlen\ncalls=5000 0\n0 800000000\n"));
    assert_non_null(strstr(out.data, "fn=GET /node/1\n0 38000000\n"));
    assert_int_equal(callgrind_total(out.data), DURATION);
}

/* The numbers in the page's block of data. */
static void html_adds_up(void **state)
{
    static const char open[] = "<script type=\"application/json\" id=\"traces\">";
    cps_auto_trace struct cps_trace *trace = nested();
    cps_auto_buf struct cps_buf out = {0};
    struct cps_buf data = {0};
    json_t *root;
    json_t *flame;
    json_t *one;
    uint64_t self = 0;

    (void)state;
    export(cps_export_html, trace, NULL, &out);
    data.data = strstr(out.data, open) + strlen(open);
    data.length = (size_t)(strstr(data.data, "</script>") - data.data);
    root = parse(&data);
    one = json_array_get(root, 0);
    flame = json_object_get(one, "flame");
    assert_int_equal(json_array_size(json_object_get(one, "calls")), 6 * trace->call_count);
    for (size_t i = 4; i < json_array_size(flame); i += 5)
        self += (uint64_t)json_integer_value(json_array_get(flame, i));
    assert_int_equal(self, DURATION);
    assert_int_equal(json_integer_value(json_object_get(one, "duration")), DURATION);
    json_decref(root);
}

static void ndjson_reads_back(void **state)
{
    cps_auto_trace struct cps_trace *trace = nested();
    cps_auto_trace struct cps_trace *read = NULL;
    cps_auto_buf struct cps_buf out = {0};

    (void)state;
    export(cps_export_ndjson, trace, NULL, &out);
    assert_int_equal(cps_trace_decode(out.data, out.length - 1, &read, NULL), 0);
    assert_int_equal(read->end - read->start, DURATION);
    assert_int_equal(read->call_count, trace->call_count);
}

static void summary_is_a_line_a_request(void **state)
{
    cps_auto_trace struct cps_trace *trace = nested();
    cps_auto_trace struct cps_trace *other = made_trace("drush cron", 412000, NULL, 0);
    cps_auto_buf struct cps_buf out = {0};

    (void)state;
    assert_int_equal(setenv("TZ", "UTC", 1), 0);
    trace->calls_dropped = 7;
    other->source = CPS_SOURCE_CLI;
    other->status = 0;
    other->outcome = CPS_OUTCOME_ABORTED;
    export(cps_export_summary, trace, other, &out);
    assert_string_equal(out.data,
                        "14:13:20.000  php   GET     200   838 ms     15   40 MB  /node/1  "
                        "[load 48%]  7 calls not kept  > load: 3 calls, 405 ms (48%), nearly "
                        "all of it its own.\n"
                        "14:13:20.000  php   cli       -   412 µs      0   40 MB  drush cron  "
                        "aborted\n");
}

static struct cps_trace *hostile(void)
{
    static const char name[] = "</script><script>alert(1)</script>\0\x1b[31m\xff;\n(2)\xe2\x80\xae";
    struct cps_trace *trace = made_trace("/</script>\n;\x1b]0;x\x07", 100, NULL, 0);
    struct cps_call call = {.start = MADE_START + 10, .elapsed = 50, .depth = 0};

    assert_int_equal(cps_trace_intern(trace, name, sizeof(name) - 1, &call.name), 0);
    assert_int_equal(cps_trace_add_call(trace, &call), 0);
    call.depth = 1;
    call.elapsed = 20;
    call.name = made_name(trace, "(1)\nfn=x");
    assert_int_equal(cps_trace_add_call(trace, &call), 0);
    call.name = made_name(trace, "");
    call.depth = 2;
    assert_int_equal(cps_trace_add_call(trace, &call), 0);
    return trace;
}

static size_t occurrences(const char *text, const char *what)
{
    size_t count = 0;

    for (const char *at = text; (at = strstr(at, what)); at++)
        count++;
    return count;
}

static void hostile_names_break_no_format(void **state)
{
    cps_auto_trace struct cps_trace *trace = hostile();

    (void)state;
    for (const struct cps_export_format *format = cps_export_formats; format->name; format++) {
        cps_auto_buf struct cps_buf out = {0};

        export(format->export, trace, NULL, &out);
        for (size_t i = 0; i < out.length; i++)
            assert_true((unsigned char)out.data[i] >= 0x20 || out.data[i] == '\n');
        if (strstr(format->suffix, "json"))
            json_decref(parse(&out));
        if (format->export == cps_export_html) {
            assert_int_equal(occurrences(out.data, "</script>"), 2);
            assert_int_equal(occurrences(out.data, "alert(1)\\u003c"), 1);
        }
        if (format->export == cps_export_collapsed) {
            assert_int_equal(occurrences(out.data, "\n"), 3);
            assert_int_equal(collapsed_total(out.data), 100);
        } else if (format->export == cps_export_callgrind) {
            assert_int_equal(occurrences(out.data, "\nfn="), 4);
            assert_null(strstr(out.data, "\nfn=("));
            assert_int_equal(callgrind_total(out.data), 100);
        }
    }
}

#define DEEP 60000u
#define OWN UINT64_C(10)

/* Each call has OWN ns of its own, the request as well. */
static struct cps_trace *recursion(void)
{
    struct cps_trace *trace = made_trace("/deep", OWN * (DEEP + 1), NULL, 0);
    struct cps_call call = {.name = made_name(trace, "Menu::build")};

    for (uint32_t i = 0; i < DEEP; i++) {
        call.depth = i;
        call.start = MADE_START + OWN / 2 * (i + 1);
        call.elapsed = OWN * (DEEP - i);
        assert_int_equal(cps_trace_add_call(trace, &call), 0);
    }
    return trace;
}

/* Nothing grows with the square of the depth, and nothing is lost. */
static void deep_recursion_stays_small(void **state)
{
    cps_auto_trace struct cps_trace *trace = recursion();

    (void)state;
    for (const struct cps_export_format *format = cps_export_formats; format->name; format++) {
        cps_auto_buf struct cps_buf out = {0};

        export(format->export, trace, NULL, &out);
        assert_in_range(out.length, 1, 8u << 20);
        if (format->export == cps_export_collapsed) {
            assert_int_equal(occurrences(out.data, "\n"), 501);
            assert_non_null(strstr(out.data, "Menu::build;(59501 deeper calls) 595010\n"));
            assert_int_equal(collapsed_total(out.data), OWN * (DEEP + 1));
        } else if (format->export == cps_export_callgrind) {
            assert_int_equal(callgrind_total(out.data), OWN * (DEEP + 1));
        }
    }
}

/* A path is written for each of its ends: what is below a very long one shares a line. */
static void long_names_are_not_repeated(void **state)
{
    static char name[1 << 20];
    cps_auto_trace struct cps_trace *trace = made_trace("/", 10000, NULL, 0);
    cps_auto_buf struct cps_buf out = {0};
    struct cps_call call = {.start = MADE_START, .elapsed = 9000};

    (void)state;
    memset(name, 'x', sizeof(name) - 1);
    call.name = made_name(trace, name);
    assert_int_equal(cps_trace_add_call(trace, &call), 0);
    call.depth = 1;
    call.elapsed = 3;
    for (int i = 0; i < 1000; i++) {
        char callee[16];

        assert_true(snprintf(callee, sizeof(callee), "callee%d", i) > 0);
        call.name = made_name(trace, callee);
        call.start += 4;
        assert_int_equal(cps_trace_add_call(trace, &call), 0);
    }
    export(cps_export_collapsed, trace, NULL, &out);
    assert_in_range(out.length, 2 * sizeof(name), 3 * sizeof(name));
    assert_non_null(strstr(out.data, "x;(1000 deeper calls) 3000\n"));
    assert_int_equal(collapsed_total(out.data), 10000);
}

/* flamegraph.pl reads two numbers at the end of a line as a difference. */
static void numbers_at_the_end_of_names_are_joined(void **state)
{
    static const struct made_call numbered[] = {
        {"Queue::run 12", 0, 70, 0}, {"v 2.5", 0, 40, 1}, {"7", 0, 20, 2}, {"", 0, 10, 3}};
    cps_auto_trace struct cps_trace *trace = made_trace("worker 5", 100, numbered, 4);
    cps_auto_buf struct cps_buf out = {0};

    (void)state;
    trace->source = CPS_SOURCE_CLI;
    export(cps_export_collapsed, trace, NULL, &out);
    assert_string_equal(out.data, "worker_5 30\n"
                                  "worker_5;Queue::run_12 30\n"
                                  "worker_5;Queue::run_12;v_2.5 20\n"
                                  "worker_5;Queue::run_12;v_2.5;7 10\n"
                                  "worker_5;Queue::run_12;v_2.5;7;_ 10\n");
}

static void no_traces_are_an_empty_document(void **state)
{
    (void)state;
    for (const struct cps_export_format *format = cps_export_formats; format->name; format++) {
        cps_auto_buf struct cps_buf out = {0};

        assert_int_equal(format->export(NULL, 0, &out), 0);
        if (strstr(format->suffix, ".json"))
            json_decref(parse(&out));
    }
}

static void formats_are_found_by_name(void **state)
{
    (void)state;
    assert_ptr_equal(cps_export_find("html")->export, cps_export_html);
    assert_null(cps_export_find("pdf"));
    assert_null(cps_export_find(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(speedscope_adds_up),
        cmocka_unit_test(speedscope_has_a_profile_for_every_lane),
        cmocka_unit_test(chrome_has_every_call_with_its_time),
        cmocka_unit_test(collapsed_adds_up),
        cmocka_unit_test(callgrind_adds_up),
        cmocka_unit_test(callgrind_takes_exact_totals),
        cmocka_unit_test(html_adds_up),
        cmocka_unit_test(ndjson_reads_back),
        cmocka_unit_test(summary_is_a_line_a_request),
        cmocka_unit_test(hostile_names_break_no_format),
        cmocka_unit_test(deep_recursion_stays_small),
        cmocka_unit_test(long_names_are_not_repeated),
        cmocka_unit_test(numbers_at_the_end_of_names_are_joined),
        cmocka_unit_test(no_traces_are_an_empty_document),
        cmocka_unit_test(formats_are_found_by_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
