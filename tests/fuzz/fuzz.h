/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CPS_TESTS_FUZZ_H
#define CPS_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* What libFuzzer calls for every input. Visible, since everything else is hidden by default. */
__attribute__((visibility("default"))) int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A broken promise is a crash, in every kind of build. */
#define MUST(condition)                                                                            \
    do {                                                                                           \
        if (!(condition))                                                                          \
            abort();                                                                               \
    } while (0)

#endif
