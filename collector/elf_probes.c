/* SPDX-License-Identifier: Apache-2.0 */
#include "elf_probes.h"

#include <ctype.h>
#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOTE_TYPE 3
#define NOTE_OWNER "stapsdt"
#define NOTE_ADDRESSES (3 * sizeof(uint64_t)) /* probe, base, semaphore */

#define NAME(name, signature) [CPS_PROBE_##name] = #name,
#define SIGNATURE(name, signature) [CPS_PROBE_##name] = (signature),
static const char *const names[] = {CPS_PROBES(NAME)};
static const char *const signatures[] = {CPS_PROBES(SIGNATURE)};

static const enum cps_probe php_set[] = {
    CPS_PROBE_fpm_request_init, CPS_PROBE_fpm_function, CPS_PROBE_fpm_request_shutdown,
    CPS_PROBE_cli_request_init, CPS_PROBE_cli_function, CPS_PROBE_cli_request_shutdown,
};
static const enum cps_probe php_optional[] = {
    CPS_PROBE_drupal_cacheablemetadata_createfromrenderarray,
    CPS_PROBE_drupal_cacheablemetadata_createfromobject,
};
static const enum cps_probe node_set[] = {
    CPS_PROBE_http_request_init, CPS_PROBE_http_function, CPS_PROBE_http_request_shutdown,
    CPS_PROBE_cli_request_init,  CPS_PROBE_cli_function,  CPS_PROBE_cli_request_shutdown,
};
static const enum cps_probe batch_set[] = {CPS_PROBE_batch};
static const enum cps_probe canary_set[] = {CPS_PROBE_canary};

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

const char *cps_elf_probes_name(enum cps_probe probe)
{
    return names[probe];
}

/* An argument is SIZE@OPERAND, where a size is negative for a signed one and may have an `f` for a
 * float. An operand may have spaces in it (arm64: "8@[sp, 16]"), so arguments are told by what they
 * begin with. NULL: no further one. */
static const char *next_argument(const char *text, int *size)
{
    for (bool at_start = true; *text; at_start = isspace((unsigned char)*text), text++) {
        const char *digits = *text == '-' ? text + 1 : text;
        size_t length = strspn(digits, "0123456789");

        if (!at_start || !length || length > 2)
            continue;
        if (digits[length] == '@' || (digits[length] == 'f' && digits[length + 1] == '@')) {
            *size =
                (digits[0] - '0') * (length == 2 ? 10 : 1) + (length == 2 ? digits[1] - '0' : 0);
            return digits + length;
        }
    }
    return NULL;
}

/* The number of arguments described, and whether each has a size that its type can have. */
static int check_arguments(const char *text, const char *signature, bool *sizes_fit)
{
    int count = 0, size = 0;

    *sizes_fit = true;
    while ((text = next_argument(text, &size))) {
        bool pointer = count < (int)strlen(signature) && strchr("sp", signature[count]);

        if (pointer ? size != 8 : size != 1 && size != 2 && size != 4 && size != 8)
            *sizes_fit = false;
        count++;
    }
    return count;
}

static int find_probe(const char *name)
{
    for (int i = 0; i < CPS_PROBE_COUNT; i++)
        if (!strcmp(names[i], name))
            return i;
    return -1;
}

/* The next of several terminated strings in `length` bytes; NULL where the terminator is missing.
 */
static const char *take_string(const char **bytes, size_t *length)
{
    const char *string = *bytes;
    const char *end = memchr(string, '\0', *length);

    if (!end)
        return NULL;
    *length -= (size_t)(end + 1 - string);
    *bytes = end + 1;
    return string;
}

static void read_description(const char *bytes, size_t length, struct cps_elf_probes *out)
{
    const char *provider, *name, *arguments;
    bool sizes_fit;
    int probe, count;

    if (length < NOTE_ADDRESSES)
        return;
    bytes += NOTE_ADDRESSES;
    length -= NOTE_ADDRESSES;
    provider = take_string(&bytes, &length);
    name = provider ? take_string(&bytes, &length) : NULL;
    arguments = name ? take_string(&bytes, &length) : NULL;
    if (!arguments || strcmp(provider, CPS_PROBE_PROVIDER) != 0)
        return;
    probe = find_probe(name);
    if (probe < 0)
        return;
    out->locations[probe]++;
    count = check_arguments(arguments, signatures[probe], &sizes_fit);
    if (out->faulty[probe] || (count == (int)strlen(signatures[probe]) && sizes_fit))
        return;
    out->faulty[probe] = true;
    out->found_count[probe] = count;
    (void)snprintf(out->found[probe], sizeof(out->found[probe]), "%s", arguments);
}

static void read_notes(Elf_Data *data, struct cps_elf_probes *out)
{
    GElf_Nhdr note;
    size_t offset = 0, name_at, description_at;

    while ((offset = gelf_getnote(data, offset, &note, &name_at, &description_at)) > 0) {
        const char *bytes = data->d_buf;

        if (note.n_type == NOTE_TYPE && note.n_namesz == sizeof(NOTE_OWNER) &&
            !memcmp(bytes + name_at, NOTE_OWNER, sizeof(NOTE_OWNER)))
            read_description(bytes + description_at, note.n_descsz, out);
    }
}

static int read_elf(Elf *elf, struct cps_elf_probes *out)
{
    GElf_Ehdr header;
    Elf_Scn *section = NULL;

    if (elf_kind(elf) != ELF_K_ELF || gelf_getclass(elf) != ELFCLASS64 ||
        !gelf_getehdr(elf, &header))
        return -ENOEXEC;
    while ((section = elf_nextscn(elf, section))) {
        GElf_Shdr section_header;
        Elf_Data *data = NULL;

        if (!gelf_getshdr(section, &section_header) || section_header.sh_type != SHT_NOTE)
            continue;
        while ((data = elf_getdata(section, data)))
            read_notes(data, out);
    }
    return 0;
}

