// The journal: what was appended is read back, whatever was torn off or flipped; refusals say why.
#define _POSIX_C_SOURCE 200809L
#include "sampling/store/identity.h"
#include "sampling/store/journal.h"
#include "test/support/cmocka.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TRIALS = 12, FIRST = 100 };
static const char IDENTITY[] = "seed: 7\nscenario:\n  object:\n    mass: 0.2\n";

static char folder[] = "/tmp/gmc_journal_XXXXXX";
static char path[64];
static gmc_diagnostics messages;

static int set_up(void **state)
{
    (void)state;
    unlink(path);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    gmc_diagnostics_free(&messages);
    unlink(path);
    return 0;
}

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder)) return 1;
    snprintf(path, sizeof path, "%s/j", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

/// Payload of a trial: length and contents depend on its number.
static size_t payload_of(uint64_t trial, unsigned char *payload)
{
    size_t bytes = (size_t)(trial * 5 % 37); // 0 included
    for (size_t i = 0; i < bytes; i++)
        payload[i] = (unsigned char)(trial * 31 + i);
    return bytes;
}

typedef struct visited {
    int count;
    bool seen[TRIALS];
} visited;

static gmc_status visit(void *context, uint64_t trial, const void *payload, size_t bytes)
{
    visited *v = context;
    unsigned char expected[64];
    assert_in_range(trial, FIRST, FIRST + TRIALS - 1);
    assert_int_equal(bytes, payload_of(trial, expected));
    assert_memory_equal(payload, expected, bytes);
    assert_false(v->seen[trial - FIRST]);
    v->seen[trial - FIRST] = true;
    v->count++;
    return GMC_OK;
}

static gmc_journal_options options(gmc_journal_mode mode)
{
    return (gmc_journal_options){
        .path = path, .identity = IDENTITY, .first = FIRST, .count = TRIALS, .mode = mode};
}

static gmc_status open_with(gmc_journal_options o, visited *v, gmc_journal **journal)
{
    if (v) {
        *v = (visited){0};
        o.visit = visit;
        o.visit_context = v;
    }
    gmc_diagnostics_free(&messages);
    return gmc_journal_open(&o, &messages, journal);
}

static void append(gmc_journal *j, uint64_t trial)
{
    unsigned char payload[64];
    size_t bytes = payload_of(trial, payload);
    assert_int_equal(gmc_journal_append(j, trial, payload, bytes, &messages), GMC_OK);
}

static void assert_reads_back(gmc_journal *j, uint64_t trial)
{
    unsigned char expected[64];
    const unsigned char *payload;
    size_t bytes, wanted = payload_of(trial, expected);
    assert_int_equal(gmc_journal_read(j, trial, &payload, &bytes, &messages), GMC_OK);
    assert_int_equal(bytes, wanted);
    assert_memory_equal(payload, expected, bytes);
}

/// Journal with all trials, in an order that is not theirs; leaves its bytes in *bytes (caller
/// frees).
static size_t write_full(unsigned char **bytes)
{
    gmc_journal *j;
    unlink(path);
    assert_int_equal(open_with(options(GMC_JOURNAL_NEW), NULL, &j), GMC_OK);
    for (uint64_t i = 0; i < TRIALS; i++)
        append(j, FIRST + i * 5 % TRIALS);
    assert_int_equal(gmc_journal_sync(j, &messages), GMC_OK);
    gmc_journal_close(j);

    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    *bytes = malloc(1 << 16);
    size_t size = fread(*bytes, 1, 1 << 16, f);
    fclose(f);
    return size;
}

static void overwrite(const unsigned char *bytes, size_t size)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

/// Resume what is there, run what is missing, resume again: everything must be there.
static void assert_can_be_finished(int *found)
{
    visited v;
    gmc_journal *j;
    assert_int_equal(open_with(options(GMC_JOURNAL_RESUME), &v, &j), GMC_OK);
    *found = v.count;
    assert_int_equal(gmc_journal_about(j).count, v.count);
    for (uint64_t i = 0; i < TRIALS; i++) {
        assert_int_equal(gmc_journal_has(j, FIRST + i), v.seen[i]);
        if (v.seen[i])
            assert_reads_back(j, FIRST + i);
        else
            append(j, FIRST + i);
    }
    gmc_journal_close(j);
    assert_int_equal(open_with(options(GMC_JOURNAL_RESUME), &v, &j), GMC_OK);
    assert_int_equal(v.count, TRIALS);
    assert_int_equal(gmc_journal_about(j).torn, 0);
    gmc_journal_close(j);
}

static void what_was_appended_is_read_back(void **state)
{
    (void)state;
    unsigned char *bytes;
    write_full(&bytes);
    free(bytes);
    visited v;
    gmc_journal *j;
    assert_int_equal(open_with(options(GMC_JOURNAL_RESUME), &v, &j), GMC_OK);
    assert_int_equal(v.count, TRIALS);
    for (uint64_t i = TRIALS; i-- > 0;)
        assert_reads_back(j, FIRST + i);
    const unsigned char *payload;
    size_t length;
    assert_int_equal(gmc_journal_read(j, FIRST + TRIALS, &payload, &length, &messages),
                     GMC_E_MISSING);
    assert_false(gmc_journal_has(j, FIRST - 1));
    assert_int_equal(gmc_journal_append(j, FIRST, "", 0, &messages), GMC_E_EXISTS);
    assert_int_equal(gmc_journal_remove(j, &messages), GMC_OK);
    gmc_journal_close(j);
    assert_int_not_equal(access(path, F_OK), 0);
}

static void torn_anywhere_keeps_the_prefix(void **state)
{
    (void)state;
    unsigned char *bytes;
    size_t size = write_full(&bytes);
    int before = 0;
    for (size_t cut = 0; cut <= size; cut++) {
        overwrite(bytes, cut);
        int found;
        assert_can_be_finished(&found);
        assert_true(found >= before);
        assert_true(found <= before + 1); // one record more at a time
        before = found;
    }
    assert_int_equal(before, TRIALS);
    free(bytes);
}

static void a_flipped_byte_is_never_believed(void **state)
{
    (void)state;
    unsigned char *bytes;
    size_t size = write_full(&bytes);
    size_t refused = 0;
    for (size_t at = 0; at < size; at++) {
        for (int bit = 0; bit < 8; bit += 7) {
            bytes[at] ^= (unsigned char)(1 << bit);
            overwrite(bytes, size);
            gmc_journal *j;
            visited v;
            gmc_status status = open_with(options(GMC_JOURNAL_RESUME), &v, &j);
            gmc_journal_close(j); // `visit` has checked every record it was given
            if (status != GMC_OK) {
                assert_true(status == GMC_E_INPUT || status == GMC_E_MISMATCH);
                assert_true(messages.error_count == 1);
                refused++;
            } else {
                int found;
                assert_true(v.count < TRIALS);
                assert_can_be_finished(&found);
            }
            bytes[at] ^= (unsigned char)(1 << bit);
        }
    }
    // exactly the header is refused, all else is recovered
    assert_int_equal(refused, 2 * (32 + sizeof IDENTITY - 1 + 4));
    free(bytes);
}

static void foreign_blocks_are_not_records(void **state)
{
    (void)state;
    unsigned char *bytes;
    size_t size = write_full(&bytes);
    size_t header = 32 + sizeof IDENTITY - 1 + 4;

    // the first record moved by its own length: right bytes, wrong place
    size_t length = 16 + bytes[header] + 4;
    unsigned char *moved = malloc(size + length);
    memcpy(moved, bytes, header + length);
    memcpy(moved + header + length, bytes + header, length);
    overwrite(moved, header + 2 * length);
    visited v;
    gmc_journal *j;
    assert_int_equal(open_with(options(GMC_JOURNAL_RESUME), &v, &j), GMC_OK);
    assert_int_equal(v.count, 1);
    assert_int_equal(gmc_journal_about(j).torn, length);
    gmc_journal_close(j);
    free(moved);
    free(bytes);
}

static void damage_after_opening_is_noticed(void **state)
{
    (void)state;
    unsigned char *bytes;
    size_t size = write_full(&bytes);
    gmc_journal *j;
    assert_int_equal(open_with(options(GMC_JOURNAL_RESUME), NULL, &j), GMC_OK);
    bytes[size - 1] ^= 1; // crc of the last record
    FILE *f = fopen(path, "r+b");
    fwrite(bytes, 1, size, f);
    fclose(f);
    const unsigned char *payload;
    size_t length;
    uint64_t last = FIRST + (TRIALS - 1) * 5 % TRIALS;
    assert_int_equal(gmc_journal_read(j, last, &payload, &length, &messages), GMC_E_INPUT);
    gmc_journal_close(j);
    free(bytes);
}

static void modes_protect_what_is_there(void **state)
{
    (void)state;
    gmc_journal *j, *second;
    assert_int_equal(open_with(options(GMC_JOURNAL_RESUME), NULL, &j), GMC_OK); // created
    append(j, FIRST);
    // locked: nobody else, in whatever mode
    assert_int_equal(open_with(options(GMC_JOURNAL_RESUME), NULL, &second), GMC_E_EXISTS);
    assert_non_null(strstr(messages.items[0].message, "another process"));
    assert_int_equal(open_with(options(GMC_JOURNAL_FORCE), NULL, &second), GMC_E_EXISTS);
    assert_null(second);
    assert_reads_back(j, FIRST);
    gmc_journal_close(j);

    assert_int_equal(open_with(options(GMC_JOURNAL_NEW), NULL, &j), GMC_E_EXISTS);
    assert_non_null(strstr(messages.items[0].message, "interrupted run"));
    visited v;
    assert_int_equal(open_with(options(GMC_JOURNAL_RESUME), &v, &j), GMC_OK);
    assert_int_equal(v.count, 1);
    gmc_journal_close(j);
    assert_int_equal(open_with(options(GMC_JOURNAL_FORCE), NULL, &j), GMC_OK);
    assert_false(gmc_journal_has(j, FIRST));
    gmc_journal_close(j);
    assert_int_equal(open_with(options(GMC_JOURNAL_RESUME), &v, &j), GMC_OK);
    assert_int_equal(v.count, 0);
    gmc_journal_close(j);
}

static void lock_of_a_dead_process_is_no_lock(void **state)
{
    (void)state;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        gmc_journal *j;
        if (open_with(options(GMC_JOURNAL_NEW), NULL, &j) != GMC_OK) _exit(1);
        unsigned char payload[64];
        if (gmc_journal_append(j, FIRST, payload, payload_of(FIRST, payload), &messages)) _exit(2);
        _exit(0); // without closing
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    visited v;
    gmc_journal *j;
    assert_int_equal(open_with(options(GMC_JOURNAL_RESUME), &v, &j), GMC_OK);
    assert_int_equal(v.count, 1);
    gmc_journal_close(j);
}

static void another_identity_is_refused_with_its_key(void **state)
{
    (void)state;
    unsigned char *bytes;
    write_full(&bytes);
    free(bytes);
    gmc_journal_options o = options(GMC_JOURNAL_RESUME);
    gmc_journal *j;
    o.identity = "seed: 7\nscenario:\n  object:\n    mass: 0.3\n";
    assert_int_equal(open_with(o, NULL, &j), GMC_E_MISMATCH);
    assert_non_null(
        strstr(messages.items[0].message, "scenario.object.mass is 0.2 there, 0.3 here"));
    // and nothing was changed by trying
    visited v;
    assert_int_equal(open_with(options(GMC_JOURNAL_RESUME), &v, &j), GMC_OK);
    assert_int_equal(v.count, TRIALS);
    gmc_journal_close(j);
}

static void a_larger_range_takes_over_what_is_there(void **state)
{
    (void)state;
    unsigned char *bytes;
    write_full(&bytes);
    free(bytes);
    gmc_journal_options o = options(GMC_JOURNAL_RESUME);
    o.first = FIRST - 4;
    o.count = 2 * TRIALS;
    gmc_journal *j;
    assert_int_equal(open_with(o, NULL, &j), GMC_OK);
    assert_int_equal(gmc_journal_about(j).count, TRIALS);
    assert_false(gmc_journal_has(j, FIRST - 4));
    gmc_journal_close(j);
    visited v; // what both ranges have may go on with either
    assert_int_equal(open_with(options(GMC_JOURNAL_RESUME), &v, &j), GMC_OK);
    assert_int_equal(v.count, TRIALS);
    gmc_journal_close(j);
}

static void a_range_that_would_lose_trials_is_refused(void **state)
{
    (void)state;
    unsigned char *bytes, *after = malloc(1 << 16);
    assert_non_null(after);
    size_t size = write_full(&bytes);
    char wanted[80];
    for (int k = 0; k < 3; k++) { // behind, before, on both sides
        gmc_journal_options o = options(GMC_JOURNAL_RESUME);
        o.first = FIRST + (k > 0 ? 4 : 0);
        o.count = k == 1 ? 2 * TRIALS : TRIALS - 6;
        gmc_journal *j;
        assert_int_equal(open_with(o, NULL, &j), GMC_E_MISMATCH);
        assert_int_equal(messages.error_count, 1);
        snprintf(wanted, sizeof wanted, "%d of the %d trials that it holds would be lost",
                 k == 1 ? 4 : 6, (int)TRIALS);
        assert_non_null(strstr(messages.items[0].message, wanted));
        FILE *f = fopen(path, "rb");
        assert_int_equal(fread(after, 1, 1 << 16, f), size);
        fclose(f);
        assert_memory_equal(after, bytes, size);
    }
    free(bytes);
    free(after);
}

static void what_is_no_journal_is_refused(void **state)
{
    (void)state;
    static const char text[] = "graspmc: 1\nabout: a scenario that somebody named like a journal, "
                               "and long enough to hold a header and more than that\n";
    overwrite((const unsigned char *)text, sizeof text - 1);
    gmc_journal *j;
    assert_int_equal(open_with(options(GMC_JOURNAL_RESUME), NULL, &j), GMC_E_INPUT);
    assert_int_equal(open_with(options(GMC_JOURNAL_NEW), NULL, &j), GMC_E_EXISTS);
    FILE *f = fopen(path, "rb");
    char back[sizeof text];
    assert_int_equal(fread(back, 1, sizeof back, f), sizeof text - 1);
    fclose(f);
    assert_memory_equal(back, text, sizeof text - 1);

    gmc_journal_options o = options(GMC_JOURNAL_NEW);
    o.path = "/nowhere/at/all/j";
    assert_int_equal(open_with(o, NULL, &j), GMC_E_CREATE);
    o.path = folder; // a directory
    assert_int_equal(open_with(o, NULL, &j), GMC_E_CREATE);
}

// ---- a file system that misbehaves ----

static struct {
    int writes, syncs; ///< calls so far
    int fail_write;    ///< this call (from 1) fails ...
    int fail_sync;
    int error;    ///< ... with this
    size_t chunk; ///< bytes taken per call; 0: all
} fake;

static ssize_t fake_write(int file, const void *data, size_t bytes)
{
    fake.writes++;
    if (fake.fail_write && fake.writes >= fake.fail_write) {
        errno = fake.error;
        if (fake.error == EINTR) fake.fail_write = 0; // once
        return -1;
    }
    if (fake.chunk && fake.chunk < bytes) bytes = fake.chunk;
    return write(file, data, bytes);
}

static int fake_sync(int file)
{
    (void)file;
    fake.syncs++;
    if (fake.fail_sync && fake.syncs >= fake.fail_sync) {
        errno = fake.error;
        return -1;
    }
    return 0;
}

static const gmc_file_io fake_io = {.write = fake_write, .sync = fake_sync};

static void short_and_interrupted_writes_go_on(void **state)
{
    (void)state;
    memset(&fake, 0, sizeof fake);
    fake.chunk = 3;
    fake.fail_write = 20;
    fake.error = EINTR;
    gmc_journal_options o = options(GMC_JOURNAL_NEW);
    o.io = &fake_io;
    gmc_journal *j;
    assert_int_equal(open_with(o, NULL, &j), GMC_OK);
    for (uint64_t i = 0; i < TRIALS; i++)
        append(j, FIRST + i);
    gmc_journal_close(j);
    assert_true(fake.writes > 100);
    visited v;
    assert_int_equal(open_with(options(GMC_JOURNAL_RESUME), &v, &j), GMC_OK);
    assert_int_equal(v.count, TRIALS);
    gmc_journal_close(j);
}

/// Every write of a session fails in turn, most of them half-way through a record: what the journal
/// said it kept is there, and nothing else.
static void full_disk_loses_nothing_that_was_kept(void **state)
{
    (void)state;
    bool went_through = false;
    for (int n = 1; !went_through; n++) {
        unlink(path);
        memset(&fake, 0, sizeof fake);
        fake.chunk = 17;
        fake.fail_write = n;
        fake.error = ENOSPC;
        gmc_journal_options o = options(GMC_JOURNAL_NEW);
        o.io = &fake_io;
        gmc_journal *j;
        gmc_status status = open_with(o, NULL, &j);
        int kept = 0;
        while (status == GMC_OK && kept < TRIALS) {
            unsigned char payload[64];
            uint64_t trial = FIRST + (uint64_t)kept;
            status = gmc_journal_append(j, trial, payload, payload_of(trial, payload), &messages);
            if (status == GMC_OK) kept++;
        }
        gmc_journal_close(j);
        if (status != GMC_OK) {
            assert_int_equal(status, GMC_E_IO);
            assert_string_equal(messages.items[0].source.file, path);
            assert_non_null(strstr(messages.items[0].message, strerror(ENOSPC)));
        } else {
            went_through = true; // all writes came before the n-th
        }
        int found;
        assert_can_be_finished(&found);
        assert_int_equal(found, kept);
    }
}

static void failed_sync_ends_the_journal(void **state)
{
    (void)state;
    memset(&fake, 0, sizeof fake);
    fake.fail_sync = 2;
    fake.error = EIO;
    gmc_journal_options o = options(GMC_JOURNAL_NEW);
    o.io = &fake_io;
    gmc_journal *j;
    assert_int_equal(open_with(o, NULL, &j), GMC_OK);
    append(j, FIRST);
    assert_int_equal(gmc_journal_sync(j, &messages), GMC_E_IO);
    assert_int_equal(gmc_journal_append(j, FIRST + 1, "", 0, &messages), GMC_E_IO);
    gmc_journal_close(j);
}

static void differences_are_named_by_key(void **state)
{
    (void)state;
    char text[200];
    static const struct {
        const char *there, *here, *text;
    } CASES[] = {
        {"a: 1\n", "a: 2\n", "a is 1 there, 2 here"},
        {"a:\n  b: 1\n  c: 2\n", "a:\n  b: 1\n  c: 3\n", "a.c is 2 there, 3 here"},
        {"a: 1\n", "a: 1\nb: 2\n", "b is missing there, 2 here"},
        {"b: 2\na: 1\n", "a: 1\n", "b is 2 there, missing here"},
        {"p:\n  - close: {force: 1}\n  - lift: 2\n", "p:\n  - close: {force: 1}\n  - lift: 3\n",
         "p.1.lift is 2 there, 3 here"},
        {"p:\n  - x\n  - y\n", "p:\n  - x\n  - z\n", "p.1 is y there, z here"},
        {"a: 1\n# old\n", "a: 1\n# new\n", "they differ in layout only"},
        {"a: 1\nb: 2\n", "b: 2\na: 1\n", "they differ in layout only"},
        {"friction:\n  rubber/abs: 0.2\n", "friction:\n  rubber/abs: 0.3\n",
         "friction.rubber/abs is 0.2 there, 0.3 here"},
    };
    for (int i = 0; i < (int)(sizeof CASES / sizeof CASES[0]); i++) {
        assert_true(
            gmc_identity_difference(CASES[i].there, CASES[i].here, NULL, text, sizeof text));
        assert_string_equal(text, CASES[i].text);
    }
    assert_false(gmc_identity_difference("a: 1", "a: 1", NULL, text, sizeof text));
}

static void note_change(void *context, const gmc_identity_change *c)
{
    char *all = context;
    size_t used = strlen(all);
    snprintf(all + used, 200 - used, "%s %.*s|%.*s;", c->key, c->there_bytes,
             c->there ? c->there : "", c->here_bytes, c->here ? c->here : "");
}

static void all_differences_are_handed_out(void **state)
{
    (void)state;
    char all[200] = "";
    assert_int_equal(
        gmc_identity_each("a: 1\nb: 2\nc: 3\n", "b: 4\na: 1\nd: 5\n", note_change, all), GMC_OK);
    assert_string_equal(all, "b 2|4;d |5;c 3|;");
    all[0] = 0;
    assert_int_equal(gmc_identity_each("a: 1\n", "a: 1\n", note_change, all), GMC_OK);
    assert_string_equal(all, "");
}

int test_journal(void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        T(what_was_appended_is_read_back),
        T(torn_anywhere_keeps_the_prefix),
        T(a_flipped_byte_is_never_believed),
        T(foreign_blocks_are_not_records),
        T(damage_after_opening_is_noticed),
        T(modes_protect_what_is_there),
        T(lock_of_a_dead_process_is_no_lock),
        T(another_identity_is_refused_with_its_key),
        T(a_larger_range_takes_over_what_is_there),
        T(a_range_that_would_lose_trials_is_refused),
        T(what_is_no_journal_is_refused),
        T(short_and_interrupted_writes_go_on),
        T(full_disk_loses_nothing_that_was_kept),
        T(failed_sync_ends_the_journal),
        T(differences_are_named_by_key),
        T(all_differences_are_handed_out),
#undef T
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
