/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "assemble.h"
#include "event_maker.h"

#define SECOND 1000000000ull
#define MAX_TRACES 16

/* What came out, in short. */
struct result {
    struct cps_call call; /* the first */
    uint64_t dropped, blocks_lost, start, end, memory;
    size_t calls;
    char id[32];
    char uri[32];
    char first_call[32];
    enum cps_outcome outcome;
    uint16_t status;
    bool has_functions;
};

static struct result results[MAX_TRACES];
static size_t result_count, started_count;
static struct cps_assembler *assembler;
static struct cps_collector_stats stats;
static pid_t dead;

/* A test's own look at a trace while it exists. */
static void (*inspect)(const struct cps_trace *trace);

static void keep_trace(void *context, const struct cps_trace *trace)
{
    struct result *result = &results[result_count++];

    (void)context;
    assert_true(result_count <= MAX_TRACES);
    *result = (struct result){
        .outcome = trace->outcome,
        .calls = trace->call_count,
        .dropped = trace->calls_dropped,
        .blocks_lost = trace->blocks_lost,
        .start = trace->start,
        .end = trace->end,
        .memory = trace->max_memory,
        .status = trace->status,
        .has_functions = trace->has_functions,
    };
    (void)snprintf(result->id, sizeof(result->id), "%s", trace->id.data);
    (void)snprintf(result->uri, sizeof(result->uri), "%s", trace->uri.data);
    if (trace->call_count) {
        result->call = trace->calls[0];
        (void)snprintf(result->first_call, sizeof(result->first_call), "%s",
                       trace->names[trace->calls[0].name].data);
    }
    if (inspect)
        inspect(trace);
}

static void count_started(void *context, const struct cps_trace *trace)
{
    (void)context;
    assert_int_equal(trace->call_count, 0);
    started_count++;
}

static bool exists(pid_t pid)
{
    return pid != dead;
}

#define MAX_BYTES ((size_t)4 << 20)

static void make_assembler(uint32_t max_calls, uint32_t max_in_flight)
{
    struct cps_assembler_options options = {
        .max_function_calls = max_calls,
        .max_in_flight = max_in_flight,
        .expire_after_ns = 600 * SECOND,
        .max_bytes = MAX_BYTES,
        .on_trace = keep_trace,
        .on_started = count_started,
        .process_exists = exists,
    };

    assembler = cps_assembler_new(&options);
    assert_non_null(assembler);
    result_count = started_count = 0;
    dead = 0;
    inspect = NULL;
}

static int setup(void **state)
{
    (void)state;
    make_assembler(100, 8);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    cps_assembler_free(assembler);
    return 0;
}

static void add(const void *sample, size_t size)
{
    cps_assembler_add(assembler, sample, size);
    cps_assembler_stats(assembler, &stats);
}

#define ADD(event) add(&(event), sizeof(event))

static void send_block(struct maker *maker, uint32_t flags)
{
    size_t size = maker_close(maker, flags);

    add(&maker->sample, size);
}

static void init(const struct maker *maker, enum cps_probe kind, const char *id, const char *uri)
{
    struct cps_event_init event = maker_classic_init(maker, kind, id, uri);

    ADD(event);
}

static void function(const struct maker *maker, enum cps_probe kind, const char *id,
                     const char *name)
{
    struct cps_event_function event = maker_classic_function(maker, kind, id, name, 1000);

    ADD(event);
}

static void finish(const struct maker *maker, enum cps_probe kind, const char *id)
{
    struct cps_event_shutdown event = maker_classic_shutdown(maker, kind, id);

    ADD(event);
}

static struct maker one, two;

