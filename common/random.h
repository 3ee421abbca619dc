/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a stranger cannot know, for hashes of what strangers choose. The kernel gives every process
 * 16 random bytes at its start. Any thread.
 */
#ifndef CPS_COMMON_RANDOM_H
#define CPS_COMMON_RANDOM_H

#include <stdint.h>

enum cps_random_use { CPS_RANDOM_NAMES, CPS_RANDOM_PAIRS };

/* The eight bytes for this use, always the same in a process; 0 where the kernel gave none. */
uint64_t cps_random_of_process(enum cps_random_use use);

#endif
