/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the UI holds: the newest traces within two bounds, and the latest messages. Views only read
 * it.
 */
#ifndef CPS_CLI_MODEL_H
#define CPS_CLI_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "feed.h"
#include "totals.h"
#include "trace.h"
#include "tree.h"

#define CPS_MODEL_LOGS 1000
#define CPS_MODEL_NONE UINT32_MAX

struct cps_held {
    struct cps_trace *trace;
    uint64_t serial; /* in order of arrival, from 1 */
    uint64_t duration;
    uint64_t calls;
    uint32_t hottest; /* index in the totals' functions of the one with the most self time, or
                         CPS_MODEL_NONE */
    size_t size;
    uint64_t filtered; /* generation of the filter that `passes` is of; 0: of none */
    bool passes;
    struct cps_totals totals;
};

struct cps_message {
    uint64_t time; /* ns since the Unix epoch */
    enum cps_level level;
    char *text; /* any bytes */
};

struct cps_model {
    struct cps_held **held; /* oldest first; within `room` */
    size_t count;
    struct cps_held **room; /* twice max_traces; owned */
    size_t max_traces;
    size_t max_bytes;
    size_t bytes;
    uint64_t next_serial;
    uint64_t pinned;    /* serial that the bounds leave alone, since it is looked at; 0: none */
    uint64_t discarded; /* by the bounds */
    uint64_t dropped;   /* by the sidecar, since this client was too slow */
    struct cps_message logs[CPS_MODEL_LOGS];
    uint64_t logs_lost; /* for want of memory */
    uint64_t log_count; /* ever; the newest is at (log_count - 1) % CPS_MODEL_LOGS */
};

int cps_model_init(struct cps_model *model, size_t max_traces, size_t max_bytes); /* 0 or -ENOMEM */
void cps_model_free(struct cps_model *model);

/* Takes the trace over. Where memory is short the trace is discarded and counted. Pointers to held
 * traces that the bounds push out die. */
void cps_model_add(struct cps_model *model, struct cps_trace *trace);
void cps_model_log(struct cps_model *model, enum cps_level level, const char *text);

/* The held trace with the serial, NULL where it is gone. */
struct cps_held *cps_model_find(const struct cps_model *model, uint64_t serial);

#endif
