/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "findings.h"
#include "format.h"

#define NAME_SIZE 64

/* A name with its beginning cut where it is long, since its end tells more, and so that the figures
 * are still seen. */
static const char *short_name(const struct cps_trace *trace, uint32_t name, char *out)
{
    const struct cps_string *whole = &trace->names[name];
    size_t from = whole->length < NAME_SIZE - 4 ? 0 : whole->length - (NAME_SIZE - 4);

    while (from && ((unsigned char)whole->data[from] & 0xc0) == 0x80)
        from++;
    (void)snprintf(out, NAME_SIZE, "%s%s", from ? "..." : "", whole->data + from);
    return out;
}

static const char *loop_remark(enum cps_kind kind)
{
    static const char *const remarks[CPS_KIND_COUNT] = {
        [CPS_KIND_QUERY] = " The same query in a loop?",
        [CPS_KIND_UPSTREAM] = " It waits for another server each time.",
        [CPS_KIND_FILE] = " Files read or written one by one?",
        [CPS_KIND_LOCK] = " It waits for a lock each time.",
        [CPS_KIND_SLEEP] = " It sleeps in a loop.",
        [CPS_KIND_CACHE] = " Many keys could be had at once.",
        [CPS_KIND_SORT] = " It sorts in a loop.",
        [CPS_KIND_COPY] = " Each copies the whole array.",
        [CPS_KIND_SCAN] = " Each looks through the whole array.",
        [CPS_KIND_COMPILE] = " The same template compiled again?",
    };

    return remarks[kind] ? remarks[kind] : " The same call in a loop?";
}

static const char *slow_remark(const struct cps_trace *trace, const struct cps_finding *finding)
{
    static const char *const remarks[CPS_KIND_COUNT] = {
        [CPS_KIND_QUERY] = "a slow query.",
        [CPS_KIND_UPSTREAM] = "waiting for another server.",
        [CPS_KIND_FILE] = "waiting for a file or another server.",
        [CPS_KIND_LOCK] = "waiting for a lock.",
        [CPS_KIND_SLEEP] = "asleep.",
        [CPS_KIND_CACHE] = "waiting for the cache.",
        [CPS_KIND_SORT] = "sorting, with its comparisons.",
        [CPS_KIND_COMPILE] = "compiling, with all below it.",
    };

    if (remarks[finding->kind])
        return remarks[finding->kind];
    if (trace->runtime != CPS_RUNTIME_NODE)
        return "nearly all of it its own.";
    return finding->waits ? "waiting." : "keeping the event loop to itself.";
}

struct words {
    char name[NAME_SIZE], from[NAME_SIZE], looping[NAME_SIZE];
    char time[CPS_FORMAT_SIZE], share[CPS_FORMAT_SIZE], calls[CPS_FORMAT_SIZE];
    char figure[CPS_FORMAT_SIZE];
};

static struct words words_of(const struct cps_trace *trace, const struct cps_finding *finding)
{
    struct words words = {0};

    if (finding->name != CPS_FINDING_NONE)
        short_name(trace, finding->name, words.name);
    if (finding->from != CPS_FINDING_NONE)
        short_name(trace, finding->from, words.from);
    if ((finding->rule == CPS_FINDING_LOOP || finding->rule == CPS_FINDING_RECURSION) &&
        finding->looping != CPS_FINDING_NONE)
        short_name(trace, finding->looping, words.looping);
    cps_format_duration(words.time, finding->time);
    cps_format_share(words.share, finding->time, cps_trace_duration(trace));
    cps_format_grouped(words.calls, finding->calls);
    if (finding->rule == CPS_FINDING_MEMORY)
        cps_format_bytes(words.figure, finding->figure);
    else
        cps_format_duration(words.figure, finding->figure);
    return words;
}

static void describe_calls(const struct cps_trace *trace, const struct cps_finding *finding,
                           const struct words *w, char *out, size_t size)
{
    bool through = finding->rule == CPS_FINDING_LOOP && finding->looping != finding->from;

    if (finding->rule == CPS_FINDING_LOOP)
        (void)snprintf(out, size, "%s: %s calls from %s%s%s, %s (%s).%s", w->name, w->calls,
                       w->looping, through ? " through " : "", through ? w->from : "", w->time,
                       w->share, loop_remark(finding->kind));
    else if (finding->rule == CPS_FINDING_MANY)
        (void)snprintf(out, size, "%s: %s calls, %s (%s) together.", w->name, w->calls, w->time,
                       w->share);
    else if (finding->calls == 1)
        (void)snprintf(out, size, "%s: one call, %s (%s), %s", w->name, w->time, w->share,
                       slow_remark(trace, finding));
    else
        (void)snprintf(out, size, "%s: %s calls, %s (%s), %s", w->name, w->calls, w->time, w->share,
                       slow_remark(trace, finding));
}

void cps_findings_describe(const struct cps_trace *trace, const struct cps_finding *finding,
                           char *out, size_t size)
{
    struct words w = words_of(trace, finding);

    switch (finding->rule) {
    case CPS_FINDING_RECURSION:
        (void)snprintf(out, size, "%s: calls itself%s%s, %s calls, %s (%s) in all.", w.name,
                       *w.looping ? " through " : "", w.looping, w.calls, w.time, w.share);
        return;
    case CPS_FINDING_LOAD:
        (void)snprintf(out, size, "%s: %s calls, %s (%s): classes loaded file by file.", w.name,
                       w.calls, w.time, w.share);
        return;
    case CPS_FINDING_SERIAL:
        (void)snprintf(out, size,
                       "%s: %s waits one after another, %s (%s). At the same time they take %s.",
                       w.name, w.calls, w.time, w.share, w.figure);
        return;
    case CPS_FINDING_BLOCKED:
        (void)snprintf(out, size, "%s: held up for %s (%s) by %s, which kept the event loop.",
                       w.name, w.time, w.share, finding->other);
        return;
    case CPS_FINDING_MEMORY:
        (void)snprintf(out, size, "%s: memory grew by %s in one call.", w.name, w.figure);
        return;
    case CPS_FINDING_ABORTED:
        (void)snprintf(out, size,
                       "%s: the last call that ended before the request was aborted, %s after its "
                       "start.",
                       w.name, w.figure);
        return;
    case CPS_FINDING_UNCACHEABLE:
        (void)snprintf(out, size, "%s: makes the page uncacheable, %s time%s with max-age 0.",
                       finding->other, w.calls, cps_format_plural(finding->calls));
        return;
    default:
        describe_calls(trace, finding, &w, out, size);
    }
}
