// Shared by validate.c (groups of keys) and validate_value.c (what a key holds).
#ifndef GMC_SAMPLING_SCENARIO_VALIDATE_INTERNAL_H
#define GMC_SAMPLING_SCENARIO_VALIDATE_INTERNAL_H

#include "sampling/scenario/validate.h"

enum { GMC_VALIDATE_MISTAKES_MAX = 100 }; // nobody reads more of them in one go

typedef struct gmc_validate {
    gmc_diagnostics *report;
    gmc_arena *arena;
    char path[GMC_VALIDATE_PATH];
} gmc_validate;

// Extend the path used in messages; pop with what push returned.
size_t gmc_validate_push(gmc_validate *v, const char *key);
size_t gmc_validate_push_index(gmc_validate *v, int index);
void gmc_validate_pop(gmc_validate *v, size_t before);

bool gmc_validate_is_full(const gmc_validate *v);

GMC_MUST_CHECK gmc_status gmc_validate_group(gmc_validate *v, gmc_schema_group group,
                                             gmc_yaml_node *map);
GMC_MUST_CHECK gmc_status gmc_validate_value(gmc_validate *v, const gmc_schema_row *row,
                                             gmc_yaml_node *node);

#endif
