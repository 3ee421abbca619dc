/* SPDX-License-Identifier: Apache-2.0 */
/* One request: what its records and events become in the trace. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "event_maker.h"
#include "request.h"

#define EPOCH 9000000000ull

static struct maker maker;
static struct cps_request *request;

static int setup(void **state)
{
    static const struct cps_request_key key = {.process = 10};

    (void)state;
    request = cps_request_new(&key, 100);
    assert_non_null(request);
    maker_init(&maker, 10, CPS_RUNTIME_PHP);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    cps_request_free(request);
    return 0;
}

static const struct cps_batch_header *header(void)
{
    return (const struct cps_batch_header *)maker.sample.block;
}

/* Closes the block and hands it to the request, as the assembler does. */
static bool add_block(uint32_t flags)
{
    struct cps_decode_summary summary;

    (void)maker_close(&maker, flags);
    assert_non_null(cps_decode_header(&maker.sample.event));
    assert_int_equal(cps_decode_records(header(), &request->symbols, &summary), 0);
    if (header()->sequence == 0)
        assert_int_equal(cps_request_begin(request, header()), 0);
    return cps_request_add_block(request, header(), &summary);
}

static void begin(enum cps_batch_source source, struct cps_batch_text id, struct cps_batch_text uri,
                  struct cps_batch_text method)
{
    struct cps_batch_request start = {.source = source,
                                      .runtime = CPS_BATCH_NODE,
                                      .id = id,
                                      .uri = uri,
                                      .method = method,
                                      .realtime = EPOCH + MAKER_START,
                                      .monotonic = MAKER_START};

    cps_batch_writer_init(&maker.writer, maker.sample.block, 4711, 3);
    cps_batch_open(&maker.writer, MAKER_START);
    assert_true(cps_batch_put_begin(&maker.writer, &start));
}

static void test_a_beginning_says_who_and_when(void **state)
{
    const struct cps_trace *trace = request->trace;

    (void)state;
    begin(CPS_BATCH_HTTP, (struct cps_batch_text){"an id", 5}, (struct cps_batch_text){"/a/uri", 6},
          (struct cps_batch_text){"POST", 4});
    assert_false(add_block(0));
    assert_int_equal(trace->source, CPS_SOURCE_HTTP);
    assert_int_equal(trace->runtime, CPS_RUNTIME_NODE);
    assert_string_equal(trace->id.data, "an id");
    assert_string_equal(trace->uri.data, "/a/uri");
    assert_string_equal(trace->method.data, "POST");
    assert_int_equal(trace->pid, 4711);
    assert_int_equal(trace->start, EPOCH + MAKER_START);
    assert_int_equal(request->number, 3);
    assert_int_equal(request->next_block, 1);
}

static void test_a_script_has_a_command(void **state)
{
    (void)state;
    begin(CPS_BATCH_CLI, (struct cps_batch_text){"", 0}, (struct cps_batch_text){"node a.js", 9},
          (struct cps_batch_text){"", 0});
    (void)add_block(0);
    assert_int_equal(request->trace->source, CPS_SOURCE_CLI);
    assert_string_equal(request->trace->uri.data, "node a.js");
    assert_string_equal(request->trace->method.data, "");
}

static void test_an_end_says_how(void **state)
{
    struct cps_batch_end end = {.status = 503,
                                .aborted = 1,
                                .monotonic = MAKER_START + 700,
                                .peak_memory = 12345,
                                .calls_dropped = 1};
    const struct cps_trace *trace = request->trace;

    (void)state;
    maker_begin(&maker, 7, "", "/");
    maker_symbol(&maker, 0, "f");
    maker_call(&maker, 0, 0, 100, 50);
    assert_true(cps_batch_put_end(&maker.writer, &end));
    assert_true(add_block(CPS_BATCH_LAST));
    cps_request_finish(request, CPS_OUTCOME_COMPLETE);
    assert_int_equal(trace->status, 503);
    assert_int_equal(trace->outcome, CPS_OUTCOME_ABORTED); /* the process knows better */
    assert_int_equal(trace->max_memory, 12345);
    assert_int_equal(trace->end - trace->start, 700);
    assert_int_equal(trace->calls_dropped, 1);
    assert_true(trace->has_functions);
}

