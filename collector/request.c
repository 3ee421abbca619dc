/* SPDX-License-Identifier: Apache-2.0 */
#include "request.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NO_INDEX UINT32_MAX
#define LOST_NAME "(name lost)"

struct cps_request *cps_request_new(const struct cps_request_key *key, uint32_t max_calls)
{
    struct cps_request *request = calloc(1, sizeof(*request));

    if (!request)
        return NULL;
    request->trace = cps_trace_new();
    if (!request->trace) {
        free(request);
        return NULL;
    }
    request->key = *key;
    request->retain.keep = max_calls;
    request->max_bytes = CPS_REQUEST_MAX_BYTES;
    return request;
}

void cps_request_free(struct cps_request *request)
{
    if (!request)
        return;
    cps_trace_free(request->trace);
    free(request->symbol_names);
    free(request->name_functions);
    free(request->pairs);
    free(request);
}

size_t cps_request_size(const struct cps_request *request)
{
    return sizeof(*request) + cps_trace_size(request->trace) +
           (request->symbol_capacity + request->name_capacity) * sizeof(uint32_t) +
           request->pair_capacity * sizeof(*request->pairs);
}

static uint64_t epoch_time(const struct cps_request *request, uint64_t monotonic)
{
    return monotonic + request->epoch;
}

/* Whether the request may grow by about this much. */
static bool may_grow(struct cps_request *request, size_t bytes)
{
    if (bytes == 0 || cps_request_size(request) + bytes <= request->max_bytes)
        return true;
    request->memory_failed++;
    return false;
}

/* Makes an array of numbers long enough for `index`; new elements are NO_INDEX. */
static int reach(struct cps_request *request, uint32_t **array, size_t *capacity, size_t index)
{
    size_t more = *capacity ? *capacity : 64;
    uint32_t *moved;

    if (index < *capacity)
        return 0;
    while (more <= index)
        more *= 2;
    if (cps_request_size(request) + (more - *capacity) * sizeof(*moved) > request->max_bytes)
        return -ENOMEM;
    moved = realloc(*array, more * sizeof(*moved));
    if (!moved)
        return -ENOMEM;
    memset(moved + *capacity, 0xff, (more - *capacity) * sizeof(*moved));
    *array = moved;
    *capacity = more;
    return 0;
}

static void add_call(struct cps_request *request, const struct cps_call *call)
{
    if (!may_grow(request, cps_trace_next_call_size(request->trace))) {
        request->trace->calls_dropped++;
    } else if (cps_retain_add(&request->retain, request->trace, call)) {
        request->trace->calls_dropped++;
        request->memory_failed++;
    }
    if (call->memory > request->trace->max_memory)
        request->trace->max_memory = call->memory;
}

/* ---- batches ---- */

static void set_parent(struct cps_trace *trace, const struct cps_batch_parent *parent)
{
    trace->has_parent = parent != NULL;
    if (!parent)
        return;
    memcpy(trace->parent_trace, parent->trace_id, sizeof(trace->parent_trace));
    memcpy(trace->parent_span, parent->span_id, sizeof(trace->parent_span));
}

int cps_request_begin(struct cps_request *request, const struct cps_batch_header *header)
{
    const struct cps_batch_begin *begin = (const void *)cps_decode_first(header);
    const char *strings = (const char *)(begin + 1);
    struct cps_trace *trace = request->trace;
    int result = cps_trace_copy_string(trace, strings, begin->id_length, &trace->id);

    if (!result)
        result = cps_trace_copy_string(trace, strings + begin->id_length, begin->uri_length,
                                       &trace->uri);
    if (!result)
        result = cps_trace_copy_string(trace, strings + begin->id_length + begin->uri_length,
                                       begin->method_length, &trace->method);
    if (result)
        return result;
    trace->source = begin->source == CPS_BATCH_HTTP ? CPS_SOURCE_HTTP : CPS_SOURCE_CLI;
    trace->runtime = begin->runtime == CPS_BATCH_PHP ? CPS_RUNTIME_PHP : CPS_RUNTIME_NODE;
    trace->pid = header->pid;
    set_parent(trace, cps_decode_parent(header));
    trace->start = begin->realtime;
    request->epoch = begin->realtime - begin->monotonic;
    request->last_time = begin->monotonic;
    request->batched = true;
    request->number = header->request;
    return 0;
}

