/* SPDX-License-Identifier: Apache-2.0 */
#include "flags.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool is_known(const struct option *known, int value)
{
    for (; known->name; known++) {
        if (known->val == value)
            return true;
    }
    return false;
}

int cps_flags_refused(int refused, char *const *argv, const struct option *known,
                      struct cps_error *error)
{
    /* getopt stays at a group of short flags until it has read the last of them: what it names
     * there is optopt alone. A known flag is refused for its value, which ends its argument. */
    const char *last = argv[optind - 1];
    bool is_long = strncmp(last, "--", 2) == 0;
    char name[] = {'-', (char)optopt, '\0'};

    if (refused == ':')
        return cps_error_set(error, -EINVAL, "%s: its value is missing", is_long ? last : name);
    if (optopt == 0)
        return cps_error_set(error, -EINVAL, "%s: no such flag", last);
    if (is_known(known, optopt))
        return cps_error_set(error, -EINVAL, "%s: this flag takes no value", last);
    return cps_error_set(error, -EINVAL, "%s: no such flag", name);
}
