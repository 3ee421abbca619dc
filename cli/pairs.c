/* SPDX-License-Identifier: Apache-2.0 */
#include "pairs.h"

#include <errno.h>
#include <stdlib.h>

#include "random.h"

struct cps_pair {
    uint32_t first, second;
    uint32_t number; /* plus 1; 0 is a free slot */
};

/* Which pairs come is for a stranger to choose, so they must not know which of them share a slot:
 * by a factor at random, of which the highest bits count, any two do so once in half the slots. */
static uint64_t random_factor(void)
{
    uint64_t random = cps_random_of_process(CPS_RANDOM_PAIRS);

    return (random ? random : 0x9e3779b97f4a7c15u) | 1;
}

int cps_pairs_init(struct cps_pairs *pairs, size_t most)
{
    size_t size = 16;
    unsigned shift = 60;
    struct cps_pair *slots;

    if (most >= UINT32_MAX / 2)
        return -ENOMEM;
    for (; size < most * 2; shift--)
        size *= 2;
    slots = calloc(size, sizeof(*slots));
    if (!slots)
        return -ENOMEM;
    *pairs = (struct cps_pairs){
        .slots = slots, .mask = size - 1, .factor = random_factor(), .shift = shift};
    return 0;
}

uint32_t cps_pairs_find(struct cps_pairs *pairs, uint32_t first, uint32_t second)
{
    size_t at = (size_t)((((uint64_t)first << 32 | second) * pairs->factor) >> pairs->shift);

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
