/// Files of a reader in memory: a gmc_file_source whose context is a list of them, ended by one
/// without a path.
#ifndef GMC_TEST_SUPPORT_MEMORY_FILES_H
#define GMC_TEST_SUPPORT_MEMORY_FILES_H

#include "engine/base/file.h"

#include <stdlib.h>
#include <string.h>

typedef struct memory_file {
    const char *path, *text;
} memory_file;

static inline gmc_status memory_file_load(void *context, const char *path, gmc_file *file)
{
    for (const memory_file *m = context; m->path; m++) {
        if (strcmp(m->path, path) != 0) continue;
        file->size = strlen(m->text);
        file->bytes = malloc(file->size + 1);
        if (!file->bytes) return GMC_E_MEMORY;
        memcpy(file->bytes, m->text, file->size + 1);
        return GMC_OK;
    }
    return GMC_E_MISSING;
}

#endif
