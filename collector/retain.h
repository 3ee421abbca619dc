/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeping the longest calls of a request, in bounded memory and constant time a call.
 */
#ifndef CPS_COLLECTOR_RETAIN_H
#define CPS_COLLECTOR_RETAIN_H

#include <stdint.h>

#include "trace.h"

struct cps_retain {
    uint32_t keep;  /* calls that a finished trace has at most; at least 1 */
    uint64_t floor; /* shorter calls cannot be among them any more */
};

/* Adds a call to the trace, or counts it in calls_dropped. Up to twice `keep` calls are in the
 * trace until it is finished. 0 or -ENOMEM, and then nothing is changed. */
int cps_retain_add(struct cps_retain *retain, struct cps_trace *trace, const struct cps_call *call);

/* Leaves the `keep` longest calls in the trace, in order of start. */
void cps_retain_finish(struct cps_retain *retain, struct cps_trace *trace);

#endif
