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
    cps_findings_find(trace, &totals, NULL, 0, &findings);
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
    assert_int_equal(find(trace, text, sizeof(text)).items[0].rule, CPS_FINDING_LOOP);
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

/* A page of ten calls, one after the other and equally long. */
static struct cps_trace *ten_steps(void)
{
    struct made_call calls[11] = {{"page", 0, 100 * MS, 0}};
    char names[10][8];

    for (unsigned i = 0; i < 10; i++) {
        (void)snprintf(names[i], sizeof(names[i]), "step%u", i);
        calls[i + 1] = (struct made_call){names[i], (uint64_t)i * 10 * MS, 9 * MS, 1};
    }
    return made_trace("/", 100 * MS, calls, 11);
}

static void a_balanced_request_has_none(void **state)
{
    cps_auto_trace struct cps_trace *trace = ten_steps();
    char text[256];

    (void)state;
    assert_int_equal(find(trace, text, sizeof(text)).count, 0);
}

static void a_query_below_a_wrapper_is_laid_to_the_loop(void **state)
{
    struct made_call calls[62] = {{"page", 0, 100 * MS, 0}, {"list", 0, 90 * MS, 1}};
    char text[256];

    (void)state;
    for (unsigned i = 0; i < 30; i++) {
        calls[2 + 2 * i] = (struct made_call){"find", (1 + 2 * i) * MS, 2 * MS, 2};
        calls[3 + 2 * i] = (struct made_call){"PDO::query", (1 + 2 * i) * MS, 2 * MS - 1000, 3};
    }
    cps_auto_trace struct cps_trace *trace = made_trace("/", 100 * MS, calls, 62);
    assert_int_equal(find(trace, text, sizeof(text)).items[0].kind, CPS_KIND_QUERY);
    assert_string_equal(text, "PDO::query: 30 calls from list through find, 60 ms (60%). The same "
                              "query in a loop?");
}

static void a_function_that_goes_on_calling_itself_is_named(void **state)
{
    struct made_call calls[201] = {{"page", 0, 100 * MS, 0}};
    char text[256];

    (void)state;
    for (uint32_t i = 1; i < 201; i++)
        calls[i] = (struct made_call){"save", (uint64_t)i * 1000, 60 * MS - (uint64_t)i * 2000, i};
    cps_auto_trace struct cps_trace *trace = made_trace("/", 100 * MS, calls, 201);
    assert_int_equal(find(trace, text, sizeof(text)).items[0].rule, CPS_FINDING_RECURSION);
    assert_string_equal(text, "save: calls itself, 200 calls, 60 ms (60%) in all.");
}

static void a_step_in_memory_is_named(void **state)
{
    cps_auto_trace struct cps_trace *trace = ten_steps();
    char text[256];

    (void)state;
    for (unsigned i = 0; i < 11; i++)
        trace->calls[i].memory = i > 6 || i == 0 ? UINT64_C(40) << 20 : UINT64_C(4) << 20;
    find(trace, text, sizeof(text));
    assert_string_equal(text, "step6: memory grew by 36 MB in one call.");
}

/* Three waits below one function of Node.js, `apart` ns from each other. */
static struct cps_trace *three_waits(uint64_t apart)
{
    const struct made_call calls[] = {{"page", 0, 100 * MS, 0},
                                      {"user", MS, 30 * MS, 1},
                                      {"news", MS + apart, 30 * MS, 1},
                                      {"mail", MS + 2 * apart, 30 * MS, 1}};
    struct cps_trace *trace = made_trace("/", 100 * MS, calls, 4);

    trace->runtime = CPS_RUNTIME_NODE;
    trace->has_functions = true;
    for (unsigned i = 0; i < 4; i++) {
        struct cps_function function = {
            .calls = 1, .elapsed = calls[i].elapsed, .longest = calls[i].elapsed, .self = 1000};

        function.name = trace->calls[i].name;
        assert_int_equal(cps_trace_add_function(trace, &function), 0);
    }
    return trace;
}