static void add_symbol(struct cps_request *request, const uint32_t *record)
{
    const struct cps_batch_symbol *symbol = (const void *)record;
    uint32_t number = CPS_BATCH_WORD_SYMBOL(symbol->word);

    if (!may_grow(request, sizeof(*symbol) + symbol->name_length))
        return;
    if (reach(request, &request->symbol_names, &request->symbol_capacity, number) ||
        cps_trace_intern(request->trace, (const char *)(symbol + 1), symbol->name_length,
                         &request->symbol_names[number]))
        request->memory_failed++;
}

/* The name of a symbol; one whose record was lost has a name that says so. -ENOMEM. */
static int name_of(struct cps_request *request, uint32_t symbol, uint32_t *out)
{
    if (symbol < request->symbol_capacity && request->symbol_names[symbol] != NO_INDEX) {
        *out = request->symbol_names[symbol];
        return 0;
    }
    return cps_trace_intern(request->trace, LOST_NAME, strlen(LOST_NAME), out);
}

static void add_batch_call(struct cps_request *request, uint32_t word, uint32_t depth, uint64_t end,
                           uint64_t elapsed, uint64_t memory)
{
    struct cps_call call = {
        .start = epoch_time(request, end - elapsed),
        .elapsed = elapsed,
        .memory = memory,
        .depth = depth,
    };

    if (end > request->last_time)
        request->last_time = end;
    if (name_of(request, CPS_BATCH_WORD_SYMBOL(word), &call.name)) {
        request->trace->calls_dropped++;
        request->memory_failed++;
        return;
    }
    add_call(request, &call);
}

/* The totals of a name. Two symbols may have one name, and then share them. */
static struct cps_function *function_of(struct cps_request *request, uint32_t name)
{
    struct cps_trace *trace = request->trace;
    struct cps_function fresh = {.name = name};

    if (reach(request, &request->name_functions, &request->name_capacity, name))
        return NULL;
    if (request->name_functions[name] == NO_INDEX) {
        if (!may_grow(request, sizeof(fresh)) || cps_trace_add_function(trace, &fresh))
            return NULL;
        request->name_functions[name] = (uint32_t)(trace->function_count - 1);
    }
    return &trace->functions[request->name_functions[name]];
}

static void add_function(struct cps_request *request, const uint32_t *record)
{
    const struct cps_batch_function *totals = (const void *)record;
    struct cps_function *function = NULL;
    uint32_t name;

    if (!name_of(request, CPS_BATCH_WORD_SYMBOL(totals->word), &name))
        function = function_of(request, name);
    if (!function) {
        request->trace->functions_dropped += totals->calls;
        request->memory_failed++;
        return;
    }
    function->calls += totals->calls;
    function->elapsed += totals->elapsed;
    function->self += totals->self;
    if (totals->longest > function->longest)
        function->longest = totals->longest;
    function->untimed |= (totals->flags & CPS_BATCH_UNTIMED) != 0;
}

static int add_pair(struct cps_request *request, const struct cps_request_pair *pair)
{
    if (request->pair_count == request->pair_capacity) {
        size_t more = request->pair_capacity ? request->pair_capacity * 2 : 64;
        struct cps_request_pair *moved;

        if (!may_grow(request, request->pair_capacity * sizeof(*pair)))
            return -ENOMEM;
        moved = realloc(request->pairs, more * sizeof(*moved));
        if (!moved)
            return -ENOMEM;
        request->pairs = moved;
        request->pair_capacity = more;
    }
    request->pairs[request->pair_count++] = *pair;
    return 0;
}

static void add_caller(struct cps_request *request, const uint32_t *record)
{
    const struct cps_batch_caller *caller = (const void *)record;
    struct cps_request_pair pair = {
        .caller = {.calls = caller->calls, .elapsed = caller->elapsed},
    };

    if (name_of(request, CPS_BATCH_WORD_SYMBOL(caller->word), &pair.callee) ||
        name_of(request, caller->caller, &pair.caller.name) || add_pair(request, &pair)) {
        request->trace->callers_dropped += caller->calls;
        request->memory_failed++;
    }
}

struct cache_strings {
    const char *bytes[4]; /* caller, object type, tags, contexts */
    size_t lengths[4];
};

static void add_cache(struct cps_request *request, struct cps_cache_event *event,
                      const struct cache_strings *strings)
{
    struct cps_string *const fields[] = {&event->caller, &event->object_type, &event->tags,
                                         &event->contexts};
    struct cps_trace *trace = request->trace;
    int result = may_grow(request, (size_t)4 * CPS_BATCH_MAX_STRING) ? 0 : -ENOMEM;

    for (size_t i = 0; i < 4 && !result; i++)
        result = cps_trace_copy_string(trace, strings->bytes[i], strings->lengths[i], fields[i]);
    if (!result)
        result = cps_trace_add_cache_event(trace, event);
    if (result)
        trace->cache_events_dropped += event->calls;
}

