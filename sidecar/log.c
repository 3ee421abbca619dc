/* SPDX-License-Identifier: Apache-2.0 */
#include "log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "buf.h"
#include "text.h"

static _Atomic int lowest = CPS_LOG_INFO;
static _Atomic int target = STDERR_FILENO;

static const char *const level_names[] = {"debug", "info", "warn", "error"};
#define LEVELS (sizeof(level_names) / sizeof(level_names[0]))

void cps_log_set_level(enum cps_log_level level)
{
    atomic_store(&lowest, (int)level);
}

void cps_log_set_fd(int fd)
{
    atomic_store(&target, fd);
}

const char *cps_log_level_name(enum cps_log_level level)
{
    return (size_t)level < LEVELS ? level_names[level] : "error";
}

int cps_log_level_parse(const char *text, enum cps_log_level *out)
{
    for (size_t i = 0; i < LEVELS; i++) {
        if (strcmp(text, level_names[i]) == 0) {
            *out = (enum cps_log_level)i;
            return 0;
        }
    }
    return -EINVAL;
}

static void append_time(struct cps_buf *line)
{
    struct timespec now;
    struct tm parts;
    char text[32];

    (void)clock_gettime(CLOCK_REALTIME, &now);
    if (!gmtime_r(&now.tv_sec, &parts) || !strftime(text, sizeof(text), "%FT%T", &parts))
        text[0] = '\0';
    cps_buf_append_format(line, "{\"time\":\"%s.%03ldZ\"", text, now.tv_nsec / 1000000);
}

static void append_field(struct cps_buf *line, const char *name, const char *value)
{
    cps_buf_append_string(line, ",");
    cps_text_append_json(line, name, strlen(name));
    cps_buf_append_string(line, ":");
    cps_text_append_json(line, value, strlen(value));
}

void cps_log(enum cps_log_level level, const char *msg, ...)
{
    cps_auto_buf struct cps_buf line = {0};
    const char *name;
    va_list fields;

    if ((int)level < atomic_load(&lowest))
        return;
    append_time(&line);
    append_field(&line, "level", cps_log_level_name(level));
    append_field(&line, "msg", msg);
    va_start(fields, msg);
    while ((name = va_arg(fields, const char *))) {
        const char *value = va_arg(fields, const char *);
        append_field(&line, name, value ? value : "");
    }
    va_end(fields);
    cps_buf_append_string(&line, "}\n");
    if (cps_buf_failed(&line))
        return;
    ssize_t written = write(atomic_load(&target), line.data, line.length);
    (void)written; /* there is nowhere to tell */
}
