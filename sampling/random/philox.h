/// Counter-based random blocks: Philox4x64 with ten rounds, a keyed bijection of 256 bits that
/// passes every test of TestU01's BigCrush [salmon2011]. No state: equal arguments give equal
/// words.
///
/// The one place that knows Random123, whose code does the rounds.
#ifndef GMC_SAMPLING_RANDOM_PHILOX_H
#define GMC_SAMPLING_RANDOM_PHILOX_H

#include <stdint.h>

typedef struct gmc_philox_key {
    uint64_t word[2];
} gmc_philox_key;

typedef struct gmc_philox_block_words {
    uint64_t word[4];
} gmc_philox_block_words;

/// The four words that stand at `counter` under `key`.
gmc_philox_block_words gmc_philox_block(gmc_philox_block_words counter, gmc_philox_key key);

#endif
