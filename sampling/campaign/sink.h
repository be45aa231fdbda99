/// Where finished trials go. The campaign knows only this; the store behind it may be a journal, a
/// test that counts, or nothing.
#ifndef GMC_SAMPLING_CAMPAIGN_SINK_H
#define GMC_SAMPLING_CAMPAIGN_SINK_H

#include "sampling/campaign/trial.h"

typedef struct gmc_sink {
    void *context;
    /// Keep one trial. Called by one thread at a time, in any order of trials. The trial and all it
    /// points to may be overwritten after the call.
    /// @return GMC_OK; anything else ends the campaign with that status
    gmc_status (*put)(void *context, const gmc_trial *trial);
    /// True if this trial is kept already (resumed runs): it is not run again.
    bool (*has)(void *context, uint64_t trial);
    /// No trial from this number on is kept already; NULL: any may be.
    uint64_t (*end)(void *context);
    /// Called now and then (about every second) so that what was put becomes safe.
    gmc_status (*sync)(void *context);
} gmc_sink;

#endif
