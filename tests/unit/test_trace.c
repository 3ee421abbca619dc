/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "trace.h"

static struct cps_string copy(struct cps_trace *trace, const char *text)
{
    struct cps_string out = {0};

    assert_int_equal(cps_trace_copy_string(trace, text, strlen(text), &out), 0);
    return out;
}

static uint32_t intern(struct cps_trace *trace, const char *bytes, size_t length)
{
    uint32_t index = 0;

    assert_int_equal(cps_trace_intern(trace, bytes, length, &index), 0);
    return index;
}

static struct cps_trace *sample(void)
{
    struct cps_trace *trace = cps_trace_new();
    struct cps_call call = {.start = 1000, .elapsed = 500, .memory = 4096, .depth = 1};
    struct cps_function function = {.calls = 3, .elapsed = 600, .self = 550, .longest = 500};
    struct cps_caller caller = {.calls = 3, .elapsed = 600};
    struct cps_cache_event event = {.max_age = -1, .calls = 2, .origin = CPS_CACHE_OBJECT};

    assert_non_null(trace);
    trace->runtime = CPS_RUNTIME_PHP;
    trace->outcome = CPS_OUTCOME_COMPLETE;
    trace->status = 200;
    trace->id = copy(trace, "6f53");
    trace->method = copy(trace, "GET");
    trace->uri = copy(trace, "/a?\"b\"");
    trace->start = 900;
    trace->end = 2000;
    trace->max_memory = 8192;
    call.name = intern(trace, "A\0B", 3);
    assert_int_equal(cps_trace_add_call(trace, &call), 0);
    caller.name = intern(trace, "main", 4);
    assert_int_equal(cps_trace_add_caller(trace, &caller), 0);
    function.name = call.name;
    function.caller_count = 1;
    trace->has_functions = true;
    assert_int_equal(cps_trace_add_function(trace, &function), 0);
    event.caller = copy(trace, "C::d");
    event.object_type = copy(trace, "Node");
    event.tags = copy(trace, " node:1  user:2 ");
    event.contexts = copy(trace, "");
    assert_int_equal(cps_trace_add_cache_event(trace, &event), 0);
    return trace;
}

static const char line[] =
    "{\"metadata\":{\"source\":\"http\",\"runtime\":\"php\",\"id\":\"6f53\",\"http\":{\"method\":"
    "\"GET\",\"uri\":\"/"
    "a?\\\"b\\\"\",\"status\":200},\"cli\":{},\"startTime\":900,\"endTime\":2000,"
    "\"outcome\":\"complete\"},\"resourceUtilisation\":{\"maxMemory\":8192},\"functionCalls\":[{"
    "\"name\":\"A\\u0000B\",\"startTime\":1000,\"elapsed\":500,\"memory\":4096,\"depth\":1}],"
    "\"functionCallsDropped\":0,\"functions\":[{\"name\":\"A\\u0000B\",\"calls\":3,\"elapsed\":600,"
    "\"self\":550,\"max\":500,\"callers\":[{\"name\":\"main\",\"calls\":3,\"elapsed\":600}]}],"
    "\"drupal\":{\"cacheEvents\":[{\"origin\":\"object\",\"caller\":\"C::d\",\"objectType\":"
    "\"Node\","
    "\"maxAge\":-1,\"tags\":[\"node:1\",\"user:2\"],\"contexts\":[],\"calls\":2}]}}\n";

static void encode_writes_the_line_of_the_contract(void **state)
{
    cps_auto_trace struct cps_trace *trace = sample();
    cps_auto_buf struct cps_buf out = {0};

    (void)state;
    assert_int_equal(cps_trace_encode(trace, &out), 0);
    cps_buf_append(&out, "", 1);
    assert_string_equal(out.data, line);
}

static void decode_and_encode_give_the_same_line(void **state)
{
    cps_auto_trace struct cps_trace *trace = NULL;
    cps_auto_buf struct cps_buf out = {0};

    (void)state;
    assert_int_equal(cps_trace_decode(line, sizeof(line) - 2, &trace, NULL), 0);
    assert_int_equal(trace->names[trace->calls[0].name].length, 3);
    assert_int_equal(cps_trace_encode(trace, &out), 0);
    cps_buf_append(&out, "", 1);
    assert_string_equal(out.data, line);
}

