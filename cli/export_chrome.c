/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chrome's trace event format, JSON flavour: complete events ("X") with microseconds from the
 * beginning of the first request, on one time axis for all traces.
 */
#include <errno.h>
#include <inttypes.h>

#include "export.h"
#include "text.h"
#include "timeline.h"

struct writer {
    struct cps_buf *out;
    const struct cps_trace *trace;
    const struct cps_timeline *timeline;
    size_t process; /* from 1 */
    uint64_t zero;  /* ns since the Unix epoch */
};

/* Nanoseconds, as microseconds with their fraction. */
static void append_us(struct cps_buf *out, const char *key, uint64_t ns)
{
    cps_buf_append_format(out, ",\"%s\":%" PRIu64 ".%03u", key, ns / 1000, (unsigned)(ns % 1000));
}

static void begin_event(const struct writer *writer, char phase, uint32_t lane)
{
    cps_buf_append_format(writer->out, "{\"ph\":\"%c\",\"pid\":%zu,\"tid\":%u", phase,
                          writer->process, (unsigned)lane + 1);
}

static void append_span(const struct writer *writer, uint32_t lane, uint64_t start, uint64_t end)
{
    begin_event(writer, 'X', lane);
    append_us(writer->out, "ts", writer->timeline->begin - writer->zero + start);
    append_us(writer->out, "dur", end - start);
    cps_buf_append_string(writer->out, ",\"name\":");
}

static void append_process(const struct writer *writer)
{
    begin_event(writer, 'M', 0);
    cps_buf_append_string(writer->out, ",\"name\":\"process_name\",\"args\":{\"name\":");
    cps_export_append_label_json(writer->out, writer->trace);
    cps_buf_append_string(writer->out, "}},\n");
}

static void append_request(const struct writer *writer)
{
    append_span(writer, 0, 0, writer->timeline->duration);
    cps_export_append_label_json(writer->out, writer->trace);
    cps_buf_append_string(writer->out, ",\"args\":{\"id\":");
    cps_text_append_json(writer->out, writer->trace->id.data, writer->trace->id.length);
    cps_buf_append_format(writer->out, ",\"status\":%u,\"peakMemory\":%" PRIu64 "}}",
                          writer->trace->status, writer->trace->max_memory);
}

static void append_call(const struct writer *writer, uint32_t index)
{
    const struct cps_call *call = &writer->trace->calls[index];
    const struct cps_timeline_item *item = &writer->timeline->items[index];
    const struct cps_string *name = &writer->trace->names[call->name];

    cps_buf_append_string(writer->out, ",\n");
    append_span(writer, item->lane, item->start, item->end);
    cps_text_append_json(writer->out, name->data, name->length);
    cps_buf_append_format(writer->out, ",\"args\":{\"memory\":%" PRIu64 "}}", call->memory);
}

static int append_trace(struct writer *writer)
{
    struct cps_tree tree = {0};
    struct cps_timeline timeline = {0};
    int r = cps_tree_build(writer->trace, &tree);

    if (r == 0)
        r = cps_timeline_build(writer->trace, &tree, &timeline);
    writer->timeline = &timeline;
    if (r == 0) {
        append_process(writer);
        append_request(writer);
        for (uint32_t i = 0; i < timeline.count; i++)
            append_call(writer, i);
    }
    writer->timeline = NULL;
    cps_timeline_free(&timeline);
    cps_tree_free(&tree);
    return r;
}

static uint64_t earliest(const struct cps_trace *const *traces, size_t count)
{
    uint64_t zero = UINT64_MAX;

    for (size_t i = 0; i < count; i++) {
        if (traces[i]->start < zero)
            zero = traces[i]->start;
        if (traces[i]->call_count > 0 && traces[i]->calls[0].start < zero)
            zero = traces[i]->calls[0].start;
    }
    return zero;
}

int cps_export_chrome(const struct cps_trace *const *traces, size_t count, struct cps_buf *out)
{
    struct writer writer = {.out = out, .zero = earliest(traces, count)};
    int r = 0;

    cps_buf_append_string(out, "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n");
    for (size_t i = 0; r == 0 && i < count; i++) {
        cps_buf_append_string(out, i ? ",\n" : "");
        writer.trace = traces[i];
        writer.process = i + 1;
        r = append_trace(&writer);
    }
    cps_buf_append_string(out, "\n]}\n");
    return cps_buf_failed(out) ? -ENOMEM : r;
}
