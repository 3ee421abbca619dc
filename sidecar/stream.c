/* SPDX-License-Identifier: Apache-2.0 */
#include "stream.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "cleanup.h"

struct cps_stream {
    struct cps_subscriber *subscriber;
    struct MHD_Connection *connection;
    struct cps_encoder *encoder;
    struct cps_line *line; /* being sent, owned; NULL between lines */
    struct cps_slice left; /* of it */
    bool finishing;        /* the encoder is writing its end */
    bool finished;
    _Atomic bool abandoned;
};

/* With the subscriber's lock held, so that a line that comes now finds the connection suspended. */
static void park(void *context)
{
    struct cps_stream *stream = context;

    MHD_suspend_connection(stream->connection);
}

static void wake(void *context)
{
    struct cps_stream *stream = context;

    MHD_resume_connection(stream->connection);
}

struct cps_stream *cps_stream_open(struct cps_broadcast *broadcast,
                                   struct MHD_Connection *connection, enum cps_encoding encoding,
                                   bool events)
{
    struct cps_stream *stream = calloc(1, sizeof(*stream));
    struct cps_subscriber_options options = {.events = events, .wake = wake, .context = stream};

    if (!stream)
        return NULL;
    stream->connection = connection;
    stream->encoder = cps_encoder_new(encoding);
    if (stream->encoder)
        stream->subscriber = cps_broadcast_subscribe(broadcast, &options);
    if (stream->subscriber)
        return stream;
    cps_encoder_free(stream->encoder);
    free(stream);
    return NULL;
}

void cps_stream_free(struct cps_stream *stream)
{
    cps_broadcast_unsubscribe(stream->subscriber);
    cps_encoder_free(stream->encoder);
    cps_line_unref(stream->line);
    free(stream);
}

void cps_stream_abandon(struct cps_stream *stream)
{
    atomic_store(&stream->abandoned, true);
    cps_subscriber_end(stream->subscriber);
}

/* The next line, where the last one is out. False where there is none: then the connection is
 * suspended if it `may_park`, or the stream is finishing. */
static bool next_line(struct cps_stream *stream, bool may_park)
{
    if (stream->line)
        return true;
    if (stream->finishing)
        return false;
    switch (cps_subscriber_take(stream->subscriber, &stream->line, may_park ? park : NULL)) {
    case CPS_TAKE_LINE:
        stream->left.data = cps_line_bytes(stream->line, &stream->left.length);
        return true;
    case CPS_TAKE_ENDED:
        stream->finishing = true;
        return false;
    default:
        return false;
    }
}

static ssize_t finish(struct cps_stream *stream, char *out, size_t room)
{
    struct cps_slice nothing = {"", 0};
    size_t written;

    if (stream->finished)
        return MHD_CONTENT_READER_END_OF_STREAM;
    if (cps_encoder_run(stream->encoder, &nothing, true, out, room, &written, &stream->finished) <
        0)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    return written > 0 ? (ssize_t)written : MHD_CONTENT_READER_END_OF_STREAM;
}

/* As many lines as fit and are there. */
ssize_t cps_stream_read(void *context, uint64_t position, char *out, size_t room)
{
    struct cps_stream *stream = context;
    size_t filled = 0;

    (void)position;
    if (atomic_load(&stream->abandoned))
        return MHD_CONTENT_READER_END_WITH_ERROR;
    while (filled < room && next_line(stream, filled == 0)) {
        size_t written;
        bool done;
        if (cps_encoder_run(stream->encoder, &stream->left, false, out + filled, room - filled,
                            &written, &done) < 0)
            return MHD_CONTENT_READER_END_WITH_ERROR;
        filled += written;
        if (done)
            cps_line_unref(cps_steal(stream->line));
    }
    if (filled > 0)
        return (ssize_t)filled;
    return stream->finishing ? finish(stream, out, room) : 0;
}
