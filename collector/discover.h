/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finding the processes of a runtime and the probe file that each has mapped. Reads /proc; keeps
 * nothing between calls.
 */
#ifndef CPS_COLLECTOR_DISCOVER_H
#define CPS_COLLECTOR_DISCOVER_H

#include <stddef.h>

#include "collector.h"

struct cps_discover_query {
    enum cps_runtime runtime;
    /* "php-fpm" matches php-fpm, php-fpm8.2, php-fpm83, "php-fpm: master ..." */
    const char *process_name;
    /* As the process sees it. Its last part decides: the file may be mapped from any folder. */
    const char *file_path;
    const char *proc; /* "/proc", or another root for tests */
};

/* All different files (by device and inode) that matching processes have mapped. *out is an array
 * of *count targets, to be freed with cps_targets_free. None found is 0 with *count 0 and a
 * sentence in `error` that says what was looked for, where, and which processes were seen. -errno
 * where /proc cannot be read. */
int cps_discover(const struct cps_discover_query *query, struct cps_target **out, size_t *count,
                 struct cps_error *error);
void cps_targets_free(struct cps_target *targets, size_t count);

/* The target of a file by its own path (for extension://). -errno with a sentence. */
int cps_target_from_path(const char *path, enum cps_runtime runtime, struct cps_target *out,
                         struct cps_error *error);

#endif
