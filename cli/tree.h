/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The call tree of a trace: who called whom, rebuilt from calls in order of start.
 *
 * Batches carry the depth of every call among the recorded ones; classic probes do not, and there a
 * call belongs to the innermost one whose time holds it. Nodes are in the order of the trace's
 * calls (node i is call i), so a subtree is the run of nodes from its root to `next`.
 */
#ifndef CPS_CLI_TREE_H
#define CPS_CLI_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "trace.h"

#define CPS_TREE_NONE UINT32_MAX

struct cps_tree_node {
    uint32_t parent; /* CPS_TREE_NONE at the top */
    uint32_t next;  /* the first node that is not in this one's subtree: its next sibling where that
                       has the same parent */
    uint32_t depth; /* in this tree, from 0, without holes */
    uint32_t children;
    uint64_t self; /* ns: elapsed less what the recorded children took */
};

struct cps_tree {
    struct cps_tree_node *nodes; /* as many as the trace has calls */
    size_t count;
};

/* Into *out, to be freed with cps_tree_free. 0 or -ENOMEM. Linear in the number of calls. */
int cps_tree_build(const struct cps_trace *trace, struct cps_tree *out);
void cps_tree_free(struct cps_tree *tree); /* and it is {0} again */

#endif
