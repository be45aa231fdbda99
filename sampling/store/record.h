/// A trial as bytes, the same on every machine: what the journal keeps and what content digests are
/// taken over. Little-endian; every NaN is the same NaN.
///
///   core        fields at their places (gmc_trial_fields): u64, u32, i32 or f64, outcome and
///               reason u32 | f64 values (columns) | f64 samples (samples)
///   trajectory  u32 rows | u32 bodies | u32 joints | u32 contacts | each of
///               gmc_trajectory_arrays: f64, offsets u32, geoms i32; one offset without rows
///
/// A record without trajectory ends behind the core.
#ifndef GMC_SAMPLING_STORE_RECORD_H
#define GMC_SAMPLING_STORE_RECORD_H

#include "sampling/campaign/trial.h"

/// Bytes of the core.
size_t gmc_record_core_bytes(int column_count, int sample_count);

/// A field of a trial as 8, 4 or 1 bytes.
void gmc_record_put_field(const gmc_trial *trial, const gmc_trial_field *field, size_t bytes,
                          unsigned char *to);

/// Read it back; what follows from others is left to them.
/// @return false: there is no such outcome or reason
bool gmc_record_field(const unsigned char *from, size_t bytes, const gmc_trial_field *field,
                      gmc_trial *trial);

/// How the trial of a record ended, whatever else is in it; not checked.
/// @return false: the record is too short to say
bool gmc_record_outcome(const unsigned char *bytes, size_t byte_count, uint32_t *outcome);

/// Bytes of the whole record.
size_t gmc_record_bytes(const gmc_trial *trial, int column_count, int sample_count);

/// Write gmc_record_bytes(...) bytes.
void gmc_record_encode(const gmc_trial *trial, int column_count, int sample_count,
                       unsigned char *bytes);

/// How much a record holds, from its length and first bytes.
/// @return GMC_OK, GMC_E_INPUT (not a record of this many columns and samples)
GMC_MUST_CHECK gmc_status gmc_record_size(const unsigned char *bytes, size_t byte_count,
                                          int column_count, int sample_count, gmc_trial_size *size);

/// Read a record back.
/// @return GMC_OK, GMC_E_INPUT (lengths, enum values or contact offsets that cannot be),
///         GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_record_decode(const unsigned char *bytes, size_t byte_count,
                                            int column_count, int sample_count,
                                            gmc_trial_copy *trial);

#endif