static void waits_that_follow_one_another_are_named(void **state)
{
    cps_auto_trace struct cps_trace *serial = three_waits(31 * MS);
    cps_auto_trace struct cps_trace *together = three_waits(MS);
    char text[256];

    (void)state;
    assert_int_equal(find(serial, text, sizeof(text)).items[0].rule, CPS_FINDING_SERIAL);
    assert_string_equal(text, "page: 3 waits one after another, 90 ms (90%). At the same time they "
                              "take 30 ms.");
    assert_int_not_equal(find(together, text, sizeof(text)).items[0].rule, CPS_FINDING_SERIAL);
}

static void what_makes_a_page_uncacheable_is_named(void **state)
{
    static const struct made_call calls[] = {{"page", 0, 10 * MS, 0}};
    cps_auto_trace struct cps_trace *trace = made_trace("/", 10 * MS, calls, 1);
    struct cps_cache_event event = {.caller = made_string(trace, "Cart::build"),
                                    .object_type = made_string(trace, ""),
                                    .tags = made_string(trace, ""),
                                    .contexts = made_string(trace, ""),
                                    .calls = 3};
    char text[256];

    (void)state;
    assert_int_equal(cps_trace_add_cache_event(trace, &event), 0);
    find(trace, text, sizeof(text));
    assert_string_equal(text, "Cart::build: makes the page uncacheable, 3 times with max-age 0.");
}

/* PHP unwinds what is open, so that three calls end within a moment; the innermost is where it was.
 */
static void the_last_call_before_an_abort_is_named(void **state)
{
    static const struct made_call calls[] = {{"page", 0, 100 * MS, 0},
                                             {"read", 5 * MS, 20 * MS, 1},
                                             {"list", 30 * MS, 70 * MS - 1000, 1},
                                             {"first", 40 * MS, 20 * MS, 2},
                                             {"flush", 85 * MS, 15 * MS - 2000, 2}};
    cps_auto_trace struct cps_trace *trace = made_trace("/", 100 * MS, calls, 5);
    char text[256];

    (void)state;
    trace->outcome = CPS_OUTCOME_ABORTED;
    assert_int_equal(find(trace, text, sizeof(text)).items[0].rule, CPS_FINDING_ABORTED);
    assert_string_equal(text, "flush: the last call that ended before the request was aborted, "
                              "100 ms after its start.");
    trace->outcome = CPS_OUTCOME_COMPLETE;
    find(trace, text, sizeof(text));
    assert_null(strstr(text, "aborted"));
}

static void an_abort_stands_beside_what_took_the_time(void **state)
{
    static const struct made_call calls[] = {{"page", 0, 100 * MS, 0},
                                             {"curl_exec", 5 * MS, 90 * MS, 1}};
    cps_auto_trace struct cps_trace *trace = made_trace("/", 100 * MS, calls, 2);
    struct cps_findings findings;
    char text[256];

    (void)state;
    trace->outcome = CPS_OUTCOME_ABORTED;
    findings = find(trace, text, sizeof(text));
    assert_int_equal(findings.count, 2);
    assert_int_equal(findings.items[0].rule, CPS_FINDING_SLOW);
    assert_int_equal(findings.items[1].rule, CPS_FINDING_ABORTED);
}

static void an_abort_without_calls_names_none(void **state)
{
    cps_auto_trace struct cps_trace *trace = made_trace("/", 100 * MS, NULL, 0);
    char text[256];

    (void)state;
    trace->outcome = CPS_OUTCOME_ABORTED;
    assert_int_equal(find(trace, text, sizeof(text)).count, 0);
}

/* Room for that many names, each of which is a function: its index in both. */
static void add_functions(struct cps_trace *trace, unsigned count, uint64_t time)
{
    for (unsigned i = 0; i < count; i++) {
        struct cps_function function = {.calls = 1, .elapsed = time, .self = time, .longest = time};
        char name[16];

        (void)snprintf(name, sizeof(name), "f%u", i);
        function.name = made_name(trace, name);
        assert_int_equal(function.name, i);
        assert_int_equal(cps_trace_add_function(trace, &function), 0);
    }
    trace->has_functions = true;
}

