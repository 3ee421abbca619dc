/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON lines on stderr: time, level, msg and named fields, one write(2) a line, so that lines of
 * different threads never mix. Any thread.
 */
#ifndef CPS_SIDECAR_LOG_H
#define CPS_SIDECAR_LOG_H

enum cps_log_level { CPS_LOG_DEBUG, CPS_LOG_INFO, CPS_LOG_WARN, CPS_LOG_ERROR };

/* Lines below this level are not written. CPS_LOG_INFO until it is set. */
void cps_log_set_level(enum cps_log_level level);

/* Where lines go, for tests; 2 until it is set. The caller keeps the descriptor. */
void cps_log_set_fd(int fd);

/* A sentence, then pairs of a field's name and its text, then NULL. What is not UTF-8 comes out
 * with U+FFFD. A line for which there is no memory, or that cannot be written, is lost. */
__attribute__((sentinel)) void cps_log(enum cps_log_level level, const char *msg, ...);

/* "debug", "info", "warn" or "error". 0 or -EINVAL, *out untouched on failure. */
int cps_log_level_parse(const char *text, enum cps_log_level *out);
const char *cps_log_level_name(enum cps_log_level level);

#endif
