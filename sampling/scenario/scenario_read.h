/// Reading a scenario: from a file, a text, or what is stored in a result. Every number of a
/// checked tree (validate.h) becomes an entry of the parameter table, every name and file is kept,
/// surfaces are collected, criteria are parsed. Nodes with mistakes are passed over: they are in
/// the report already.
#ifndef GMC_SAMPLING_SCENARIO_SCENARIO_READ_H
#define GMC_SAMPLING_SCENARIO_SCENARIO_READ_H

#include "sampling/scenario/scenario.h"

/// Read a scenario and all it names with `use:`; apply `--set`; check it against the schema; fill
/// in every default. Paths in `uncertain`, `study`, `set` phases and histograms stay unresolved,
/// because joints become parameters only when the hand is built: then call gmc_resolve_scenario.
///
///   gmc_scenario_read -> build.h adds the joints' parameters -> gmc_resolve_scenario
///
/// @param file      as given; must outlive the scenario, as must the strings of `sets`
/// @param sets      NULL, or "PATH=VALUE" texts ended by NULL, applied in order
/// @param allow     NULL, or folders ended by NULL from which `use:` may take files; those in the
///                  scenario's folder and below it, wherever links lead, may always be used
/// @param report    every mistake, with its place; what is called next tells those in paths, in the
///                  hand and in what touches, as far as the mistakes before leave them to be told
/// @param scenario  out; gmc_scenario_free also after a failure. With a `tree` the calls above can
///                  go on after mistakes
/// @return GMC_OK, GMC_E_INPUT (reported), GMC_E_MISSING (reported), GMC_E_IO (reported),
///         GMC_E_ARENA_FULL, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_scenario_read(const char *file, const char *const *sets,
                                            const char *const *allow, gmc_diagnostics *report,
                                            gmc_arena *arena, gmc_scenario *scenario);

/// The same from a text that is in no file; what it names is read from disk.
/// @param file  that it would stand in, for messages and the places of other files
GMC_MUST_CHECK gmc_status gmc_scenario_read_text(const char *file, const char *text,
                                                 gmc_diagnostics *report, gmc_arena *arena,
                                                 gmc_scenario *scenario);

/// A text and the files embedded with it (results, bug reports).
typedef struct gmc_embedded {
    const char *file; ///< that it stands for, in messages
    const char *text; ///< expanded
    size_t bytes;
    const gmc_asset *assets; ///< (asset_count) kept by the caller as long as the scenario lives
    int asset_count;
} gmc_embedded;

/// The same from memory: nothing is read from disk.
GMC_MUST_CHECK gmc_status gmc_scenario_read_embedded(const gmc_embedded *from,
                                                     gmc_diagnostics *report, gmc_arena *arena,
                                                     gmc_scenario *scenario);

#endif
