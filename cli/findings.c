/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules. Each looks at every function (or call) alone and offers what it finds with a weight:
 * the share of the request, more where the rule or the kind says precisely what is wrong. The
 * heaviest win; what only repeats a heavier one (the same function, or what it calls) is left out.
 */
#include "findings.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "findings_search.h"

#define MS UINT64_C(1000000)
#define MB (UINT64_C(1) << 20)

/* Fewer calls than this are looked at one by one. */
#define FEW_CALLS 20

#define RECURSIVE_CALLS 100
#define RECURSIVE_SHARE 0.25
/* So many of its own calls are open on average: more than trees of things are deep. */
#define RECURSIVE_DEPTH 10

#define MANY_SHARE 0.30
#define MANY_NS (20 * MS)

#define INCLUDED_FILES 30

/* Before what takes less than half of the request, and after what takes more. */
#define ABORTED_WEIGHT 0.5
/* Calls whose ends are no further apart than this ended together. */
#define UNWINDING MS

#define MEMORY_GROWTH (32 * MB)
#define MEMORY_AT_START (2 * MB) /* of PHP, about */

static bool large(const struct cps_finding_search *search, uint64_t time, uint64_t ns, double share)
{
    return time >= ns && (double)time >= share * search->duration;
}

/* Of two the lighter one says nothing new: the same function, or what the other one calls. */
static bool repeats(const struct cps_finding *lighter, const struct cps_finding *heavier)
{
    if (lighter->rule == CPS_FINDING_ABORTED || heavier->rule == CPS_FINDING_ABORTED)
        return false;
    if (lighter->name == heavier->name)
        return true;
    if (lighter->rule == CPS_FINDING_LOOP && heavier->rule == CPS_FINDING_LOOP &&
        lighter->kind == heavier->kind && lighter->kind == CPS_KIND_QUERY)
        return lighter->looping == heavier->looping;
    return lighter->from == heavier->name && heavier->rule != CPS_FINDING_SLOW;
}

void cps_finding_add(struct cps_finding_search *search, const struct cps_finding *finding)
{
    struct cps_finding *items = search->items;
    size_t at = 0, kept;

    for (; at < search->count && items[at].weight >= finding->weight; at++) {
        if (repeats(finding, &items[at]))
            return;
    }
    kept = at;
    for (size_t i = at; i < search->count; i++) {
        if (!repeats(&items[i], finding))
            items[kept++] = items[i];
    }
    search->count = kept;
    if (at == CPS_FINDING_CANDIDATES)
        return;
    if (search->count == CPS_FINDING_CANDIDATES)
        search->count--;
    memmove(items + at + 1, items + at, (search->count - at) * sizeof(*items));
    items[at] = *finding;
    search->count++;
}

/* How many of its calls were open at the same time, on average. */
static double open_calls(const struct cps_finding_search *search,
                         const struct cps_function *function)
{
    const struct cps_caller *callers = cps_callgraph_callers(&search->graph, function);
    double elapsed = 0;

    for (uint32_t i = 0; i < function->caller_count; i++)
        elapsed += (double)callers[i].elapsed;
    return function->elapsed ? elapsed / (double)function->elapsed : 0;
}

/* Calls of Node.js that waited together: that is no loop, but one wait. */
static bool is_parallel(const struct cps_finding_search *search,
                        const struct cps_function *function)
{
    return search->trace->runtime == CPS_RUNTIME_NODE &&
           search->graph.nodes[function->name].kept >= 2 * function->elapsed;
}

/* Most of its time it neither called anything nor waited for what it called. */
static bool is_leaf(const struct cps_callgraph_node *node)
{
    return (double)node->own >= 0.7 * (double)node->function->elapsed;
}

/* These are the fault with all that they call. */
static bool counts_whole(enum cps_kind kind)
{
    return kind != CPS_KIND_CODE && kind != CPS_KIND_EACH && kind != CPS_KIND_LOAD;
}

static uint64_t at_most(uint64_t value, uint64_t limit)
{
    return value < limit ? value : limit;
}

