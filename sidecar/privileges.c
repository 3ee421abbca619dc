/* SPDX-License-Identifier: Apache-2.0 */
#include "privileges.h"

#include <cap-ng.h>
#include <errno.h>
#include <seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#define DESCRIPTORS 4096

static bool has(unsigned int capability)
{
    return capng_have_capability(CAPNG_EFFECTIVE, capability) == 1;
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

static void keep(unsigned int capability, bool had)
{
    if (had)
        (void)capng_update(CAPNG_ADD, CAPNG_EFFECTIVE | CAPNG_PERMITTED | CAPNG_BOUNDING_SET,
                           capability);
}

int cps_privileges_drop(struct cps_error *error)
{
    raise_limit(RLIMIT_MEMLOCK, RLIM_INFINITY);
    raise_descriptors();
    if (capng_get_caps_process() < 0)
        return cps_error_set(error, -EPERM, "the capabilities of the process cannot be read");
    bool admin = has(CAP_SYS_ADMIN);
    bool ptrace = has(CAP_SYS_PTRACE);
    bool bounding = has(CAP_SETPCAP);
    capng_clear(CAPNG_SELECT_BOTH);
    keep(CAP_SYS_ADMIN, admin);
    keep(CAP_SYS_PTRACE, ptrace);
    if (capng_apply(bounding ? CAPNG_SELECT_BOTH : CAPNG_SELECT_CAPS) != 0)
        return cps_error_set(error, -EPERM, "capabilities cannot be dropped");
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return cps_error_set(error, -errno, "no-new-privileges cannot be set: %s", strerror(errno));
    return 0;
}

/* perf_event_open wants CAP_SYS_ADMIN for a uprobe, whatever else there is (seen on Linux 6.18),
 * and that includes CAP_BPF and CAP_PERFMON. CAP_SYS_PTRACE opens /proc/PID/root of other users'
 * processes. */
bool cps_privileges_sufficient(struct cps_error *error)
{
    if (capng_get_caps_process() < 0)
        return true;
    bool admin = has(CAP_SYS_ADMIN);
    bool ptrace = has(CAP_SYS_PTRACE);
    if (admin && ptrace)
        return true;
    (void)cps_error_set(
        error, -EPERM,
        "missing capabilities: %s%s%s; add them to the container or unit, nothing can "
        "be traced without",
        admin ? "" : "CAP_SYS_ADMIN", admin || ptrace ? "" : ", ", ptrace ? "" : "CAP_SYS_PTRACE");
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