static void test_a_request_that_was_cut_off_ends_with_its_last_call(void **state)
{
    const struct cps_trace *trace = request->trace;

    (void)state;
    maker_begin(&maker, 7, "", "/");
    maker_symbol(&maker, 0, "f");
    maker_call(&maker, 0, 0, 100, 50);
    (void)add_block(0);
    cps_request_finish(request, CPS_OUTCOME_EXPIRED);
    assert_int_equal(trace->outcome, CPS_OUTCOME_EXPIRED);
    assert_int_equal(trace->end - trace->start, 150);
    assert_int_equal(trace->calls[0].start - trace->start, 100);
    assert_int_equal(trace->max_memory, 200);
    assert_false(trace->has_functions);
}

static void test_a_name_that_was_lost_is_said_to_be(void **state)
{
    const struct cps_trace *trace = request->trace;
    const struct cps_batch_function totals = {.calls = 2};

    (void)state;
    maker_begin(&maker, 7, "", "/");
    (void)add_block(0);
    request->symbols.gap = true;
    maker_call(&maker, 70, 0, 100, 50);
    (void)cps_batch_put_function(&maker.writer, 71, &totals);
    (void)add_block(0);
    assert_string_equal(trace->names[trace->calls[0].name].data, "(name lost)");
    assert_int_equal(trace->functions[0].name, trace->calls[0].name);
    assert_int_equal(trace->functions[0].calls, 2);
}

static void test_cache_events_keep_each_string_apart(void **state)
{
    struct cps_batch_cacheability event = {.origin = CPS_BATCH_OBJECT,
                                           .caller = {"caller", 6},
                                           .object_type = {"Node", 4},
                                           .tags = {"node:1 node:2", 13},
                                           .contexts = {"user", 4},
                                           .max_age = 60,
                                           .calls = 3};
    const struct cps_cache_event *kept;

    (void)state;
    maker_begin(&maker, 7, "", "/");
    assert_true(cps_batch_put_cache_event(&maker.writer, &event));
    (void)add_block(0);
    assert_int_equal(request->trace->cache_event_count, 1);
    kept = &request->trace->cache_events[0];
    assert_int_equal(kept->origin, CPS_CACHE_OBJECT);
    assert_string_equal(kept->caller.data, "caller");
    assert_string_equal(kept->object_type.data, "Node");
    assert_string_equal(kept->tags.data, "node:1 node:2");
    assert_string_equal(kept->contexts.data, "user");
    assert_int_equal(kept->max_age, 60);
    assert_int_equal(kept->calls, 3);
}

static void init(enum cps_probe kind)
{
    struct cps_event_init event = maker_classic_init(&maker, kind, "id", "/page");

    assert_int_equal(cps_request_init(request, &event, EPOCH), 0);
}

static void call(uint64_t time, uint64_t elapsed)
{
    struct cps_event_function event =
        maker_classic_function(&maker, CPS_PROBE_fpm_function, "id", "slow", elapsed);

    event.head.time = time;
    cps_request_add_function(request, &event);
}

static void test_classic_events_make_a_trace(void **state)
{
    struct cps_event_shutdown shutdown =
        maker_classic_shutdown(&maker, CPS_PROBE_http_request_shutdown, "id");
    const struct cps_trace *trace = request->trace;

    (void)state;
    init(CPS_PROBE_http_request_init);
    call(MAKER_START + 500, 200);
    call(MAKER_START + 600, 1000000); /* longer than the request has been there */
    cps_request_shutdown(request, &shutdown);
    cps_request_finish(request, CPS_OUTCOME_COMPLETE);
    assert_int_equal(trace->source, CPS_SOURCE_HTTP);
    assert_string_equal(trace->id.data, "id");
    assert_string_equal(trace->uri.data, "/page");
    assert_string_equal(trace->method.data, "GET");
    assert_int_equal(trace->pid, 10);
    assert_int_equal(trace->status, 404);
    assert_int_equal(trace->start, EPOCH + MAKER_START);
    assert_int_equal(trace->end, EPOCH + shutdown.head.time);
    assert_int_equal(trace->calls[0].start, trace->start);
    assert_int_equal(trace->calls[0].elapsed, 600);
    assert_int_equal(trace->calls[1].start, trace->start + 300);
    assert_int_equal(trace->calls[1].depth, CPS_DEPTH_UNKNOWN);
    assert_int_equal(trace->max_memory, 4096);
}

