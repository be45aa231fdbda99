/// One tree out of several: `use:` and `--set`.
#ifndef GMC_SAMPLING_LANGUAGE_MERGE_H
#define GMC_SAMPLING_LANGUAGE_MERGE_H

#include "sampling/language/node.h"
#include "sampling/language/schema.h"

enum {
    GMC_MERGE_USE_MAX = 8,   ///< longest chain of `use:`
    GMC_MERGE_HINT_MAX = 360 ///< bytes of a hint
};

/// Keys of the root that take a `use:` of their own.
enum { GMC_MERGE_BLOCKS = 4 };
extern const char *const gmc_merge_blocks[GMC_MERGE_BLOCKS];

/// Is a pair of surfaces, "rubber/abs", another one the other way round?
bool gmc_merge_is_turned(const char *pair, const char *other);

/// How to mend what was given under two names: by the first where it stands in a file that the
/// second's file uses, else by either.
/// @param name  the first
/// @param hint  out: in words
void gmc_merge_hint_twin(gmc_source first, gmc_source second, const char *name,
                         char hint[GMC_MERGE_HINT_MAX]);

/// Override `base` by `over`, both maps of `group`: maps merge key by key, everything else is
/// replaced; a key of `over` drops the keys of `base` that it excludes (`sphere:` drops `box:`). A
/// short form (short_form.h) that meets a map is the map that it stands for. Entries have one name,
/// but a pair of surfaces is taken away (`~`) by either; whoever checks the tree tells of the rest.
/// @param base  changed; entries are moved into it, out of `over`
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_merge_trees(gmc_schema_group group, gmc_node *base, gmc_node *over,
                                          gmc_arena *arena);

/// Apply one "PATH=VALUE"; "PATH=~" takes a key away. Below a short form (short_form.h) it is
/// added. What the value excludes is dropped: `object.sphere=...` drops the box,
/// `sampling.draws=...` drops study.draws. Mistakes are reported with the text itself as their
/// place.
/// @param set  outlives the tree
/// @return GMC_OK, also when a mistake was reported; GMC_E_ARENA_FULL, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_merge_set(gmc_node *root, const char *set, gmc_diagnostics *report,
                                        gmc_arena *arena);

#endif
