/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Totals as a graph: functions by name, the calls from one to another as edges, and what follows
 * from them for each function.
 */
#ifndef CPS_CLI_CALLGRAPH_H
#define CPS_CLI_CALLGRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kinds.h"
#include "totals.h"
#include "trace.h"

#define CPS_CALLGRAPH_NONE UINT32_MAX

/* One for every name of the trace. */
struct cps_callgraph_node {
    const struct cps_function *function; /* NULL: no call of it was counted */
    enum cps_kind kind;
    uint64_t own;     /* ns of its time in which nothing that it called ran: computing or waiting */
    uint64_t below;   /* ns that its callees took, itself left out; may overlap */
    uint64_t queries; /* ns that queries took which it called itself, often */
    uint64_t kept;    /* ns of the calls that were kept, added up */
    uint32_t files;   /* different files that it included */
    /* The caller, another function, that called it most often; CPS_CALLGRAPH_NONE where none made
     * half of the calls that others made. */
    uint32_t main_caller;
};

struct cps_callgraph {
    const struct cps_trace *trace;
    const struct cps_totals *totals;
    struct cps_callgraph_node *nodes; /* by index in the trace's names */
};

/* Into *out, to be freed with cps_callgraph_free; it refers to both arguments. 0 or -ENOMEM. */
int cps_callgraph_build(const struct cps_trace *trace, const struct cps_totals *totals,
                        struct cps_callgraph *out);
void cps_callgraph_free(struct cps_callgraph *graph);

/* Its callers, `function->caller_count` of them. */
const struct cps_caller *cps_callgraph_callers(const struct cps_callgraph *graph,
                                               const struct cps_function *function);

/* From `caller` upwards, the first that was itself called so much less often than `calls` that the
 * loop must be in it. `caller` where there is none. */
uint32_t cps_callgraph_looping(const struct cps_callgraph *graph, uint32_t caller, uint64_t calls);

/* A function recurs where it is reached from itself in so many calls: over at most two others. */
#define CPS_CALLGRAPH_CYCLE_MAX 3

/* Whether the function recurs. */
bool cps_callgraph_recurses(const struct cps_callgraph *graph, uint32_t name);

#endif
