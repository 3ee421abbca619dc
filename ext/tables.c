/* SPDX-License-Identifier: Apache-2.0 */
#include "tables.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_FUNCTION_SLOTS 8192u
#define FIRST_PAIR_SLOTS 4096u
#define LARGE_FUNCTIONS 16384u
#define LARGE_PAIRS 32768u
#define LARGE_NAME_CHUNKS 32u

static bool open_index(struct cps_tables_index *index, uint32_t slots)
{
    index->slots = calloc(slots, sizeof(*index->slots));
    index->mask = slots - 1;
    return index->slots != NULL;
}

static void clear_index(struct cps_tables_index *index)
{
    memset(index->slots, 0, ((size_t)index->mask + 1) * sizeof(*index->slots));
}

static void put(struct cps_tables_index *index, struct cps_tables_slot slot)
{
    uint32_t i = slot.hash & index->mask;

    while (index->slots[i].number > 0)
        i = (i + 1) & index->mask;
    index->slots[i] = slot;
}

/* Makes the index large enough for one more than `count`. */
static bool reserve(struct cps_tables_index *index, uint32_t count)
{
    struct cps_tables_index larger;

    if (count < index->mask / 2)
        return true;
    if (!open_index(&larger, (index->mask + 1) * 2))
        return false;
    for (uint32_t i = 0; i <= index->mask; i++) {
        if (index->slots[i].number > 0)
            put(&larger, index->slots[i]);
    }
    free(index->slots);
    *index = larger;
    return true;
}

/* The numbers that stand under the hash, one after the other: *at begins as the hash itself. 0 when
 * there is none left. */
static uint32_t next_of(const struct cps_tables_index *index, uint32_t hash, uint32_t *at)
{
    const struct cps_tables_slot *slot;

    while ((slot = &index->slots[(*at)++ & index->mask])->number > 0) {
        if (slot->hash == hash)
            return slot->number;
    }
    return 0;
}

struct cps_recorder_storage *cps_tables_new(void)
{
    struct cps_recorder_storage *tables = calloc(1, sizeof(*tables));

    if (tables && open_index(&tables->function_index, FIRST_FUNCTION_SLOTS) &&
        open_index(&tables->pair_index, FIRST_PAIR_SLOTS))
        return tables;
    cps_tables_free(tables);
    return NULL;
}

void cps_tables_free(struct cps_recorder_storage *tables)
{
    if (!tables)
        return;
    for (size_t i = 0; i < CPS_TABLES_FUNCTION_CHUNKS; i++)
        free(tables->functions[i]);
    for (size_t i = 0; i < CPS_TABLES_PAIR_CHUNKS; i++)
        free(tables->pairs[i]);
    for (size_t i = 0; i < CPS_TABLES_NAME_CHUNKS; i++)
        free(tables->names[i]);
    free(tables->function_index.slots);
    free(tables->pair_index.slots);
    free(tables);
}

void cps_tables_clear_pairs(struct cps_recorder_storage *tables)
{
    tables->pair_count = 0;
    clear_index(&tables->pair_index);
}

void cps_tables_clear(struct cps_recorder_storage *tables)
{
    tables->function_count = 0;
    tables->name_chunk = 0;
    tables->name_used = 0;
    clear_index(&tables->function_index);
    cps_tables_clear_pairs(tables);
}

bool cps_tables_is_large(const struct cps_recorder_storage *tables)
{
    return tables->function_count > LARGE_FUNCTIONS || tables->pair_count > LARGE_PAIRS ||
           tables->name_chunk > LARGE_NAME_CHUNKS;
}

static struct cps_function *function_at(const struct cps_recorder_storage *tables, uint32_t number)
{
    return &tables->functions[number / CPS_TABLES_CHUNK][number % CPS_TABLES_CHUNK];
}

struct cps_function *cps_tables_function(const struct cps_recorder_storage *tables, uint32_t number)
{
    return number < tables->function_count ? function_at(tables, number) : NULL;
}

void cps_tables_init_function(struct cps_function *function)
{
    function->self = 0;
    function->elapsed = 0;
    function->longest = 0;
    function->word = 0;
    function->first = (struct cps_pair){0};
    function->rest = (struct cps_pair){0};
    function->recent = function->before = &function->first;
}

static uint32_t hash_of(const uint64_t key[2])
{
    uint64_t hash = (key[0] ^ (key[1] * 0x9e3779b97f4a7c15u)) * 0xff51afd7ed558ccdu;

    return (uint32_t)(hash >> 32);
}

static bool is_named(const struct cps_function *function, const struct cps_recorder_name *name)
{
    return function->key[0] == name->key[0] && function->key[1] == name->key[1] &&
           function->name_length == name->length &&
           memcmp(function->name, name->text, name->length) == 0;
}

struct cps_function *cps_tables_find_function(const struct cps_recorder_storage *tables,
                                              const struct cps_recorder_name *name)
{
    uint32_t hash = hash_of(name->key);
    uint32_t at = hash;
    uint32_t number;

    while ((number = next_of(&tables->function_index, hash, &at)) > 0) {
        struct cps_function *function = function_at(tables, number - 1);

        if (is_named(function, name))
            return function;
    }
    return NULL;
}

