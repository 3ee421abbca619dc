/* SPDX-License-Identifier: Apache-2.0 */
/* Saving a trace from the UI: as a line of the stream in a new file, which --uri file:// opens and
 * `compass convert` reads. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "app.h"
#include "cleanup.h"
#include "export.h"

#define ID_LENGTH 40

/* What of an id may be part of a file's name. */
static void clean_id(const struct cps_string *id, char *out)
{
    size_t used = 0;

    for (size_t i = 0; i < id->length && used < ID_LENGTH; i++) {
        if (isalnum((unsigned char)id->data[i]) || id->data[i] == '-' || id->data[i] == '_')
            out[used++] = id->data[i];
    }
    out[used] = '\0';
}

static void name_file(const struct cps_trace *trace, unsigned attempt, char *out, size_t size)
{
    time_t seconds = (time_t)(trace->start / 1000000000);
    char id[ID_LENGTH + 1], stamp[32] = "", again[16] = "";
    struct tm local;

    clean_id(&trace->id, id);
    if (localtime_r(&seconds, &local))
        (void)strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &local);
    if (attempt)
        (void)snprintf(again, sizeof(again), "-%u", attempt);
    (void)snprintf(out, size, "compass-%s%s%s%s.ndjson", stamp, *id ? "-" : "", id, again);
}

static int write_all(int fd, const struct cps_buf *bytes)
{
    size_t done = 0;

    while (done < bytes->length) {
        ssize_t written = write(fd, bytes->data + done, bytes->length - done);

        if (written < 0 && errno != EINTR)
            return -errno;
        done += written > 0 ? (size_t)written : 0;
    }
    return 0;
}

/* A new file: nothing that is there already is written over, nor followed where it is a link. */
static int create(const struct cps_trace *trace, char *name, size_t size)
{
    int fd = -1;

    for (unsigned attempt = 0; attempt < 100; attempt++) {
        name_file(trace, attempt, name, size);
        fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd >= 0 || errno != EEXIST)
            break;
    }
    return fd < 0 ? -errno : fd;
}

void cps_app_save(struct cps_app *app, const struct cps_held *held)
{
    cps_auto_buf struct cps_buf bytes = {0};
    const struct cps_trace *trace = held->trace;
    char name[128];
    int result = cps_export_ndjson(&trace, 1, &bytes);
    cps_auto_close int fd = result ? result : create(trace, name, sizeof(name));

    if (fd >= 0)
        result = write_all(fd, &bytes);
    else
        result = fd;
    if (result)
        cps_app_tell(app, "not saved: %s", strerror(-result));
    else
        cps_app_tell(app, "saved as %s", name);
}
