/* SPDX-License-Identifier: Apache-2.0 */
/* Saving a trace from the UI, into a new file in the current folder. */
#ifndef CPS_CLI_SAVE_H
#define CPS_CLI_SAVE_H

#include <stddef.h>

#include "export.h"
#include "trace.h"

#define CPS_SAVE_NAME_SIZE 128

/* Nothing that is there already is written over, nor followed where it is a link; what could not be
 * written to its end is taken away again. 0 and the file's name in `name` (CPS_SAVE_NAME_SIZE
 * bytes), or -errno. */
int cps_save(const struct cps_trace *trace, const struct cps_export_format *format, char *name);

#endif