static void find_loop(struct cps_finding_search *search, const struct cps_function *function,
                      const struct cps_caller *edge)
{
    const struct cps_callgraph *graph = &search->graph;
    const struct cps_callgraph_node *node = &graph->nodes[function->name];
    const struct cps_callgraph_node *caller = &graph->nodes[edge->name];
    const struct cps_kind_bounds *bounds = cps_kind_bounds(node->kind);
    uint64_t time = at_most(edge->elapsed, function->elapsed);
    struct cps_finding finding = {.rule = CPS_FINDING_LOOP,
                                  .kind = node->kind,
                                  .name = function->name,
                                  .from = edge->name,
                                  .calls = edge->calls};

    if (edge->name == function->name || caller->kind == CPS_KIND_SORT ||
        (node->kind == caller->kind && node->kind == CPS_KIND_COMPILE))
        return;
    if (node->kind == CPS_KIND_QUERY)
        time = at_most(caller->queries, (uint64_t)search->duration);
    if (edge->calls < bounds->loop_calls ||
        !large(search, time, bounds->loop_ns, bounds->loop_share))
        return;
    finding.time = at_most(edge->elapsed, function->elapsed);
    finding.looping = cps_callgraph_looping(graph, edge->name, edge->calls);
    finding.weight =
        cps_finding_weight(search, time, node->kind == CPS_KIND_CODE ? 1 : CPS_FINDING_PRECISE) +
        cps_finding_weight(search, finding.time, 0.01); /* of several queries the longest */
    cps_finding_add(search, &finding);
}

static void find_loops(struct cps_finding_search *search, const struct cps_function *function)
{
    const struct cps_callgraph_node *node = &search->graph.nodes[function->name];
    const struct cps_caller *callers = cps_callgraph_callers(&search->graph, function);

    if (is_parallel(search, function) ||
        (!counts_whole(node->kind) && (node->kind == CPS_KIND_LOAD || !is_leaf(node))))
        return;
    for (uint32_t i = 0; i < function->caller_count; i++)
        find_loop(search, function, &callers[i]);
}

/* A script's own code in the outermost call is where everything is: what it does itself has to be
 * more before it is worth a line. So has the code of several calls. */
static bool is_slow(const struct cps_finding_search *search, const struct cps_function *function,
                    uint64_t time)
{
    const struct cps_callgraph_node *node = &search->graph.nodes[function->name];
    const struct cps_kind_bounds *bounds = cps_kind_bounds(node->kind);
    bool node_js = search->trace->runtime == CPS_RUNTIME_NODE;

    if (node->kind == CPS_KIND_CODE && !function->caller_count && !node_js)
        return large(search, time, 100 * MS, 0.5);
    if (node->kind == CPS_KIND_CODE && node_js && function->self < time / 2)
        bounds = cps_kind_bounds(CPS_KIND_UPSTREAM);
    if (node->kind == CPS_KIND_CODE && time > function->longest)
        return large(search, time, 2 * bounds->slow_ns, 0.4);
    return large(search, time, bounds->slow_ns, bounds->slow_share);
}

/* One call; or a few of what waits for others, which are as bad as one that is as long. A few
 * queries are what a page has. */
static void find_slow(struct cps_finding_search *search, const struct cps_function *function)
{
    const struct cps_callgraph_node *node = &search->graph.nodes[function->name];
    bool whole = counts_whole(node->kind);
    uint64_t time = whole ? function->elapsed : node->own;
    struct cps_finding finding = {
        .rule = CPS_FINDING_SLOW, .kind = node->kind, .name = function->name};

    if ((function->calls >= FEW_CALLS && !is_parallel(search, function)) ||
        (!whole && !is_leaf(node)))
        return;
    if (node->kind == CPS_KIND_QUERY || node->kind == CPS_KIND_CACHE)
        time = at_most(time, function->longest);
    if (!is_slow(search, function, time))
        return;
    finding.time = time;
    finding.waits = function->self < time / 2;
    finding.calls = time < function->elapsed && function->longest == time ? 1 : function->calls;
    finding.from = node->main_caller;
    finding.weight =
        cps_finding_weight(search, time, node->kind == CPS_KIND_CODE ? 1 : CPS_FINDING_PRECISE);
    cps_finding_add(search, &finding);
}

