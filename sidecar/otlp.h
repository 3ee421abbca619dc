/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finished traces out to an OpenTelemetry endpoint, as OTLP/HTTP with JSON. A thread of its own
 * sends them in batches; the queue is bounded, and loses the oldest traces where the endpoint is
 * too slow or away. What fails for a reason that may pass is tried again with backoff.
 */
#ifndef CPS_SIDECAR_OTLP_H
#define CPS_SIDECAR_OTLP_H

#include <stdint.h>

#include "error.h"
#include "trace.h"

struct cps_otlp;

struct cps_otlp_options { /* strings are copied */
    const char *endpoint;
    const char *headers; /* name=value,name=value; may be NULL */
    const char *service_name;
    uint64_t min_duration; /* ns: shorter requests are left out */
};

struct cps_otlp_stats {
    uint64_t spans_sent;
    uint64_t spans_rejected; /* of batches that were taken, as the endpoint says */
    uint64_t traces_dropped; /* the queue was full, the endpoint refused them, or no memory */
    uint64_t failures;       /* attempts to send */
    uint64_t queued;         /* now */
};

/* Whether cps_otlp_start would take them: what it answers, without its thread. Without an endpoint
 * only the headers are looked at. */
int cps_otlp_check(const struct cps_otlp_options *options, struct cps_error *error);
/* -EINVAL with a sentence for an endpoint or headers that cannot be used; -ENOMEM, -EAGAIN. */
int cps_otlp_start(const struct cps_otlp_options *options, struct cps_otlp **out,
                   struct cps_error *error);
/* Queues a finished trace, which is borrowed. Any thread; never waits for the network. */
void cps_otlp_add(struct cps_otlp *otlp, const struct cps_trace *trace);
/* Ends at once, a transfer that goes on included; what is queued is lost. NULL is fine. */
void cps_otlp_stop(struct cps_otlp *otlp);
void cps_otlp_stats(struct cps_otlp *otlp, struct cps_otlp_stats *out);

#endif
