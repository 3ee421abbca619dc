/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trace as one line of JSON. A busy application finishes thousands of requests a second with
 * thousands of calls each, so this is written by hand: every name is quoted and escaped once, and a
 * call is then a few copies into room that was reserved for the whole of it.
 *
 * Deployed readers hold numbers in signed 64 bit integers and refuse a line with a larger one, so
 * larger ones come out as the largest that they can read.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"
#include "trace.h"

#define NUMBER_MAX 19 /* digits of INT64_MAX */

/* The names as JSON strings, quotes included: name i is the bytes from offsets[i] to
 * offsets[i + 1]. */
struct quoted {
    struct cps_buf text;
    size_t *offsets;
};

static char *put(char *to, const char *bytes, size_t length)
{
    memcpy(to, bytes, length);
    return to + length;
}

#define PUT(to, literal) put(to, literal, sizeof(literal) - 1)

static char *put_number(char *to, uint64_t value)
{
    char digits[NUMBER_MAX + 1];
    size_t at = sizeof(digits);

    if (value > INT64_MAX)
        value = INT64_MAX;
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    return put(to, digits + at, sizeof(digits) - at);
}

static void append_number(struct cps_buf *out, uint64_t value)
{
    char *to = cps_buf_reserve(out, NUMBER_MAX);

    if (to)
        out->length = (size_t)(put_number(to, value) - out->data);
}

/* A field after the first: its name, which needs no escape, and its value. */
static void append_number_field(struct cps_buf *out, const char *name, uint64_t value)
{
    cps_buf_append_format(out, ",\"%s\":", name);
    append_number(out, value);
}

static void append_string_field(struct cps_buf *out, const char *name, struct cps_string value)
{
    cps_buf_append_format(out, ",\"%s\":", name);
    cps_text_append_json(out, value.data, value.length);
}

static int quote_names(const struct cps_trace *trace, struct quoted *quoted)
{
    quoted->offsets = malloc((trace->name_count + 1) * sizeof(*quoted->offsets));
    if (!quoted->offsets)
        return -ENOMEM;
    for (size_t i = 0; i < trace->name_count; i++) {
        quoted->offsets[i] = quoted->text.length;
        cps_text_append_json(&quoted->text, trace->names[i].data, trace->names[i].length);
    }
    quoted->offsets[trace->name_count] = quoted->text.length;
    return cps_buf_reserve(&quoted->text, 0) ? 0 : -ENOMEM;
}

static size_t quoted_length(const struct quoted *quoted, uint32_t name)
{
    return quoted->offsets[name + 1] - quoted->offsets[name];
}

/* Never no bytes: the quotes are there. */
static char *put_name(char *to, const struct quoted *quoted, uint32_t name)
{
    return put(to, quoted->text.data + quoted->offsets[name], quoted_length(quoted, name));
}

static void append_http(struct cps_buf *out, const struct cps_trace *trace)
{
    cps_buf_append_string(out, ",\"http\":{");
    if (trace->source == CPS_SOURCE_HTTP) {
        cps_buf_append_string(out, "\"method\":");
        cps_text_append_json(out, trace->method.data, trace->method.length);
        append_string_field(out, "uri", trace->uri);
        if (trace->status)
            append_number_field(out, "status", trace->status);
    }
    cps_buf_append_string(out, "}");
}

static void append_cli(struct cps_buf *out, const struct cps_trace *trace)
{
    cps_buf_append_string(out, ",\"cli\":{");
    if (trace->source == CPS_SOURCE_CLI) {
        cps_buf_append_string(out, "\"command\":");
        cps_text_append_json(out, trace->uri.data, trace->uri.length);
        if (trace->pid)
            append_number_field(out, "pid", trace->pid);
    }
    cps_buf_append_string(out, "}");
}

static const char *const outcomes[] = {
    [CPS_OUTCOME_COMPLETE] = ",\"outcome\":\"complete\"",
    [CPS_OUTCOME_ABORTED] = ",\"outcome\":\"aborted\"",
    [CPS_OUTCOME_EXPIRED] = ",\"outcome\":\"expired\"",
};

