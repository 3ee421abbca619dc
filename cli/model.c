/* SPDX-License-Identifier: Apache-2.0 */
#include "model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"

/* Of a message, bytes: more than a row shows, and a stranger's may have megabytes. */
#define MESSAGE_MAX 2048

int cps_model_init(struct cps_model *model, size_t max_traces, size_t max_bytes)
{
    *model = (struct cps_model){.max_traces = max_traces, .max_bytes = max_bytes, .next_serial = 1};
    model->room = calloc(2 * max_traces, sizeof(struct cps_held *));
    model->held = model->room;
    return model->room ? 0 : -ENOMEM;
}

static void release(struct cps_held *held)
{
    cps_totals_free(&held->totals);
    cps_trace_free(held->trace);
    free(held);
}

void cps_model_free(struct cps_model *model)
{
    for (size_t i = 0; i < model->count; i++)
        release(model->held[i]);
    for (size_t i = 0; i < CPS_MODEL_LOGS; i++)
        free(model->logs[i].text);
    free(model->room);
    *model = (struct cps_model){0};
}

static void discard_oldest(struct cps_model *model)
{
    size_t at = model->count > 1 && model->held[0]->serial == model->pinned ? 1 : 0;

    model->bytes -= model->held[at]->size;
    release(model->held[at]);
    model->held[at] = model->held[0]; /* the pinned one moves up */
    model->held++;
    model->count--;
    model->discarded++;
}

/* The traces go through twice the room that they need, and back to its start at its end: one is
 * moved once in its life, however many are held. */
static void append(struct cps_model *model, struct cps_held *held)
{
    if (model->held + model->count == model->room + 2 * model->max_traces) {
        memmove(model->room, model->held, model->count * sizeof(struct cps_held *));
        model->held = model->room;
    }
    model->held[model->count++] = held;
}

static void measure(struct cps_held *held)
{
    const struct cps_trace *trace = held->trace;

    held->duration = cps_trace_duration(trace);
    held->calls = cps_totals_calls(trace);
    held->hottest = CPS_MODEL_NONE;
    held->size = cps_trace_size(trace);
    if (!held->totals.exact)
        held->size += held->totals.function_count * sizeof(struct cps_function) +
                      held->totals.caller_count * sizeof(struct cps_caller);
    for (uint32_t i = 0; i < held->totals.function_count; i++) {
        if (held->hottest == CPS_MODEL_NONE ||
            held->totals.functions[i].self > held->totals.functions[held->hottest].self)
            held->hottest = i;
    }
}

void cps_model_add(struct cps_model *model, struct cps_trace *trace)
{
    struct cps_held *held = calloc(1, sizeof(*held));

    if (!held || cps_totals_build(trace, &held->totals)) {
        free(held);
        cps_trace_free(trace);
        model->discarded++;
        return;
    }
    held->trace = trace;
    held->serial = model->next_serial++;
    measure(held);
    /* The newest always stays, even where it alone is over the bound. */
    while (model->count &&
           (model->count == model->max_traces || model->bytes + held->size > model->max_bytes))
        discard_oldest(model);
    append(model, held);
    model->bytes += held->size;
}

void cps_model_log(struct cps_model *model, enum cps_level level, const char *text)
{
    struct cps_message *message = &model->logs[model->log_count % CPS_MODEL_LOGS];
    char *copy = strndup(text, MESSAGE_MAX);

    if (!copy) {
        model->logs_lost++;
        return;
    }
    free(message->text);
    *message = (struct cps_message){
        .time = cps_clock_realtime(),
        .level = level,
        .text = copy,
    };
    model->log_count++;
}

struct cps_held *cps_model_find(const struct cps_model *model, uint64_t serial)
{
    size_t low = 0, high = model->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (model->held[middle]->serial < serial)
            low = middle + 1;
        else
            high = middle;
    }
    return low < model->count && model->held[low]->serial == serial ? model->held[low] : NULL;
}
