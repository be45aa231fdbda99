// Record sizes alone would not do: how well rows and motions compress depends on the scenario. Nor
// would the sizes of two files: rows of few trials fall into room that the file has anyway, so that
// 64 trials seemed to take 154 bytes each where 200 are taken. So the rows' own bytes are asked
// for.
#define _POSIX_C_SOURCE 200809L
#include "sampling/findings/footprint.h"

#include "sampling/hdf5/file.h"
#include "sampling/hdf5/h5.h"
#include "sampling/store/store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/// Bytes of journal and result, and of the result's rows of trials.
typedef struct weight {
    double result, journal, rows;
} weight;

typedef struct measuring {
    gmc_store_plan plan; ///< of one case
    const gmc_trial_copy *trials;
    int *taken; ///< (count) of them: all of one model, whose bodies and joints the plan knows
    int count;
    char path[256], journal[272];
    gmc_diagnostics *messages;
} measuring;

static double size_of(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 ? (double)found.st_size : 0;
}

static gmc_status put_trials(const measuring *m, gmc_store *store, int count, bool has_motion)
{
    gmc_sink sink = gmc_store_sink(store);
    for (int i = 0; i < count; i++) {
        gmc_trial trial = m->trials[m->taken[i]].trial;
        trial.trial = trial.draw = (uint64_t)i;
        trial.case_index = 0;
        if (!has_motion) trial.trajectory = NULL;
        GMC_TRY(sink.put(sink.context, &trial));
    }
    return sink.sync(sink.context);
}

static gmc_status weigh(measuring *m, int count, bool has_motion, weight *found)
{
    gmc_store *store = NULL;
    gmc_store_options options = {.path = m->path, .mode = GMC_JOURNAL_FORCE};
    m->plan.count = m->plan.total = (uint64_t)count;
    gmc_status status = gmc_store_open(&m->plan, &options, m->messages, &store, NULL);
    if (status == GMC_OK) status = put_trials(m, store, count, has_motion);
    if (status == GMC_OK) found->journal = size_of(m->journal);
    if (status == GMC_OK) status = gmc_store_finish(store, NULL);
    gmc_store_close(store);
    static const char *const ROWS[] = {"trials", "samples"};
    if (status == GMC_OK) found->result = size_of(m->path);
    if (status == GMC_OK) found->rows = gmc_h5_stored_bytes(m->path, ROWS, GMC_COUNT(ROWS));
    if (status == GMC_OK && found->rows < 0)
        status = gmc_file_complain(m->messages, GMC_E_IO, m->path, "cannot read", errno);
    (void)unlink(m->journal);
    (void)unlink(m->path);
    return status;
}

static int motions_of(const measuring *m, int count)
{
    int motions = 0;
    for (int i = 0; i < count; i++)
        motions += m->trials[m->taken[i]].trial.trajectory != NULL;
    return motions;
}

static gmc_status measure(measuring *m, gmc_footprint *f)
{
    weight few[2], many[2]; // without motion, with it
    int count = m->count, quarter = count / 4;
    for (int k = 0; k < 2; k++) {
        GMC_TRY(weigh(m, quarter, k == 1, &few[k]));
        GMC_TRY(weigh(m, count, k == 1, &many[k]));
    }
    double trials = count - quarter;
    f->result_trial = many[0].rows / count;
    f->journal_trial = (many[0].journal - few[0].journal) / trials;
    f->result_bytes = many[0].result - count * f->result_trial;
    f->journal_bytes = many[0].journal - count * f->journal_trial;
    double motions = motions_of(m, count), first = motions_of(m, quarter);
    if (motions <= first) return GMC_OK;
    double more = (many[1].result - many[0].result) - (few[1].result - few[0].result);
    f->result_motion = more / (motions - first);
    f->motion_bytes = many[1].result - many[0].result - motions * f->result_motion;
    f->journal_motion = (many[1].journal - many[0].journal) / motions;
    return GMC_OK;
}

/// A folder of its own for the files; taken away again.
static gmc_status measure_in(measuring *m, const char *folder, gmc_footprint *footprint)
{
    char made[224];
    int length = snprintf(made, sizeof made, "%s/graspmc-XXXXXX", folder);
    if (length < 0 || (size_t)length >= sizeof made || !mkdtemp(made))
        return gmc_file_complain(m->messages, GMC_E_CREATE, folder, "cannot create a folder in it",
                                 errno);
    snprintf(m->path, sizeof m->path, "%s/pilot.h5", made);
    snprintf(m->journal, sizeof m->journal, "%s.journal", m->path);
    gmc_status status = measure(m, footprint);
    (void)rmdir(made);
    return status;
}

gmc_status gmc_footprint_measure(const gmc_store_plan *plan, const gmc_trial_copy *trials,
                                 int count, const char *folder, gmc_diagnostics *messages,
                                 gmc_footprint *footprint)
{
    *footprint = (gmc_footprint){0};
    const gmc_store_case *first = &plan->cases[trials[0].trial.case_index];
    measuring m = {.plan = *plan, .trials = trials, .messages = messages};
    m.plan.cases = first;
    m.plan.case_count = 1;
    m.plan.first = 0;
    m.plan.replicas = m.plan.block = 0;
    m.plan.ladder = NULL;
    m.plan.stop = (gmc_stop_rule){.kind = GMC_STOP_NEVER};
    m.taken = malloc((size_t)count * sizeof *m.taken);
    if (!m.taken) return GMC_E_MEMORY;
    for (int i = 0; i < count; i++)
        if (plan->cases[trials[i].trial.case_index].model == first->model) m.taken[m.count++] = i;
    gmc_status status = GMC_OK;
    if (m.count >= GMC_FOOTPRINT_LEAST) status = measure_in(&m, folder, footprint);
    free(m.taken);
    return status;
}
