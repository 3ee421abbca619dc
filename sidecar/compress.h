/* SPDX-License-Identifier: Apache-2.0 */
/* A stream compressed as it goes: every line can be read as soon as its bytes have arrived. */
#ifndef CPS_SIDECAR_COMPRESS_H
#define CPS_SIDECAR_COMPRESS_H

#include <stdbool.h>
#include <stddef.h>

enum cps_encoding { CPS_ENCODING_IDENTITY, CPS_ENCODING_GZIP, CPS_ENCODING_ZSTD };

/* The best that an Accept-Encoding header (NULL: none was sent) allows: what it weighs highest,
 * zstd before gzip before identity where it does not care. A coding that is not named is not used.
 */
enum cps_encoding cps_encoding_choose(const char *accept);
const char *cps_encoding_name(enum cps_encoding encoding); /* for Content-Encoding */

struct cps_encoder;

/* NULL without memory. One thread at a time. */
struct cps_encoder *cps_encoder_new(enum cps_encoding encoding);
void cps_encoder_free(struct cps_encoder *encoder); /* NULL is fine */

/* What is left of the bytes to be encoded; the encoder moves it on. */
struct cps_slice {
    const char *data;
    size_t length;
};

/* Writes what fits into `room` bytes, and says how many in *written. `finish` ends the stream.
 * *done: all of `in` has come out; until then call again with the same slice. 0 or -EIO. */
int cps_encoder_run(struct cps_encoder *encoder, struct cps_slice *in, bool finish, char *out,
                    size_t room, size_t *written, bool *done);

#endif
