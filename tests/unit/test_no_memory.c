/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that cannot be had, at every place where it is asked for: each piece of work is done again
 * and again, and each time the next allocation fails. What it answers then is -ENOMEM, or that it
 * could do without; AddressSanitizer sees what was left behind or touched all the same.
 */
#include <errno.h>
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "assemble.h"
#include "check.h"
#include "compare.h"
#include "config.h"
#include "event_maker.h"
#include "export.h"
#include "filter.h"
#include "otlp_encode.h"
#include "routes.h"
#include "trace_maker.h"

/* Allocations until the one that fails; 0: none does. */
static size_t left;
static bool failed;

static bool refuse(void)
{
    if (left == 0 || --left > 0)
        return false;
    failed = true;
    return true;
}

/* The linker puts these in the place of the library's: --wrap. */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t length);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t length);

void *__wrap_malloc(size_t size)
{
    return refuse() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return refuse() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return refuse() ? NULL : __real_realloc(old, size);
}

char *__wrap_strdup(const char *text)
{
    return refuse() ? NULL : __real_strdup(text);
}

char *__wrap_strndup(const char *text, size_t length)
{
    return refuse() ? NULL : __real_strndup(text, length);
}

static const struct made_call calls[] = {{"main", 0, 100, 0},    {"query", 10, 30, 1},
                                         {"query", 50, 40, 1},   {"parse", 55, 10, 2},
                                         {"overlap", 60, 80, 1}, {"main", 20, 5, 2}};

static struct cps_trace *trace;
static struct cps_buf out;

/* Does it once with each allocation failing, then once with none. */
static void each_failure(int (*work)(void))
{
    for (size_t n = 1; n < 10000; n++) {
        int result;

        failed = false;
        left = n;
        result = work();
        left = 0;
        cps_buf_free(&out);
        if (!failed) {
            assert_int_equal(result, 0);
            assert_true(n > 1);
            return;
        }
        if (result != 0)
            assert_int_equal(result, -ENOMEM);
    }
    fail_msg("it never ends");
}

static int make_trace(void)
{
    cps_auto_trace struct cps_trace *made = cps_trace_new();
    struct cps_function function = {.calls = 1, .caller_count = 1};
    struct cps_caller caller = {.calls = 1};
    struct cps_cache_event event = {.calls = 1};

    if (!made || cps_trace_copy_string(made, "GET", 3, &made->method) ||
        cps_trace_copy_string(made, "/a?b=\x1b", 6, &made->uri) ||
        cps_trace_intern(made, "f\xff", 2, &function.name) ||
        cps_trace_add_function(made, &function) || cps_trace_add_caller(made, &caller) ||
        cps_trace_copy_string(made, "a b", 3, &event.tags) ||
        cps_trace_add_cache_event(made, &event))
        return -ENOMEM;
    made->has_functions = true;
    for (uint64_t i = 40; i-- > 0;) {
        struct cps_call call = {.start = i, .elapsed = 1, .depth = CPS_DEPTH_UNKNOWN};

        if (cps_trace_add_call(made, &call))
            return -ENOMEM;
    }
    cps_trace_sort_calls(made);
    return cps_trace_encode(made, &out);
}

static int decode(void)
{
    static const char line[] =
        "{\"metadata\":{\"source\":\"http\",\"id\":\"a\",\"http\":{\"method\":\"GET\"}},"
        "\"functionCalls\":[{\"name\":\"b\",\"startTime\":2},{\"name\":\"c\",\"startTime\":1}],"
        "\"functions\":[{\"name\":\"b\",\"callers\":[{\"name\":\"c\"}]}],"
        "\"drupal\":{\"cacheEvents\":[{\"tags\":[\"a\",\"b\"]}]}}";
    cps_auto_trace struct cps_trace *read = NULL;
    struct cps_error error;
    int result = cps_trace_decode(line, sizeof(line) - 1, &read, &error);

    assert_int_equal(read == NULL, result != 0);
    /* jansson takes some of its own failures for a fault of the text. */
    return failed && result == -EINVAL ? -ENOMEM : result;
}

static int export_all(void)
{
    for (const struct cps_export_format *format = cps_export_formats; format->name; format++) {
        const struct cps_trace *const list[] = {trace, trace};

        if (format->export(list, 2, &out))
            return -ENOMEM;
        assert_false(cps_buf_failed(&out));
        cps_buf_clear(&out);
    }
    return 0;
}

static int export_spans(void)
{
    size_t spans;

    return cps_otlp_encode(trace, 1, &out, &spans);
}

static int check(void)
{
    const struct cps_trace *const list[] = {trace};
    struct cps_check_rule *rule = NULL;
    struct cps_check_result checked;
    int result = cps_check_parse("calls(GET /*, query) < 9", &rule, NULL);

    if (!result)
        result = cps_check_run(rule, list, 1, &checked);
    cps_check_free(rule);
    return result;
}

