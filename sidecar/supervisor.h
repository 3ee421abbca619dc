/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Joins subscribers and probes: a thread of its own owns the collector. The first subscriber makes
 * it look for processes and attach, the last one detaches it after a grace. While somebody watches
 * it looks for new files once a second, so that deploys, restarts and new pools are found. What
 * fails is logged once, sent to subscribers that asked for events, counted, and tried again.
 */
#ifndef CPS_SIDECAR_SUPERVISOR_H
#define CPS_SIDECAR_SUPERVISOR_H

#include <stdbool.h>
#include <stdint.h>

#include "broadcast.h"
#include "collector.h"
#include "error.h"

struct cps_supervisor;

/* Strings and the broadcast must outlive the supervisor. Times are ns; 0 is the default. */
struct cps_supervisor_options {
    const char *php_process_name;
    const char *php_extension_path;
    const char *node_process_name;
    const char *node_addon_path;
    const char *proc;           /* NULL: "/proc" */
    uint64_t discovery_timeout; /* no default: 0 looks once */
    uint64_t grace;             /* from the last subscriber to detaching; 1 s */
    uint64_t rescan;            /* between looks for processes; 1 s */
    uint64_t absence;           /* for how long no process has a file before it is detached; 10 s */
    uint64_t backoff;           /* before the second attempt, doubled for each next; 1 s */
    uint64_t backoff_most;      /* 1 min */
    uint32_t max_function_calls;
    bool always; /* attached without subscribers too */
    struct cps_broadcast *broadcast;
    /* A finished trace, borrowed; on the supervisor's thread. May be NULL. */
    void (*on_trace)(void *context, const struct cps_trace *trace);
    /* No runtime was found within discovery_timeout; the sentence says what was looked for. Called
     * once, on the supervisor's thread. */
    void (*on_nothing_found)(void *context, const char *sentence);
    void *context;
};

struct cps_supervisor_stats {
    struct cps_collector_stats collector; /* over all times that it was open */
    bool php_discovered;
    bool node_discovered;
    uint64_t files_attached; /* now */
    uint64_t attaches;
    uint64_t detaches;
    uint64_t attach_failures; /* of files, and of loading the programs */
    uint64_t scan_failures;
    uint64_t encode_failures; /* traces for whose line there was no memory */
};

/* 0, -ENOMEM or -EAGAIN. */
int cps_supervisor_start(const struct cps_supervisor_options *options, struct cps_supervisor **out);
/* The number of subscribers may have changed. Any thread; never waits for the collector. */
void cps_supervisor_poke(struct cps_supervisor *supervisor);
/* Detaches, ends the thread and frees. NULL is fine. */
void cps_supervisor_stop(struct cps_supervisor *supervisor);
/* As of the last turn of its loop. Any thread. */
void cps_supervisor_stats(struct cps_supervisor *supervisor, struct cps_supervisor_stats *out);

#endif