static void test_a_classic_script_tells_its_own_pid(void **state)
{
    (void)state;
    init(CPS_PROBE_cli_request_init);
    assert_int_equal(request->trace->source, CPS_SOURCE_CLI);
    assert_int_equal(request->trace->pid, 4242);
}

static void test_a_status_that_is_none_is_left_out(void **state)
{
    struct cps_event_shutdown shutdown =
        maker_classic_shutdown(&maker, CPS_PROBE_http_request_shutdown, "id");

    (void)state;
    shutdown.status = 65536 + 200;
    cps_request_shutdown(request, &shutdown);
    assert_int_equal(request->trace->status, 0);
}

/* The classic probes tell each event; only so many different ones are kept. */
static void test_classic_cache_events_are_bounded(void **state)
{
    struct cps_event_cache *event = calloc(1, sizeof(*event));

    (void)state;
    assert_non_null(event);
    event->head.kind = CPS_PROBE_drupal_cacheablemetadata_createfromrenderarray;
    for (int i = 0; i < 4100; i++) {
        event->max_age = i;
        cps_request_add_cache_event(request, event);
        cps_request_add_cache_event(request, event);
    }
    assert_int_equal(request->trace->cache_event_count, 4096);
    assert_int_equal(request->trace->cache_events[0].calls, 2);
    assert_int_equal(request->trace->cache_events_dropped, 8);
    free(event);
}

/* A process may say what it likes: the request stops growing, and what was lost is counted. */
static void test_memory_is_bounded(void **state)
{
    struct cps_batch_cacheability event = {.origin = CPS_BATCH_RENDER_ARRAY, .calls = 5};
    char *text = malloc(CPS_BATCH_MAX_STRING);
    uint64_t sent = 0;

    (void)state;
    assert_non_null(text);
    memset(text, 't', CPS_BATCH_MAX_STRING);
    event.caller = event.tags = (struct cps_batch_text){text, CPS_BATCH_MAX_STRING};
    maker_begin(&maker, 7, "", "/");
    while (sent < 5000) {
        if (cps_batch_put_cache_event(&maker.writer, &event))
            sent++;
        else
            (void)add_block(0);
    }
    (void)add_block(0);
    assert_true(cps_request_size(request) <= CPS_REQUEST_MAX_BYTES);
    assert_true(request->trace->cache_events_dropped > 0);
    assert_int_equal(request->trace->cache_event_count * 5 + request->trace->cache_events_dropped,
                     sent * 5);
    free(text);
}

static void test_what_it_holds_is_accounted(void **state)
{
    const struct cps_batch_function totals = {.calls = 1};
    size_t before = cps_request_size(request);

    (void)state;
    maker_begin(&maker, 7, "", "/");
    for (uint32_t i = 0; i < 200; i++) {
        char name[2] = {(char)(i + 1), 0};

        maker_symbol(&maker, i, name);
        (void)cps_batch_put_function(&maker.writer, i, &totals);
        (void)cps_batch_put_caller(&maker.writer, i, i, 1, 1);
    }
    (void)add_block(0);
    assert_true(cps_request_size(request) >=
                before + 200 * (sizeof(struct cps_function) + sizeof(struct cps_string) +
                                sizeof(struct cps_request_pair) + 2 * sizeof(uint32_t)));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_a_beginning_says_who_and_when),
        TEST(test_a_script_has_a_command),
        TEST(test_an_end_says_how),
        TEST(test_a_request_that_was_cut_off_ends_with_its_last_call),
        TEST(test_a_name_that_was_lost_is_said_to_be),
        TEST(test_cache_events_keep_each_string_apart),
        TEST(test_classic_events_make_a_trace),
        TEST(test_a_classic_script_tells_its_own_pid),
        TEST(test_a_status_that_is_none_is_left_out),
        TEST(test_classic_cache_events_are_bounded),
        TEST(test_memory_is_bounded),
        TEST(test_what_it_holds_is_accounted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
