/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which request does a record belong to? The id that the application gives is no answer: it may be
 * missing, or come twice at the same time, from a client that repeats it or a page that makes
 * requests to itself. So requests are told apart by where they run:
 *
 * - PHP handles one request at a time in a thread, so the thread is the key. A start in a thread
 *   whose request has not ended ends that one as aborted: its end was lost, or PHP died and its
 *   worker's number was used again. A record that names another request than the one in flight is
 *   an orphan.
 * - Node handles many requests in one thread. In batches each has its number. Classic probes give
 *   nothing but the id; Compass makes one where the client sends none, so only a client that
 *   repeats an id in flight can mix its own two requests, of which the first is ended as aborted.
 * - A script is known by the pid that it tells.
 *
 * To all of them comes the process, by its number and the time of its start.
 *
 * Requests are in a hash table of a fixed size, and in a list in the order in which they were last
 * heard of, from whose old end they expire, sooner where there is no room for new ones. All of them
 * together have a bound on memory: at it, none is taken on and none grows. Whether a process still
 * exists is asked only for requests that have been silent for a second, and believed only the
 * second time: what a process said last may still be in the ring when it is already gone.
 */
#include "assemble.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "decode.h"
#include "request.h"

#define DEFAULT_MAX_BYTES ((size_t)512 << 20)
/* Silence after which a request makes room for another, where there is none. */
#define MAKE_ROOM_NS (10 * CPS_CLOCK_SECOND)

struct cps_assembler {
    struct cps_assembler_options options;
    struct cps_collector_stats stats;
    struct cps_request *oldest, *newest;
    uint64_t next_look; /* when to ask again which processes are gone */
    size_t bucket_mask;
    struct cps_request *buckets[];
};

struct cps_assembler *cps_assembler_new(const struct cps_assembler_options *options)
{
    size_t buckets = 64;
    struct cps_assembler *assembler;

    while (buckets < options->max_in_flight)
        buckets *= 2;
    assembler = calloc(1, sizeof(*assembler) + buckets * sizeof(void *));
    if (!assembler)
        return NULL;
    assembler->options = *options;
    if (!assembler->options.max_bytes)
        assembler->options.max_bytes = DEFAULT_MAX_BYTES;
    assembler->bucket_mask = buckets - 1;
    return assembler;
}

void cps_assembler_free(struct cps_assembler *assembler)
{
    if (!assembler)
        return;
    for (struct cps_request *request = assembler->oldest, *next; request; request = next) {
        next = request->newer;
        cps_request_free(request);
    }
    free(assembler);
}

void cps_assembler_stats(const struct cps_assembler *assembler, struct cps_collector_stats *out)
{
    *out = assembler->stats;
}

/* ---- the table and the list ---- */

static uint64_t mix(uint64_t value)
{
    value ^= value >> 33;
    value *= 0xff51afd7ed558ccdull;
    value ^= value >> 33;
    value *= 0xc4ceb9fe1a85ec53ull;
    return value ^ value >> 33;
}

static struct cps_request **bucket_of(struct cps_assembler *assembler,
                                      const struct cps_request_key *key)
{
    uint64_t hash =
        mix(key->slot ^ mix(key->started ^ mix(key->process | (uint64_t)key->kind << 32)));

    return &assembler->buckets[hash & assembler->bucket_mask];
}

static bool same_key(const struct cps_request_key *a, const struct cps_request_key *b)
{
    return a->process == b->process && a->kind == b->kind && a->started == b->started &&
           a->slot == b->slot;
}

static struct cps_request *find(struct cps_assembler *assembler, const struct cps_request_key *key)
{
    struct cps_request *request = *bucket_of(assembler, key);

    while (request && !same_key(&request->key, key))
        request = request->next_in_bucket;
    return request;
}

static void list_append(struct cps_assembler *assembler, struct cps_request *request)
{
    request->newer = NULL;
    request->older = assembler->newest;
    *(assembler->newest ? &assembler->newest->newer : &assembler->oldest) = request;
    assembler->newest = request;
}

static void list_remove(struct cps_assembler *assembler, struct cps_request *request)
{
    *(request->older ? &request->older->newer : &assembler->oldest) = request->newer;
    *(request->newer ? &request->newer->older : &assembler->newest) = request->older;
}

