/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine's hooks.
 *
 * The engine asks once per function and request (`instrument`) whether its calls shall be observed,
 * and keeps the answer in the function's run-time cache. In a request that nobody watches the
 * answer is no, so such a call costs what the engine itself spends. In a recorded request the
 * function's totals are looked up here, once, and their address is kept in a slot of the same
 * cache, which lives exactly as long as the answer: no call ever looks anything up.
 *
 * Ends come for every begin: on return, exception, exit() and, through the engine's own list of
 * open frames, after a fatal error. Generators begin and end at each resume. Every fiber has a
 * stack of its own; the engine says when it changes from one to another.
 */
#include "php_compass.h"

#include <errno.h>
#include <zend_extensions.h>
#include <zend_observer.h>
#if PHP_VERSION_ID >= 80100
#include <zend_fibers.h>
#endif

static int user_slot;
#if PHP_VERSION_ID >= 80400
static int internal_slot;
#endif
static int fiber_slot;

static inline struct cps_function **slot_of(zend_function *function)
{
#if PHP_VERSION_ID >= 80400
    int slot = function->type == ZEND_INTERNAL_FUNCTION ? internal_slot : user_slot;

    return (struct cps_function **)&ZEND_OP_ARRAY_EXTENSION(&function->common, slot);
#elif PHP_VERSION_ID >= 80200
    return (struct cps_function **)&ZEND_OP_ARRAY_EXTENSION(&function->common, user_slot);
#else
    return (struct cps_function **)&ZEND_OP_ARRAY_EXTENSION(&function->op_array, user_slot);
#endif
}

/* A user function's frame knows the run-time cache; for others the function is asked. */
static void user_call_begins(zend_execute_data *call)
{
    struct cps_function **cache = (struct cps_function **)call->run_time_cache;

    cps_recorder_begin(&CPS_GLOBALS()->recorder, cache[user_slot], call, true);
}

static void internal_call_begins(zend_execute_data *call)
{
    cps_recorder_begin(&CPS_GLOBALS()->recorder, *slot_of(call->func), call, true);
}

static void call_begins_without_counter(zend_execute_data *call)
{
    cps_recorder_begin(&CPS_GLOBALS()->recorder, *slot_of(call->func), call, false);
}

/* Whatever kind of tracer wants to know of the call. */
static ZEND_COLD void tell(cps_globals *globals, const struct cps_frame *frame, uint64_t now,
                           uint64_t elapsed)
{
    uint64_t memory = zend_memory_usage(0);

    if (globals->blocks.active)
        cps_blocks_call(globals, frame, now, elapsed, memory);
    if (cps_classic_is_watched(&globals->request))
        cps_classic_call(&globals->request, frame->function, elapsed, memory);
    if (now >= globals->blocks.deadline)
        cps_blocks_flush(globals);
}

/* Tells of a call that took longer than the threshold. Compiled in is the usual case alone: the
 * function has a symbol, the record has room, and nobody listens to the classic probes. What must
 * survive the question for the memory in use is one pointer. */
static zend_always_inline void finish(cps_globals *globals, const struct cps_frame *frame,
                                      const struct cps_function *function, uint64_t now,
                                      uint64_t elapsed)
{
    if (elapsed < globals->limit) {
        if (UNEXPECTED(now >= globals->blocks.deadline))
            cps_blocks_flush(globals);
        return;
    }
    struct cps_batch_writer *writer = &globals->blocks.writer;
    uint64_t end = now - frame->paused - writer->base;
    uint32_t word = function->word;
    struct cps_batch_call *record = (void *)(writer->block + writer->used);

    if (UNEXPECTED(word == 0 || now >= globals->blocks.deadline || (end | elapsed) >> 32 != 0 ||
                   writer->used > CPS_BATCH_MAX - sizeof(*record) ||
                   cps_classic_is_any_watched())) {
        tell(globals, frame, now, elapsed);
        return;
    }
    writer->used += sizeof(*record);
    record->word = word;
    record->depth = globals->recorder.depth;
    record->end = (uint32_t)end;
    record->elapsed = (uint32_t)elapsed;
    record->memory = zend_memory_usage(0);
}

static zend_never_inline void finish_with_other_caller(cps_globals *globals,
                                                       const struct cps_frame *frame, uint64_t now,
                                                       uint64_t elapsed)
{
    struct cps_recorder *recorder = &globals->recorder;

    cps_recorder_count_later(recorder, frame->function, cps_recorder_caller(recorder, frame),
                             elapsed);
    finish(globals, frame, frame->function, now, elapsed);
}

/* The topmost call ends. `callers`: whether they are told apart, a constant where it matters. */
static zend_always_inline void end_top(cps_globals *globals, uint64_t now, bool callers)
{
    struct cps_frame *frame = globals->recorder.top;
    struct cps_function *function = frame->function;
    struct cps_function *caller = callers ? frame[-1].function : NULL;
    uint64_t elapsed = cps_recorder_pop(&globals->recorder, now);

    if (cps_recorder_count(function, caller, elapsed))
        finish(globals, frame, function, now, elapsed);
    else
        finish_with_other_caller(globals, frame, now, elapsed);
}

static ZEND_COLD void end_unexpected(cps_globals *globals, const void *key, uint64_t now)
{
    if (cps_recorder_unwind(&globals->recorder, key, now))
        end_top(globals, now, globals->recorder.callers);
}

static zend_always_inline void end_call(cps_globals *globals, const void *key, uint64_t now,
                                        bool callers)
{
    if (UNEXPECTED(globals->recorder.top->key != key))
        end_unexpected(globals, key, now);
    else
        end_top(globals, now, callers);
}

