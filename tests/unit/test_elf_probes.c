/* SPDX-License-Identifier: Apache-2.0 */
#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "elf_probes.h"

#define FILE_SIZE 8192
#define NOTES_AT 256

/* An ELF file with nothing in it but notes. */
static struct {
    _Alignas(8) char bytes[FILE_SIZE];
    size_t used;
} file;

static struct cps_elf_probes probes;
static struct cps_error error;

static void start_file(void)
{
    memset(&file, 0, sizeof(file));
    file.used = NOTES_AT;
}

static void put(const void *bytes, size_t length)
{
    memcpy(file.bytes + file.used, bytes, length);
    file.used += length;
}

static void put_note(const char *provider, const char *name, const char *arguments)
{
    uint64_t addresses[3] = {0x1000, 0, 0x2000};
    size_t lengths = strlen(provider) + strlen(name) + strlen(arguments) + 3;
    Elf64_Nhdr note = {
        .n_namesz = 8, .n_descsz = (Elf64_Word)(sizeof(addresses) + lengths), .n_type = 3};

    put(&note, sizeof(note));
    put("stapsdt", 8);
    put(addresses, sizeof(addresses));
    put(provider, strlen(provider) + 1);
    put(name, strlen(name) + 1);
    put(arguments, strlen(arguments) + 1);
    file.used = (file.used + 3) / 4 * 4;
}

static void finish_file(void)
{
    static const char names[] = "\0.note.stapsdt\0.shstrtab";
    size_t notes_end = file.used, names_at = file.used, sections_at;
    Elf64_Shdr sections[3] = {0};
    Elf64_Ehdr *header = (Elf64_Ehdr *)file.bytes;

    put(names, sizeof(names));
    file.used = sections_at = (file.used + 7) / 8 * 8;
    sections[1] = (Elf64_Shdr){.sh_name = 1,
                               .sh_type = SHT_NOTE,
                               .sh_offset = NOTES_AT,
                               .sh_size = notes_end - NOTES_AT,
                               .sh_addralign = 4};
    sections[2] = (Elf64_Shdr){
        .sh_name = 15, .sh_type = SHT_STRTAB, .sh_offset = names_at, .sh_size = sizeof(names)};
    put(sections, sizeof(sections));
    memcpy(header->e_ident, ELFMAG, SELFMAG);
    header->e_ident[EI_CLASS] = ELFCLASS64;
    header->e_ident[EI_DATA] = ELFDATA2LSB;
    header->e_ident[EI_VERSION] = EV_CURRENT;
    header->e_type = ET_DYN;
    header->e_machine = EM_X86_64;
    header->e_version = EV_CURRENT;
    header->e_ehsize = sizeof(*header);
    header->e_shoff = sections_at;
    header->e_shentsize = sizeof(Elf64_Shdr);
    header->e_shnum = 3;
    header->e_shstrndx = 2;
}

static int read_bytes(const char *bytes, size_t size)
{
    int fd = memfd_create("probes", MFD_CLOEXEC);
    int result;

    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, size), size);
    error.text[0] = '\0';
    result = cps_elf_probes_read(fd, "x.so", &probes, &error);
    (void)close(fd);
    return result;
}

static void read_file(void)
{
    finish_file();
    assert_int_equal(read_bytes(file.bytes, file.used), 0);
}

static void put_php(void)
{
    put_note("compass", "canary", "");
    put_note("compass", "fpm_request_init", "8@%rax 8@-16(%rbp) 8@$5");
    put_note("compass", "fpm_function", "8@%rax 8@8(%rsp) 8@$1000 -4@$5");
    put_note("compass", "fpm_request_shutdown", "8@[sp, 16]");
    put_note("compass", "cli_request_init", "-4@%edi 8@%rsi");
    put_note("compass", "cli_function", "8@%rax 8@%rbx 8@%rcx 8@%rdx");
    put_note("compass", "cli_request_shutdown", "2@(%rax,%rbx,8)");
}

static int choose(enum cps_runtime *runtime, bool *attach)
{
    error.text[0] = '\0';
    return cps_elf_probes_choose(&probes, "x.so", runtime, attach, &error);
}

static void refused_with(const char *sentence)
{
    enum cps_runtime runtime = CPS_RUNTIME_PHP;
    bool attach[CPS_PROBE_COUNT] = {false};

    assert_int_equal(choose(&runtime, attach), -EPROTO);
    assert_string_equal(error.text, sentence);
    for (int i = 0; i < CPS_PROBE_COUNT; i++)
        assert_false(attach[i]);
}

static void test_the_classic_set_is_chosen(void **state)
{
    enum cps_runtime runtime = CPS_RUNTIME_UNKNOWN;
    bool attach[CPS_PROBE_COUNT];

    (void)state;
    start_file();
    put_php();
    put_note("other", "fpm_function", "8@%rax");
    put_note("compass", "unknown", "8@%rax");
    read_file();
    assert_int_equal(choose(&runtime, attach), 0);
    assert_int_equal(runtime, CPS_RUNTIME_PHP);
    assert_true(attach[CPS_PROBE_canary] && attach[CPS_PROBE_fpm_function]);
    assert_false(attach[CPS_PROBE_batch] || attach[CPS_PROBE_http_function]);
    assert_false(attach[CPS_PROBE_drupal_cacheablemetadata_createfromobject]);
}

static void test_batch_is_chosen_instead(void **state)
{
    enum cps_runtime runtime = CPS_RUNTIME_PHP;
    bool attach[CPS_PROBE_COUNT];

    (void)state;
    start_file();
    put_php();
    put_note("compass", "batch", "8@%rax 8@%rdx");
    read_file();
    assert_int_equal(choose(&runtime, attach), 0);
    for (int i = 0; i < CPS_PROBE_COUNT; i++)
        assert_int_equal(attach[i], i == CPS_PROBE_canary || i == CPS_PROBE_batch);
}

