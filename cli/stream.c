/* SPDX-License-Identifier: Apache-2.0 */
#include "stream.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <sys/signalfd.h>

#include "cleanup.h"
#include "export.h"
#include "feed.h"
#include "say.h"
#include "stop.h"
#include "text.h"

#define WAIT_MS 1000

struct stream {
    const struct cps_options *options;
    size_t printed;
    bool done;   /* enough, or nobody reads any more */
    int failure; /* -errno: why a trace could not be printed; 0 */
    struct cps_buf line;
};

/* A line of JSON has no control characters but within strings, and there these two kinds may stand
 * as they are. On a terminal they must not. Other characters that cannot be seen, or that turn what
 * follows round, are the names' own and stay: this is for programs. */
static void append_json(struct cps_buf *out, const char *line, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        uint8_t byte = (uint8_t)line[i], next = i + 1 < length ? (uint8_t)line[i + 1] : 0;

        if (byte == 0x7f)
            cps_buf_append_string(out, "\\u007f");
        else if (byte == 0xc2 && next >= 0x80 && next < 0xa0)
            cps_buf_append_format(out, "\\u%04x", (uint8_t)line[++i]);
        else
            cps_buf_append(out, byte < 0x20 ? " " : line + i, 1);
    }
    cps_buf_append_string(out, "\n");
}

static int print(const struct cps_buf *out)
{
    if (cps_buf_failed(out))
        return -ENOMEM;
    if (fwrite(out->data, 1, out->length, stdout) != out->length || fflush(stdout))
        return -errno;
    return 0;
}

static void on_trace(void *context, struct cps_trace *trace, const char *line, size_t length)
{
    struct stream *stream = context;
    struct cps_buf *out = &stream->line;

    cps_buf_clear(out);
    if (strcmp(stream->options->output, "summary") != 0)
        append_json(out, line, length);
    else if (cps_export_summary((const struct cps_trace *const *)&trace, 1, out))
        out->failed = true;
    cps_trace_free(trace);
    if (stream->done)
        return;
    int result = print(out);

    if (result) {
        stream->done = true;
        stream->failure = result == -EPIPE ? 0 : result; /* a reader that has gone is no failure */
        return;
    }
    stream->printed++;
    if (stream->options->count && stream->printed >= stream->options->count)
        stream->done = true;
}

static void on_log(void *context, enum cps_level level, const char *message)
{
    const struct stream *stream = context;

    if (level >= CPS_LEVEL_WARN)
        cps_say("compass: %s: %s: %s", level == CPS_LEVEL_WARN ? "warning" : "error",
                stream->options->uri, message);
}

static void on_dropped(void *context, uint64_t count)
{
    (void)context;
    cps_say("compass: warning: %" PRIu64 " traces were lost, since they were not read fast enough",
            count);
}

static bool stopped(int fd)
{
    struct signalfd_siginfo info;

    return read(fd, &info, sizeof(info)) == (ssize_t)sizeof(info);
}

int cps_stream_run(const struct cps_options *options, struct cps_error *error)
{
    struct stream stream = {.options = options};
    struct cps_feed_sink sink = {
        .trace = on_trace, .log = on_log, .dropped = on_dropped, .context = &stream};
    cps_auto_close int stop = cps_stop_open();
    struct cps_feed_status status;
    struct cps_feed *feed;
    int result;

    if (stop < 0)
        return cps_error_set(error, stop, "signals: %s", strerror(-stop));
    result = cps_feed_open(options, &sink, &feed, error);
    if (result)
        return result;
    do {
        result = feed->ops->wait(feed, stop, WAIT_MS);
        feed->ops->status(feed, &status);
    } while (!result && !stream.done && status.state != CPS_FEED_ENDED && !stopped(stop));
    if (!result && !stream.done && status.state == CPS_FEED_ENDED && *status.reason)
        result = cps_error_set(error, -EIO, "%s: %s", options->uri, status.reason);
    else if (result)
        (void)cps_error_set(error, result, "%s: %s", options->uri, strerror(-result));
    feed->ops->close(feed);
    cps_buf_free(&stream.line);
    if (result)
        return result;
    if (stream.failure)
        return cps_error_set(error, stream.failure, "standard output: %s",
                             strerror(-stream.failure));
    return 0;
}
