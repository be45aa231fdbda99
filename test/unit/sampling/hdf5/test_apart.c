#define _DEFAULT_SOURCE
#include "sampling/hdf5/apart.h"
#include "test/support/cmocka.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define IS_SANITIZED 1
#endif
#endif
#ifndef IS_SANITIZED
#define IS_SANITIZED 0
#endif

/// What the process does when it is asked for it.
typedef enum deed { ECHO, CRASH, LEAVE, LOOP, TAKE_MEMORY, TELL_LIMITS, TELL_FILES } deed;

static void loop(void)
{
    struct rlimit one = {.rlim_cur = 1, .rlim_max = RLIM_INFINITY}; // a test has no time for ten
    (void)setrlimit(RLIMIT_CPU, &one);
    for (volatile long i = 0;; i++) {
    }
}

static int take_memory(void)
{
    size_t bytes = (size_t)2 * GMC_APART_MEMORY_MIB << 20;
    char *block = malloc(bytes);
    int is_given = block != NULL;
    free(block);
    return is_given;
}

static int has_limits(void)
{
    struct rlimit core, time;
    struct rusage used;
    if (getrlimit(RLIMIT_CORE, &core) || getrlimit(RLIMIT_CPU, &time) ||
        getrusage(RUSAGE_SELF, &used))
        return 0;
    rlim_t most = (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + GMC_APART_SECONDS;
    return core.rlim_cur == 0 && time.rlim_cur <= most;
}

static void serve(void *context, int socket)
{
    int asked, answer = 0;
    uint64_t until_s = 0;
    while (gmc_apart_get(socket, &asked, sizeof asked)) {
        gmc_apart_begin(&until_s);
        switch ((deed)asked) {
        case ECHO:
            answer = *(int *)context;
            break;
        case CRASH:
            (void)signal(SIGSEGV, SIG_DFL); // cmocka catches it
            (void)raise(SIGSEGV);
            break;
        case LEAVE:
            _exit(3);
        case LOOP:
            loop();
            break;
        case TAKE_MEMORY:
            answer = take_memory();
            break;
        case TELL_LIMITS:
            answer = has_limits();
            break;
        case TELL_FILES:
            answer = fcntl(100, F_GETFD) >= 0;
            break;
        }
        if (!gmc_apart_put_both(socket, &answer, sizeof answer, NULL, 0)) return;
    }
}

static gmc_apart start(int *context)
{
    gmc_apart a;
    int error;
    assert_int_equal(gmc_apart_start(serve, context, &a, &error), GMC_OK);
    return a;
}

static int ask(gmc_apart *a, deed what)
{
    int asked = (int)what, answer = -1;
    assert_true(gmc_apart_send_both(a, &asked, sizeof asked, NULL, 0));
    return gmc_apart_receive(a, &answer, sizeof answer) ? answer : -1;
}

static void it_answers_as_often_as_it_is_asked(void **state)
{
    (void)state;
    int mine = 42;
    gmc_apart a = start(&mine);
    mine = 43; // the process has what was there when it began
    for (int i = 0; i < 3; i++)
        assert_int_equal(ask(&a, ECHO), 42);
    assert_string_equal(a.how, "");
    gmc_apart_stop(&a);
    gmc_apart_stop(&a);
    assert_int_equal(a.process, 0);
}

static void how_it_ended_is_said(void **state)
{
    (void)state;
    static const struct {
        deed what;
        const char *says;
    } ENDS[] = {{CRASH, "Segmentation fault"}, {LEAVE, "it ended with 3"}, {LOOP, "no end after"}};
    for (size_t i = 0; i < sizeof ENDS / sizeof ENDS[0]; i++) {
        gmc_apart a = start(&(int){0});
        assert_int_equal(ask(&a, ENDS[i].what), -1);
        assert_non_null(strstr(a.how, ENDS[i].says));
        int asked = ECHO;
        assert_false(
            gmc_apart_send_both(&a, &asked, sizeof asked, NULL, 0)); // and no signal comes of it
        gmc_apart_stop(&a);
    }
}

static void what_it_may_take_is_bounded(void **state)
{
    (void)state;
    gmc_apart a = start(&(int){0});
    assert_int_equal(ask(&a, TELL_LIMITS), 1);
    if (!IS_SANITIZED) assert_int_equal(ask(&a, TAKE_MEMORY), 0);
    gmc_apart_stop(&a);
}

/// Signals that stop a run are for the one who asks.
static void it_outlives_signals_but_not_its_owner(void **state)
{
    (void)state;
    gmc_apart a = start(&(int){7}), later = start(&(int){8});
    assert_int_equal(ask(&a, ECHO), 7); // it has settled
    (void)kill((pid_t)a.process, SIGINT);
    (void)kill((pid_t)a.process, SIGTERM);
    assert_int_equal(ask(&a, ECHO), 7);
    gmc_apart_stop(&a); // though the later one has a copy of our end
    assert_int_equal(ask(&later, ECHO), 8);
    gmc_apart_stop(&later);
}

/// What a run holds a lock on is not held by who reads for it.
static void open_files_are_not_its(void **state)
{
    (void)state;
    int file = dup2(open("/dev/null", O_RDONLY), 100);
    assert_int_equal(file, 100);
    gmc_apart a = start(&(int){0});
    assert_int_equal(ask(&a, TELL_FILES), 0);
    gmc_apart_stop(&a);
    close(file);
}

int test_apart(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_answers_as_often_as_it_is_asked),
        cmocka_unit_test(how_it_ended_is_said),
        cmocka_unit_test(what_it_may_take_is_bounded),
        cmocka_unit_test(it_outlives_signals_but_not_its_owner),
        cmocka_unit_test(open_files_are_not_its),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
