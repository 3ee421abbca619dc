/* SPDX-License-Identifier: Apache-2.0 */
/* Traces for tests of what reads them, in one line a call. Include after cmocka.h. */
#ifndef CPS_TESTS_TRACE_MAKER_H
#define CPS_TESTS_TRACE_MAKER_H

#include <string.h>

#include "trace.h"

struct made_call {
    const char *name;
    uint64_t start; /* ns after the request's start */
    uint64_t elapsed;
    uint32_t depth;
};

#define MADE_START 1790000000000000000u

static inline struct cps_string made_string(struct cps_trace *trace, const char *text)
{
    struct cps_string out = {0};

    assert_int_equal(cps_trace_copy_string(trace, text, strlen(text), &out), 0);
    return out;
}

static inline uint32_t made_name(struct cps_trace *trace, const char *text)
{
    uint32_t index = 0;

    assert_int_equal(cps_trace_intern(trace, text, strlen(text), &index), 0);
    return index;
}

/* A finished GET of `uri` that took `duration` ns. */
static inline struct cps_trace *made_trace(const char *uri, uint64_t duration,
                                           const struct made_call *calls, size_t count)
{
    struct cps_trace *trace = cps_trace_new();

    assert_non_null(trace);
    trace->runtime = CPS_RUNTIME_PHP;
    trace->outcome = CPS_OUTCOME_COMPLETE;
    trace->status = 200;
    trace->method = made_string(trace, "GET");
    trace->uri = made_string(trace, uri);
    trace->start = MADE_START;
    trace->end = MADE_START + duration;
    trace->max_memory = 42000000;
    for (size_t i = 0; i < count; i++) {
        struct cps_call call = {.start = MADE_START + calls[i].start,
                                .elapsed = calls[i].elapsed,
                                .memory = 4096,
                                .name = made_name(trace, calls[i].name),
                                .depth = calls[i].depth};

        assert_int_equal(cps_trace_add_call(trace, &call), 0);
    }
    cps_trace_sort_calls(trace);
    return trace;
}

#endif
