/// Addressed chance: a number is looked up by (seed, draw, name, index), never consumed. So adding
/// a parameter, a case or a draw changes no other number, and any trial can be repeated alone.
///
///   Philox key      = (seed, hash of the name)
///   Philox counter  = (index / 4, draw, case + 1 or 0, 0);  word index % 4 of the block
///   uniform         = (word >> 11) / 2^53
///
/// This addressing is part of what a seed means: changing it changes every stored result.
///
/// The design `random` needs nothing more than this header: the u of parameter `name` in draw
/// `draw` is gmc_stream_uniform(gmc_stream_open(seed, draw, name), 0).
#ifndef GMC_SAMPLING_RANDOM_STREAM_H
#define GMC_SAMPLING_RANDOM_STREAM_H

#include <stdint.h>

typedef struct gmc_philox_key {
    uint64_t word[2];
} gmc_philox_key;

typedef struct gmc_philox_block_words {
    uint64_t word[4];
} gmc_philox_block_words;

/// The four words that stand at `counter` under `key`.
gmc_philox_block_words gmc_stream_philox(gmc_philox_block_words counter, gmc_philox_key key);

/// A place to read from; a value, free to copy.
typedef struct gmc_stream {
    uint64_t seed;
    uint64_t name_hash;
    uint64_t draw;
    uint64_t case_word; ///< 0: the numbers are common to all cases
} gmc_stream;

/// First 8 bytes of SHA-256 of the name (without the closing zero), read as a big-endian number.
/// Two of a thousand names collide with probability 3e-14.
uint64_t gmc_stream_hash(const char *name);

/// Numbers of `name` in `draw`. Costs one SHA-256; where the name is known beforehand use
/// gmc_stream_open_hashed, which costs nothing.
gmc_stream gmc_stream_open(uint64_t seed, uint64_t draw, const char *name);
gmc_stream gmc_stream_open_hashed(uint64_t seed, uint64_t draw, uint64_t name_hash);

/// The same stream, but with numbers of its own for this case (studies that say `independent`).
gmc_stream gmc_stream_for_case(gmc_stream stream, uint64_t case_index);

/// 64 random bits at `index`.
uint64_t gmc_stream_bits(gmc_stream stream, uint64_t index);

/// Uniform in [0, 1), a multiple of 2^-53.
double gmc_stream_uniform(gmc_stream stream, uint64_t index);

#endif
