/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stand-in for a tracer in the build for tests, compass_test.so.
 *
 * COMPASS_TEST_WATCH names the probes that are watched from the start, separated by commas, or says
 * "all". Every hit of a watched probe is appended to the file COMPASS_TEST_OUT: the probe's name
 * and signature, each behind a byte with its length, then its arguments: u and i as 8 bytes, s as 4
 * bytes of length and the string, and the block of `batch` like a string. The script under test can
 * change its mind with compass_test_watch(string $probe, bool $watched).
 */
#ifndef CPS_EXT_SINK_H
#define CPS_EXT_SINK_H

#include <php.h>

#include "usdt.h"

extern const zend_function_entry cps_sink_functions[];

void cps_sink_start(void);
void cps_sink_write(enum cps_probe probe, ...);

#endif
