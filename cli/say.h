/* SPDX-License-Identifier: Apache-2.0 */
/* Sentences on the standard error. */
#ifndef CPS_CLI_SAY_H
#define CPS_CLI_SAY_H

/* Prints a line, which may hold any bytes: none of them reaches a terminal as a control. */
__attribute__((format(printf, 1, 2))) void cps_say(const char *format, ...);

#endif
