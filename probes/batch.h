/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The batch format: how an application process hands many records to a tracer in one probe hit.
 *
 * The probe `batch` has two arguments, the address of a block and its length in bytes. A block is a
 * struct cps_batch_header followed by records, and belongs to one request. Everything is little
 * endian and aligned to 8 bytes; the length of a block and of every record is a multiple of 8.
 *
 * A request is a run of blocks numbered from 0 in `sequence`. The first record of block 0 is the
 * CPS_BATCH_BEGIN record, the last record of the last block (which has CPS_BATCH_LAST set) is the
 * CPS_BATCH_END record. A gap in the numbers means lost blocks. A block is handed over when it is
 * full, when the request ends, and when the next record comes and its oldest one is over
 * CPS_BATCH_MAX_AGE_NS old.
 *
 * Symbols are numbers from 0, in the order in which the request first used them; a CPS_BATCH_SYMBOL
 * record gives the name before any other record of the request uses the number (in the same block
 * or an earlier one). They mean nothing in another request.
 *
 * A reader trusts nothing: not the magic, a length, an index, a string's end, nor the order of
 * records. A block that breaks a rule is counted and dropped whole.
 *
 * Every record begins with a 32 bit word: the type in the low 8 bits, in the high 24 bits a symbol
 * or 0. Records of variable size follow it with their size in bytes as a second 32 bit word (header
 * and padding included); the padding is zero.
 */
#ifndef CPS_PROBES_BATCH_H
#define CPS_PROBES_BATCH_H

#include <stdint.h>

#define CPS_BATCH_MAGIC 0x31535043u /* "CPS1" */
#define CPS_BATCH_VERSION 1

/* The largest block, header included. A tracer copies one of CPS_BATCH_SIZES, the smallest that
 * holds `length`, with a constant-size read; so a block lives in a buffer of CPS_BATCH_MAX bytes,
 * all of which can be read. */
#define CPS_BATCH_MAX 32768
#define CPS_BATCH_MAX_AGE_NS 100000000ull
#define CPS_BATCH_MAX_SYMBOLS (1u << 24)
/* Longer names and other strings are cut to this many bytes by the emitter, and refused by a
 * reader. */
#define CPS_BATCH_MAX_STRING 8192

enum cps_batch_flag {
    CPS_BATCH_LAST = 1u << 0, /* the request's last block */
};

struct cps_batch_header {
    uint32_t magic;
    uint16_t version;
    uint16_t header_size; /* of this structure and what is appended to it: records follow */
    uint32_t length;      /* bytes, header included; equals the probe's second argument */
    uint32_t sequence;    /* of this block in its request, from 0 */
    uint64_t request;     /* number of the request, unique in the process for its lifetime */
    uint64_t base;        /* ns, CLOCK_MONOTONIC: what end offsets in this block count from */
    uint32_t pid;         /* of the process, in its own PID namespace */
    uint32_t flags;       /* enum cps_batch_flag */
};

/* Follows the header of the first block (`header_size` counts it) where the request came with a W3C
 * `traceparent`: the span that it is a part of. Readers that do not know it skip it. */
struct cps_batch_parent {
    uint8_t trace_id[16]; /* in the order of the header's digits; not all zero */
    uint8_t span_id[8];   /* the same */
};

enum cps_batch_type {
    CPS_BATCH_BEGIN = 1,
    CPS_BATCH_SYMBOL = 2,
    CPS_BATCH_CALL = 3,
    CPS_BATCH_CALL_LONG = 4,
    CPS_BATCH_FUNCTION = 5,
    CPS_BATCH_CALLER = 6,
    CPS_BATCH_CACHE_EVENT = 7,
    CPS_BATCH_END = 8,
};

enum cps_batch_source { CPS_BATCH_HTTP = 1, CPS_BATCH_CLI = 2 };
enum cps_batch_runtime { CPS_BATCH_PHP = 1, CPS_BATCH_NODE = 2 };

#define CPS_BATCH_WORD(type, symbol) ((uint32_t)(type) | ((uint32_t)(symbol) << 8))
#define CPS_BATCH_WORD_TYPE(word) ((word)&0xffu)
#define CPS_BATCH_WORD_SYMBOL(word) ((uint32_t)(word) >> 8)

/* The start of a request. Three strings follow, without terminators, one after the other: for
 * http the id (empty where the request has none), the URI and the method; for cli two empty ones
 * around the command: id_length and method_length are 0 and uri_length is the command's. */
