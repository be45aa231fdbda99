#define _XOPEN_SOURCE 700
#include "test/support/scratch.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void give_up(const char *what)
{
    perror(what);
    abort();
}

gmc_scratch gmc_scratch_open(void)
{
    gmc_scratch scratch;
    snprintf(scratch.folder, sizeof scratch.folder, "/tmp/graspmc_test_XXXXXX");
    if (!mkdtemp(scratch.folder)) give_up("mkdtemp");
    return scratch;
}

void gmc_scratch_write(const gmc_scratch *scratch, const char *name, const void *bytes, size_t size,
                       char path[256])
{
    snprintf(path, 256, "%s/%s", scratch->folder, name);
    for (char *p = strchr(path + strlen(scratch->folder) + 1, '/'); p; p = strchr(p + 1, '/')) {
        *p = 0;
        (void)mkdir(path, 0700);
        *p = '/';
    }
    FILE *out = fopen(path, "wb");
    if (!out || fwrite(bytes, 1, size, out) != size || fclose(out) != 0) give_up(path);
}

void gmc_scratch_text(const gmc_scratch *scratch, const char *name, const char *text)
{
    char path[256];
    gmc_scratch_write(scratch, name, text, strlen(text), path);
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status;
    (void)type;
    (void)walk;
    return remove(path);
}

void gmc_scratch_said(const gmc_scratch *scratch, const gmc_diagnostics *report, char *said,
                      size_t size)
{
    FILE *out = tmpfile();
    if (!out) give_up("tmpfile");
    gmc_diagnostics_print(report, out);
    rewind(out);
    said[fread(said, 1, size - 1, out)] = 0;
    fclose(out);
    size_t length = strlen(scratch->folder) + 1;
    for (char *p = said; (p = strstr(p, scratch->folder));)
        memmove(p, p + length, strlen(p + length) + 1);
}

void gmc_scratch_close(gmc_scratch *scratch)
{
    (void)nftw(scratch->folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}
