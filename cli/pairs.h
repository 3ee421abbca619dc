/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers pairs of numbers from 0, in the order in which they first come: a hash table of a fixed
 * size, for callee and caller, or stack and callee. */
#ifndef CPS_CLI_PAIRS_H
#define CPS_CLI_PAIRS_H

#include <stddef.h>
#include <stdint.h>

struct cps_pairs {
    struct cps_pair *slots; /* owned */
    size_t mask;
    uint64_t factor; /* of the hash: odd, and known to nobody outside this process */
    unsigned shift;
    uint32_t count; /* different pairs until now */
};

/* Room for `most` different pairs, and no more may be looked for. 0 or -ENOMEM. */
int cps_pairs_init(struct cps_pairs *pairs, size_t most);
/* The number of the pair, which is `count` before the call where the pair is new. */
uint32_t cps_pairs_find(struct cps_pairs *pairs, uint32_t first, uint32_t second);
void cps_pairs_free(struct cps_pairs *pairs); /* and it is {0} again */

#endif
