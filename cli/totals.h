/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every function of a trace did: the exact totals that the application counted where it did,
 * else added up from the calls that were reported, which leaves out all under the threshold.
 */
#ifndef CPS_CLI_TOTALS_H
#define CPS_CLI_TOTALS_H

#include <stdbool.h>
#include <stddef.h>

#include "trace.h"

struct cps_totals {
    const struct cps_function *functions; /* `first_caller` is an index in `callers` here */
    size_t function_count;
    const struct cps_caller *callers;
    size_t caller_count;
    bool exact; /* the arrays are the trace's own, and live as long as it does */
};

/* Into *out, to be freed with cps_totals_free. 0 or -ENOMEM. About linear in the number of calls.
 */
int cps_totals_build(const struct cps_trace *trace, struct cps_totals *out);
/* All calls of a trace, those under the threshold too where the application counted them. */
uint64_t cps_totals_calls(const struct cps_trace *trace);

void cps_totals_free(struct cps_totals *totals); /* and it is {0} again */

#endif