static void test_a_batched_request_is_a_trace(void **state)
{
    (void)state;
    maker_init(&one, 10, CPS_RUNTIME_PHP);
    maker_begin(&one, 7, "id", "/page");
    maker_symbol(&one, 0, "outer");
    maker_symbol(&one, 1, "inner");
    maker_call(&one, 1, 1, 200, 300);
    send_block(&one, 0);
    assert_int_equal(started_count, 1);
    assert_int_equal(stats.in_flight, 1);
    assert_true(stats.in_flight_bytes > 0);
    maker_call(&one, 0, 0, 100, 500);
    maker_end(&one);
    send_block(&one, CPS_BATCH_LAST);
    assert_int_equal(result_count, 1);
    assert_int_equal(results[0].outcome, CPS_OUTCOME_COMPLETE);
    assert_int_equal(results[0].status, 200);
    assert_int_equal(results[0].calls, 2);
    assert_string_equal(results[0].id, "id");
    assert_string_equal(results[0].first_call, "outer");
    assert_int_equal(results[0].start, 5 * SECOND);
    assert_int_equal(results[0].end, 5 * SECOND + 1000000);
    assert_int_equal(results[0].call.start, 5 * SECOND + 100);
    assert_int_equal(results[0].memory, 300);
    assert_true(results[0].has_functions);
    assert_int_equal(stats.in_flight, 0);
    assert_int_equal(stats.in_flight_bytes, 0);
    assert_int_equal(stats.calls_received, 2);
    assert_int_equal(stats.traces_completed, 1);
}

static void look_at_functions(const struct cps_trace *trace)
{
    const struct cps_function *a = &trace->functions[0], *b = &trace->functions[1];

    assert_int_equal(trace->function_count, 2);
    assert_string_equal(trace->names[a->name].data, "a");
    assert_int_equal(a->calls, 5 + 1); /* two symbols of one name */
    assert_int_equal(a->elapsed, 50 + 10);
    assert_int_equal(a->longest, 20);
    assert_int_equal(a->caller_count, 1);
    assert_true(b->untimed);
    assert_int_equal(b->caller_count, 2);
    assert_int_equal(trace->caller_count, 3);
    assert_string_equal(trace->names[trace->callers[b->first_caller].name].data, "a");
    assert_int_equal(trace->callers[b->first_caller].calls, 1);
    assert_int_equal(trace->callers[b->first_caller + 1].calls, 3);
    assert_int_equal(trace->callers[a->first_caller].calls, 2);
}

static void test_totals_and_callers_are_put_together(void **state)
{
    struct cps_batch_function a = {.calls = 5, .elapsed = 50, .self = 40, .longest = 20};
    struct cps_batch_function again = {.calls = 1, .elapsed = 10, .self = 10, .longest = 10};
    struct cps_batch_function b = {.calls = 4, .flags = CPS_BATCH_UNTIMED};

    (void)state;
    inspect = look_at_functions;
    maker_init(&one, 10, CPS_RUNTIME_PHP);
    maker_begin(&one, 7, "", "/");
    maker_symbol(&one, 0, "a");
    maker_symbol(&one, 1, "b");
    maker_symbol(&one, 2, "a");
    (void)cps_batch_put_function(&one.writer, 0, &a);
    (void)cps_batch_put_function(&one.writer, 1, &b);
    (void)cps_batch_put_function(&one.writer, 2, &again);
    (void)cps_batch_put_caller(&one.writer, 1, 0, 1, 11);
    (void)cps_batch_put_caller(&one.writer, 0, 1, 2, 22);
    (void)cps_batch_put_caller(&one.writer, 1, 1, 3, 33);
    maker_end(&one);
    send_block(&one, CPS_BATCH_LAST);
    assert_int_equal(result_count, 1);
}

static void look_at_dropped(const struct cps_trace *trace)
{
    assert_int_equal(trace->calls_dropped, 1);
    assert_int_equal(trace->functions_dropped, 2);
    assert_int_equal(trace->callers_dropped, 3);
    assert_int_equal(trace->cache_events_dropped, 4);
}

static void test_what_the_process_dropped_is_told(void **state)
{
    struct cps_batch_end end = {.monotonic = MAKER_START,
                                .calls_dropped = 1,
                                .functions_dropped = 2,
                                .callers_dropped = 3,
                                .cache_events_dropped = 4};

    (void)state;
    inspect = look_at_dropped;
    maker_init(&one, 10, CPS_RUNTIME_PHP);
    maker_begin(&one, 7, "", "/");
    (void)cps_batch_put_end(&one.writer, &end);
    send_block(&one, CPS_BATCH_LAST);
    assert_int_equal(result_count, 1);
}

