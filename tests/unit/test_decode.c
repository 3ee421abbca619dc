/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "decode.h"
#include "event_maker.h"

static struct maker maker;
static const struct cps_decode_symbols none = {0};

static struct cps_batch_header *header(void)
{
    return (struct cps_batch_header *)maker.sample.block;
}

/* The first record of a type in the block. */
static const void *record_of(enum cps_batch_type type)
{
    for (const uint32_t *at = cps_decode_first(header()); at; at = cps_decode_next(header(), at))
        if (CPS_BATCH_WORD_TYPE(*at) == type)
            return at;
    fail_msg("no record of type %d", type);
    return NULL;
}

/* The same, to be broken. */
static void *find(enum cps_batch_type type)
{
    return (uint8_t *)&maker.sample +
           ((const uint8_t *)record_of(type) - (const uint8_t *)&maker.sample);
}

/* A whole request in one block, with a record of each type. */
static size_t whole_request(void)
{
    struct cps_batch_function totals = {.calls = 2, .elapsed = 90, .self = 80, .longest = 50};
    struct cps_batch_cacheability cache = {
        .origin = CPS_BATCH_OBJECT,
        .caller = {"caller", 6},
        .object_type = {"Node", 4},
        .tags = {"node:1", 6},
        .contexts = {"user", 4},
        .max_age = -1,
        .calls = 3,
    };

    maker_init(&maker, 100, CPS_RUNTIME_PHP);
    maker_begin(&maker, 1, "id", "/uri");
    maker_symbol(&maker, 0, "zero");
    maker_symbol(&maker, 1, "one");
    maker_call(&maker, 1, 1, 20, 30);
    maker_call(&maker, 0, 0, 10, 1ull << 33);
    assert_true(cps_batch_put_function(&maker.writer, 0, &totals));
    assert_true(cps_batch_put_caller(&maker.writer, 1, 0, 2, 90));
    assert_true(cps_batch_put_cache_event(&maker.writer, &cache));
    maker_end(&maker);
    return maker_close(&maker, CPS_BATCH_LAST);
}

static void assert_bad(void)
{
    struct cps_decode_summary out = {.calls = 99};

    assert_int_equal(cps_decode_records(header(), &none, &out), -EBADMSG);
    assert_int_equal(out.calls, 99);
}

static void assert_good(void)
{
    struct cps_decode_summary out;

    assert_int_equal(cps_decode_records(header(), &none, &out), 0);
}

static void test_every_record_is_read(void **state)
{
    static const enum cps_batch_type order[] = {
        CPS_BATCH_BEGIN,  CPS_BATCH_SYMBOL,      CPS_BATCH_SYMBOL,
        CPS_BATCH_CALL,   CPS_BATCH_CALL_LONG,   CPS_BATCH_FUNCTION,
        CPS_BATCH_CALLER, CPS_BATCH_CACHE_EVENT, CPS_BATCH_END};
    size_t size = whole_request(), count = 0;
    struct cps_decode_summary out;
    const struct cps_event_head *head = cps_decode_event(&maker.sample, size);

    (void)state;
    assert_non_null(head);
    assert_ptr_equal(cps_decode_header((const void *)head), header());
    assert_int_equal(cps_decode_records(header(), &none, &out), 0);
    assert_int_equal(out.calls, 2);
    assert_int_equal(out.next_symbol, 2);
    for (const uint32_t *at = cps_decode_first(header()); at; at = cps_decode_next(header(), at))
        assert_int_equal(CPS_BATCH_WORD_TYPE(*at), order[count++]);
    assert_int_equal(count, sizeof(order) / sizeof(order[0]));
}

/* A reader that does not know of it skips it, as header_size says. */
static void test_a_parent_stands_behind_the_first_header(void **state)
{
    struct cps_batch_parent parent = {.trace_id = {[15] = 1}, .span_id = {[0] = 2}};

    (void)state;
    (void)whole_request();
    assert_null(cps_decode_parent(header()));
    maker_init(&maker, 100, CPS_RUNTIME_PHP);
    maker.parent = &parent;
    maker_begin(&maker, 1, "id", "/uri");
    (void)maker_close(&maker, 0);
    assert_int_equal(header()->header_size, 64);
    assert_non_null(cps_decode_header(&maker.sample.event));
    assert_good();
    assert_memory_equal(cps_decode_parent(header()), &parent, sizeof(parent));
    memset(header() + 1, 0, 16);
    assert_null(cps_decode_parent(header()));
    assert_good();
    maker_symbol(&maker, 0, "zero");
    (void)maker_close(&maker, 0);
    assert_int_equal(header()->header_size, 40);
    assert_null(cps_decode_parent(header()));
}