static int hold(void)
{
    struct cps_model model;
    struct cps_routes routes = {0};
    struct cps_changes changes = {0};
    struct cps_filter *filter = NULL;
    int result = cps_model_init(&model, 2, 1 << 20);

    if (result)
        return result;
    for (int i = 0; i < 3; i++) {
        size_t rest = left;

        left = 0; /* making it is not what is looked at */
        struct cps_trace *made = made_trace("/node/1", 100, calls, 6);
        left = rest;
        cps_model_add(&model, made);
        cps_model_log(&model, CPS_LEVEL_INFO, "message");
    }
    result = cps_filter_compile("node /q.*y/ >1ns", &filter, NULL);
    if (!result && model.count == 2)
        result = cps_compare(model.held[0], model.held[1], CPS_COMPARE_SELF, &changes);
    cps_filter_free(filter);
    cps_compare_free(&changes);
    cps_routes_free(&routes);
    cps_model_free(&model);
    return result;
}

static int configure(void)
{
    char *environment[] = {"COMPASS_SIDECAR_TOKEN=t", "COMPASS_SIDECAR_ADDR=:1", NULL};
    struct cps_config *config = NULL;
    int result = cps_config_load(NULL, environment, &config, NULL);

    assert_int_equal(config == NULL, result != 0);
    cps_config_free(config);
    return result;
}

static void count(void *context, const struct cps_trace *finished)
{
    (void)finished;
    ++*(int *)context;
}

static bool exists(pid_t pid)
{
    (void)pid;
    return true;
}

static struct maker maker;

static void send(struct cps_assembler *assembler, uint32_t flags)
{
    size_t size = maker_close(&maker, flags);

    cps_assembler_add(assembler, &maker.sample, size);
}

/* A request in two blocks, and a classic one. */
static void send_requests(struct cps_assembler *assembler)
{
    const struct cps_batch_function totals = {.calls = 1};
    const struct cps_batch_cacheability event = {.origin = CPS_BATCH_RENDER_ARRAY, .calls = 2};
    struct cps_event_init init;
    struct cps_event_function function;
    struct cps_event_shutdown shutdown;

    maker_init(&maker, 10, CPS_RUNTIME_PHP);
    maker_begin(&maker, 7, "id", "/page");
    maker_symbol(&maker, 0, "f");
    send(assembler, 0);
    for (uint64_t i = 0; i < 40; i++)
        maker_call(&maker, 0, 0, i, 1);
    (void)cps_batch_put_function(&maker.writer, 0, &totals);
    (void)cps_batch_put_caller(&maker.writer, 0, 0, 1, 1);
    (void)cps_batch_put_cache_event(&maker.writer, &event);
    maker_end(&maker);
    send(assembler, CPS_BATCH_LAST);
    init = maker_classic_init(&maker, CPS_PROBE_fpm_request_init, "id", "/");
    function = maker_classic_function(&maker, CPS_PROBE_fpm_function, "id", "f", 5);
    shutdown = maker_classic_shutdown(&maker, CPS_PROBE_fpm_request_shutdown, "id");
    cps_assembler_add(assembler, &init, sizeof(init));
    cps_assembler_add(assembler, &function, sizeof(function));
    cps_assembler_add(assembler, &shutdown, sizeof(shutdown));
}

/* Whatever was missing, it is counted: in the statistics, or in the trace that lacks it. */
static int assemble(void)
{
    int finished = 0;
    struct cps_assembler_options options = {.max_function_calls = 100,
                                            .max_in_flight = 8,
                                            .expire_after_ns = 1,
                                            .on_trace = count,
                                            .process_exists = exists,
                                            .context = &finished};
    struct cps_assembler *assembler = cps_assembler_new(&options);
    struct cps_collector_stats stats;

    if (!assembler)
        return -ENOMEM;
    send_requests(assembler);
    cps_assembler_stats(assembler, &stats);
    assert_int_equal(stats.in_flight, 0);
    assert_true(finished == 2 || stats.memory_failed > 0);
    assert_int_equal(stats.events_malformed, 0);
    cps_assembler_free(assembler);
    return 0;
}

static void requests_are_assembled(void **state)
{
    (void)state;
    each_failure(assemble);
}

static void traces_are_made_and_written(void **state)
{
    (void)state;
    each_failure(make_trace);
}

static void traces_are_read(void **state)
{
    (void)state;
    json_set_alloc_funcs(__wrap_malloc, free);
    each_failure(decode);
}

static void traces_are_exported(void **state)
{
    (void)state;
    trace = made_trace("/a", 200, calls, 6);
    each_failure(export_all);
    each_failure(export_spans);
    each_failure(check);
    cps_trace_free(trace);
}

static void traces_are_held(void **state)
{
    (void)state;
    each_failure(hold);
}

static void the_sidecar_is_configured(void **state)
{
    (void)state;
    each_failure(configure);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(traces_are_made_and_written), cmocka_unit_test(traces_are_read),
        cmocka_unit_test(traces_are_exported),         cmocka_unit_test(traces_are_held),
        cmocka_unit_test(the_sidecar_is_configured),   cmocka_unit_test(requests_are_assembled),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
