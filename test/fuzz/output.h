/// A folder in memory for targets whose reader wants a file, and an output in it.
#ifndef GMC_TEST_FUZZ_OUTPUT_H
#define GMC_TEST_FUZZ_OUTPUT_H

#include "sampling/store/store.h"
#include "test/fuzz/fuzz.h"

#include <sys/stat.h>
#include <unistd.h>

enum { OUTPUT_PATH_BYTES = 80 };

typedef struct output_folder {
    char path[OUTPUT_PATH_BYTES - 20];
    char result[OUTPUT_PATH_BYTES], journal[OUTPUT_PATH_BYTES];
} output_folder;

/// Made once per process, removed by output_close.
static inline void output_open(output_folder *folder)
{
    snprintf(folder->path, sizeof folder->path, "%s/gmc_fuzz_XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    FUZZ_REQUIRE(mkdtemp(folder->path));
    snprintf(folder->result, sizeof folder->result, "%s/out.h5", folder->path);
    snprintf(folder->journal, sizeof folder->journal, "%s/out.h5.journal", folder->path);
}

static inline void output_close(const output_folder *folder)
{
    (void)unlink(folder->result);
    (void)unlink(folder->journal);
    (void)rmdir(folder->path);
}

static inline void output_write(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    FUZZ_REQUIRE(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

#endif
