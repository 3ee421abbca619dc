/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks of the batch format. A block is opened by the first record that needs it, and handed over
 * when it is full, when it is 100 ms old at the end of a call, and at the end of the request.
 */
#include "php_compass.h"

#include <SAPI.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static void hand_over(struct cps_blocks *blocks, uint32_t flags)
{
    uint32_t length = cps_batch_close(&blocks->writer, flags);

    blocks->deadline = UINT64_MAX;
    if (cps_usdt_watched(CPS_PROBE_batch)) {
        CPS_USDT2(batch, blocks->writer.block, length);
        CPS_COPY(batch, blocks->writer.block, (uint64_t)length);
    }
}

void cps_blocks_flush(cps_globals *globals)
{
    if (cps_batch_is_open(&globals->blocks.writer))
        hand_over(&globals->blocks, 0);
}

/* Hands over the open block, if any, and opens the next for a record that counts from `time`. */
static void turn(cps_globals *globals, uint64_t time)
{
    struct cps_blocks *blocks = &globals->blocks;

    cps_blocks_flush(globals);
    cps_clock_anchor(&globals->recorder.clock);
    blocks->deadline = cps_clock_now(&globals->recorder.clock) + CPS_BATCH_MAX_AGE_NS;
    cps_batch_open(&blocks->writer, blocks->slept ? blocks->begin : time);
}

/* Puts a record into this block or the next. In an empty block every record fits: a cache event is
 * cut to it, and the next largest is the start of a request. */
#define PUT(globals, time, put) ((void)(EXPECTED(put) || (turn(globals, time), (put))))

_Static_assert(sizeof(struct cps_batch_begin) + (size_t)3 * CPS_BATCH_MAX_STRING <=
                   CPS_BATCH_MAX - sizeof(struct cps_batch_header) -
                       sizeof(struct cps_batch_parent),
               "it fits");

static struct cps_batch_text text_of(const char *string)
{
    return (struct cps_batch_text){string, strlen(string)};
}

static void put_begin(cps_globals *globals)
{
    const struct cps_request *request = &globals->request;
    struct cps_blocks *blocks = &globals->blocks;
    struct cps_batch_request begin = {.runtime = CPS_BATCH_PHP,
                                      .realtime = cps_clock_read(CLOCK_REALTIME),
                                      .monotonic = blocks->begin};

    if (request->http) {
        begin.source = CPS_BATCH_HTTP;
        if (request->has_id)
            begin.id = text_of(request->id);
        begin.uri = text_of(request->uri);
        begin.method = text_of(request->method);
    } else {
        begin.source = CPS_BATCH_CLI;
        begin.uri = text_of(request->command);
    }
    PUT(globals, blocks->begin, cps_batch_put_begin(&blocks->writer, &begin));
}

static void start(cps_globals *globals)
{
    struct cps_blocks *blocks = &globals->blocks;

    cps_batch_writer_init(&blocks->writer, blocks->buffer, (uint32_t)getpid(),
                          globals->request.number);
    if (globals->request.has_parent)
        blocks->writer.parent = &globals->request.parent;
    blocks->next_symbol = 0;
    blocks->calls_dropped = 0;
    blocks->slept = false;
    blocks->begin = cps_clock_now(&globals->recorder.clock);
    put_begin(globals);
}

int cps_blocks_begin(cps_globals *globals)
{
    struct cps_blocks *blocks = &globals->blocks;

    if (!blocks->buffer) {
        blocks->buffer = aligned_alloc(4096, CPS_BATCH_MAX);
        if (!blocks->buffer)
            return -ENOMEM;
        memset(blocks->buffer, 0, CPS_BATCH_MAX);
    }
    blocks->active = true;
    start(globals);
    return 0;
}

void cps_blocks_restart(cps_globals *globals)
{
    if (globals->blocks.active)
        start(globals);
}

void cps_blocks_free(struct cps_blocks *blocks)
{
    free(blocks->buffer);
    blocks->buffer = NULL;
}

static uint32_t symbol_of(const struct cps_function *function)
{
    return CPS_BATCH_WORD_SYMBOL(function->word);
}

