/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "totals.h"
#include "trace_maker.h"

static const struct cps_function *find(const struct cps_trace *trace,
                                       const struct cps_totals *totals, const char *name)
{
    for (size_t i = 0; i < totals->function_count; i++)
        if (!strcmp(trace->names[totals->functions[i].name].data, name))
            return &totals->functions[i];
    return NULL;
}

static const struct cps_caller *find_caller(const struct cps_trace *trace,
                                            const struct cps_totals *totals, const char *name,
                                            const char *caller)
{
    const struct cps_function *function = find(trace, totals, name);

    assert_non_null(function);
    for (uint32_t i = 0; i < function->caller_count; i++) {
        const struct cps_caller *at = &totals->callers[function->first_caller + i];

        if (!strcmp(trace->names[at->name].data, caller))
            return at;
    }
    return NULL;
}

static const struct made_call calls[] = {
    {"main", 0, 100, 0}, {"load", 10, 30, 1}, {"query", 12, 10, 2}, {"query", 25, 10, 2},
    {"load", 50, 40, 1}, {"load", 55, 30, 2}, {"query", 60, 5, 3},  {"query", 91, 4, 1},
};

static void calls_add_up_with_recursion_counted_once(void **state)
{
    cps_auto_trace struct cps_trace *trace =
        made_trace("/", 120, calls, sizeof(calls) / sizeof(*calls));
    struct cps_totals totals = {0};

    (void)state;
    assert_int_equal(cps_totals_build(trace, &totals), 0);
    assert_false(totals.exact);
    assert_int_equal(totals.function_count, 3);
    assert_int_equal(find(trace, &totals, "main")->self, 100 - 30 - 40 - 4);
    assert_int_equal(find(trace, &totals, "load")->calls, 3);
    assert_int_equal(find(trace, &totals, "load")->elapsed, 70);
    assert_int_equal(find(trace, &totals, "load")->self, 10 + 10 + 25);
    assert_int_equal(find(trace, &totals, "load")->longest, 40);
    assert_int_equal(find(trace, &totals, "query")->calls, 4);
    assert_int_equal(find(trace, &totals, "query")->elapsed, 29);
    cps_totals_free(&totals);
}

static void callers_are_told_apart(void **state)
{
    cps_auto_trace struct cps_trace *trace =
        made_trace("/", 120, calls, sizeof(calls) / sizeof(*calls));
    struct cps_totals totals = {0};

    (void)state;
    assert_int_equal(cps_totals_build(trace, &totals), 0);
    assert_int_equal(find_caller(trace, &totals, "query", "load")->calls, 3);
    assert_int_equal(find_caller(trace, &totals, "query", "load")->elapsed, 25);
    assert_int_equal(find_caller(trace, &totals, "query", "main")->calls, 1);
    assert_int_equal(find_caller(trace, &totals, "load", "main")->elapsed, 70);
    assert_int_equal(find_caller(trace, &totals, "load", "load")->elapsed, 30);
    assert_null(find_caller(trace, &totals, "main", "main"));
    assert_int_equal(totals.caller_count, 4);
    cps_totals_free(&totals);
}

static void exact_totals_are_taken_as_they_are(void **state)
{
    cps_auto_trace struct cps_trace *trace = made_trace("/", 120, calls, 2);
    struct cps_function function = {.calls = 5000, .name = 0};
    struct cps_totals totals = {0};

    (void)state;
    trace->has_functions = true;
    assert_int_equal(cps_trace_add_function(trace, &function), 0);
    assert_int_equal(cps_totals_build(trace, &totals), 0);
    assert_true(totals.exact);
    assert_int_equal(totals.function_count, 1);
    assert_int_equal(totals.functions[0].calls, 5000);
    cps_totals_free(&totals);
    assert_int_equal(trace->functions[0].calls, 5000);
}

static void a_trace_without_calls_has_no_functions(void **state)
{
    cps_auto_trace struct cps_trace *trace = made_trace("/", 120, NULL, 0);
    struct cps_totals totals = {0};

    (void)state;
    assert_int_equal(cps_totals_build(trace, &totals), 0);
    assert_int_equal(totals.function_count, 0);
    cps_totals_free(&totals);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_add_up_with_recursion_counted_once),
        cmocka_unit_test(callers_are_told_apart),
        cmocka_unit_test(exact_totals_are_taken_as_they_are),
        cmocka_unit_test(a_trace_without_calls_has_no_functions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
