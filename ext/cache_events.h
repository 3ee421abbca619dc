/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cache events of a request, identical ones once with their number. Bounded; what has no place
 * is counted. Knows nothing of PHP. One thread at a time.
 */
#ifndef CPS_EXT_CACHE_EVENTS_H
#define CPS_EXT_CACHE_EVENTS_H

#include "batch_encode.h"

#define CPS_CACHE_EVENTS_MAX 1024u            /* different ones */
#define CPS_CACHE_EVENTS_MAX_BYTES (1u << 20) /* of their strings */

struct cps_cache_events {
    struct cps_batch_cacheability **entries; /* owned, each with its strings behind it */
    uint64_t *hashes;
    uint32_t count;
    size_t bytes;
    uint64_t dropped; /* events */
};

/* Counts one event; copies its strings. event->calls is not read. */
void cps_cache_events_add(struct cps_cache_events *events,
                          const struct cps_batch_cacheability *event);

/* By number from 0; NULL after the last. */
const struct cps_batch_cacheability *cps_cache_events_get(const struct cps_cache_events *events,
                                                          uint32_t number);

/* And it is {0} again. */
void cps_cache_events_free(struct cps_cache_events *events);

#endif