struct cps_batch_begin {
    uint32_t word;
    uint32_t size;
    uint8_t source;  /* enum cps_batch_source */
    uint8_t runtime; /* enum cps_batch_runtime */
    uint16_t id_length;
    uint16_t uri_length;
    uint16_t method_length;
    uint64_t realtime;  /* ns since the Unix epoch */
    uint64_t monotonic; /* ns, CLOCK_MONOTONIC, of the same moment */
};

/* The name of a symbol: name_length bytes follow, any bytes, NUL included. */
struct cps_batch_symbol {
    uint32_t word; /* symbol: the number that is named */
    uint32_t size;
    uint32_t name_length;
    uint32_t reserved; /* 0 */
};

/* A call over the threshold, written when it ends, so that children come before their parents. */
struct cps_batch_call {
    uint32_t word;    /* symbol: the function */
    uint32_t depth;   /* open recorded calls of the request when it began; 0 is the outermost */
    uint32_t end;     /* ns after the block's base */
    uint32_t elapsed; /* ns; the call began at base + end - elapsed */
    uint64_t memory;  /* bytes in use at its end */
};

/* The same where `elapsed` does not fit in 32 bits. */
struct cps_batch_call_long {
    uint32_t word;
    uint32_t depth;
    uint64_t end;
    uint64_t elapsed;
    uint64_t memory;
};

/* Everything that a function did in the request, calls under the threshold included. At the end. */
struct cps_batch_function {
    uint32_t word;  /* symbol: the function */
    uint32_t flags; /* enum cps_batch_function_flag */
    uint64_t calls;
    uint64_t elapsed; /* ns, inclusive; nested calls of the same function counted once */
    uint64_t self;    /* ns */
    uint64_t longest; /* ns */
};

enum cps_batch_function_flag {
    CPS_BATCH_UNTIMED = 1u << 0, /* counted but not always timed: its time is in its callers */
};

/* How often and for how long one function called another. At the end, after the callee's totals. */
struct cps_batch_caller {
    uint32_t word;   /* symbol: the callee */
    uint32_t caller; /* symbol */
    uint64_t calls;
    uint64_t elapsed; /* ns, inclusive, of these calls */
};

enum cps_batch_cache_origin { CPS_BATCH_RENDER_ARRAY = 1, CPS_BATCH_OBJECT = 2 };

/* Drupal cacheability. Strings follow without terminators: caller, object type, tags, contexts;
 * tags and contexts are lists separated by spaces. */
struct cps_batch_cache_event {
    uint32_t word;
    uint32_t size;
    int64_t max_age; /* s; -1 is permanent */
    uint64_t calls;  /* identical events that this record stands for */
    uint16_t caller_length;
    uint16_t object_type_length; /* 0 for a render array */
    uint16_t tags_length;
    uint16_t contexts_length;
    uint32_t origin;   /* enum cps_batch_cache_origin */
    uint32_t reserved; /* 0 */
};

/* The end of a request. Each `dropped` counts what a bound in the process kept out. */
struct cps_batch_end {
    uint32_t word;
    uint16_t status; /* HTTP status, 0 where there is none */
    uint8_t aborted; /* 1: the client went away before the answer was complete */
    uint8_t reserved;
    uint64_t monotonic;         /* ns, CLOCK_MONOTONIC */
    uint64_t peak_memory;       /* bytes */
    uint64_t calls_dropped;     /* calls over the threshold that were not written */
    uint64_t functions_dropped; /* calls of functions that the totals have no place for */
    uint64_t callers_dropped;   /* calls whose caller pair has no place */
    uint64_t cache_events_dropped;
};

_Static_assert(sizeof(struct cps_batch_header) == 40, "format");
_Static_assert(sizeof(struct cps_batch_parent) == 24, "format");
_Static_assert(sizeof(struct cps_batch_begin) == 32, "format");
_Static_assert(sizeof(struct cps_batch_symbol) == 16, "format");
_Static_assert(sizeof(struct cps_batch_call) == 24, "format");
_Static_assert(sizeof(struct cps_batch_call_long) == 32, "format");
_Static_assert(sizeof(struct cps_batch_function) == 40, "format");
_Static_assert(sizeof(struct cps_batch_caller) == 24, "format");
_Static_assert(sizeof(struct cps_batch_cache_event) == 40, "format");
_Static_assert(sizeof(struct cps_batch_end) == 56, "format");

#endif
