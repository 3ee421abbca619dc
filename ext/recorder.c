/* SPDX-License-Identifier: Apache-2.0 */
#include "recorder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tables.h"

#define FIRST_MAIN_FRAMES 1024u
#define FIRST_FIBER_FRAMES 16u
#define LARGE_FRAMES 65536u

static size_t capacity(const struct cps_stack *stack)
{
    return (size_t)(stack->limit - stack->frames);
}

static void place_frames(struct cps_stack *stack, struct cps_frame *frames, size_t open,
                         size_t count)
{
    stack->frames = frames;
    stack->top = frames + open;
    stack->limit = frames + count;
}

static bool allocate_frames(struct cps_recorder *recorder, struct cps_stack *stack, size_t count)
{
    if (recorder->storage->frames + count > CPS_RECORDER_MAX_FRAMES)
        return false;
    struct cps_frame *frames = malloc(count * sizeof(*frames));

    if (!frames)
        return false;
    frames[0] = (struct cps_frame){0};
    recorder->storage->frames += count;
    place_frames(stack, frames, 0, count);
    return true;
}

static void free_frames(struct cps_recorder *recorder, struct cps_stack *stack)
{
    recorder->storage->frames -= capacity(stack);
    free(stack->frames);
    place_frames(stack, NULL, 0, 0);
}

static void leave(struct cps_recorder *recorder)
{
    struct cps_stack *stack = recorder->stack;

    stack->top = recorder->top;
    stack->limit = recorder->limit;
    stack->depth = recorder->depth;
}

static void enter(struct cps_recorder *recorder, struct cps_stack *stack)
{
    recorder->stack = stack;
    recorder->top = stack->top;
    recorder->limit = stack->limit;
    recorder->depth = stack->depth;
}

/* A larger stack; where there can be none, false. */
static bool grow(struct cps_recorder *recorder)
{
    struct cps_stack *stack = recorder->stack;
    struct cps_frame *old = stack->frames;
    size_t count = capacity(stack);
    struct cps_frame *frames = NULL;

    if (stack != &recorder->no_room && recorder->storage->frames + count <= CPS_RECORDER_MAX_FRAMES)
        frames = malloc(2 * count * sizeof(*frames));
    if (!frames)
        return false;
    memcpy(frames, old, count * sizeof(*frames));
    free(old);
    recorder->storage->frames += count;
    leave(recorder);
    place_frames(stack, frames, count - 1, 2 * count);
    enter(recorder, stack);
    return true;
}

void cps_recorder_begin_slowly(struct cps_recorder *recorder, struct cps_function *function,
                               const void *key)
{
    if (recorder->top + 1 == recorder->limit && !grow(recorder)) {
        recorder->stack->beyond++;
        recorder->calls_beyond++;
        return;
    }
    struct cps_frame *frame = ++recorder->top;

    recorder->depth++;
    function->active++;
    *frame = (struct cps_frame){
        .function = function, .key = key, .start = cps_clock_now(&recorder->clock)};
}

static void release(struct cps_recorder *recorder, struct cps_stack *stack)
{
    if (stack->previous)
        stack->previous->next = stack->next;
    else
        recorder->storage->stacks = stack->next;
    if (stack->next)
        stack->next->previous = stack->previous;
    free_frames(recorder, stack);
    free(stack);
}

static void free_fiber_stacks(struct cps_recorder *recorder)
{
    struct cps_stack *next = NULL;

    for (struct cps_stack *stack = recorder->storage->stacks; stack; stack = next) {
        next = stack->next;
        free_frames(recorder, stack);
        free(stack);
    }
    recorder->storage->stacks = NULL;
}

static bool prepare(struct cps_recorder *recorder)
{
    if (!recorder->storage)
        recorder->storage = cps_tables_new();
    if (!recorder->storage)
        return false;
    if (!recorder->no_room.frames && !allocate_frames(recorder, &recorder->no_room, 1))
        return false;
    return recorder->main.frames || allocate_frames(recorder, &recorder->main, FIRST_MAIN_FRAMES);
}

static void rewind_main(struct cps_recorder *recorder)
{
    struct cps_stack *stack = &recorder->main;

    stack->top = stack->frames;
    stack->frames[0] = (struct cps_frame){0};
    stack->depth = 0;
    stack->beyond = recorder->no_room.beyond = 0;
    stack->resumer = recorder->no_room.resumer = NULL;
    enter(recorder, stack);
}

