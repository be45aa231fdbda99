#define _POSIX_C_SOURCE 200809L
#include "cli/text_file.h"

#include "sampling/store/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static gmc_status write_beside(const char *path, const char *beside, const char *text,
                               gmc_diagnostics *messages)
{
    int file = open(beside, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file < 0) return gmc_file_complain(messages, GMC_E_CREATE, path, "cannot create", errno);
    int error = gmc_file_write(&gmc_file_system_io, file, text, strlen(text));
    if (error == 0) error = gmc_file_sync(&gmc_file_system_io, file);
    if (close(file) != 0 && error == 0) error = errno;
    if (error != 0) return gmc_file_complain(messages, GMC_E_IO, path, "cannot write", error);
    if (rename(beside, path) != 0)
        return gmc_file_complain(messages, GMC_E_CREATE, path, "cannot create", errno);
    return gmc_file_sync_folder(path, messages);
}

gmc_status gmc_text_file_write(const char *path, const char *text, bool force,
                               gmc_diagnostics *messages)
{
    struct stat found;
    if (!force && lstat(path, &found) == 0) {
        gmc_diagnostics_add(messages, GMC_ERROR, GMC_E_EXISTS, (gmc_source){.file = path},
                            "--force replaces it, -o chooses another name",
                            "a file of this name is there already");
        return GMC_E_EXISTS;
    }
    size_t bytes = strlen(path) + 40;
    char *beside = malloc(bytes);
    if (!beside) return GMC_E_MEMORY;
    snprintf(beside, bytes, "%s.part.%ld", path, (long)getpid());
    gmc_status status = write_beside(path, beside, text, messages);
    if (status != GMC_OK) (void)unlink(beside);
    free(beside);
    return status;
}
