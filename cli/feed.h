/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where traces come from: a sidecar over HTTP(S), a probe file on this machine, a file of saved
 * traces. One thread calls everything here, and is called back on it.
 */
#ifndef CPS_CLI_FEED_H
#define CPS_CLI_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "options.h"
#include "trace.h"

enum cps_level { CPS_LEVEL_DEBUG, CPS_LEVEL_INFO, CPS_LEVEL_WARN, CPS_LEVEL_ERROR };

enum cps_feed_state {
    CPS_FEED_CONNECTING,
    CPS_FEED_WAITING, /* connected, no request seen yet */
    CPS_FEED_LIVE,
    CPS_FEED_RETRYING, /* lost; tries again in retry_ms */
    CPS_FEED_REFUSED,  /* the same, but a person has to mend something */
    CPS_FEED_ENDED,    /* nothing more will come */
};

struct cps_feed_status {
    enum cps_feed_state state;
    unsigned retry_ms;
    const char *reason; /* why it is not connected, or ended too early: "" where all is well;
                           belongs to the source, until its next call */
};

struct cps_feed_sink {
    /* A trace, which the sink owns from here on, and the line that it came in or NULL where there
     * was none. */
    void (*trace)(void *context, struct cps_trace *trace, const char *line, size_t length);
    /* Something to tell: the source's own events and what the sidecar reports. Any bytes. */
    void (*log)(void *context, enum cps_level level, const char *message);
    /* The sidecar could not keep up with this client and discarded so many traces. */
    void (*dropped)(void *context, uint64_t count);
    void *context;
};

struct cps_feed;

struct cps_feed_ops {
    /* Waits up to timeout_ms (less where it has something to do) for its own data or for `fd` (-1:
     * none) to be readable, then hands over what has come. 0, or -errno where it cannot go on. */
    int (*wait)(struct cps_feed *feed, int fd, int timeout_ms);
    void (*status)(const struct cps_feed *feed, struct cps_feed_status *out);
    void (*close)(struct cps_feed *feed);
};

/* The first member of every source. */
struct cps_feed {
    const struct cps_feed_ops *ops;
    struct cps_feed_sink sink;
};

/* Whether a source can have this URI at all: 0, or -EINVAL (-ENOMEM) with a sentence. */
int cps_feed_check(const char *uri, struct cps_error *error);

/* The source that options->uri names, to be closed with ops->close. The options stay the caller's,
 * and alive. -EINVAL for a URI that is not understood, -errno for what cannot be opened, with a
 * sentence. */
int cps_feed_open(const struct cps_options *options, const struct cps_feed_sink *sink,
                  struct cps_feed **out, struct cps_error *error);

int cps_feed_http_check(const char *uri, struct cps_error *error);
int cps_feed_http_open(const struct cps_options *options, const struct cps_feed_sink *sink,
                       struct cps_feed **out, struct cps_error *error);
int cps_feed_file_open(const char *path, const struct cps_feed_sink *sink, struct cps_feed **out,
                       struct cps_error *error);
int cps_feed_extension_open(const char *path, const struct cps_feed_sink *sink,
                            struct cps_feed **out, struct cps_error *error);

#endif
