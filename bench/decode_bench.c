/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the collector spends on a call, from the block in the ring to the assembled trace: requests
 * like a MediaWiki page (94,812 calls of 3,600 functions, every call recorded, totals at the end)
 * are encoded once and given to an assembler again and again, on one core.
 *
 *     decode_bench [ROUNDS [MAX_CALLS]]
 */
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "assemble.h"
#include "batch_encode.h"
#include "event.h"

#define CALLS 94812
#define FUNCTIONS 3600
#define CALLERS 9000
#define MAX_DEPTH 60
#define SAMPLES 256

struct sample {
    struct cps_event_block event;
    _Alignas(8) uint8_t block[CPS_BATCH_MAX];
};

static struct sample *samples;
static size_t sample_count;
static struct cps_batch_writer writer;
static uint8_t *block;
static uint64_t random_state = 88172645463325252ull;
static size_t traces;

static uint64_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static void hand_over(uint32_t flags)
{
    struct sample *sample = &samples[sample_count++];

    sample->event.length = cps_batch_close(&writer, flags);
    sample->event.head = (struct cps_event_head){
        .kind = CPS_PROBE_batch, .process = 1, .thread = 1, .runtime = CPS_RUNTIME_PHP};
    memcpy(sample->block, block, CPS_BATCH_MAX);
    cps_batch_open(&writer, 0);
}

#define PUT(what)                                                                                  \
    while (!(what))                                                                                \
    hand_over(0)

/* A walk through a tree of calls: each step opens one or closes the innermost. */
static void make_calls(void)
{
    uint64_t started[MAX_DEPTH], now = 1000;
    uint32_t function[MAX_DEPTH], depth = 0, named = 0;

    for (size_t ended = 0; ended < CALLS;) {
        now += 50 + next_random() % 500;
        if (depth < MAX_DEPTH && (depth == 0 || next_random() % 2)) {
            uint32_t symbol = (uint32_t)(next_random() % FUNCTIONS * (next_random() % 8) / 7);
            char name[64];

            for (; named <= symbol; named++) {
                int length = snprintf(name, sizeof(name), "Wikimedia\\Component\\Class%u::method%u",
                                      named / 20, named);

                PUT(cps_batch_put_symbol(&writer, named, name, (size_t)length));
            }
            started[depth] = now;
            function[depth++] = symbol;
        } else {
            depth--;
            PUT(cps_batch_put_call(&writer, function[depth], depth, now, now - started[depth],
                                   4000000));
            ended++;
        }
    }
    for (uint32_t i = 0; i < named; i++) {
        struct cps_batch_function totals = {.calls = 26, .elapsed = 1, .self = 1, .longest = 1};

        PUT(cps_batch_put_function(&writer, i, &totals));
    }
    for (uint32_t i = 0; i < CALLERS; i++)
        PUT(cps_batch_put_caller(&writer, i % named, (uint32_t)(next_random() % named), 10, 1));
}

static void make_request(void)
{
    struct cps_batch_request request = {.source = CPS_BATCH_HTTP,
                                        .runtime = CPS_BATCH_PHP,
                                        .uri = {"/index.php", 10},
                                        .method = {"GET", 3}};
    struct cps_batch_end end = {.status = 200, .monotonic = 100000000};

    cps_batch_writer_init(&writer, block, 1, 1);
    cps_batch_open(&writer, 0);
    PUT(cps_batch_put_begin(&writer, &request));
    make_calls();
    PUT(cps_batch_put_end(&writer, &end));
    hand_over(CPS_BATCH_LAST);
}

static void count_trace(void *context, const struct cps_trace *trace)
{
    (void)context;
    traces += trace->call_count > 0;
}

static bool process_exists(pid_t pid)
{
    return pid != 0;
}

static uint64_t cpu_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

int main(int argc, char **argv)
{
    size_t rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 50;
    struct cps_assembler_options options = {
        .max_function_calls = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 10000,
        .max_in_flight = 100,
        .expire_after_ns = UINT64_MAX,
        .on_trace = count_trace,
        .process_exists = process_exists,
    };
    struct cps_assembler *assembler = cps_assembler_new(&options);
    double *costs = calloc(rounds + 1, sizeof(*costs));

    /* As the sidecar does: see its main.c. */
    (void)mallopt(M_MMAP_THRESHOLD, 4 << 20);
    (void)mallopt(M_TRIM_THRESHOLD, 32 << 20);
    samples = calloc(SAMPLES, sizeof(*samples));
    block = aligned_alloc(8, CPS_BATCH_MAX);
    if (!assembler || !costs || !samples || !block || !rounds) {
        free(costs);
        return 1;
    }
    memset(block, 0, CPS_BATCH_MAX);
    make_request();
    for (size_t round = 0; round < rounds; round++) {
        uint64_t start = cpu_ns();

        for (size_t i = 0; i < sample_count; i++)
            cps_assembler_add(assembler, &samples[i], sizeof(samples[i]));
        costs[round] = (double)(cpu_ns() - start) / CALLS;
    }
    qsort(costs, rounds, sizeof(*costs), compare);
    printf("%zu traces of %d calls in %zu blocks: median %.1f ns a call (fastest %.1f)\n", traces,
           CALLS, sample_count, costs[rounds / 2], costs[0]);
    cps_assembler_free(assembler);
    free(samples);
    free(block);
    free(costs);
    return traces == rounds ? 0 : 1;
}
