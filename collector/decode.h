/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading what comes out of the ring: the events of the classic probes, and blocks in the batch
 * format. Everything is checked here, and nothing is allocated; who comes after may trust lengths,
 * types and symbols.
 *
 * A block is checked in two steps, since which symbols it may use depends on its request: first
 * the header, by which the request is found, then the records, all of them, before the first one is
 * used. So a block that breaks a rule changes nothing.
 */
#ifndef CPS_COLLECTOR_DECODE_H
#define CPS_COLLECTOR_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "batch.h"
#include "event.h"

/* A sample out of the ring, aligned to 8 bytes: the event if it is whole and right, else NULL. Of a
 * batch event only that the block's length is within the sample is checked. */
const struct cps_event_head *cps_decode_event(const void *sample, size_t size);

/* The block of a batch event that cps_decode_event let through: its header if it is right, else
 * NULL. The records follow at header->header_size. */
const struct cps_batch_header *cps_decode_header(const struct cps_event_block *event);

/* What is known of a request's symbols before a block. */
struct cps_decode_symbols {
    uint32_t next; /* the number that the next new symbol gets */
    bool gap;      /* blocks were lost: numbers may be skipped and names be unknown */
};

struct cps_decode_summary {
    uint32_t next_symbol; /* after the block */
    uint32_t calls;
};

/* Checks all records of a block whose header is right. 0 or -EBADMSG; *out untouched on failure. */
int cps_decode_records(const struct cps_batch_header *header,
                       const struct cps_decode_symbols *symbols, struct cps_decode_summary *out);

/* What a first block says of the request's W3C parent; NULL where it says nothing. */
const struct cps_batch_parent *cps_decode_parent(const struct cps_batch_header *header);

/* The records of a checked block, one after the other: begins with cps_decode_first, ends with
 * NULL. Any record begins with its word. */
const uint32_t *cps_decode_first(const struct cps_batch_header *header);
const uint32_t *cps_decode_next(const struct cps_batch_header *header, const uint32_t *record);

#endif
