/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The callgrind profile format, version 1, with one cost: nanoseconds. It holds functions, their
 * own cost and whom they called, and no order of time, so it takes the totals of a trace, exact
 * where the application counted them. The request is a function of its own, which has the time that
 * no other had, and which called everything whose caller is not known.
 *
 * Names are written in full: the format's short forms are one less thing to get right for 100
 * kilobytes that nobody keeps.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

#include "export.h"
#include "text.h"
#include "totals.h"

/* Who called whom, to be ordered by caller. The request is the name after the last. */
struct edge {
    uint32_t caller, callee;
    uint64_t calls, elapsed;
};

struct profile {
    const struct cps_trace *trace;
    const struct cps_function **functions; /* by name; NULL where it has no totals */
    struct edge *edges;
    size_t edge_count;
    uint64_t request_self;
};

static int compare_edges(const void *left, const void *right)
{
    const struct edge *a = left;
    const struct edge *b = right;

    if (a->caller != b->caller)
        return a->caller < b->caller ? -1 : 1;
    if (a->callee != b->callee)
        return a->callee < b->callee ? -1 : 1;
    return 0;
}

static void add_edge(struct profile *profile, uint32_t caller, uint32_t callee, uint64_t calls,
                     uint64_t elapsed)
{
    profile->edges[profile->edge_count++] = (struct edge){caller, callee, calls, elapsed};
}

/* The calls of a function that no caller is known for are the request's. */
static void add_edges(struct profile *profile, const struct cps_function *function,
                      const struct cps_caller *callers)
{
    uint64_t calls = function->calls;
    uint64_t elapsed = function->elapsed;

    for (uint32_t i = 0; i < function->caller_count; i++) {
        const struct cps_caller *caller = &callers[function->first_caller + i];

        add_edge(profile, caller->name, function->name, caller->calls, caller->elapsed);
        calls -= caller->calls < calls ? caller->calls : calls;
        /* A call within itself is no part of the inclusive time. */
        if (caller->name != function->name)
            elapsed -= caller->elapsed < elapsed ? caller->elapsed : elapsed;
    }
    if (calls > 0)
        add_edge(profile, (uint32_t)profile->trace->name_count, function->name, calls, elapsed);
}

static int fill(struct profile *profile, const struct cps_totals *totals)
{
    const struct cps_trace *trace = profile->trace;
    uint64_t self = trace->end > trace->start ? trace->end - trace->start : 0;

    profile->functions = calloc(trace->name_count + 1, sizeof(const struct cps_function *));
    profile->edges =
        calloc(totals->caller_count + totals->function_count + 1, sizeof(*profile->edges));
    if (!profile->functions || !profile->edges)
        return -ENOMEM;
    for (size_t i = 0; i < totals->function_count; i++) {
        const struct cps_function *function = &totals->functions[i];

        profile->functions[function->name] = function;
        self -= function->self < self ? function->self : self;
        add_edges(profile, function, totals->callers);
    }
    profile->request_self = self;
    qsort(profile->edges, profile->edge_count, sizeof(*profile->edges), compare_edges);
    return 0;
}

/* A bracketed number at the start would be one of the short forms. */
static void append_name(struct cps_buf *out, const struct profile *profile, const char *key,
                        uint32_t name)
{
    cps_auto_buf struct cps_buf text = {0};

    if (name == profile->trace->name_count)
        cps_export_append_label(&text, profile->trace);
    else
        cps_buf_append(&text, profile->trace->names[name].data, profile->trace->names[name].length);
    cps_buf_append_string(out, key);
    if (text.length == 0 || text.data[0] == '(' || text.data[0] == ' ')
        cps_buf_append(out, "_", 1);
    cps_text_append_safe(out, text.data, text.length, false);
    cps_buf_append(out, "\n", 1);
    out->failed |= text.failed;
}

static size_t append_function(struct cps_buf *out, const struct profile *profile, uint32_t name,
                              size_t edge)
{
    const struct cps_function *function =
        name < profile->trace->name_count ? profile->functions[name] : NULL;
    uint64_t self = name == profile->trace->name_count ? profile->request_self
                    : function                         ? function->self
                                                       : 0;

    append_name(out, profile, "\nfn=", name);
    cps_buf_append_format(out, "0 %" PRIu64 "\n", self);
    for (; edge < profile->edge_count && profile->edges[edge].caller == name; edge++) {
        append_name(out, profile, "cfn=", profile->edges[edge].callee);
        cps_buf_append_format(out, "calls=%" PRIu64 " 0\n0 %" PRIu64 "\n",
                              profile->edges[edge].calls, profile->edges[edge].elapsed);
    }
    return edge;
}

static void append_profile(struct cps_buf *out, const struct profile *profile)
{
    size_t edge = 0;

    for (uint32_t name = 0; name <= profile->trace->name_count; name++) {
        bool calls_others = edge < profile->edge_count && profile->edges[edge].caller == name;

        if (name == profile->trace->name_count || profile->functions[name] || calls_others)
            edge = append_function(out, profile, name, edge);
    }
}

static int append_trace(struct cps_buf *out, const struct cps_trace *trace)
{
    struct profile profile = {.trace = trace};
    struct cps_totals totals = {0};
    int r = cps_totals_build(trace, &totals);

    if (r == 0)
        r = fill(&profile, &totals);
    if (r == 0)
        append_profile(out, &profile);
    free(profile.functions);
    free(profile.edges);
    cps_totals_free(&totals);
    return r;
}

int cps_export_callgrind(const struct cps_trace *const *traces, size_t count, struct cps_buf *out)
{
    int r = 0;

    cps_buf_append_string(out, "# callgrind format\nversion: 1\ncreator: compass " CPS_VERSION
                               "\npositions: line\nevents: ns\n\nfl=traces\n");
    for (size_t i = 0; r == 0 && i < count; i++)
        r = append_trace(out, traces[i]);
    return cps_buf_failed(out) ? -ENOMEM : r;
}