static void insert(struct cps_assembler *assembler, struct cps_request *request)
{
    struct cps_request **bucket = bucket_of(assembler, &request->key);

    request->next_in_bucket = *bucket;
    *bucket = request;
    list_append(assembler, request);
    assembler->stats.in_flight++;
}

static void take_out(struct cps_assembler *assembler, struct cps_request *request)
{
    struct cps_request **link = bucket_of(assembler, &request->key);

    while (*link != request)
        link = &(*link)->next_in_bucket;
    *link = request->next_in_bucket;
    list_remove(assembler, request);
    assembler->stats.in_flight--;
    assembler->stats.in_flight_bytes -= request->bytes;
}

/* The request was heard of: last in the list, and accounted anew. */
static void touch(struct cps_assembler *assembler, struct cps_request *request, uint64_t time)
{
    size_t bytes = cps_request_size(request);

    assembler->stats.in_flight_bytes += bytes - request->bytes;
    request->bytes = bytes;
    request->last_seen = time;
    request->gone = false;
    list_remove(assembler, request);
    list_append(assembler, request);
}

/* ---- beginning and ending ---- */

static bool silent_for(const struct cps_request *request, uint64_t now, uint64_t time)
{
    return now > request->last_seen && now - request->last_seen >= time;
}

static void count_outcome(struct cps_collector_stats *stats, enum cps_outcome outcome)
{
    if (outcome == CPS_OUTCOME_ABORTED)
        stats->traces_aborted++;
    else if (outcome == CPS_OUTCOME_EXPIRED)
        stats->traces_expired++;
    else
        stats->traces_completed++;
}

static void finish(struct cps_assembler *assembler, struct cps_request *request,
                   enum cps_outcome outcome)
{
    take_out(assembler, request);
    cps_request_finish(request, outcome);
    assembler->stats.calls_dropped += request->trace->calls_dropped;
    assembler->stats.memory_failed += request->memory_failed;
    count_outcome(&assembler->stats, request->trace->outcome);
    assembler->options.on_trace(assembler->options.context, request->trace);
    cps_request_free(request);
}

static bool has_room(const struct cps_assembler *assembler)
{
    return assembler->stats.in_flight < assembler->options.max_in_flight &&
           assembler->stats.in_flight_bytes < assembler->options.max_bytes;
}

/* Requests that never end must not keep out all others for as long as they may be silent. */
static bool make_room(struct cps_assembler *assembler, uint64_t now)
{
    while (!has_room(assembler) && assembler->oldest &&
           silent_for(assembler->oldest, now, MAKE_ROOM_NS))
        finish(assembler, assembler->oldest, CPS_OUTCOME_EXPIRED);
    return has_room(assembler);
}

/* How far the request may grow, itself and with all others. */
static size_t bound_of(const struct cps_assembler *assembler, const struct cps_request *request)
{
    size_t all = assembler->stats.in_flight_bytes;
    size_t left = assembler->options.max_bytes > all ? assembler->options.max_bytes - all : 0;
    size_t bound = request->bytes + left;

    return bound < CPS_REQUEST_MAX_BYTES ? bound : CPS_REQUEST_MAX_BYTES;
}

/* A new request that is not in the table yet; NULL where it is refused, which is counted. */
static struct cps_request *admit(struct cps_assembler *assembler, const struct cps_request_key *key,
                                 const struct cps_event_head *head)
{
    struct cps_request *request;

    if (!make_room(assembler, head->time)) {
        assembler->stats.requests_refused++;
        return NULL;
    }
    request = cps_request_new(key, assembler->options.max_function_calls);
    if (!request) {
        assembler->stats.memory_failed++;
        return NULL;
    }
    request->pid = (pid_t)head->pid;
    return request;
}

static void start(struct cps_assembler *assembler, struct cps_request *request, uint64_t time)
{
    insert(assembler, request);
    touch(assembler, request, time);
    if (assembler->options.on_started)
        assembler->options.on_started(assembler->options.context, request->trace);
}

/* ---- batches ---- */

static struct cps_request_key batch_key(const struct cps_event_head *head,
                                        const struct cps_batch_header *header)
{
    bool php = head->runtime == CPS_RUNTIME_PHP;

    return (struct cps_request_key){
        .process = head->process,
        .started = head->started,
        .kind = php ? CPS_SLOT_THREAD : CPS_SLOT_NUMBER,
        .slot = php ? head->thread : header->request,
    };
}