/* Gives the function a symbol and names it. */
static bool name_function(cps_globals *globals, struct cps_function *function, uint64_t time)
{
    struct cps_blocks *blocks = &globals->blocks;
    uint32_t symbol = blocks->next_symbol;

    if (function == &globals->recorder.overflow)
        return false;
    blocks->next_symbol++;
    function->word = CPS_BATCH_WORD(CPS_BATCH_CALL, symbol);
    PUT(globals, time,
        cps_batch_put_symbol(&blocks->writer, symbol, function->name, function->name_length));
    return true;
}

static inline bool has_symbol(cps_globals *globals, struct cps_function *function, uint64_t time)
{
    return EXPECTED(function->word != 0) || name_function(globals, function, time);
}

/* A call in a fiber that was suspended is told as if it had ended earlier by the time it slept, so
 * that it begins when it began and lasts as long as it ran. That can lie before the block's base;
 * from then on blocks count from the start of the request. */
void cps_blocks_call(cps_globals *globals, const struct cps_frame *frame, uint64_t now,
                     uint64_t elapsed, uint64_t memory)
{
    struct cps_blocks *blocks = &globals->blocks;
    uint64_t end = now - frame->paused;

    if (UNEXPECTED(!has_symbol(globals, frame->function, end))) {
        blocks->calls_dropped++;
        return;
    }
    if (UNEXPECTED(end < blocks->writer.base)) {
        blocks->slept = true;
        turn(globals, end);
    }
    PUT(globals, end,
        cps_batch_put_call(&blocks->writer, symbol_of(frame->function), globals->recorder.depth,
                           end - blocks->writer.base, elapsed, memory));
}

static void put_callers(cps_globals *globals, struct cps_function *function, uint64_t time)
{
    struct cps_blocks *blocks = &globals->blocks;

    for (const struct cps_pair *pair = &function->first; pair; pair = pair->next) {
        if (pair->calls == 0 || !pair->caller || !has_symbol(globals, pair->caller, time))
            continue;
        PUT(globals, time,
            cps_batch_put_caller(&blocks->writer, symbol_of(function), symbol_of(pair->caller),
                                 pair->calls, pair->elapsed));
    }
}

/* Returns how many of the calls have no pair. */
static uint64_t put_functions(cps_globals *globals, uint64_t time)
{
    struct cps_function *function;
    uint64_t without_pair = 0;

    cps_recorder_settle(&globals->recorder);
    for (uint32_t i = 0; (function = cps_recorder_function(&globals->recorder, i)); i++) {
        struct cps_batch_function totals = {.calls = cps_recorder_calls(function),
                                            .elapsed = function->elapsed,
                                            .self =
                                                (int64_t)function->self > 0 ? function->self : 0,
                                            .longest = function->longest};

        if (totals.calls == 0 || !has_symbol(globals, function, time))
            continue;
        PUT(globals, time,
            cps_batch_put_function(&globals->blocks.writer, symbol_of(function), &totals));
        put_callers(globals, function, time);
        without_pair += function->rest.calls;
    }
    return without_pair;
}

static void put_cache_events(cps_globals *globals, uint64_t time)
{
    const struct cps_batch_cacheability *event;

    for (uint32_t i = 0; (event = cps_cache_events_get(&globals->cache_events, i)); i++)
        PUT(globals, time, cps_batch_put_cache_event(&globals->blocks.writer, event));
}

void cps_blocks_end(cps_globals *globals)
{
    struct cps_blocks *blocks = &globals->blocks;
    const struct cps_recorder *recorder = &globals->recorder;
    uint64_t time = globals->request.end;

    if (!blocks->active)
        return;
    struct cps_batch_end end = {
        .status = globals->request.http ? (uint16_t)SG(sapi_headers).http_response_code : 0,
        .aborted = (PG(connection_status) & PHP_CONNECTION_ABORTED) != 0,
        .monotonic = time,
        .peak_memory = zend_memory_peak_usage(0),
        .calls_dropped = blocks->calls_dropped,
        .functions_dropped = cps_recorder_calls(&recorder->overflow) + recorder->calls_beyond,
        .callers_dropped = put_functions(globals, time),
        .cache_events_dropped = globals->cache_events.dropped};

    put_cache_events(globals, time);
    PUT(globals, time, cps_batch_put_end(&blocks->writer, &end));
    hand_over(blocks, CPS_BATCH_LAST);
    blocks->active = false;
}
