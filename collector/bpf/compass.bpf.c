// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The BPF programs: one for each probe. They only copy, from the application's memory into the
 * ring; nothing is assembled or decided here but whose events may be seen.
 *
 * Three things are as they are for a reason.
 *
 * Constant sizes. Up to and with kernel 5.18 the room that a program reserves in the ring has to
 * be a constant to the verifier, and building a record elsewhere and copying it would need memory
 * to build it in: the stack is too small, and a per-CPU map is not safe, as programs on uprobes
 * may be preempted by others on the same CPU. So every event has its fixed structure, which is
 * zeroed first where its strings may leave bytes over, and a block takes the smallest of four
 * sizes that holds it.
 *
 * No wake-up. Waking the reader with every record costs several times what the rest of the hit
 * does. Records are submitted without, the reader looks at the ring every few milliseconds, and is
 * woken only where the ring is more than half full.
 *
 * Memory that is not there. A string literal that the application never read itself, or a page that
 * was swapped out, is not mapped when the probe is hit, and a plain read fails. From kernel 6.0 on
 * programs on uprobes may sleep, so a read that failed is made good by touching the pages and
 * reading again; before, the string is empty and counted. `may_fault` is known to the verifier,
 * which on older kernels never sees what they lack.
 *
 * The PID namespace. A file of a container image is one inode for all containers of the machine,
 * and a probe on it fires in all of them. So each program first asks where the process lives: its
 * struct pid lists one number for each namespace that it can be seen from, and it is recorded only
 * if the collector's own namespace is among them. Helpers that answer this exist only for the very
 * same namespace, not for its descendants.
 *
 * One hit, one record. On an overlay every mount shows the file of a common layer as one of its
 * own, with a device of its own, so the collector cannot know that it attaches to one inode twice;
 * but then both programs run at every hit. So with more than one file attached, the first one that
 * is seen at a place of a process owns the place, and the others leave it alone.
 *
 * The kernel's structures are declared here with the few fields that are read; CO-RE finds where
 * they are in the running kernel.
 */
#include <linux/bpf.h>
#include <linux/ptrace.h>
#include <stdbool.h>

/* One entry for each different argument description of each attached file, and so on. */
#define BPF_USDT_MAX_SPEC_CNT 4096

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/usdt.bpf.h>

#include "event.h"

#define MAX_NAMESPACE_LEVELS 33 /* the kernel allows 32 below the initial one */
#define DEFAULT_RING_BYTES (16 << 20)

#define CORE __attribute__((preserve_access_index))

struct ns_common {
    unsigned int inum;
} CORE;

struct pid_namespace {
    struct ns_common ns;
} CORE;

struct upid {
    int nr;
    struct pid_namespace *ns;
} CORE;

struct pid {
    unsigned int level;
    struct upid numbers[1];
} CORE;

struct task_struct {
    struct task_struct *group_leader;
    struct pid *thread_pid;
    __u64 start_boottime;
} CORE;

char LICENSE[] SEC("license") = "Dual MIT/GPL";

/* Set before loading: the inode number of the collector's PID namespace, and whether processes
 * outside of it are recorded as well. */
const volatile __u32 own_namespace = 0;
const volatile bool any_namespace = false;
/* Set before loading: bytes in the ring from which the reader is woken. */
const volatile __u64 wake_bytes = DEFAULT_RING_BYTES / 2;
/* Set before loading: whether the programs may sleep, and so fault pages in. */
const volatile bool may_fault = false;

/* Set while running: whether more than one file is attached. */
bool several_files;

static const char zeros[sizeof(struct cps_event_cache)] = {0};

struct {
    __uint(type, BPF_MAP_TYPE_RINGBUF);
    __uint(max_entries, DEFAULT_RING_BYTES);
} ring SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct cps_event_losses);
} losses SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_LRU_HASH);
    __uint(max_entries, 32768);
    __type(key, struct cps_event_place);
    __type(value, __u32); /* the target that owns it */
} owners SEC(".maps");

#define COUNT_LOSS(field)                                                                          \
    do {                                                                                           \
        __u32 zero_ = 0;                                                                           \
        struct cps_event_losses *losses_ = bpf_map_lookup_elem(&losses, &zero_);                   \
        if (losses_)                                                                               \
            (void)__sync_fetch_and_add(&losses_->field, 1);                                        \
    } while (0)

/* The process's number in the collector's namespace, or 0 where it has none. */
static __always_inline __u32 own_number(struct task_struct *leader)
{
    struct pid *pid = BPF_CORE_READ(leader, thread_pid);
    unsigned int level = BPF_CORE_READ(pid, level);
    const char *numbers = (const char *)pid + bpf_core_field_offset(struct pid, numbers);

    for (unsigned int i = 0; i < MAX_NAMESPACE_LEVELS && i <= level; i++) {
        struct upid *upid = (struct upid *)(numbers + i * bpf_core_type_size(struct upid));

        if (BPF_CORE_READ(upid, ns, ns.inum) == own_namespace)
            return BPF_CORE_READ(upid, nr);
    }
    return 0;
}

