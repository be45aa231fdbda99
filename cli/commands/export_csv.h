/// Results as comma-separated values (RFC 4180, lines ended by one line feed): a header, then a row
/// for each trial, row of a motion, or contact. Numbers are the shortest that read back as the same
/// double; NaN is an empty field, infinities are inf and -inf.
#ifndef GMC_CLI_COMMANDS_EXPORT_CSV_H
#define GMC_CLI_COMMANDS_EXPORT_CSV_H

#include "sampling/store/result.h"

#include <stdio.h>

/// All trials: what /trials, /samples and the case's object say. A parameter whose name is a
/// column's stands as "parameter NAME".
/// @return GMC_OK; GMC_E_IO: `out` takes no more; else as gmc_result_trials
GMC_MUST_CHECK gmc_status gmc_export_csv_trials(gmc_result *result, FILE *out);

/// The motion of a trial: time, pose and twist of each body, position and effort of each joint,
/// number of contacts.
GMC_MUST_CHECK gmc_status gmc_export_csv_motion(const gmc_result_info *info,
                                                const gmc_trajectory *motion, FILE *out);

/// Its contacts: time, the two geoms, point, normal from a to b, force and torque on b.
GMC_MUST_CHECK gmc_status gmc_export_csv_contacts(const gmc_result_info *info,
                                                  const gmc_trajectory *motion, FILE *out);

#endif