int cps_recorder_start(struct cps_recorder *recorder, bool callers)
{
    if (!prepare(recorder)) {
        cps_recorder_free(recorder);
        return -ENOMEM;
    }
    cps_tables_clear(recorder->storage);
    cps_tables_init_function(&recorder->overflow);
    recorder->overflow.active = 0;
    recorder->overflow.name = recorder->overflow.classic_name = "";
    recorder->calls_beyond = 0;
    recorder->callers = callers;
    recorder->pending_count = 0;
    cps_clock_set(&recorder->clock);
    rewind_main(recorder);
    return 0;
}

void cps_recorder_stop(struct cps_recorder *recorder)
{
    leave(recorder);
    free_fiber_stacks(recorder);
    rewind_main(recorder);
    if (cps_tables_is_large(recorder->storage) || capacity(&recorder->main) > LARGE_FRAMES)
        cps_recorder_free(recorder);
}

void cps_recorder_free(struct cps_recorder *recorder)
{
    if (recorder->storage) {
        free_fiber_stacks(recorder);
        free(recorder->main.frames);
        free(recorder->no_room.frames);
        cps_tables_free(recorder->storage);
    }
    *recorder = (struct cps_recorder){0};
}

static void restart_calls(struct cps_stack *stack, uint64_t now)
{
    stack->changed = now;
    stack->told = 0;
    stack->frames[0].children = 0;
    for (struct cps_frame *frame = stack->frames + 1; frame <= stack->top; frame++) {
        frame->start = now;
        frame->children = 0;
        frame->paused = 0;
    }
}

void cps_recorder_restart(struct cps_recorder *recorder, uint64_t now)
{
    struct cps_function *function;

    for (uint32_t i = 0; (function = cps_recorder_function(recorder, i)); i++)
        cps_tables_init_function(function);
    cps_tables_init_function(&recorder->overflow);
    cps_tables_clear_pairs(recorder->storage);
    recorder->calls_beyond = 0;
    recorder->pending_count = 0;
    leave(recorder);
    restart_calls(&recorder->main, now);
    restart_calls(&recorder->no_room, now);
    for (struct cps_stack *stack = recorder->storage->stacks; stack; stack = stack->next)
        restart_calls(stack, now);
}

struct cps_function *cps_recorder_resolve(struct cps_recorder *recorder,
                                          const struct cps_recorder_name *name)
{
    struct cps_function *function = cps_tables_find_function(recorder->storage, name);

    if (!function)
        function = cps_tables_add_function(recorder->storage, name);
    return function ? function : &recorder->overflow;
}

struct cps_function *cps_recorder_function(const struct cps_recorder *recorder, uint32_t number)
{
    return cps_tables_function(recorder->storage, number);
}

uint64_t cps_recorder_calls(const struct cps_function *function)
{
    uint64_t calls = function->rest.calls;

    for (const struct cps_pair *pair = &function->first; pair; pair = pair->next)
        calls += pair->calls;
    return calls;
}

static struct cps_pair *find_pair(struct cps_recorder *recorder, struct cps_function *function,
                                  struct cps_function *caller)
{
    struct cps_pair *pair = &function->first;

    if (pair->calls == 0)
        pair->caller = caller;
    if (pair->caller == caller)
        return pair;
    pair = cps_tables_find_pair(recorder->storage, function, caller);
    if (!pair)
        pair = cps_tables_add_pair(recorder->storage, function, caller);
    if (!pair) {
        pair = &function->rest;
        pair->caller = caller;
    }
    return pair;
}

static void count(struct cps_recorder *recorder, const struct cps_pending *call)
{
    struct cps_function *function = call->function;

    if (cps_recorder_count(function, call->caller, call->elapsed))
        return;
    function->before = function->recent;
    function->recent = find_pair(recorder, function, call->caller);
    (void)cps_recorder_count(function, call->caller, call->elapsed);
}