/* The last function calls all others, and all others call it: to look through all of its callers
 * for each of the others takes minutes, and the test is ended. */
static void a_function_with_all_others_as_callers_and_callees_is_looked_through_once(void **state)
{
    cps_auto_trace struct cps_trace *trace = made_trace("/", 100 * MS, NULL, 0);
    unsigned last = 120000;
    char text[256];

    (void)state;
    add_functions(trace, last + 1, MS);
    for (unsigned i = 0; i < 2 * last; i++) {
        struct cps_caller caller = {
            .calls = 1000, .elapsed = 90 * MS, .name = i < last ? last : i - last};

        assert_int_equal(cps_trace_add_caller(trace, &caller), 0);
    }
    for (unsigned i = 0; i < last; i++) {
        trace->functions[i].first_caller = i;
        trace->functions[i].caller_count = 1;
        trace->functions[i].calls = 1000;
        trace->functions[i].self = trace->functions[i].elapsed = 90 * MS;
    }
    trace->functions[last].first_caller = trace->functions[last].caller_count = last;
    trace->functions[last].calls = 1000000;
    assert_true(find(trace, text, sizeof(text)).count > 0);
}

static struct cps_trace *busy_neighbour(uint64_t start, unsigned count)
{
    struct cps_trace *trace = made_trace("/report", 100 * MS, NULL, 0);

    add_functions(trace, count, 90 * MS);
    for (unsigned i = 0; i < count; i++) {
        struct cps_call call = {
            .start = MADE_START + start, .elapsed = i ? 1000 : 90 * MS, .name = i, .depth = 0};

        assert_int_equal(cps_trace_add_call(trace, &call), 0);
    }
    trace->runtime = CPS_RUNTIME_NODE;
    trace->pid = 7;
    return trace;
}

/* And to look through a neighbour's calls for each of its functions. */
static void what_kept_the_event_loop_is_found_in_one_walk_through_a_neighbour(void **state)
{
    static const struct made_call calls[] = {{"page", 0, 100 * MS, 0}};
    cps_auto_trace struct cps_trace *trace = made_trace("/", 100 * MS, calls, 1);
    cps_auto_trace struct cps_trace *busy = busy_neighbour(5 * MS, 120000);
    const struct cps_trace *const neighbours[] = {trace, busy};
    const struct cps_function page = {
        .calls = 1, .elapsed = 100 * MS, .longest = 100 * MS, .self = MS};
    struct cps_totals totals = {0};
    struct cps_findings findings;
    char text[256];

    (void)state;
    add_functions(trace, 0, 0);
    assert_int_equal(cps_trace_add_function(trace, &page), 0);
    trace->runtime = CPS_RUNTIME_NODE;
    trace->pid = 7;
    assert_int_equal(cps_totals_build(trace, &totals), 0);
    cps_findings_find(trace, &totals, neighbours, 2, &findings);
    cps_totals_free(&totals);
    assert_true(findings.count > 0);
    cps_findings_describe(trace, &findings.items[0], text, sizeof(text));
    assert_string_equal(text, "page: held up for 90 ms (90%) by f0 of GET /report, which kept the "
                              "event loop.");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_query_in_a_loop_is_named_with_its_caller),
        cmocka_unit_test(one_slow_call_is_named),
        cmocka_unit_test(a_query_below_a_wrapper_is_laid_to_the_loop),
        cmocka_unit_test(a_function_that_goes_on_calling_itself_is_named),
        cmocka_unit_test(a_step_in_memory_is_named),
        cmocka_unit_test(waits_that_follow_one_another_are_named),
        cmocka_unit_test(what_makes_a_page_uncacheable_is_named),
        cmocka_unit_test(the_last_call_before_an_abort_is_named),
        cmocka_unit_test(an_abort_stands_beside_what_took_the_time),
        cmocka_unit_test(an_abort_without_calls_names_none),
        cmocka_unit_test(a_function_with_all_others_as_callers_and_callees_is_looked_through_once),
        cmocka_unit_test(what_kept_the_event_loop_is_found_in_one_walk_through_a_neighbour),
        cmocka_unit_test(a_balanced_request_has_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
