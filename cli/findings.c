/* SPDX-License-Identifier: Apache-2.0 */
#include "findings.h"

#include <stdio.h>

#include "format.h"

/* A call that is repeated this often by one caller is a loop, and worth a line from this share on.
 */
#define REPEATED_CALLS 20
#define REPEATED_SHARE 0.15
#define SLOW_SHARE 0.15
#define RECURSION_CALLS 100
#define RECURSION_SHARE 0.25
/* Below this nothing is slow enough to be pointed at. */
#define SMALLEST_NS 1000000

struct search {
    const struct cps_trace *trace;
    const struct cps_totals *totals;
    struct cps_findings *out;
    double duration;
};

/* Keeps the best, in order of time; one function is named once. */
static void add(struct search *search, const struct cps_finding *finding)
{
    struct cps_findings *out = search->out;
    size_t at = 0;

    for (size_t i = 0; i < out->count; i++) {
        if (out->items[i].name == finding->name)
            return;
    }
    while (at < out->count && out->items[at].time >= finding->time)
        at++;
    if (at == CPS_FINDINGS_MAX)
        return;
    if (out->count < CPS_FINDINGS_MAX)
        out->count++;
    for (size_t i = out->count - 1; i > at; i--)
        out->items[i] = out->items[i - 1];
    out->items[at] = *finding;
}

static bool large(const struct search *search, uint64_t time, double share)
{
    return time >= SMALLEST_NS && (double)time >= share * search->duration;
}

/* What it does itself is most of it: otherwise the fault is further down. */
static bool is_leaf(const struct cps_function *function)
{
    return (double)function->self >= 0.7 * (double)function->elapsed;
}

static void find_repeated(struct search *search, const struct cps_function *function)
{
    for (uint32_t i = 0; i < function->caller_count; i++) {
        const struct cps_caller *caller = &search->totals->callers[function->first_caller + i];
        struct cps_finding finding = {.rule = CPS_FINDING_REPEATED,
                                      .name = function->name,
                                      .caller = caller->name,
                                      .calls = caller->calls,
                                      .time = caller->elapsed};

        if (caller->name != function->name && caller->calls >= REPEATED_CALLS &&
            large(search, caller->elapsed, REPEATED_SHARE))
            add(search, &finding);
    }
}

static void find_slow(struct search *search, const struct cps_function *function)
{
    struct cps_finding finding = {.rule = CPS_FINDING_SLOW,
                                  .name = function->name,
                                  .calls = function->calls,
                                  .time = function->longest};

    if (is_leaf(function) && function->calls < REPEATED_CALLS &&
        large(search, function->longest, SLOW_SHARE))
        add(search, &finding);
}

static void find_recursion(struct search *search, const struct cps_function *function)
{
    for (uint32_t i = 0; i < function->caller_count; i++) {
        const struct cps_caller *caller = &search->totals->callers[function->first_caller + i];
        struct cps_finding finding = {.rule = CPS_FINDING_RECURSION,
                                      .name = function->name,
                                      .caller = caller->name,
                                      .calls = caller->calls,
                                      .time = function->elapsed};

        if (caller->name == function->name && caller->calls >= RECURSION_CALLS &&
            (double)function->self >= 0.2 * (double)function->elapsed &&
            large(search, function->elapsed, RECURSION_SHARE))
            add(search, &finding);
    }
}

void cps_findings_find(const struct cps_trace *trace, const struct cps_totals *totals,
                       struct cps_findings *out)
{
    struct search search = {
        .trace = trace,
        .totals = totals,
        .out = out,
        .duration = trace->end > trace->start ? (double)(trace->end - trace->start) : 0,
    };

    *out = (struct cps_findings){0};
    for (size_t i = 0; i < totals->function_count; i++) {
        const struct cps_function *function = &totals->functions[i];

        find_recursion(&search, function);
        if (is_leaf(function))
            find_repeated(&search, function);
        find_slow(&search, function);
    }
}

void cps_findings_describe(const struct cps_trace *trace, const struct cps_finding *finding,
                           char *out, size_t size)
{
    char time[CPS_FORMAT_SIZE], share[CPS_FORMAT_SIZE], calls[CPS_FORMAT_SIZE];
    const char *name = trace->names[finding->name].data;

    cps_format_duration(time, finding->time);
    cps_format_share(share, finding->time, trace->end - trace->start);
    cps_format_grouped(calls, finding->calls);
    switch (finding->rule) {
    case CPS_FINDING_REPEATED:
        (void)snprintf(out, size, "%s: %s calls from %s, %s (%s). The same call in a loop?", name,
                       calls, trace->names[finding->caller].data, time, share);
        return;
    case CPS_FINDING_SLOW:
        (void)snprintf(out, size, "%s: one call, %s (%s), nearly all of it its own.", name, time,
                       share);
        return;
    default:
        (void)snprintf(out, size, "%s: calls itself %s times, %s (%s) in all.", name, calls, time,
                       share);
    }
}
