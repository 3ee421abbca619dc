/* SPDX-License-Identifier: Apache-2.0 */
/* Stands in for libFuzzer: gives every file of a folder to the harness once, so that what once
 * crashed is tested in every build. Fails where the folder is empty. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

#define LARGEST_INPUT (1u << 20)

static int replay(const char *folder, const char *name)
{
    static uint8_t bytes[LARGEST_INPUT];
    char path[4096];
    size_t length;
    int failed;
    FILE *file;

    if (snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path))
        return -1;
    file = fopen(path, "re");
    if (!file)
        return -1;
    length = fread(bytes, 1, sizeof(bytes), file);
    failed = ferror(file) || !feof(file);
    (void)fclose(file);
    if (failed)
        return -1;
    /* A copy of its own, so that a sanitizer sees where it ends. */
    uint8_t *input = malloc(length ? length : 1);

    if (!input)
        return -1;
    memcpy(input, bytes, length);
    (void)LLVMFuzzerTestOneInput(input, length);
    free(input);
    return 0;
}

int main(int argc, char **argv)
{
    struct dirent **entries = NULL;
    int found = argc == 2 ? scandir(argv[1], &entries, NULL, alphasort) : -1;
    int status = 0;
    int replayed = 0;

    for (int i = 0; i < found; i++) {
        if (entries[i]->d_name[0] != '.') {
            replayed++;
            if (replay(argv[1], entries[i]->d_name) < 0) {
                (void)fprintf(stderr, "cannot read %s/%s\n", argv[1], entries[i]->d_name);
                status = 1;
            }
        }
        free(entries[i]);
    }
    free(entries);
    (void)printf("1..1\n%s 1 - %d inputs\n", replayed && !status ? "ok" : "not ok", replayed);
    return replayed ? status : 1;
}
