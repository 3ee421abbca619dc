/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a stream: however they are cut into pieces, the same traces, messages and counts of
 * lost traces come out of them. */
#include "fuzz.h"

#include <string.h>

#include "reader.h"

struct seen {
    uint64_t traces, calls, logs, dropped, malformed;
    size_t bytes;
};

static void on_trace(void *context, struct cps_trace *trace, const char *line, size_t length)
{
    struct seen *seen = context;

    MUST(line && length && !memchr(line, '\n', length));
    seen->traces++;
    seen->calls += trace->call_count;
    seen->bytes += length;
    cps_trace_free(trace);
}

static void on_log(void *context, enum cps_level level, const char *message)
{
    struct seen *seen = context;

    MUST(level >= CPS_LEVEL_DEBUG && level <= CPS_LEVEL_ERROR);
    seen->logs++;
    seen->bytes += strlen(message);
}

static void on_dropped(void *context, uint64_t count)
{
    struct seen *seen = context;

    MUST(count > 0);
    seen->dropped += count;
}

static struct seen feed(const uint8_t *data, size_t size, size_t piece)
{
    struct seen seen = {0};
    struct cps_feed_sink sink = {
        .trace = on_trace, .log = on_log, .dropped = on_dropped, .context = &seen};
    struct cps_reader reader;

    cps_reader_init(&reader, &sink);
    /* Small, so that the bound is reached. */
    reader.lines.maximum = 512;
    for (size_t at = 0; at < size; at += piece)
        cps_reader_feed(&reader, (const char *)data + at, size - at < piece ? size - at : piece);
    cps_reader_finish(&reader);
    seen.malformed = reader.malformed;
    MUST(reader.traces == seen.traces);
    cps_reader_free(&reader);
    return seen;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct seen whole = feed(data, size, size ? size : 1);
    struct seen bytes = feed(data, size, 1);
    struct seen pieces = feed(data, size, 7);

    MUST(memcmp(&whole, &bytes, sizeof(whole)) == 0);
    MUST(memcmp(&whole, &pieces, sizeof(whole)) == 0);
    return 0;
}
