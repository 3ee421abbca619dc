/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The trace: what one request did. Built by the collector from events and by the CLI from JSON;
 * immutable once it is handed on.
 *
 * A trace owns everything in it. Names are interned: calls, functions and callers refer to them by
 * their index in `names`. Strings may hold any bytes, NUL included; the encoder makes valid JSON of
 * them. Times are nanoseconds, sizes bytes. No locks: one thread at a time.
 */
#ifndef CPS_COMMON_TRACE_H
#define CPS_COMMON_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "error.h"

struct cps_string {
    const char *data; /* NUL-terminated after `length` bytes, for printing; never NULL in a trace */
    size_t length;
};

enum cps_source { CPS_SOURCE_HTTP, CPS_SOURCE_CLI };
enum cps_runtime { CPS_RUNTIME_UNKNOWN, CPS_RUNTIME_PHP, CPS_RUNTIME_NODE };
enum cps_outcome {
    CPS_OUTCOME_UNKNOWN,
    CPS_OUTCOME_COMPLETE,
    CPS_OUTCOME_ABORTED,
    CPS_OUTCOME_EXPIRED
};

#define CPS_DEPTH_UNKNOWN UINT32_MAX

struct cps_call {
    uint64_t start; /* since the Unix epoch */
    uint64_t elapsed;
    uint64_t memory;
    uint32_t name;
    uint32_t depth; /* CPS_DEPTH_UNKNOWN from classic probes */
};

struct cps_caller {
    uint64_t calls;
    uint64_t elapsed;
    uint32_t name;
};

struct cps_function {
    uint64_t calls;
    uint64_t elapsed; /* inclusive, recursion counted once */
    uint64_t self;
    uint64_t longest;
    uint32_t name;
    bool untimed;          /* counted but not always timed: part of its time is in its callers */
    uint32_t first_caller; /* index in the trace's `callers` */
    uint32_t caller_count;
};

enum cps_cache_origin { CPS_CACHE_RENDER_ARRAY, CPS_CACHE_OBJECT };

struct cps_cache_event {
    enum cps_cache_origin origin;
    struct cps_string caller;
    struct cps_string object_type; /* empty for a render array */
    struct cps_string tags;        /* separated by spaces */
    struct cps_string contexts;    /* separated by spaces */
    int64_t max_age;               /* seconds, -1 is permanent */
    uint64_t calls;
};

struct cps_trace {
    enum cps_source source;
    enum cps_runtime runtime;
    enum cps_outcome outcome;
    uint16_t status;      /* HTTP, 0 unknown */
    struct cps_string id; /* http: the request's; empty for cli */
    struct cps_string method;
    struct cps_string uri; /* http: the URI; cli: the command */
    uint64_t pid;          /* as the application sees it; 0 unknown */
    bool has_parent;       /* it came with a W3C traceparent: */
    uint8_t parent_trace[16];
    uint8_t parent_span[8];
    uint64_t start; /* since the Unix epoch */
    uint64_t end;
    uint64_t max_memory;

    struct cps_string *names;
    size_t name_count;
    struct cps_call *calls; /* in order of start, parents before children */
    size_t call_count;
    uint64_t calls_dropped;
    bool has_functions; /* exact totals are known: `functions` counts every call */
    struct cps_function *functions;
    size_t function_count;
    struct cps_caller *callers;
    size_t caller_count;
    uint64_t functions_dropped; /* calls that `functions` has no place for */
    uint64_t callers_dropped;   /* calls in `functions` whose caller `callers` has no place for */
    uint64_t blocks_lost;       /* blocks of this request that a full ring lost */
    struct cps_cache_event *cache_events;
    size_t cache_event_count;
    uint64_t cache_events_dropped;

    struct cps_trace_storage *storage; /* owns the bytes of all strings */
};

/* NULL without memory. */
struct cps_trace *cps_trace_new(void);
void cps_trace_free(struct cps_trace *trace); /* NULL is fine */

/* Copies bytes into the trace's storage. 0 or -ENOMEM, *out untouched on failure. */
int cps_trace_copy_string(struct cps_trace *trace, const char *bytes, size_t length,
                          struct cps_string *out);

/* The index of a name, added where it is new; the storage keeps the hash for it. 0 or -ENOMEM. */
int cps_trace_intern(struct cps_trace *trace, const char *bytes, size_t length, uint32_t *out);

/* By how many bytes the trace will grow with the next call. */
size_t cps_trace_next_call_size(const struct cps_trace *trace);

/* Append one element, growing by doubling. 0 or -ENOMEM. */
int cps_trace_add_call(struct cps_trace *trace, const struct cps_call *call);
int cps_trace_add_function(struct cps_trace *trace, const struct cps_function *function);
int cps_trace_add_caller(struct cps_trace *trace, const struct cps_caller *caller);
int cps_trace_add_cache_event(struct cps_trace *trace, const struct cps_cache_event *event);

/* Sorts calls by start, parents (longer, shallower) first where two start at the same moment. */
void cps_trace_sort_calls(struct cps_trace *trace);

/* From its start to its end; 0 where it ends before it starts. */
static inline uint64_t cps_trace_duration(const struct cps_trace *trace)
{
    return trace->end > trace->start ? trace->end - trace->start : 0;
}

/* "php" or "node", NULL where it is not known: what the stream calls it. */
const char *cps_trace_runtime_name(enum cps_runtime runtime);

/* About how many bytes of memory the trace holds. */
size_t cps_trace_size(const struct cps_trace *trace);

#define cps_auto_trace __attribute__((cleanup(cps_trace_cleanup)))
static inline void cps_trace_cleanup(struct cps_trace **trace)
{
    cps_trace_free(*trace);
}

/* trace_encode.c: appends the trace as one line of the stream, newline included. Names that are not
 * UTF-8 come out with U+FFFD; control characters are escaped. 0 or -ENOMEM. */
int cps_trace_encode(const struct cps_trace *trace, struct cps_buf *out);

/* trace_decode.c: one line of the stream, without its newline, into a new trace, which the caller
 * owns. Unknown fields are ignored. -EINVAL with a sentence for what is not a trace; -ENOMEM. */
int cps_trace_decode(const char *line, size_t length, struct cps_trace **out,
                     struct cps_error *error);

#endif
