#include "sampling/store/plan.h"

#include "sampling/campaign/trial.h"
#include "sampling/store/method.h"
#include "sampling/store/version.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- checks ----

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

// ---- identity ----

/// A text that grows; once memory is missing it stays NULL.
typedef struct growing {
    char *text;
    size_t used, capacity;
    bool failed;
} growing;

static void add_bytes(growing *g, const char *from, size_t bytes)
{
    if (g->used + bytes + 1 > g->capacity && !g->failed) {
        size_t capacity = 2 * (g->used + bytes + 1);
        char *text = realloc(g->text, capacity);
        g->failed = !text;
        if (text) g->text = text;
        if (text) g->capacity = capacity;
    }
    if (g->failed) return;
    memcpy(g->text + g->used, from, bytes);
    g->used += bytes;
    g->text[g->used] = 0;
}

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
add(growing *g, const char *format, ...)
{
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    int bytes = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (bytes > 0) add_bytes(g, line, bytes < (int)sizeof line ? (size_t)bytes : sizeof line - 1);
}

static void add_indented(growing *g, const char *text)
{
    while (*text) {
        size_t bytes = strcspn(text, "\n");
        add_bytes(g, "  ", 2);
        add_bytes(g, text, bytes);
        add_bytes(g, "\n", 1);
        text += bytes + (text[bytes] == '\n');
    }
}

/// Which trials a part has follows from these.
static void add_part(growing *g, const gmc_store_plan *plan)
{
    const gmc_store_round *round = &plan->round;
    add(g, "round: %llu\n", (unsigned long long)round->number);
    add(g, "after: %s\n", *round->after ? round->after : "the start");
    add(g, "part: %d/%d\n", plan->shard, plan->shard_count);
    add(g, "part_trials: %llu\n", (unsigned long long)round->part_count);
}

char *gmc_store_plan_identity(const gmc_store_plan *plan)
{
    growing g = {0};
    add(&g, "program: %s %s\n", gmc_version_program(), gmc_version_commit());
    add(&g, "compiler: %s\n", gmc_version_compiler());
    add(&g, "flags: %s\n", gmc_version_flags());
    add(&g, "seed: %llu\n", (unsigned long long)plan->seed);
    add(&g, "design: %s\n", plan->design);
    add(&g, "trajectories: %s\n", plan->trajectories);
    add(&g, "rate: %.17g Hz\n", plan->rate_hz);
    add(&g, "cases: %d\n", plan->case_count);
    add(&g, "columns:\n");
    for (int i = 0; i < plan->column_count; i++)
        add(&g, "  - %s\n", plan->columns[i].name);
    add(&g, "parameters:\n");
    for (int i = 0; i < plan->parameter_count; i++)
        add(&g, "  - %s\n", plan->parameters[i].name);
    if (gmc_store_plan_is_part(plan)) add_part(&g, plan);
    if (plan->completed) {
        add(&g, "completes: %s\n", plan->completes);
        add(&g, "criteria:\n");
        add_indented(&g, plan->completed);
    }
    add(&g, "scenario:\n");
    if (plan->fingerprint) add_indented(&g, plan->fingerprint);
    add(&g, "scenario_digest: %s\n", plan->digest.hex); // last: the keys above say more
    if (!g.failed) return g.text;
    free(g.text);
    return NULL;
}
