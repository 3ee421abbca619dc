/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The collector: attaches to the probes of files, drains the rings, decodes and assembles traces.
 * Shared by the sidecar and by `compass --uri extension://`. It does not log and has no thread of
 * its own: one thread calls everything here, at any one time.
 */
#ifndef CPS_COLLECTOR_COLLECTOR_H
#define CPS_COLLECTOR_COLLECTOR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "error.h"
#include "trace.h"

struct cps_collector;

/* A probe file to attach to. */
struct cps_target {
    enum cps_runtime runtime;
    char *path; /* owned by whoever owns the target; may begin with /proc/PID/root */
    dev_t device;
    ino_t inode;
    pid_t pid; /* a process that has the file mapped */
};

/* Every count is since the collector was opened, over all attachments. Each is a metric. */
struct cps_collector_stats {
    uint64_t events_received; /* records from the ring, blocks count as one */
    uint64_t blocks_received;
    uint64_t calls_received;
    uint64_t ring_lost;        /* events that found the ring full (summed over CPUs) */
    uint64_t events_malformed; /* blocks and events that broke a rule */
    uint64_t read_failed;      /* the program could not read the application's memory */
    uint64_t events_orphaned;  /* belonged to no request that is known (attached in its middle) */
    uint64_t blocks_lost;      /* gaps in the blocks of requests */
    uint64_t calls_dropped;    /* over max_function_calls */
    uint64_t requests_refused; /* over the bound on requests in flight */
    uint64_t memory_failed;    /* dropped since memory could not be had */
    uint64_t traces_completed;
    uint64_t traces_aborted;
    uint64_t traces_expired;
    uint64_t in_flight;       /* now */
    uint64_t in_flight_bytes; /* now, memory held for them */
};

struct cps_collector_options {
    uint32_t max_function_calls; /* per trace; 0: 10000 */
    uint32_t max_in_flight;      /* requests at once; 0: 10000 */
    size_t ring_bytes;           /* a power of two; 0: 16 MiB */
    uint64_t expire_after_ns;    /* silence after which a request is expired; 0: ten minutes */
    bool any_pid_namespace; /* false: only processes in this PID namespace and its descendants */
    /* A finished trace. Borrowed: it is freed after the call. */
    void (*on_trace)(void *context, const struct cps_trace *trace);
    /* A request was seen to start: a trace without end and calls. Borrowed. May be NULL. */
    void (*on_started)(void *context, const struct cps_trace *trace);
    void *context;
};

/* Loads the BPF programs; attaches nothing. On failure the sentence says what to do (a missing
 * capability, no BTF, a kernel too old). The options are copied. */
int cps_collector_open(const struct cps_collector_options *options, struct cps_collector **out,
                       struct cps_error *error);

/* Detaches everything, drops requests in flight and frees. NULL is fine. */
void cps_collector_close(struct cps_collector *collector);

/* Checks the file's probes against the list and attaches the canary, then `batch` where the file
 * has it, else the classic set of the runtime. All or nothing. A file (by device and inode) that is
 * attached already: 0. -EPROTO with the sentence of the contract for a missing probe or another
 * arity. Copies the target. */
int cps_collector_attach(struct cps_collector *collector, const struct cps_target *target,
                         struct cps_error *error);

/* Detaches one file. Requests in flight stay until they end or expire. */
void cps_collector_detach(struct cps_collector *collector, dev_t device, ino_t inode);
size_t cps_collector_attached(const struct cps_collector *collector);

/* Waits up to timeout_ms for events, drains the ring, calls back for what is finished, closes
 * requests that died or expired. 0, or -errno where the ring cannot be read any more. */
int cps_collector_poll(struct cps_collector *collector, int timeout_ms);

void cps_collector_stats(const struct cps_collector *collector, struct cps_collector_stats *out);

#endif
