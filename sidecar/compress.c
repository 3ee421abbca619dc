/* SPDX-License-Identifier: Apache-2.0 */
#include "compress.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>
#include <zstd.h>

/* A stream lasts for hours and there may be a hundred: fast, with small windows. */
#define GZIP_LEVEL 1
#define ZSTD_LEVEL 1
#define ZSTD_WINDOW_LOG 18

struct cps_encoder {
    enum cps_encoding encoding;
    z_stream gzip;
    ZSTD_CCtx *zstd;
};

const char *cps_encoding_name(enum cps_encoding encoding)
{
    static const char *const names[] = {"identity", "gzip", "zstd"};

    return names[encoding];
}

static const char *skip_space(const char *text)
{
    return text + strspn(text, " \t");
}

/* The weight of one element in thousandths: `;q=0.5` is 500, none is 1000, nonsense 0. */
static int parse_weight(const char *text)
{
    int value = 0;
    int scale = 1000;

    text = skip_space(text);
    if (*text != ';')
        return 1000;
    text = skip_space(text + 1);
    if (strncasecmp(text, "q=", 2) != 0)
        return 0;
    text += 2;
    if (*text != '0' && *text != '1')
        return 0;
    value = (*text++ - '0') * 1000;
    if (*text == '.')
        text++;
    while (isdigit((unsigned char)*text) && scale > 1) {
        scale /= 10;
        value += (*text++ - '0') * scale;
    }
    return value > 1000 ? 1000 : value;
}

/* The weight that the header gives to a coding, 0 where it is refused or not named. */
static int weight_of(const char *accept, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = accept; *at; at += strcspn(at, ","), at += *at == ',') {
        at = skip_space(at);
        size_t token = strcspn(at, " \t;,");
        if (token == length && strncasecmp(at, name, length) == 0)
            return parse_weight(at + token);
    }
    return 0;
}

enum cps_encoding cps_encoding_choose(const char *accept)
{
    static const enum cps_encoding preference[] = {CPS_ENCODING_ZSTD, CPS_ENCODING_GZIP};
    enum cps_encoding best = CPS_ENCODING_IDENTITY;
    int weight = 0;

    if (!accept)
        return best;
    weight = weight_of(accept, "identity");
    for (size_t i = 0; i < sizeof(preference) / sizeof(preference[0]); i++) {
        int found = weight_of(accept, cps_encoding_name(preference[i]));
        if (found > weight || (found > 0 && found == weight && best == CPS_ENCODING_IDENTITY)) {
            weight = found;
            best = preference[i];
        }
    }
    return best;
}

static bool zstd_open(struct cps_encoder *encoder)
{
    encoder->zstd = ZSTD_createCCtx();
    return encoder->zstd &&
           !ZSTD_isError(
               ZSTD_CCtx_setParameter(encoder->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL)) &&
           !ZSTD_isError(ZSTD_CCtx_setParameter(encoder->zstd, ZSTD_c_windowLog, ZSTD_WINDOW_LOG));
}

static bool gzip_open(struct cps_encoder *encoder)
{
    const int gzip_format = 16; /* added to the window's bits: a gzip header, not zlib's */

    return deflateInit2(&encoder->gzip, GZIP_LEVEL, Z_DEFLATED, MAX_WBITS + gzip_format, 8,
                        Z_DEFAULT_STRATEGY) == Z_OK;
}

struct cps_encoder *cps_encoder_new(enum cps_encoding encoding)
{
    struct cps_encoder *encoder = calloc(1, sizeof(*encoder));
    bool ready = true;

    if (!encoder)
        return NULL;
    encoder->encoding = encoding;
    if (encoding == CPS_ENCODING_ZSTD)
        ready = zstd_open(encoder);
    else if (encoding == CPS_ENCODING_GZIP)
        ready = gzip_open(encoder);
    if (ready)
        return encoder;
    cps_encoder_free(encoder);
    return NULL;
}

void cps_encoder_free(struct cps_encoder *encoder)
{
    if (!encoder)
        return;
    if (encoder->encoding == CPS_ENCODING_GZIP)
        (void)deflateEnd(&encoder->gzip);
    (void)ZSTD_freeCCtx(encoder->zstd);
    free(encoder);
}

static int run_identity(struct cps_slice *in, char *out, size_t room, size_t *written, bool *done)
{
    size_t length = in->length < room ? in->length : room;

    if (length > 0)
        memcpy(out, in->data, length);
    in->data += length;
    in->length -= length;
    *written = length;
    *done = in->length == 0;
    return 0;
}

static int run_gzip(z_stream *stream, struct cps_slice *in, bool finish, char *out, size_t room,
                    size_t *written, bool *done)
{
    uInt offered = in->length < UINT_MAX ? (uInt)in->length : UINT_MAX;

    stream->next_in = (Bytef *)in->data;
    stream->avail_in = offered;
    stream->next_out = (Bytef *)out;
    stream->avail_out = room < UINT_MAX ? (uInt)room : UINT_MAX;
    room = stream->avail_out;
    int status = deflate(stream, finish ? Z_FINISH : Z_SYNC_FLUSH);
    if (status == Z_STREAM_ERROR)
        return -EIO;
    in->data += offered - stream->avail_in;
    in->length -= offered - stream->avail_in;
    *written = room - stream->avail_out;
    *done = in->length == 0 && (finish ? status == Z_STREAM_END : stream->avail_out > 0);
    return 0;
}

static int run_zstd(ZSTD_CCtx *context, struct cps_slice *in, bool finish, char *out, size_t room,
                    size_t *written, bool *done)
{
    ZSTD_inBuffer input = {in->data, in->length, 0};
    ZSTD_outBuffer output = {out, room, 0};
    size_t left =
        ZSTD_compressStream2(context, &output, &input, finish ? ZSTD_e_end : ZSTD_e_flush);

    if (ZSTD_isError(left))
        return -EIO;
    in->data += input.pos;
    in->length -= input.pos;
    *written = output.pos;
    *done = left == 0 && in->length == 0;
    return 0;
}

int cps_encoder_run(struct cps_encoder *encoder, struct cps_slice *in, bool finish, char *out,
                    size_t room, size_t *written, bool *done)
{
    switch (encoder->encoding) {
    case CPS_ENCODING_GZIP:
        return run_gzip(&encoder->gzip, in, finish, out, room, written, done);
    case CPS_ENCODING_ZSTD:
        return run_zstd(encoder->zstd, in, finish, out, room, written, done);
    default:
        return run_identity(in, out, room, written, done);
    }
}
