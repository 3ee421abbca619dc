/* SPDX-License-Identifier: Apache-2.0 */
#include "collector.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "assemble.h"
#include "cleanup.h"
#include "clock.h"
#include "compass.skel.h"
#include "elf_probes.h"
#include "event.h"

#define DEFAULT_MAX_CALLS 10000
#define DEFAULT_MAX_IN_FLIGHT 10000
#define DEFAULT_RING_BYTES ((size_t)16 << 20)
#define DEFAULT_EXPIRE_NS (600 * CPS_CLOCK_SECOND)

/* How long records may lie in the ring. */
#define DRAIN_MS 10
/* Records taken in one go, so that a ring that fills as fast as it is emptied keeps nobody from
 * closing requests, or from leaving. */
#define DRAIN_RECORDS 8192

struct attachment {
    struct attachment *next;
    dev_t device;
    ino_t inode;
    uint32_t target; /* its number for the programs */
    /* In the order of enum cps_probe, so the canary is first; NULL where not attached. */
    struct bpf_link *links[CPS_PROBE_COUNT];
};

struct cps_collector {
    struct compass_bpf *programs;
    struct ring_buffer *ring;
    struct cps_assembler *assembler;
    struct attachment *attachments;
    uint32_t next_target;
    int epoll;
    int drained; /* records since the last look at the clock */
};

/* ---- what libbpf has to say ---- */

/* libbpf prints its complaints through one function for the whole process; the last one is kept for
 * the sentence. */
static char complaint[256];

__attribute__((format(printf, 2, 0))) static int keep_complaint(enum libbpf_print_level level,
                                                                const char *format, va_list args)
{
    if (level != LIBBPF_WARN)
        return 0;
    (void)vsnprintf(complaint, sizeof(complaint), format, args);
    complaint[strcspn(complaint, "\n")] = '\0';
    return 0;
}

static bool has_capability(unsigned int number)
{
    cps_auto_fclose FILE *status = fopen("/proc/self/status", "re");
    unsigned long long effective = 0;
    char line[256];

    while (status && fgets(line, sizeof(line), status))
        if (!strncmp(line, "CapEff:", 7))
            effective = strtoull(line + 7, NULL, 16);
    return effective >> number & 1;
}

/* Names the capabilities that are needed and missing; false where none is. */
static bool missing_capabilities(char *out, size_t size)
{
    static const struct {
        unsigned int number;
        const char *name;
    } needed[] = {
        {CAP_BPF, "CAP_BPF"}, {CAP_PERFMON, "CAP_PERFMON"}, {CAP_SYS_PTRACE, "CAP_SYS_PTRACE"}};
    size_t used = 0;

    out[0] = '\0';
    if (has_capability(CAP_SYS_ADMIN)) /* CAP_SYS_ADMIN is all of them but SYS_PTRACE */
        return false;
    for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]) && used < size; i++) {
        int written;

        if (has_capability(needed[i].number))
            continue;
        written = snprintf(out + used, size - used, "%s%s", used ? ", " : "", needed[i].name);
        used += written > 0 ? (size_t)written : 0;
    }
    return used > 0;
}

static int explain_open(int result, struct cps_error *error)
{
    struct utsname kernel = {0};
    char missing[64];

    (void)uname(&kernel);
    if ((result == -EPERM || result == -EACCES) && missing_capabilities(missing, sizeof(missing)))
        return cps_error_set(error, result,
                             "cannot load the eBPF programs: missing %s (on kernels before 5.8: "
                             "CAP_SYS_ADMIN); give them to the process or container",
                             missing);
    if (access("/sys/kernel/btf/vmlinux", R_OK) != 0)
        return cps_error_set(error, result,
                             "cannot load the eBPF programs: /sys/kernel/btf/vmlinux cannot be "
                             "read; the kernel (%s) must be built with CONFIG_DEBUG_INFO_BTF, "
                             "and /sys be mounted",
                             kernel.release);
    return cps_error_set(error, result,
                         "cannot load the eBPF programs on kernel %s (5.8 or later with BTF is "
                         "needed): %s%s%s",
                         kernel.release, strerror(-result), *complaint ? ": " : "", complaint);
}