static void test_lost_blocks_are_counted(void **state)
{
    (void)state;
    maker_init(&one, 10, CPS_RUNTIME_PHP);
    maker_begin(&one, 7, "", "/");
    send_block(&one, 0);
    maker_symbol(&one, 0, "lost");
    (void)maker_close(&one, 0);
    (void)maker_close(&one, 0);
    maker_symbol(&one, 1, "known");
    maker_call(&one, 1, 0, 100, 10);
    maker_call(&one, 0, 0, 200, 10);
    maker_end(&one);
    send_block(&one, CPS_BATCH_LAST);
    assert_int_equal(result_count, 1);
    assert_int_equal(results[0].calls, 2);
    assert_string_equal(results[0].first_call, "known");
    assert_int_equal(results[0].blocks_lost, 2);
    assert_int_equal(stats.blocks_lost, 2);
    assert_int_equal(stats.events_malformed, 0);
}

static void test_a_bad_block_changes_nothing(void **state)
{
    size_t size;

    (void)state;
    maker_init(&one, 10, CPS_RUNTIME_PHP);
    maker_begin(&one, 7, "", "/");
    maker_symbol(&one, 0, "name");
    send_block(&one, 0);
    maker_call(&one, 0, 0, 100, 10);
    maker_call(&one, 99, 0, 100, 10);
    send_block(&one, 0);
    assert_int_equal(stats.events_malformed, 1);
    one.writer.sequence--;
    maker_call(&one, 0, 0, 100, 10);
    size = maker_close(&one, 0);
    add(&one.sample, size);
    add(&one.sample, size); /* the same number twice */
    assert_int_equal(stats.events_malformed, 2);
    maker_end(&one);
    send_block(&one, CPS_BATCH_LAST);
    assert_int_equal(results[0].calls, 1);
    assert_int_equal(results[0].blocks_lost, 0);
}

static void test_a_request_that_is_not_known_is_an_orphan(void **state)
{
    (void)state;
    maker_init(&one, 10, CPS_RUNTIME_PHP);
    maker_begin(&one, 7, "", "/");
    (void)maker_close(&one, 0);
    send_block(&one, 0);
    assert_int_equal(stats.events_orphaned, 1);
    function(&one, CPS_PROBE_fpm_function, "x", "name");
    finish(&one, CPS_PROBE_fpm_request_shutdown, "x");
    assert_int_equal(stats.events_orphaned, 3);
    assert_int_equal(result_count, 0);
    assert_int_equal(stats.in_flight, 0);
}

static void test_php_has_one_request_in_a_thread(void **state)
{
    (void)state;
    maker_init(&one, 10, CPS_RUNTIME_PHP);
    maker_begin(&one, 7, "first", "/");
    send_block(&one, 0);
    maker_begin(&one, 8, "second", "/");
    send_block(&one, 0);
    assert_int_equal(result_count, 1);
    assert_int_equal(results[0].outcome, CPS_OUTCOME_ABORTED);
    assert_string_equal(results[0].id, "first");
    one.writer.request = 7; /* a late block of the first one */
    send_block(&one, 0);
    assert_int_equal(stats.events_orphaned, 1);
    assert_int_equal(stats.in_flight, 1);
}

static void test_node_has_many_requests_in_a_thread(void **state)
{
    (void)state;
    maker_init(&one, 10, CPS_RUNTIME_NODE);
    two = one;
    maker_begin(&one, 7, "same", "/one");
    maker_begin(&two, 8, "same", "/two");
    send_block(&one, 0);
    send_block(&two, 0);
    maker_symbol(&two, 0, "two");
    maker_symbol(&one, 0, "one");
    maker_call(&two, 0, 0, 1, 1);
    maker_call(&one, 0, 0, 1, 1);
    maker_end(&two);
    maker_end(&one);
    send_block(&two, CPS_BATCH_LAST);
    send_block(&one, CPS_BATCH_LAST);
    assert_int_equal(result_count, 2);
    assert_string_equal(results[0].first_call, "two");
    assert_string_equal(results[1].first_call, "one");
}

