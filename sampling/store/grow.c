// A file keeps the bodies, joints and geoms of all its models under their names, in one list each;
// a trial has those of its model. Pieces of a mesh share a name: any of them stands for all,
// because the file will know them by their name again.
#include "sampling/store/grow.h"

#include "sampling/campaign/rollouts.h"
#include "sampling/writing/fingerprint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Nothing is taken over from a file that changed since it was written.
static gmc_status verify(const char *path, gmc_diagnostics *messages)
{
    gmc_result *result;
    GMC_TRY(gmc_result_open(path, messages, &result));
    gmc_status status = gmc_result_verify(result);
    gmc_result_close(result);
    return status;
}

/// The plan that such a file was written by; `race` is room for its ranking.
static gmc_status plan_there(const gmc_store_plan *plan, const gmc_result_info *info,
                             gmc_race_plan *race, gmc_store_plan *there)
{
    *there = *plan;
    there->count = there->total = info->total;
    if (!plan->race) return GMC_OK;
    *race = *plan->race;
    race->budget = info->rank_budget;
    race->last = info->rank_last;
    there->race = race;
    there->round = info->round;
    char *text;
    GMC_TRY(
        gmc_fingerprint_with_budget(plan->fingerprint, info->rank_budget, info->rank_last, &text));
    there->digest = gmc_sha256_of(text, strlen(text));
    free(text);
    return GMC_OK;
}

/// Is there more to be had than the file can have?
static bool is_larger(const gmc_store_plan *plan, const gmc_result_info *info)
{
    if (plan->first > 0 || plan->count < plan->total || plan->stop.kind != GMC_STOP_NEVER)
        return false;
    if (!plan->race)
        return info->first == 0 && info->count == info->total && info->total < plan->total;
    bool is_ranking = info->rank[0] != 0 && !info->round.after; // no part of a round
    return is_ranking && !plan->round.is_open && info->rank_budget <= plan->race->budget &&
           info->rank_last <= plan->race->last;
}

gmc_status gmc_grow_fits(const char *path, const gmc_store_plan *plan, gmc_diagnostics *damage,
                         bool *fits)
{
    gmc_diagnostics messages = {0};
    gmc_result *result;
    *fits = false;
    char difference[600] = "it cannot be read";
    gmc_status status = gmc_result_open(path, &messages, &result);
    if (status == GMC_E_IO && messages.count > 0)
        snprintf(difference, sizeof difference, "%s", messages.items[0].message);
    if (status == GMC_OK) {
        const gmc_result_info *info = gmc_result_about(result);
        gmc_store_plan there;
        gmc_race_plan race;
        bool is_asked = is_larger(plan, info);
        if (is_asked) status = plan_there(plan, info, &race, &there);
        if (is_asked && status == GMC_OK)
            status = gmc_result_matches(path, &there, difference, sizeof difference);
        *fits = is_asked && status == GMC_OK;
    }
    gmc_result_close(result);
    gmc_diagnostics_free(&messages);
    if (*fits) return verify(path, damage);
    if (status == GMC_E_IO)
        gmc_diagnostics_add(damage, GMC_ERROR, status, (gmc_source){.file = path}, NULL, "%s",
                            difference);
    if (status == GMC_E_IO) return status;
    return status == GMC_E_MEMORY ? status : GMC_OK; // what cannot be read does not grow
}

/// Where each name of a model stands in the file's list, or the other way round; −1: nowhere.
static int *find_all(const char *const *names, int count, const char *const *among, int among_count)
{
    int *at = malloc(((size_t)count + 1) * sizeof *at);
    for (int i = 0; at && i < count; i++) {
        at[i] = -1;
        for (int k = 0; k < among_count && at[i] < 0; k++)
            if (strcmp(names[i], among[k]) == 0) at[i] = k;
    }
    return at;
}

typedef struct translation {
    int *bodies, *joints; ///< of the model: place in the file
    int *geoms;           ///< of the file: place in the model
} translation;

static gmc_status translation_create(const gmc_store_model *model, const gmc_store_model *file,
                                     translation *t)
{
    t->bodies = find_all(model->bodies, model->body_count, file->bodies, file->body_count);
    t->joints = find_all(model->joints, model->joint_count, file->joints, file->joint_count);
    t->geoms = find_all(file->geoms, file->geom_count, model->geoms, model->geom_count);
    return t->bodies && t->joints && t->geoms ? GMC_OK : GMC_E_MEMORY;
}

static void translation_free(translation *t)
{
    free(t->bodies);
    free(t->joints);
    free(t->geoms);
}

/// (rows, count, width) numbers of the model out of (rows, file_count, width) of the file.
static void pick(const double *from, int file_count, const int *at, int count, int width, int rows,
                 double *to)
{
    for (int r = 0; r < rows; r++)
        for (int i = 0; i < count; i++)
            memcpy(to + ((size_t)r * (size_t)count + (size_t)i) * (size_t)width,
                   from + ((size_t)r * (size_t)file_count + (size_t)at[i]) * (size_t)width,
                   (size_t)width * sizeof *to);
}

