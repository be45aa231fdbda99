/// Parts of the summary (private to summary*.c).
#ifndef GMC_SAMPLING_STORE_SUMMARY_INTERNAL_H
#define GMC_SAMPLING_STORE_SUMMARY_INTERNAL_H

#include "sampling/store/summary.h"

/// Write /histograms.
GMC_MUST_CHECK gmc_status gmc_summary_histograms_write(gmc_summary *summary, struct gmc_h5 *h5);

#endif
