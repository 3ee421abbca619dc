/* SPDX-License-Identifier: Apache-2.0 */
/* `compass --output`: traces as they come, to a pipe or a terminal, without the UI. */
#ifndef CPS_CLI_STREAM_H
#define CPS_CLI_STREAM_H

#include "options.h"

/* Runs until a signal, a closed pipe, options->count traces, or the end of a file. 0 for each of
 * them; -errno with a sentence where the source cannot be opened or goes away for good. */
int cps_stream_run(const struct cps_options *options, struct cps_error *error);

#endif
