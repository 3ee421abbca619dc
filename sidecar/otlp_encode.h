/* SPDX-License-Identifier: Apache-2.0 */
/* A trace as spans of OTLP's JSON encoding. */
#ifndef CPS_SIDECAR_OTLP_ENCODE_H
#define CPS_SIDECAR_OTLP_ENCODE_H

#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "trace.h"

/* The most calls of one trace that become spans; the longest do. */
#define CPS_OTLP_MAX_CALLS 1000

/* Appends the request's span, then one for each call, separated by commas, and says how many. The
 * trace's id and the parent of the request's span are those of its traceparent. Without one the id
 * is the request's where that is 32 hexadecimal digits (a UUID, with dashes or without), else made
 * from `seed`, which also makes the ids of spans; it is to be random. 0 or -ENOMEM. */
int cps_otlp_encode(const struct cps_trace *trace, uint64_t seed, struct cps_buf *out,
                    size_t *spans);

/* Appends what comes before and after the spans of one request to the endpoint. */
void cps_otlp_encode_head(const char *service_name, struct cps_buf *out);
void cps_otlp_encode_tail(struct cps_buf *out);

#endif
