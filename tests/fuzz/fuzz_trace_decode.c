/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a line of the stream: refused with a sentence, or a trace that comes out as one line
 * without control characters, which reads back as the same trace. */
#include "fuzz.h"

#include <errno.h>
#include <string.h>

#include "trace.h"

static void check_trace(const struct cps_trace *trace)
{
    for (size_t i = 0; i < trace->call_count; i++) {
        MUST(trace->calls[i].name < trace->name_count);
        MUST(i == 0 || trace->calls[i - 1].start <= trace->calls[i].start);
    }
    for (size_t i = 0; i < trace->function_count; i++) {
        const struct cps_function *function = &trace->functions[i];

        MUST(function->name < trace->name_count);
        MUST((size_t)function->first_caller + function->caller_count <= trace->caller_count);
    }
    for (size_t i = 0; i < trace->caller_count; i++)
        MUST(trace->callers[i].name < trace->name_count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cps_auto_trace struct cps_trace *first = NULL;
    cps_auto_trace struct cps_trace *second = NULL;
    cps_auto_buf struct cps_buf line = {0};
    cps_auto_buf struct cps_buf again = {0};
    struct cps_error error = {0};
    int r = cps_trace_decode((const char *)data, size, &first, &error);

    if (r < 0) {
        MUST(!first && error.text[0]);
        return 0;
    }
    check_trace(first);
    MUST(cps_trace_encode(first, &line) == 0);
    fuzz_must_be_line(&line);
    MUST(cps_trace_decode(line.data, line.length - 1, &second, &error) == 0);
    MUST(cps_trace_encode(second, &again) == 0);
    MUST(line.length == again.length && memcmp(line.data, again.data, line.length) == 0);
    return 0;
}
