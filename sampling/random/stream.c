// The name goes into the key and the draw into the counter (not the other way round): Philox
// decorrelates keys and counters alike, and so one stream's draws are one counter walk, the use
// that [salmon2011] tested most. Sequential generators with jump-ahead were rejected: with them a
// trial depends on how many numbers earlier parameters took.
#include "sampling/random/stream.h"

#include "engine/base/hash.h"

#include <Random123/philox.h>

#include <stdint.h>
#include <string.h>

// ==== the generator ====

// Counter-based random blocks: Philox4x64 with ten rounds, a keyed bijection of 256 bits that
// passes every test of TestU01's BigCrush [salmon2011]. No state: equal arguments give equal
// words.
//
// The one place that knows Random123, whose code does the rounds.
// A thin door to Random123: its array types stay behind this file, so that the generator can be
// replaced (or vectorised) without touching a caller. The known-answer vectors that Random123
// publishes are a test (test/statistics/test_philox_vectors.c), so a miscompiled multiplication or
// a packager's patch would be seen.

gmc_philox_block_words gmc_stream_philox(gmc_philox_block_words counter, gmc_philox_key key)
{
    philox4x64_ctr_t c = {{counter.word[0], counter.word[1], counter.word[2], counter.word[3]}};
    philox4x64_key_t k = {{key.word[0], key.word[1]}};
    c = philox4x64_R(10, c, k);
    return (gmc_philox_block_words){{c.v[0], c.v[1], c.v[2], c.v[3]}};
}

// ==== streams ====

uint64_t gmc_stream_hash(const char *name)
{
    gmc_digest digest = gmc_sha256_of(name, strlen(name));
    uint64_t hash = 0;
    for (int i = 0; i < 16; i++) {
        char c = digest.hex[i];
        hash = hash << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    return hash;
}

gmc_stream gmc_stream_open(uint64_t seed, uint64_t draw, const char *name)
{
    return gmc_stream_open_hashed(seed, draw, gmc_stream_hash(name));
}

gmc_stream gmc_stream_open_hashed(uint64_t seed, uint64_t draw, uint64_t name_hash)
{
    return (gmc_stream){.seed = seed, .name_hash = name_hash, .draw = draw, .case_word = 0};
}

gmc_stream gmc_stream_for_case(gmc_stream stream, uint64_t case_index)
{
    stream.case_word = case_index + 1;
    return stream;
}

uint64_t gmc_stream_bits(gmc_stream stream, uint64_t index)
{
    gmc_philox_key key = {{stream.seed, stream.name_hash}};
    gmc_philox_block_words counter = {{index / 4, stream.draw, stream.case_word, 0}};
    return gmc_stream_philox(counter, key).word[index % 4];
}

double gmc_stream_uniform(gmc_stream stream, uint64_t index)
{
    return (double)(gmc_stream_bits(stream, index) >> 11) * 0x1p-53;
}
