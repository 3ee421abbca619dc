/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CAP_PERFMON was to be enough for uprobes from Linux 5.8 on, and was until 6.16: since then, and
 * in the stable kernels that took the change, perf_event_open asks for CAP_SYS_ADMIN again, because
 * a uprobe in the middle of an instruction can do harm. Versions do not tell, so the kernel is
 * asked: CAP_SYS_ADMIN is taken out of effect, a uprobe on nothing is tried, and only where that is
 * refused is the capability kept.
 */
#include "privileges.h"

#include <cap-ng.h>
#include <errno.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cleanup.h"

#define DESCRIPTORS 4096

static bool has(unsigned int capability)
{
    return capng_have_capability(CAPNG_EFFECTIVE, capability) == 1;
}

/* CAP_BPF and CAP_PERFMON came with Linux 5.8; before, CAP_SYS_ADMIN is both of them. */
static bool kernel_knows_bpf(void)
{
    return prctl(PR_CAPBSET_READ, CAP_BPF, 0, 0, 0) >= 0;
}

static void raise_limit(__rlimit_resource_t resource, rlim_t wanted)
{
    struct rlimit limit = {wanted, wanted};

    if (setrlimit(resource, &limit) == 0 || getrlimit(resource, &limit) < 0)
        return;
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(resource, &limit);
}

/* More descriptors than there are may stay; fewer may not. */
static void raise_descriptors(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < DESCRIPTORS)
        raise_limit(RLIMIT_NOFILE, limit.rlim_max > DESCRIPTORS ? limit.rlim_max : DESCRIPTORS);
}

static void keep(unsigned int capability, bool had, unsigned int sets)
{
    if (had)
        (void)capng_update(CAPNG_ADD, sets, capability);
}

/* The number that the kernel has given to uprobes, or -1. */
static int uprobe_type(void)
{
    cps_auto_fclose FILE *file = fopen("/sys/bus/event_source/devices/uprobe/type", "re");
    char text[16];

    if (!file || !fgets(text, sizeof(text), file))
        return -1;
    return (int)strtol(text, NULL, 10);
}

/* Whether the kernel would let this thread, as it is now, set uprobes. It asks that before it looks
 * for the file, so a file that does not exist is enough of a question. */
static bool may_probe(void)
{
    struct perf_event_attr attributes = {
        .size = sizeof(attributes),
        .type = (unsigned int)uprobe_type(),
        .config1 = (uint64_t)(uintptr_t) "/proc/self/none",
    };
    long fd = syscall(SYS_perf_event_open, &attributes, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);

    if (fd >= 0)
        (void)close((int)fd);
    return fd >= 0 || (errno != EACCES && errno != EPERM);
}

struct held {
    bool bpf;
    bool perfmon;
    bool ptrace;
    bool admin;
    bool setpcap;
};

static struct held held_now(void)
{
    return (struct held){has(CAP_BPF), has(CAP_PERFMON), has(CAP_SYS_PTRACE), has(CAP_SYS_ADMIN),
                         has(CAP_SETPCAP)};
}

static int apply(const struct held *held, bool admin, bool last)
{
    const unsigned int both = CAPNG_EFFECTIVE | CAPNG_PERMITTED | CAPNG_BOUNDING_SET;

    capng_clear(CAPNG_SELECT_BOTH);
    keep(CAP_BPF, held->bpf, both);
    keep(CAP_PERFMON, held->perfmon, both);
    keep(CAP_SYS_PTRACE, held->ptrace, both);
    keep(CAP_SYS_ADMIN, held->admin && (admin || !last), admin ? both : CAPNG_PERMITTED);
    keep(CAP_SETPCAP, held->setpcap && !last, CAPNG_EFFECTIVE | CAPNG_PERMITTED);
    return capng_apply(last && held->setpcap ? CAPNG_SELECT_BOTH : CAPNG_SELECT_CAPS);
}

int cps_privileges_drop(struct cps_error *error)
{
    raise_limit(RLIMIT_MEMLOCK, RLIM_INFINITY);
    raise_descriptors();
    if (capng_get_caps_process() < 0)
        return cps_error_set(error, -EPERM, "the capabilities of the process cannot be read");
    struct held held = held_now();
    /* First without CAP_SYS_ADMIN in effect, to see whether the kernel can do without. */
    if (apply(&held, false, false) != 0 ||
        apply(&held, !held.bpf || !kernel_knows_bpf() || !may_probe(), true) != 0)
        return cps_error_set(error, -EPERM, "capabilities cannot be dropped");
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return cps_error_set(error, -errno, "no-new-privileges cannot be set");
    return 0;
}

