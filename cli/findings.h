/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What Compass would point at in a trace: at most three, the best first, none where nothing stands
 * out. Each comes from one rule over figures, and says the figures.
 *
 *   repeated   one function called often by one caller, and together a large share of the request
 *   slow       one call of one function that alone is a large share, with hardly anything below it
 *   recursion  a function that calls itself, deeply, with a large share
 */
#ifndef CPS_CLI_FINDINGS_H
#define CPS_CLI_FINDINGS_H

#include <stddef.h>
#include <stdint.h>

#include "totals.h"
#include "trace.h"

#define CPS_FINDINGS_MAX 3

enum cps_finding_rule { CPS_FINDING_REPEATED, CPS_FINDING_SLOW, CPS_FINDING_RECURSION };

struct cps_finding {
    enum cps_finding_rule rule;
    uint32_t name;   /* the function, in the trace's names */
    uint32_t caller; /* repeated: who called it */
    uint64_t calls;
    uint64_t time; /* ns that it accounts for */
};

struct cps_findings {
    struct cps_finding items[CPS_FINDINGS_MAX];
    size_t count;
};

void cps_findings_find(const struct cps_trace *trace, const struct cps_totals *totals,
                       struct cps_findings *out);

/* One line about it, as UTF-8 with the trace's own bytes in it: to be drawn on a canvas. Writes up
 * to `size` bytes with their end. */
void cps_findings_describe(const struct cps_trace *trace, const struct cps_finding *finding,
                           char *out, size_t size);

#endif
