/* SPDX-License-Identifier: Apache-2.0 */
/* What getopt_long(3) has refused, as a sentence: its own would print the argument as it is. */
#ifndef CPS_COMMON_FLAGS_H
#define CPS_COMMON_FLAGS_H

#include <getopt.h>

#include "error.h"

/* Says what is wrong with the flag for which getopt_long has just returned `refused` ('?' or ':'),
 * naming it. Expects that opterr was 0, that the short options began with ':', and that every flag
 * with a long name has a value of its own. Returns -EINVAL. Reads getopt's globals: one thread. */
int cps_flags_refused(int refused, char *const *argv, const struct option *known,
                      struct cps_error *error);

#endif
