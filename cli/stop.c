/* SPDX-License-Identifier: Apache-2.0 */
#include "stop.h"

#include <errno.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

int cps_stop_open(void)
{
    sigset_t set;
    int fd;

    if (sigemptyset(&set) || sigaddset(&set, SIGINT) || sigaddset(&set, SIGTERM) ||
        sigaddset(&set, SIGHUP) || sigprocmask(SIG_BLOCK, &set, NULL))
        return -errno;
    if (signal(SIGPIPE, SIG_IGN) == SIG_ERR)
        return -errno;
    fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return fd < 0 ? -errno : fd;
}

int cps_stop_with(int stop, int other)
{
    struct epoll_event event = {.events = EPOLLIN};
    int fd = epoll_create1(EPOLL_CLOEXEC);

    if (fd < 0)
        return -errno;
    if (epoll_ctl(fd, EPOLL_CTL_ADD, stop, &event) || epoll_ctl(fd, EPOLL_CTL_ADD, other, &event)) {
        int result = -errno;

        (void)close(fd);
        return result;
    }
    return fd;
}
