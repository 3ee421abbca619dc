/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "check.h"
#include "trace_maker.h"

#define MS UINT64_C(1000000)
#define TRACES 7

/* Requests of "/" that took 10, 20, 30, 40 ms, one of /node/7, one of /a,(b), one command. */
static struct cps_trace **sample(void)
{
    static struct cps_trace *traces[TRACES];
    static const struct made_call calls[] = {
        {"main", 0, 90 * MS, 0}, {"query", 1 * MS, 5 * MS, 1}, {"query", 10 * MS, 7 * MS, 1}};

    for (size_t i = 0; i < 4; i++)
        traces[i] = made_trace(i % 2 ? "/?page=1" : "/", (40 - 10 * i) * MS, NULL, 0);
    traces[4] = made_trace("/node/7", 100 * MS, calls, 3);
    traces[4]->method = made_string(traces[4], "POST");
    traces[4]->id = made_string(traces[4], "ab\x1b"
                                           "12");
    traces[4]->status = 503;
    traces[5] = made_trace("/a,(b)", 1 * MS, NULL, 0);
    traces[6] = made_trace("drush cron", 30000u * (uint64_t)MS, NULL, 0);
    traces[6]->source = CPS_SOURCE_CLI;
    traces[6]->method = made_string(traces[6], "");
    traces[6]->outcome = CPS_OUTCOME_ABORTED;
    return traces;
}

static int setup(void **state)
{
    *state = sample();
    return 0;
}

static int teardown(void **state)
{
    struct cps_trace **traces = *state;

    for (size_t i = 0; i < TRACES; i++)
        cps_trace_free(traces[i]);
    return 0;
}

static struct cps_check_result run(void **state, const char *text)
{
    struct cps_trace **traces = *state;
    struct cps_check_rule *rule = NULL;
    struct cps_check_result result = {0};
    struct cps_error error = {0};

    if (cps_check_parse(text, &rule, &error))
        fail_msg("%s", error.text);
    assert_int_equal(cps_check_run(rule, (const struct cps_trace *const *)traces, TRACES, &result),
                     0);
    cps_check_free(rule);
    return result;
}

static void check(void **state, const char *text, size_t matched, uint64_t value, bool holds)
{
    struct cps_check_result result = run(state, text);

    assert_int_equal(result.matched, matched);
    assert_int_equal(result.value, value);
    assert_int_equal(result.holds, holds);
}

static void percentiles_are_by_nearest_rank(void **state)
{
    check(state, "p50(/) < 21ms", 4, 20 * MS, true);
    check(state, "p51(/) < 21ms", 4, 30 * MS, false);
    check(state, "p95(/) < 300ms", 4, 40 * MS, true);
    check(state, "p100(/) <= 40ms", 4, 40 * MS, true);
    check(state, "p1(/) >= 10ms", 4, 10 * MS, true);
}

static void durations_fold(void **state)
{
    check(state, "min(/) == 10ms", 4, 10 * MS, true);
    check(state, "max(/) != 40 ms", 4, 40 * MS, false);
    check(state, " mean( / )>24ms ", 4, 25 * MS, true);
}

static void routes_are_patterns_for_paths_and_commands(void **state)
{
    check(state, "count(/) == 4", 4, 4, true);
    check(state, "count(/*) == 6", 6, 6, true);
    check(state, "count() == 7", 7, 7, true);
    check(state, "count(POST /node/*) == 1", 1, 1, true);
    check(state, "count(GET /node/*) == 1", 0, 0, false);
    check(state, "count(GET) == 5", 5, 5, true);
    check(state, "count(/a,(b)) == 1", 1, 1, true);
    check(state, "max(drush *) < 1m", 1, 30000u * (uint64_t)MS, true);
}

static void functions_are_measured_in_each_request(void **state)
{
    check(state, "calls(/node/*, query) < 3", 1, 2, true);
    check(state, "calls(/node/*) == 3", 1, 3, true);
    check(state, "time(/node/*, query) <= 12ms", 1, 12 * MS, true);
    check(state, "self(*, main) == 78ms", 7, 78 * MS, true);
    check(state, "calls(/, nothing) == 0", 4, 0, true);
    check(state, "memory(/) <= 64MB", 4, 42000000, true);
}