/// A copy of `from` in the model's layout.
static gmc_status translate(const gmc_trial *from, const gmc_store_plan *plan,
                            const gmc_store_model *model, const translation *t, gmc_trial_copy *to)
{
    const gmc_trajectory *path = from->trajectory;
    gmc_trajectory narrow = *path; // the arrays that no model changes
    narrow.body_count = model->body_count;
    narrow.joint_count = model->joint_count;
    gmc_trial trial = *from;
    trial.trajectory = &narrow;
    GMC_TRY(gmc_trial_copy_set(to, &trial, plan->column_count, plan->parameter_count));

    gmc_trajectory *out = &to->trajectory;
    int rows = path->row_count, bodies = model->body_count, joints = model->joint_count;
    pick(path->inertia, path->body_count, t->bodies, bodies, 10, 1, out->inertia);
    pick(path->pose, path->body_count, t->bodies, bodies, 7, rows, out->pose);
    pick(path->twist, path->body_count, t->bodies, bodies, 6, rows, out->twist);
    pick(path->q, path->joint_count, t->joints, joints, 1, rows, out->q);
    pick(path->effort, path->joint_count, t->joints, joints, 1, rows, out->effort);
    uint32_t contacts = rows > 0 ? path->contact_start[rows] : 0;
    for (uint32_t i = 0; i < 2 * contacts; i++)
        out->contact_geoms[i] = t->geoms[path->contact_geoms[i]];
    return GMC_OK;
}

static bool is_known(const gmc_trajectory *path, const gmc_store_model *file,
                     const gmc_store_model *model, const translation *t)
{
    for (int i = 0; i < model->body_count; i++)
        if (t->bodies[i] < 0) return false;
    for (int i = 0; i < model->joint_count; i++)
        if (t->joints[i] < 0) return false;
    uint32_t contacts = path->row_count > 0 ? path->contact_start[path->row_count] : 0;
    for (uint32_t i = 0; i < 2 * contacts; i++) {
        int32_t geom = path->contact_geoms[i];
        if (geom < 0 || geom >= file->geom_count || t->geoms[geom] < 0) return false;
    }
    return true;
}

// ---- rankings ----

/// Trials of a file of a ranking that another one asks for.
typedef struct wanted {
    gmc_race *race;
    uint64_t *trials; ///< (count) rising; first all of the file
    uint64_t count;
} wanted;

static gmc_status note_trial(void *context, const gmc_trial *trial)
{
    wanted *w = context;
    w->trials[w->count++] = trial->trial;
    return gmc_race_put(w->race, trial->trial, gmc_rollouts_verdict(trial));
}

static gmc_status find_wanted(gmc_result *result, const gmc_store_plan *plan, wanted *w)
{
    gmc_race_round open;
    w->trials = malloc(((size_t)gmc_result_about(result)->count + 1) * sizeof *w->trials);
    if (!w->trials) return GMC_E_MEMORY;
    gmc_status status = gmc_race_create(plan->race, &w->race);
    if (status == GMC_OK) status = gmc_result_trials(result, note_trial, w);
    if (status == GMC_OK) status = gmc_race_catch_up(w->race, &open);
    uint64_t kept = 0;
    for (uint64_t i = 0; i < w->count && status == GMC_OK; i++)
        if (gmc_race_asks(w->race, w->trials[i])) w->trials[kept++] = w->trials[i];
    w->count = kept;
    gmc_race_free(w->race);
    return status;
}

gmc_status gmc_grow_trials(const char *path, const gmc_store_plan *plan,
                           gmc_status (*visit)(void *context, const gmc_trial *trial),
                           void *context, gmc_diagnostics *messages)
{
    gmc_result *result = NULL;
    gmc_trial_copy stored = {0}, copy = {0};
    translation *all = calloc((size_t)plan->model_count + 1, sizeof *all);
    gmc_status status = all ? gmc_result_open(path, messages, &result) : GMC_E_MEMORY;
    const gmc_result_info *info = status == GMC_OK ? gmc_result_about(result) : NULL;
    for (int m = 0; m < plan->model_count && status == GMC_OK; m++)
        status = translation_create(&plan->models[m], &info->names, &all[m]);

    wanted all_wanted = {0};
    if (status == GMC_OK && plan->race) status = find_wanted(result, plan, &all_wanted);
    uint64_t count = plan->race ? all_wanted.count : info ? info->count : 0;
    for (uint64_t i = 0; status == GMC_OK && i < count; i++) {
        uint64_t number = plan->race ? all_wanted.trials[i] : info->first + i;
        status = gmc_result_trial(result, number, &stored);
        if (status != GMC_OK) break;
        const gmc_trial *trial = &stored.trial;
        if (trial->trajectory) {
            int m = plan->cases[trial->case_index].model;
            const translation *t = &all[m];
            bool is_made = t->bodies && t->joints && t->geoms; // all are
            // what is not known cannot be in a file of this plan; the trial is simply run again
            if (!is_made || !is_known(trial->trajectory, &info->names, &plan->models[m], t))
                continue;
            status = translate(trial, plan, &plan->models[m], t, &copy);
            trial = &copy.trial;
        }
        if (status == GMC_OK) status = visit(context, trial);
    }
    for (int m = 0; all && m < plan->model_count; m++)
        translation_free(&all[m]);
    free(all);
    free(all_wanted.trials);
    gmc_trial_copy_free(&stored);
    gmc_trial_copy_free(&copy);
    gmc_result_close(result);
    return status;
}
