/// Texts that two sessions on one output must agree on: `key: value` lines nested by indentation,
/// lists with `- `, maps between braces on one line. Where they differ, a person wants the key, not
/// two digests.
#ifndef GMC_SAMPLING_STORE_IDENTITY_H
#define GMC_SAMPLING_STORE_IDENTITY_H

#include "engine/base/status.h"

#include <stdbool.h>
#include <stddef.h>

/// Find the first key whose value differs, in the order of `here`, then keys that only `there` has:
/// "scenario.object.mass is 0.2 there, 0.3 here". Elements of lists are numbered from 0.
/// @param aside  NULL, or keys ended by NULL that are not compared, nor what lies below them
/// @param text   out: the sentence, cut to `bytes`; untouched if they are equal
/// @return true if what is compared differs
bool gmc_identity_difference(const char *there, const char *here, const char *const *aside,
                             char *text, size_t bytes);

/// A value that is not the same. Texts are not terminated: they have lengths; NULL: the key is
/// missing there.
typedef struct gmc_identity_change {
    const char *key; ///< terminated
    const char *there, *here;
    int there_bytes, here_bytes;
} gmc_identity_change;

/// Hand out all differences in that order.
/// @param visit  the change is valid during the call
/// @return GMC_OK, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_identity_each(const char *there, const char *here,
                                            void (*visit)(void *context,
                                                          const gmc_identity_change *change),
                                            void *context);

#endif
