/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What well-known functions do for a living: PHP's own, those of its usual extensions, the clients
 * of usual Node.js packages. A kind is never a finding by itself: figures are, and the kind says
 * from where on they stand out, and what to look for.
 */
#ifndef CPS_CLI_KINDS_H
#define CPS_CLI_KINDS_H

#include <stdbool.h>
#include <stdint.h>

enum cps_kind {
    CPS_KIND_CODE, /* nothing is known */
    CPS_KIND_QUERY,
    CPS_KIND_UPSTREAM, /* waits for another server */
    CPS_KIND_FILE,     /* reads, writes, or opens a URL: the name does not tell */
    CPS_KIND_LOCK,
    CPS_KIND_SLEEP,
    CPS_KIND_CACHE,
    CPS_KIND_SORT,
    CPS_KIND_COPY, /* of a whole array */
    CPS_KIND_SCAN, /* of a whole array */
    CPS_KIND_COMPILE,
    CPS_KIND_LOAD, /* of classes */
    CPS_KIND_EACH, /* calls back for each element: a loop by another name */
    CPS_KIND_COUNT,
};

enum cps_kind cps_kind_of(const char *name);

/* The path of a file that was included, which is a function of the script's own code. */
bool cps_kind_is_file(const char *name);

/* From where on something of a kind stands out: all of them must hold. */
struct cps_kind_bounds {
    uint64_t loop_calls;
    uint64_t loop_ns;
    double loop_share;
    uint64_t slow_ns;
    double slow_share;
};

const struct cps_kind_bounds *cps_kind_bounds(enum cps_kind kind);

#endif
