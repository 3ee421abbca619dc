/* SPDX-License-Identifier: Apache-2.0 */
#include "sink.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

struct probe {
    const char *name;
    const char *signature;
};

#define LIST(name, signature) {#name, signature},
static const struct probe probes[] = {CPS_PROBES(LIST)};

static void watch(const char *name, size_t length, bool watched)
{
    for (int i = 0; i < CPS_PROBE_COUNT; i++) {
        if (strlen(probes[i].name) == length && memcmp(probes[i].name, name, length) == 0)
            cps_usdt_semaphores[i] = watched;
    }
}

void cps_sink_start(void)
{
    const char *list = getenv("COMPASS_TEST_WATCH");

    if (list && strcmp(list, "all") == 0) {
        for (int i = 0; i < CPS_PROBE_COUNT; i++)
            cps_usdt_semaphores[i] = 1;
        return;
    }
    while (list && *list) {
        size_t length = strcspn(list, ",");

        watch(list, length, true);
        list += length + (list[length] == ',');
    }
}

static size_t put(char *out, size_t used, const void *bytes, size_t length)
{
    memcpy(out + used, bytes, length);
    return used + length;
}

static size_t put_counted(char *out, size_t used, const void *bytes, uint64_t length)
{
    uint32_t count = (uint32_t)length;

    used = put(out, used, &count, sizeof(count));
    return put(out, used, bytes, count);
}

static size_t put_label(char *out, size_t used, const char *label)
{
    unsigned char length = (unsigned char)strlen(label);

    used = put(out, used, &length, 1);
    return put(out, used, label, length);
}

static size_t put_arguments(char *out, size_t used, const char *signature, va_list arguments)
{
    for (; *signature; signature++) {
        if (*signature == 's') {
            const char *string = va_arg(arguments, const char *);

            used = put_counted(out, used, string, strlen(string));
        } else if (*signature == 'p') {
            const void *block = va_arg(arguments, const void *);

            return put_counted(out, used, block, va_arg(arguments, uint64_t));
        } else {
            uint64_t number = va_arg(arguments, uint64_t);

            used = put(out, used, &number, sizeof(number));
        }
    }
    return used;
}

void cps_sink_write(enum cps_probe probe, ...)
{
    static char out[1 << 17];
    const char *path = getenv("COMPASS_TEST_OUT");
    int fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
    va_list arguments;

    if (fd < 0)
        return;
    size_t used = put_label(out, 0, probes[probe].name);

    used = put_label(out, used, probes[probe].signature);
    va_start(arguments, probe);
    used = put_arguments(out, used, probes[probe].signature, arguments);
    va_end(arguments);
    if (write(fd, out, used) != (ssize_t)used)
        abort();
    (void)close(fd);
}

ZEND_BEGIN_ARG_INFO_EX(arginfo_watch, 0, 0, 2)
ZEND_ARG_INFO(0, probe)
ZEND_ARG_INFO(0, watched)
ZEND_END_ARG_INFO()

static ZEND_FUNCTION(compass_test_watch)
{
    char *name;
    size_t length;
    bool watched;

    (void)return_value;
    ZEND_PARSE_PARAMETERS_START(2, 2)
    Z_PARAM_STRING(name, length)
    Z_PARAM_BOOL(watched)
    ZEND_PARSE_PARAMETERS_END();
    watch(name, length, watched);
}

const zend_function_entry cps_sink_functions[] = {ZEND_FE(compass_test_watch, arginfo_watch)
                                                      ZEND_FE_END};