/* Whether another attached file records this hit already. */
static __always_inline bool owned_by_another(const struct cps_event_head *head, struct pt_regs *ctx)
{
    struct cps_event_place place = {
        .started = head->started, .address = PT_REGS_IP(ctx), .process = head->process};
    __u32 target = head->target;
    __u32 *owner = bpf_map_lookup_elem(&owners, &place);

    if (!owner) {
        (void)bpf_map_update_elem(&owners, &place, &target, BPF_NOEXIST);
        owner = bpf_map_lookup_elem(&owners, &place);
    }
    return owner && *owner != target;
}

/* Fills in a head; false where the process is none of the collector's business. */
static __always_inline bool fill_head(struct cps_event_head *head, struct pt_regs *ctx,
                                      enum cps_probe probe)
{
    struct task_struct *task = (struct task_struct *)bpf_get_current_task();
    struct task_struct *leader = BPF_CORE_READ(task, group_leader);
    __u64 numbers = bpf_get_current_pid_tgid();
    __u64 cookie = bpf_usdt_cookie(ctx);

    head->pid = own_number(leader);
    if (!head->pid && !any_namespace)
        return false;
    head->kind = probe;
    head->target = cookie >> 8;
    head->runtime = cookie & 0xff;
    head->process = numbers >> 32;
    head->thread = (__u32)numbers;
    head->started = BPF_CORE_READ(leader, start_boottime);
    head->time = bpf_ktime_get_ns();
    return !several_files || !owned_by_another(head, ctx);
}

static __always_inline void submit(void *record)
{
    bool wake = bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA) >= wake_bytes;

    bpf_ringbuf_submit(record, wake ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP);
}

static __always_inline __u64 argument(struct pt_regs *ctx, int number)
{
    long value;

    (void)bpf_usdt_arg(ctx, number, &value);
    return (__u64)value;
}

#define PAGE 4096ul

/* Touches the page of a string and the one after it, where it may go on. */
static __always_inline bool fault_in(const char *string)
{
    const char *next = (const char *)(((unsigned long)string | (PAGE - 1)) + 1);
    char byte;

    if (!may_fault || bpf_copy_from_user(&byte, 1, string))
        return false;
    (void)bpf_copy_from_user(&byte, 1, next);
    return true;
}

/* Copies a string argument, cut to `size` bytes (a page at most) with its terminator; its length
 * without it. */
static __always_inline __u32 copy_string(struct pt_regs *ctx, int number, char *out, __u32 size)
{
    const char *string = (const char *)argument(ctx, number);
    long length = bpf_probe_read_user_str(out, size, string);

    if (length <= 0 && fault_in(string))
        length = bpf_probe_read_user_str(out, size, string);
    if (length > 0)
        return length - 1;
    COUNT_LOSS(read_failed);
    return 0;
}

/* Reserves an event of the type in the ring, zeroed, and names it `event`, or leaves the program.
 */