static void test_workers_with_one_id_do_not_mix(void **state)
{
    (void)state;
    maker_init(&one, 10, CPS_RUNTIME_PHP);
    maker_init(&two, 11, CPS_RUNTIME_PHP);
    init(&one, CPS_PROBE_fpm_request_init, "UNKNOWN", "/one");
    init(&two, CPS_PROBE_fpm_request_init, "UNKNOWN", "/two");
    function(&two, CPS_PROBE_fpm_function, "UNKNOWN", "two");
    function(&one, CPS_PROBE_fpm_function, "UNKNOWN", "one");
    finish(&one, CPS_PROBE_fpm_request_shutdown, "UNKNOWN");
    finish(&two, CPS_PROBE_fpm_request_shutdown, "UNKNOWN");
    assert_int_equal(result_count, 2);
    assert_string_equal(results[0].uri, "/one");
    assert_string_equal(results[0].first_call, "one");
    assert_string_equal(results[1].first_call, "two");
    assert_int_equal(results[1].call.depth, CPS_DEPTH_UNKNOWN);
    assert_int_equal(results[1].end - results[1].start, 20000);
    assert_int_equal(results[1].call.start - results[1].start, 9000);
    assert_false(results[1].has_functions);
    assert_int_equal(results[1].status, 0);
}

static void test_a_pid_that_is_used_again_is_another_process(void **state)
{
    (void)state;
    maker_init(&one, 10, CPS_RUNTIME_PHP);
    init(&one, CPS_PROBE_fpm_request_init, "id", "/");
    one.head.started++;
    function(&one, CPS_PROBE_fpm_function, "id", "name");
    assert_int_equal(stats.events_orphaned, 1);
}

static void test_another_id_in_the_thread_is_an_orphan(void **state)
{
    (void)state;
    maker_init(&one, 10, CPS_RUNTIME_PHP);
    init(&one, CPS_PROBE_fpm_request_init, "id", "/");
    function(&one, CPS_PROBE_fpm_function, "other", "name");
    assert_int_equal(stats.events_orphaned, 1);
    assert_int_equal(stats.calls_received, 1);
    init(&one, CPS_PROBE_fpm_request_init, "next", "/");
    assert_int_equal(results[0].outcome, CPS_OUTCOME_ABORTED);
    assert_int_equal(stats.traces_aborted, 1);
}

static void test_classic_node_is_known_by_its_ids(void **state)
{
    (void)state;
    maker_init(&one, 10, CPS_RUNTIME_NODE);
    init(&one, CPS_PROBE_http_request_init, "a", "/a");
    init(&one, CPS_PROBE_http_request_init, "b", "/b");
    function(&one, CPS_PROBE_http_function, "a", "in a");
    finish(&one, CPS_PROBE_http_request_shutdown, "b");
    finish(&one, CPS_PROBE_http_request_shutdown, "a");
    assert_int_equal(result_count, 2);
    assert_string_equal(results[0].id, "b");
    assert_int_equal(results[0].calls, 0);
    assert_int_equal(results[0].status, 404);
    assert_string_equal(results[1].first_call, "in a");
}

static void test_a_script_is_known_by_its_pid(void **state)
{
    (void)state;
    maker_init(&one, 10, CPS_RUNTIME_PHP);
    init(&one, CPS_PROBE_cli_request_init, "", "php x.php");
    function(&one, CPS_PROBE_cli_function, "", "main");
    finish(&one, CPS_PROBE_cli_request_shutdown, "");
    assert_int_equal(result_count, 1);
    assert_string_equal(results[0].uri, "php x.php");
}

