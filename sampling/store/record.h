/// A trial as bytes, the same on every machine: what the journal keeps and what content digests are
/// taken over. Little-endian; every NaN is the same NaN.
///
///   core        u64 trial | u64 draw | u32 case | u32 outcome | u32 reason | i32 phase | f64 t_end
///               | f64 values (columns) | f64 samples (samples)
///   trajectory  u32 rows | u32 bodies | u32 joints | u32 contacts | f64 inertia (bodies, 10)
///               | f64 time (T) | f64 pose (T, bodies, 7) | f64 twist (T, bodies, 6)
///               | f64 q (T, joints) | f64 effort (T, joints) | u32 contact_start (T + 1)
///               | f64 point (C, 3) | f64 normal (C, 3) | f64 force (C, 3) | f64 torque (C, 3)
///               | i32 geoms (C, 2)
///
/// A record without trajectory ends behind the core.
#ifndef GMC_SAMPLING_STORE_RECORD_H
#define GMC_SAMPLING_STORE_RECORD_H

#include "sampling/campaign/trial.h"

/// Bytes of the core.
size_t gmc_record_core_bytes(int column_count, int sample_count);

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