#define RESERVE(type, probe)                                                                       \
    struct cps_event_head head;                                                                    \
    struct type *event;                                                                            \
    if (!fill_head(&head, ctx, CPS_PROBE_##probe))                                                 \
        return 0;                                                                                  \
    event = bpf_ringbuf_reserve(&ring, sizeof(*event), 0);                                         \
    if (!event) {                                                                                  \
        COUNT_LOSS(ring_full);                                                                     \
        return 0;                                                                                  \
    }                                                                                              \
    (void)bpf_probe_read_kernel(event, sizeof(*event), zeros);                                     \
    event->head = head

#define COPY(number, field)                                                                        \
    event->field##_length = copy_string(ctx, number, event->field, sizeof(event->field))

/* Attached first and left last: what counts is its semaphore. Nothing is recorded. */
SEC("usdt")
int canary(struct pt_regs *ctx)
{
    return 0;
}

SEC("usdt")
int fpm_request_init(struct pt_regs *ctx)
{
    RESERVE(cps_event_init, fpm_request_init);
    COPY(0, id);
    COPY(1, uri);
    COPY(2, method);
    submit(event);
    return 0;
}

SEC("usdt")
int fpm_function(struct pt_regs *ctx)
{
    RESERVE(cps_event_function, fpm_function);
    COPY(0, id);
    COPY(1, name);
    event->elapsed = argument(ctx, 2);
    event->memory = argument(ctx, 3);
    submit(event);
    return 0;
}

SEC("usdt")
int fpm_request_shutdown(struct pt_regs *ctx)
{
    RESERVE(cps_event_shutdown, fpm_request_shutdown);
    COPY(0, id);
    submit(event);
    return 0;
}

SEC("usdt")
int cli_request_init(struct pt_regs *ctx)
{
    RESERVE(cps_event_init, cli_request_init);
    event->pid = argument(ctx, 0);
    COPY(1, uri);
    submit(event);
    return 0;
}

SEC("usdt")
int cli_function(struct pt_regs *ctx)
{
    RESERVE(cps_event_function, cli_function);
    event->pid = argument(ctx, 0);
    COPY(1, name);
    event->elapsed = argument(ctx, 2);
    event->memory = argument(ctx, 3);
    submit(event);
    return 0;
}

SEC("usdt")
int cli_request_shutdown(struct pt_regs *ctx)
{
    RESERVE(cps_event_shutdown, cli_request_shutdown);
    event->pid = argument(ctx, 0);
    submit(event);
    return 0;
}

SEC("usdt")
int http_request_init(struct pt_regs *ctx)
{
    RESERVE(cps_event_init, http_request_init);
    COPY(0, id);
    COPY(1, uri);
    COPY(2, method);
    submit(event);
    return 0;
}

SEC("usdt")
int http_function(struct pt_regs *ctx)
{
    RESERVE(cps_event_function, http_function);
    COPY(0, id);
    COPY(1, name);
    event->elapsed = argument(ctx, 2);
    event->memory = argument(ctx, 3);
    submit(event);
    return 0;
}

SEC("usdt")
int http_request_shutdown(struct pt_regs *ctx)
{
    RESERVE(cps_event_shutdown, http_request_shutdown);
    COPY(0, id);
    event->status = argument(ctx, 1);
    event->duration = argument(ctx, 2);
    submit(event);
    return 0;
}

SEC("usdt")
int drupal_cacheablemetadata_createfromrenderarray(struct pt_regs *ctx)
{
    RESERVE(cps_event_cache, drupal_cacheablemetadata_createfromrenderarray);
    COPY(0, id);
    COPY(1, caller);
    event->max_age = (__s64)argument(ctx, 2);
    COPY(3, tags);
    COPY(4, contexts);
    submit(event);
    return 0;
}

SEC("usdt")
int drupal_cacheablemetadata_createfromobject(struct pt_regs *ctx)
{
    RESERVE(cps_event_cache, drupal_cacheablemetadata_createfromobject);
    COPY(0, id);
    COPY(1, caller);
    event->max_age = (__s64)argument(ctx, 2);
    COPY(3, object_type);
    COPY(4, tags);
    COPY(5, contexts);
    submit(event);
    return 0;
}

/* Page by page, for a buffer whose last pages are not in memory: what is left out is zero. */
static __always_inline bool read_pages(char *out, __u32 size, const char *block, __u64 length)
{
    for (__u32 at = 0; at < size; at += PAGE) {
        if (!bpf_probe_read_user(out + at, PAGE, block + at))
            continue;
        if (may_fault && !bpf_copy_from_user(out + at, PAGE, block + at))
            continue;
        if (at < length)
            return false;
        (void)bpf_probe_read_kernel(out + at, PAGE, zeros);
    }
    return true;
}

/* Copies a block with a constant size. Separate programs' worth of the same code, one a size. */
#define COPY_BLOCK(size)                                                                           \
    static __noinline int copy_block_##size(struct pt_regs *ctx)                                   \
    {                                                                                              \
        struct {                                                                                   \
            struct cps_event_block event;                                                          \
            char block[size];                                                                      \
        } * record;                                                                                \
        struct cps_event_head head;                                                                \
        const char *block = (const char *)argument(ctx, 0);                                        \
        __u64 length = argument(ctx, 1);                                                           \
                                                                                                   \
        if (!fill_head(&head, ctx, CPS_PROBE_batch))                                               \
            return 0;                                                                              \
        record = bpf_ringbuf_reserve(&ring, sizeof(*record), 0);                                   \
        if (!record) {                                                                             \
            COUNT_LOSS(ring_full);                                                                 \
            return 0;                                                                              \
        }                                                                                          \
        record->event.head = head;                                                                 \
        record->event.length = length;                                                             \
        if (bpf_probe_read_user(record->block, size, block) &&                                     \
            !read_pages(record->block, size, block, length)) {                                     \
            COUNT_LOSS(read_failed);                                                               \
            bpf_ringbuf_discard(record, BPF_RB_NO_WAKEUP);                                         \
            return 0;                                                                              \
        }                                                                                          \
        submit(record);                                                                            \
        return 0;                                                                                  \
    }

CPS_EVENT_BLOCK_SIZES(COPY_BLOCK)

#define COPY_BLOCK_IF_FITS(size)                                                                   \
    if (length <= size)                                                                            \
        return copy_block_##size(ctx);

SEC("usdt")
int batch(struct pt_regs *ctx)
{
    __u64 length = argument(ctx, 1);

    CPS_EVENT_BLOCK_SIZES(COPY_BLOCK_IF_FITS)
    COUNT_LOSS(bad_length);
    return 0;
}
