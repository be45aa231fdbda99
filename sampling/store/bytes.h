/// Little-endian numbers in byte streams, the same on every machine.
#ifndef GMC_SAMPLING_STORE_BYTES_H
#define GMC_SAMPLING_STORE_BYTES_H

#include <stdint.h>
#include <string.h>

static inline void gmc_bytes_put_u32(unsigned char *to, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        to[i] = (unsigned char)(value >> (8 * i));
}

static inline void gmc_bytes_put_u64(unsigned char *to, uint64_t value)
{
    for (int i = 0; i < 8; i++)
        to[i] = (unsigned char)(value >> (8 * i));
}

static inline uint32_t gmc_bytes_u32(const unsigned char *from)
{
    uint32_t value = 0;
    for (int i = 0; i < 4; i++)
        value |= (uint32_t)from[i] << (8 * i);
    return value;
}

static inline uint64_t gmc_bytes_u64(const unsigned char *from)
{
    uint64_t value = 0;
    for (int i = 0; i < 8; i++)
        value |= (uint64_t)from[i] << (8 * i);
    return value;
}

/// Every NaN is written as the same quiet NaN: its sign and payload depend on the compiler.
static inline void gmc_bytes_put_f64(unsigned char *to, double value)
{
    uint64_t bits = UINT64_C(0x7ff8000000000000);
    if (value == value) memcpy(&bits, &value, sizeof bits);
    gmc_bytes_put_u64(to, bits);
}

static inline double gmc_bytes_f64(const unsigned char *from)
{
    uint64_t bits = gmc_bytes_u64(from);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
