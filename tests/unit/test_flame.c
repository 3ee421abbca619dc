/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "flame.h"
#include "trace_maker.h"

struct expected {
    const char *name; /* NULL for the request */
    uint32_t parent;
    uint64_t calls, total, self;
};

static void check(const struct cps_trace *trace, const struct expected *nodes, size_t count)
{
    struct cps_tree tree = {0};
    struct cps_flame flame = {0};
    uint64_t self = 0;

    assert_int_equal(cps_tree_build(trace, &tree), 0);
    assert_int_equal(cps_flame_build(trace, &tree, &flame), 0);
    assert_int_equal(flame.count, count);
    for (size_t i = 0; i < count; i++) {
        const struct cps_flame_node *node = &flame.nodes[i];

        assert_int_equal(node->parent, nodes[i].parent);
        assert_int_equal(node->calls, nodes[i].calls);
        assert_int_equal(node->total, nodes[i].total);
        assert_int_equal(node->self, nodes[i].self);
        if (i > 0)
            assert_string_equal(trace->names[node->name].data, nodes[i].name);
        self += node->self;
    }
    assert_int_equal(self, flame.nodes[0].total);
    cps_flame_free(&flame);
    cps_tree_free(&tree);
}

static void calls_under_one_stack_become_one_node(void **state)
{
    static const struct made_call calls[] = {
        {"main", 0, 100, 0}, {"a", 10, 20, 1}, {"q", 12, 5, 2},
        {"b", 40, 10, 1},    {"a", 60, 20, 1}, {"q", 61, 9, 2},
    };
    static const struct expected nodes[] = {
        {NULL, CPS_FLAME_NONE, 1, 120, 20},
        {"main", 0, 1, 100, 50},
        {"a", 1, 2, 40, 26},
        {"q", 2, 2, 14, 14},
        {"b", 1, 1, 10, 10},
    };
    cps_auto_trace struct cps_trace *trace = made_trace("/", 120, calls, 6);

    (void)state;
    check(trace, nodes, 5);
}

static void children_are_linked_in_order_of_first_call(void **state)
{
    static const struct made_call calls[] = {
        {"a", 0, 10, 0}, {"b", 20, 10, 0}, {"a", 40, 10, 0}, {"c", 60, 10, 0}};
    cps_auto_trace struct cps_trace *trace = made_trace("/", 100, calls, 4);
    struct cps_tree tree = {0};
    struct cps_flame flame = {0};

    (void)state;
    assert_int_equal(cps_tree_build(trace, &tree), 0);
    assert_int_equal(cps_flame_build(trace, &tree, &flame), 0);
    assert_int_equal(flame.nodes[0].first_child, 1);
    assert_int_equal(flame.nodes[1].next_sibling, 2);
    assert_int_equal(flame.nodes[2].next_sibling, 3);
    assert_int_equal(flame.nodes[3].next_sibling, CPS_FLAME_NONE);
    assert_int_equal(flame.nodes[1].first_child, CPS_FLAME_NONE);
    cps_flame_free(&flame);
    cps_tree_free(&tree);
}

static void overlapping_calls_add_up(void **state)
{
    static const struct made_call calls[] = {{"fetch", 0, 100, 0}, {"fetch", 10, 100, 0}};
    static const struct expected nodes[] = {{NULL, CPS_FLAME_NONE, 1, 200, 0},
                                            {"fetch", 0, 2, 200, 200}};
    cps_auto_trace struct cps_trace *trace = made_trace("/", 120, calls, 2);

    (void)state;
    check(trace, nodes, 2);
}

static void a_trace_without_calls_is_the_request_alone(void **state)
{
    static const struct expected nodes[] = {{NULL, CPS_FLAME_NONE, 1, 120, 120}};
    cps_auto_trace struct cps_trace *trace = made_trace("/", 120, NULL, 0);

    (void)state;
    check(trace, nodes, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_under_one_stack_become_one_node),
        cmocka_unit_test(children_are_linked_in_order_of_first_call),
        cmocka_unit_test(overlapping_calls_add_up),
        cmocka_unit_test(a_trace_without_calls_is_the_request_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
