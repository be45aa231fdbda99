/// Options that only change a value of the scenario (--seed, --step, ...) become `--set`s: one way
/// in, one check, one place in the stored text.
#ifndef GMC_CLI_OPTIONS_SETS_H
#define GMC_CLI_OPTIONS_SETS_H

#include "cli/options/args.h"

enum { GMC_SETS_OPTIONS = 8, GMC_SETS_BYTES = 160 };

typedef struct gmc_sets {
    char made[GMC_SETS_OPTIONS][GMC_SETS_BYTES]; ///< of options
    const char
        *list[GMC_ARGS_SET_MAX + GMC_ARGS_SET_OWN + GMC_SETS_OPTIONS + 1]; ///< all, ended by NULL
} gmc_sets;

/// Collect `--set`s in their order, then those of the options. `sets` must not be copied
/// afterwards: the list points into it.
void gmc_sets_collect(const gmc_args *args, gmc_sets *sets);

/// Does the text of a `--set` say what `path`, GROUP.KEY, is: itself, below it, or in a map that is
/// put at GROUP? A map without the key does not, nor does what is no YAML, which is told later.
bool gmc_sets_say(const char *set, const char *path);

#endif
