/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes from strangers as text. Everything that is shown to a person or sent to a reader goes
 * through here first.
 */
#ifndef CPS_COMMON_TEXT_H
#define CPS_COMMON_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"

#define CPS_TEXT_INVALID UINT32_MAX

/* The code point at the start of `bytes` and the number of bytes that it takes. Where they are not
 * UTF-8 (overlong forms, surrogates and code points over U+10FFFF included), *code is
 * CPS_TEXT_INVALID and the result the length of the longest prefix that could have begun one, at
 * least 1, as Unicode recommends for U+FFFD. `length` must not be 0. */
size_t cps_text_next(const char *bytes, size_t length, uint32_t *code);

/* Whether a code point may go to a terminal: not a control character (C0, DEL, C1), nor one that
 * changes the direction of what follows or is not visible at all. */
bool cps_text_printable(uint32_t code);

/* Appends bytes as UTF-8 that may go to a terminal: what is not UTF-8 and what is not printable
 * each becomes U+FFFD ('?' where `ascii`, which replaces everything beyond ASCII). */
void cps_text_append_safe(struct cps_buf *out, const char *bytes, size_t length, bool ascii);

/* Appends bytes as a JSON string, with its quotes: valid UTF-8, control characters escaped. */
void cps_text_append_json(struct cps_buf *out, const char *bytes, size_t length);

#endif
