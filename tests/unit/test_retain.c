/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "retain.h"

#define KEEP 50

static void add(struct cps_retain *retain, struct cps_trace *trace, uint64_t start,
                uint64_t elapsed)
{
    struct cps_call call = {.start = start, .elapsed = elapsed, .depth = CPS_DEPTH_UNKNOWN};

    assert_int_equal(cps_retain_add(retain, trace, &call), 0);
    assert_true(trace->call_count < (size_t)2 * retain->keep);
}

static int longest_first(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return (a < b) - (a > b);
}

/* The lengths that a random sequence of calls leaves are the longest that there were. */
static void check_random(uint64_t seed, size_t count, uint64_t different)
{
    cps_auto_trace struct cps_trace *trace = cps_trace_new();
    struct cps_retain retain = {.keep = KEEP};
    uint64_t *all = calloc(count + 1, sizeof(*all));
    uint64_t kept[KEEP];

    assert_non_null(all);
    for (size_t i = 0; i < count; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        all[i] = (seed >> 33) % different;
        add(&retain, trace, i, all[i]);
    }
    cps_retain_finish(&retain, trace);
    qsort(all, count, sizeof(*all), longest_first);
    assert_int_equal(trace->call_count, count < KEEP ? count : KEEP);
    assert_int_equal(trace->call_count + trace->calls_dropped, count);
    for (size_t i = 0; i < trace->call_count; i++) {
        kept[i] = trace->calls[i].elapsed;
        assert_true(i == 0 || trace->calls[i - 1].start < trace->calls[i].start);
    }
    qsort(kept, trace->call_count, sizeof(*kept), longest_first);
    assert_memory_equal(kept, all, trace->call_count * sizeof(*kept));
    free(all);
}

static void the_longest_stay_in_order_of_start(void **state)
{
    static const size_t counts[] = {0, 1, 49, 50, 51, 99, 100, 101, 149, 150, 1000};

    (void)state;
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        check_random(i + 1, counts[i], UINT64_C(1) << 30);
        check_random(i + 1, counts[i], 7);
    }
}

static void shorter_ones_are_dropped_without_being_kept(void **state)
{
    cps_auto_trace struct cps_trace *trace = cps_trace_new();
    struct cps_retain retain = {.keep = KEEP};

    (void)state;
    for (uint64_t i = 0; i < (uint64_t)2 * KEEP; i++)
        add(&retain, trace, i, 100 + i);
    assert_int_equal(trace->call_count, KEEP);
    assert_int_equal(retain.floor, 100 + KEEP);
    add(&retain, trace, 1000, 100 + KEEP - 1);
    assert_int_equal(trace->call_count, KEEP);
    assert_int_equal(trace->calls_dropped, KEEP + 1);
    add(&retain, trace, 1001, 100 + KEEP);
    assert_int_equal(trace->call_count, KEEP + 1);
}

/* Of equally long calls those of a lesser depth stay: they hold the others. */
static void parents_stay_before_children(void **state)
{
    cps_auto_trace struct cps_trace *trace = cps_trace_new();
    struct cps_retain retain = {.keep = 2};

    (void)state;
    for (uint32_t depth = 4; depth-- > 0;) {
        struct cps_call call = {.start = 10, .elapsed = 5, .depth = depth};

        assert_int_equal(cps_retain_add(&retain, trace, &call), 0);
    }
    cps_retain_finish(&retain, trace);
    assert_int_equal(trace->call_count, 2);
    assert_int_equal(trace->calls[0].depth, 0);
    assert_int_equal(trace->calls[1].depth, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_longest_stay_in_order_of_start),
        cmocka_unit_test(shorter_ones_are_dropped_without_being_kept),
        cmocka_unit_test(parents_stay_before_children),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