/* The request of a first block, begun with it. */
static struct cps_request *begin_batched(struct cps_assembler *assembler,
                                         const struct cps_request_key *key,
                                         const struct cps_event_head *head,
                                         const struct cps_batch_header *header)
{
    struct cps_request *request = admit(assembler, key, head);

    if (!request)
        return NULL;
    if (cps_request_begin(request, header)) {
        assembler->stats.memory_failed++;
        cps_request_free(request);
        return NULL;
    }
    start(assembler, request, head->time);
    return request;
}

static void take_block(struct cps_assembler *assembler, struct cps_request *request,
                       const struct cps_event_head *head, const struct cps_batch_header *header,
                       const struct cps_decode_summary *summary)
{
    uint64_t lost = header->sequence - request->next_block;
    bool ended;

    assembler->stats.calls_received += summary->calls;
    assembler->stats.blocks_lost += lost;
    request->trace->blocks_lost += lost;
    request->symbols.gap |= lost != 0;
    request->max_bytes = bound_of(assembler, request);
    ended = cps_request_add_block(request, header, summary);
    touch(assembler, request, head->time);
    if (ended)
        finish(assembler, request, CPS_OUTCOME_COMPLETE);
}

static void add_first_block(struct cps_assembler *assembler, const struct cps_event_head *head,
                            const struct cps_batch_header *header)
{
    struct cps_request_key key = batch_key(head, header);
    struct cps_request *request = find(assembler, &key);
    struct cps_decode_symbols none = {0};
    struct cps_decode_summary summary;

    if ((request && request->batched && request->number == header->request) ||
        cps_decode_records(header, &none, &summary)) {
        assembler->stats.events_malformed++;
        return;
    }
    if (request)
        finish(assembler, request, CPS_OUTCOME_ABORTED);
    request = begin_batched(assembler, &key, head, header);
    if (request)
        take_block(assembler, request, head, header, &summary);
}

static void add_next_block(struct cps_assembler *assembler, const struct cps_event_head *head,
                           const struct cps_batch_header *header)
{
    struct cps_request_key key = batch_key(head, header);
    struct cps_request *request = find(assembler, &key);
    struct cps_decode_symbols symbols;
    struct cps_decode_summary summary;

    if (!request || !request->batched || request->number != header->request) {
        assembler->stats.events_orphaned++;
        return;
    }
    symbols = request->symbols;
    symbols.gap |= header->sequence > request->next_block;
    if (header->sequence < request->next_block || cps_decode_records(header, &symbols, &summary)) {
        assembler->stats.events_malformed++;
        return;
    }
    take_block(assembler, request, head, header, &summary);
}

static void add_block(struct cps_assembler *assembler, const struct cps_event_head *head)
{
    const struct cps_batch_header *header = cps_decode_header((const void *)head);

    assembler->stats.blocks_received++;
    if (!header)
        assembler->stats.events_malformed++;
    else if (header->sequence == 0)
        add_first_block(assembler, head, header);
    else
        add_next_block(assembler, head, header);
}

/* ---- classic events ---- */

static uint64_t hash_id(const char *id, size_t length)
{
    uint64_t hash = 14695981039346656037ull;

    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)id[i]) * 1099511628211ull;
    return hash;
}

static struct cps_request_key classic_key(const struct cps_event_head *head, uint64_t pid,
                                          const char *id, size_t id_length)
{
    struct cps_request_key key = {.process = head->process, .started = head->started};

    switch (head->kind) {
    case CPS_PROBE_cli_request_init:
    case CPS_PROBE_cli_function:
    case CPS_PROBE_cli_request_shutdown:
        key.kind = CPS_SLOT_PID;
        key.slot = pid;
        break;
    case CPS_PROBE_http_request_init:
    case CPS_PROBE_http_function:
    case CPS_PROBE_http_request_shutdown:
        key.kind = CPS_SLOT_ID;
        key.slot = hash_id(id, id_length);
        break;
    default:
        key.kind = CPS_SLOT_THREAD;
        key.slot = head->thread;
        break;
    }
    return key;
}

