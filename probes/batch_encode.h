/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing blocks of the batch format (batch.h), for the extension and the addon.
 *
 * A writer fills one buffer of CPS_BATCH_MAX bytes, which its owner provides, and which stays
 * resident: a tracer's program cannot fault pages in. Each put writes one whole record and returns
 * true, or returns false and writes nothing where the block has no room left for it. The owner then
 * closes the block, hands it over, opens the next and puts again; in an empty block every record
 * fits, since strings are cut. Nothing here allocates, blocks or reads a clock. One thread a
 * writer.
 *
 *     cps_batch_writer_init(&writer, buffer, pid, request);
 *     cps_batch_open(&writer, now);
 *     cps_batch_put_begin(&writer, ...);
 *     while (!cps_batch_put_call(&writer, ...)) {
 *         CPS_USDT2(batch, writer.block, cps_batch_close(&writer, 0));
 *         cps_batch_open(&writer, now);
 *     }
 */
#ifndef CPS_PROBES_BATCH_ENCODE_H
#define CPS_PROBES_BATCH_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "batch.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "compass: the batch format is little endian, and so is every supported platform"
#endif

/* More than a block can hold, so that every put into a closed one fails, at no extra test. */
#define CPS_BATCH_CLOSED (CPS_BATCH_MAX + 8u)

struct cps_batch_writer {
    uint8_t *block; /* CPS_BATCH_MAX bytes aligned to 8, the owner's */
    uint32_t used;  /* bytes, header included; CPS_BATCH_CLOSED while no block is open */
    uint32_t sequence;
    uint64_t request;
    uint64_t base; /* ns, CLOCK_MONOTONIC, of the open block */
    uint32_t pid;
    const struct cps_batch_parent *parent; /* for the first block; the owner's, NULL: none */
};

struct cps_batch_text {
    const char *data;
    size_t length;
};

static inline void cps_batch_writer_init(struct cps_batch_writer *writer, void *buffer,
                                         uint32_t pid, uint64_t request)
{
    *writer = (struct cps_batch_writer){
        .block = buffer, .used = CPS_BATCH_CLOSED, .pid = pid, .request = request};
}

/* The header of the block that is open or to be opened, with what is appended to it. */
static inline uint32_t cps_batch_header_size(const struct cps_batch_writer *writer)
{
    uint32_t more = writer->parent && writer->sequence == 0 ? sizeof(*writer->parent) : 0;

    return (uint32_t)sizeof(struct cps_batch_header) + more;
}

/* Begins a block whose end offsets count from `base`. */
static inline void cps_batch_open(struct cps_batch_writer *writer, uint64_t base)
{
    writer->base = base;
    writer->used = cps_batch_header_size(writer);
}

static inline bool cps_batch_is_open(const struct cps_batch_writer *writer)
{
    return writer->used <= CPS_BATCH_MAX;
}

/* Completes the block and returns its length; flags are enum cps_batch_flag. */
static inline uint32_t cps_batch_close(struct cps_batch_writer *writer, uint32_t flags)
{
    struct cps_batch_header *header = (void *)writer->block;
    uint32_t length = writer->used;
    uint32_t header_size = cps_batch_header_size(writer);

    if (header_size > sizeof(*header))
        memcpy(header + 1, writer->parent, sizeof(*writer->parent));
    *header = (struct cps_batch_header){.magic = CPS_BATCH_MAGIC,
                                        .version = CPS_BATCH_VERSION,
                                        .header_size = (uint16_t)header_size,
                                        .length = length,
                                        .sequence = writer->sequence++,
                                        .request = writer->request,
                                        .base = writer->base,
                                        .pid = writer->pid,
                                        .flags = flags};
    writer->used = CPS_BATCH_CLOSED;
    return length;
}

/* Room for a record of `size` bytes, a multiple of 8; NULL where the block is full. */
static inline void *cps_batch_take(struct cps_batch_writer *writer, uint32_t size)
{
    void *record = writer->block + writer->used;

    if (__builtin_expect(writer->used + size > CPS_BATCH_MAX, 0))
        return NULL;
    writer->used += size;
    return record;
}

