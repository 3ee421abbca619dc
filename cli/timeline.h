/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls of a trace on a time axis that starts at 0, in lanes: within one lane calls are
 * strictly nested, as the formats of other tools require. Synchronous code needs one lane; calls
 * that overlap without one holding the other (asynchronous ones) go to more.
 */
#ifndef CPS_CLI_TIMELINE_H
#define CPS_CLI_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

#include "trace.h"
#include "tree.h"

struct cps_timeline_item {
    uint64_t start; /* ns after the beginning */
    uint64_t end;
    uint32_t lane; /* from 0 */
};

struct cps_timeline {
    struct cps_timeline_item *items; /* item i is call i of the trace, in order of start */
    size_t count;
    uint32_t lanes;    /* at least 1 */
    uint64_t begin;    /* ns since the Unix epoch: the request's start, or an earlier call's */
    uint64_t duration; /* ns, to the request's end, or a later call's */
};

/* Into *out, to be freed with cps_timeline_free. `tree` is the trace's. 0 or -ENOMEM. */
int cps_timeline_build(const struct cps_trace *trace, const struct cps_tree *tree,
                       struct cps_timeline *out);
void cps_timeline_free(struct cps_timeline *timeline); /* and it is {0} again */

/* Calls back in the order in which the calls of a lane begin and end. */
struct cps_timeline_visitor {
    void (*open)(void *context, uint32_t call, uint64_t at);
    void (*close)(void *context, uint32_t call, uint64_t at);
    void *context;
};
/* 0 or -ENOMEM. */
int cps_timeline_walk(const struct cps_timeline *timeline, uint32_t lane,
                      const struct cps_timeline_visitor *visitor);

#endif