static bool calls_itself(const struct cps_finding_search *search,
                         const struct cps_function *function)
{
    const struct cps_caller *callers = cps_callgraph_callers(&search->graph, function);

    for (uint32_t i = 0; i < function->caller_count; i++) {
        if (callers[i].name == function->name)
            return true;
    }
    return false;
}

/* Called often, and by nobody in particular. */
static void find_many(struct cps_finding_search *search, const struct cps_function *function)
{
    const struct cps_callgraph_node *node = &search->graph.nodes[function->name];
    uint32_t from = node->main_caller;
    struct cps_finding finding = {.rule = CPS_FINDING_MANY,
                                  .kind = node->kind,
                                  .name = function->name,
                                  .from = from,
                                  .calls = function->calls,
                                  .time = node->own,
                                  .weight = cps_finding_weight(search, node->own, 1)};

    if (function->calls < FEW_CALLS || !is_leaf(node) || node->kind == CPS_KIND_LOAD ||
        is_parallel(search, function) || calls_itself(search, function) ||
        !large(search, node->own, MANY_NS, MANY_SHARE))
        return;
    cps_finding_add(search, &finding);
}

static void find_recursion(struct cps_finding_search *search, const struct cps_function *function)
{
    const struct cps_callgraph_node *node = &search->graph.nodes[function->name];
    bool deep = open_calls(search, function) >= RECURSIVE_DEPTH &&
                large(search, function->elapsed, 10 * MS, RECURSIVE_SHARE);
    struct cps_finding finding = {.rule = CPS_FINDING_RECURSION,
                                  .kind = node->kind,
                                  .name = function->name,
                                  .from = node->main_caller,
                                  .looping = CPS_FINDING_NONE,
                                  .calls = function->calls,
                                  .time = function->elapsed};

    if (!calls_itself(search, function))
        finding.looping = finding.from;
    if (function->calls < RECURSIVE_CALLS ||
        (!deep && !large(search, function->self, 10 * MS, RECURSIVE_SHARE)) ||
        !cps_callgraph_recurses(&search->graph, function->name))
        return;
    finding.weight = cps_finding_weight(search, function->elapsed, CPS_FINDING_PRECISE);
    cps_finding_add(search, &finding);
}

/* The loader that holds the others; or what includes many files, one call a file. */
static void find_load(struct cps_finding_search *search, const struct cps_function *function)
{
    const struct cps_callgraph_node *node = &search->graph.nodes[function->name];
    const struct cps_kind_bounds *bounds = cps_kind_bounds(CPS_KIND_LOAD);
    struct cps_finding finding = {.rule = CPS_FINDING_LOAD,
                                  .kind = CPS_KIND_LOAD,
                                  .name = function->name,
                                  .from = CPS_FINDING_NONE,
                                  .calls = function->calls,
                                  .time = function->elapsed};

    if ((node->kind != CPS_KIND_LOAD && node->files < INCLUDED_FILES) ||
        function->calls < bounds->loop_calls ||
        !large(search, function->elapsed, bounds->loop_ns, bounds->loop_share))
        return;
    finding.weight = cps_finding_weight(search, function->elapsed, CPS_FINDING_PRECISE);
    cps_finding_add(search, &finding);
}

struct growth {
    uint64_t last; /* in use when the last call ended */
    uint64_t most;
    uint32_t call; /* that ended with `most` more than the one before it */
};

static void end_call(const struct cps_trace *trace, uint32_t index, struct growth *growth)
{
    uint64_t memory = trace->calls[index].memory;

    if (memory > growth->last && memory - growth->last > growth->most) {
        growth->most = memory - growth->last;
        growth->call = index;
    }
    growth->last = memory;
}

/* Calls say how much memory was in use when they ended. The largest step from one end to the next
 * is the doing of the call that ended then. */
