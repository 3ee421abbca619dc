/* SPDX-License-Identifier: Apache-2.0 */
#include "text.h"

#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd"

/* What may follow a lead byte: the number of bytes, and the range of the second one. Unicode 15,
 * table 3-7, well-formed UTF-8. */
struct lead {
    uint8_t first, last, size, low, high;
};

static const struct lead leads[] = {
    {0xc2, 0xdf, 2, 0x80, 0xbf}, {0xe0, 0xe0, 3, 0xa0, 0xbf}, {0xe1, 0xec, 3, 0x80, 0xbf},
    {0xed, 0xed, 3, 0x80, 0x9f}, {0xee, 0xef, 3, 0x80, 0xbf}, {0xf0, 0xf0, 4, 0x90, 0xbf},
    {0xf1, 0xf3, 4, 0x80, 0xbf}, {0xf4, 0xf4, 4, 0x80, 0x8f},
};

static const struct lead *find_lead(uint8_t byte)
{
    for (size_t i = 0; i < sizeof(leads) / sizeof(*leads); i++) {
        if (byte >= leads[i].first && byte <= leads[i].last)
            return &leads[i];
    }
    return NULL;
}

size_t cps_text_next(const char *bytes, size_t length, uint32_t *code)
{
    const uint8_t *at = (const uint8_t *)bytes;
    const struct lead *lead;
    uint32_t value;
    size_t i;

    *code = CPS_TEXT_INVALID;
    if (at[0] < 0x80) {
        *code = at[0];
        return 1;
    }
    lead = find_lead(at[0]);
    if (!lead)
        return 1;
    value = at[0] & (0x7fu >> lead->size);
    for (i = 1; i < lead->size; i++) {
        uint8_t low = i == 1 ? lead->low : 0x80, high = i == 1 ? lead->high : 0xbf;

        if (i == length || at[i] < low || at[i] > high)
            return i;
        value = value << 6 | (at[i] & 0x3f);
    }
    *code = value;
    return i;
}

bool cps_text_printable(uint32_t code)
{
    if (code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0xad || code > 0x10ffff)
        return false;
    /* Arabic letter mark, zero width and direction marks, separators, embeddings and isolates,
     * invisible operators. */
    if (code == 0x61c || (code >= 0x200b && code <= 0x200f && code != 0x200d) ||
        (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f))
        return false;
    /* Surrogates, byte order mark, interlinear annotation, language tags, noncharacters. */
    return !((code >= 0xd800 && code <= 0xdfff) || code == 0xfeff ||
             (code >= 0xfff9 && code <= 0xfffb) || (code >= 0xfdd0 && code <= 0xfdef) ||
             (code >= 0xe0000 && code <= 0xe0fff) || (code & 0xfffe) == 0xfffe);
}

void cps_text_append_safe(struct cps_buf *out, const char *bytes, size_t length, bool ascii)
{
    size_t i = 0;

    while (i < length) {
        uint32_t code;
        size_t size = cps_text_next(bytes + i, length - i, &code);
        bool fine = code != CPS_TEXT_INVALID && cps_text_printable(code);

        if (ascii && (!fine || code > 0x7e))
            cps_buf_append(out, "?", 1);
        else if (!fine)
            cps_buf_append_string(out, REPLACEMENT);
        else
            cps_buf_append(out, bytes + i, size);
        i += size;
    }
}

static void append_escape(struct cps_buf *out, uint32_t code)
{
    static const char shorts[] = "\"\"\\\\\bb\ff\nn\rr\tt";
    static const char hex[] = "0123456789abcdef";
    char text[6] = "\\u00";

    for (const char *at = shorts; *at; at += 2) {
        if ((uint8_t)*at == code) {
            text[1] = at[1];
            cps_buf_append(out, text, 2);
            return;
        }
    }
    text[4] = hex[code >> 4];
    text[5] = hex[code & 15];
    cps_buf_append(out, text, 6);
}

static bool plain(uint8_t byte)
{
    return byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\';
}

void cps_text_append_json(struct cps_buf *out, const char *bytes, size_t length)
{
    size_t i = 0;

    cps_buf_append(out, "\"", 1);
    while (i < length) {
        size_t run = 0, size;
        uint32_t code;

        while (i + run < length && plain((uint8_t)bytes[i + run]))
            run++;
        cps_buf_append(out, bytes + i, run);
        i += run;
        if (i == length)
            break;
        size = cps_text_next(bytes + i, length - i, &code);
        if (code == CPS_TEXT_INVALID)
            cps_buf_append_string(out, REPLACEMENT);
        else if (code < 0xa0)
            append_escape(out, code);
        else
            cps_buf_append(out, bytes + i, size);
        i += size;
    }
    cps_buf_append(out, "\"", 1);
}