static void test_a_call_before_its_request_is_moved_into_it(void **state)
{
    struct cps_event_function event;

    (void)state;
    maker_init(&one, 10, CPS_RUNTIME_PHP);
    init(&one, CPS_PROBE_fpm_request_init, "id", "/");
    event = maker_classic_function(&one, CPS_PROBE_fpm_function, "id", "name", UINT64_MAX);
    ADD(event);
    finish(&one, CPS_PROBE_fpm_request_shutdown, "id");
    assert_int_equal(results[0].call.start, results[0].start);
    assert_int_equal(results[0].call.elapsed, 10000);
}

static void test_silence_expires_a_request(void **state)
{
    (void)state;
    maker_init(&one, 10, CPS_RUNTIME_PHP);
    init(&one, CPS_PROBE_fpm_request_init, "id", "/");
    cps_assembler_tick(assembler, MAKER_START + 599 * SECOND);
    assert_int_equal(result_count, 0);
    cps_assembler_tick(assembler, MAKER_START + 600 * SECOND);
    assert_int_equal(result_count, 1);
    assert_int_equal(results[0].outcome, CPS_OUTCOME_EXPIRED);
    cps_assembler_stats(assembler, &stats);
    assert_int_equal(stats.traces_expired, 1);
    assert_int_equal(stats.traces_completed + stats.traces_aborted, 0);
}

static void test_a_gone_process_aborts_its_requests(void **state)
{
    (void)state;
    maker_init(&one, 10, CPS_RUNTIME_PHP);
    maker_init(&two, 11, CPS_RUNTIME_PHP);
    init(&one, CPS_PROBE_fpm_request_init, "dead", "/");
    init(&two, CPS_PROBE_fpm_request_init, "alive", "/");
    dead = 10;
    cps_assembler_tick(assembler, MAKER_START + 2 * SECOND);
    assert_int_equal(result_count, 0); /* its end may still be in the ring */
    cps_assembler_tick(assembler, MAKER_START + 4 * SECOND);
    assert_int_equal(result_count, 1);
    assert_string_equal(results[0].id, "dead");
    assert_int_equal(results[0].outcome, CPS_OUTCOME_ABORTED);
    cps_assembler_stats(assembler, &stats);
    assert_int_equal(stats.in_flight, 1);
    assert_int_equal(stats.traces_aborted, 1);
}

static void test_requests_in_flight_are_bounded(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 20; i++) {
        maker_init(&one, 10 + i, CPS_RUNTIME_PHP);
        init(&one, CPS_PROBE_fpm_request_init, "id", "/");
    }
    assert_int_equal(stats.in_flight, 8);
    assert_int_equal(stats.requests_refused, 12);
    finish(&one, CPS_PROBE_fpm_request_shutdown, "id"); /* refused, so unknown */
    assert_int_equal(stats.events_orphaned, 1);
}

static void test_a_silent_request_makes_room(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 8; i++) {
        maker_init(&one, 10 + i, CPS_RUNTIME_PHP);
        init(&one, CPS_PROBE_fpm_request_init, i ? "id" : "oldest", "/");
    }
    maker_init(&two, 20, CPS_RUNTIME_PHP);
    two.head.time = MAKER_START + 9 * SECOND;
    init(&two, CPS_PROBE_fpm_request_init, "early", "/");
    assert_int_equal(stats.requests_refused, 1);
    two.head.time = MAKER_START + 11 * SECOND;
    init(&two, CPS_PROBE_fpm_request_init, "new", "/");
    assert_int_equal(stats.requests_refused, 1);
    assert_int_equal(stats.in_flight, 8);
    assert_int_equal(result_count, 1);
    assert_string_equal(results[0].id, "oldest");
    assert_int_equal(results[0].outcome, CPS_OUTCOME_EXPIRED);
}

/* Each of them alone is within the bound of one request. */
static void open_requests(uint32_t count)
{
    maker_init(&one, 10, CPS_RUNTIME_NODE);
    for (uint32_t i = 0; i < count; i++) {
        maker_begin(&one, i, "id", "/");
        send_block(&one, 0);
    }
    assert_int_equal(stats.in_flight, count);
}

