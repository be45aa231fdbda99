#define _XOPEN_SOURCE 700 // realpath
#include "sampling/language/location.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// Folder of a file's name, allocated: "." where the name has none.
static char *folder_of(const char *file)
{
    const char *slash = strrchr(file, '/');
    size_t length = slash ? (size_t)(slash - file) : 1;
    if (slash == file) length = 1;
    char *folder = calloc(length + 1, 1);
    if (folder) memcpy(folder, slash ? file : ".", length);
    return folder;
}

char *gmc_location_below(const char *scenario, char *name)
{
    char *folder = folder_of(scenario), *found = name;
    struct stat here, above;
    bool is_known = folder && stat(folder, &here) == 0;
    free(folder);
    char *end = is_known ? strrchr(name, '/') : NULL;
    while (end && end > name && found == name) {
        *end = 0;
        bool is_it =
            stat(name, &above) == 0 && above.st_dev == here.st_dev && above.st_ino == here.st_ino;
        char *next = strrchr(name, '/');
        *end = '/';
        if (is_it) found = end + 1;
        end = next;
    }
    return found;
}

char *gmc_location_real(const char *file) { return realpath(file, NULL); }

// Is the resolved name `file` that of something in the folder?
static bool is_in(const char *folder, const char *file)
{
    char *real = gmc_location_real(folder);
    size_t length = real ? strlen(real) : 0;
    if (length == 1) length = 0; // the root: every name goes on with its slash
    bool is_inside = real && strncmp(file, real, length) == 0 && file[length] == '/';
    free(real);
    return is_inside;
}

bool gmc_location_is_inside(const char *scenario, const char *const *allow, const char *file)
{
    char *folder = folder_of(scenario), *real = gmc_location_real(file);
    bool is_inside = !folder || !real || is_in(folder, real);
    for (int i = 0; allow && allow[i] && !is_inside; i++)
        is_inside = is_in(allow[i], real);
    free(folder);
    free(real);
    return is_inside;
}