/* Callers stand together by function; each function finds its own again. */
static void functions_keep_their_own_callers(void **state)
{
    static const uint32_t counts[] = {2, 0, 1};
    cps_auto_trace struct cps_trace *trace = cps_trace_new();
    cps_auto_trace struct cps_trace *read = NULL;
    cps_auto_buf struct cps_buf out = {0};

    (void)state;
    trace->has_functions = true;
    for (uint32_t i = 0; i < 3; i++) {
        struct cps_function function = {.calls = 10 + i,
                                        .name = intern(trace, &"abc"[i], 1),
                                        .untimed = i == 2,
                                        .first_caller = (uint32_t)trace->caller_count,
                                        .caller_count = counts[i]};

        for (uint32_t j = 0; j < counts[i]; j++) {
            struct cps_caller caller = {.calls = 100 * i + j, .name = intern(trace, &"xyz"[j], 1)};

            assert_int_equal(cps_trace_add_caller(trace, &caller), 0);
        }
        assert_int_equal(cps_trace_add_function(trace, &function), 0);
    }
    assert_int_equal(cps_trace_encode(trace, &out), 0);
    assert_int_equal(cps_trace_decode(out.data, out.length - 1, &read, NULL), 0);
    assert_int_equal(read->function_count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        const struct cps_function *function = &read->functions[i];

        assert_int_equal(function->calls, 10 + i);
        assert_int_equal(function->untimed, i == 2);
        assert_int_equal(function->caller_count, counts[i]);
        for (uint32_t j = 0; j < counts[i]; j++) {
            const struct cps_caller *caller = &read->callers[function->first_caller + j];

            assert_int_equal(caller->calls, 100 * i + j);
            assert_int_equal(*read->names[caller->name].data, "xyz"[j]);
        }
    }
}

static void decode_ignores_unknown_fields_and_takes_a_minimal_trace(void **state)
{
    static const char text[] = "{\"new\":[{}],\"metadata\":{\"source\":\"cli\",\"cli\":{"
                               "\"command\":\"drush cron\"},\"later\":1}}";
    cps_auto_trace struct cps_trace *trace = NULL;

    (void)state;
    assert_int_equal(cps_trace_decode(text, strlen(text), &trace, NULL), 0);
    assert_int_equal(trace->source, CPS_SOURCE_CLI);
    assert_string_equal(trace->uri.data, "drush cron");
    assert_string_equal(trace->id.data, "");
    assert_false(trace->has_functions);
}

static void decode_refuses_what_is_not_a_trace(void **state)
{
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"[]", "trace: metadata: an object was expected"},
        {"{\"metadata\":1}", "trace: metadata: an object was expected"},
        {"{\"metadata\":{}}", "trace: source: \"http\" or \"cli\" was expected"},
        {"{\"metadata\":{\"source\":\"http\",\"startTime\":-1}}",
         "trace: startTime: an integer of 0 or more was expected"},
        {"{\"metadata\":{\"source\":\"http\",\"http\":{\"status\":70000}}}",
         "trace: status: a smaller number was expected"},
        {"{\"metadata\":{\"source\":\"http\"},\"functionCalls\":[1]}",
         "trace: functionCalls: an array of objects was expected"},
        {"{\"metadata\":{\"source\":\"http\"},\"functionCalls\":[{}]}",
         "trace: name: a string was expected"},
        {"{\"metadata\":{\"source\":\"http\"},\"functions\":[{\"name\":\"a\",\"callers\":[{}]}]}",
         "trace: name: a string was expected"},
        {"{\"metadata\":{\"source\":\"http\"},\"drupal\":{\"cacheEvents\":[{\"tags\":[1]}]}}",
         "trace: tags: an array of strings was expected"},
        {"{\"metadata\":{\"source\":\"http\"},\"drupal\":{\"cacheEvents\":[{\"maxAge\":\"\"}]}}",
         "trace: maxAge: an integer was expected"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct cps_trace *trace = NULL;
        struct cps_error error = {0};

        assert_int_equal(cps_trace_decode(cases[i].text, strlen(cases[i].text), &trace, &error),
                         -EINVAL);
        assert_null(trace);
        assert_string_equal(error.text, cases[i].error);
    }
}

static void decode_refuses_what_is_not_json(void **state)
{
    static const char *const cases[] = {
        "", "{", "{\"a\":1}{", "\xff", "{\"a\":\"\xc0\x80\"}", "{\"a\":99999999999999999999}"};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct cps_trace *trace = NULL;

        assert_int_equal(cps_trace_decode(cases[i], strlen(cases[i]), &trace, NULL), -EINVAL);
        assert_null(trace);
    }
}

static void intern_tells_names_apart_by_all_their_bytes(void **state)
{
    cps_auto_trace struct cps_trace *trace = cps_trace_new();

    (void)state;
    assert_int_equal(intern(trace, "a\0b", 3), 0);
    assert_int_equal(intern(trace, "a\0c", 3), 1);
    assert_int_equal(intern(trace, "a", 1), 2);
    assert_int_equal(intern(trace, "", 0), 3);
    assert_int_equal(intern(trace, "a\0b", 3), 0);
    assert_int_equal(trace->name_count, 4);
}

