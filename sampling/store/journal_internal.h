/// The layout of journals (journal.h), for those that read and write them.
#ifndef GMC_SAMPLING_STORE_JOURNAL_INTERNAL_H
#define GMC_SAMPLING_STORE_JOURNAL_INTERNAL_H

#include <stddef.h>
#include <stdint.h>

enum {
    GMC_JOURNAL_FIXED_BYTES = 32, ///< header before the identity
    GMC_JOURNAL_HEAD_BYTES = 16,  ///< record before the payload
    GMC_JOURNAL_CRC_BYTES = 4,
    GMC_JOURNAL_RANGE_BYTES = 16,
    GMC_JOURNAL_IDENTITY_MAX = 1 << 28
};

/// First bytes of the header: eight, without a closing zero.
extern const char gmc_journal_magic[8];

/// Checksum of a record without its own, bound to its journal and its place.
/// @param seed  the crc at the end of the header
uint32_t gmc_journal_record_crc(uint32_t seed, uint64_t offset, const unsigned char *record,
                                size_t bytes);

#endif