static void open_block(uint64_t request, uint32_t sequence)
{
    cps_batch_writer_init(&one.writer, one.sample.block, 10, request);
    one.writer.sequence = sequence;
    cps_batch_open(&one.writer, MAKER_START);
}

static void send_end(uint64_t request, uint32_t sequence)
{
    open_block(request, sequence);
    maker_end(&one);
    send_block(&one, CPS_BATCH_LAST);
}

static void test_symbols_of_all_requests_are_bounded(void **state)
{
    (void)state;
    open_requests(8);
    for (uint32_t i = 0; i < 8; i++) {
        open_block(i, 2); /* after a gap any number may come */
        maker_symbol(&one, 400000, "far");
        maker_call(&one, 400000, 0, 10, 10);
        send_block(&one, 0);
    }
    assert_int_equal(stats.events_malformed, 0);
    assert_true(stats.in_flight_bytes > MAX_BYTES / 2);
    assert_true(stats.in_flight_bytes <= MAX_BYTES);
    for (uint32_t i = 0; i < 8; i++)
        send_end(i, 3);
    assert_int_equal(stats.in_flight_bytes, 0);
    assert_true(stats.memory_failed >= 5); /* two arrays of 2 MiB fit, or less */
    assert_string_equal(results[0].first_call, "far");
    assert_string_equal(results[7].first_call, "(name lost)");
}

static void send_calls(uint64_t request, uint32_t sequence)
{
    open_block(request, sequence);
    if (sequence == 1)
        maker_symbol(&one, 0, "call");
    for (uint32_t i = 0; i < 1000; i++)
        maker_call(&one, 0, 0, 10, 10 + i);
    send_block(&one, 0);
}

static void test_calls_of_all_requests_are_bounded(void **state)
{
    uint64_t sent = 0, kept = 0;

    (void)state;
    cps_assembler_free(assembler);
    make_assembler(100000, 8);
    open_requests(8);
    for (uint32_t sequence = 1; sequence <= 30; sequence++) {
        for (uint32_t i = 0; i < 8; i++)
            send_calls(i, sequence);
        sent += 1000;
        assert_true(stats.in_flight_bytes <= MAX_BYTES);
    }
    assert_true(stats.in_flight_bytes > MAX_BYTES / 2);
    for (uint32_t i = 0; i < 8; i++) {
        send_end(i, 31);
        assert_int_equal(results[i].calls + results[i].dropped, sent);
        kept += results[i].calls;
    }
    assert_int_equal(stats.calls_dropped, 8 * sent - kept);
    assert_true(kept > sent);
}

static void look_at_longest(const struct cps_trace *trace)
{
    uint64_t wanted = 0;

    for (size_t i = 0; i < trace->call_count; i++)
        wanted += trace->calls[i].elapsed >= 4900 && trace->calls[i].elapsed < 5000;
    assert_int_equal(wanted, 100);
    for (size_t i = 1; i < trace->call_count; i++)
        assert_true(trace->calls[i - 1].start <= trace->calls[i].start);
}

static void test_the_longest_calls_stay(void **state)
{
    (void)state;
    inspect = look_at_longest;
    maker_init(&one, 10, CPS_RUNTIME_PHP);
    maker_begin(&one, 7, "", "/");
    maker_symbol(&one, 0, "name");
    for (uint64_t i = 0; i < 5000; i++) {
        uint64_t elapsed = i * 7919 % 5000; /* every length once, in no order */

        maker_call(&one, 0, 0, 10 * i, elapsed);
        if (i % 500 == 0)
            send_block(&one, 0);
    }
    maker_end(&one);
    send_block(&one, CPS_BATCH_LAST);
    assert_int_equal(results[0].calls, 100);
    assert_int_equal(results[0].dropped, 4900);
    assert_int_equal(stats.calls_dropped, 4900);
}

static void look_at_tree(const struct cps_trace *trace)
{
    /* All calls are equally long: what stays must be the outermost ones, without a hole. */
    for (size_t i = 0; i < trace->call_count; i++)
        assert_int_equal(trace->calls[i].depth, i);
}

