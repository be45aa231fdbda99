/// Programs that others have tested grasps with, by name and version: `- preset: six_gravities@1`
/// in a program stands for its phases. They take its place before anything else looks at the
/// program, so that the expanded scenario, results and paths (`program.3.hold.for`) know phases
/// only, and a later version changes no old scenario.
#ifndef GMC_SAMPLING_LANGUAGE_PRESET_H
#define GMC_SAMPLING_LANGUAGE_PRESET_H

#include "sampling/language/node.h"

typedef struct gmc_preset {
    const char *name;
    int version;
    const char *about;  ///< what it tests, and where it and its numbers are from
    const char *phases; ///< a list, as in a scenario
} gmc_preset;

extern const gmc_preset gmc_presets[];
extern const int gmc_preset_count;

/// Put phases in the place of presets in the program of a tree. Mistakes in what a preset becomes
/// are told at the line that names it.
/// @return GMC_OK, also when an unknown name or version was reported; GMC_E_ARENA_FULL,
///         GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_preset_expand(gmc_node *root, gmc_diagnostics *report,
                                            gmc_arena *arena);

#endif
