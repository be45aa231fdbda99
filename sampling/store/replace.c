// A result is told by the attribute that every reader looks for first. A damaged one is not taken
// away: whoever wants that removes it by name.
#define _POSIX_C_SOURCE 200809L
#include "sampling/store/replace.h"

#include "sampling/hdf5/h5.h"
#include "sampling/store/layout.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static gmc_status refuse(gmc_diagnostics *messages, gmc_status status, const char *path,
                         const char *hint, const char *what)
{
    gmc_diagnostics_add(messages, status, (gmc_source){.file = path}, hint, "%s", what);
    return status;
}

gmc_status gmc_replace_file(const char *path, const char *const *inputs, int input_count,
                            gmc_diagnostics *messages, bool *is_there)
{
    struct stat found, input;
    *is_there = false;
    if (lstat(path, &found) != 0) return GMC_OK;
    if (S_ISLNK(found.st_mode))
        return refuse(messages, GMC_E_EXISTS, path, "name the file that it leads to",
                      "a link is not replaced");
    if (!S_ISREG(found.st_mode))
        return refuse(messages, GMC_E_CREATE, path, "-o chooses another name",
                      S_ISDIR(found.st_mode) ? "cannot be replaced: Is a directory"
                                             : "cannot be replaced: it is no regular file");
    for (int i = 0; i < input_count; i++)
        if (stat(inputs[i], &input) == 0 && input.st_dev == found.st_dev &&
            input.st_ino == found.st_ino)
            return refuse(messages, GMC_E_EXISTS, path, "-o chooses another name",
                          "this is an input of the command, which --force does not replace");
    *is_there = found.st_size > 0;
    return GMC_OK;
}

/// Has the file the mark of a result? What is no HDF5 has none.
/// @return GMC_OK, GMC_E_IO (reported: nobody can tell), GMC_E_MEMORY
static gmc_status find_mark(const char *path, gmc_diagnostics *messages, bool *is_result)
{
    gmc_diagnostics said = {0};
    gmc_h5_read file = {0};
    char *schema = NULL;
    gmc_status status = gmc_h5_read_open(path, &said, &file);
    bool is_open = status == GMC_OK;
    if (is_open) status = gmc_h5_read_text(&file, "/", "schema", "", &schema);
    *is_result = status == GMC_OK && strcmp(schema, GMC_LAYOUT_SCHEMA) == 0;
    free(schema);
    if (is_open) gmc_h5_read_close(&file);
    bool is_told = status == GMC_E_IO || status == GMC_E_MEMORY;
    for (int i = 0; i < said.count && is_told; i++)
        gmc_diagnostics_copy(messages, &said.items[i], (gmc_source){.file = path});
    gmc_diagnostics_free(&said);
    return is_told ? status : GMC_OK;
}

gmc_status gmc_replace_result(const char *path, const char *const *inputs, int input_count,
                              gmc_diagnostics *messages)
{
    bool is_there, is_result = false;
    GMC_TRY(gmc_replace_file(path, inputs, input_count, messages, &is_there));
    if (is_there) GMC_TRY(find_mark(path, messages, &is_result));
    if (!is_there || is_result) return GMC_OK;
    return refuse(messages, GMC_E_EXISTS, path,
                  "-o chooses another name; what is not wanted any more can be removed by hand",
                  "this is no result of graspmc, and --force replaces nothing else");
}

gmc_status gmc_replace_nothing(const char *path, const char *const *inputs, int input_count,
                               gmc_diagnostics *messages)
{
    struct stat found;
    if (lstat(path, &found) != 0) return GMC_OK;
    GMC_TRY(gmc_replace_result(path, inputs, input_count, messages));
    return refuse(messages, GMC_E_EXISTS, path, "--force replaces it, -o chooses another name",
                  "a file of this name is there already");
}
