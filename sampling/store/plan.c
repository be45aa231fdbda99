#include "sampling/store/plan.h"

#include "sampling/campaign/trial.h"
#include "sampling/store/method.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static gmc_status refuse(gmc_diagnostics *messages, const char *what, const char *name)
{
    gmc_source nowhere = {0};
    gmc_diagnostics_add(messages, GMC_E_INPUT, nowhere, NULL,
                        "the results cannot be stored: %s (%s)", what, name);
    return GMC_E_INPUT;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/// @return a text that stands twice in the list, NULL if all differ (or there is no memory to tell)
static const char *twice(const char *const *texts, int count)
{
    const char **sorted = malloc(((size_t)count + 1) * sizeof(char *));
    if (!sorted) return NULL;
    if (count > 0) memcpy(sorted, texts, (size_t)count * sizeof(char *));
    qsort(sorted, (size_t)count, sizeof(char *), compare_texts);
    const char *found = NULL;
    for (int i = 0; i + 1 < count && !found; i++)
        if (strcmp(sorted[i], sorted[i + 1]) == 0) found = sorted[i];
    free(sorted);
    return found;
}

static gmc_status check_columns(const gmc_store_plan *plan, gmc_diagnostics *messages)
{
    int count = GMC_TRIAL_FIELD_COUNT + plan->column_count;
    const char **names = malloc((size_t)count * sizeof(char *));
    if (!names) return GMC_E_MEMORY;
    for (int i = 0; i < GMC_TRIAL_FIELD_COUNT; i++)
        names[i] = gmc_trial_fields[i].name;
    for (int i = 0; i < plan->column_count; i++)
        names[GMC_TRIAL_FIELD_COUNT + i] = plan->columns[i].name;
    const char *found = twice(names, count);
    free(names);
    return found ? refuse(messages, "two columns have one name", found) : GMC_OK;
}

static gmc_status check_parameters(const gmc_store_plan *plan, gmc_diagnostics *messages)
{
    const char **names = malloc(((size_t)plan->parameter_count + 1) * sizeof(char *));
    if (!names) return GMC_E_MEMORY;
    for (int i = 0; i < plan->parameter_count; i++)
        names[i] = plan->parameters[i].name;
    const char *found = twice(names, plan->parameter_count);
    free(names);
    return found ? refuse(messages, "two parameters have one name", found) : GMC_OK;
}

static gmc_status check_models(const gmc_store_plan *plan, gmc_diagnostics *messages)
{
    for (int i = 0; i < plan->case_count; i++)
        if (plan->cases[i].model < 0 || plan->cases[i].model >= plan->model_count)
            return refuse(messages, "a case has no model", plan->cases[i].object);
    for (int i = 0; i < plan->model_count; i++) {
        const gmc_store_model *m = &plan->models[i];
        const char *found = twice(m->bodies, m->body_count);
        if (!found) found = twice(m->joints, m->joint_count);
        if (found) return refuse(messages, "two bodies or joints of a model have one name", found);
    }
    return GMC_OK;
}

static gmc_status check_histograms(const gmc_store_plan *plan, gmc_diagnostics *messages)
{
    for (int i = 0; i < plan->histogram_count; i++) {
        const gmc_store_histogram *h = &plan->histograms[i];
        int limit = h->is_measure ? plan->column_count : plan->parameter_count;
        if (h->dimensions < 1 || h->dimensions > (h->is_measure ? 1 : 2))
            return refuse(messages, "a histogram has 1 or 2 dimensions", "histograms");
        for (int k = 0; k < h->dimensions; k++) {
            if (h->index[k] < 0 || h->index[k] >= limit || h->bins[k] < 1)
                return refuse(messages, "a histogram of nothing", "histograms");
            const char *name = h->is_measure ? plan->columns[h->index[k]].name
                                             : plan->parameters[h->index[k]].name;
            for (int b = 0; b < h->bins[k]; b++)
                if (!(h->edges[k][b] < h->edges[k][b + 1]))
                    return refuse(messages, "the edges of a histogram do not rise", name);
        }
    }
    return GMC_OK;
}

bool gmc_store_plan_is_sparse(const gmc_store_plan *plan)
{
    return gmc_store_method_of(plan)->chooser != NULL;
}

gmc_status gmc_store_plan_check(const gmc_store_plan *plan, gmc_diagnostics *messages)
{
    if (plan->case_count < 1 || plan->count < 1)
        return refuse(messages, "there is no trial", "cases, draws");
    GMC_TRY(check_columns(plan, messages));
    GMC_TRY(check_parameters(plan, messages));
    GMC_TRY(check_models(plan, messages));
    return check_histograms(plan, messages);
}