static void append_metadata(struct cps_buf *out, const struct cps_trace *trace)
{
    cps_buf_append_string(out, trace->source == CPS_SOURCE_CLI
                                   ? "{\"metadata\":{\"source\":\"cli\""
                                   : "{\"metadata\":{\"source\":\"http\"");
    if (trace->runtime != CPS_RUNTIME_UNKNOWN)
        cps_buf_append_format(out, ",\"runtime\":\"%s\"", cps_trace_runtime_name(trace->runtime));
    append_string_field(out, "id", trace->id);
    append_http(out, trace);
    append_cli(out, trace);
    if (trace->source == CPS_SOURCE_HTTP && trace->pid)
        append_number_field(out, "pid", trace->pid);
    append_number_field(out, "startTime", trace->start);
    append_number_field(out, "endTime", trace->end);
    if (trace->outcome != CPS_OUTCOME_UNKNOWN)
        cps_buf_append_string(out, outcomes[trace->outcome]);
    cps_buf_append_string(out, "},\"resourceUtilisation\":{\"maxMemory\":");
    append_number(out, trace->max_memory);
    cps_buf_append_string(out, "}");
}

#define CALL_KEYS "{\"name\":,\"startTime\":,\"elapsed\":,\"memory\":,\"depth\":},"
#define CALL_MAX (sizeof(CALL_KEYS) + (size_t)4 * NUMBER_MAX)

static void append_call(struct cps_buf *out, const struct quoted *quoted,
                        const struct cps_call *call)
{
    char *to = cps_buf_reserve(out, CALL_MAX + quoted_length(quoted, call->name));

    if (!to)
        return;
    to = PUT(to, "{\"name\":");
    to = put_name(to, quoted, call->name);
    to = PUT(to, ",\"startTime\":");
    to = put_number(to, call->start);
    to = PUT(to, ",\"elapsed\":");
    to = put_number(to, call->elapsed);
    to = PUT(to, ",\"memory\":");
    to = put_number(to, call->memory);
    if (call->depth != CPS_DEPTH_UNKNOWN) {
        to = PUT(to, ",\"depth\":");
        to = put_number(to, call->depth);
    }
    to = PUT(to, "},");
    out->length = (size_t)(to - out->data);
}

/* Every element of a list is written with a comma behind it; the last one's goes again. */
static void end_list(struct cps_buf *out)
{
    if (!out->failed && out->data[out->length - 1] == ',')
        out->length--;
    cps_buf_append(out, "]", 1);
}

/* What was dropped can be told only by a tracer that counts it, and that one tells outcomes. */
static void append_calls(struct cps_buf *out, const struct cps_trace *trace,
                         const struct quoted *quoted)
{
    cps_buf_append_string(out, ",\"functionCalls\":[");
    for (size_t i = 0; i < trace->call_count; i++)
        append_call(out, quoted, &trace->calls[i]);
    end_list(out);
    if (trace->outcome != CPS_OUTCOME_UNKNOWN || trace->calls_dropped)
        append_number_field(out, "functionCallsDropped", trace->calls_dropped);
    if (trace->blocks_lost)
        append_number_field(out, "blocksLost", trace->blocks_lost);
}

#define CALLER_KEYS "{\"name\":,\"calls\":,\"elapsed\":},"
#define CALLER_MAX (sizeof(CALLER_KEYS) + (size_t)2 * NUMBER_MAX)

static void append_caller(struct cps_buf *out, const struct quoted *quoted,
                          const struct cps_caller *caller)
{
    char *to = cps_buf_reserve(out, CALLER_MAX + quoted_length(quoted, caller->name));

    if (!to)
        return;
    to = PUT(to, "{\"name\":");
    to = put_name(to, quoted, caller->name);
    to = PUT(to, ",\"calls\":");
    to = put_number(to, caller->calls);
    to = PUT(to, ",\"elapsed\":");
    to = put_number(to, caller->elapsed);
    to = PUT(to, "},");
    out->length = (size_t)(to - out->data);
}

#define FUNCTION_KEYS "{\"name\":,\"calls\":,\"elapsed\":,\"self\":,\"max\":,\"untimed\":true"
#define FUNCTION_MAX (sizeof(FUNCTION_KEYS) + (size_t)4 * NUMBER_MAX)