static void add_batch_cache_event(struct cps_request *request, const uint32_t *record)
{
    const struct cps_batch_cache_event *source = (const void *)record;
    struct cps_cache_event event = {
        .origin = source->origin == CPS_BATCH_OBJECT ? CPS_CACHE_OBJECT : CPS_CACHE_RENDER_ARRAY,
        .max_age = source->max_age,
        .calls = source->calls,
    };
    const char *bytes = (const char *)(source + 1);
    struct cache_strings strings = {.lengths = {source->caller_length, source->object_type_length,
                                                source->tags_length, source->contexts_length}};

    for (size_t i = 0; i < 4; i++) {
        strings.bytes[i] = bytes;
        bytes += strings.lengths[i];
    }
    add_cache(request, &event, &strings);
}

static void add_end(struct cps_request *request, const uint32_t *record)
{
    const struct cps_batch_end *end = (const void *)record;
    struct cps_trace *trace = request->trace;

    trace->status = end->status;
    trace->outcome = end->aborted ? CPS_OUTCOME_ABORTED : CPS_OUTCOME_COMPLETE;
    if (end->peak_memory > trace->max_memory)
        trace->max_memory = end->peak_memory;
    trace->calls_dropped += end->calls_dropped;
    trace->functions_dropped += end->functions_dropped;
    trace->callers_dropped += end->callers_dropped;
    trace->cache_events_dropped += end->cache_events_dropped;
    trace->has_functions = true;
    request->last_time = end->monotonic;
}

static void add_record(struct cps_request *request, const struct cps_batch_header *header,
                       const uint32_t *record)
{
    const struct cps_batch_call *call = (const void *)record;
    const struct cps_batch_call_long *longer = (const void *)record;

    switch (CPS_BATCH_WORD_TYPE(*record)) {
    case CPS_BATCH_CALL:
        add_batch_call(request, call->word, call->depth, header->base + call->end, call->elapsed,
                       call->memory);
        break;
    case CPS_BATCH_CALL_LONG:
        add_batch_call(request, longer->word, longer->depth, header->base + longer->end,
                       longer->elapsed, longer->memory);
        break;
    case CPS_BATCH_SYMBOL:
        add_symbol(request, record);
        break;
    case CPS_BATCH_FUNCTION:
        add_function(request, record);
        break;
    case CPS_BATCH_CALLER:
        add_caller(request, record);
        break;
    case CPS_BATCH_CACHE_EVENT:
        add_batch_cache_event(request, record);
        break;
    case CPS_BATCH_END:
        add_end(request, record);
        break;
    default: /* CPS_BATCH_BEGIN: cps_request_begin has taken it */
        break;
    }
}

bool cps_request_add_block(struct cps_request *request, const struct cps_batch_header *header,
                           const struct cps_decode_summary *summary)
{
    for (const uint32_t *record = cps_decode_first(header); record;
         record = cps_decode_next(header, record))
        add_record(request, header, record);
    request->symbols.next = summary->next_symbol;
    request->next_block = header->sequence + 1;
    return (header->flags & CPS_BATCH_LAST) != 0;
}

/* ---- classic events ---- */

int cps_request_init(struct cps_request *request, const struct cps_event_init *event,
                     uint64_t epoch)
{
    struct cps_trace *trace = request->trace;
    int result = cps_trace_copy_string(trace, event->id, event->id_length, &trace->id);

    if (!result)
        result = cps_trace_copy_string(trace, event->uri, event->uri_length, &trace->uri);
    if (!result)
        result = cps_trace_copy_string(trace, event->method, event->method_length, &trace->method);
    if (result)
        return result;
    trace->source =
        event->head.kind == CPS_PROBE_cli_request_init ? CPS_SOURCE_CLI : CPS_SOURCE_HTTP;
    trace->runtime = (enum cps_runtime)event->head.runtime;
    trace->pid = trace->source == CPS_SOURCE_CLI ? event->pid : event->head.pid;
    request->epoch = epoch;
    request->last_time = event->head.time;
    trace->start = epoch_time(request, event->head.time);
    return 0;
}

/* The probe is hit when the call ends; one that would have begun before its request began when the
 * request did. */
