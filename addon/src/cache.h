/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entries of the cache of transformed sources, which js/cache.cjs writes. Reading them here makes
 * one string of each source, where JavaScript would make three: in a start with a hundred files the
 * garbage collector's work was what cost most.
 *
 * An entry is "NAMES count size\n", the names of its functions as JSON in so many bytes, and the
 * source, which has CPS_CACHE_PLACE in place of the number of the first function.
 */
#ifndef CPS_ADDON_CACHE_H
#define CPS_ADDON_CACHE_H

#include <stddef.h>
#include <stdint.h>

/* As js/transform.cjs writes it. */
#define CPS_CACHE_PLACE "__cps_B"

struct cps_cache_entry {
    char *text; /* owned: all of the file */
    uint32_t count;
    const char *names; /* in text */
    size_t names_size;
    char *source; /* in text */
    size_t source_size;
};

/* What an entry is found by: a number of 128 bits of all that it was made from. It tells accidents
 * apart, not a forger, who could as well write into the folder. */
struct cps_cache_hash {
    uint64_t low, high;
};
#define CPS_CACHE_HASH_INIT                                                                        \
    (struct cps_cache_hash)                                                                        \
    {                                                                                              \
        0x243f6a8885a308d3ull, 0x13198a2e03707344ull                                               \
    }

/* Takes in one more part; where a part ends counts too. */
void cps_cache_hash_add(struct cps_cache_hash *hash, const void *part, size_t size);

/* 0 or -errno (-EBADMSG: damaged), *out untouched on failure. */
int cps_cache_read(const char *path, struct cps_cache_entry *out);

/* Puts a number in the place of each place-holder: -ERANGE where it has more digits than fit. */
int cps_cache_fill(struct cps_cache_entry *entry, uint32_t base);

void cps_cache_free(struct cps_cache_entry *entry);

#endif
