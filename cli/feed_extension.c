/* SPDX-License-Identifier: Apache-2.0 */
/* The probes of a file on this machine, without a sidecar: the collector in this process. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector.h"
#include "discover.h"
#include "feed.h"

/* The ring is drained on a timer, not by its own descriptor; how long a drain may wait. */
#define DRAIN_MS 20

struct feed_extension {
    struct cps_feed base;
    struct cps_collector *collector;
    bool seen;
    int result; /* of the last trace, from inside the callback */
};

static void on_trace(void *context, const struct cps_trace *trace)
{
    struct feed_extension *extension = context;
    cps_auto_buf struct cps_buf line = {0};
    struct cps_trace *copy;

    /* The model owns its traces and the collector its own: the line of the stream is the copy. */
    extension->result = cps_trace_encode(trace, &line);
    if (!extension->result)
        extension->result = cps_trace_decode(line.data, line.length - 1, &copy, NULL);
    if (extension->result)
        return;
    extension->seen = true;
    extension->base.sink.trace(extension->base.sink.context, copy, line.data, line.length - 1);
}

static int extension_wait(struct cps_feed *feed, int fd, int timeout_ms)
{
    struct feed_extension *extension = (struct feed_extension *)feed;
    struct pollfd wanted = {.fd = fd, .events = POLLIN};
    int result;

    if (poll(&wanted, 1, timeout_ms < DRAIN_MS ? timeout_ms : DRAIN_MS) < 0 && errno != EINTR)
        return -errno;
    result = cps_collector_poll(extension->collector, 0);
    return result ? result : extension->result;
}

static void extension_status(const struct cps_feed *feed, struct cps_feed_status *out)
{
    const struct feed_extension *extension = (const struct feed_extension *)feed;

    *out = (struct cps_feed_status){.state = extension->seen ? CPS_FEED_LIVE : CPS_FEED_WAITING,
                                    .reason = ""};
}

static void extension_close(struct cps_feed *feed)
{
    struct feed_extension *extension = (struct feed_extension *)feed;

    cps_collector_close(extension->collector);
    free(extension);
}

static const struct cps_feed_ops extension_ops = {
    .wait = extension_wait, .status = extension_status, .close = extension_close};

static enum cps_runtime runtime_of(const char *path)
{
    size_t length = strlen(path);

    return length > 5 && !strcmp(path + length - 5, ".node") ? CPS_RUNTIME_NODE : CPS_RUNTIME_PHP;
}

static int attach(struct feed_extension *extension, const char *path, struct cps_error *error)
{
    struct cps_collector_options options = {.on_trace = on_trace, .context = extension};
    struct cps_target target = {0};
    int result = cps_collector_open(&options, &extension->collector, error);

    if (!result)
        result = cps_target_from_path(path, runtime_of(path), &target, error);
    if (!result)
        result = cps_collector_attach(extension->collector, &target, error);
    free(target.path);
    return result;
}

/* What the collector says is for whoever runs a container; here it is a person with a shell. */
static void advise(int result, struct cps_error *error)
{
    struct cps_error detail = *error;

    if (result == -EPERM || result == -EACCES)
        (void)cps_error_set(error, result, "extension:// needs root, so try sudo: %.400s",
                            detail.text);
}

int cps_feed_extension_open(const char *path, const struct cps_feed_sink *sink,
                            struct cps_feed **out, struct cps_error *error)
{
    struct feed_extension *extension = calloc(1, sizeof(*extension));
    int result;

    if (!extension)
        return cps_error_set(error, -ENOMEM, "out of memory");
    extension->base = (struct cps_feed){.ops = &extension_ops, .sink = *sink};
    result = attach(extension, path, error);
    if (result) {
        extension_close(&extension->base);
        advise(result, error);
        return result;
    }
    *out = &extension->base;
    return 0;
}