static void errors_are_bad_statuses_and_bad_ends(void **state)
{
    check(state, "errors() == 2", 7, 2, true);
    check(state, "errors(/) == 0", 4, 0, true);
    check(state, "errors(/node/*) == 0", 1, 1, false);
}

static void a_rule_that_looks_at_nothing_is_broken(void **state)
{
    check(state, "max(/missing) < 1s", 0, 0, false);
    check(state, "errors(/missing) == 0", 0, 0, false);
    check(state, "count(/missing) == 0", 0, 0, true);
}

static void the_line_says_what_was_found(void **state)
{
    static const struct {
        const char *rule, *line;
    } cases[] = {
        {"p95(/) < 300ms", "holds   p95(/) < 300ms  40 ms of 4 requests\n"},
        {"max(/node/*) < 1ms",
         "BROKEN  max(/node/*) < 1ms  100 ms of 1 request: POST /node/7 ab\xef\xbf\xbd"
         "12\n"},
        {"max(/x) < 1ms", "BROKEN  max(/x) < 1ms  no request matched\n"},
        {"calls(/node/*, misspelt) < 5",
         "holds   calls(/node/*, misspelt) < 5  0 of 1 request, which never called it\n"},
        {"count(/x) > 0", "BROKEN  count(/x) > 0  0 of 0 requests\n"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct cps_check_result result = run(state, cases[i].rule);
        struct cps_check_rule *rule = NULL;
        cps_auto_buf struct cps_buf out = {0};

        assert_int_equal(cps_check_parse(cases[i].rule, &rule, NULL), 0);
        cps_check_append(&out, rule, &result);
        cps_buf_append(&out, "", 1);
        assert_string_equal(out.data, cases[i].line);
        cps_check_free(rule);
    }
}

static void what_is_no_rule_is_refused_by_name(void **state)
{
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"", "'' is no rule: METRIC(ROUTE) < FIGURE, such as 'p95(/) < 300ms'"},
        {"p95 < 300ms", "'p95 < 300ms' is no rule: METRIC(ROUTE) < FIGURE, such as "
                        "'p95(/) < 300ms'"},
        {")( < 1", "')( < 1' is no rule: METRIC(ROUTE) < FIGURE, such as 'p95(/) < 300ms'"},
        {"p095(/) < 1s", "'p095(/) < 1s': 'p095' is none of p1 to p100, min, max, mean, memory, "
                         "calls, time, self, errors, count"},
        {"p0(/) < 1s", "'p0(/) < 1s': 'p0' is none of p1 to p100, min, max, mean, memory, calls, "
                       "time, self, errors, count"},
        {"p101(/) < 1s", "'p101(/) < 1s': 'p101' is none of p1 to p100, min, max, mean, memory, "
                         "calls, time, self, errors, count"},
        {"p95(/) 300ms", "'p95(/) 300ms': one of < <= > >= == != has to follow the ')'"},
        {"p95(/) =< 300ms", "'p95(/) =< 300ms': one of < <= > >= == != has to follow the ')'"},
        {"p95(/) < fast", "'p95(/) < fast': 'fast' is no time, such as 300ms"},
        {"count(/) < -1", "'count(/) < -1': '-1' is no number"},
        {"memory(/) < 5q", "'memory(/) < 5q': '5q' is no size, such as 64MB"},
        {"self(/) < 1s", "'self(/) < 1s': self needs a function: self(ROUTE, FUNCTION)"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct cps_check_rule *rule = NULL;
        struct cps_error error = {0};

        assert_int_equal(cps_check_parse(cases[i].text, &rule, &error), -EINVAL);
        assert_null(rule);
        assert_string_equal(error.text, cases[i].error);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(percentiles_are_by_nearest_rank, setup, teardown),
        cmocka_unit_test_setup_teardown(durations_fold, setup, teardown),
        cmocka_unit_test_setup_teardown(routes_are_patterns_for_paths_and_commands, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(functions_are_measured_in_each_request, setup, teardown),
        cmocka_unit_test_setup_teardown(errors_are_bad_statuses_and_bad_ends, setup, teardown),
        cmocka_unit_test_setup_teardown(a_rule_that_looks_at_nothing_is_broken, setup, teardown),
        cmocka_unit_test_setup_teardown(the_line_says_what_was_found, setup, teardown),
        cmocka_unit_test(what_is_no_rule_is_refused_by_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