static void sort_puts_parents_before_their_children(void **state)
{
    static const struct cps_call calls[] = {
        {.start = 20, .elapsed = 5, .depth = CPS_DEPTH_UNKNOWN},
        {.start = 10, .elapsed = 10, .depth = 2},
        {.start = 10, .elapsed = 10, .depth = 1},
        {.start = 20, .elapsed = 9, .depth = CPS_DEPTH_UNKNOWN},
    };
    static const uint64_t elapsed[] = {10, 10, 9, 5};
    cps_auto_trace struct cps_trace *trace = cps_trace_new();

    (void)state;
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(cps_trace_add_call(trace, &calls[i]), 0);
    cps_trace_sort_calls(trace);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(trace->calls[i].elapsed, elapsed[i]);
    assert_int_equal(trace->calls[0].depth, 1);
}

static void encode_writes_no_number_that_an_older_reader_refuses(void **state)
{
    static const struct cps_call call = {.start = UINT64_MAX,
                                         .elapsed = (uint64_t)INT64_MAX + 1,
                                         .memory = INT64_MAX,
                                         .depth = CPS_DEPTH_UNKNOWN};
    cps_auto_trace struct cps_trace *trace = cps_trace_new();
    cps_auto_trace struct cps_trace *read = NULL;
    cps_auto_buf struct cps_buf out = {0};

    (void)state;
    (void)intern(trace, "a", 1);
    assert_int_equal(cps_trace_add_call(trace, &call), 0);
    assert_int_equal(cps_trace_encode(trace, &out), 0);
    assert_int_equal(cps_trace_decode(out.data, out.length - 1, &read, NULL), 0);
    assert_true(read->calls[0].start == INT64_MAX);
    assert_true(read->calls[0].elapsed == INT64_MAX);
    assert_true(read->calls[0].memory == INT64_MAX);
    assert_int_equal(read->calls[0].depth, CPS_DEPTH_UNKNOWN);
}

static void encode_says_all_that_was_lost(void **state)
{
    cps_auto_trace struct cps_trace *trace = cps_trace_new();
    cps_auto_trace struct cps_trace *read = NULL;
    cps_auto_buf struct cps_buf out = {0};

    (void)state;
    trace->source = CPS_SOURCE_CLI;
    trace->pid = 77;
    trace->calls_dropped = 1;
    trace->functions_dropped = 2;
    trace->blocks_lost = 3;
    trace->cache_events_dropped = 4;
    trace->callers_dropped = 5;
    assert_int_equal(cps_trace_encode(trace, &out), 0);
    assert_int_equal(cps_trace_decode(out.data, out.length - 1, &read, NULL), 0);
    assert_int_equal(read->pid, 77);
    assert_int_equal(read->calls_dropped, 1);
    assert_int_equal(read->functions_dropped, 2);
    assert_int_equal(read->blocks_lost, 3);
    assert_int_equal(read->cache_events_dropped, 4);
    assert_int_equal(read->callers_dropped, 5);
    assert_int_equal(read->outcome, CPS_OUTCOME_UNKNOWN);
}

static void encode_leaves_out_what_is_not_known(void **state)
{
    cps_auto_trace struct cps_trace *trace = cps_trace_new();
    cps_auto_buf struct cps_buf out = {0};

    (void)state;
    assert_int_equal(cps_trace_encode(trace, &out), 0);
    cps_buf_append(&out, "", 1);
    assert_string_equal(out.data, "{\"metadata\":{\"source\":\"http\",\"id\":\"\",\"http\":{"
                                  "\"method\":\"\",\"uri\":\"\"},\"cli\":{},\"startTime\":0,"
                                  "\"endTime\":0},\"resourceUtilisation\":{\"maxMemory\":0},"
                                  "\"functionCalls\":[]}\n");
}

static void decode_takes_null_for_missing_and_sorts_calls(void **state)
{
    static const char text[] =
        "{\"metadata\":{\"source\":\"http\",\"id\":null,\"startTime\":null},\"functions\":null,"
        "\"functionCalls\":[{\"name\":\"b\",\"startTime\":2},{\"name\":\"a\",\"startTime\":1,"
        "\"depth\":null}]}";
    cps_auto_trace struct cps_trace *trace = NULL;

    (void)state;
    assert_int_equal(cps_trace_decode(text, strlen(text), &trace, NULL), 0);
    assert_false(trace->has_functions);
    assert_int_equal(trace->call_count, 2);
    assert_string_equal(trace->names[trace->calls[0].name].data, "a");
    assert_int_equal(trace->calls[0].depth, CPS_DEPTH_UNKNOWN);
}

