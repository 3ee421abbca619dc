/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One page with everything in it: the traces as JSON in a block that no script runs, and the code
 * that draws them (page.html). A "<" can only be within a string there; written as an escape, no
 * name can end the block. The page's own policy forbids it any connection.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "export.h"
#include "flame.h"
#include "page.html.h"
#include "text.h"
#include "timeline.h"
#include "totals.h"

#define MARK "@TRACES@"

struct parts {
    struct cps_tree tree;
    struct cps_timeline timeline;
    struct cps_flame flame;
    struct cps_totals totals;
};

static int build_parts(const struct cps_trace *trace, struct parts *parts)
{
    int r = cps_tree_build(trace, &parts->tree);

    if (r == 0)
        r = cps_timeline_build(trace, &parts->tree, &parts->timeline);
    if (r == 0)
        r = cps_flame_build(trace, &parts->tree, &parts->flame);
    if (r == 0)
        r = cps_totals_build(trace, &parts->totals);
    return r;
}

static void free_parts(struct parts *parts)
{
    cps_totals_free(&parts->totals);
    cps_flame_free(&parts->flame);
    cps_timeline_free(&parts->timeline);
    cps_tree_free(&parts->tree);
}

/* Names reorder no text and hide nothing in a browser either. */
static void append_text(struct cps_buf *out, const char *bytes, size_t length)
{
    cps_auto_buf struct cps_buf safe = {0};

    cps_text_append_safe(&safe, bytes, length, false);
    cps_text_append_json(out, safe.data, safe.length);
    out->failed |= safe.failed;
}

static void append_numbers(struct cps_buf *out, const char *comma, const uint64_t *numbers,
                           size_t count)
{
    for (size_t i = 0; i < count; i++) {
        cps_buf_append_format(out, "%s%" PRIu64, comma, numbers[i]);
        comma = ",";
    }
}

#define NUMBERS(out, comma, ...)                                                                   \
    append_numbers(out, comma, (const uint64_t[]){__VA_ARGS__},                                    \
                   sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static const char *outcome(const struct cps_trace *trace)
{
    if (trace->outcome == CPS_OUTCOME_ABORTED)
        return "aborted";
    return trace->outcome == CPS_OUTCOME_EXPIRED ? "expired" : "";
}

static void append_head(struct cps_buf *out, const struct cps_trace *trace,
                        const struct parts *parts)
{
    cps_auto_buf struct cps_buf label = {0};

    cps_export_append_label(&label, trace);
    cps_buf_append_string(out, "{\"label\":");
    append_text(out, label.data, label.length);
    cps_buf_append_string(out, ",\"id\":");
    append_text(out, trace->id.data, trace->id.length);
    cps_buf_append_format(
        out,
        ",\"runtime\":\"%s\",\"status\":%u,\"outcome\":\"%s\",\"begin\":%" PRIu64
        ",\"duration\":%" PRIu64 ",\"memory\":%" PRIu64 ",\"dropped\":%" PRIu64 ",\"exact\":%s",
        trace->runtime == CPS_RUNTIME_NODE  ? "node"
        : trace->runtime == CPS_RUNTIME_PHP ? "php"
                                            : "",
        trace->status, outcome(trace), parts->timeline.begin / 1000000, parts->timeline.duration,
        trace->max_memory, trace->calls_dropped, parts->totals.exact ? "true" : "false");
    out->failed |= label.failed;
}

static void append_names(struct cps_buf *out, const struct cps_trace *trace)
{
    cps_buf_append_string(out, ",\"names\":[");
    for (size_t i = 0; i < trace->name_count; i++) {
        cps_buf_append_string(out, i ? "," : "");
        append_text(out, trace->names[i].data, trace->names[i].length);
    }
    cps_buf_append_string(out, "]");
}

/* Lists of numbers, so many for each element; page.html knows their order. */
static void append_calls(struct cps_buf *out, const struct cps_trace *trace,
                         const struct parts *parts)
{
    cps_buf_append_string(out, ",\"calls\":[");
    for (size_t i = 0; i < trace->call_count; i++) {
        const struct cps_timeline_item *item = &parts->timeline.items[i];

        NUMBERS(out, i ? "," : "", trace->calls[i].name, item->start, item->end - item->start,
                item->lane, parts->tree.nodes[i].self, trace->calls[i].memory);
    }
    cps_buf_append_string(out, "]");
}

static void append_flame(struct cps_buf *out, const struct cps_flame *flame)
{
    const struct cps_flame_node *root = &flame->nodes[0];

    cps_buf_append_format(out, ",\"flame\":[-1,-1,1,%" PRIu64 ",%" PRIu64, root->total, root->self);
    for (size_t i = 1; i < flame->count; i++) {
        const struct cps_flame_node *node = &flame->nodes[i];

        NUMBERS(out, ",", node->name, node->parent, node->calls, node->total, node->self);
    }
    cps_buf_append_string(out, "]");
}

static void append_functions(struct cps_buf *out, const struct cps_totals *totals)
{
    cps_buf_append_string(out, ",\"functions\":[");
    for (size_t i = 0; i < totals->function_count; i++) {
        const struct cps_function *function = &totals->functions[i];

        NUMBERS(out, i ? "," : "", function->name, function->calls, function->elapsed,
                function->self, function->longest);
    }
    cps_buf_append_string(out, "]}");
}

static int append_trace(struct cps_buf *out, const struct cps_trace *trace)
{
    struct parts parts = {0};
    int r = build_parts(trace, &parts);

    if (r == 0) {
        append_head(out, trace, &parts);
        append_names(out, trace);
        append_calls(out, trace, &parts);
        append_flame(out, &parts.flame);
        append_functions(out, &parts.totals);
    }
    free_parts(&parts);
    return r;
}

static void append_without_tags(struct cps_buf *out, const struct cps_buf *json)
{
    const char *at = json->data;
    const char *end = at + json->length;

    while (at < end) {
        const char *tag = memchr(at, '<', (size_t)(end - at));
        const char *stop = tag ? tag : end;

        cps_buf_append(out, at, (size_t)(stop - at));
        if (tag)
            cps_buf_append_string(out, "\\u003c");
        at = tag ? tag + 1 : end;
    }
}

int cps_export_html(const struct cps_trace *const *traces, size_t count, struct cps_buf *out)
{
    const char *mark = memmem(page_html, sizeof(page_html), MARK, strlen(MARK));
    const char *rest = mark + strlen(MARK);
    cps_auto_buf struct cps_buf json = {0};
    int r = 0;

    cps_buf_append_string(&json, "[");
    for (size_t i = 0; r == 0 && i < count; i++) {
        cps_buf_append_string(&json, i ? ",\n" : "");
        r = append_trace(&json, traces[i]);
    }
    cps_buf_append_string(&json, "]");
    cps_buf_append(out, page_html, (size_t)(mark - page_html));
    append_without_tags(out, &json);
    cps_buf_append(out, rest, (size_t)(page_html + sizeof(page_html) - rest));
    return cps_buf_failed(out) || cps_buf_failed(&json) ? -ENOMEM : r;
}
