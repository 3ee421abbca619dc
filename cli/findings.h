/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What Compass would point at in a trace: at most three, the best first, none where nothing stands
 * out. Each comes from one rule over figures, and says the figures. What a function does for a
 * living (kinds.h) only chooses the bounds and the words.
 *
 *   loop         one function called often on behalf of one caller, and together a large share
 *   slow         a function called once or a few times whose own time is a large share
 *   many         a function called often from everywhere, and together a large share
 *   recursion    a function that calls itself, deeply or very often, with a large share
 *   load         classes that are found, read and compiled within the request
 *   serial       Node.js: waits one after another that could have been one
 *   blocked      Node.js: another request of the process kept the event loop meanwhile
 *   memory       PHP: a call in which memory grew by most of the peak
 *   uncacheable  Drupal: what gave the page a max-age of 0
 *   aborted      the last call that is known of a request that did not come to its end
 */
#ifndef CPS_CLI_FINDINGS_H
#define CPS_CLI_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kinds.h"
#include "totals.h"
#include "trace.h"

#define CPS_FINDINGS_MAX 3
#define CPS_FINDING_NONE UINT32_MAX

enum cps_finding_rule {
    CPS_FINDING_LOOP,
    CPS_FINDING_SLOW,
    CPS_FINDING_MANY,
    CPS_FINDING_RECURSION,
    CPS_FINDING_LOAD,
    CPS_FINDING_SERIAL,
    CPS_FINDING_BLOCKED,
    CPS_FINDING_MEMORY,
    CPS_FINDING_UNCACHEABLE,
    CPS_FINDING_ABORTED,
};

struct cps_finding {
    enum cps_finding_rule rule;
    enum cps_kind kind;
    bool waits;    /* slow, Node.js: it does not compute */
    uint32_t name; /* the function, in the trace's names; CPS_FINDING_NONE: uncacheable */
    uint32_t from; /* who calls it; CPS_FINDING_NONE where that is nobody or many */
    uint32_t
        looping;     /* loop: who has the loop, which is `from` or above it; recursion: over whom */
    uint64_t calls;  /* loop, many: of the function; recursion: of itself; serial: waits */
    uint64_t time;   /* ns that it accounts for */
    uint64_t figure; /* serial: ns of the longest wait; memory: bytes; aborted: ns from the
                        request's start to the end of the call */
    double weight;   /* what it is sorted by */
    char other[160]; /* blocked: what the other request is; uncacheable: who. Any bytes */
};

struct cps_findings {
    struct cps_finding items[CPS_FINDINGS_MAX];
    size_t count;
};

/* `neighbours` are traces of about the same time, which may include the trace itself; none is fine.
 * None are found where memory is short. */
void cps_findings_find(const struct cps_trace *trace, const struct cps_totals *totals,
                       const struct cps_trace *const *neighbours, size_t neighbour_count,
                       struct cps_findings *out);

/* findings_text.c: one line about it, as UTF-8 with the trace's own bytes in it: to be drawn on a
 * canvas, or made safe. Writes up to `size` bytes with their end. */
void cps_findings_describe(const struct cps_trace *trace, const struct cps_finding *finding,
                           char *out, size_t size);

#endif