static void test_what_stays_is_a_tree(void **state)
{
    (void)state;
    inspect = look_at_tree;
    maker_init(&one, 10, CPS_RUNTIME_PHP);
    maker_begin(&one, 7, "", "/");
    maker_symbol(&one, 0, "name");
    for (uint32_t i = 0; i < 1000; i++)
        maker_call(&one, 0, 999 - i, 50, 1000);
    maker_end(&one);
    send_block(&one, CPS_BATCH_LAST);
    assert_int_equal(results[0].calls, 100);
}

static void look_at_cache(const struct cps_trace *trace)
{
    assert_int_equal(trace->cache_event_count, 2);
    assert_int_equal(trace->cache_events[0].calls, 2);
    assert_int_equal(trace->cache_events[1].calls, 1);
    assert_string_equal(trace->cache_events[0].tags.data, "node:1");
}

static void test_identical_cache_events_are_one(void **state)
{
    struct cps_event_cache event = {.max_age = -1};

    (void)state;
    inspect = look_at_cache;
    maker_init(&one, 10, CPS_RUNTIME_PHP);
    init(&one, CPS_PROBE_fpm_request_init, "id", "/");
    event.head = one.head;
    event.head.kind = CPS_PROBE_drupal_cacheablemetadata_createfromrenderarray;
    event.id_length = maker_string(event.id, "id");
    event.tags_length = maker_string(event.tags, "node:1");
    ADD(event);
    event.max_age = 5;
    ADD(event);
    event.max_age = -1;
    ADD(event);
    finish(&one, CPS_PROBE_fpm_request_shutdown, "id");
    assert_int_equal(result_count, 1);
}

static void test_any_bytes_are_survived(void **state)
{
    uint64_t random = 88172645463325252ull;

    (void)state;
    for (int round = 0; round < 3000; round++) {
        size_t size;

        result_count = 0;
        maker_init(&one, 10 + (uint32_t)round % 3, CPS_RUNTIME_PHP);
        maker_begin(&one, (uint64_t)round, "id", "/");
        maker_symbol(&one, 0, "name");
        maker_call(&one, 0, 0, 1, 1);
        maker_end(&one);
        size = maker_close(&one, CPS_BATCH_LAST);
        for (int i = 0; i < 1 + round % 4; i++) {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            ((uint8_t *)&one.sample)[random % 320] ^= (uint8_t)(random >> 32);
        }
        add(&one.sample, size);
    }
    assert_int_equal(stats.events_received, 3000);
    assert_true(stats.events_malformed > 1000);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_a_batched_request_is_a_trace),
        TEST(test_totals_and_callers_are_put_together),
        TEST(test_what_the_process_dropped_is_told),
        TEST(test_lost_blocks_are_counted),
        TEST(test_a_bad_block_changes_nothing),
        TEST(test_a_request_that_is_not_known_is_an_orphan),
        TEST(test_php_has_one_request_in_a_thread),
        TEST(test_node_has_many_requests_in_a_thread),
        TEST(test_workers_with_one_id_do_not_mix),
        TEST(test_a_pid_that_is_used_again_is_another_process),
        TEST(test_another_id_in_the_thread_is_an_orphan),
        TEST(test_classic_node_is_known_by_its_ids),
        TEST(test_a_script_is_known_by_its_pid),
        TEST(test_a_call_before_its_request_is_moved_into_it),
        TEST(test_silence_expires_a_request),
        TEST(test_a_gone_process_aborts_its_requests),
        TEST(test_requests_in_flight_are_bounded),
        TEST(test_a_silent_request_makes_room),
        TEST(test_symbols_of_all_requests_are_bounded),
        TEST(test_calls_of_all_requests_are_bounded),
        TEST(test_the_longest_calls_stay),
        TEST(test_what_stays_is_a_tree),
        TEST(test_identical_cache_events_are_one),
        TEST(test_any_bytes_are_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