static void call_ends(zend_execute_data *call, zval *result)
{
    cps_globals *globals = CPS_GLOBALS();

    (void)result;
    end_call(globals, call, cps_clock_at(&globals->recorder.clock, cps_counter_read()), true);
}

static void call_ends_without_caller(zend_execute_data *call, zval *result)
{
    cps_globals *globals = CPS_GLOBALS();

    (void)result;
    end_call(globals, call, cps_clock_at(&globals->recorder.clock, cps_counter_read()), false);
}

static zend_never_inline void end_any(cps_globals *globals, const void *key)
{
    end_call(globals, key, cps_clock_now(&globals->recorder.clock), globals->recorder.callers);
}

static void call_ends_without_counter(zend_execute_data *call, zval *result)
{
    (void)result;
    end_any(CPS_GLOBALS(), call);
}

static void cacheable_ends(zend_execute_data *call, zval *result,
                           enum cps_batch_cache_origin origin)
{
    cps_globals *globals = CPS_GLOBALS();
    const struct cps_frame *frame = globals->recorder.top;
    const struct cps_function *caller = frame->key == call ? frame[-1].function : NULL;

    end_any(globals, call);
    if (result)
        cps_drupal_event(globals, origin, caller, call, result);
}

static void render_array_ends(zend_execute_data *call, zval *result)
{
    cacheable_ends(call, result, CPS_BATCH_RENDER_ARRAY);
}

static void object_ends(zend_execute_data *call, zval *result)
{
    cacheable_ends(call, result, CPS_BATCH_OBJECT);
}

static zend_observer_fcall_begin_handler choose_begin(const zend_function *function)
{
    if (!cps_clock_has_counter)
        return call_begins_without_counter;
    return function->type == ZEND_USER_FUNCTION ? user_call_begins : internal_call_begins;
}

static zend_observer_fcall_end_handler choose_end(const cps_globals *globals,
                                                  const zend_function *function)
{
    if (globals->request.http) {
        enum cps_batch_cache_origin origin = cps_drupal_match(function);

        if (origin == CPS_BATCH_RENDER_ARRAY)
            return render_array_ends;
        if (origin == CPS_BATCH_OBJECT)
            return object_ends;
    }
    if (!cps_clock_has_counter)
        return call_ends_without_counter;
    return globals->recorder.callers ? call_ends : call_ends_without_caller;
}

static zend_observer_fcall_handlers instrument(zend_execute_data *call)
{
    cps_globals *globals = CPS_GLOBALS();
    zend_observer_fcall_handlers handlers = {NULL, NULL};

    if (!globals->recording)
        return handlers;
    *slot_of(call->func) = cps_names_resolve(globals, call->func);
    handlers.begin = choose_begin(call->func);
    handlers.end = choose_end(globals, call->func);
    return handlers;
}

static void end_fiber(cps_globals *globals, struct cps_stack *stack)
{
    struct cps_recorder *recorder = &globals->recorder;
    struct cps_stack *running = recorder->stack;
    uint64_t suspended = cps_recorder_wake(recorder, stack);

    while (recorder->top > stack->frames)
        end_call(globals, recorder->top->key, suspended, recorder->callers);
    cps_recorder_leave_for(recorder, running);
}

void cps_observer_end_all(cps_globals *globals)
{
    struct cps_recorder *recorder = &globals->recorder;
    struct cps_stack *fiber;

    while (recorder->stack->resumer)
        cps_recorder_switch(recorder, recorder->stack->resumer, cps_clock_now(&recorder->clock));
    while ((fiber = cps_recorder_open_fiber(recorder)))
        end_fiber(globals, fiber);
    while (recorder->top > recorder->stack->frames)
        end_any(globals, recorder->top->key);
}

#if PHP_VERSION_ID >= 80100
static struct cps_stack *stack_of(struct cps_recorder *recorder, zend_fiber_context *context)
{
    if (context == EG(main_fiber_context))
        return &recorder->main;
    if (!context->reserved[fiber_slot])
        context->reserved[fiber_slot] = cps_recorder_stack_open(recorder);
    return context->reserved[fiber_slot];
}

static void fiber_switches(zend_fiber_context *from, zend_fiber_context *to)
{
    cps_globals *globals = CPS_GLOBALS();

    (void)from;
    if (globals->recording)
        cps_recorder_switch(&globals->recorder, stack_of(&globals->recorder, to),
                            cps_clock_now(&globals->recorder.clock));
}

static void fiber_is_destroyed(zend_fiber_context *context)
{
    cps_globals *globals = CPS_GLOBALS();
    struct cps_stack *stack = context->reserved[fiber_slot];

    context->reserved[fiber_slot] = NULL;
    if (!globals->recording || !stack || stack == globals->recorder.stack)
        return;
    end_fiber(globals, stack);
    cps_recorder_stack_close(&globals->recorder, stack);
}

static int register_fibers(void)
{
    fiber_slot = zend_get_resource_handle("compass");
    if (fiber_slot < 0)
        return -ENOSPC;
    zend_observer_fiber_switch_register(fiber_switches);
    zend_observer_fiber_destroy_register(fiber_is_destroyed);
    return 0;
}
#else
static int register_fibers(void)
{
    return 0;
}
#endif

int cps_observer_register(void)
{
    if (register_fibers() != 0)
        return -ENOSPC;
    user_slot = zend_get_op_array_extension_handle("compass");
#if PHP_VERSION_ID >= 80400
    internal_slot = zend_get_internal_function_extension_handle("compass");
#endif
    zend_observer_fcall_register(instrument);
    return 0;
}