static void test_samples_that_are_cut_are_refused(void **state)
{
    size_t size = whole_request();

    (void)state;
    for (size_t cut = 0; cut < sizeof(struct cps_event_block) + header()->length; cut++)
        assert_null(cps_decode_event(&maker.sample, cut));
    assert_null(cps_decode_event((const char *)&maker.sample + 4, size - 4));
    maker.sample.event.head.kind = CPS_PROBE_COUNT;
    assert_null(cps_decode_event(&maker.sample, size));
    maker.sample.event.head.kind = CPS_PROBE_canary;
    assert_null(cps_decode_event(&maker.sample, size));
}

static void test_headers_that_break_a_rule_are_refused(void **state)
{
    (void)state;
/* NOLINTBEGIN(bugprone-macro-parentheses): types and statements */
#define BREAK_HEADER(change)                                                                       \
    do {                                                                                           \
        (void)whole_request();                                                                     \
        assert_non_null(cps_decode_header(&maker.sample.event));                                   \
        change;                                                                                    \
        assert_null(cps_decode_header(&maker.sample.event));                                       \
    } while (0)
    BREAK_HEADER(header()->magic++);
    BREAK_HEADER(header()->version++);
    BREAK_HEADER(header()->length -= 8);
    BREAK_HEADER(header()->flags |= 2);
    BREAK_HEADER(header()->header_size = 32);
    BREAK_HEADER(header()->header_size = 44);
    BREAK_HEADER(header()->header_size = (uint16_t)(header()->length + 8));
    BREAK_HEADER(maker.sample.event.length = 0);
    BREAK_HEADER(maker.sample.event.length = header()->length = CPS_BATCH_MAX + 8);
    BREAK_HEADER(maker.sample.event.length = header()->length = header()->length - 4);
#undef BREAK_HEADER
}

static void test_records_that_break_a_rule_are_refused(void **state)
{
    (void)state;
#define BREAK(type, structure, change)                                                             \
    do {                                                                                           \
        structure *record;                                                                         \
        (void)whole_request();                                                                     \
        assert_good();                                                                             \
        record = find(type);                                                                       \
        change;                                                                                    \
        assert_bad();                                                                              \
    } while (0)
    BREAK(CPS_BATCH_BEGIN, struct cps_batch_begin, record->source = 3);
    BREAK(CPS_BATCH_BEGIN, struct cps_batch_begin, record->runtime = 0);
    BREAK(CPS_BATCH_BEGIN, struct cps_batch_begin, record->source = CPS_BATCH_CLI);
    BREAK(CPS_BATCH_BEGIN, struct cps_batch_begin, record->size += 8);
    BREAK(CPS_BATCH_BEGIN, struct cps_batch_begin, record->size = 0);
    BREAK(CPS_BATCH_BEGIN, struct cps_batch_begin, record->uri_length = UINT16_MAX);
    BREAK(CPS_BATCH_BEGIN, struct cps_batch_begin, record->word |= 1u << 8);
    BREAK(CPS_BATCH_SYMBOL, struct cps_batch_symbol, record->word = CPS_BATCH_WORD(2, 1));
    BREAK(CPS_BATCH_SYMBOL, struct cps_batch_symbol, record->reserved = 1);
    BREAK(CPS_BATCH_SYMBOL, struct cps_batch_symbol, record->name_length = UINT32_MAX);
    BREAK(CPS_BATCH_SYMBOL, struct cps_batch_symbol, record->name_length = 3);
    BREAK(CPS_BATCH_SYMBOL, struct cps_batch_symbol, record->size = UINT32_MAX - 7);
    BREAK(CPS_BATCH_SYMBOL, uint8_t, record[23] = 1); /* in the padding */
    BREAK(CPS_BATCH_CALL, struct cps_batch_call, record->word = CPS_BATCH_WORD(3, 2));
    BREAK(CPS_BATCH_CALL, struct cps_batch_call, record->elapsed = UINT32_MAX);
    BREAK(CPS_BATCH_CALL_LONG, struct cps_batch_call_long, record->end = UINT64_MAX);
    BREAK(CPS_BATCH_CALL_LONG, struct cps_batch_call_long, record->elapsed = 1ull << 40);
    BREAK(CPS_BATCH_CALL_LONG, struct cps_batch_call_long, record->word = CPS_BATCH_WORD(4, 9));
    BREAK(CPS_BATCH_FUNCTION, struct cps_batch_function, record->flags = 2);
    BREAK(CPS_BATCH_FUNCTION, struct cps_batch_function, record->word = CPS_BATCH_WORD(5, 2));
    BREAK(CPS_BATCH_CALLER, struct cps_batch_caller, record->caller = 2);
    BREAK(CPS_BATCH_CALLER, struct cps_batch_caller, record->caller = UINT32_MAX);
    BREAK(CPS_BATCH_CACHE_EVENT, struct cps_batch_cache_event, record->origin = 0);
    BREAK(CPS_BATCH_CACHE_EVENT, struct cps_batch_cache_event, record->reserved = 1);
    BREAK(CPS_BATCH_CACHE_EVENT, struct cps_batch_cache_event, record->tags_length = 8193);
    BREAK(CPS_BATCH_CACHE_EVENT, struct cps_batch_cache_event,
          record->origin = CPS_BATCH_RENDER_ARRAY);
    BREAK(CPS_BATCH_END, struct cps_batch_end, record->aborted = 2);
    BREAK(CPS_BATCH_END, struct cps_batch_end, record->reserved = 1);
    BREAK(CPS_BATCH_END, struct cps_batch_end, record->word = 0);
    BREAK(CPS_BATCH_END, struct cps_batch_end, record->word = CPS_BATCH_WORD(9, 0));
    BREAK(CPS_BATCH_END, struct cps_batch_end, record->word = CPS_BATCH_WORD(1, 0));
#undef BREAK
}
/* NOLINTEND(bugprone-macro-parentheses) */

