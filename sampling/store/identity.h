/// Texts that two sessions on one output must agree on: `key: value` lines nested by indentation,
/// lists with `- `. Where they differ, a person wants the key, not two digests.
#ifndef GMC_SAMPLING_STORE_IDENTITY_H
#define GMC_SAMPLING_STORE_IDENTITY_H

#include "engine/base/status.h"

#include <stdbool.h>
#include <stddef.h>

/// The key `details` at the outermost level holds what only explains: the block below it is not
/// compared itself, but looked into when the key `scenario_digest` differs. There, sampling.draws,
/// study.draws and output.* are passed over: they do not belong to the digest.
///
/// Find the first key whose value differs, in the order of `here`, then keys that only `there` has:
/// "object.mass is 0.2 kg there, 0.3 kg here". Elements of lists are numbered from 0.
/// @param text  out: the sentence, cut to `bytes`; untouched if they are equal
/// @return true if what is compared differs
bool gmc_identity_difference(const char *there, const char *here, char *text, size_t bytes);

#endif
