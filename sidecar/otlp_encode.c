/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OTLP's JSON differs from that of Protocol Buffers: ids are hexadecimal, 64 bit integers are
 * strings, enumerations are numbers.
 *
 * Calls come in order of start, parents before children, so a stack of the calls that are still
 * open gives every call its parent, also where some between them were left out.
 */
#include "otlp_encode.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "text.h"

#define ID_DIGITS 32
#define STACK_MAX 256
enum span_kind { SPAN_INTERNAL = 1, SPAN_SERVER = 2 };
enum span_status { STATUS_ERROR = 2 };

struct encoder {
    const struct cps_trace *trace;
    struct cps_buf *out;
    uint64_t state; /* of the ids */
    char trace_id[ID_DIGITS + 1];
    uint64_t parent; /* of the request's span; 0: none */
    uint64_t root;
    size_t spans;
};

/* splitmix64: different for each call, and never 0, which is no valid id. */
static uint64_t next_id(struct encoder *encoder)
{
    uint64_t value = encoder->state += UINT64_C(0x9e3779b97f4a7c15);

    value = (value ^ (value >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ (value >> 27)) * UINT64_C(0x94d049bb133111eb);
    value ^= value >> 31;
    return value ? value : 1;
}

/* The digits of a UUID, or of any 32 of them. */
static bool id_from_request(const struct cps_string *id, char *out)
{
    size_t digits = 0;
    bool zero = true;

    for (size_t i = 0; i < id->length; i++) {
        unsigned char c = (unsigned char)id->data[i];
        if (c == '-')
            continue;
        if (!isxdigit(c) || digits == ID_DIGITS)
            return false;
        zero = zero && c == '0';
        out[digits++] = (char)tolower(c);
    }
    out[digits] = '\0';
    return digits == ID_DIGITS && !zero;
}

/* The trace and the span that the request is a part of, as its traceparent says. */
static bool join_parent(struct encoder *encoder)
{
    const struct cps_trace *trace = encoder->trace;

    if (!trace->has_parent)
        return false;
    for (size_t i = 0; i < sizeof(trace->parent_trace); i++)
        (void)snprintf(encoder->trace_id + i * 2, 3, "%02x", trace->parent_trace[i]);
    for (size_t i = 0; i < sizeof(trace->parent_span); i++)
        encoder->parent = encoder->parent << 8 | trace->parent_span[i];
    return true;
}

static void choose_trace_id(struct encoder *encoder)
{
    if (join_parent(encoder) || id_from_request(&encoder->trace->id, encoder->trace_id))
        return;
    (void)snprintf(encoder->trace_id, sizeof(encoder->trace_id), "%016" PRIx64 "%016" PRIx64,
                   next_id(encoder), next_id(encoder));
}

/* What comes before the next attribute. After a failure there may be no byte to look at. */
static const char *comma(const struct cps_buf *out)
{
    return cps_buf_failed(out) || out->data[out->length - 1] == '[' ? "" : ",";
}

static void add_text(struct cps_buf *out, const char *key, const char *value, size_t length)
{
    cps_buf_append_format(out, "%s{\"key\":\"%s\",\"value\":{\"stringValue\":", comma(out), key);
    cps_text_append_json(out, value, length);
    cps_buf_append_string(out, "}}");
}

static void add_string(struct cps_buf *out, const char *key, const struct cps_string *value)
{
    if (value->length > 0)
        add_text(out, key, value->data, value->length);
}

static void add_number(struct cps_buf *out, const char *key, uint64_t value)
{
    cps_buf_append_format(out, "%s{\"key\":\"%s\",\"value\":{\"intValue\":\"%" PRIu64 "\"}}",
                          comma(out), key, value);
}

static void begin_span(struct encoder *encoder, uint64_t id, uint64_t parent, enum span_kind kind)
{
    cps_buf_append_format(encoder->out, "%s{\"traceId\":\"%s\",\"spanId\":\"%016" PRIx64 "\"",
                          encoder->spans++ ? "," : "", encoder->trace_id, id);
    if (parent)
        cps_buf_append_format(encoder->out, ",\"parentSpanId\":\"%016" PRIx64 "\"", parent);
    cps_buf_append_format(encoder->out, ",\"kind\":%d,\"name\":", kind);
}

static void span_times(struct encoder *encoder, uint64_t start, uint64_t end)
{
    cps_buf_append_format(encoder->out,
                          ",\"startTimeUnixNano\":\"%" PRIu64 "\",\"endTimeUnixNano\":\"%" PRIu64
                          "\",\"attributes\":[",
                          start, end);
}

static void add_http(struct cps_buf *out, const struct cps_trace *trace)
{
    const char *query = memchr(trace->uri.data, '?', trace->uri.length);
    size_t path = query ? (size_t)(query - trace->uri.data) : trace->uri.length;

    add_string(out, "http.request.method", &trace->method);
    add_text(out, "url.path", trace->uri.data, path);
    if (query)
        add_text(out, "url.query", query + 1, trace->uri.length - path - 1);
    if (trace->status)
        add_number(out, "http.response.status_code", trace->status);
    if (trace->status >= 500)
        cps_buf_append_format(out, ",{\"key\":\"error.type\",\"value\":{\"stringValue\":\"%u\"}}",
                              trace->status);
    add_string(out, "compass.request.id", &trace->id);
}

static void add_status(struct cps_buf *out, const struct cps_trace *trace)
{
    bool cut = trace->outcome == CPS_OUTCOME_ABORTED || trace->outcome == CPS_OUTCOME_EXPIRED;

    if (cut)
        cps_buf_append_format(out, ",\"status\":{\"code\":%d,\"message\":\"%s\"}", STATUS_ERROR,
                              trace->outcome == CPS_OUTCOME_ABORTED ? "aborted" : "expired");
    else if (trace->status >= 500)
        cps_buf_append_format(out, ",\"status\":{\"code\":%d}", STATUS_ERROR);
}

/* Names of spans are to be few: the method for a request, the program for a script. */
static void write_root(struct encoder *encoder, size_t calls_left_out)
{
    const struct cps_trace *trace = encoder->trace;
    bool http = trace->source == CPS_SOURCE_HTTP;
    const struct cps_string *name = http ? &trace->method : &trace->uri;
    const char *space = memchr(name->data, ' ', name->length);
    size_t length = space ? (size_t)(space - name->data) : name->length;

    begin_span(encoder, encoder->root, encoder->parent, http ? SPAN_SERVER : SPAN_INTERNAL);
    cps_text_append_json(encoder->out, length ? name->data : "HTTP", length ? length : 4);
    span_times(encoder, trace->start, trace->end);
    if (http)
        add_http(encoder->out, trace);
    else
        add_string(encoder->out, "process.command_line", &trace->uri);
    if (trace->pid)
        add_number(encoder->out, "process.pid", trace->pid);
    add_text(encoder->out, "process.runtime.name",
             trace->runtime == CPS_RUNTIME_NODE ? "nodejs" : "php",
             trace->runtime == CPS_RUNTIME_NODE ? 6 : 3);
    if (trace->max_memory)
        add_number(encoder->out, "compass.memory.peak", trace->max_memory);
    if (trace->calls_dropped + calls_left_out)
        add_number(encoder->out, "compass.calls.dropped", trace->calls_dropped + calls_left_out);
    cps_buf_append_string(encoder->out, "]");
    add_status(encoder->out, trace);
    cps_buf_append_string(encoder->out, "}");
}

static void write_call(struct encoder *encoder, const struct cps_call *call, uint64_t id,
                       uint64_t parent)
{
    const struct cps_string *name = &encoder->trace->names[call->name];

    begin_span(encoder, id, parent, SPAN_INTERNAL);
    cps_text_append_json(encoder->out, name->data, name->length);
    span_times(encoder, call->start, call->start + call->elapsed);
    add_string(encoder->out, "code.function.name", name);
    add_number(encoder->out, "compass.memory", call->memory);
    cps_buf_append_string(encoder->out, "]}");
}

static int compare_longest(const void *a, const void *b)
{
    uint64_t one = *(const uint64_t *)a;
    uint64_t two = *(const uint64_t *)b;

    return (one < two) - (one > two);
}

/* Which calls become spans: all longer ones, and the first `ties` that are exactly as long. */
struct cutoff {
    uint64_t elapsed;
    size_t ties;
};

static int find_cutoff(const struct cps_trace *trace, struct cutoff *out)
{
    cps_auto_free uint64_t *elapsed = NULL;
    size_t longer = 0;

    if (trace->call_count <= CPS_OTLP_MAX_CALLS) {
        *out = (struct cutoff){.ties = CPS_OTLP_MAX_CALLS};
        return 0;
    }
    elapsed = malloc(trace->call_count * sizeof(*elapsed));
    if (!elapsed)
        return -ENOMEM;
    for (size_t i = 0; i < trace->call_count; i++)
        elapsed[i] = trace->calls[i].elapsed;
    qsort(elapsed, trace->call_count, sizeof(*elapsed), compare_longest);
    out->elapsed = elapsed[CPS_OTLP_MAX_CALLS - 1];
    while (elapsed[longer] > out->elapsed)
        longer++;
    out->ties = CPS_OTLP_MAX_CALLS - longer;
    return 0;
}

static bool passes(struct cutoff *cutoff, uint64_t elapsed)
{
    if (elapsed != cutoff->elapsed)
        return elapsed > cutoff->elapsed;
    return cutoff->ties > 0 && cutoff->ties--;
}

static void write_calls(struct encoder *encoder, struct cutoff cutoff)
{
    struct {
        uint64_t id;
        uint64_t end;
    } open[STACK_MAX];
    size_t depth = 0;

    for (size_t i = 0; i < encoder->trace->call_count; i++) {
        const struct cps_call *call = &encoder->trace->calls[i];
        uint64_t end = call->start + call->elapsed;
        uint64_t id = next_id(encoder);
        if (!passes(&cutoff, call->elapsed))
            continue;
        while (depth > 0 && (open[depth - 1].end <= call->start || open[depth - 1].end < end))
            depth--;
        write_call(encoder, call, id, depth > 0 ? open[depth - 1].id : encoder->root);
        if (depth < STACK_MAX) {
            open[depth].id = id;
            open[depth++].end = end;
        }
    }
}

int cps_otlp_encode(const struct cps_trace *trace, uint64_t seed, struct cps_buf *out,
                    size_t *spans)
{
    struct encoder encoder = {.trace = trace, .out = out, .state = seed};
    struct cutoff cutoff;
    int status = find_cutoff(trace, &cutoff);

    if (status < 0)
        return status;
    choose_trace_id(&encoder);
    encoder.root = next_id(&encoder);
    write_root(&encoder,
               trace->call_count > CPS_OTLP_MAX_CALLS ? trace->call_count - CPS_OTLP_MAX_CALLS : 0);
    write_calls(&encoder, cutoff);
    if (cps_buf_failed(out))
        return -ENOMEM;
    *spans = encoder.spans;
    return 0;
}

void cps_otlp_encode_head(const char *service_name, struct cps_buf *out)
{
    cps_buf_append_string(out, "{\"resourceSpans\":[{\"resource\":{\"attributes\":[");
    cps_buf_append_string(out, "{\"key\":\"service.name\",\"value\":{\"stringValue\":");
    cps_text_append_json(out, service_name, strlen(service_name));
    cps_buf_append_string(
        out, "}}]},\"scopeSpans\":[{\"scope\":{\"name\":\"compass\",\"version\":\"" CPS_VERSION
             "\"},\"spans\":[");
}

void cps_otlp_encode_tail(struct cps_buf *out)
{
    cps_buf_append_string(out, "]}]}]}");
}
