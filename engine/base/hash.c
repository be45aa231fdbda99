// SHA-256 as FIPS 180-4 §6.2 writes it down; no library of our list has one.
#include "engine/base/hash.h"

#include <string.h>

// FIPS 180-4 §4.2.2: first 32 bits of the fractional parts of the cube roots of the first 64 primes
static const uint32_t ROUND[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t x, int n) { return (x >> n) | (x << (32 - n)); }

static void compress(uint32_t state[8], const unsigned char block[64])
{
    uint32_t w[64];
    for (int t = 0; t < 16; t++)
        w[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 |
               (uint32_t)block[4 * t + 2] << 8 | (uint32_t)block[4 * t + 3];
    for (int t = 16; t < 64; t++) {
        uint32_t s0 = rotate(w[t - 15], 7) ^ rotate(w[t - 15], 18) ^ (w[t - 15] >> 3);
        uint32_t s1 = rotate(w[t - 2], 17) ^ rotate(w[t - 2], 19) ^ (w[t - 2] >> 10);
        w[t] = w[t - 16] + s0 + w[t - 7] + s1;
    }

    uint32_t s[8];
    memcpy(s, state, sizeof s);
    for (int t = 0; t < 64; t++) {
        uint32_t e1 = rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25);
        uint32_t choose = (s[4] & s[5]) ^ (~s[4] & s[6]);
        uint32_t t1 = s[7] + e1 + choose + ROUND[t] + w[t];
        uint32_t e0 = rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22);
        uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
        memmove(s + 1, s, 7 * sizeof s[0]);
        s[4] += t1;
        s[0] = t1 + e0 + majority;
    }
    for (int i = 0; i < 8; i++)
        state[i] += s[i];
}

void gmc_sha256_start(gmc_sha256 *hash)
{
    // FIPS 180-4 §5.3.3: fractional parts of the square roots of the first 8 primes
    static const uint32_t START[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(hash->state, START, sizeof START);
    hash->length = 0;
}

void gmc_sha256_add(gmc_sha256 *hash, const void *data, size_t bytes)
{
    const unsigned char *p = data;
    size_t filled = hash->length % 64;
    hash->length += bytes;
    while (bytes > 0) {
        size_t take = 64 - filled < bytes ? 64 - filled : bytes;
        memcpy(hash->block + filled, p, take);
        filled += take;
        p += take;
        bytes -= take;
        if (filled == 64) {
            compress(hash->state, hash->block);
            filled = 0;
        }
    }
}

gmc_digest gmc_sha256_end(gmc_sha256 *hash)
{
    uint64_t bits = hash->length * 8;
    unsigned char tail[72] = {0x80};
    size_t pad = (hash->length % 64 < 56 ? 56 : 120) - hash->length % 64;
    for (int i = 0; i < 8; i++)
        tail[pad + (size_t)i] = (unsigned char)(bits >> (56 - 8 * i));
    gmc_sha256_add(hash, tail, pad + 8);

    gmc_digest digest;
    static const char HEX[] = "0123456789abcdef";
    for (int i = 0; i < 64; i++)
        digest.hex[i] = HEX[hash->state[i / 8] >> (28 - 4 * (i % 8)) & 15];
    digest.hex[64] = 0;
    return digest;
}

gmc_digest gmc_sha256_of(const void *data, size_t bytes)
{
    gmc_sha256 hash;
    gmc_sha256_start(&hash);
    gmc_sha256_add(&hash, data, bytes);
    return gmc_sha256_end(&hash);
}
