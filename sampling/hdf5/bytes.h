/// Little-endian numbers in byte streams, the same on every machine. Written out byte by byte,
/// which compilers turn into one load or store where that is the machine's own order.
#ifndef GMC_SAMPLING_HDF5_BYTES_H
#define GMC_SAMPLING_HDF5_BYTES_H

#include <stdint.h>
#include <string.h>

static inline void gmc_bytes_put_u32(unsigned char *to, uint32_t value)
{
    to[0] = (unsigned char)value;
    to[1] = (unsigned char)(value >> 8);
    to[2] = (unsigned char)(value >> 16);
    to[3] = (unsigned char)(value >> 24);
}

static inline void gmc_bytes_put_u64(unsigned char *to, uint64_t value)
{
    to[0] = (unsigned char)value;
    to[1] = (unsigned char)(value >> 8);
    to[2] = (unsigned char)(value >> 16);
    to[3] = (unsigned char)(value >> 24);
    to[4] = (unsigned char)(value >> 32);
    to[5] = (unsigned char)(value >> 40);
    to[6] = (unsigned char)(value >> 48);
    to[7] = (unsigned char)(value >> 56);
}

static inline uint32_t gmc_bytes_u32(const unsigned char *from)
{
    return (uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 |
           (uint32_t)from[3] << 24;
}

static inline uint64_t gmc_bytes_u64(const unsigned char *from)
{
    return (uint64_t)from[0] | (uint64_t)from[1] << 8 | (uint64_t)from[2] << 16 |
           (uint64_t)from[3] << 24 | (uint64_t)from[4] << 32 | (uint64_t)from[5] << 40 |
           (uint64_t)from[6] << 48 | (uint64_t)from[7] << 56;
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
