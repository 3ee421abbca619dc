/* SPDX-License-Identifier: Apache-2.0 */
#include "pairs.h"

#include <errno.h>
#include <stdlib.h>

struct cps_pair {
    uint32_t first, second;
    uint32_t number; /* plus 1; 0 is a free slot */
};

int cps_pairs_init(struct cps_pairs *pairs, size_t most)
{
    size_t size = 16;
    struct cps_pair *slots;

    if (most >= UINT32_MAX / 2)
        return -ENOMEM;
    while (size < most * 2)
        size *= 2;
    slots = calloc(size, sizeof(*slots));
    if (!slots)
        return -ENOMEM;
    *pairs = (struct cps_pairs){.slots = slots, .mask = size - 1};
    return 0;
}

uint32_t cps_pairs_find(struct cps_pairs *pairs, uint32_t first, uint32_t second)
{
    uint64_t hash = ((uint64_t)first << 32 | second) * 0x9e3779b97f4a7c15u;
    size_t at = (size_t)(hash >> 32) & pairs->mask;

    while (pairs->slots[at].number &&
           (pairs->slots[at].first != first || pairs->slots[at].second != second))
        at = (at + 1) & pairs->mask;
    if (!pairs->slots[at].number)
        pairs->slots[at] = (struct cps_pair){first, second, ++pairs->count};
    return pairs->slots[at].number - 1;
}

void cps_pairs_free(struct cps_pairs *pairs)
{
    free(pairs->slots);
    *pairs = (struct cps_pairs){0};
}
