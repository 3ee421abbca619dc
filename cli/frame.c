/* SPDX-License-Identifier: Apache-2.0 */
#include "frame.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

/* The file in memory holds the present frame up to its offset, and keeps the length of the longest.
 */
static int memory = -1;
static volatile int terminal = STDOUT_FILENO;

int cps_frame_terminal(void)
{
    return terminal;
}

void cps_frame_open(void)
{
    int copy = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);

    memory = copy < 0 ? -1 : memfd_create("compass-frame", MFD_CLOEXEC);
    if (memory >= 0)
        terminal = copy;
    else if (copy >= 0)
        (void)close(copy);
}

void cps_frame_begin(void)
{
    if (memory >= 0)
        (void)dup2(memory, STDOUT_FILENO);
}

static void write_all(const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t written = write(terminal, bytes, length);

        if (written < 0 && errno != EINTR)
            return;
        if (written > 0) {
            bytes += written;
            length -= (size_t)written;
        }
    }
}

void cps_frame_end(void)
{
    off_t length;
    void *bytes;

    if (memory < 0)
        return;
    (void)dup2(terminal, STDOUT_FILENO);
    length = lseek(memory, 0, SEEK_CUR);
    if (length <= 0)
        return;
    bytes = mmap(NULL, (size_t)length, PROT_READ, MAP_SHARED, memory, 0);
    if (bytes != MAP_FAILED) {
        write_all(bytes, (size_t)length);
        (void)munmap(bytes, (size_t)length);
    }
    (void)lseek(memory, 0, SEEK_SET);
}

void cps_frame_close(void)
{
    if (memory < 0)
        return;
    (void)close(memory);
    (void)close(terminal);
    memory = -1;
    terminal = STDOUT_FILENO;
}
