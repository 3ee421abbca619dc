/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Figures as people write them, and back. Writers fill `out` (CPS_FORMAT_SIZE bytes) and return it.
 * UTF-8: microseconds are "µs". Nothing here depends on the locale.
 */
#ifndef CPS_CLI_FORMAT_H
#define CPS_CLI_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#define CPS_FORMAT_SIZE 40

/* Three figures and a unit: "850 ns", "312 µs", "9.1 ms", "838 ms", "30.2 s", "2m 05s", "3h 12m".
 */
const char *cps_format_duration(char *out, uint64_t ns);
/* The same with a sign: "+12 ms", "-3.1 s", "0". */
const char *cps_format_difference(char *out, int64_t ns);
/* Short: "950", "94.8k", "11.9M". */
const char *cps_format_count(char *out, uint64_t count);
/* The same with a sign: "+212", "-94.8k", "0". */
const char *cps_format_count_difference(char *out, int64_t count);
/* A difference without its sign. */
uint64_t cps_format_magnitude(int64_t difference);
/* All figures: "94,812". */
const char *cps_format_grouped(char *out, uint64_t count);
/* In powers of 1024: "512 B", "8.0 MB", "42 MB". */
const char *cps_format_bytes(char *out, uint64_t bytes);
/* `part` of `whole`, 0 to 100: calls that overlap, and clocks that disagree, can add up to more. 0
 * of a whole of 0. */
double cps_format_percent(uint64_t part, uint64_t whole);
/* The same as "48%", "<1%", "0%". */
const char *cps_format_share(char *out, uint64_t part, uint64_t whole);
/* What follows a noun with this figure: "" for 1, else "s". */
const char *cps_format_plural(uint64_t count);
/* Local time of day: "14:02:11", or "14:02:11.204" where `milliseconds`. */
const char *cps_format_clock(char *out, uint64_t epoch_ns, int milliseconds);

/* A figure with or without a unit, as the whole of `text`. 0, or -EINVAL. Durations take ns, us,
 * µs, ms, s, m, h and are milliseconds without one; bytes take B, k, M, G, kB, KiB and so on;
 * counts take k and M. */
int cps_parse_duration(const char *text, uint64_t *ns);
int cps_parse_bytes(const char *text, uint64_t *bytes);
int cps_parse_count(const char *text, uint64_t *count);

#endif