static inline uint32_t cps_batch_cut(size_t length)
{
    return length > CPS_BATCH_MAX_STRING ? CPS_BATCH_MAX_STRING : (uint32_t)length;
}

static inline uint32_t cps_batch_round(uint32_t size)
{
    return (size + 7u) & ~7u;
}

/* Appends the strings behind the fixed part of a record and zeroes the padding. */
static inline void cps_batch_write_texts(uint8_t *record, uint32_t fixed, uint32_t size,
                                         const struct cps_batch_text *texts, int count)
{
    uint32_t at = fixed;

    for (int i = 0; i < count; i++) {
        if (texts[i].length > 0)
            memcpy(record + at, texts[i].data, texts[i].length);
        at += (uint32_t)texts[i].length;
    }
    memset(record + at, 0, size - at);
}

struct cps_batch_request {
    enum cps_batch_source source;
    enum cps_batch_runtime runtime;
    struct cps_batch_text id;     /* empty for cli */
    struct cps_batch_text uri;    /* cli: the command */
    struct cps_batch_text method; /* empty for cli */
    uint64_t realtime;            /* ns since the Unix epoch */
    uint64_t monotonic;           /* ns, of the same moment */
};

static inline bool cps_batch_put_begin(struct cps_batch_writer *writer,
                                       const struct cps_batch_request *request)
{
    struct cps_batch_text texts[] = {
        {request->id.data, cps_batch_cut(request->id.length)},
        {request->uri.data, cps_batch_cut(request->uri.length)},
        {request->method.data, cps_batch_cut(request->method.length)},
    };
    uint32_t fixed = sizeof(struct cps_batch_begin);
    uint32_t size =
        cps_batch_round(fixed + (uint32_t)(texts[0].length + texts[1].length + texts[2].length));
    struct cps_batch_begin *record = cps_batch_take(writer, size);

    if (!record)
        return false;
    *record = (struct cps_batch_begin){.word = CPS_BATCH_WORD(CPS_BATCH_BEGIN, 0),
                                       .size = size,
                                       .source = (uint8_t)request->source,
                                       .runtime = (uint8_t)request->runtime,
                                       .id_length = (uint16_t)texts[0].length,
                                       .uri_length = (uint16_t)texts[1].length,
                                       .method_length = (uint16_t)texts[2].length,
                                       .realtime = request->realtime,
                                       .monotonic = request->monotonic};
    cps_batch_write_texts((uint8_t *)record, fixed, size, texts, 3);
    return true;
}

static inline bool cps_batch_put_symbol(struct cps_batch_writer *writer, uint32_t symbol,
                                        const char *name, size_t name_length)
{
    struct cps_batch_text text = {name, cps_batch_cut(name_length)};
    uint32_t fixed = sizeof(struct cps_batch_symbol);
    uint32_t size = cps_batch_round(fixed + (uint32_t)text.length);
    struct cps_batch_symbol *record = cps_batch_take(writer, size);

    if (!record)
        return false;
    *record = (struct cps_batch_symbol){.word = CPS_BATCH_WORD(CPS_BATCH_SYMBOL, symbol),
                                        .size = size,
                                        .name_length = (uint32_t)text.length};
    cps_batch_write_texts((uint8_t *)record, fixed, size, &text, 1);
    return true;
}

