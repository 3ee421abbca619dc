/* SPDX-License-Identifier: Apache-2.0 */
#include "compress.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include <cmocka.h>

#include "buf.h"

static void assert_choice(const char *accept, enum cps_encoding expected)
{
    if (cps_encoding_choose(accept) != expected)
        fail_msg("%s: not %s", accept, cps_encoding_name(expected));
}

static void the_header_decides(void **state)
{
    (void)state;
    assert_int_equal(cps_encoding_choose(NULL), CPS_ENCODING_IDENTITY);
    assert_choice("", CPS_ENCODING_IDENTITY);
    assert_choice("gzip", CPS_ENCODING_GZIP);
    assert_choice("gzip, zstd", CPS_ENCODING_ZSTD);
    assert_choice("GZIP;q=0.8 , deflate", CPS_ENCODING_GZIP);
    assert_choice("zstd;q=0.5,gzip;q=0.9", CPS_ENCODING_GZIP);
    assert_choice("gzip;q=0", CPS_ENCODING_IDENTITY);
    assert_choice("gzip; q=0.000, zstd;q=0", CPS_ENCODING_IDENTITY);
    assert_choice("gzip;q=0.5, identity;q=1", CPS_ENCODING_IDENTITY);
    assert_choice("br, deflate, xgzip, gzipx", CPS_ENCODING_IDENTITY);
    assert_choice("*", CPS_ENCODING_IDENTITY);
    assert_choice("gzip;q=banana", CPS_ENCODING_IDENTITY);
    assert_choice(",,;q=1,gzip", CPS_ENCODING_GZIP);
}

/* Encodes one piece with small rooms, so that every path of "call again" is walked. */
static void encode(struct cps_encoder *encoder, const char *data, size_t length, bool finish,
                   struct cps_buf *out)
{
    struct cps_slice in = {data, length};
    bool done = false;

    while (!done) {
        char room[7];
        size_t written;
        assert_int_equal(cps_encoder_run(encoder, &in, finish, room, sizeof(room), &written, &done),
                         0);
        assert_true(written <= sizeof(room));
        cps_buf_append(out, room, written);
    }
    assert_int_equal(in.length, 0);
}

/* What the other side can read of a stream that has not ended. */
static size_t gunzip(const struct cps_buf *in, char *out, size_t room)
{
    z_stream stream = {.next_in = (Bytef *)in->data,
                       .avail_in = (uInt)in->length,
                       .next_out = (Bytef *)out,
                       .avail_out = (uInt)room};

    assert_int_equal(inflateInit2(&stream, MAX_WBITS + 16), Z_OK);
    (void)inflate(&stream, Z_SYNC_FLUSH);
    (void)inflateEnd(&stream);
    return room - stream.avail_out;
}

static size_t unzstd(const struct cps_buf *in, char *out, size_t room)
{
    ZSTD_DCtx *context = ZSTD_createDCtx();
    ZSTD_inBuffer input = {in->data, in->length, 0};
    ZSTD_outBuffer output = {out, room, 0};

    assert_false(ZSTD_isError(ZSTD_decompressStream(context, &output, &input)));
    (void)ZSTD_freeDCtx(context);
    return output.pos;
}

static size_t copy(const struct cps_buf *in, char *out, size_t room)
{
    assert_true(in->length <= room);
    memcpy(out, in->data, in->length);
    return in->length;
}

static void check_stream(enum cps_encoding encoding,
                         size_t (*decode)(const struct cps_buf *, char *, size_t))
{
    static const char line[] = "{\"metadata\":{\"source\":\"http\"}}\n";
    const size_t length = sizeof(line) - 1;
    struct cps_encoder *encoder = cps_encoder_new(encoding);
    struct cps_buf sent = {0};
    char seen[4096];

    assert_non_null(encoder);
    for (size_t i = 1; i <= 50; i++) {
        encode(encoder, line, length, false, &sent);
        assert_int_equal(decode(&sent, seen, sizeof(seen)), i * length);
        assert_memory_equal(seen + (i - 1) * length, line, length);
    }
    encode(encoder, "", 0, true, &sent);
    assert_int_equal(decode(&sent, seen, sizeof(seen)), 50 * length);
    cps_buf_free(&sent);
    cps_encoder_free(encoder);
}

static void every_line_can_be_read_at_once(void **state)
{
    (void)state;
    check_stream(CPS_ENCODING_IDENTITY, copy);
    check_stream(CPS_ENCODING_GZIP, gunzip);
    check_stream(CPS_ENCODING_ZSTD, unzstd);
}

static void check_noise(enum cps_encoding encoding,
                        size_t (*decode)(const struct cps_buf *, char *, size_t))
{
    const size_t length = 300000;
    char *noise = malloc(length);
    char *seen = malloc(length);
    struct cps_encoder *encoder = cps_encoder_new(encoding);
    struct cps_buf sent = {0};
    uint32_t number = 1;

    for (size_t i = 0; i < length; i++) {
        number = number * 1664525u + 1013904223u;
        noise[i] = (char)(number >> 24);
    }
    encode(encoder, noise, length, false, &sent);
    assert_int_equal(decode(&sent, seen, length), length);
    assert_memory_equal(seen, noise, length);
    cps_buf_free(&sent);
    cps_encoder_free(encoder);
    free(noise);
    free(seen);
}

static void what_does_not_compress_comes_out_whole(void **state)
{
    (void)state;
    check_noise(CPS_ENCODING_IDENTITY, copy);
    check_noise(CPS_ENCODING_GZIP, gunzip);
    check_noise(CPS_ENCODING_ZSTD, unzstd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_header_decides),
        cmocka_unit_test(every_line_can_be_read_at_once),
        cmocka_unit_test(what_does_not_compress_comes_out_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