static void find_memory(struct cps_finding_search *search)
{
    const struct cps_trace *trace = search->trace;
    const struct cps_tree *tree = &search->tree;
    struct growth growth = {.last = MEMORY_AT_START};
    struct cps_finding finding = {.rule = CPS_FINDING_MEMORY, .from = CPS_FINDING_NONE};

    for (uint32_t i = 1; i <= tree->count; i++) {
        uint32_t open = i - 1;

        while (open != CPS_TREE_NONE && tree->nodes[open].next <= i) {
            end_call(trace, open, &growth);
            open = tree->nodes[open].parent;
        }
    }
    if (growth.most < MEMORY_GROWTH || growth.most < trace->max_memory / 2)
        return;
    finding.name = trace->calls[growth.call].name;
    finding.figure = growth.most;
    cps_finding_add(search, &finding);
}

static void find_uncacheable(struct cps_finding_search *search)
{
    const struct cps_trace *trace = search->trace;
    struct cps_finding finding = {
        .rule = CPS_FINDING_UNCACHEABLE, .name = CPS_FINDING_NONE, .from = CPS_FINDING_NONE};

    for (size_t i = 0; i < trace->cache_event_count; i++) {
        const struct cps_cache_event *event = &trace->cache_events[i];

        if (event->max_age != 0)
            continue;
        (void)snprintf(finding.other, sizeof(finding.other), "%s", event->caller.data);
        finding.calls = event->calls;
        cps_finding_add(search, &finding);
        return;
    }
}

/* A call is told when it ends: those that were open when a process died are not known, nor is the
 * time until then. The last one that ended is the nearest that can be said; of those that end at
 * the same moment, as where PHP itself unwinds, it is the innermost. */
static void find_aborted(struct cps_finding_search *search)
{
    const struct cps_trace *trace = search->trace;
    struct cps_finding finding = {
        .rule = CPS_FINDING_ABORTED, .from = CPS_FINDING_NONE, .calls = 1};
    uint64_t end = 0;

    if (trace->outcome != CPS_OUTCOME_ABORTED)
        return;
    for (size_t i = 0; i < trace->call_count; i++) {
        const struct cps_call *call = &trace->calls[i];

        if (call->start + call->elapsed + UNWINDING < end)
            continue;
        end = call->start + call->elapsed > end ? call->start + call->elapsed : end;
        finding.name = call->name;
        finding.time = call->elapsed;
        finding.figure = end > trace->start ? end - trace->start : 0;
    }
    if (!end)
        return;
    finding.weight = ABORTED_WEIGHT;
    cps_finding_add(search, &finding);
}

static void find_in_function(struct cps_finding_search *search, const struct cps_function *function)
{
    find_recursion(search, function);
    find_loops(search, function);
    find_slow(search, function);
    find_many(search, function);
    find_load(search, function);
}

static void find_all(struct cps_finding_search *search)
{
    for (size_t i = 0; i < search->graph.totals->function_count; i++)
        find_in_function(search, &search->graph.totals->functions[i]);
    if (search->trace->runtime == CPS_RUNTIME_NODE) {
        cps_finding_serial(search);
        cps_finding_blocked(search);
    } else {
        find_memory(search);
    }
    find_uncacheable(search);
    find_aborted(search);
}

void cps_findings_find(const struct cps_trace *trace, const struct cps_totals *totals,
                       const struct cps_trace *const *neighbours, size_t neighbour_count,
                       struct cps_findings *out)
{
    struct cps_finding_search search = {
        .trace = trace,
        .neighbours = neighbours,
        .neighbour_count = neighbour_count,
        .duration = (double)cps_trace_duration(trace),
    };

    *out = (struct cps_findings){0};
    if (cps_callgraph_build(trace, totals, &search.graph))
        return;
    if (!cps_tree_build(trace, &search.tree))
        find_all(&search);
    cps_tree_free(&search.tree);
    cps_callgraph_free(&search.graph);
    out->count = search.count < CPS_FINDINGS_MAX ? search.count : CPS_FINDINGS_MAX;
    memcpy(out->items, search.items, out->count * sizeof(*out->items));
}
