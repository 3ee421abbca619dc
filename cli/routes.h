/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests grouped by method and path, with what is an identifier in a path folded, so that
 * "/node/1" and "/node/2" are one route.
 */
#ifndef CPS_CLI_ROUTES_H
#define CPS_CLI_ROUTES_H

#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "model.h"

struct cps_route {
    char *name; /* owned; "GET /node/:id", or a command's first word; any bytes but NUL */
    size_t count;
    uint64_t p50, p95, longest; /* ns */
    uint64_t total;             /* ns, of all its requests */
    uint64_t slowest;           /* serial of the longest request */
};

struct cps_routes {
    struct cps_route *items; /* most time in all first */
    size_t count;
    size_t requests; /* of all routes */
    uint64_t total;  /* ns, of all routes */
};

/* Groups those held traces for which `passes` says so. Into *out, to be freed with cps_routes_free.
 * 0 or -ENOMEM. */
int cps_routes_build(struct cps_held *const *held, size_t count,
                     bool (*passes)(const void *context, struct cps_held *held),
                     const void *context, struct cps_routes *out);
void cps_routes_free(struct cps_routes *routes); /* and it is {0} again */

/* Appends the name of the trace's route. */
void cps_routes_append_name(struct cps_buf *out, const struct cps_trace *trace);

#endif