void cps_recorder_settle(struct cps_recorder *recorder)
{
    const struct cps_pending *end = recorder->pending + recorder->pending_count;

    for (const struct cps_pending *call = recorder->pending; call < end; call++)
        cps_tables_fetch_slot(recorder->storage, call->function, call->caller);
    for (const struct cps_pending *call = recorder->pending; call < end; call++)
        cps_tables_fetch_pair(recorder->storage, call->function, call->caller);
    for (const struct cps_pending *call = recorder->pending; call < end; call++)
        count(recorder, call);
    recorder->pending_count = 0;
}

static void pop_whole(struct cps_recorder *recorder, uint64_t now)
{
    struct cps_frame *frame = recorder->top;
    uint64_t elapsed = cps_recorder_pop(recorder, now);

    cps_recorder_count_later(recorder, frame->function, cps_recorder_caller(recorder, frame),
                             elapsed);
}

struct cps_frame *cps_recorder_unwind(struct cps_recorder *recorder, const void *key, uint64_t now)
{
    struct cps_stack *stack = recorder->stack;
    struct cps_frame *frame = recorder->top;

    if (stack->beyond > 0) {
        stack->beyond--;
        return NULL;
    }
    while (frame > stack->frames && frame->key != key)
        frame--;
    if (frame == stack->frames)
        return NULL;
    while (recorder->top > frame)
        pop_whole(recorder, now);
    return frame;
}

uint64_t cps_recorder_outermost(const struct cps_recorder *recorder)
{
    return recorder->main.frames[0].children;
}

struct cps_stack *cps_recorder_stack_open(struct cps_recorder *recorder)
{
    struct cps_stack *stack = calloc(1, sizeof(*stack));

    if (!stack)
        return &recorder->no_room;
    if (!allocate_frames(recorder, stack, FIRST_FIBER_FRAMES)) {
        free(stack);
        return &recorder->no_room;
    }
    stack->next = recorder->storage->stacks;
    if (stack->next)
        stack->next->previous = stack;
    recorder->storage->stacks = stack;
    return stack;
}

void cps_recorder_stack_close(struct cps_recorder *recorder, struct cps_stack *stack)
{
    if (stack != &recorder->no_room && stack != recorder->stack)
        release(recorder, stack);
}

/* The time of a stack's outermost calls so far. */
static uint64_t covered(const struct cps_stack *stack, uint64_t now)
{
    uint64_t time = stack->frames[0].children;

    return stack->top > stack->frames ? time + now - stack->frames[1].start : time;
}

/* The resumer's children get what the fiber's calls had of this run; what the switch itself took
 * stays with the resumer. */
static void suspend(struct cps_stack *stack, uint64_t now)
{
    uint64_t time = covered(stack, now);

    stack->resumer->top->children += time - stack->told;
    stack->told = time;
    stack->resumer = NULL;
    stack->changed = now;
    for (struct cps_frame *frame = stack->top; frame > stack->frames; frame--)
        frame->function->active--;
}

static void resume(struct cps_stack *stack, struct cps_stack *resumer, uint64_t now)
{
    uint64_t pause = now - stack->changed;

    if (!stack->frames[0].function) {
        stack->frames[0].function = resumer->top->function;
        stack->depth = resumer->depth;
    }
    stack->resumer = resumer;
    stack->changed = now;
    for (struct cps_frame *frame = stack->top; frame > stack->frames; frame--) {
        frame->start += pause;
        frame->paused += pause;
        frame->function->active++;
    }
}

void cps_recorder_switch(struct cps_recorder *recorder, struct cps_stack *to, uint64_t now)
{
    struct cps_stack *from = recorder->stack;

    if (from == to)
        return;
    leave(recorder);
    if (from->resumer == to)
        suspend(from, now);
    else if (to != &recorder->main)
        resume(to, from, now);
    enter(recorder, to);
}

uint64_t cps_recorder_wake(struct cps_recorder *recorder, struct cps_stack *stack)
{
    leave(recorder);
    enter(recorder, stack);
    for (struct cps_frame *frame = stack->top; frame > stack->frames; frame--)
        frame->function->active++;
    return stack->changed;
}

void cps_recorder_leave_for(struct cps_recorder *recorder, struct cps_stack *stack)
{
    leave(recorder);
    enter(recorder, stack);
}

struct cps_stack *cps_recorder_open_fiber(const struct cps_recorder *recorder)
{
    struct cps_stack *stack = recorder->storage->stacks;

    while (stack && stack->top == stack->frames)
        stack = stack->next;
    return stack;
}
