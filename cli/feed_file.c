/* SPDX-License-Identifier: Apache-2.0 */
/* Traces that were saved, as lines of the stream. The file is read once, in pieces, so that a large
 * one does not hold up the first frame. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "feed.h"
#include "reader.h"

#define PIECE 262144

struct feed_file {
    struct cps_feed base;
    FILE *file; /* NULL once it is read */
    struct cps_reader reader;
    char *piece;
    struct cps_error reason; /* why it could not be read to its end */
};

static void read_piece(struct feed_file *saved)
{
    size_t length = fread(saved->piece, 1, PIECE, saved->file);
    int code = errno;

    cps_reader_feed(&saved->reader, saved->piece, length);
    if (length == PIECE)
        return;
    if (ferror(saved->file)) {
        (void)cps_error_set(&saved->reason, 0, "the file could not be read to its end: %s",
                            strerror(code));
        saved->base.sink.log(saved->base.sink.context, CPS_LEVEL_ERROR, saved->reason.text);
    }
    cps_reader_finish(&saved->reader);
    (void)fclose(saved->file);
    saved->file = NULL;
}

static int file_wait(struct cps_feed *feed, int fd, int timeout_ms)
{
    struct feed_file *saved = (struct feed_file *)feed;
    struct pollfd wanted = {.fd = fd, .events = POLLIN};

    if (poll(&wanted, 1, saved->file ? 0 : timeout_ms) < 0 && errno != EINTR)
        return -errno;
    if (saved->file)
        read_piece(saved);
    return 0;
}

static void file_status(const struct cps_feed *feed, struct cps_feed_status *out)
{
    const struct feed_file *saved = (const struct feed_file *)feed;

    *out = (struct cps_feed_status){.state = saved->file ? CPS_FEED_CONNECTING : CPS_FEED_ENDED,
                                    .reason = saved->reason.text};
}

static void file_close(struct cps_feed *feed)
{
    struct feed_file *saved = (struct feed_file *)feed;

    if (saved->file)
        (void)fclose(saved->file);
    cps_reader_free(&saved->reader);
    free(saved->piece);
    free(saved);
}

static const struct cps_feed_ops file_ops = {
    .wait = file_wait, .status = file_status, .close = file_close};

/* One can be opened, and is found out only when it is read. */
static int refuse_folder(FILE *file)
{
    struct stat found;

    if (fstat(fileno(file), &found))
        return -errno;
    return S_ISDIR(found.st_mode) ? -EISDIR : 0;
}

int cps_feed_file_open(const char *path, const struct cps_feed_sink *sink, struct cps_feed **out,
                       struct cps_error *error)
{
    FILE *file = fopen(path, "re");
    int result = file ? refuse_folder(file) : -errno;
    struct feed_file *saved;

    if (result) {
        if (file)
            (void)fclose(file);
        return cps_error_set(error, result, "%s: %s", path, strerror(-result));
    }
    saved = calloc(1, sizeof(*saved));
    if (saved)
        saved->piece = malloc(PIECE);
    if (!saved || !saved->piece) {
        free(saved);
        (void)fclose(file);
        return cps_error_set(error, -ENOMEM, "out of memory");
    }
    saved->base = (struct cps_feed){.ops = &file_ops, .sink = *sink};
    saved->file = file;
    cps_reader_init(&saved->reader, &saved->base.sink);
    *out = &saved->base;
    return 0;
}