/* ---- opening ---- */

static bool process_exists(pid_t pid)
{
    return kill(pid, 0) == 0 || errno != ESRCH;
}

static int take_sample(void *context, void *sample, size_t size)
{
    struct cps_collector *collector = context;

    cps_assembler_add(collector->assembler, sample, size);
    return ++collector->drained >= DRAIN_RECORDS ? -EAGAIN : 0;
}

/* Programs that may sleep can read memory that has to be paged in first; kernels before 6.0 refuse
 * to load them. libbpf 1.1 has no section name for them, so the flag is set here. */
static int load_programs(struct cps_collector *collector,
                         const struct cps_collector_options *options, bool may_fault)
{
    size_t ring_bytes = options->ring_bytes ? options->ring_bytes : DEFAULT_RING_BYTES;
    struct bpf_program *program;
    struct stat own;
    int result;

    if (stat("/proc/self/ns/pid", &own) != 0)
        return -errno;
    collector->programs = compass_bpf__open();
    if (!collector->programs)
        return -errno;
    result = bpf_map__set_max_entries(collector->programs->maps.ring, (uint32_t)ring_bytes);
    if (result)
        return result;
    collector->programs->rodata->own_namespace = (uint32_t)own.st_ino;
    collector->programs->rodata->any_namespace = options->any_pid_namespace;
    collector->programs->rodata->wake_bytes = ring_bytes / 2;
    collector->programs->rodata->may_fault = may_fault;
    if (may_fault)
        bpf_object__for_each_program (program, collector->programs->obj)
            (void)bpf_program__set_flags(program, BPF_F_SLEEPABLE);
    return compass_bpf__load(collector->programs);
}

static int load_best_programs(struct cps_collector *collector,
                              const struct cps_collector_options *options)
{
    int result = load_programs(collector, options, true);

    if (!result || result == -EPERM || result == -EACCES)
        return result;
    compass_bpf__destroy(collector->programs);
    collector->programs = NULL;
    return load_programs(collector, options, false);
}

/* Edge-triggered: the ring is readable nearly always, but only a wake-up by the program, when it is
 * half full, is worth waking up for. */
static int watch_ring(struct cps_collector *collector)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLET};
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): it takes it that -errno may be 0 */
    int ring = bpf_map__fd(collector->programs->maps.ring);

    collector->ring = ring_buffer__new(ring, take_sample, collector, NULL);
    if (!collector->ring)
        return -errno;
    collector->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (collector->epoll < 0)
        return -errno;
    return epoll_ctl(collector->epoll, EPOLL_CTL_ADD, ring, &event) ? -errno : 0;
}

static struct cps_assembler *make_assembler(const struct cps_collector_options *options)
{
    struct cps_assembler_options own = {
        .max_function_calls =
            options->max_function_calls ? options->max_function_calls : DEFAULT_MAX_CALLS,
        .max_in_flight = options->max_in_flight ? options->max_in_flight : DEFAULT_MAX_IN_FLIGHT,
        .expire_after_ns = options->expire_after_ns ? options->expire_after_ns : DEFAULT_EXPIRE_NS,
        .on_trace = options->on_trace,
        .on_started = options->on_started,
        .context = options->context,
        .process_exists = process_exists,
    };

    return cps_assembler_new(&own);
}

int cps_collector_open(const struct cps_collector_options *options, struct cps_collector **out,
                       struct cps_error *error)
{
    struct cps_collector *collector = calloc(1, sizeof(*collector));
    int result;

    if (!collector)
        return cps_error_set(error, -ENOMEM, "out of memory");
    collector->epoll = -1;
    collector->assembler = make_assembler(options);
    if (!collector->assembler) {
        cps_collector_close(collector);
        return cps_error_set(error, -ENOMEM, "out of memory");
    }
    complaint[0] = '\0';
    (void)libbpf_set_print(keep_complaint);
    result = load_best_programs(collector, options);
    if (!result)
        result = watch_ring(collector);
    if (result) {
        (void)explain_open(result, error);
        cps_collector_close(collector);
        return result;
    }
    *out = collector;
    return 0;
}

/* ---- attaching and closing ---- */

