/* SPDX-License-Identifier: Apache-2.0 */
/* The signals that end the program, as a descriptor that a poll loop can wait for. */
#ifndef CPS_CLI_STOP_H
#define CPS_CLI_STOP_H

/* Blocks SIGINT, SIGTERM and SIGHUP in this thread, ignores SIGPIPE, and returns a descriptor that
 * is readable once one of them has come; the caller closes it. -errno on failure. */
int cps_stop_open(void);

/* A descriptor that is readable while `stop` or `other` is; the caller closes it. -errno on
 * failure. */
int cps_stop_with(int stop, int other);

#endif