static void append_function_fields(struct cps_buf *out, const struct quoted *quoted,
                                   const struct cps_function *function)
{
    char *to = cps_buf_reserve(out, FUNCTION_MAX + quoted_length(quoted, function->name));

    if (!to)
        return;
    to = PUT(to, "{\"name\":");
    to = put_name(to, quoted, function->name);
    to = PUT(to, ",\"calls\":");
    to = put_number(to, function->calls);
    to = PUT(to, ",\"elapsed\":");
    to = put_number(to, function->elapsed);
    to = PUT(to, ",\"self\":");
    to = put_number(to, function->self);
    to = PUT(to, ",\"max\":");
    to = put_number(to, function->longest);
    if (function->untimed)
        to = PUT(to, ",\"untimed\":true");
    out->length = (size_t)(to - out->data);
}

static void append_function(struct cps_buf *out, const struct cps_trace *trace,
                            const struct quoted *quoted, const struct cps_function *function)
{
    append_function_fields(out, quoted, function);
    if (function->caller_count > 0) {
        cps_buf_append_string(out, ",\"callers\":[");
        for (uint32_t i = 0; i < function->caller_count; i++)
            append_caller(out, quoted, &trace->callers[function->first_caller + i]);
        end_list(out);
    }
    cps_buf_append(out, "},", 2);
}

static void append_functions(struct cps_buf *out, const struct cps_trace *trace,
                             const struct quoted *quoted)
{
    if (trace->has_functions) {
        cps_buf_append_string(out, ",\"functions\":[");
        for (size_t i = 0; i < trace->function_count; i++)
            append_function(out, trace, quoted, &trace->functions[i]);
        end_list(out);
    }
    if (trace->functions_dropped)
        append_number_field(out, "functionsDropped", trace->functions_dropped);
    if (trace->callers_dropped)
        append_number_field(out, "callersDropped", trace->callers_dropped);
}

/* Words separated by spaces, as a list of strings. */
static void append_words_field(struct cps_buf *out, const char *name, struct cps_string words)
{
    const char *at = words.data;
    const char *end = words.data + words.length;

    cps_buf_append_format(out, ",\"%s\":[", name);
    while (at < end) {
        const char *space = memchr(at, ' ', (size_t)(end - at));
        const char *stop = space ? space : end;

        if (stop > at) {
            cps_text_append_json(out, at, (size_t)(stop - at));
            cps_buf_append(out, ",", 1);
        }
        at = stop + 1;
    }
    end_list(out);
}

static void append_cache_event(struct cps_buf *out, const struct cps_cache_event *event)
{
    cps_buf_append_string(out, event->origin == CPS_CACHE_OBJECT ? "{\"origin\":\"object\""
                                                                 : "{\"origin\":\"renderArray\"");
    append_string_field(out, "caller", event->caller);
    if (event->origin == CPS_CACHE_OBJECT)
        append_string_field(out, "objectType", event->object_type);
    cps_buf_append_format(out, ",\"maxAge\":%lld", (long long)event->max_age);
    append_words_field(out, "tags", event->tags);
    append_words_field(out, "contexts", event->contexts);
    append_number_field(out, "calls", event->calls);
    cps_buf_append(out, "},", 2);
}

static void append_drupal(struct cps_buf *out, const struct cps_trace *trace)
{
    if (trace->cache_event_count == 0 && trace->cache_events_dropped == 0)
        return;
    cps_buf_append_string(out, ",\"drupal\":{\"cacheEvents\":[");
    for (size_t i = 0; i < trace->cache_event_count; i++)
        append_cache_event(out, &trace->cache_events[i]);
    end_list(out);
    if (trace->cache_events_dropped)
        append_number_field(out, "cacheEventsDropped", trace->cache_events_dropped);
    cps_buf_append_string(out, "}");
}

int cps_trace_encode(const struct cps_trace *trace, struct cps_buf *out)
{
    struct quoted quoted = {0};
    size_t before = out->length;
    int r = quote_names(trace, &quoted);

    if (r == 0) {
        append_metadata(out, trace);
        append_calls(out, trace, &quoted);
        append_functions(out, trace, &quoted);
        append_drupal(out, trace);
        cps_buf_append(out, "}\n", 2);
        if (cps_buf_failed(out)) {
            out->length = before;
            r = -ENOMEM;
        }
    }
    cps_buf_free(&quoted.text);
    free(quoted.offsets);
    return r;
}
