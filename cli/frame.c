/* SPDX-License-Identifier: Apache-2.0 */
#include "frame.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "write.h"

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
        (void)cps_write_all(terminal, bytes, (size_t)length);
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