/* Room for `size` bytes, which is less than a chunk. */
static char *take_name(struct cps_recorder_storage *tables, size_t size)
{
    if (tables->name_used + size > CPS_TABLES_NAME_CHUNK) {
        if (tables->name_chunk + 1 == CPS_TABLES_NAME_CHUNKS)
            return NULL;
        tables->name_chunk++;
        tables->name_used = 0;
    }
    char **chunk = &tables->names[tables->name_chunk];

    if (!*chunk)
        *chunk = malloc(CPS_TABLES_NAME_CHUNK);
    if (!*chunk)
        return NULL;
    tables->name_used += (uint32_t)size;
    return *chunk + tables->name_used - size;
}

static bool copy_names(struct cps_recorder_storage *tables, struct cps_function *function,
                       const struct cps_recorder_name *name)
{
    size_t classic_size = name->classic ? strlen(name->classic) + 1 : 0;
    char *text = take_name(tables, name->length + 1 + classic_size);

    if (!text)
        return false;
    memcpy(text, name->text, name->length);
    text[name->length] = '\0';
    if (name->classic)
        memcpy(text + name->length + 1, name->classic, classic_size);
    function->name = text;
    function->name_length = (uint32_t)name->length;
    function->classic_name = name->classic ? text + name->length + 1 : text;
    return true;
}

static struct cps_function *take_function(struct cps_recorder_storage *tables)
{
    uint32_t number = tables->function_count;

    if (number == CPS_RECORDER_MAX_FUNCTIONS)
        return NULL;
    struct cps_function **chunk = &tables->functions[number / CPS_TABLES_CHUNK];

    if (!*chunk)
        *chunk = aligned_alloc(_Alignof(struct cps_function), CPS_TABLES_CHUNK * sizeof(**chunk));
    return *chunk ? function_at(tables, number) : NULL;
}

struct cps_function *cps_tables_add_function(struct cps_recorder_storage *tables,
                                             const struct cps_recorder_name *name)
{
    struct cps_function *function = take_function(tables);

    if (!function)
        return NULL;
    if (!reserve(&tables->function_index, tables->function_count) ||
        !copy_names(tables, function, name))
        return NULL;
    cps_tables_init_function(function);
    function->active = 0;
    memcpy(function->key, name->key, sizeof(function->key));
    put(&tables->function_index,
        (struct cps_tables_slot){hash_of(name->key), ++tables->function_count});
    return function;
}

static uint32_t hash_pair(const struct cps_function *function, const struct cps_function *caller)
{
    uint64_t hash = (((uintptr_t)function >> 6) * 0x9e3779b97f4a7c15u) ^
                    (((uintptr_t)caller >> 6) * 0xc2b2ae3d27d4eb4fu);

    return (uint32_t)(hash >> 32);
}

static struct cps_pair *pair_at(const struct cps_recorder_storage *tables, uint32_t number)
{
    return &tables->pairs[number / CPS_TABLES_CHUNK][number % CPS_TABLES_CHUNK];
}

struct cps_pair *cps_tables_find_pair(const struct cps_recorder_storage *tables,
                                      const struct cps_function *function,
                                      const struct cps_function *caller)
{
    uint32_t hash = hash_pair(function, caller);
    uint32_t at = hash;
    uint32_t number;

    while ((number = next_of(&tables->pair_index, hash, &at)) > 0) {
        struct cps_pair *pair = pair_at(tables, number - 1);

        if (pair->callee == function && pair->caller == caller)
            return pair;
    }
    return NULL;
}

static const struct cps_tables_slot *first_slot(const struct cps_recorder_storage *tables,
                                                const struct cps_function *function,
                                                const struct cps_function *caller)
{
    const struct cps_tables_index *index = &tables->pair_index;

    return &index->slots[hash_pair(function, caller) & index->mask];
}

void cps_tables_fetch_slot(const struct cps_recorder_storage *tables,
                           const struct cps_function *function, const struct cps_function *caller)
{
    __builtin_prefetch(first_slot(tables, function, caller));
}

void cps_tables_fetch_pair(const struct cps_recorder_storage *tables,
                           const struct cps_function *function, const struct cps_function *caller)
{
    uint32_t number = first_slot(tables, function, caller)->number;

    if (number > 0)
        __builtin_prefetch(pair_at(tables, number - 1), 1);
}

static struct cps_pair *take_pair(struct cps_recorder_storage *tables)
{
    uint32_t number = tables->pair_count;

    if (number == CPS_RECORDER_MAX_PAIRS)
        return NULL;
    struct cps_pair **chunk = &tables->pairs[number / CPS_TABLES_CHUNK];

    if (!*chunk)
        *chunk = malloc(CPS_TABLES_CHUNK * sizeof(**chunk));
    return *chunk ? pair_at(tables, number) : NULL;
}

struct cps_pair *cps_tables_add_pair(struct cps_recorder_storage *tables,
                                     struct cps_function *function, struct cps_function *caller)
{
    struct cps_pair *pair = take_pair(tables);

    if (!pair || !reserve(&tables->pair_index, tables->pair_count))
        return NULL;
    *pair = (struct cps_pair){.caller = caller, .next = function->first.next, .callee = function};
    function->first.next = pair;
    put(&tables->pair_index,
        (struct cps_tables_slot){hash_pair(function, caller), ++tables->pair_count});
    return pair;
}
