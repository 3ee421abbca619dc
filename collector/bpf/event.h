/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the BPF programs write into the ring and the collector reads out of it: a struct
 * cps_event_head, then, by its kind, one of the structures below. Both sides are compiled from this
 * header, on one machine, so the layout is the compiler's, but every field is of a fixed width and
 * there is no padding.
 *
 * Strings are cut to the size of their field, without a terminator that counts: `length` bytes are
 * the string, all after it are zero. A string that could not be read has length 0.
 */
#ifndef CPS_COLLECTOR_BPF_EVENT_H
#define CPS_COLLECTOR_BPF_EVENT_H

#include <linux/types.h>

#include "batch.h"
#include "probes.h"

#define CPS_EVENT_ID_SIZE 256
#define CPS_EVENT_URI_SIZE 4096
#define CPS_EVENT_METHOD_SIZE 32
#define CPS_EVENT_NAME_SIZE 512
#define CPS_EVENT_LIST_SIZE 4096

struct cps_event_head {
    __u32 kind;    /* enum cps_probe: which probe was hit */
    __u32 target;  /* the collector's number of the attached file */
    __u32 process; /* thread group, in the initial PID namespace */
    __u32 thread;  /* in the initial PID namespace */
    __u32 pid;     /* of the process in the collector's PID namespace; 0 where it is not in it */
    __u32 runtime; /* enum cps_runtime of the target */
    __u64 started; /* ns since boot: start of the process; tells two users of a pid apart */
    __u64 time;    /* ns, CLOCK_MONOTONIC, of the hit */
};

/* fpm_, cli_ and http_request_init; `uri` is the command for cli. */
struct cps_event_init {
    struct cps_event_head head;
    __u64 pid; /* cli: the probe's first argument */
    __u32 id_length;
    __u32 uri_length;
    __u32 method_length;
    __u32 reserved;
    char id[CPS_EVENT_ID_SIZE];
    char uri[CPS_EVENT_URI_SIZE];
    char method[CPS_EVENT_METHOD_SIZE];
};

/* fpm_, cli_ and http_function. */
struct cps_event_function {
    struct cps_event_head head;
    __u64 pid;
    __u64 elapsed;
    __u64 memory;
    __u32 id_length;
    __u32 name_length;
    char id[CPS_EVENT_ID_SIZE];
    char name[CPS_EVENT_NAME_SIZE];
};

/* fpm_, cli_ and http_request_shutdown. */
struct cps_event_shutdown {
    struct cps_event_head head;
    __u64 pid;
    __u64 status;   /* http */
    __u64 duration; /* http, ns */
    __u32 id_length;
    __u32 reserved;
    char id[CPS_EVENT_ID_SIZE];
};

/* The Drupal probes. */
struct cps_event_cache {
    struct cps_event_head head;
    __s64 max_age;
    __u32 id_length;
    __u32 caller_length;
    __u32 object_type_length;
    __u32 tags_length;
    __u32 contexts_length;
    __u32 reserved;
    char id[CPS_EVENT_ID_SIZE];
    char caller[CPS_EVENT_NAME_SIZE];
    char object_type[CPS_EVENT_NAME_SIZE];
    char tags[CPS_EVENT_LIST_SIZE];
    char contexts[CPS_EVENT_LIST_SIZE];
};

/* batch: the block follows, one of CPS_EVENT_BLOCK_SIZES bytes of which `length` are the block's
 * and the rest is what else is in the application's buffer. */
struct cps_event_block {
    struct cps_event_head head;
    __u64 length;
};

#define CPS_EVENT_BLOCK_SIZES(X) X(4096) X(8192) X(16384) X(32768)

/* A place in the code of a process, where only one attached file records. */
struct cps_event_place {
    __u64 started;
    __u64 address;
    __u32 process;
    __u32 reserved; /* 0 */
};

/* Kept by the programs, a set for each CPU. */
struct cps_event_losses {
    __u64 ring_full;
    __u64 read_failed;
    __u64 bad_length; /* batch: a length that no block has */
};

_Static_assert(sizeof(struct cps_event_head) == 40, "no padding");
_Static_assert(sizeof(struct cps_event_init) == 64 + 256 + 4096 + 32, "no padding");
_Static_assert(sizeof(struct cps_event_function) == 72 + 256 + 512, "no padding");
_Static_assert(sizeof(struct cps_event_shutdown) == 72 + 256, "no padding");
_Static_assert(sizeof(struct cps_event_cache) == 72 + 256 + 1024 + 8192, "no padding");
_Static_assert(sizeof(struct cps_event_block) == 48, "no padding");

#endif