/* The request in flight that a classic event belongs to; NULL counts an orphan. */
static struct cps_request *find_classic(struct cps_assembler *assembler,
                                        const struct cps_event_head *head, uint64_t pid,
                                        const char *id, size_t id_length)
{
    struct cps_request_key key = classic_key(head, pid, id, id_length);
    struct cps_request *request = find(assembler, &key);
    bool same = request && !request->batched;

    if (same && key.kind != CPS_SLOT_PID)
        same = request->trace->id.length == id_length &&
               !memcmp(request->trace->id.data, id, id_length);
    if (!same) {
        assembler->stats.events_orphaned++;
        return NULL;
    }
    return request;
}

/* What to add to CLOCK_MONOTONIC to have the time since the Unix epoch. */
static uint64_t epoch_now(void)
{
    uint64_t monotonic = cps_clock_monotonic();

    return cps_clock_realtime() - monotonic;
}

static void add_init(struct cps_assembler *assembler, const struct cps_event_init *event)
{
    struct cps_request_key key = classic_key(&event->head, event->pid, event->id, event->id_length);
    struct cps_request *request = find(assembler, &key);

    if (request)
        finish(assembler, request, CPS_OUTCOME_ABORTED);
    request = admit(assembler, &key, &event->head);
    if (!request)
        return;
    if (cps_request_init(request, event, epoch_now())) {
        assembler->stats.memory_failed++;
        cps_request_free(request);
        return;
    }
    start(assembler, request, event->head.time);
}

static void add_function(struct cps_assembler *assembler, const struct cps_event_function *event)
{
    struct cps_request *request =
        find_classic(assembler, &event->head, event->pid, event->id, event->id_length);

    assembler->stats.calls_received++;
    if (!request)
        return;
    request->max_bytes = bound_of(assembler, request);
    cps_request_add_function(request, event);
    touch(assembler, request, event->head.time);
}

static void add_cache_event(struct cps_assembler *assembler, const struct cps_event_cache *event)
{
    struct cps_request *request =
        find_classic(assembler, &event->head, 0, event->id, event->id_length);

    if (!request)
        return;
    request->max_bytes = bound_of(assembler, request);
    cps_request_add_cache_event(request, event);
    touch(assembler, request, event->head.time);
}

static void add_shutdown(struct cps_assembler *assembler, const struct cps_event_shutdown *event)
{
    struct cps_request *request =
        find_classic(assembler, &event->head, event->pid, event->id, event->id_length);

    if (!request)
        return;
    cps_request_shutdown(request, event);
    finish(assembler, request, CPS_OUTCOME_COMPLETE);
}

void cps_assembler_add(struct cps_assembler *assembler, const void *sample, size_t size)
{
    const struct cps_event_head *head = cps_decode_event(sample, size);

    assembler->stats.events_received++;
    if (!head) {
        assembler->stats.events_malformed++;
        return;
    }
    switch (head->kind) {
    case CPS_PROBE_batch:
        add_block(assembler, head);
        break;
    case CPS_PROBE_fpm_request_init:
    case CPS_PROBE_cli_request_init:
    case CPS_PROBE_http_request_init:
        add_init(assembler, (const void *)head);
        break;
    case CPS_PROBE_fpm_function:
    case CPS_PROBE_cli_function:
    case CPS_PROBE_http_function:
        add_function(assembler, (const void *)head);
        break;
    case CPS_PROBE_fpm_request_shutdown:
    case CPS_PROBE_cli_request_shutdown:
    case CPS_PROBE_http_request_shutdown:
        add_shutdown(assembler, (const void *)head);
        break;
    default: /* cps_decode_event lets nothing else through */
        add_cache_event(assembler, (const void *)head);
        break;
    }
}

/* ---- requests without an end ---- */

static void look_for_gone(struct cps_assembler *assembler, uint64_t now)
{
    for (struct cps_request *request = assembler->oldest, *next;
         request && silent_for(request, now, CPS_CLOCK_SECOND); request = next) {
        next = request->newer;
        if (!request->pid || assembler->options.process_exists(request->pid))
            continue;
        if (request->gone)
            finish(assembler, request, CPS_OUTCOME_ABORTED);
        else
            request->gone = true;
    }
}

void cps_assembler_tick(struct cps_assembler *assembler, uint64_t now)
{
    while (assembler->oldest &&
           silent_for(assembler->oldest, now, assembler->options.expire_after_ns))
        finish(assembler, assembler->oldest, CPS_OUTCOME_EXPIRED);
    if (now < assembler->next_look)
        return;
    assembler->next_look = now + CPS_CLOCK_SECOND;
    look_for_gone(assembler, now);
}
