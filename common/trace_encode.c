/* SPDX-License-Identifier: Apache-2.0 */
#include "trace.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "text.h"

static void text(struct cps_buf *out, const char *string)
{
    cps_buf_append_string(out, string);
}

static void string(struct cps_buf *out, const char *key, const struct cps_string *value)
{
    text(out, key);
    cps_text_append_json(out, value->data, value->length);
}

/* Numbers are most of a line, and printf most of the time that a line takes. */
static void number(struct cps_buf *out, const char *key, uint64_t value)
{
    char digits[20];
    size_t at = sizeof(digits);

    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    text(out, key);
    cps_buf_append(out, digits + at, sizeof(digits) - at);
}

static const char *outcome_name(enum cps_outcome outcome)
{
    switch (outcome) {
    case CPS_OUTCOME_COMPLETE:
        return "complete";
    case CPS_OUTCOME_ABORTED:
        return "aborted";
    case CPS_OUTCOME_EXPIRED:
        return "expired";
    default:
        return NULL;
    }
}

static void encode_source(const struct cps_trace *trace, struct cps_buf *out)
{
    if (trace->source == CPS_SOURCE_CLI) {
        string(out, ",\"http\":{},\"cli\":{\"command\":", &trace->uri);
        if (trace->pid)
            number(out, ",\"pid\":", trace->pid);
        text(out, "}");
        return;
    }
    string(out, ",\"http\":{\"method\":", &trace->method);
    string(out, ",\"uri\":", &trace->uri);
    if (trace->status)
        number(out, ",\"status\":", trace->status);
    text(out, "},\"cli\":{}");
}

static void encode_metadata(const struct cps_trace *trace, struct cps_buf *out)
{
    const char *outcome = outcome_name(trace->outcome);

    text(out, "{\"metadata\":{\"source\":\"");
    text(out, trace->source == CPS_SOURCE_CLI ? "cli\"" : "http\"");
    if (trace->runtime != CPS_RUNTIME_UNKNOWN)
        text(out,
             trace->runtime == CPS_RUNTIME_NODE ? ",\"runtime\":\"node\"" : ",\"runtime\":\"php\"");
    string(out, ",\"id\":", &trace->id);
    encode_source(trace, out);
    number(out, ",\"startTime\":", trace->start);
    number(out, ",\"endTime\":", trace->end);
    if (outcome) {
        text(out, ",\"outcome\":\"");
        text(out, outcome);
        text(out, "\"");
    }
    number(out, "},\"resourceUtilisation\":{\"maxMemory\":", trace->max_memory);
    text(out, "}");
}

static void encode_calls(const struct cps_trace *trace, struct cps_buf *out)
{
    text(out, ",\"functionCalls\":[");
    for (size_t i = 0; i < trace->call_count; i++) {
        const struct cps_call *call = &trace->calls[i];

        string(out, i ? ",{\"name\":" : "{\"name\":", &trace->names[call->name]);
        number(out, ",\"startTime\":", call->start);
        number(out, ",\"elapsed\":", call->elapsed);
        number(out, ",\"memory\":", call->memory);
        if (call->depth != CPS_DEPTH_UNKNOWN)
            number(out, ",\"depth\":", call->depth);
        text(out, "}");
    }
    number(out, "],\"functionCallsDropped\":", trace->calls_dropped);
    if (trace->blocks_lost)
        number(out, ",\"blocksLost\":", trace->blocks_lost);
}

static void encode_callers(const struct cps_trace *trace, const struct cps_function *function,
                           struct cps_buf *out)
{
    text(out, ",\"callers\":[");
    for (uint32_t i = 0; i < function->caller_count; i++) {
        const struct cps_caller *caller = &trace->callers[function->first_caller + i];

        string(out, i ? ",{\"name\":" : "{\"name\":", &trace->names[caller->name]);
        number(out, ",\"calls\":", caller->calls);
        number(out, ",\"elapsed\":", caller->elapsed);
        text(out, "}");
    }
    text(out, "]");
}

static void encode_functions(const struct cps_trace *trace, struct cps_buf *out)
{
    if (!trace->has_functions)
        return;
    text(out, ",\"functions\":[");
    for (size_t i = 0; i < trace->function_count; i++) {
        const struct cps_function *function = &trace->functions[i];

        string(out, i ? ",{\"name\":" : "{\"name\":", &trace->names[function->name]);
        number(out, ",\"calls\":", function->calls);
        number(out, ",\"elapsed\":", function->elapsed);
        number(out, ",\"self\":", function->self);
        number(out, ",\"max\":", function->longest);
        if (function->untimed)
            text(out, ",\"untimed\":true");
        if (function->caller_count)
            encode_callers(trace, function, out);
        text(out, "}");
    }
    text(out, "]");
    if (trace->functions_dropped)
        number(out, ",\"functionsDropped\":", trace->functions_dropped);
}

/* A list separated by spaces, as an array. */
static void encode_list(struct cps_buf *out, const char *key, const struct cps_string *list)
{
    const char *at = list->data, *end = at + list->length;
    bool first = true;

    text(out, key);
    while (at < end) {
        const char *space = memchr(at, ' ', (size_t)(end - at));
        size_t length = (size_t)((space ? space : end) - at);

        if (length) {
            text(out, first ? "" : ",");
            cps_text_append_json(out, at, length);
            first = false;
        }
        at += length + 1;
    }
    text(out, "]");
}

static void encode_event(const struct cps_cache_event *event, struct cps_buf *out)
{
    text(out, event->origin == CPS_CACHE_OBJECT ? "{\"origin\":\"object\""
                                                : "{\"origin\":\"renderArray\"");
    string(out, ",\"caller\":", &event->caller);
    if (event->origin == CPS_CACHE_OBJECT)
        string(out, ",\"objectType\":", &event->object_type);
    cps_buf_append_format(out, ",\"maxAge\":%" PRId64, event->max_age);
    encode_list(out, ",\"tags\":[", &event->tags);
    encode_list(out, ",\"contexts\":[", &event->contexts);
    number(out, ",\"calls\":", event->calls);
    text(out, "}");
}

static void encode_drupal(const struct cps_trace *trace, struct cps_buf *out)
{
    if (!trace->cache_event_count && !trace->cache_events_dropped)
        return;
    text(out, ",\"drupal\":{\"cacheEvents\":[");
    for (size_t i = 0; i < trace->cache_event_count; i++) {
        text(out, i ? "," : "");
        encode_event(&trace->cache_events[i], out);
    }
    text(out, "]");
    if (trace->cache_events_dropped)
        number(out, ",\"cacheEventsDropped\":", trace->cache_events_dropped);
    text(out, "}");
}

int cps_trace_encode(const struct cps_trace *trace, struct cps_buf *out)
{
    encode_metadata(trace, out);
    encode_calls(trace, out);
    encode_functions(trace, out);
    encode_drupal(trace, out);
    text(out, "}\n");
    return cps_buf_failed(out) ? -ENOMEM : 0;
}
