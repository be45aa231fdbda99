// Stands in for libFuzzer where the compiler has none: every file of the folders (or every file)
// named on the command line goes through the target once, in the order of the names.
#define _POSIX_C_SOURCE 200809L
#include "engine/base/file.h"
#include "test/fuzz/fuzz.h"

#include <dirent.h>
#include <errno.h>

static int try_file(const char *path)
{
    gmc_file file;
    gmc_status status = gmc_file_read(path, &file);
    if (status != GMC_OK) {
        fprintf(stderr, "%s: %s\n", path, gmc_status_name(status));
        return 1;
    }
    uint8_t *alone = malloc(file.size ? file.size : 1);
    FUZZ_REQUIRE(alone);
    memcpy(alone, file.bytes, file.size);
    fprintf(stderr, "%s\n", path); // the last one named is the one that ended it
    (void)LLVMFuzzerTestOneInput(alone, file.size);
    free(alone);
    gmc_file_free(&file);
    return 0;
}

static int is_visible(const struct dirent *entry) { return entry->d_name[0] != '.'; }

/// @return number of files, -1: the folder cannot be read
static int try_folder(const char *path, int *failed)
{
    struct dirent **entries;
    int count = scandir(path, &entries, is_visible, alphasort);
    for (int i = 0; i < count; i++) {
        char name[4096];
        snprintf(name, sizeof name, "%s/%s", path, entries[i]->d_name);
        *failed += try_file(name);
        free(entries[i]);
    }
    if (count >= 0) free(entries);
    return count;
}

int main(int argc, char **argv)
{
    int failed = 0, tried = 0;
    for (int i = 1; i < argc; i++) {
        int count = try_folder(argv[i], &failed);
        if (count < 0 && errno == ENOTDIR) {
            failed += try_file(argv[i]);
            count = 1;
        }
        if (count < 0) perror(argv[i]);
        if (count < 0) return 1;
        tried += count;
    }
    fprintf(stderr, "%d inputs\n", tried);
    return failed || tried == 0 ? 1 : 0;
}
