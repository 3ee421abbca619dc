/* SPDX-License-Identifier: Apache-2.0 */
#include "save.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cleanup.h"
#include "write.h"

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

static void name_file(const struct cps_trace *trace, const char *suffix, unsigned attempt,
                      char *out)
{
    time_t seconds = (time_t)(trace->start / 1000000000);
    char id[ID_LENGTH + 1], stamp[32] = "", again[16] = "";
    struct tm local;

    clean_id(&trace->id, id);
    if (localtime_r(&seconds, &local))
        (void)strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &local);
    if (attempt)
        (void)snprintf(again, sizeof(again), "-%u", attempt);
    (void)snprintf(out, CPS_SAVE_NAME_SIZE, "compass-%s%s%s%s%s", stamp, *id ? "-" : "", id, again,
                   suffix);
}

static int create(const struct cps_trace *trace, const char *suffix, char *name)
{
    int fd = -1;

    for (unsigned attempt = 0; attempt < 100; attempt++) {
        name_file(trace, suffix, attempt, name);
        fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd >= 0 || errno != EEXIST)
            break;
    }
    return fd < 0 ? -errno : fd;
}

int cps_save(const struct cps_trace *trace, const struct cps_export_format *format, char *name)
{
    cps_auto_buf struct cps_buf bytes = {0};
    int result = format->export(&trace, 1, &bytes);
    int fd;

    if (result)
        return result;
    fd = create(trace, format->suffix, name);
    if (fd < 0)
        return fd;
    result = cps_write_all(fd, bytes.data, bytes.length);
    if (close(fd) && !result)
        result = -errno;
    if (result)
        (void)unlink(name);
    return result;
}
