/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A request in flight: the trace that is built of it and what is needed to build it. The fields are
 * for the collector's own sources.
 */
#ifndef CPS_COLLECTOR_REQUEST_H
#define CPS_COLLECTOR_REQUEST_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "decode.h"
#include "retain.h"
#include "trace.h"

/* What a request is known by. */
struct cps_request_key {
    uint32_t process; /* thread group, initial namespace */
    uint32_t kind;    /* enum cps_request_slot */
    uint64_t started; /* of the process, ns since boot */
    uint64_t slot;
};

/* What the slot is: whatever can have only one request at a time. */
enum cps_request_slot {
    CPS_SLOT_THREAD, /* PHP: the thread's number */
    CPS_SLOT_NUMBER, /* Node, batch: the request's number in its process */
    CPS_SLOT_ID,     /* Node, classic: a hash of the request's id */
    CPS_SLOT_PID,    /* a script, classic: the pid that the probe names */
};

struct cps_request_pair {
    uint32_t callee; /* name */
    struct cps_caller caller;
};

struct cps_request {
    struct cps_request_key key;
    struct cps_request *next_in_bucket;
    struct cps_request *older, *newer; /* by last_seen */
    uint64_t last_seen;                /* ns, CLOCK_MONOTONIC */
    pid_t pid;                         /* in the collector's namespace; 0 unknown */
    bool gone;                         /* the process was not there at the last look */

    struct cps_trace *trace; /* owned */
    struct cps_retain retain;
    uint64_t epoch;     /* what to add to CLOCK_MONOTONIC to have time since the Unix epoch */
    uint64_t last_time; /* of the latest thing known of it, ns, CLOCK_MONOTONIC */
    size_t bytes;       /* as accounted last */
    size_t max_bytes;   /* may grow up to this, at most CPS_REQUEST_MAX_BYTES */

    /* Batches alone. */
    bool batched;
    uint64_t number;
    uint32_t next_block;
    struct cps_decode_symbols symbols;
    uint32_t *symbol_names; /* symbol to name, NO_NAME where unknown */
    size_t symbol_capacity;
    uint32_t *name_functions; /* name to function */
    size_t name_capacity;
    struct cps_request_pair *pairs;
    size_t pair_count, pair_capacity;
    size_t memory_failed; /* records dropped since memory could not be had, or over the bound */
};

/* A request that holds as much memory as it may drops what would make it grow further. */
#define CPS_REQUEST_MAX_BYTES ((size_t)64 << 20)

struct cps_request *cps_request_new(const struct cps_request_key *key, uint32_t max_calls);
void cps_request_free(struct cps_request *request);
size_t cps_request_size(const struct cps_request *request);

/* Starts a request with the first record of a checked block 0. 0 or -ENOMEM. */
int cps_request_begin(struct cps_request *request, const struct cps_batch_header *header);

/* Takes over the records of a checked block. Says whether the request has ended with it. */
bool cps_request_add_block(struct cps_request *request, const struct cps_batch_header *header,
                           const struct cps_decode_summary *summary);

/* Classic events. 0 or -ENOMEM; what could not be kept is counted. */
int cps_request_init(struct cps_request *request, const struct cps_event_init *event,
                     uint64_t epoch);
void cps_request_add_function(struct cps_request *request, const struct cps_event_function *event);
void cps_request_add_cache_event(struct cps_request *request, const struct cps_event_cache *source);
void cps_request_shutdown(struct cps_request *request, const struct cps_event_shutdown *event);

/* Puts the trace in its final form. After it nothing may be added. */
void cps_request_finish(struct cps_request *request, enum cps_outcome outcome);

#endif
