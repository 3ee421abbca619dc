/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recorder: what every call of a recorded request adds up to.
 *
 * It knows functions, frames and times, and nothing of PHP. Each context of execution (the main
 * one, and every fiber) has a stack of open calls. When a call ends, its time goes into the totals
 * of its function, into the pair of its function and its caller, and into its caller's children.
 * All of it is a handful of additions in memory that is there already: nothing is allocated for a
 * call, only for a function, a pair or a depth that is new, and each of them has a bound. What a
 * bound keeps out is counted.
 *
 * One recorder a thread. All times are ns of its clock.
 *
 * Suspended time. A fiber's calls do not run while the fiber is suspended. When it is resumed, the
 * start of each of its open calls moves forward by the time that it slept, and `paused` adds it up,
 * so that `now - start` is the time the call really had, while `start - paused` is when it began.
 * The one that resumes a fiber waits for it as for any callee: its open call (Fiber::resume) counts
 * the fiber's run as its inclusive time, not as its own.
 *
 * Pairs. A function remembers the pairs of its last two callers; calls of others wait in `pending`
 * and are looked up many at a time, so that the caches fetch for all of them at once: one by one
 * each would wait twice for memory. cps_recorder_settle comes before totals are read.
 *
 * Recursion. `active` is the number of open calls of a function, without those in suspended fibers;
 * inclusive time is added by the outermost alone.
 */
#ifndef CPS_EXT_RECORDER_H
#define CPS_EXT_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clock.h"

#define CPS_RECORDER_MAX_FUNCTIONS 65536u
#define CPS_RECORDER_MAX_PAIRS 262144u
#define CPS_RECORDER_MAX_FRAMES (1u << 20) /* over all stacks */
#define CPS_RECORDER_MAX_NAMES (16u << 20) /* bytes */
#define CPS_RECORDER_PENDING 32u

struct cps_function;

/* How often and for how long one function called another. */
struct cps_pair {
    struct cps_function *caller; /* NULL: the engine itself */
    uint64_t calls;
    uint64_t elapsed;
    struct cps_pair *next; /* of the same callee */
    const struct cps_function *callee;
};

/* The totals of a function. Its calls are the sum over its pairs, so that a call is counted once.
 * The fields of the first line are those that every call touches. */
struct cps_function {
    uint64_t self;
    uint64_t elapsed;
    uint64_t longest;
    uint32_t active;
    uint32_t word; /* the owner's: what begins its call records; 0 at first */
    struct cps_pair *recent;
    struct cps_pair first;
    /* The second line. `before`: the pair before `recent`, for two callers that take turns. */
    struct cps_pair *before;
    struct cps_pair rest; /* calls that found no room for a pair */
    uint64_t key[2];
    const char *name; /* owned by the recorder, NUL-terminated, may hold others */
    const char *classic_name;
    uint32_t name_length;
} __attribute__((aligned(64)));

_Static_assert(offsetof(struct cps_function, first.next) == 64,
               "what every call touches is one line");

/* An open call. */
struct cps_frame {
    struct cps_function *function;
    const void *key; /* whatever identifies the call to the owner */
    uint64_t start;
    uint64_t children; /* time of the calls that it made */
    uint64_t paused;
};

/* frames[0] is no call: its function is the caller of the outermost. top, limit and depth are those
 * of the moment when the stack was left; while it runs, the recorder has them. */
struct cps_stack {
    struct cps_frame *frames;
    struct cps_frame *top;
    struct cps_frame *limit;
    uint32_t depth;
    uint32_t beyond;  /* open calls that had no room */
    uint64_t changed; /* when it was last resumed or suspended */
    uint64_t told;    /* of its calls' time, how much its resumers have among their children */
    struct cps_stack *resumer;
    struct cps_stack *previous; /* in the recorder's list */
    struct cps_stack *next;
};

/* A call whose pair is yet to be looked up. */
struct cps_pending {
    struct cps_function *function;
    struct cps_function *caller;
    uint64_t elapsed;
};

struct cps_recorder_storage;

struct cps_recorder {
    struct cps_frame *top; /* of the running stack */
    struct cps_frame *limit;
    uint32_t depth; /* open calls of the request, without those in suspended fibers */
    bool callers;   /* whether who called is told apart */
    uint32_t pending_count;
    struct cps_clock clock;
    struct cps_stack *stack; /* the running one */
    struct cps_function overflow;
    uint64_t calls_beyond; /* calls that a full stack could not hold */
    struct cps_stack main;
    struct cps_stack no_room; /* stands in for a fiber's that could not be had */
    struct cps_recorder_storage *storage;
    struct cps_pending pending[CPS_RECORDER_PENDING];
};

/* Makes the recorder ready for a request and empty. Without `callers` all calls of a function are
 * one pair without a caller. 0, or -ENOMEM and it must not be used. */
int cps_recorder_start(struct cps_recorder *recorder, bool callers);

/* Gives back what a usual request does not need. */
void cps_recorder_stop(struct cps_recorder *recorder);

/* Gives back everything. Fine on a zeroed one. */
void cps_recorder_free(struct cps_recorder *recorder);

/* Forgets totals and symbols, and keeps functions and open calls, which begin anew now: a forked
 * child starts so. */
void cps_recorder_restart(struct cps_recorder *recorder, uint64_t now);

