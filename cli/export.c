/* SPDX-License-Identifier: Apache-2.0 */
#include "export.h"

#include <errno.h>
#include <string.h>

#include "text.h"

const struct cps_export_format cps_export_formats[] = {
    {"ndjson", ".ndjson", 'n', "NDJSON", "traces as Compass streams them, a line each",
     cps_export_ndjson},
    {"speedscope", ".speedscope.json", 's', "speedscope", "for speedscope.app",
     cps_export_speedscope},
    {"chrome", ".trace.json", 'c', "Chrome trace", "for Perfetto and chrome://tracing",
     cps_export_chrome},
    {"collapsed", ".collapsed", 'f', "collapsed stacks",
     "stacks and their own time, for flame graph tools", cps_export_collapsed},
    {"callgrind", ".callgrind", 'g', "callgrind",
     "for KCachegrind, QCachegrind and callgrind_annotate", cps_export_callgrind},
    {"html", ".html", 'h', "HTML", "one page with a timeline and a flame graph, for a browser",
     cps_export_html},
    {"summary", ".txt", '\0', NULL, "a readable line a request", cps_export_summary},
    {NULL, NULL, '\0', NULL, NULL, NULL},
};

const struct cps_export_format *cps_export_find(const char *name)
{
    for (const struct cps_export_format *format = cps_export_formats; format->name; format++)
        if (strcmp(format->name, name) == 0)
            return format;
    return NULL;
}

void cps_export_append_label(struct cps_buf *out, const struct cps_trace *trace)
{
    if (trace->source == CPS_SOURCE_HTTP && trace->method.length > 0) {
        cps_buf_append(out, trace->method.data, trace->method.length);
        cps_buf_append(out, " ", 1);
    }
    cps_buf_append(out, trace->uri.data, trace->uri.length);
}

void cps_export_append_label_json(struct cps_buf *out, const struct cps_trace *trace)
{
    cps_auto_buf struct cps_buf label = {0};

    cps_export_append_label(&label, trace);
    cps_text_append_json(out, label.data, label.length);
    out->failed |= label.failed;
}

int cps_export_ndjson(const struct cps_trace *const *traces, size_t count, struct cps_buf *out)
{
    for (size_t i = 0; i < count; i++)
        if (cps_trace_encode(traces[i], out))
            return -ENOMEM;
    return 0;
}
