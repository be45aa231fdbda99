#include "engine/base/list.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>

enum { FIRST = 16 }; // most lists of a scenario or a model stay below it

void *gmc_list_room(void *items, int count, int *capacity, size_t size)
{
    if (count < *capacity) return items;
    if (*capacity > INT_MAX / 2) return NULL;
    int wanted = *capacity > 0 ? 2 * *capacity : FIRST;
    if ((size_t)wanted > SIZE_MAX / size) return NULL;
    void *grown = realloc(items, (size_t)wanted * size);
    if (grown) *capacity = wanted;
    return grown;
}
