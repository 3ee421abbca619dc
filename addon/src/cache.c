/* SPDX-License-Identifier: Apache-2.0 */
#include "cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_FILE (256u << 20)
#define HEAD "NAMES "
#define PLACE_SIZE (sizeof(CPS_CACHE_PLACE) - 1)

#define ODD_LOW 0x9e3779b97f4a7c15ull
#define ODD_HIGH 0xd1342543de82ef95ull

/* Each half is multiplied and folded by itself, and takes in what the other one was. */
static void mix(struct cps_cache_hash *hash, uint64_t word)
{
    uint64_t low = (hash->low ^ word) * ODD_LOW, high = (hash->high + word) * ODD_HIGH;

    hash->low = low ^ (low >> 32) ^ (high << 17);
    hash->high = high ^ (high >> 29) ^ (low >> 41);
}

void cps_cache_hash_add(struct cps_cache_hash *hash, const void *part, size_t size)
{
    const unsigned char *bytes = part;
    uint64_t word;

    for (size_t left = size; left > 0;) {
        size_t now = left < sizeof(word) ? left : sizeof(word);

        word = 0;
        memcpy(&word, bytes, now);
        mix(hash, word);
        bytes += now;
        left -= now;
    }
    /* The length tells padding from zeros; then the last words reach every bit. */
    for (int i = 0; i < 3; i++)
        mix(hash, size);
}

/* The whole of a regular file and a NUL behind it; *size is without. */
static int read_file(int fd, char **out, size_t *size)
{
    struct stat status;
    size_t done = 0;
    char *text;

    if (fstat(fd, &status) < 0)
        return -errno;
    if (!S_ISREG(status.st_mode) || status.st_size > (off_t)MAX_FILE)
        return -EBADMSG;
    text = malloc((size_t)status.st_size + 1);
    if (!text)
        return -ENOMEM;
    while (done < (size_t)status.st_size) {
        ssize_t got = read(fd, text + done, (size_t)status.st_size - done);

        if (got <= 0) {
            free(text);
            return -EBADMSG;
        }
        done += (size_t)got;
    }
    text[done] = '\0';
    *out = text;
    *size = done;
    return 0;
}

static int parse(char *text, size_t size, struct cps_cache_entry *out)
{
    char *line_end = memchr(text, '\n', size), *end;
    unsigned long count, names_size;
    size_t left;

    if (!line_end || strncmp(text, HEAD, sizeof(HEAD) - 1) != 0)
        return -EBADMSG;
    left = size - (size_t)(line_end + 1 - text);
    count = strtoul(text + sizeof(HEAD) - 1, &end, 10);
    names_size = strtoul(end, &end, 10);
    /* A name in JSON takes two bytes at least. */
    if (end != line_end || names_size > left || count > names_size / 2)
        return -EBADMSG;
    *out = (struct cps_cache_entry){
        .text = text,
        .count = (uint32_t)count,
        .names = line_end + 1,
        .names_size = names_size,
        .source = line_end + 1 + names_size,
        .source_size = left - names_size,
    };
    return 0;
}

int cps_cache_read(const char *path, struct cps_cache_entry *out)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    char *text = NULL;
    size_t size = 0;
    int err;

    if (fd < 0)
        return -errno;
    err = read_file(fd, &text, &size);
    close(fd);
    if (!text)
        return err;
    err = parse(text, size, out);
    if (err)
        free(text);
    return err;
}

int cps_cache_fill(struct cps_cache_entry *entry, uint32_t base)
{
    char digits[PLACE_SIZE + 1];
    char *at = entry->source, *end = entry->source + entry->source_size;

    /* Spaces in front: the number is as long as what it replaces. */
    if (snprintf(digits, sizeof(digits), "%*u", (int)PLACE_SIZE, base) != (int)PLACE_SIZE)
        return -ERANGE;
    while ((at = memmem(at, (size_t)(end - at), CPS_CACHE_PLACE, PLACE_SIZE))) {
        memcpy(at, digits, PLACE_SIZE);
        at += PLACE_SIZE;
    }
    return 0;
}

void cps_cache_free(struct cps_cache_entry *entry)
{
    free(entry->text);
    *entry = (struct cps_cache_entry){0};
}