static void test_the_order_of_a_request_is_kept(void **state)
{
    (void)state;
    (void)whole_request();
    header()->flags = 0; /* an end in a block that is not the last */
    assert_bad();
    (void)whole_request();
    header()->sequence = 1; /* a beginning in a later block */
    assert_bad();

    maker_init(&maker, 100, CPS_RUNTIME_PHP);
    maker_begin(&maker, 1, "", "/");
    (void)maker_close(&maker, CPS_BATCH_LAST); /* a last block without an end */
    assert_bad();

    cps_batch_writer_init(&maker.writer, maker.sample.block, 100, 1);
    cps_batch_open(&maker.writer, MAKER_START);
    maker_symbol(&maker, 0, "zero");
    (void)maker_close(&maker, 0); /* a first block without a beginning */
    assert_bad();

    cps_batch_writer_init(&maker.writer, maker.sample.block, 100, 1);
    cps_batch_open(&maker.writer, MAKER_START);
    (void)maker_close(&maker, 0); /* and an empty one */
    assert_bad();
}

static void test_symbols_of_earlier_blocks_are_known(void **state)
{
    struct cps_decode_symbols known = {.next = 5};
    struct cps_decode_summary out;

    (void)state;
    (void)whole_request();
    (void)maker_close(&maker, 0);
    maker_call(&maker, 4, 0, 10, 10);
    (void)maker_close(&maker, 0);
    assert_int_equal(cps_decode_records(header(), &known, &out), 0);
    known.next = 4;
    assert_int_equal(cps_decode_records(header(), &known, &out), -EBADMSG);
    known.gap = true; /* a lost block may have named it */
    assert_int_equal(cps_decode_records(header(), &known, &out), 0);
}

static void test_numbers_may_be_skipped_only_after_a_gap(void **state)
{
    struct cps_decode_symbols known = {.next = 5};
    struct cps_decode_summary out;

    (void)state;
    (void)whole_request();
    maker_symbol(&maker, 9, "nine");
    (void)maker_close(&maker, 0);
    assert_int_equal(cps_decode_records(header(), &known, &out), -EBADMSG);
    known.gap = true;
    assert_int_equal(cps_decode_records(header(), &known, &out), 0);
    assert_int_equal(out.next_symbol, 10);
    known.next = 10; /* named twice */
    assert_int_equal(cps_decode_records(header(), &known, &out), -EBADMSG);
}

static void test_classic_events_are_checked(void **state)
{
    struct cps_event_init init;
    struct cps_event_function function;
    struct cps_event_shutdown shutdown;
    struct cps_event_cache cache = {0};

    (void)state;
    maker_init(&maker, 1, CPS_RUNTIME_PHP);
    init = maker_classic_init(&maker, CPS_PROBE_fpm_request_init, "id", "/");
    function = maker_classic_function(&maker, CPS_PROBE_http_function, "id", "name", 5);
    shutdown = maker_classic_shutdown(&maker, CPS_PROBE_cli_request_shutdown, "id");
    cache.head.kind = CPS_PROBE_drupal_cacheablemetadata_createfromobject;
#define CHECK(event, field)                                                                        \
    assert_non_null(cps_decode_event(&(event), sizeof(event)));                                    \
    assert_null(cps_decode_event(&(event), sizeof(event) - 1));                                    \
    (event).field = sizeof((event).id) * 64;                                                       \
    assert_null(cps_decode_event(&(event), sizeof(event)))
    CHECK(init, uri_length);
    CHECK(function, name_length);
    CHECK(shutdown, id_length);
    CHECK(cache, contexts_length);
#undef CHECK
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_record_is_read),
        cmocka_unit_test(test_a_parent_stands_behind_the_first_header),
        cmocka_unit_test(test_samples_that_are_cut_are_refused),
        cmocka_unit_test(test_headers_that_break_a_rule_are_refused),
        cmocka_unit_test(test_records_that_break_a_rule_are_refused),
        cmocka_unit_test(test_the_order_of_a_request_is_kept),
        cmocka_unit_test(test_symbols_of_earlier_blocks_are_known),
        cmocka_unit_test(test_numbers_may_be_skipped_only_after_a_gap),
        cmocka_unit_test(test_classic_events_are_checked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
