#define _POSIX_C_SOURCE 200809L
#include "cli/process/text_file.h"

#include "sampling/hdf5/file.h"
#include "sampling/store/beside.h"
#include "sampling/store/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/// Of the name under which it is written (beside.h).
#define MARK "part"

/// The first word of a file, of a comment its words up to a digit; "" if it has none.
static void first_word(const char *path, char word[64])
{
    word[0] = 0;
    FILE *in = fopen(path, "rb");
    size_t got = in ? fread(word, 1, 63, in) : 0;
    if (in) fclose(in);
    word[got] = 0;
    word[strcspn(word, word[0] == '#' ? "0123456789\r\n" : ", \t\r\n")] = 0;
}

/// Is what is there of the kind of what takes its place?
static gmc_status check_kind(const char *path, const char *beside, gmc_diagnostics *messages)
{
    char there[64], here[64];
    first_word(path, there);
    first_word(beside, here);
    if (there[0] != 0 && strcmp(there, here) == 0) return GMC_OK;
    gmc_diagnostics_add(
        messages, GMC_E_EXISTS, (gmc_source){.file = path},
        "-o chooses another name; what is not wanted any more can be removed by hand",
        "the file that is there is not of the kind that is written here, and --force replaces "
        "nothing else");
    return GMC_E_EXISTS;
}

static gmc_status write_beside(const char *path, const char *beside, bool is_there,
                               gmc_text_file_fill *fill, void *context, gmc_diagnostics *messages)
{
    (void)unlink(
        beside); // of a process of this number that was killed; a link goes, not its target
    int file = gmc_file_open_own(beside, O_WRONLY | O_CREAT | O_EXCL);
    FILE *out = file >= 0 ? fdopen(file, "w") : NULL;
    if (!out && file >= 0) close(file);
    if (!out) return gmc_file_complain(messages, GMC_E_CREATE, path, "cannot create", errno);
    int held = gmc_beside_hold(fileno(out));
    gmc_status status = fill(context, out);
    int error = 0;
    if (fflush(out) != 0) error = errno;
    if (error == 0) error = gmc_file_sync(&gmc_file_system_io, fileno(out));
    if (fclose(out) != 0 && error == 0) error = errno;
    if (held >= 0) (void)close(held); // it is about to be whole
    bool is_full = error != 0 && (status == GMC_OK || status == GMC_E_IO);
    if (is_full) return gmc_file_complain(messages, GMC_E_IO, path, "cannot write", error);
    GMC_TRY(status);
    if (is_there) GMC_TRY(check_kind(path, beside, messages));
    if (rename(beside, path) != 0)
        return gmc_file_complain(messages, GMC_E_CREATE, path, "cannot create", errno);
    return gmc_file_sync_folder(path, messages);
}

/// @param is_there  out: a file is there, and it has bytes
static gmc_status may(const char *path, bool force, const char *input, gmc_diagnostics *messages,
                      bool *is_there)
{
    struct stat found;
    *is_there = false;
    GMC_TRY(gmc_replace_file(path, &input, 1, messages, is_there));
    if (!force && lstat(path, &found) == 0) {
        gmc_diagnostics_add(messages, GMC_E_EXISTS, (gmc_source){.file = path},
                            "-o chooses another name; --force replaces what such a command wrote",
                            "a file of this name is there already");
        return GMC_E_EXISTS;
    }
    return GMC_OK;
}

gmc_status gmc_text_file_may(const char *path, bool force, const char *input,
                             gmc_diagnostics *messages)
{
    bool is_there;
    return may(path, force, input, messages, &is_there);
}

gmc_status gmc_text_file_write(const char *path, bool force, const char *input,
                               gmc_text_file_fill *fill, void *context, gmc_diagnostics *messages)
{
    bool is_there;
    GMC_TRY(may(path, force, input, messages, &is_there));
    char *beside = gmc_beside_name(path, MARK);
    if (!beside) return GMC_E_MEMORY;
    gmc_beside_clean(path, MARK, false);
    gmc_status status = write_beside(path, beside, is_there, fill, context, messages);
    if (status != GMC_OK) (void)unlink(beside);
    free(beside);
    return status;
}
