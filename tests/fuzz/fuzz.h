/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CPS_TESTS_FUZZ_H
#define CPS_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"

/* What libFuzzer calls for every input. Visible, since everything else is hidden by default. */
__attribute__((visibility("default"))) int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A broken promise is a crash, in every kind of build. */
#define MUST(condition)                                                                            \
    do {                                                                                           \
        if (!(condition))                                                                          \
            abort();                                                                               \
    } while (0)

/* The input as a string; false where there is no room for it. */
static inline bool fuzz_string(const uint8_t *data, size_t size, char *out, size_t room)
{
    if (size >= room)
        return false;
    memcpy(out, data, size);
    out[size] = '\0';
    return true;
}

/* One line, without control characters before its end. */
static inline void fuzz_must_be_line(const struct cps_buf *line)
{
    MUST(line->length > 0 && line->data[line->length - 1] == '\n');
    for (size_t i = 0; i + 1 < line->length; i++) {
        unsigned char byte = (unsigned char)line->data[i];

        MUST(byte >= 0x20 && byte != 0x7f);
        MUST(byte != 0xc2 || (unsigned char)line->data[i + 1] >= 0xa0);
    }
}

#endif
