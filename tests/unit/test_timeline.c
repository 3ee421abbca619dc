/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "timeline.h"
#include "trace_maker.h"

/* Checks that a lane is strictly nested, as it is walked. */
struct walk {
    uint32_t stack[256];
    size_t depth, opened;
    uint64_t last;
};

static void on_open(void *context, uint32_t call, uint64_t at)
{
    struct walk *walk = context;

    assert_true(at >= walk->last);
    walk->last = at;
    walk->stack[walk->depth++] = call;
    walk->opened++;
}

static void on_close(void *context, uint32_t call, uint64_t at)
{
    struct walk *walk = context;

    assert_true(at >= walk->last);
    walk->last = at;
    assert_true(walk->depth > 0);
    assert_int_equal(walk->stack[--walk->depth], call);
}

static void check(const struct cps_trace *trace, const uint32_t *lanes, uint32_t lane_count)
{
    struct cps_tree tree = {0};
    struct cps_timeline timeline = {0};
    size_t opened = 0;

    assert_int_equal(cps_tree_build(trace, &tree), 0);
    assert_int_equal(cps_timeline_build(trace, &tree, &timeline), 0);
    assert_int_equal(timeline.lanes, lane_count);
    for (size_t i = 0; i < timeline.count; i++) {
        assert_int_equal(timeline.items[i].lane, lanes[i]);
        assert_int_equal(timeline.items[i].end - timeline.items[i].start, trace->calls[i].elapsed);
    }
    for (uint32_t lane = 0; lane < timeline.lanes; lane++) {
        struct walk walk = {0};
        struct cps_timeline_visitor visitor = {on_open, on_close, &walk};

        assert_int_equal(cps_timeline_walk(&timeline, lane, &visitor), 0);
        assert_int_equal(walk.depth, 0);
        assert_true(walk.last <= timeline.duration);
        opened += walk.opened;
    }
    assert_int_equal(opened, timeline.count);
    cps_timeline_free(&timeline);
    cps_tree_free(&tree);
}

static void synchronous_calls_share_a_lane(void **state)
{
    static const struct made_call calls[] = {{"main", 0, 100, 0},
                                             {"a", 10, 20, 1},
                                             {"b", 30, 70, 1},
                                             {"c", 30, 70, 2},
                                             {"d", 100, 0, 0}};
    static const uint32_t lanes[] = {0, 0, 0, 0, 0};
    cps_auto_trace struct cps_trace *trace = made_trace("/", 120, calls, 5);

    (void)state;
    check(trace, lanes, 1);
}

static void overlapping_calls_get_lanes_and_give_them_back(void **state)
{
    static const struct made_call calls[] = {
        {"handler", 0, 100, 0}, {"fetch", 10, 50, 1}, {"fetch", 20, 50, 1},
        {"parse", 30, 10, 2},   {"fetch", 80, 10, 1}, {"late", 95, 30, 1},
    };
    static const uint32_t lanes[] = {0, 0, 1, 1, 0, 1};
    cps_auto_trace struct cps_trace *trace = made_trace("/", 200, calls, 6);

    (void)state;
    check(trace, lanes, 2);
}

static void calls_outside_the_request_stretch_the_axis(void **state)
{
    static const struct made_call calls[] = {{"a", 5, 500, 0}};
    cps_auto_trace struct cps_trace *trace = made_trace("/", 100, calls, 1);
    struct cps_tree tree = {0};
    struct cps_timeline timeline = {0};

    (void)state;
    trace->calls[0].start -= 10;
    assert_int_equal(cps_tree_build(trace, &tree), 0);
    assert_int_equal(cps_timeline_build(trace, &tree, &timeline), 0);
    assert_true(timeline.begin == MADE_START - 5);
    assert_int_equal(timeline.duration, 500);
    cps_timeline_free(&timeline);
    cps_tree_free(&tree);
}

static void more_overlaps_than_lanes_are_cut_to_fit(void **state)
{
    cps_auto_trace struct cps_trace *trace = made_trace("/", 1000, NULL, 0);
    struct cps_tree tree = {0};
    struct cps_timeline timeline = {0};

    (void)state;
    for (uint32_t i = 0; i < 200; i++) {
        struct cps_call call = {
            .start = MADE_START + i, .elapsed = 500 + i, .depth = CPS_DEPTH_UNKNOWN};

        call.name = made_name(trace, "fetch");
        assert_int_equal(cps_trace_add_call(trace, &call), 0);
    }
    assert_int_equal(cps_tree_build(trace, &tree), 0);
    assert_int_equal(cps_timeline_build(trace, &tree, &timeline), 0);
    assert_int_equal(timeline.lanes, 64);
    for (uint32_t lane = 0; lane < timeline.lanes; lane++) {
        struct walk walk = {0};
        struct cps_timeline_visitor visitor = {on_open, on_close, &walk};

        assert_int_equal(cps_timeline_walk(&timeline, lane, &visitor), 0);
        assert_int_equal(walk.depth, 0);
    }
    for (size_t i = 64; i < 200; i++)
        assert_true(timeline.items[i].end <= timeline.items[63].end);
    cps_timeline_free(&timeline);
    cps_tree_free(&tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(synchronous_calls_share_a_lane),
        cmocka_unit_test(overlapping_calls_get_lanes_and_give_them_back),
        cmocka_unit_test(calls_outside_the_request_stretch_the_axis),
        cmocka_unit_test(more_overlaps_than_lanes_are_cut_to_fit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
