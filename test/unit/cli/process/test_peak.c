// The peak is this program's own: it grows by what is used, stays when that is given back, and what
// the process was before it became this program does not count.
#define _POSIX_C_SOURCE 200809L
#include "cli/process/peak.h"
#include "test/support/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KIB = 1024, LARGE = 64 * KIB }; // KiB

static const char *program;

/// Memory that was written to, as otherwise it is not resident.
static void *use(size_t kib)
{
    char *block = malloc(kib * KIB);
    assert_non_null(block);
    for (size_t i = 0; i < kib; i++)
        ((volatile char *)block)[i * KIB] = 1;
    return block;
}

/// What a program that is started now says.
static uint64_t peak_of_a_child(void)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        execl(program, program, "say", (char *)NULL);
        _exit(1);
    }
    close(ends[1]);
    char said[32] = "";
    int status;
    ssize_t bytes = read(ends[0], said, sizeof said - 1);
    assert_true(bytes > 0);
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    return strtoull(said, NULL, 10);
}

static void it_is_what_was_used_at_most(void **state)
{
    (void)state;
    uint64_t before = gmc_peak_memory_kib();
    assert_true(before > 0);
    free(use(LARGE));
    uint64_t after = gmc_peak_memory_kib();
    assert_true(after >= before + LARGE * 9 / 10); // some of it was resident before
    // what reading it takes, more so under a sanitizer
    assert_in_range(gmc_peak_memory_kib(), after, after + KIB);
}

static void it_is_not_that_of_who_started_the_program(void **state)
{
    (void)state;
    uint64_t alone = peak_of_a_child();
    void *block = use(4 * LARGE);
    uint64_t beside = peak_of_a_child();
    free(block);
    assert_true(alone > 0);
    assert_in_range(beside, alone / 2, 2 * alone);
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        printf("%llu\n", (unsigned long long)gmc_peak_memory_kib());
        return 0;
    }
    program = argv[0];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_what_was_used_at_most),
        cmocka_unit_test(it_is_not_that_of_who_started_the_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