static void test_the_drupal_probes_are_chosen_where_they_are(void **state)
{
    enum cps_runtime runtime = CPS_RUNTIME_PHP;
    bool attach[CPS_PROBE_COUNT];

    (void)state;
    start_file();
    put_php();
    put_note("compass", "drupal_cacheablemetadata_createfromobject",
             "8@%rax 8@%rbx -8@%rcx 8@%rdx 8@%rsi 8@%rdi");
    read_file();
    assert_int_equal(choose(&runtime, attach), 0);
    assert_true(attach[CPS_PROBE_drupal_cacheablemetadata_createfromobject]);
    assert_false(attach[CPS_PROBE_drupal_cacheablemetadata_createfromrenderarray]);
}

static void test_node_is_told_by_its_probes(void **state)
{
    enum cps_runtime runtime = CPS_RUNTIME_UNKNOWN;
    bool attach[CPS_PROBE_COUNT];

    (void)state;
    start_file();
    put_note("compass", "canary", "");
    put_note("compass", "http_request_init", "8@%rax 8@%rbx 8@%rcx");
    put_note("compass", "http_function", "8@%rax 8@%rbx 8@%rcx 8@%rdx");
    put_note("compass", "http_request_shutdown", "8@%rax 8@%rbx 8@%rcx");
    put_note("compass", "cli_request_init", "8@%rax 8@%rbx");
    put_note("compass", "cli_function", "8@%rax 8@%rbx 8@%rcx 8@%rdx");
    put_note("compass", "cli_request_shutdown", "8@%rax");
    read_file();
    assert_int_equal(choose(&runtime, attach), 0);
    assert_int_equal(runtime, CPS_RUNTIME_NODE);
    assert_true(attach[CPS_PROBE_http_function] && attach[CPS_PROBE_cli_function]);
    assert_false(attach[CPS_PROBE_fpm_function]);
}

static void test_a_missing_probe_is_named(void **state)
{
    (void)state;
    start_file();
    put_note("compass", "canary", "");
    put_note("compass", "fpm_request_init", "8@%rax 8@%rbx 8@%rcx");
    read_file();
    refused_with("x.so: probe compass:fpm_function: expected 4 arguments (string, string, integer, "
                 "integer), found no such probe (the file has canary, fpm_request_init)");
    start_file();
    read_file();
    refused_with("x.so: probe compass:canary: expected 0 arguments, found no such probe (the file "
                 "has no probe of provider compass)");
}

static void test_another_arity_is_named(void **state)
{
    (void)state;
    start_file();
    put_php();
    put_note("compass", "batch", "8@%rax");
    read_file();
    refused_with("x.so: probe compass:batch: expected 2 arguments (pointer, integer), found 1 "
                 "(8@%rax)");
}

static void test_every_location_counts(void **state)
{
    (void)state;
    start_file();
    put_php();
    put_note("compass", "fpm_function", "8@%rax 8@%rbx 8@%rcx 8@%rdx 8@%rsi");
    put_note("compass", "fpm_function", "8@%rax 8@%rbx 8@%rcx 8@%rdx");
    read_file();
    assert_int_equal(probes.locations[CPS_PROBE_fpm_function], 3);
    refused_with("x.so: probe compass:fpm_function: expected 4 arguments (string, string, integer, "
                 "integer), found 5 (8@%rax 8@%rbx 8@%rcx 8@%rdx 8@%rsi)");
}

static void test_a_string_is_a_whole_pointer(void **state)
{
    (void)state;
    start_file();
    put_note("compass", "canary", "");
    put_note("compass", "fpm_request_init", "8@%rax -4@%ebx 8@%rcx");
    read_file();
    refused_with("x.so: probe compass:fpm_request_init: expected 3 arguments (string, string, "
                 "string), found 3 (8@%rax -4@%ebx 8@%rcx)");
}

static void test_what_is_no_elf_file_is_refused(void **state)
{
    (void)state;
    assert_int_equal(read_bytes("#!/bin/sh\n", 10), -ENOEXEC);
    assert_string_equal(error.text, "x.so: not a 64-bit ELF file");
    assert_int_equal(read_bytes("", 0), -ENOEXEC);
    start_file();
    finish_file();
    file.bytes[EI_CLASS] = ELFCLASS32;
    assert_int_equal(read_bytes(file.bytes, file.used), -ENOEXEC);
}

static void test_broken_files_are_survived(void **state)
{
    uint64_t random = 88172645463325252ull;
    static char broken[FILE_SIZE];

    (void)state;
    start_file();
    put_php();
    finish_file();
    for (size_t cut = 0; cut < file.used; cut += 7)
        (void)read_bytes(file.bytes, cut);
    for (int round = 0; round < 3000; round++) {
        memcpy(broken, file.bytes, file.used);
        for (int i = 0; i < 1 + round % 4; i++) {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            ((uint8_t *)broken)[random % file.used] ^= (uint8_t)(random >> 32);
        }
        (void)read_bytes(broken, file.used);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_classic_set_is_chosen),
        cmocka_unit_test(test_batch_is_chosen_instead),
        cmocka_unit_test(test_the_drupal_probes_are_chosen_where_they_are),
        cmocka_unit_test(test_node_is_told_by_its_probes),
        cmocka_unit_test(test_a_missing_probe_is_named),
        cmocka_unit_test(test_another_arity_is_named),
        cmocka_unit_test(test_every_location_counts),
        cmocka_unit_test(test_a_string_is_a_whole_pointer),
        cmocka_unit_test(test_what_is_no_elf_file_is_refused),
        cmocka_unit_test(test_broken_files_are_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
