/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "findings.h"
#include "trace_maker.h"

#define MS UINT64_C(1000000)

static struct cps_findings find(struct cps_trace *trace, char *text, size_t size)
{
    struct cps_totals totals = {0};
    struct cps_findings findings;

    assert_int_equal(cps_totals_build(trace, &totals), 0);
    cps_findings_find(trace, &totals, &findings);
    text[0] = '\0';
    if (findings.count)
        cps_findings_describe(trace, &findings.items[0], text, size);
    cps_totals_free(&totals);
    return findings;
}

static void a_query_in_a_loop_is_named_with_its_caller(void **state)
{
    struct made_call calls[52] = {{"page", 0, 100 * MS, 0}, {"list", MS, 90 * MS, 1}};
    char text[256];

    (void)state;
    for (unsigned i = 2; i < 52; i++)
        calls[i] = (struct made_call){"query", (i + 1) * MS, MS, 2};
    cps_auto_trace struct cps_trace *trace = made_trace("/", 100 * MS, calls, 52);
    assert_int_equal(find(trace, text, sizeof(text)).items[0].rule, CPS_FINDING_REPEATED);
    assert_string_equal(text, "query: 50 calls from list, 50 ms (50%). The same call in a loop?");
}

static void one_slow_call_is_named(void **state)
{
    static const struct made_call calls[] = {{"page", 0, 100 * MS, 0},
                                             {"render", 5 * MS, 20 * MS, 1},
                                             {"curl_exec", 30 * MS, 60 * MS, 1}};
    cps_auto_trace struct cps_trace *trace = made_trace("/", 100 * MS, calls, 3);
    char text[256];

    (void)state;
    assert_int_equal(find(trace, text, sizeof(text)).items[0].rule, CPS_FINDING_SLOW);
    assert_memory_equal(text, "curl_exec: one call, 60 ms (60%)", 32);
}

static void a_balanced_request_has_none(void **state)
{
    struct made_call calls[11] = {{"page", 0, 100 * MS, 0}};
    char names[10][8], text[256];

    (void)state;
    for (unsigned i = 0; i < 10; i++) {
        (void)snprintf(names[i], sizeof(names[i]), "step%u", i);
        calls[i + 1] = (struct made_call){names[i], (uint64_t)i * 10 * MS, 9 * MS, 1};
    }
    cps_auto_trace struct cps_trace *trace = made_trace("/", 100 * MS, calls, 11);
    assert_int_equal(find(trace, text, sizeof(text)).count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_query_in_a_loop_is_named_with_its_caller),
        cmocka_unit_test(one_slow_call_is_named),
        cmocka_unit_test(a_balanced_request_has_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
