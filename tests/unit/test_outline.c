/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "outline.h"
#include "trace_maker.h"

#define COUNT(calls) (sizeof(calls) / sizeof(*(calls)))

/* Draws the nodes from `index` on with what is below them: "  name xMEMBERS @DEEP CALLS TOTAL
 * SELF".
 */
static void draw(const struct cps_trace *trace, const struct cps_outline *outline, uint32_t index,
                 struct cps_buf *out)
{
    for (; index != CPS_OUTLINE_NONE; index = outline->nodes[index].next_sibling) {
        const struct cps_outline_node *node = &outline->nodes[index];

        cps_buf_append_format(out, "%*s%s", (int)node->depth * 2, "",
                              trace->names[trace->calls[node->call].name].data);
        if (node->members)
            cps_buf_append_format(out, " x%u longest %" PRIu64, node->members, node->longest);
        if (node->deep > 1)
            cps_buf_append_format(out, " @%u", node->deep);
        cps_buf_append_format(out, " %u %" PRIu64 " %" PRIu64 "\n", node->calls, node->total,
                              node->self);
        draw(trace, outline, node->first_child, out);
    }
}

static void check(const struct made_call *calls, size_t count, bool fold, const char *expected)
{
    cps_auto_trace struct cps_trace *trace = made_trace("/", 1000, calls, count);
    cps_auto_buf struct cps_buf text = {0};
    struct cps_tree tree = {0};
    struct cps_outline outline = {0};

    assert_int_equal(cps_tree_build(trace, &tree), 0);
    assert_int_equal(cps_outline_build(trace, &tree, fold, &outline), 0);
    draw(trace, &outline, outline.count ? 0 : CPS_OUTLINE_NONE, &text);
    cps_buf_append(&text, "", 1);
    assert_string_equal(text.data, expected);
    cps_outline_free(&outline);
    assert_null(outline.nodes);
    cps_tree_free(&tree);
}

static void equal_leaves_are_a_group_and_stand_where_the_first_does(void **state)
{
    static const struct made_call calls[] = {{"page", 0, 100, 0},  {"query", 10, 5, 1},
                                             {"render", 20, 7, 1}, {"query", 40, 9, 1},
                                             {"query", 50, 1, 1},  {"render", 60, 7, 1}};

    (void)state;
    check(calls, COUNT(calls), false,
          "page 1 100 71\n"
          "  query x3 longest 9 3 15 15\n"
          "    query 1 5 5\n"
          "    query 1 9 9\n"
          "    query 1 1 1\n"
          "  render 1 7 7\n"
          "  render 1 7 7\n");
}

static void rounds_of_a_loop_are_a_group_though_some_of_their_calls_are_not_known(void **state)
{
    static const struct made_call calls[] = {
        {"page", 0, 100, 0}, {"load", 0, 20, 1},  {"query", 1, 18, 2},  {"execute", 2, 10, 3},
        {"load", 30, 5, 1},  {"load", 40, 20, 1}, {"query", 41, 10, 2}, {"load", 70, 1, 1},
    };

    (void)state;
    check(calls, COUNT(calls), false,
          "page 1 100 54\n"
          "  load x4 longest 20 4 46 18\n"
          "    load 1 20 2\n"
          "      query 1 18 8\n"
          "        execute 1 10 10\n"
          "    load 1 5 5\n"
          "    load 1 20 10\n"
          "      query 1 10 10\n"
          "    load 1 1 1\n");
}

static void three_calls_with_calls_below_them_stay_three_rows(void **state)
{
    static const struct made_call calls[] = {{"page", 0, 100, 0},
                                             {"load", 0, 20, 1},
                                             {"query", 1, 18, 2},
                                             {"load", 30, 5, 1},
                                             {"load", 40, 5, 1}};

    (void)state;
    check(calls, COUNT(calls), false,
          "page 1 100 70\n"
          "  load 1 20 2\n"
          "    query 1 18 18\n"
          "  load 1 5 5\n"
          "  load 1 5 5\n");
}

static void calls_at_the_top_are_grouped_too(void **state)
{
    static const struct made_call calls[] = {
        {"tick", 0, 5, 0}, {"read", 10, 3, 0}, {"tick", 20, 6, 0}, {"tick", 30, 1, 0}};

    (void)state;
    check(calls, COUNT(calls), false,
          "tick x3 longest 6 3 12 12\n"
          "  tick 1 5 5\n"
          "  tick 1 6 6\n"
          "  tick 1 1 1\n"
          "read 1 3 3\n");
}