static void decode_survives_deep_nesting_and_long_lines(void **state)
{
    size_t length = ((size_t)128 << 20) + 1;
    char *text = test_malloc(length);
    struct cps_trace *trace = NULL;
    struct cps_error error = {0};

    (void)state;
    memset(text, '[', length);
    assert_int_equal(cps_trace_decode(text, 100000, &trace, &error), -EINVAL);
    assert_int_equal(cps_trace_decode(text, length, &trace, &error), -EINVAL);
    assert_string_equal(error.text, "trace: a line of 134217729 bytes is too long");
    assert_null(trace);
    test_free(text);
}

static void decode_quotes_nothing_that_a_terminal_would_obey(void **state)
{
    static const char text[] = "{\"a\":\x1b]0;x\x07\xc2\x9b";
    struct cps_trace *trace = NULL;
    struct cps_error error = {0};

    (void)state;
    assert_int_equal(cps_trace_decode(text, strlen(text), &trace, &error), -EINVAL);
    for (const char *at = error.text; *at; at++)
        assert_true((unsigned char)*at >= 0x20);
    assert_null(strstr(error.text, "\xc2\x9b"));
}

static void intern_finds_every_one_of_many_names(void **state)
{
    cps_auto_trace struct cps_trace *trace = cps_trace_new();
    size_t before = cps_trace_size(trace);
    uint32_t bytes[4] = {0};

    (void)state;
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 20000; i++) {
            bytes[i % 4] = i; /* names that share most of their bytes */
            bytes[(i + 1) % 4] = 0;
            assert_int_equal(intern(trace, (const char *)bytes, 13 + i % 4), i);
        }
        assert_int_equal(trace->name_count, 20000);
        memset(bytes, 0, sizeof(bytes));
    }
    assert_true(cps_trace_size(trace) > before + (size_t)20000 * 13);
}

static void strings_of_any_length_stay_where_they_are(void **state)
{
    enum { COUNT = 300 };
    cps_auto_trace struct cps_trace *trace = cps_trace_new();
    struct cps_string copies[COUNT];
    static char bytes[COUNT * 40];

    (void)state;
    memset(bytes, 'x', sizeof(bytes));
    for (size_t i = 0; i < COUNT; i++)
        assert_int_equal(cps_trace_copy_string(trace, bytes, i * 40 % 7000, &copies[i]), 0);
    for (size_t i = 0; i < COUNT; i++) {
        assert_int_equal(copies[i].length, i * 40 % 7000);
        assert_int_equal(strlen(copies[i].data), copies[i].length);
    }
}

static void sort_keeps_the_order_of_equal_calls(void **state)
{
    enum { COUNT = 10000 };
    cps_auto_trace struct cps_trace *trace = cps_trace_new();

    (void)state;
    for (uint32_t i = 0; i < COUNT; i++) {
        struct cps_call call = {.start = (i * 7919u) % 100, .memory = i};

        assert_int_equal(cps_trace_add_call(trace, &call), 0);
    }
    cps_trace_sort_calls(trace);
    assert_int_equal(trace->call_count, COUNT);
    for (size_t i = 1; i < COUNT; i++) {
        const struct cps_call *a = &trace->calls[i - 1];
        const struct cps_call *b = &trace->calls[i];

        assert_true(a->start < b->start || (a->start == b->start && a->memory < b->memory));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(encode_writes_the_line_of_the_contract),
        cmocka_unit_test(decode_and_encode_give_the_same_line),
        cmocka_unit_test(functions_keep_their_own_callers),
        cmocka_unit_test(decode_ignores_unknown_fields_and_takes_a_minimal_trace),
        cmocka_unit_test(decode_refuses_what_is_not_a_trace),
        cmocka_unit_test(decode_refuses_what_is_not_json),
        cmocka_unit_test(intern_tells_names_apart_by_all_their_bytes),
        cmocka_unit_test(sort_puts_parents_before_their_children),
        cmocka_unit_test(encode_writes_no_number_that_an_older_reader_refuses),
        cmocka_unit_test(encode_says_all_that_was_lost),
        cmocka_unit_test(encode_leaves_out_what_is_not_known),
        cmocka_unit_test(decode_takes_null_for_missing_and_sorts_calls),
        cmocka_unit_test(decode_survives_deep_nesting_and_long_lines),
        cmocka_unit_test(decode_quotes_nothing_that_a_terminal_would_obey),
        cmocka_unit_test(intern_finds_every_one_of_many_names),
        cmocka_unit_test(strings_of_any_length_stay_where_they_are),
        cmocka_unit_test(sort_keeps_the_order_of_equal_calls),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
