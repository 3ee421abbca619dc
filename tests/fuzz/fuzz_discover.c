/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as what /proc tells of a process: its name, its command line and its mappings, each
 * behind a line of '|'. Files that are found are the one that is really there. */
#include "fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "discover.h"

static char proc[] = "/tmp/fuzz-discover-XXXXXX";
static struct stat file;

static void leave(void)
{
    static const char *const names[] = {"1/comm", "1/cmdline", "1/maps", "1/root/f.so"};
    char path[128];

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", proc, names[i]);
        (void)unlink(path);
    }
    (void)snprintf(path, sizeof(path), "%s/1/root", proc);
    (void)rmdir(path);
    path[strlen(path) - strlen("/root")] = '\0';
    (void)rmdir(path);
    (void)rmdir(proc);
}

static void put(const char *name, const char *bytes, size_t length)
{
    char path[128];

    (void)snprintf(path, sizeof(path), "%s/1/%s", proc, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    MUST(fd >= 0 && write(fd, bytes, length) == (ssize_t)length);
    (void)close(fd);
}

static void set_up(void)
{
    char path[128];

    if (file.st_ino)
        return;
    MUST(mkdtemp(proc) != NULL);
    MUST(atexit(leave) == 0);
    (void)snprintf(path, sizeof(path), "%s/1", proc);
    MUST(mkdir(path, 0700) == 0);
    (void)snprintf(path, sizeof(path), "%s/1/root", proc);
    MUST(mkdir(path, 0700) == 0);
    put("root/f.so", "ELF", 3);
    (void)snprintf(path, sizeof(path), "%s/1/root/f.so", proc);
    MUST(stat(path, &file) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"comm", "cmdline"};
    const char *at = (const char *)data;
    struct cps_discover_query query = {
        .runtime = CPS_RUNTIME_PHP, .process_name = "php-fpm", .file_path = "/f.so", .proc = proc};
    struct cps_target *targets = NULL;
    struct cps_error error = {0};
    size_t count = 0;

    set_up();
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *end = size ? memchr(at, '|', size) : NULL;
        size_t length = end ? (size_t)(end - at) : 0;
        put(names[i], at, length);
        at += end ? length + 1 : 0;
        size -= end ? length + 1 : 0;
    }
    put("maps", at, size);
    MUST(cps_discover(&query, &targets, &count, &error) == 0);
    MUST(count > 0 || error.text[0]);
    for (size_t i = 0; i < count; i++)
        MUST(targets[i].inode == file.st_ino && targets[i].device == file.st_dev);
    cps_targets_free(targets, count);
    return 0;
}