static void name_missing(char *text, size_t size, const char *name, bool there)
{
    if (!there)
        (void)snprintf(text + strlen(text), size - strlen(text), "%s%s", *text ? ", " : "", name);
}

bool cps_privileges_sufficient(struct cps_error *error)
{
    char missing[128] = "";
    bool bpf = kernel_knows_bpf();

    if (capng_get_caps_process() < 0)
        return true;
    bool admin = has(CAP_SYS_ADMIN);
    if (bpf) {
        name_missing(missing, sizeof(missing), "CAP_BPF", admin || has(CAP_BPF));
        name_missing(missing, sizeof(missing), "CAP_PERFMON", admin || has(CAP_PERFMON));
    }
    name_missing(missing, sizeof(missing), "CAP_SYS_PTRACE", has(CAP_SYS_PTRACE));
    name_missing(missing, sizeof(missing), "CAP_SYS_ADMIN (this kernel asks for it)",
                 admin || (bpf && (!has(CAP_PERFMON) || may_probe())));
    if (!*missing)
        return true;
    (void)cps_error_set(error, -EPERM,
                        "missing capabilities: %s; add them to the container or unit, nothing can "
                        "be traced without",
                        missing);
    return false;
}

/* Names rather than numbers, since not every architecture has them all. */
static const char *const allowed[] = {
    /* memory and threads */
    "brk", "mmap", "mmap2", "munmap", "mprotect", "mremap", "madvise", "clone", "clone3",
    "set_robust_list", "rseq", "futex", "sched_yield", "sched_getaffinity", "gettid", "getpid",
    "getppid", "exit", "exit_group", "set_tid_address", "membarrier", "sigaltstack",
    /* signals and time */
    "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "tgkill", "tkill", "signalfd4",
    "clock_gettime", "clock_getres", "clock_nanosleep", "nanosleep", "gettimeofday",
    "restart_syscall", "timerfd_create", "timerfd_settime",
    /* files: /proc, the probe files, BTF, certificates */
    "open", "openat", "openat2", "close", "read", "readv", "pread64", "write", "writev", "lseek",
    "_llseek", "stat", "lstat", "fstat", "newfstatat", "fstatat64", "stat64", "fstat64", "statx",
    "readlink", "readlinkat", "getdents64", "access", "faccessat", "faccessat2", "fcntl", "fcntl64",
    "dup", "dup2", "dup3", "ioctl", "getcwd", "fadvise64", "statfs", "fstatfs", "pidfd_open",
    "kill", "inotify_init1", "inotify_add_watch", "inotify_rm_watch",
    /* waiting and the network */
    "poll", "ppoll", "epoll_create1", "epoll_ctl", "epoll_wait", "epoll_pwait", "select",
    "pselect6", "eventfd2", "pipe2", "socket", "socketpair", "connect", "accept", "accept4",
    "listen", "bind", "getsockname", "getpeername", "setsockopt", "getsockopt", "shutdown", "send",
    "recv", "sendto", "recvfrom", "sendmsg", "recvmsg", "sendmmsg", "sendfile",
    /* probes */
    "bpf", "perf_event_open",
    /* what libraries ask for */
    "getrandom", "uname", "sysinfo", "prlimit64", "getrlimit", "setrlimit", "getrusage", "prctl",
    "capget", "getuid", "geteuid", "getgid", "getegid", "getpriority", "memfd_create"};

static int fill_filter(scmp_filter_ctx filter)
{
    for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++) {
        int number = seccomp_syscall_resolve_name(allowed[i]);
        if (number == __NR_SCMP_ERROR)
            continue;
        int status = seccomp_rule_add(filter, SCMP_ACT_ALLOW, number, 0);
        if (status < 0 && status != -EDOM)
            return status;
    }
    return seccomp_load(filter);
}

int cps_privileges_seccomp(struct cps_error *error)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));

    if (!filter)
        return cps_error_set(error, -ENOMEM, "seccomp: no memory");
    int status = fill_filter(filter);
    seccomp_release(filter);
    if (status < 0)
        return cps_error_set(error, status,
                             "the seccomp filter cannot be set: %s; COMPASS_SIDECAR_SECCOMP=false "
                             "does without",
                             strerror(-status));
    return 0;
}
