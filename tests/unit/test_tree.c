/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tree.h"

struct expected {
    struct cps_call call;
    struct cps_tree_node node;
};

static void check(const struct expected *cases, size_t count)
{
    cps_auto_trace struct cps_trace *trace = cps_trace_new();
    struct cps_tree tree = {0};

    for (size_t i = 0; i < count; i++)
        assert_int_equal(cps_trace_add_call(trace, &cases[i].call), 0);
    assert_int_equal(cps_tree_build(trace, &tree), 0);
    assert_int_equal(tree.count, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(tree.nodes[i].parent, cases[i].node.parent);
        assert_int_equal(tree.nodes[i].next, cases[i].node.next);
        assert_int_equal(tree.nodes[i].depth, cases[i].node.depth);
        assert_int_equal(tree.nodes[i].children, cases[i].node.children);
        assert_int_equal(tree.nodes[i].self, cases[i].node.self);
    }
    cps_tree_free(&tree);
    assert_null(tree.nodes);
}

#define CALL(at, took, deep)                                                                       \
    {                                                                                              \
        .start = (at), .elapsed = (took), .depth = (deep)                                          \
    }
#define NODE(up, after, deep, below, own)                                                          \
    {                                                                                              \
        .parent = (up), .next = (after), .depth = (deep), .children = (below), .self = (own)       \
    }

static void depths_decide_and_holes_close(void **state)
{
    static const struct expected cases[] = {
        {CALL(0, 100, 0), NODE(CPS_TREE_NONE, 4, 0, 2, 40)},
        {CALL(10, 30, 3), NODE(0, 3, 1, 1, 10)},
        {CALL(15, 20, 5), NODE(1, 3, 2, 0, 20)},
        {CALL(50, 30, 3), NODE(0, 4, 1, 0, 30)},
        {CALL(100, 5, 0), NODE(CPS_TREE_NONE, 5, 0, 0, 5)},
    };

    (void)state;
    check(cases, sizeof(cases) / sizeof(*cases));
}

static void time_decides_where_depths_are_not_known(void **state)
{
    static const struct expected cases[] = {
        {CALL(0, 100, CPS_DEPTH_UNKNOWN), NODE(CPS_TREE_NONE, 3, 0, 2, 50)},
        {CALL(10, 30, CPS_DEPTH_UNKNOWN), NODE(0, 2, 1, 0, 30)},
        {CALL(40, 20, CPS_DEPTH_UNKNOWN), NODE(0, 3, 1, 0, 20)},
        {CALL(90, 20, CPS_DEPTH_UNKNOWN), NODE(CPS_TREE_NONE, 4, 0, 0, 20)},
    };

    (void)state;
    check(cases, sizeof(cases) / sizeof(*cases));
}

static void children_that_claim_more_than_their_parent_leave_no_self_time(void **state)
{
    static const struct expected cases[] = {
        {CALL(0, 10, 0), NODE(CPS_TREE_NONE, 2, 0, 1, 0)},
        {CALL(5, 50, 1), NODE(0, 2, 1, 0, 50)},
    };

    (void)state;
    check(cases, sizeof(cases) / sizeof(*cases));
}

static void a_trace_without_calls_is_an_empty_tree(void **state)
{
    (void)state;
    check(NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(depths_decide_and_holes_close),
        cmocka_unit_test(time_decides_where_depths_are_not_known),
        cmocka_unit_test(children_that_claim_more_than_their_parent_leave_no_self_time),
        cmocka_unit_test(a_trace_without_calls_is_an_empty_tree),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
