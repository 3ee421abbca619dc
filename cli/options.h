/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `compass` was asked to do: flags, and the variables of the environment where a flag is not
 * given.
 */
#ifndef CPS_CLI_OPTIONS_H
#define CPS_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"

struct cps_options {
    const char *uri; /* strings are borrowed from argv and the environment */
    const char *token;
    const char *ca_file;
    const char *output; /* NULL: the UI; else the format's name */
    bool insecure;
    bool help;
    bool version;
    size_t max_traces;
    size_t max_bytes;
    size_t count; /* --output: end after so many traces; 0: never */
};

/* Reads argv[1] on. 0, or -EINVAL with a sentence that names the flag or the variable. *out is set
 * either way as far as it could be read. */
int cps_options_read(int argc, char *const *argv, struct cps_options *out, struct cps_error *error);

extern const char cps_options_usage[];

#endif
