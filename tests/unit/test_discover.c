/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "discover.h"

#define CONFIGURED "/usr/lib/php/modules/compass.so"

static char root[64]; /* a /proc of our own, and a folder for each container's files */
static struct cps_target *targets;
static size_t count;
static struct cps_error error;

__attribute__((format(printf, 1, 2))) static void shell(const char *format, ...)
{
    char command[PATH_MAX * 2];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(command, sizeof(command), format, args);
    va_end(args);
    assert_int_equal(system(command), 0); /* NOLINT(cert-env33-c): a test's own words */
}

static int setup(void **state)
{
    (void)state;
    (void)snprintf(root, sizeof(root), "/tmp/cps-discover-XXXXXX");
    assert_non_null(mkdtemp(root));
    shell("mkdir %s/proc", root);
    targets = NULL;
    count = 0;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    cps_targets_free(targets, count);
    shell("rm -rf %s", root);
    return 0;
}

static void make_file(const char *container, const char *path)
{
    shell("cd %s; mkdir -p $(dirname %s%s); echo > %s%s", root, container, path, container, path);
}

static uint64_t inode_of(const char *container, const char *path)
{
    char full[PATH_MAX];
    struct stat file;

    (void)snprintf(full, sizeof(full), "%s/%s%s", root, container, path);
    assert_int_equal(stat(full, &file), 0);
    return file.st_ino;
}

/* title: what cmdline says; program: what exe leads to. */
static void make_process(int pid, const char *container, const char *comm, const char *title,
                         const char *program)
{
    shell("cd %s/proc; mkdir -p %d/map_files ../%s; ln -s ../../%s %d/root; echo '%s' > %d/comm; "
          "printf '%s' > %d/cmdline; ln -s %s %d/exe; echo '7f00-7f10 r--p 0 00:00 0' > %d/maps",
          root, pid, container, container, pid, comm, pid, title, pid, program, pid, pid);
}

static void map(int pid, uint64_t inode, const char *path)
{
    shell("echo '7f10-7f20 r-xp 00001000 08:01 %llu      %s' >> %s/proc/%d/maps",
          (unsigned long long)inode, path, root, pid);
}

static void discover(const char *name)
{
    char proc[PATH_MAX];
    struct cps_discover_query query = {
        .runtime = CPS_RUNTIME_PHP, .process_name = name, .file_path = CONFIGURED, .proc = proc};

    (void)snprintf(proc, sizeof(proc), "%s/proc", root);
    cps_targets_free(targets, count);
    error.text[0] = '\0';
    assert_int_equal(cps_discover(&query, &targets, &count, &error), 0);
}

static void expect_path(size_t index, const char *path)
{
    char wanted[PATH_MAX];

    assert_true(index < count);
    (void)snprintf(wanted, sizeof(wanted), "%s/proc/%s", root, path);
    assert_string_equal(targets[index].path, wanted);
}

static void test_the_configured_file_is_found(void **state)
{
    (void)state;
    make_file("a", CONFIGURED);
    make_process(31, "a", "php-fpm", "php-fpm: pool www", "/usr/sbin/php-fpm");
    map(31, inode_of("a", CONFIGURED), CONFIGURED);
    discover("php-fpm");
    assert_int_equal(count, 1);
    expect_path(0, "31/root" CONFIGURED);
    assert_int_equal(targets[0].inode, inode_of("a", CONFIGURED));
    assert_int_equal(targets[0].pid, 31);
    assert_int_equal(targets[0].runtime, CPS_RUNTIME_PHP);
}

static void test_names_are_matched_as_people_run_them(void **state)
{
    static const struct {
        const char *comm, *title, *program;
        int matches;
    } cases[] = {
        {"php-fpm", "php-fpm", "/usr/sbin/php-fpm", 1},
        {"php-fpm8.2", "php-fpm8.2", "/usr/sbin/php-fpm8.2", 1},
        {"php-fpm83", "", "/usr/sbin/php-fpm83", 1},
        {"x", "php-fpm: master process (/etc/php/8.2/fpm/php-fpm.conf)", "/x", 1},
        {"x", "/usr/sbin/php-fpm -F", "/x", 1},
        {"MainThread", "my title", "/opt/php/sbin/php-fpm", 1},
        {"x", "my title", "/usr/sbin/php-fpm (deleted)", 1},
        {"php-fpm-exporter", "php-fpm-exporter", "/usr/bin/php-fpm-exporter", 0},
        {"php-fpm_exporte", "/x/php-fpm_exporter --x", "/usr/bin/php-fpm_exporter", 0},
        {"sh", "sh -c /usr/sbin/php-fpm", "/bin/sh", 0},
        {"grep", "grep\\0php-fpm", "/bin/grep", 0},
        {"php", "php\\0x.php", "/usr/bin/php", 0},
    };

    make_file("a", CONFIGURED);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char program[128];

        (void)snprintf(program, sizeof(program), "'%s'", cases[i].program);
        make_process(31, "a", cases[i].comm, cases[i].title, program);
        map(31, inode_of("a", CONFIGURED), CONFIGURED);
        discover("php-fpm");
        if ((int)count != cases[i].matches)
            fail_msg("%s, %s, %s", cases[i].comm, cases[i].title, cases[i].program);
        shell("rm -r %s/proc/31", root);
    }
    (void)state;
}

