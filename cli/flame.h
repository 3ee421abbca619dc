/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls of a trace merged by stack: a flame graph. Calls of one function under one stack are
 * one node.
 */
#ifndef CPS_CLI_FLAME_H
#define CPS_CLI_FLAME_H

#include <stddef.h>
#include <stdint.h>

#include "trace.h"
#include "tree.h"

#define CPS_FLAME_NONE UINT32_MAX

struct cps_flame_node {
    uint32_t name;         /* index in the trace's names; CPS_FLAME_NONE for node 0 */
    uint32_t parent;       /* CPS_FLAME_NONE for node 0; else a smaller index than the node's own */
    uint32_t first_child;  /* CPS_FLAME_NONE where there is none; in order of first call */
    uint32_t next_sibling; /* CPS_FLAME_NONE for the last */
    uint32_t depth;        /* 0 for node 0 */
    uint64_t calls;
    uint64_t total; /* ns: self and that of everything below */
    uint64_t self;  /* ns */
};

struct cps_flame {
    struct cps_flame_node *nodes; /* node 0 is the request, its total the whole of its time */
    size_t count;
};

/* Into *out, to be freed with cps_flame_free. `tree` is the trace's. The request's own time is what
 * no recorded call took; where calls overlapped (asynchronous ones), totals are times added up and
 * may exceed the request's duration. 0 or -ENOMEM. */
int cps_flame_build(const struct cps_trace *trace, const struct cps_tree *tree,
                    struct cps_flame *out);
void cps_flame_free(struct cps_flame *flame); /* and it is {0} again */

#endif
