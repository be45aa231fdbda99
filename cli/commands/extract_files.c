#include "cli/commands/extract_files.h"

#include "cli/process/folder.h"

#include <stdlib.h>
#include <string.h>

/// How many folders a name climbs at its start.
static int climbs(const char *name)
{
    int count = 0;
    for (; strncmp(name, "../", 3) == 0; name += 3)
        count++;
    return count;
}

/// The name below a scenario that is `depth` folders down, seen from the top; allocated.
static char *placed(const char *name, int depth)
{
    static const char HERE[] = "here/", ROOT[] = "root";
    bool is_absolute = name[0] == '/';
    int up = is_absolute ? depth : climbs(name);
    size_t bytes = strlen(name) + (size_t)depth * sizeof HERE + sizeof ROOT + 1;
    char *text = malloc(bytes);
    if (!text) return NULL;
    text[0] = 0;
    for (int i = up; i < depth; i++)
        strcat(text, HERE);
    if (is_absolute) strcat(text, ROOT);
    strcat(text, is_absolute ? name : name + (size_t)up * 3);
    return text;
}

gmc_status gmc_extract_files_name(const gmc_result_info *info, const char *input,
                                  gmc_diagnostics *messages, gmc_extract_files *files)
{
    size_t count = (size_t)info->asset_count + 1;
    *files = (gmc_extract_files){.names = calloc(count, sizeof *files->names),
                                 .assets = calloc(count, sizeof *files->assets),
                                 .is_used = calloc(count, sizeof *files->is_used)};
    if (!files->names || !files->assets || !files->is_used) return GMC_E_MEMORY;
    int depth = 0;
    for (int i = 0; i < info->asset_count; i++) {
        int up = climbs(info->assets[i].name);
        if (up > depth && !info->assets[i].is_scenario) depth = up;
    }
    for (int i = 0; i < info->asset_count; i++) {
        const gmc_asset *asset = &info->assets[i];
        if (asset->is_scenario) continue; // merged into the text
        char *fresh = placed(asset->name, depth);
        if (!fresh) return GMC_E_MEMORY;
        files->names[files->count] = (gmc_freeze_name){.old = asset->name, .fresh = fresh};
        files->assets[files->count] = *asset;
        files->assets[files->count++].name = fresh;
        if (gmc_folder_is_inside(fresh) && strcmp(fresh, GMC_EXTRACT_SCENARIO) != 0) continue;
        gmc_diagnostics_add(messages, GMC_ERROR, GMC_E_INPUT, (gmc_source){.file = input}, NULL,
                            "its file %.200s has no place in a folder", asset->name);
        return GMC_E_INPUT;
    }
    return GMC_OK;
}

void gmc_extract_files_free(gmc_extract_files *files)
{
    for (int i = 0; i < files->count; i++)
        free((void *)(uintptr_t)files->names[i].fresh);
    free(files->names);
    free(files->assets);
    free(files->is_used);
    *files = (gmc_extract_files){0};
}

void gmc_extract_files_mark(gmc_extract_files *files, const gmc_scenario *fresh)
{
    for (int i = 0; i < files->count; i++)
        for (int k = 0; k < fresh->asset_count; k++)
            files->is_used[i] =
                files->is_used[i] || strcmp(files->assets[i].name, fresh->assets[k].name) == 0;
}

gmc_status gmc_extract_files_write(const gmc_extract_files *files, const char *text,
                                   const char *folder, gmc_diagnostics *messages)
{
    gmc_folder_file *list = calloc((size_t)files->count + 1, sizeof *list);
    if (!list) return GMC_E_MEMORY;
    int count = 0;
    list[count++] = (gmc_folder_file){GMC_EXTRACT_SCENARIO, text, strlen(text)};
    for (int i = 0; i < files->count; i++)
        if (files->is_used[i])
            list[count++] = (gmc_folder_file){files->assets[i].name, files->assets[i].bytes,
                                              files->assets[i].size};
    gmc_status status = gmc_folder_write(folder, list, count, messages);
    free(list);
    return status;
}
