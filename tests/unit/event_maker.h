/* SPDX-License-Identifier: Apache-2.0 */
/* Samples as the programs write them, for the tests of the collector. */
#ifndef CPS_TESTS_EVENT_MAKER_H
#define CPS_TESTS_EVENT_MAKER_H

#include <stdio.h>
#include <string.h>

#include "batch_encode.h"
#include "event.h"
#include "trace.h"

#define MAKER_START 1000000ull

/* A worker: what stands in the head of its events. */
struct maker {
    struct cps_event_head head;
    struct cps_batch_writer writer;
    const struct cps_batch_parent *parent; /* of the next request */
    struct {
        struct cps_event_block event;
        _Alignas(8) uint8_t block[CPS_BATCH_MAX];
    } sample;
};

static inline void maker_init(struct maker *maker, uint32_t process, enum cps_runtime runtime)
{
    memset(maker, 0, sizeof(*maker));
    maker->head = (struct cps_event_head){
        .process = process,
        .thread = process,
        .pid = process,
        .runtime = runtime,
        .started = 77,
        .time = MAKER_START,
    };
}

static inline void maker_begin(struct maker *maker, uint64_t request, const char *id,
                               const char *uri)
{
    struct cps_batch_request begin = {
        .source = CPS_BATCH_HTTP,
        .runtime = maker->head.runtime == CPS_RUNTIME_NODE ? CPS_BATCH_NODE : CPS_BATCH_PHP,
        .id = {id, strlen(id)},
        .uri = {uri, strlen(uri)},
        .method = {"GET", 3},
        .realtime = 5000000000ull,
        .monotonic = MAKER_START,
    };

    cps_batch_writer_init(&maker->writer, maker->sample.block, maker->head.process, request);
    maker->writer.parent = maker->parent;
    cps_batch_open(&maker->writer, MAKER_START);
    (void)cps_batch_put_begin(&maker->writer, &begin);
}

/* Closes the block and opens the next; the sample stays valid until something is put. Its size. */
static inline size_t maker_close(struct maker *maker, uint32_t flags)
{
    uint32_t length = cps_batch_close(&maker->writer, flags);

    maker->sample.event.head = maker->head;
    maker->sample.event.head.kind = CPS_PROBE_batch;
    maker->sample.event.length = length;
    cps_batch_open(&maker->writer, MAKER_START);
    return sizeof(maker->sample.event) + (length + 4095) / 4096 * 4096;
}

static inline void maker_symbol(struct maker *maker, uint32_t symbol, const char *name)
{
    (void)cps_batch_put_symbol(&maker->writer, symbol, name, strlen(name));
}

static inline void maker_call(struct maker *maker, uint32_t symbol, uint32_t depth, uint64_t start,
                              uint64_t elapsed)
{
    (void)cps_batch_put_call(&maker->writer, symbol, depth, start + elapsed, elapsed, 100 + start);
}

static inline void maker_end(struct maker *maker)
{
    struct cps_batch_end end = {.status = 200, .monotonic = MAKER_START + 1000000};

    (void)cps_batch_put_end(&maker->writer, &end);
}

static inline uint32_t maker_string(char *field, const char *text)
{
    strcpy(field, text);
    return (uint32_t)strlen(text);
}

static inline struct cps_event_init
maker_classic_init(const struct maker *maker, enum cps_probe kind, const char *id, const char *uri)
{
    struct cps_event_init event = {.head = maker->head, .pid = 4242};

    event.head.kind = kind;
    event.id_length = maker_string(event.id, id);
    event.uri_length = maker_string(event.uri, uri);
    event.method_length = maker_string(event.method, "GET");
    return event;
}

static inline struct cps_event_function maker_classic_function(const struct maker *maker,
                                                               enum cps_probe kind, const char *id,
                                                               const char *name, uint64_t elapsed)
{
    struct cps_event_function event = {
        .head = maker->head, .pid = 4242, .elapsed = elapsed, .memory = 4096};

    event.head.kind = kind;
    event.head.time += 10000;
    event.id_length = maker_string(event.id, id);
    event.name_length = maker_string(event.name, name);
    return event;
}

static inline struct cps_event_shutdown maker_classic_shutdown(const struct maker *maker,
                                                               enum cps_probe kind, const char *id)
{
    struct cps_event_shutdown event = {.head = maker->head, .pid = 4242, .status = 404};

    event.head.kind = kind;
    event.head.time += 20000;
    event.id_length = maker_string(event.id, id);
    return event;
}

#endif
