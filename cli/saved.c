/* SPDX-License-Identifier: Apache-2.0 */
#include "saved.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "cleanup.h"
#include "lines.h"
#include "reader.h"
#include "text.h"

struct reader {
    struct cps_saved *saved;
    const char *path;
    uint64_t line;
    int r;
};

static int keep(struct cps_saved *saved, struct cps_trace *trace)
{
    if (saved->count == saved->capacity) {
        size_t capacity = saved->capacity ? saved->capacity * 2 : 64;
        struct cps_trace **traces =
            reallocarray(saved->traces, capacity, sizeof(struct cps_trace *));

        if (!traces)
            return -ENOMEM;
        saved->traces = traces;
        saved->capacity = capacity;
    }
    saved->traces[saved->count++] = trace;
    return 0;
}

static void refuse(struct reader *reader, const char *reason)
{
    if (reader->saved->refused++ == 0)
        (void)cps_error_set(&reader->saved->why, 0, "%s: entry %llu: %s", reader->path,
                            (unsigned long long)reader->line, reason);
}

static bool read_line(void *context, const char *bytes, size_t length)
{
    struct reader *reader = context;
    cps_auto_trace struct cps_trace *trace = NULL;
    struct cps_error error = {0};
    int r;

    reader->line++;
    if (cps_reader_is_event(bytes, length))
        return true;
    r = cps_trace_decode(bytes, length, &trace, &error);
    if (r == 0)
        r = keep(reader->saved, trace);
    if (r == 0)
        trace = NULL;
    else if (r == -EINVAL)
        refuse(reader, error.text);
    else
        reader->r = r;
    return reader->r == 0;
}

static int read_all(struct reader *reader, int fd)
{
    struct cps_lines lines = {.maximum = CPS_READER_LINE_MAX};
    char bytes[65536];
    ssize_t got;

    while (reader->r == 0 && (got = read(fd, bytes, sizeof(bytes))) != 0) {
        if (got > 0)
            cps_lines_feed(&lines, bytes, (size_t)got, read_line, reader);
        else if (errno != EINTR)
            reader->r = -errno;
    }
    if (reader->r == 0)
        cps_lines_finish(&lines, read_line, reader);
    if (lines.too_long > 0) {
        refuse(reader, "a line is longer than 64 MiB");
        reader->saved->refused += lines.too_long - 1;
    }
    cps_lines_free(&lines);
    return reader->r;
}

int cps_saved_read(struct cps_saved *saved, const char *path, struct cps_error *error)
{
    bool standard = strcmp(path, "-") == 0;
    struct reader reader = {.saved = saved, .path = standard ? "standard input" : path};
    cps_auto_close int fd = -1;
    int r;

    fd = standard ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : open(path, O_RDONLY | O_CLOEXEC);
    r = fd < 0 ? -errno : read_all(&reader, fd);
    return r ? cps_error_set(error, r, "%s: %s", reader.path, strerror(-r)) : 0;
}

void cps_saved_free(struct cps_saved *saved)
{
    for (size_t i = 0; i < saved->count; i++)
        cps_trace_free(saved->traces[i]);
    free(saved->traces);
    *saved = (struct cps_saved){0};
}
