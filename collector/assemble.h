/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The assembler: takes what the programs wrote into the ring, one record after the other, and makes
 * traces of it. Knows nothing of BPF; one thread at a time.
 */
#ifndef CPS_COLLECTOR_ASSEMBLE_H
#define CPS_COLLECTOR_ASSEMBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "collector.h"

struct cps_assembler;

struct cps_assembler_options {
    uint32_t max_function_calls;
    uint32_t max_in_flight;
    uint64_t expire_after_ns;
    size_t max_bytes; /* memory of all requests in flight; 0: 512 MiB */
    /* As in struct cps_collector_options. */
    void (*on_trace)(void *context, const struct cps_trace *trace);
    void (*on_started)(void *context, const struct cps_trace *trace);
    void *context;
    /* Whether a process, by its number in this namespace, exists. */
    bool (*process_exists)(pid_t pid);
};

/* NULL without memory. The options are copied; each must be set but on_started and context. */
struct cps_assembler *cps_assembler_new(const struct cps_assembler_options *options);

/* Drops what is in flight. NULL is fine. */
void cps_assembler_free(struct cps_assembler *assembler);

/* One sample of the ring, aligned to 8 bytes, any bytes. */
void cps_assembler_add(struct cps_assembler *assembler, const void *sample, size_t size);

/* Closes requests that have been silent for too long, or whose process is gone. `now` is
 * CLOCK_MONOTONIC; to be called now and then, after the ring was emptied. */
void cps_assembler_tick(struct cps_assembler *assembler, uint64_t now);

/* Fills in all but what the programs count (ring_lost, read_failed). */
void cps_assembler_stats(const struct cps_assembler *assembler, struct cps_collector_stats *out);

#endif