static struct bpf_program *program_of(const struct cps_collector *collector, enum cps_probe probe)
{
    return bpf_object__find_program_by_name(collector->programs->obj, cps_elf_probes_name(probe));
}

static int explain_attach(int result, const struct cps_target *target, enum cps_probe probe,
                          struct cps_error *error)
{
    if ((result == -EPERM || result == -EACCES) && !has_capability(CAP_SYS_ADMIN))
        return cps_error_set(error, result,
                             "%s: cannot attach to probe %s:%s: the kernel refuses to place it; "
                             "give the process or container CAP_SYS_ADMIN",
                             target->path, CPS_PROBE_PROVIDER, cps_elf_probes_name(probe));
    return cps_error_set(error, result, "%s: cannot attach to probe %s:%s: %s%s%s", target->path,
                         CPS_PROBE_PROVIDER, cps_elf_probes_name(probe), strerror(-result),
                         *complaint ? ": " : "", complaint);
}

static int attach_probes(struct cps_collector *collector, const struct cps_target *target,
                         enum cps_runtime runtime, int fd, const bool *wanted,
                         struct attachment *attachment, struct cps_error *error)
{
    LIBBPF_OPTS(bpf_usdt_opts, options,
                .usdt_cookie = (uint64_t)collector->next_target << 8 | (uint64_t)runtime);
    char path[64];

    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    for (int i = 0; i < CPS_PROBE_COUNT; i++) {
        if (!wanted[i])
            continue;
        complaint[0] = '\0';
        attachment->links[i] = bpf_program__attach_usdt(
            program_of(collector, (enum cps_probe)i), -1, path, CPS_PROBE_PROVIDER,
            cps_elf_probes_name((enum cps_probe)i), &options);
        if (!attachment->links[i])
            return explain_attach(-errno, target, (enum cps_probe)i, error);
    }
    return 0;
}

/* Everything is done through one open file: what was checked is what is attached, even where the
 * path leads elsewhere by then. */
static int attach_file(struct cps_collector *collector, const struct cps_target *target, int fd,
                       struct attachment *attachment, struct cps_error *error)
{
    enum cps_runtime runtime = target->runtime;
    struct cps_elf_probes probes;
    bool wanted[CPS_PROBE_COUNT];
    int result = cps_elf_probes_read(fd, target->path, &probes, error);

    if (!result)
        result = cps_elf_probes_choose(&probes, target->path, &runtime, wanted, error);
    if (!result)
        result = attach_probes(collector, target, runtime, fd, wanted, attachment, error);
    return result;
}

/* Places that the target owns are free for another file that has the same inode beneath it. */
static void give_up_places(const struct cps_collector *collector, uint32_t target)
{
    int owners = bpf_map__fd(collector->programs->maps.owners);
    struct cps_event_place place, next;
    bool more = bpf_map_get_next_key(owners, NULL, &next) == 0;

    while (more) {
        uint32_t owner = 0;

        place = next;
        more = bpf_map_get_next_key(owners, &place, &next) == 0;
        if (bpf_map_lookup_elem(owners, &place, &owner) == 0 && owner == target)
            (void)bpf_map_delete_elem(owners, &place);
    }
}

/* Ends an attachment that is not in the list (any more). The canary goes first, so that nothing new
 * is recorded while the others go. */
static void detach(struct cps_collector *collector, struct attachment *attachment)
{
    for (int i = 0; i < CPS_PROBE_COUNT; i++)
        (void)bpf_link__destroy(attachment->links[i]);
    give_up_places(collector, attachment->target);
    collector->programs->bss->several_files =
        collector->attachments && collector->attachments->next;
    free(attachment);
}

static bool is_attached(const struct cps_collector *collector, dev_t device, ino_t inode)
{
    for (const struct attachment *at = collector->attachments; at; at = at->next)
        if (at->device == device && at->inode == inode)
            return true;
    return false;
}

int cps_collector_attach(struct cps_collector *collector, const struct cps_target *target,
                         struct cps_error *error)
{
    cps_auto_close int fd = open(target->path, O_RDONLY | O_CLOEXEC);
    struct attachment *attachment;
    struct stat file;
    int result;

