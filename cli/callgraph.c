/* SPDX-License-Identifier: Apache-2.0 */
#include "callgraph.h"

#include <errno.h>
#include <stdlib.h>

/* A function that calls another this often for each call of its own has a loop around it. */
#define LOOP_RATIO 8
#define CLIMB_MAX 32
#define CYCLE_LOOKED_AT 4096

const struct cps_caller *cps_callgraph_callers(const struct cps_callgraph *graph,
                                               const struct cps_function *function)
{
    return graph->totals->callers + function->first_caller;
}

static void add_edge(struct cps_callgraph *graph, const struct cps_function *callee,
                     const struct cps_caller *edge)
{
    struct cps_callgraph_node *caller = &graph->nodes[edge->name];
    enum cps_kind kind = graph->nodes[callee->name].kind;

    if (edge->name == callee->name)
        return;
    caller->below += edge->elapsed;
    if (kind == CPS_KIND_QUERY && edge->calls >= cps_kind_bounds(kind)->loop_calls)
        caller->queries += edge->elapsed;
    if (cps_kind_is_file(graph->trace->names[callee->name].data))
        caller->files++;
}

/* PHP's own time is all that a function does not spend in others. In Node.js it is computing alone,
 * and what nothing below accounts for is a wait. */
static uint64_t own_time(const struct cps_trace *trace, const struct cps_callgraph_node *node)
{
    uint64_t rest = node->function->elapsed -
                    (node->below < node->function->elapsed ? node->below : node->function->elapsed);

    if (trace->runtime != CPS_RUNTIME_NODE || rest < node->function->self)
        return node->function->self;
    return rest;
}

static uint32_t main_caller(const struct cps_callgraph *graph, const struct cps_function *function)
{
    const struct cps_caller *callers = cps_callgraph_callers(graph, function), *most = NULL;
    uint64_t calls = 0;

    for (uint32_t i = 0; i < function->caller_count; i++) {
        if (callers[i].name == function->name)
            continue;
        calls += callers[i].calls;
        if (!most || callers[i].calls > most->calls)
            most = &callers[i];
    }
    return most && most->calls >= calls / 2 ? most->name : CPS_CALLGRAPH_NONE;
}

/* A function may have as many callers as there are functions, so that nothing that is asked of each
 * looks through them: what is known of a node is found once. */
static void finish_nodes(struct cps_callgraph *graph)
{
    for (size_t i = 0; i < graph->trace->name_count; i++) {
        struct cps_callgraph_node *node = &graph->nodes[i];

        node->main_caller = CPS_CALLGRAPH_NONE;
        if (!node->function)
            continue;
        node->main_caller = main_caller(graph, node->function);
        node->own = own_time(graph->trace, node);
    }
}

int cps_callgraph_build(const struct cps_trace *trace, const struct cps_totals *totals,
                        struct cps_callgraph *out)
{
    struct cps_callgraph graph = {.trace = trace, .totals = totals};

    graph.nodes = calloc(trace->name_count + 1, sizeof(*graph.nodes));
    if (!graph.nodes)
        return -ENOMEM;
    for (size_t i = 0; i < totals->function_count; i++) {
        const struct cps_function *function = &totals->functions[i];

        graph.nodes[function->name].function = function;
        graph.nodes[function->name].kind = cps_kind_of(trace->names[function->name].data);
    }
    for (size_t i = 0; i < totals->function_count; i++) {
        const struct cps_function *function = &totals->functions[i];

        for (uint32_t j = 0; j < function->caller_count; j++)
            add_edge(&graph, function, &cps_callgraph_callers(&graph, function)[j]);
    }
    finish_nodes(&graph);
    for (size_t i = 0; i < trace->call_count; i++)
        graph.nodes[trace->calls[i].name].kept += trace->calls[i].elapsed;
    *out = graph;
    return 0;
}

void cps_callgraph_free(struct cps_callgraph *graph)
{
    free(graph->nodes);
    *graph = (struct cps_callgraph){0};
}

/* Functions that only call back for each element hold no loop that anybody wrote. */
uint32_t cps_callgraph_looping(const struct cps_callgraph *graph, uint32_t caller, uint64_t calls)
{
    uint32_t at = caller;

    for (int i = 0; i < CLIMB_MAX && at != CPS_CALLGRAPH_NONE; i++) {
        const struct cps_callgraph_node *node = &graph->nodes[at];

        if (!node->function)
            break;
        if (calls >= LOOP_RATIO * node->function->calls && node->kind != CPS_KIND_EACH)
            return at;
        at = node->main_caller;
    }
    return caller;
}

/* `budget`: how many callers may still be looked at; a function that everybody calls has many. */
static bool reaches(const struct cps_callgraph *graph, uint32_t name, uint32_t from, int steps,
                    unsigned *budget)
{
    const struct cps_function *function = graph->nodes[from].function;
    const struct cps_caller *callers;

    if (!function)
        return false;
    callers = cps_callgraph_callers(graph, function);
    for (uint32_t i = 0; i < function->caller_count && *budget; i++) {
        --*budget;
        if (callers[i].name == name ||
            (steps > 1 && reaches(graph, name, callers[i].name, steps - 1, budget)))
            return true;
    }
    return false;
}

bool cps_callgraph_recurses(const struct cps_callgraph *graph, uint32_t name)
{
    unsigned budget = CYCLE_LOOKED_AT;

    return reaches(graph, name, name, CPS_CALLGRAPH_CYCLE_MAX, &budget);
}
