/// Digests: SHA-256 (FIPS 180-4) for what must be told apart for ever (scenario, assets, contents),
/// CRC-32 as in zlib is left to the store.
#ifndef GMC_ENGINE_BASE_HASH_H
#define GMC_ENGINE_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

typedef struct gmc_sha256 {
    uint32_t state[8];
    uint64_t length; ///< bytes taken in
    unsigned char block[64];
} gmc_sha256;

typedef struct gmc_digest {
    char hex[65]; ///< 64 lower-case hexadecimal digits and a zero
} gmc_digest;

void gmc_sha256_start(gmc_sha256 *hash);
void gmc_sha256_add(gmc_sha256 *hash, const void *data, size_t bytes);
gmc_digest gmc_sha256_end(gmc_sha256 *hash);

/// All in one.
gmc_digest gmc_sha256_of(const void *data, size_t bytes);

#endif
