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

static void call_begins(zend_execute_data *call)
{
    cps_recorder_begin(&CPS_GLOBALS()->recorder, *slot_of(call->func), call);
}

static void tell(cps_globals *globals, const struct cps_frame *frame, uint64_t now,
                 uint64_t elapsed)
{
    uint64_t memory = zend_memory_usage(0);

    if (globals->blocks.active)
        cps_blocks_call(globals, frame, now, elapsed, memory);
    if (cps_classic_is_watched(&globals->request))
        cps_classic_call(&globals->request, frame->function, elapsed, memory);
}

static inline void end_call(cps_globals *globals, const void *key)
{
    uint64_t now = cps_clock_now(&globals->recorder.clock);
    uint64_t elapsed;
    struct cps_frame *frame = cps_recorder_end(&globals->recorder, key, now, &elapsed);

    if (frame && elapsed >= globals->limit)
        tell(globals, frame, now, elapsed);
    if (UNEXPECTED(now >= globals->blocks.deadline))
        cps_blocks_flush(globals);
}

static void call_ends(zend_execute_data *call, zval *result)
{
    (void)result;
    end_call(CPS_GLOBALS(), call);
}

static void cacheable_ends(zend_execute_data *call, zval *result,
                           enum cps_batch_cache_origin origin)
{
    cps_globals *globals = CPS_GLOBALS();
    const struct cps_frame *frame = globals->recorder.stack->top;
    const struct cps_function *caller = frame->key == call ? frame[-1].function : NULL;

    end_call(globals, call);
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

static zend_observer_fcall_handlers instrument(zend_execute_data *call)
{
    cps_globals *globals = CPS_GLOBALS();
    zend_observer_fcall_handlers handlers = {NULL, NULL};

    if (!globals->recording)
        return handlers;
    *slot_of(call->func) = cps_names_resolve(&globals->recorder, call->func);
    handlers.begin = call_begins;
    switch (globals->request.http ? cps_drupal_match(call->func) : 0) {
    case CPS_BATCH_RENDER_ARRAY:
        handlers.end = render_array_ends;
        break;
    case CPS_BATCH_OBJECT:
        handlers.end = object_ends;
        break;
    default:
        handlers.end = call_ends;
    }
    return handlers;
}

void cps_observer_end_all(cps_globals *globals)
{
    struct cps_recorder *recorder = &globals->recorder;

    cps_recorder_settle_fibers(recorder);
    while (recorder->stack->top > recorder->stack->frames)
        end_call(globals, recorder->stack->top->key);
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

    if (globals->recording && context->reserved[fiber_slot])
        cps_recorder_stack_close(&globals->recorder, context->reserved[fiber_slot]);
    context->reserved[fiber_slot] = NULL;
}

static void register_fibers(void)
{
    fiber_slot = zend_get_resource_handle("compass");
    zend_observer_fiber_switch_register(fiber_switches);
    zend_observer_fiber_destroy_register(fiber_is_destroyed);
}
#else
static void register_fibers(void)
{
}
#endif

void cps_observer_register(void)
{
    user_slot = zend_get_op_array_extension_handle("compass");
#if PHP_VERSION_ID >= 80400
    internal_slot = zend_get_internal_function_extension_handle("compass");
#endif
    register_fibers();
    zend_observer_fcall_register(instrument);
}