static void a_chain_that_calls_itself_is_one_node_with_the_children_of_all_levels(void **state)
{
    static const struct made_call calls[] = {
        {"page", 0, 100, 0}, {"walk", 0, 90, 1}, {"read", 1, 4, 2},  {"walk", 10, 70, 2},
        {"walk", 20, 50, 3}, {"read", 21, 6, 4}, {"read", 30, 2, 4}, {"stat", 65, 3, 3}};

    (void)state;
    check(calls, COUNT(calls), true,
          "page 1 100 10\n"
          "  walk @3 3 90 75\n"
          "    read x3 longest 6 3 12 12\n"
          "      read 1 4 4\n"
          "      read 1 6 6\n"
          "      read 1 2 2\n"
          "    stat 1 3 3\n");
    check(calls, COUNT(calls), false,
          "page 1 100 10\n"
          "  walk 1 90 16\n"
          "    read 1 4 4\n"
          "    walk 1 70 17\n"
          "      walk 1 50 42\n"
          "        read 1 6 6\n"
          "        read 1 2 2\n"
          "      stat 1 3 3\n");
}

static void a_recursion_through_others_holds_them(void **state)
{
    static const struct made_call calls[] = {{"a", 0, 100, 0}, {"b", 1, 90, 1}, {"a", 2, 80, 2},
                                             {"b", 3, 70, 3},  {"x", 4, 10, 4}, {"c", 85, 3, 2}};

    (void)state;
    check(calls, COUNT(calls), true,
          "a @2 4 100 87\n"
          "  x 1 10 10\n"
          "  c 1 3 3\n");
}

static void branches_of_a_recursion_are_one_node(void **state)
{
    static const struct made_call calls[] = {
        {"fib", 0, 100, 0}, {"fib", 0, 60, 1}, {"fib", 0, 10, 2}, {"fib", 61, 30, 1}};

    (void)state;
    check(calls, COUNT(calls), true, "fib @3 4 100 100\n");
}

static void a_function_that_comes_again_far_below_does_not_recur(void **state)
{
    static const struct made_call calls[] = {
        {"each", 0, 100, 0}, {"b", 0, 90, 1}, {"c", 0, 80, 2}, {"d", 0, 70, 3}, {"each", 0, 60, 4}};

    (void)state;
    check(calls, COUNT(calls), true,
          "each 1 100 10\n"
          "  b 1 90 10\n"
          "    c 1 80 10\n"
          "      d 1 70 10\n"
          "        each 1 60 60\n");
}

static void an_empty_tree_is_an_empty_outline(void **state)
{
    (void)state;
    check(NULL, 0, true, "");
}

/* Whatever the shape, no time is lost or counted twice: all self times are in the nodes at the top
 * and below, and a call is found again by its node. */
static void every_call_has_its_node(void **state)
{
    struct made_call calls[300];
    static const char *const names[] = {"a", "b", "c", "d"};
    uint32_t depth = 0;

    (void)state;
    srand(4);
    for (size_t i = 0; i < COUNT(calls); i++) {
        calls[i] = (struct made_call){names[rand() % 4], i, 2 * COUNT(calls) - 2 * i, depth};
        depth = (uint32_t)rand() % (depth + 2);
    }
    cps_auto_trace struct cps_trace *trace = made_trace("/", 1000, calls, COUNT(calls));
    struct cps_tree tree = {0};

    assert_int_equal(cps_tree_build(trace, &tree), 0);
    for (int fold = 0; fold < 2; fold++) {
        struct cps_outline outline = {0};
        uint64_t self = 0, expected = 0;
        size_t stands_for = 0;

        assert_int_equal(cps_outline_build(trace, &tree, fold, &outline), 0);
        assert_int_equal(outline.recursive, fold);
        for (uint32_t i = 0; i < outline.count; i++) {
            const struct cps_outline_node *node = &outline.nodes[i];

            assert_true(node->parent == CPS_OUTLINE_NONE || node->parent < i);
            if (node->members)
                continue;
            assert_int_equal(outline.node_of[node->call], i);
            self += node->self;
            stands_for += node->calls;
        }
        for (size_t i = 0; i < tree.count; i++)
            expected += tree.nodes[i].self;
        assert_int_equal(self, expected);
        assert_int_equal(stands_for, tree.count);
        cps_outline_free(&outline);
    }
    cps_tree_free(&tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_leaves_are_a_group_and_stand_where_the_first_does),
        cmocka_unit_test(rounds_of_a_loop_are_a_group_though_some_of_their_calls_are_not_known),
        cmocka_unit_test(three_calls_with_calls_below_them_stay_three_rows),
        cmocka_unit_test(calls_at_the_top_are_grouped_too),
        cmocka_unit_test(a_chain_that_calls_itself_is_one_node_with_the_children_of_all_levels),
        cmocka_unit_test(a_recursion_through_others_holds_them),
        cmocka_unit_test(branches_of_a_recursion_are_one_node),
        cmocka_unit_test(a_function_that_comes_again_far_below_does_not_recur),
        cmocka_unit_test(an_empty_tree_is_an_empty_outline),
        cmocka_unit_test(every_call_has_its_node),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
