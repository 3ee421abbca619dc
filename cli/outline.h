/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The call tree as Spans lists it: siblings that call one function are a group with them below it,
 * and a recursion can be one node with what all its levels call below it.
 */
#ifndef CPS_CLI_OUTLINE_H
#define CPS_CLI_OUTLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace.h"
#include "tree.h"

#define CPS_OUTLINE_NONE UINT32_MAX

struct cps_outline_node {
    uint32_t call;   /* its own; the outermost of a recursion, the first of a group */
    uint32_t last;   /* the same, but the last of a group */
    uint32_t parent; /* CPS_OUTLINE_NONE at the top; else a smaller index than the node's own */
    uint32_t first_child;  /* CPS_OUTLINE_NONE where there is none; in order of start */
    uint32_t next_sibling; /* CPS_OUTLINE_NONE for the last */
    uint32_t depth;        /* from 0 */
    uint32_t members;      /* of a group: its children; 0: it is none */
    uint32_t deep;         /* of its function, open at the same time; 1 where nothing recurs */
    uint32_t calls;        /* that it stands for: of all members, of all levels */
    uint64_t total;        /* ns; of a recursion the outermost call's, of a group the sum */
    uint64_t self;         /* ns of all calls that it stands for, without what is below it */
    uint64_t longest;      /* ns: of a group its longest member, else `total` */
};

struct cps_outline {
    struct cps_outline_node *nodes; /* node 0 is the first one at the top */
    size_t count;
    uint32_t *node_of; /* of every call the node that stands for it, which is no group */
    bool recursive;    /* something was folded that calls itself */
};

/* Into *out, to be freed with cps_outline_free. `tree` is the trace's. With `fold_recursion` a call
 * is one node with those that it leads to and that repeat a function, over at most two others in
 * between. 0 or -ENOMEM. Linear in the number of calls. */
int cps_outline_build(const struct cps_trace *trace, const struct cps_tree *tree,
                      bool fold_recursion, struct cps_outline *out);
void cps_outline_free(struct cps_outline *outline); /* and it is {0} again */

#endif