    if (fd < 0 || fstat(fd, &file) != 0) {
        result = -errno;
        return cps_error_set(error, result, "%s: %s", target->path, strerror(-result));
    }
    if (is_attached(collector, file.st_dev, file.st_ino))
        return 0;
    attachment = calloc(1, sizeof(*attachment));
    if (!attachment)
        return cps_error_set(error, -ENOMEM, "out of memory");
    attachment->device = file.st_dev;
    attachment->inode = file.st_ino;
    attachment->target = ++collector->next_target;
    collector->programs->bss->several_files = collector->attachments != NULL;
    result = attach_file(collector, target, fd, attachment, error);
    if (result) {
        detach(collector, attachment);
        return result;
    }
    attachment->next = collector->attachments;
    collector->attachments = attachment;
    return 0;
}

void cps_collector_detach(struct cps_collector *collector, dev_t device, ino_t inode)
{
    for (struct attachment **link = &collector->attachments; *link; link = &(*link)->next) {
        struct attachment *attachment = *link;

        if (attachment->device != device || attachment->inode != inode)
            continue;
        *link = attachment->next;
        detach(collector, attachment);
        return;
    }
}

static void detach_all(struct cps_collector *collector)
{
    struct attachment *attachment;

    while ((attachment = collector->attachments)) {
        collector->attachments = attachment->next;
        detach(collector, attachment);
    }
}

void cps_collector_close(struct cps_collector *collector)
{
    if (!collector)
        return;
    detach_all(collector);
    if (collector->epoll >= 0)
        (void)close(collector->epoll);
    ring_buffer__free(collector->ring);
    compass_bpf__destroy(collector->programs);
    cps_assembler_free(collector->assembler);
    free(collector);
}

size_t cps_collector_attached(const struct cps_collector *collector)
{
    size_t count = 0;

    for (const struct attachment *at = collector->attachments; at; at = at->next)
        count++;
    return count;
}

/* ---- polling ---- */

/* Waits for DRAIN_MS, less where the ring fills up. */
static int wait_for_ring(const struct cps_collector *collector, int timeout_ms)
{
    struct epoll_event event;
    int wait = timeout_ms < DRAIN_MS ? timeout_ms : DRAIN_MS;

    if (epoll_wait(collector->epoll, &event, 1, wait) < 0 && errno != EINTR)
        return -errno;
    return 0;
}

static int drain(struct cps_collector *collector)
{
    int result;

    collector->drained = 0;
    result = ring_buffer__consume(collector->ring);
    return result < 0 && result != -EAGAIN ? result : 0;
}

int cps_collector_poll(struct cps_collector *collector, int timeout_ms)
{
    int left = timeout_ms;
    int result;

    /* A ring that was not emptied last time is not waited for. */
    if (collector->drained >= DRAIN_RECORDS)
        left = 0;
    do {
        result = wait_for_ring(collector, left);
        if (!result)
            result = drain(collector);
        left -= DRAIN_MS;
    } while (!result && !collector->drained && left > 0);
    if (!result && collector->drained < DRAIN_RECORDS)
        cps_assembler_tick(collector->assembler, cps_clock_monotonic());
    return result;
}

/* ---- counting ---- */

/* The programs count for each CPU; what cannot be read counts nothing. */
static void add_losses(const struct cps_collector *collector, struct cps_collector_stats *out)
{
    int cpus = libbpf_num_possible_cpus();
    cps_auto_free struct cps_event_losses *losses = NULL;
    uint32_t zero = 0;

    if (cpus <= 0)
        return;
    losses = calloc((size_t)cpus, sizeof(*losses));
    if (!losses ||
        bpf_map_lookup_elem(bpf_map__fd(collector->programs->maps.losses), &zero, losses) != 0)
        return;
    for (int i = 0; i < cpus; i++) {
        out->ring_lost += losses[i].ring_full;
        out->read_failed += losses[i].read_failed;
        out->events_malformed += losses[i].bad_length;
    }
}

void cps_collector_stats(const struct cps_collector *collector, struct cps_collector_stats *out)
{
    cps_assembler_stats(collector->assembler, out);
    add_losses(collector, out);
}
