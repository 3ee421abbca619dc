/* SPDX-License-Identifier: Apache-2.0 */
#include "random.h"

#include <string.h>
#include <sys/auxv.h>

uint64_t cps_random_of_process(enum cps_random_use use)
{
    const char *bytes = (const char *)getauxval(AT_RANDOM); /* NOLINT(performance-no-int-to-ptr) */
    uint64_t random = 0;

    if (bytes)
        memcpy(&random, bytes + (use == CPS_RANDOM_PAIRS ? sizeof(random) : 0), sizeof(random));
    return random;
}
