/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the recorder keeps functions, pairs and names: chunks that never move, so that pointers
 * into them hold for the request, and are used again by the next. For recorder.c.
 */
#ifndef CPS_EXT_TABLES_H
#define CPS_EXT_TABLES_H

#include "recorder.h"

#define CPS_TABLES_CHUNK 1024u
#define CPS_TABLES_NAME_CHUNK 65536u
#define CPS_TABLES_FUNCTION_CHUNKS (CPS_RECORDER_MAX_FUNCTIONS / CPS_TABLES_CHUNK)
#define CPS_TABLES_PAIR_CHUNKS (CPS_RECORDER_MAX_PAIRS / CPS_TABLES_CHUNK)
#define CPS_TABLES_NAME_CHUNKS (CPS_RECORDER_MAX_NAMES / CPS_TABLES_NAME_CHUNK)

/* Numbers by hash: open addressing, at most half full. The hashes are here so that a look-up seldom
 * reads an element that it does not look for. */
struct cps_tables_index {
    struct cps_tables_slot {
        uint32_t hash;
        uint32_t number; /* + 1; 0: free */
    } * slots;
    uint32_t mask;
};

struct cps_recorder_storage {
    struct cps_function *functions[CPS_TABLES_FUNCTION_CHUNKS];
    struct cps_pair *pairs[CPS_TABLES_PAIR_CHUNKS];
    char *names[CPS_TABLES_NAME_CHUNKS];
    uint32_t function_count;
    uint32_t pair_count;
    uint32_t name_chunk;
    uint32_t name_used; /* of the current chunk */

    struct cps_tables_index function_index;
    struct cps_tables_index pair_index; /* only pairs that are not their function's `first` */

    struct cps_stack *stacks; /* of fibers */
    size_t frames;            /* allocated, over all stacks */
};

/* NULL without memory. */
struct cps_recorder_storage *cps_tables_new(void);
void cps_tables_free(struct cps_recorder_storage *tables);

/* Forgets everything and keeps the memory. */
void cps_tables_clear(struct cps_recorder_storage *tables);

/* Whether it grew so far that the memory should go back after the request. */
bool cps_tables_is_large(const struct cps_recorder_storage *tables);

struct cps_function *cps_tables_function(const struct cps_recorder_storage *tables,
                                         uint32_t number);
struct cps_function *cps_tables_find_function(const struct cps_recorder_storage *tables,
                                              const struct cps_recorder_name *name);
/* Adding: NULL where a bound or the memory is reached. */
struct cps_function *cps_tables_add_function(struct cps_recorder_storage *tables,
                                             const struct cps_recorder_name *name);
struct cps_pair *cps_tables_find_pair(const struct cps_recorder_storage *tables,
                                      const struct cps_function *function,
                                      const struct cps_function *caller);
/* Have the caches fetch what the look-up of a pair will read: first its slot, then, when that has
 * come, the pair itself. */
void cps_tables_fetch_slot(const struct cps_recorder_storage *tables,
                           const struct cps_function *function, const struct cps_function *caller);
void cps_tables_fetch_pair(const struct cps_recorder_storage *tables,
                           const struct cps_function *function, const struct cps_function *caller);
struct cps_pair *cps_tables_add_pair(struct cps_recorder_storage *tables,
                                     struct cps_function *function, struct cps_function *caller);
/* Drops all pairs but the functions' own. */
void cps_tables_clear_pairs(struct cps_recorder_storage *tables);

void cps_tables_init_function(struct cps_function *function);

#endif
