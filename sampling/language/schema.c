#include "sampling/language/schema.h"

#include "sampling/language/nearest.h"

#include <string.h>

const gmc_schema_row *gmc_schema_find(gmc_schema_group group, const char *key)
{
    for (int i = 0; i < gmc_schema_row_count; i++)
        if (gmc_schema_rows[i].group == group && strcmp(gmc_schema_rows[i].key, key) == 0)
            return &gmc_schema_rows[i];
    return NULL;
}

size_t gmc_schema_key_length(gmc_schema_group group, const char *path)
{
    size_t length = strcspn(path, ".");
    int count = 0;
    const gmc_schema_row *rows = gmc_schema_group_rows(group, &count);
    for (int i = 0; i < count; i++) {
        size_t key = strlen(rows[i].key);
        bool is_whole = strncmp(path, rows[i].key, key) == 0 && (path[key] == '.' || !path[key]);
        if (is_whole && key > length) length = key;
    }
    return length;
}

const gmc_schema_row *gmc_schema_group_rows(gmc_schema_group group, int *count)
{
    int first = 0;
    while (first < gmc_schema_row_count && gmc_schema_rows[first].group != group)
        first++;
    int end = first;
    while (end < gmc_schema_row_count && gmc_schema_rows[end].group == group)
        end++;
    *count = end - first;
    return &gmc_schema_rows[first];
}

const char *gmc_schema_nearest(gmc_schema_group group, const char *key)
{
    gmc_nearest nearest = gmc_nearest_start(key);
    int count = 0;
    const gmc_schema_row *rows = gmc_schema_group_rows(group, &count);
    for (int i = 0; i < count; i++)
        gmc_nearest_offer(&nearest, rows[i].key);
    return nearest.best;
}
