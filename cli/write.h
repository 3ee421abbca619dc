/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CPS_CLI_WRITE_H
#define CPS_CLI_WRITE_H

#include <stddef.h>

/* Writes all bytes, however many pieces the system takes them in. 0 or -errno. */
int cps_write_all(int fd, const char *bytes, size_t length);

#endif
