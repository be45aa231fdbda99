/// Arrays that grow while they are filled: the readers of files and what prepares a run. Never in a
/// trial, whose memory is the arena's.
#ifndef GMC_ENGINE_BASE_LIST_H
#define GMC_ENGINE_BASE_LIST_H

#include <stddef.h>

/// Room for one element more than `count`; the array doubles when it is full, so that filling it
/// costs a few moves an element.
/// @param items     (*capacity) elements of `size` bytes from malloc, or NULL with *capacity 0
/// @param capacity  in and out; unchanged without memory
/// @return the array, which may have moved; NULL: no memory, and `items` is as it was and still the
///         caller's
void *gmc_list_room(void *items, int count, int *capacity, size_t size);

#endif
