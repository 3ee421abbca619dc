/* SPDX-License-Identifier: Apache-2.0 */
/* What the rules of findings.c and findings_node.c share while they look through one trace. */
#ifndef CPS_CLI_FINDINGS_SEARCH_H
#define CPS_CLI_FINDINGS_SEARCH_H

#include "callgraph.h"
#include "findings.h"
#include "tree.h"

#define CPS_FINDING_CANDIDATES 16

/* What is known by its kind, or by its shape, says more than a share does. */
#define CPS_FINDING_PRECISE 1.3

struct cps_finding_search {
    const struct cps_trace *trace;
    const struct cps_trace *const *neighbours;
    size_t neighbour_count;
    double duration; /* ns */
    struct cps_callgraph graph;
    struct cps_tree tree;
    struct cps_finding items[CPS_FINDING_CANDIDATES]; /* the heaviest first */
    size_t count;
};

/* What so much time of the request weighs, `factor` times. */
static inline double cps_finding_weight(const struct cps_finding_search *search, uint64_t time,
                                        double factor)
{
    return search->duration > 0 ? factor * (double)time / search->duration : 0;
}

/* Offers a finding: kept where it is heavy enough and says something that a heavier one does not.
 */
void cps_finding_add(struct cps_finding_search *search, const struct cps_finding *finding);

/* findings_node.c: the rules about the event loop. */
void cps_finding_serial(struct cps_finding_search *search);
void cps_finding_blocked(struct cps_finding_search *search);

#endif
