#define _POSIX_C_SOURCE 200809L
#include "engine/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// Read by growing, not by asking for the size first: a pipe has none, and a file may still grow.
static gmc_status read_all(FILE *in, gmc_file *file)
{
    size_t capacity = 0;
    for (;;) {
        if (file->size + 1 >= capacity) {
            capacity = capacity ? 2 * capacity : (size_t)1 << 16;
            unsigned char *bytes = realloc(file->bytes, capacity);
            if (!bytes) return GMC_E_MEMORY;
            file->bytes = bytes;
        }
        size_t got = fread(file->bytes + file->size, 1, capacity - 1 - file->size, in);
        file->size += got;
        if (file->size > GMC_FILE_BYTES_MAX) return GMC_E_LIMIT;
        if (got == 0) break;
    }
    file->bytes[file->size] = 0;
    if (ferror(in)) return errno == EISDIR ? GMC_E_MISSING : GMC_E_IO;
    return GMC_OK;
}

FILE *gmc_file_open(const char *path)
{
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) return NULL;
    int flags = fcntl(file, F_GETFL);
    if (flags >= 0) (void)fcntl(file, F_SETFL, flags & ~O_NONBLOCK);
    FILE *in = fdopen(file, "rb");
    if (!in) close(file);
    return in;
}

gmc_status gmc_file_read(const char *path, gmc_file *file)
{
    *file = (gmc_file){0};
    FILE *in = gmc_file_open(path);
    if (!in) return errno == ENOMEM ? GMC_E_MEMORY : GMC_E_MISSING;
    errno = 0;
    gmc_status status = read_all(in, file);
    fclose(in);
    if (status != GMC_OK) gmc_file_free(file);
    return status;
}

gmc_status gmc_file_load(const gmc_file_source *source, const char *path, gmc_file *file)
{
    if (!source) return gmc_file_read(path, file);
    *file = (gmc_file){0};
    return source->load(source->context, path, file);
}

void gmc_file_free(gmc_file *file)
{
    free(file->bytes);
    *file = (gmc_file){0};
}
