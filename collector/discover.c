/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which file does a process really run? The configured path is the path as the process sees it, so
 * it is looked up under /proc/PID/root, which leads into its container. But the file there need not
 * be the one that is mapped: a deploy replaces it while old workers go on with the old one, and a
 * distribution puts extensions elsewhere. What is mapped is in /proc/PID/maps; that decides. A
 * mapping is opened by its path unless that is gone or leads to another file by now; then by
 * /proc/PID/map_files, which leads to a file that has no name any more.
 *
 * The device and, on an overlay, sometimes the inode that maps tells are not those that stat tells.
 * So the file that was found is asked for its own.
 */
#include "discover.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cleanup.h"

#define DELETED " (deleted)"

struct scan {
    const struct cps_discover_query *query;
    const char *file_name; /* last part of the query's path */
    struct cps_target *targets;
    size_t count;
    size_t matching; /* processes whose name matches */
    char seen[160];  /* names of processes, as many as fit */
    pid_t last_pid;  /* of the matching ones */
};

static void cleanup_dir(DIR **dir)
{
    if (*dir)
        (void)closedir(*dir);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* The contents of a small file of a process, terminated; its length, or -1. */
static ssize_t read_small(const char *proc, const char *pid, const char *name, char *out,
                          size_t size)
{
    char path[PATH_MAX];
    cps_auto_fclose FILE *file = NULL;
    size_t length;

    if (snprintf(path, sizeof(path), "%s/%s/%s", proc, pid, name) >= (int)sizeof(path))
        return -1;
    file = fopen(path, "re");
    if (!file)
        return -1;
    length = fread(out, 1, size - 1, file);
    out[length] = '\0';
    return (ssize_t)length;
}

/* ---- names ---- */

/* "php-fpm" is the name of php-fpm, php-fpm8.2, php-fpm83 and "php-fpm: pool www", not of
 * php-fpm-exporter. */
static bool name_matches(const char *wanted, const char *name)
{
    size_t length = strlen(wanted);

    if (!length || strncmp(name, wanted, length) != 0)
        return false;
    name += length;
    name += strspn(name, "0123456789.");
    return *name == '\0' || *name == ':' || *name == ' ';
}

/* The last part of the path of the program that the process runs; empty where it cannot be read. */
static const char *read_program(const char *proc, const char *pid, char *out, size_t size)
{
    char path[PATH_MAX];
    ssize_t length = -1;
    char *deleted;

    if (snprintf(path, sizeof(path), "%s/%s/exe", proc, pid) < (int)sizeof(path))
        length = readlink(path, out, size - 1);
    if (length < 0)
        return "";
    out[length] = '\0';
    deleted = strstr(out, DELETED);
    if (deleted)
        *deleted = '\0';
    return base_name(out);
}

static void remember_seen(struct scan *scan, const char *name)
{
    size_t used = strlen(scan->seen), length = strlen(name);
    const char *at = length ? strstr(scan->seen, name) : scan->seen;

    if (at && (at == scan->seen || at[-1] == ' ') && (at[length] == ',' || at[length] == '\0'))
        return;
    if (used + length + sizeof(", ...") < sizeof(scan->seen))
        (void)snprintf(scan->seen + used, sizeof(scan->seen) - used, "%s%s", used ? ", " : "",
                       name);
    else if (used + sizeof(", ...") <= sizeof(scan->seen) && !strstr(scan->seen, ", ..."))
        (void)snprintf(scan->seen + used, sizeof(scan->seen) - used, ", ...");
}

/* A title may be rewritten (php-fpm's master, Node's process.title) and a program renamed by a
 * link, so any of the three names that a process has will do. */
static bool process_matches(struct scan *scan, const char *pid)
{
    const char *proc = scan->query->proc, *wanted = scan->query->process_name;
    char name[64], text[512], program[PATH_MAX];
    char *end;

    if (read_small(proc, pid, "comm", name, sizeof(name)) < 0)
        return false;
    name[strcspn(name, "\n")] = '\0';
    if (name_matches(wanted, name))
        return true;
    /* Threads of the kernel, of which there are dozens, have no words: nobody looks for one. */
    if (read_small(proc, pid, "cmdline", text, sizeof(text)) > 0) {
        remember_seen(scan, name);
        /* The base name of the first word: later words may have slashes of their own. */
        end = text + strcspn(text, " ");
        end = memrchr(text, '/', (size_t)(end - text));
        if (name_matches(wanted, end ? end + 1 : text))
            return true;
    }
    return name_matches(wanted, read_program(proc, pid, program, sizeof(program)));
}

/* ---- files ---- */

static int add_target(struct scan *scan, const char *pid, const char *path, const struct stat *file)
{
    struct cps_target *moved;
    char *copy;

    for (size_t i = 0; i < scan->count; i++)
        if (scan->targets[i].device == file->st_dev && scan->targets[i].inode == file->st_ino)
            return 0;
    copy = strdup(path);
    moved = copy ? realloc(scan->targets, (scan->count + 1) * sizeof(*moved)) : NULL;
    if (!moved) {
        free(copy);
        return -ENOMEM;
    }
    scan->targets = moved;
    moved[scan->count++] = (struct cps_target){
        .runtime = scan->query->runtime,
        .path = copy,
        .device = file->st_dev,
        .inode = file->st_ino,
        .pid = (pid_t)strtol(pid, NULL, 10),
    };
    return 0;
}

/* A line of maps: "from-to flags offset device inode path". */
struct mapping {
    char range[40];
    uint64_t inode;
    char *path; /* in the line */
    bool deleted;
};

static bool parse_mapping(char *line, struct mapping *out)
{
    uint64_t from, to;
    int path_at = 0;

    /* NOLINTNEXTLINE(cert-err34-c): the kernel writes no number that is too large for its type */
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %*s %*s %" SCNu64 " %n", &from, &to, &out->inode,
               &path_at) < 3 ||
        !path_at || !out->inode)
        return false;
    line[strcspn(line, "\n")] = '\0';
    out->path = line + path_at;
    (void)snprintf(out->range, sizeof(out->range), "%" PRIx64 "-%" PRIx64, from, to);
    return *out->path == '/';
}

