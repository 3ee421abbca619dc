/* SPDX-License-Identifier: Apache-2.0 */
/*
 * speedscope's file format (https://www.speedscope.app/file-format-schema.json): "evented"
 * profiles, in which frames open and close strictly nested and in order of time, so every lane is a
 * profile of its own. The first lane of a trace has the request itself as its outermost frame.
 */
#include <errno.h>
#include <inttypes.h>

#include "export.h"
#include "text.h"
#include "timeline.h"

/* The frames of all traces in one list: those of a trace begin at `first`, the request first. */
struct writer {
    struct cps_buf *out;
    const struct cps_trace *trace;
    size_t first;
    const char *comma; /* before the next event */
};

static void append_event(struct writer *writer, char type, size_t frame, uint64_t at)
{
    cps_buf_append_format(writer->out, "%s{\"type\":\"%c\",\"frame\":%zu,\"at\":%" PRIu64 "}",
                          writer->comma, type, frame, at);
    writer->comma = ",";
}

static void open_call(void *context, uint32_t call, uint64_t at)
{
    struct writer *writer = context;

    append_event(writer, 'O', writer->first + 1 + writer->trace->calls[call].name, at);
}

static void close_call(void *context, uint32_t call, uint64_t at)
{
    struct writer *writer = context;

    append_event(writer, 'C', writer->first + 1 + writer->trace->calls[call].name, at);
}

static void append_profile_name(struct writer *writer, uint32_t lane)
{
    cps_auto_buf struct cps_buf name = {0};

    cps_export_append_label(&name, writer->trace);
    if (lane > 0)
        cps_buf_append_format(&name, " (overlapping, %u)", (unsigned)lane);
    cps_text_append_json(writer->out, name.data, name.length);
    writer->out->failed |= name.failed;
}

static int append_lane(struct writer *writer, const struct cps_timeline *timeline, uint32_t lane)
{
    const struct cps_timeline_visitor visitor = {open_call, close_call, writer};
    int r;

    cps_buf_append_string(writer->out, "{\"type\":\"evented\",\"name\":");
    append_profile_name(writer, lane);
    cps_buf_append_format(writer->out,
                          ",\"unit\":\"nanoseconds\",\"startValue\":0,\"endValue\":%" PRIu64
                          ",\"events\":[",
                          timeline->duration);
    writer->comma = "";
    if (lane == 0)
        append_event(writer, 'O', writer->first, 0);
    r = cps_timeline_walk(timeline, lane, &visitor);
    if (lane == 0)
        append_event(writer, 'C', writer->first, timeline->duration);
    cps_buf_append_string(writer->out, "]}");
    return r;
}

static int append_trace(struct writer *writer)
{
    struct cps_tree tree = {0};
    struct cps_timeline timeline = {0};
    int r = cps_tree_build(writer->trace, &tree);

    if (r == 0)
        r = cps_timeline_build(writer->trace, &tree, &timeline);
    for (uint32_t lane = 0; r == 0 && lane < timeline.lanes; lane++) {
        if (lane > 0)
            cps_buf_append_string(writer->out, ",");
        r = append_lane(writer, &timeline, lane);
    }
    cps_timeline_free(&timeline);
    cps_tree_free(&tree);
    return r;
}

static void append_frames(struct cps_buf *out, const struct cps_trace *trace)
{
    cps_buf_append_string(out, "{\"name\":");
    cps_export_append_label_json(out, trace);
    for (size_t i = 0; i < trace->name_count; i++) {
        cps_buf_append_string(out, "},{\"name\":");
        cps_text_append_json(out, trace->names[i].data, trace->names[i].length);
    }
    cps_buf_append_string(out, "}");
}

int cps_export_speedscope(const struct cps_trace *const *traces, size_t count, struct cps_buf *out)
{
    struct writer writer = {.out = out};
    int r = 0;

    cps_buf_append_string(out,
                          "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
                          "\"exporter\":\"compass " CPS_VERSION "\",\"shared\":{\"frames\":[");
    for (size_t i = 0; i < count; i++) {
        cps_buf_append_string(out, i ? "," : "");
        append_frames(out, traces[i]);
    }
    cps_buf_append_string(out, "]},\"profiles\":[");
    for (size_t i = 0; r == 0 && i < count; i++) {
        cps_buf_append_string(out, i ? "," : "");
        writer.trace = traces[i];
        r = append_trace(&writer);
        writer.first += 1 + traces[i]->name_count;
    }
    cps_buf_append_string(out, "]}\n");
    return cps_buf_failed(out) ? -ENOMEM : r;
}