void cps_request_add_function(struct cps_request *request, const struct cps_event_function *event)
{
    struct cps_trace *trace = request->trace;
    uint64_t end = epoch_time(request, event->head.time);
    uint64_t longest = end > trace->start ? end - trace->start : 0;
    struct cps_call call = {
        .elapsed = event->elapsed < longest ? event->elapsed : longest,
        .memory = event->memory,
        .depth = CPS_DEPTH_UNKNOWN,
    };

    request->last_time = event->head.time;
    call.start = end - call.elapsed;
    if (!may_grow(request, event->name_length) ||
        cps_trace_intern(trace, event->name, event->name_length, &call.name)) {
        trace->calls_dropped++;
        return;
    }
    add_call(request, &call);
}

static bool same_string(const struct cps_string *string, const char *bytes, size_t length)
{
    return string->length == length && !memcmp(string->data, bytes, length);
}

static bool same_cache_event(const struct cps_cache_event *kept,
                             const struct cps_event_cache *event)
{
    return kept->max_age == event->max_age &&
           same_string(&kept->caller, event->caller, event->caller_length) &&
           same_string(&kept->object_type, event->object_type, event->object_type_length) &&
           same_string(&kept->tags, event->tags, event->tags_length) &&
           same_string(&kept->contexts, event->contexts, event->contexts_length);
}

/* Classic probes do not aggregate, so it is done here. Identical events come in runs, often; a
 * bounded look back finds nearly all and keeps the cost of an event bounded as well. */
#define LOOK_BACK 64
#define MAX_CACHE_EVENTS 4096

void cps_request_add_cache_event(struct cps_request *request, const struct cps_event_cache *source)
{
    bool object = source->head.kind == CPS_PROBE_drupal_cacheablemetadata_createfromobject;
    struct cps_trace *trace = request->trace;
    struct cps_cache_event event = {
        .origin = object ? CPS_CACHE_OBJECT : CPS_CACHE_RENDER_ARRAY,
        .max_age = source->max_age,
        .calls = 1,
    };
    struct cache_strings strings = {
        .bytes = {source->caller, source->object_type, source->tags, source->contexts},
        .lengths = {source->caller_length, source->object_type_length, source->tags_length,
                    source->contexts_length},
    };

    for (size_t i = trace->cache_event_count, seen = 0; i > 0 && seen < LOOK_BACK; i--, seen++) {
        struct cps_cache_event *kept = &trace->cache_events[i - 1];

        if (kept->origin == event.origin && same_cache_event(kept, source)) {
            kept->calls++;
            return;
        }
    }
    if (trace->cache_event_count >= MAX_CACHE_EVENTS)
        trace->cache_events_dropped++;
    else
        add_cache(request, &event, &strings);
}

void cps_request_shutdown(struct cps_request *request, const struct cps_event_shutdown *event)
{
    if (event->head.kind == CPS_PROBE_http_request_shutdown && event->status <= UINT16_MAX)
        request->trace->status = (uint16_t)event->status;
    request->last_time = event->head.time;
}

/* ---- the end ---- */

/* Leaves out the pairs from the first that found no memory on. */
static void count_callers_from(struct cps_request *request, size_t first)
{
    request->memory_failed++;
    for (size_t i = first; i < request->pair_count; i++)
        request->trace->callers_dropped += request->pairs[i].caller.calls;
    request->pair_count = first;
}

/* Callers come in any order; in the trace those of a function stand together: counted first, then
 * put in their places. */
static void place_callers(struct cps_request *request)
{
    struct cps_trace *trace = request->trace;
    uint32_t next = 0;

    for (size_t i = 0; i < request->pair_count; i++) {
        struct cps_function *function = function_of(request, request->pairs[i].callee);

        if (!function || cps_trace_add_caller(trace, &request->pairs[i].caller)) {
            count_callers_from(request, i);
            break;
        }
        function->caller_count++;
    }
    if (!trace->functions)
        return;
    for (size_t i = 0; i < trace->function_count; i++) {
        trace->functions[i].first_caller = next;
        next += trace->functions[i].caller_count;
        trace->functions[i].caller_count = 0;
    }
    for (size_t i = 0; i < request->pair_count; i++) {
        uint32_t index = request->name_functions[request->pairs[i].callee];
        struct cps_function *function = &trace->functions[index];

        trace->callers[function->first_caller + function->caller_count++] =
            request->pairs[i].caller;
    }
}

void cps_request_finish(struct cps_request *request, enum cps_outcome outcome)
{
    struct cps_trace *trace = request->trace;

    if (trace->outcome == CPS_OUTCOME_UNKNOWN)
        trace->outcome = outcome;
    trace->end = epoch_time(request, request->last_time);
    if (trace->end < trace->start)
        trace->end = trace->start;
    place_callers(request);
    cps_retain_finish(&request->retain, trace);
}
