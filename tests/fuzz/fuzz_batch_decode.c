/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as blocks: each is dropped whole, or taken into a trace that keeps every promise.
 *
 * An input is a run of blocks, each after a byte that says which process sent it (modulo 4) and a
 * 16 bit length.
 */
#include "fuzz.h"

#include <string.h>

#include "assemble.h"
#include "decode.h"

#define MAX_CALLS 8
#define START 1000000ull

static struct {
    struct cps_event_block event;
    _Alignas(8) uint8_t block[CPS_BATCH_MAX];
} sample;

static void check_trace(void *context, const struct cps_trace *trace)
{
    cps_auto_buf struct cps_buf line = {0};

    (void)context;
    MUST(trace->call_count <= MAX_CALLS);
    MUST(trace->end >= trace->start);
    for (size_t i = 0; i < trace->call_count; i++)
        MUST(trace->calls[i].name < trace->name_count);
    for (size_t i = 0; i < trace->function_count; i++) {
        const struct cps_function *function = &trace->functions[i];

        MUST(function->name < trace->name_count);
        MUST((size_t)function->first_caller + function->caller_count <= trace->caller_count);
    }
    for (size_t i = 0; i < trace->caller_count; i++)
        MUST(trace->callers[i].name < trace->name_count);
    MUST(cps_trace_encode(trace, &line) == 0);
}

static bool process_exists(pid_t pid)
{
    return pid != 2;
}

/* Sends one block; what is left of the input. */
static size_t send_block(struct cps_assembler *assembler, const uint8_t *data, size_t size)
{
    uint32_t process = 1 + data[0] % 4u;
    size_t length = data[1] | (size_t)data[2] << 8;

    data += 3;
    size -= 3;
    if (length > size)
        length = size;
    if (length > CPS_BATCH_MAX)
        length = CPS_BATCH_MAX;
    memset(&sample, 0, sizeof(sample));
    sample.event.head = (struct cps_event_head){
        .kind = CPS_PROBE_batch,
        .process = process,
        .thread = process,
        .pid = process,
        .runtime = process % 2 ? CPS_RUNTIME_PHP : CPS_RUNTIME_NODE,
        .started = 1,
        .time = START,
    };
    sample.event.length = length;
    memcpy(sample.block, data, length);
    cps_assembler_add(assembler, &sample, sizeof(sample.event) + length);
    return size - length;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cps_assembler_options options = {
        .max_function_calls = MAX_CALLS,
        .max_in_flight = 4,
        .expire_after_ns = 600000000000ull,
        .on_trace = check_trace,
        .process_exists = process_exists,
    };
    struct cps_assembler *assembler = cps_assembler_new(&options);
    struct cps_collector_stats stats;
    uint64_t blocks = 0;

    MUST(assembler);
    while (size > 3) {
        size_t left = send_block(assembler, data, size);

        data += size - left;
        size = left;
        blocks++;
    }
    cps_assembler_stats(assembler, &stats);
    MUST(stats.blocks_received == blocks && stats.in_flight <= 4);
    /* Everything ends: two looks find the process that is gone, then the rest expires. */
    cps_assembler_tick(assembler, START + 10000000000ull);
    cps_assembler_tick(assembler, START + 20000000000ull);
    cps_assembler_tick(assembler, START + 900000000000ull);
    cps_assembler_stats(assembler, &stats);
    MUST(stats.in_flight == 0 && stats.in_flight_bytes == 0);
    cps_assembler_free(assembler);
    return 0;
}