/* What tells functions apart: the key, a hash that also covers what the text was cut by, and the
 * text. */
struct cps_recorder_name {
    uint64_t key[2];
    const char *text;
    size_t length;
    const char *classic; /* NUL-terminated; NULL where it is `text` up to its first NUL */
};

/* The function of that name, added where it is new. Where there is no room: the recorder's
 * `overflow`, never NULL. */
struct cps_function *cps_recorder_resolve(struct cps_recorder *recorder,
                                          const struct cps_recorder_name *name);

/* The functions in order of their first use, by number from 0; NULL after the last. */
struct cps_function *cps_recorder_function(const struct cps_recorder *recorder, uint32_t number);

/* Counts the calls that wait for their pair. */
void cps_recorder_settle(struct cps_recorder *recorder);

/* Of a function whose calls are settled. */
uint64_t cps_recorder_calls(const struct cps_function *function);

/* Fibers. A stack from _open is current from the first _switch to it on; never NULL. It is closed
 * when it is not running and has no open calls. */
struct cps_stack *cps_recorder_stack_open(struct cps_recorder *recorder);
void cps_recorder_stack_close(struct cps_recorder *recorder, struct cps_stack *stack);
void cps_recorder_switch(struct cps_recorder *recorder, struct cps_stack *to, uint64_t now);

/* The time of all outermost calls of the main stack together. */
uint64_t cps_recorder_outermost(const struct cps_recorder *recorder);

/* For ending the calls of a suspended fiber that will not run again. Makes its stack the running
 * one and returns the moment when it was suspended, at which its calls shall end. */
uint64_t cps_recorder_wake(struct cps_recorder *recorder, struct cps_stack *stack);
/* Goes back from it, or from any, to another. */
void cps_recorder_leave_for(struct cps_recorder *recorder, struct cps_stack *stack);
/* A fiber's stack with open calls, or NULL. */
struct cps_stack *cps_recorder_open_fiber(const struct cps_recorder *recorder);

/* Where there is no room, or no counter. */
void cps_recorder_begin_slowly(struct cps_recorder *recorder, struct cps_function *function,
                               const void *key);

/* A call begins, which `key` tells from others that are open. `counter`: whether the clock has one,
 * a constant where this is compiled in. */
static inline __attribute__((always_inline)) void cps_recorder_begin(struct cps_recorder *recorder,
                                                                     struct cps_function *function,
                                                                     const void *key, bool counter)
{
    /* First, since the function's line may have to come from memory, which the counter would wait
     * for and nothing else does. */
    uint64_t ticks = counter ? cps_counter_read() : 0;
    struct cps_frame *frame = recorder->top + 1;

    if (__builtin_expect(frame == recorder->limit || !counter, 0)) {
        cps_recorder_begin_slowly(recorder, function, key);
        return;
    }
    recorder->top = frame;
    recorder->depth++;
    function->active++;
    frame->function = function;
    frame->key = key;
    frame->children = 0;
    frame->paused = 0;
    frame->start = cps_clock_at(&recorder->clock, ticks);
}

/* Takes the topmost call off the stack and adds it up, all but its pair. Returns its time. */
static inline __attribute__((always_inline)) uint64_t
cps_recorder_pop(struct cps_recorder *recorder, uint64_t now)
{
    struct cps_frame *frame = recorder->top;
    struct cps_function *function = frame->function;
    uint64_t elapsed = now - frame->start;

    if (__builtin_expect((int64_t)elapsed < 0, 0))
        elapsed = 0; /* a machine that moved: its counter may step back */
    recorder->top = frame - 1;
    recorder->depth--;
    frame[-1].children += elapsed;
    function->self += elapsed - frame->children;
    if (elapsed > function->longest)
        function->longest = elapsed;
    if (--function->active == 0)
        function->elapsed += elapsed;
    return elapsed;
}

/* Who called, as far as that is told apart. */
static inline __attribute__((always_inline)) struct cps_function *
cps_recorder_caller(const struct cps_recorder *recorder, const struct cps_frame *frame)
{
    return recorder->callers ? frame[-1].function : NULL;
}

/* Adds a popped call to the pair of its function and its caller, if that is one of the two that
 * called it last. */
static inline __attribute__((always_inline)) bool
cps_recorder_count(struct cps_function *function, const struct cps_function *caller,
                   uint64_t elapsed)
{
    struct cps_pair *pair = function->recent;

    if (pair->caller != caller) {
        pair = function->before;
        if (__builtin_expect(pair->caller != caller, 0))
            return false;
    }
    pair->calls++;
    pair->elapsed += elapsed;
    return true;
}

/* The same for any caller, at the latest when it settles. */
static inline __attribute__((always_inline)) void
cps_recorder_count_later(struct cps_recorder *recorder, struct cps_function *function,
                         struct cps_function *caller, uint64_t elapsed)
{
    recorder->pending[recorder->pending_count++] = (struct cps_pending){function, caller, elapsed};
    if (__builtin_expect(recorder->pending_count == CPS_RECORDER_PENDING, 0))
        cps_recorder_settle(recorder);
}

/* The call that ends is not on top: its frame, once the calls above it have ended with it, or NULL
 * where it never had one. */
struct cps_frame *cps_recorder_unwind(struct cps_recorder *recorder, const void *key, uint64_t now);

#endif