/* end: ns since the block's base; elapsed: ns. The short form where both fit in 32 bits. */
static inline bool cps_batch_put_call(struct cps_batch_writer *writer, uint32_t symbol,
                                      uint32_t depth, uint64_t end, uint64_t elapsed,
                                      uint64_t memory)
{
    if (__builtin_expect(((end | elapsed) >> 32) == 0, 1)) {
        struct cps_batch_call *record = cps_batch_take(writer, sizeof(*record));

        if (!record)
            return false;
        record->word = CPS_BATCH_WORD(CPS_BATCH_CALL, symbol);
        record->depth = depth;
        record->end = (uint32_t)end;
        record->elapsed = (uint32_t)elapsed;
        record->memory = memory;
        return true;
    }
    struct cps_batch_call_long *record = cps_batch_take(writer, sizeof(*record));

    if (!record)
        return false;
    record->word = CPS_BATCH_WORD(CPS_BATCH_CALL_LONG, symbol);
    record->depth = depth;
    record->end = end;
    record->elapsed = elapsed;
    record->memory = memory;
    return true;
}

/* totals->word is set here. */
static inline bool cps_batch_put_function(struct cps_batch_writer *writer, uint32_t symbol,
                                          const struct cps_batch_function *totals)
{
    struct cps_batch_function *record = cps_batch_take(writer, sizeof(*record));

    if (!record)
        return false;
    *record = *totals;
    record->word = CPS_BATCH_WORD(CPS_BATCH_FUNCTION, symbol);
    return true;
}

static inline bool cps_batch_put_caller(struct cps_batch_writer *writer, uint32_t symbol,
                                        uint32_t caller, uint64_t calls, uint64_t elapsed)
{
    struct cps_batch_caller *record = cps_batch_take(writer, sizeof(*record));

    if (!record)
        return false;
    *record = (struct cps_batch_caller){.word = CPS_BATCH_WORD(CPS_BATCH_CALLER, symbol),
                                        .caller = caller,
                                        .calls = calls,
                                        .elapsed = elapsed};
    return true;
}

struct cps_batch_cacheability {
    enum cps_batch_cache_origin origin;
    struct cps_batch_text caller;
    struct cps_batch_text object_type; /* empty for a render array */
    struct cps_batch_text tags;
    struct cps_batch_text contexts;
    int64_t max_age;
    uint64_t calls;
};

/* Four strings of the largest size would not fit in a block: the last is cut to what is left. */
static inline bool cps_batch_put_cache_event(struct cps_batch_writer *writer,
                                             const struct cps_batch_cacheability *event)
{
    uint32_t fixed = sizeof(struct cps_batch_cache_event);
    struct cps_batch_text texts[] = {
        {event->caller.data, cps_batch_cut(event->caller.length)},
        {event->object_type.data, cps_batch_cut(event->object_type.length)},
        {event->tags.data, cps_batch_cut(event->tags.length)},
        {event->contexts.data, cps_batch_cut(event->contexts.length)},
    };
    size_t length = texts[0].length + texts[1].length + texts[2].length;
    size_t left = CPS_BATCH_MAX - sizeof(struct cps_batch_header) - fixed - length;

    if (texts[3].length > left)
        texts[3].length = left;
    uint32_t size = cps_batch_round(fixed + (uint32_t)(length + texts[3].length));
    struct cps_batch_cache_event *record = cps_batch_take(writer, size);

    if (!record)
        return false;
    *record = (struct cps_batch_cache_event){.word = CPS_BATCH_WORD(CPS_BATCH_CACHE_EVENT, 0),
                                             .size = size,
                                             .max_age = event->max_age,
                                             .calls = event->calls,
                                             .caller_length = (uint16_t)texts[0].length,
                                             .object_type_length = (uint16_t)texts[1].length,
                                             .tags_length = (uint16_t)texts[2].length,
                                             .contexts_length = (uint16_t)texts[3].length,
                                             .origin = event->origin};
    cps_batch_write_texts((uint8_t *)record, fixed, size, texts, 4);
    return true;
}

/* end->word is set here. */
static inline bool cps_batch_put_end(struct cps_batch_writer *writer,
                                     const struct cps_batch_end *end)
{
    struct cps_batch_end *record = cps_batch_take(writer, sizeof(*record));

    if (!record)
        return false;
    *record = *end;
    record->word = CPS_BATCH_WORD(CPS_BATCH_END, 0);
    return true;
}

#endif
