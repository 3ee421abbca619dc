/* SPDX-License-Identifier: Apache-2.0 */
#include "tables.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_FUNCTION_SLOTS 8192u
#define FIRST_PAIR_SLOTS 4096u
#define LARGE_FUNCTIONS 16384u
#define LARGE_PAIRS 32768u
#define LARGE_NAME_CHUNKS 32u

struct cps_recorder_storage *cps_tables_new(void)
{
    struct cps_recorder_storage *tables = calloc(1, sizeof(*tables));

    if (!tables)
        return NULL;
    tables->function_slots = calloc(FIRST_FUNCTION_SLOTS, sizeof(*tables->function_slots));
    tables->pair_slots = calloc(FIRST_PAIR_SLOTS, sizeof(*tables->pair_slots));
    if (!tables->function_slots || !tables->pair_slots) {
        cps_tables_free(tables);
        return NULL;
    }
    tables->function_mask = FIRST_FUNCTION_SLOTS - 1;
    tables->pair_mask = FIRST_PAIR_SLOTS - 1;
    return tables;
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
    free(tables->function_slots);
    free(tables->pair_slots);
    free(tables);
}

void cps_tables_clear_pairs(struct cps_recorder_storage *tables)
{
    tables->pair_count = 0;
    memset(tables->pair_slots, 0, (tables->pair_mask + 1) * sizeof(*tables->pair_slots));
}

void cps_tables_clear(struct cps_recorder_storage *tables)
{
    tables->function_count = 0;
    tables->name_chunk = 0;
    tables->name_used = 0;
    memset(tables->function_slots, 0,
           (tables->function_mask + 1) * sizeof(*tables->function_slots));
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
    const struct cps_function_slot *slots = tables->function_slots;
    uint32_t hash = hash_of(name->key);

    for (uint32_t i = hash & tables->function_mask; slots[i].number > 0;
         i = (i + 1) & tables->function_mask) {
        struct cps_function *function = function_at(tables, slots[i].number - 1);

        if (slots[i].hash == hash && is_named(function, name))
            return function;
    }
    return NULL;
}

static void put_slot(struct cps_function_slot *slots, uint32_t mask, struct cps_function_slot slot)
{
    uint32_t i = slot.hash & mask;

    while (slots[i].number > 0)
        i = (i + 1) & mask;
    slots[i] = slot;
}

static bool grow_function_slots(struct cps_recorder_storage *tables)
{
    uint32_t old_mask = tables->function_mask;
    uint32_t mask = old_mask * 2 + 1;
    struct cps_function_slot *slots = calloc((size_t)mask + 1, sizeof(*slots));

    if (!slots)
        return false;
    for (uint32_t i = 0; i <= old_mask; i++) {
        if (tables->function_slots[i].number > 0)
            put_slot(slots, mask, tables->function_slots[i]);
    }
    free(tables->function_slots);
    tables->function_slots = slots;
    tables->function_mask = mask;
    return true;
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
    if (tables->function_count >= tables->function_mask / 2 && !grow_function_slots(tables))
        return NULL;
    if (!copy_names(tables, function, name))
        return NULL;
    cps_tables_init_function(function);
    function->active = 0;
    memcpy(function->key, name->key, sizeof(function->key));
    put_slot(tables->function_slots, tables->function_mask,
             (struct cps_function_slot){hash_of(name->key), ++tables->function_count});
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
    const struct cps_pair_slot *slots = tables->pair_slots;
    uint32_t hash = hash_pair(function, caller);

    for (uint32_t i = hash & tables->pair_mask; slots[i].number > 0;
         i = (i + 1) & tables->pair_mask) {
        if (slots[i].hash != hash || slots[i].function != function)
            continue;
        struct cps_pair *pair = pair_at(tables, slots[i].number - 1);

        if (pair->caller == caller)
            return pair;
    }
    return NULL;
}

void cps_tables_fetch_slot(const struct cps_recorder_storage *tables,
                           const struct cps_function *function, const struct cps_function *caller)
{
    __builtin_prefetch(&tables->pair_slots[hash_pair(function, caller) & tables->pair_mask]);
}

void cps_tables_fetch_pair(const struct cps_recorder_storage *tables,
                           const struct cps_function *function, const struct cps_function *caller)
{
    uint32_t number = tables->pair_slots[hash_pair(function, caller) & tables->pair_mask].number;

    if (number > 0)
        __builtin_prefetch(pair_at(tables, number - 1), 1);
}

static void put_pair_slot(struct cps_pair_slot *slots, uint32_t mask, struct cps_pair_slot slot)
{
    uint32_t i = slot.hash & mask;

    while (slots[i].number > 0)
        i = (i + 1) & mask;
    slots[i] = slot;
}

static bool grow_pair_slots(struct cps_recorder_storage *tables)
{
    uint32_t old_mask = tables->pair_mask;
    uint32_t mask = old_mask * 2 + 1;
    struct cps_pair_slot *slots = calloc((size_t)mask + 1, sizeof(*slots));

    if (!slots)
        return false;
    for (uint32_t i = 0; i <= old_mask; i++) {
        if (tables->pair_slots[i].number > 0)
            put_pair_slot(slots, mask, tables->pair_slots[i]);
    }
    free(tables->pair_slots);
    tables->pair_slots = slots;
    tables->pair_mask = mask;
    return true;
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

    if (!pair)
        return NULL;
    if (tables->pair_count >= tables->pair_mask / 2 && !grow_pair_slots(tables))
        return NULL;
    *pair = (struct cps_pair){.caller = caller, .next = function->first.next};
    function->first.next = pair;
    put_pair_slot(
        tables->pair_slots, tables->pair_mask,
        (struct cps_pair_slot){function, hash_pair(function, caller), ++tables->pair_count});
    return pair;
}
