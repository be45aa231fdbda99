/// The table of materials that the program brings along: `use: graspmc/materials@1`. A scenario
/// takes from it the friction of those pairs of surfaces that it has, and those of its named
/// numbers that its formulas name; the rest leaves no trace in it.
#ifndef GMC_SAMPLING_LANGUAGE_MATERIALS_H
#define GMC_SAMPLING_LANGUAGE_MATERIALS_H

#include "sampling/language/node.h"

#include <string.h>

/// Static friction of two clean, dry surfaces.
typedef struct gmc_material_pair {
    const char *a, *b;
    double friction;
    const char *source; ///< a key of REFERENCES.md with its brackets, and what was measured there
} gmc_material_pair;

/// A number of one material, by its path: "modulus.steel".
typedef struct gmc_material_number {
    const char *path, *value; ///< as in a scenario: "200 GPa"
    const char *source;
} gmc_material_number;

extern const gmc_material_pair gmc_material_pairs[];
extern const int gmc_material_pair_count;
extern const gmc_material_number gmc_material_numbers[];
extern const int gmc_material_number_count;

/// What `use:` calls the table. A version never changes.
extern const char gmc_materials_name[];

/// NULL: the table does not say.
static inline const gmc_material_pair *gmc_materials_find(const char *a, const char *b)
{
    for (int i = 0; i < gmc_material_pair_count; i++) {
        const gmc_material_pair *pair = &gmc_material_pairs[i];
        if ((strcmp(pair->a, a) == 0 && strcmp(pair->b, b) == 0) ||
            (strcmp(pair->a, b) == 0 && strcmp(pair->b, a) == 0))
            return pair;
    }
    return NULL;
}

/// The table as a scenario's text, which the caller frees.
/// @return GMC_OK, GMC_E_MEMORY (NULL)
GMC_MUST_CHECK gmc_status gmc_materials_text(char **text);

/// Take out of a merged tree what came from the table and is named by nothing else.
void gmc_materials_prune(gmc_node *root);

#endif
