/// A scenario file made ready to run, in one call: read, hand's joints declared, paths resolved,
/// models compiled.
#ifndef GMC_SAMPLING_BUILD_PREPARE_H
#define GMC_SAMPLING_BUILD_PREPARE_H

#include "sampling/build/build.h"
#include "sampling/scenario/scenario_read.h"

typedef struct gmc_prepared {
    gmc_arena arena; ///< owns what the scenario points to
    gmc_scenario scenario;
    gmc_build *build;
} gmc_prepared;

/// @param file      as given; must outlive `prepared`, as must the strings of `sets`
/// @param sets      NULL, or "PATH=VALUE" texts ended by NULL
/// @param allow     NULL, or folders ended by NULL from which `use:` may take files (scenario.h)
/// @param cache     of meshes cut into convex pieces, NULL: none; read during the call only
/// @param report    every mistake and warning
/// @param prepared  out; gmc_prepared_free also after a failure
/// @return GMC_OK, GMC_E_INPUT, GMC_E_MISSING, GMC_E_IO (all reported), GMC_E_MEMORY,
///         GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_prepare(const char *file, const char *const *sets,
                                      const char *const *allow, const gmc_pieces_cache *cache,
                                      gmc_diagnostics *report, gmc_prepared *prepared);

/// The same from a text that is in no file; what it names is read from disk.
GMC_MUST_CHECK gmc_status gmc_prepare_text(const char *file, const char *text,
                                           const gmc_pieces_cache *cache, gmc_diagnostics *report,
                                           gmc_prepared *prepared);

/// The same from a text and the files embedded with it; nothing is read from disk.
GMC_MUST_CHECK gmc_status gmc_prepare_embedded(const gmc_embedded *from,
                                               const gmc_pieces_cache *cache,
                                               gmc_diagnostics *report, gmc_prepared *prepared);

void gmc_prepared_free(gmc_prepared *prepared);

#endif