/* Whether the mapping is one of the file that is looked for; cuts off that it is deleted. */
static bool mapping_matches(const struct scan *scan, struct mapping *mapping)
{
    size_t length = strlen(mapping->path), tail = strlen(DELETED);

    mapping->deleted = length > tail && !strcmp(mapping->path + length - tail, DELETED);
    if (mapping->deleted)
        mapping->path[length - tail] = '\0';
    return !strcmp(base_name(mapping->path), scan->file_name);
}

/* A path by which the mapped file can be opened from here. */
static bool locate_mapping(const struct scan *scan, const char *pid, const struct mapping *mapping,
                           char *path, size_t size, struct stat *file)
{
    const char *proc = scan->query->proc;

    if (snprintf(path, size, "%s/%s/root%s", proc, pid, mapping->path) < (int)size &&
        !stat(path, file) && S_ISREG(file->st_mode) &&
        (!mapping->deleted || file->st_ino == mapping->inode))
        return true;
    return snprintf(path, size, "%s/%s/map_files/%s", proc, pid, mapping->range) < (int)size &&
           !stat(path, file) && S_ISREG(file->st_mode);
}

/* Adds the files that the process has mapped and whose last name is the one looked for, wherever
 * they are: a distribution, or an image, puts the extension elsewhere. */
static int scan_mappings(struct scan *scan, const char *pid)
{
    cps_auto_fclose FILE *maps = NULL;
    cps_auto_free char *line = NULL;
    char path[PATH_MAX];
    size_t size = 0;
    uint64_t last_inode = 0;
    int result = 0;

    if (snprintf(path, sizeof(path), "%s/%s/maps", scan->query->proc, pid) >= (int)sizeof(path))
        return 0;
    maps = fopen(path, "re");
    while (maps && !result && getline(&line, &size, maps) > 0) {
        struct mapping mapping;
        struct stat file;

        if (!parse_mapping(line, &mapping) || mapping.inode == last_inode ||
            !mapping_matches(scan, &mapping))
            continue;
        last_inode = mapping.inode;
        if (locate_mapping(scan, pid, &mapping, path, sizeof(path), &file))
            result = add_target(scan, pid, path, &file);
    }
    return result;
}

static int scan_process(struct scan *scan, const char *pid)
{
    if (!process_matches(scan, pid))
        return 0;
    scan->matching++;
    scan->last_pid = (pid_t)strtol(pid, NULL, 10);
    return scan_mappings(scan, pid);
}

static void explain_none(const struct scan *scan, struct cps_error *error)
{
    const struct cps_discover_query *query = scan->query;

    if (!scan->matching)
        (void)cps_error_set(error, 0, "%s: no process named %s in %s; saw %s",
                            cps_trace_runtime_name(query->runtime), query->process_name,
                            query->proc, *scan->seen ? scan->seen : "no process");
    else
        (void)cps_error_set(error, 0,
                            "%s: %zu process%s named %s in %s (pid %d%s), none with %s mapped, "
                            "nor another file named %s",
                            cps_trace_runtime_name(query->runtime), scan->matching,
                            scan->matching == 1 ? "" : "es", query->process_name, query->proc,
                            scan->last_pid, scan->matching == 1 ? "" : " and others",
                            query->file_path, scan->file_name);
}

int cps_discover(const struct cps_discover_query *query, struct cps_target **out, size_t *count,
                 struct cps_error *error)
{
    struct scan scan = {.query = query, .file_name = base_name(query->file_path)};
    __attribute__((cleanup(cleanup_dir))) DIR *dir = opendir(query->proc);
    struct dirent *entry;
    int result = 0;

    if (!dir) {
        result = -errno;
        return cps_error_set(error, result, "%s: %s", query->proc, strerror(-result));
    }
    while (!result && (entry = readdir(dir)))
        if (isdigit((unsigned char)entry->d_name[0]))
            result = scan_process(&scan, entry->d_name);
    if (result) {
        cps_targets_free(scan.targets, scan.count);
        return cps_error_set(error, result, "%s: %s", query->proc, strerror(-result));
    }
    if (!scan.count)
        explain_none(&scan, error);
    *out = scan.targets;
    *count = scan.count;
    return 0;
}

void cps_targets_free(struct cps_target *targets, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(targets[i].path);
    free(targets);
}

int cps_target_from_path(const char *path, enum cps_runtime runtime, struct cps_target *out,
                         struct cps_error *error)
{
    struct stat file;
    char *copy;
    int result;

    if (stat(path, &file) != 0) {
        result = -errno;
        return cps_error_set(error, result, "%s: %s", path, strerror(-result));
    }
    if (!S_ISREG(file.st_mode))
        return cps_error_set(error, -EINVAL, "%s: not a file", path);
    copy = strdup(path);
    if (!copy)
        return cps_error_set(error, -ENOMEM, "out of memory");
    *out = (struct cps_target){
        .runtime = runtime, .path = copy, .device = file.st_dev, .inode = file.st_ino};
    return 0;
}
