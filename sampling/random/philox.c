// A thin door to Random123: its array types stay behind this file, so that the generator can be
// replaced (or vectorised) without touching a caller. The known-answer vectors that Random123
// publishes are a test (test/statistics/test_philox_vectors.c), so a miscompiled multiplication or
// a packager's patch would be seen.
#include "sampling/random/philox.h"

#include <Random123/philox.h>

gmc_philox_block_words gmc_philox_block(gmc_philox_block_words counter, gmc_philox_key key)
{
    philox4x64_ctr_t c = {{counter.word[0], counter.word[1], counter.word[2], counter.word[3]}};
    philox4x64_key_t k = {{key.word[0], key.word[1]}};
    c = philox4x64_R(10, c, k);
    return (gmc_philox_block_words){{c.v[0], c.v[1], c.v[2], c.v[3]}};
}