int cps_elf_probes_read(int fd, const char *path, struct cps_elf_probes *out,
                        struct cps_error *error)
{
    Elf *elf;
    int result;

    if (elf_version(EV_CURRENT) == EV_NONE)
        return cps_error_set(error, -ENOTSUP, "libelf is too old: %s", elf_errmsg(-1));
    elf = elf_begin(fd, ELF_C_READ, NULL);
    if (!elf)
        return cps_error_set(error, -ENOEXEC, "%s: not an ELF file: %s", path, elf_errmsg(-1));
    memset(out, 0, sizeof(*out));
    result = read_elf(elf, out);
    (void)elf_end(elf);
    if (result)
        return cps_error_set(error, result, "%s: not a 64-bit ELF file", path);
    return 0;
}

static void describe_signature(const char *signature, char *out, size_t size)
{
    size_t used = 0;

    out[0] = '\0';
    for (const char *at = signature; *at && used < size; at++) {
        const char *type = *at == 's'   ? "string"
                           : *at == 'p' ? "pointer"
                           : *at == 'i' ? "signed integer"
                                        : "integer";
        int written = snprintf(out + used, size - used, "%s%s", used ? ", " : "", type);

        used += written > 0 ? (size_t)written : 0;
    }
}

static void describe_found(const struct cps_elf_probes *probes, char *out, size_t size)
{
    size_t used = 0;

    (void)snprintf(out, size, "no probe of provider " CPS_PROBE_PROVIDER);
    for (int i = 0; i < CPS_PROBE_COUNT && used < size; i++) {
        int written;

        if (!probes->locations[i])
            continue;
        written = snprintf(out + used, size - used, "%s%s", used ? ", " : "", names[i]);
        used += written > 0 ? (size_t)written : 0;
    }
}

static int refuse_missing(const struct cps_elf_probes *probes, const char *path,
                          enum cps_probe probe, struct cps_error *error)
{
    char expected[128], found[320];

    describe_signature(signatures[probe], expected, sizeof(expected));
    describe_found(probes, found, sizeof(found));
    return cps_error_set(error, -EPROTO,
                         "%s: probe " CPS_PROBE_PROVIDER ":%s: expected %zu argument%s%s%s%s, "
                         "found no such probe (the file has %s)",
                         path, names[probe], strlen(signatures[probe]),
                         strlen(signatures[probe]) == 1 ? "" : "s", *expected ? " (" : "", expected,
                         *expected ? ")" : "", found);
}

static int refuse_faulty(const struct cps_elf_probes *probes, const char *path,
                         enum cps_probe probe, struct cps_error *error)
{
    char expected[128];

    describe_signature(signatures[probe], expected, sizeof(expected));
    return cps_error_set(error, -EPROTO,
                         "%s: probe " CPS_PROBE_PROVIDER
                         ":%s: expected %zu argument%s%s%s%s, found %d (%s)",
                         path, names[probe], strlen(signatures[probe]),
                         strlen(signatures[probe]) == 1 ? "" : "s", *expected ? " (" : "", expected,
                         *expected ? ")" : "", probes->found_count[probe], probes->found[probe]);
}

static int choose_set(const struct cps_elf_probes *probes, const char *path,
                      const enum cps_probe *set, size_t count, bool *attach,
                      struct cps_error *error)
{
    for (size_t i = 0; i < count; i++) {
        if (!probes->locations[set[i]])
            return refuse_missing(probes, path, set[i], error);
        if (probes->faulty[set[i]])
            return refuse_faulty(probes, path, set[i], error);
        attach[set[i]] = true;
    }
    return 0;
}

static int choose_optional(const struct cps_elf_probes *probes, const char *path,
                           const enum cps_probe *set, size_t count, bool *attach,
                           struct cps_error *error)
{
    int result = 0;

    for (size_t i = 0; i < count && !result; i++)
        if (probes->locations[set[i]])
            result = choose_set(probes, path, &set[i], 1, attach, error);
    return result;
}

static int choose_classic(const struct cps_elf_probes *probes, const char *path,
                          enum cps_runtime runtime, bool *attach, struct cps_error *error)
{
    int result;

    if (runtime == CPS_RUNTIME_NODE)
        return choose_set(probes, path, node_set, LENGTH(node_set), attach, error);
    result = choose_set(probes, path, php_set, LENGTH(php_set), attach, error);
    if (result)
        return result;
    return choose_optional(probes, path, php_optional, LENGTH(php_optional), attach, error);
}

/* Which runtime a file is for shows in the probes that only one of them has. */
static enum cps_runtime guess_runtime(const struct cps_elf_probes *probes)
{
    if (probes->locations[CPS_PROBE_http_request_init] &&
        !probes->locations[CPS_PROBE_fpm_request_init])
        return CPS_RUNTIME_NODE;
    return CPS_RUNTIME_PHP;
}

int cps_elf_probes_choose(const struct cps_elf_probes *probes, const char *path,
                          enum cps_runtime *runtime, bool attach[CPS_PROBE_COUNT],
                          struct cps_error *error)
{
    enum cps_runtime chosen = *runtime ? *runtime : guess_runtime(probes);
    bool set[CPS_PROBE_COUNT] = {false};
    int result = choose_set(probes, path, canary_set, LENGTH(canary_set), set, error);

    if (!result && probes->locations[CPS_PROBE_batch])
        result = choose_set(probes, path, batch_set, LENGTH(batch_set), set, error);
    else if (!result)
        result = choose_classic(probes, path, chosen, set, error);
    if (result)
        return result;
    memcpy(attach, set, sizeof(set));
    *runtime = chosen;
    return 0;
}