static void test_one_file_is_one_target(void **state)
{
    (void)state;
    make_file("a", CONFIGURED);
    make_file("b", CONFIGURED);
    for (int pid = 31; pid < 35; pid++) {
        const char *container = pid % 2 ? "a" : "b";

        make_process(pid, container, "php-fpm", "", "/php-fpm");
        map(pid, inode_of(container, CONFIGURED), CONFIGURED);
        map(pid, inode_of(container, CONFIGURED), CONFIGURED);
    }
    discover("php-fpm");
    assert_int_equal(count, 2);
}

static void test_a_file_elsewhere_is_found_by_its_mapping(void **state)
{
    (void)state;
    make_file("a", "/opt/php/ext/compass.so");
    make_process(31, "a", "php-fpm", "", "/php-fpm");
    map(31, inode_of("a", "/opt/php/ext/compass.so"), "/opt/php/ext/compass.so");
    map(31, 12345, "/opt/php/ext/not-compass.so");
    discover("php-fpm");
    assert_int_equal(count, 1);
    expect_path(0, "31/root/opt/php/ext/compass.so");
}

static void test_a_replaced_file_is_found_under_both_names(void **state)
{
    (void)state;
    make_file("a", CONFIGURED);
    make_file("old", "/file");
    make_process(31, "a", "php-fpm", "", "/php-fpm");
    make_process(32, "a", "php-fpm", "", "/php-fpm");
    map(31, inode_of("old", "/file"), CONFIGURED " (deleted)");
    map(32, inode_of("a", CONFIGURED), CONFIGURED);
    shell("ln -s ../../../old/file %s/proc/31/map_files/7f10-7f20", root);
    discover("php-fpm");
    assert_int_equal(count, 2);
    for (size_t i = 0; i < count; i++)
        if (targets[i].pid == 31)
            expect_path(i, "31/map_files/7f10-7f20");
        else
            expect_path(i, "32/root" CONFIGURED);
}

static void test_a_deleted_file_that_cannot_be_reached_is_left_out(void **state)
{
    (void)state;
    make_process(31, "a", "php-fpm", "", "/php-fpm");
    map(31, 12345, CONFIGURED " (deleted)");
    discover("php-fpm");
    assert_int_equal(count, 0);
}

static void test_what_was_looked_for_and_seen_is_said(void **state)
{
    char wanted[PATH_MAX];

    (void)state;
    discover("php-fpm");
    (void)snprintf(wanted, sizeof(wanted),
                   "php: no process named php-fpm in %s/proc; saw no process", root);
    assert_string_equal(error.text, wanted);

    make_process(30, "a", "kworker/0:1", "", "nowhere"); /* a thread of the kernel */
    make_process(31, "a", "nginx", "nginx", "/usr/sbin/nginx");
    discover("php-fpm");
    (void)snprintf(wanted, sizeof(wanted), "php: no process named php-fpm in %s/proc; saw nginx",
                   root);
    assert_string_equal(error.text, wanted);

    make_process(32, "a", "php-fpm", "", "/php-fpm");
    discover("php-fpm");
    (void)snprintf(wanted, sizeof(wanted),
                   "php: 1 process named php-fpm in %s/proc (pid 32), none with " CONFIGURED
                   " mapped, nor another file named compass.so",
                   root);
    assert_string_equal(error.text, wanted);
}

static void test_many_processes_do_not_fill_the_sentence(void **state)
{
    (void)state;
    for (int pid = 100; pid < 120; pid++) {
        char name[32];

        (void)snprintf(name, sizeof(name), "daemon-%d", pid);
        make_process(pid, "a", name, name, "/daemon");
    }
    discover("php-fpm");
    assert_non_null(strstr(error.text, ", ..."));
    assert_true(strlen(error.text) < sizeof(error.text) - 1);
}

static void test_a_proc_that_cannot_be_read_is_an_error(void **state)
{
    struct cps_discover_query query = {
        .process_name = "php-fpm", .file_path = CONFIGURED, .proc = "/nonexistent"};

    (void)state;
    assert_int_equal(cps_discover(&query, &targets, &count, &error), -ENOENT);
    assert_string_equal(error.text, "/nonexistent: No such file or directory");
}

static void test_a_file_by_its_own_path(void **state)
{
    struct cps_target target;
    char path[PATH_MAX];

    (void)state;
    make_file("a", CONFIGURED);
    (void)snprintf(path, sizeof(path), "%s/a%s", root, CONFIGURED);
    assert_int_equal(cps_target_from_path(path, CPS_RUNTIME_PHP, &target, &error), 0);
    assert_int_equal(target.inode, inode_of("a", CONFIGURED));
    assert_string_equal(target.path, path);
    free(target.path);
    assert_int_equal(cps_target_from_path(root, CPS_RUNTIME_PHP, &target, &error), -EINVAL);
    assert_int_equal(cps_target_from_path("/nonexistent", CPS_RUNTIME_PHP, &target, &error),
                     -ENOENT);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_the_configured_file_is_found),
        TEST(test_names_are_matched_as_people_run_them),
        TEST(test_one_file_is_one_target),
        TEST(test_a_file_elsewhere_is_found_by_its_mapping),
        TEST(test_a_replaced_file_is_found_under_both_names),
        TEST(test_a_deleted_file_that_cannot_be_reached_is_left_out),
        TEST(test_what_was_looked_for_and_seen_is_said),
        TEST(test_many_processes_do_not_fill_the_sentence),
        TEST(test_a_proc_that_cannot_be_read_is_an_error),
        TEST(test_a_file_by_its_own_path),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
