/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "export.h"
#include "findings.h"
#include "format.h"
#include "text.h"
#include "totals.h"

/* Pads to `width` columns; figures may have a "µ", which is two bytes and one column. */
static void append_right(struct cps_buf *out, const char *text, int width)
{
    int columns = 0;

    for (const char *at = text; *at; at++)
        columns += ((unsigned char)*at & 0xc0) != 0x80;
    cps_buf_append_format(out, "%*s%s", width > columns ? width - columns : 0, "", text);
}

static void append_safe(struct cps_buf *out, const struct cps_string *string)
{
    cps_text_append_safe(out, string->data, string->length, false);
}

static uint64_t duration(const struct cps_trace *trace)
{
    return trace->end > trace->start ? trace->end - trace->start : 0;
}

static void append_who(struct cps_buf *out, const struct cps_trace *trace)
{
    static const char *const runtimes[] = {
        [CPS_RUNTIME_UNKNOWN] = "-", [CPS_RUNTIME_PHP] = "php", [CPS_RUNTIME_NODE] = "node"};
    char text[CPS_FORMAT_SIZE];

    cps_buf_append_format(out, "%s  %-4s  ", cps_format_clock(text, trace->start, 1),
                          runtimes[trace->runtime]);
    if (trace->source == CPS_SOURCE_CLI) {
        cps_buf_append_string(out, "cli     ");
    } else {
        size_t before = out->length;

        append_safe(out, &trace->method);
        cps_buf_append_format(out, "%*s  ",
                              out->length < before + 6 ? (int)(before + 6 - out->length) : 0, "");
    }
    if (trace->status)
        cps_buf_append_format(out, "%3u", trace->status);
    else
        cps_buf_append_string(out, "  -");
}

static uint64_t count_calls(const struct cps_trace *trace, const struct cps_totals *totals)
{
    uint64_t calls = totals->exact ? trace->functions_dropped : trace->calls_dropped;

    for (size_t i = 0; i < totals->function_count; i++)
        calls += totals->functions[i].calls;
    return calls;
}

static void append_figures(struct cps_buf *out, const struct cps_trace *trace,
                           const struct cps_totals *totals)
{
    char text[CPS_FORMAT_SIZE];

    append_right(out, cps_format_duration(text, duration(trace)), 9);
    append_right(out, cps_format_count(text, count_calls(trace, totals)), 7);
    append_right(out, cps_format_bytes(text, trace->max_memory), 8);
    cps_buf_append_string(out, "  ");
}

static void append_hottest(struct cps_buf *out, const struct cps_trace *trace,
                           const struct cps_totals *totals)
{
    const struct cps_function *hottest = NULL;
    char text[CPS_FORMAT_SIZE];

    for (size_t i = 0; i < totals->function_count; i++)
        if (!hottest || totals->functions[i].self > hottest->self)
            hottest = &totals->functions[i];
    if (!hottest)
        return;
    cps_buf_append_string(out, "  [");
    append_safe(out, &trace->names[hottest->name]);
    cps_buf_append_format(out, " %s]", cps_format_share(text, hottest->self, duration(trace)));
}

static void append_marks(struct cps_buf *out, const struct cps_trace *trace)
{
    if (trace->outcome == CPS_OUTCOME_ABORTED)
        cps_buf_append_string(out, "  aborted");
    if (trace->outcome == CPS_OUTCOME_EXPIRED)
        cps_buf_append_string(out, "  expired");
    if (trace->calls_dropped)
        cps_buf_append_format(out, "  %" PRIu64 " call%s not kept", trace->calls_dropped,
                              cps_format_plural(trace->calls_dropped));
    if (trace->blocks_lost)
        cps_buf_append_format(out, "  %" PRIu64 " blocks lost", trace->blocks_lost);
}

/* Requests that came at about the same time are near each other. */
#define NEIGHBOURS 64

static void append_finding(struct cps_buf *out, const struct cps_trace *const *traces, size_t count,
                           size_t index, const struct cps_totals *totals)
{
    size_t first = index > NEIGHBOURS ? index - NEIGHBOURS : 0;
    size_t end = count - index > NEIGHBOURS ? index + NEIGHBOURS : count;
    struct cps_findings findings;
    char text[512];

    cps_findings_find(traces[index], totals, traces + first, end - first, &findings);
    if (!findings.count)
        return;
    cps_findings_describe(traces[index], &findings.items[0], text, sizeof(text));
    cps_buf_append_string(out, "  > ");
    cps_text_append_safe(out, text, strlen(text), false);
}

int cps_export_summary(const struct cps_trace *const *traces, size_t count, struct cps_buf *out)
{
    for (size_t i = 0; i < count; i++) {
        const struct cps_trace *trace = traces[i];
        struct cps_totals totals = {0};

        if (cps_totals_build(trace, &totals))
            return -ENOMEM;
        append_who(out, trace);
        append_figures(out, trace, &totals);
        append_safe(out, &trace->uri);
        append_hottest(out, trace, &totals);
        append_marks(out, trace);
        append_finding(out, traces, count, i, &totals);
        cps_buf_append_string(out, "\n");
        cps_totals_free(&totals);
    }
    return cps_buf_failed(out) ? -ENOMEM : 0;
}
