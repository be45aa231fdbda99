// What is held together in sampling/findings/pairing.h is said here: the answer first, then where the
// two files differ, where success moved most, and what else moved.
#include "cli/commands/compare.h"

#include "cli/answer/compare_answer.h"
#include "cli/answer/stored.h"
#include "engine/base/list.h"
#include "sampling/language/node.h"
#include "sampling/writing/fingerprint.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/// Where changes are kept, and the scenarios that they are between.
typedef struct finding {
    gmc_compare_changes *changes;
    const gmc_scenario *first, *second;
} finding;

static gmc_status keep_change(gmc_compare_changes *changes, const char *key, const char *there,
                              size_t there_bytes, const char *here, size_t here_bytes)
{
    gmc_compare_change *items =
        gmc_list_room(changes->items, changes->count, &changes->capacity, sizeof *items);
    if (!items) return GMC_E_MEMORY;
    changes->items = items;
    gmc_compare_change *c = &changes->items[changes->count];
    *c = (gmc_compare_change){.has_first = there != NULL, .has_second = here != NULL};
    snprintf(c->key, sizeof c->key, "%s", key);
    snprintf(c->first, sizeof c->first, "%.*s", (int)there_bytes, there ? there : "");
    snprintf(c->second, sizeof c->second, "%.*s", (int)here_bytes, here ? here : "");
    changes->count++;
    return GMC_OK;
}

/// The law of a line of `uncertain` as the scenario writes it; NULL: the key is of none.
static const char *law_as_written(const gmc_scenario *s, const char *key)
{
    static const char BLOCK[] = "uncertain.";
    if (strncmp(key, BLOCK, strlen(BLOCK)) != 0) return NULL;
    for (int i = 0; i < s->uncertain_count; i++) {
        const gmc_uncertain *line = &s->uncertain[i];
        if (strcmp(line->path, key + strlen(BLOCK)) == 0)
            return line->node && line->node->kind == GMC_NODE_SCALAR ? line->node->text : NULL;
    }
    return NULL;
}

/// The fingerprint has laws by their numbers, in SI: a reader knows them as they are written.
static void write_laws(const finding *f, gmc_compare_change *c)
{
    const char *first = law_as_written(f->first, c->key);
    const char *second = law_as_written(f->second, c->key);
    if ((c->has_first && !first) || (c->has_second && !second)) return;
    c->is_written_alike = first && second && strcmp(first, second) == 0;
    if (first) snprintf(c->first, sizeof c->first, "%s", first);
    if (second) snprintf(c->second, sizeof c->second, "%s", second);
}

static void see_change(void *context, const gmc_identity_change *c)
{
    finding *f = context;
    gmc_compare_changes *changes = f->changes;
    if (changes->status != GMC_OK) return;
    changes->status = keep_change(changes, c->key, c->there, (size_t)c->there_bytes, c->here,
                                  (size_t)c->here_bytes);
    if (changes->status == GMC_OK) write_laws(f, &changes->items[changes->count - 1]);
}

static gmc_status keep_if_other(gmc_compare_changes *changes, const char *key, const char *first,
                                const char *second)
{
    if (strcmp(first, second) == 0) return GMC_OK;
    return keep_change(changes, key, first, strlen(first), second, strlen(second));
}

/// What is not the same about the two files: scenario, seed, program.
static gmc_status find_changes(gmc_stored stored[2], gmc_compare_changes *changes)
{
    const gmc_result_info *a = stored[0].info, *b = stored[1].info;
    char *texts[2] = {NULL, NULL};
    gmc_status status = GMC_OK;
    for (int k = 0; k < 2 && status == GMC_OK; k++)
        status = gmc_fingerprint_text(&stored[k].prepared.scenario, &texts[k]);
    finding f = {changes, &stored[0].prepared.scenario, &stored[1].prepared.scenario};
    if (status == GMC_OK) status = gmc_identity_each(texts[0], texts[1], see_change, &f);
    if (status == GMC_OK) status = changes->status;
    if (status == GMC_OK)
        status = keep_if_other(changes, "program version", a->program_version, b->program_version);
    if (status == GMC_OK) status = keep_if_other(changes, "commit", a->commit, b->commit);
    if (status == GMC_OK) status = keep_if_other(changes, "compiler", a->compiler, b->compiler);
    if (status == GMC_OK) status = keep_if_other(changes, "flags", a->flags, b->flags);
    free(texts[0]);
    free(texts[1]);
    return status;
}

static gmc_exit exit_of(gmc_gate gate, gmc_interval firm)
{
    if (!gate.is_set) return GMC_EXIT_DONE;
    switch (gmc_gate_judge(gate, firm)) {
    case GMC_GATE_YES:
        return GMC_EXIT_NO;
    case GMC_GATE_NO:
        return GMC_EXIT_DONE;
    case GMC_GATE_UNDECIDED:
        break;
    }
    return GMC_EXIT_UNDECIDED;
}

static gmc_status compare(const gmc_args *args, gmc_stored stored[2], gmc_exit *code)
{
    gmc_pairing_side sides[2];
    for (int k = 0; k < 2; k++)
        sides[k] =
            (gmc_pairing_side){.result = stored[k].result,
                               .path = args->inputs[k],
                               .is_independent = stored[k].prepared.scenario.is_independent,
                               .is_weighted = stored[k].prepared.scenario.is_weighted,
                               .has_intervals = stored[k].prepared.scenario.interval_places > 0,
                               .replicas = stored[k].prepared.scenario.replicas};
    gmc_pairing pairing;
    gmc_compare_changes changes = {0};
    gmc_status status = gmc_pairing_read(sides, args->level, &stored[1].messages, &pairing);
    if (status == GMC_OK) status = find_changes(stored, &changes);
    if (status == GMC_OK) {
        gmc_compare_answer answer = gmc_compare_answer_of(args, stored[0].info, &pairing, &changes);
        if (args->json)
            gmc_compare_answer_json(&answer, stdout);
        else
            gmc_compare_answer_print(&answer, stdout);
        *code = exit_of(args->gate, answer.firm);
    }
    free(changes.items);
    gmc_pairing_free(&pairing);
    return status;
}

gmc_exit gmc_compare_main(const gmc_args *args)
{
    gmc_stored *stored = calloc(2, sizeof *stored);
    if (!stored) return GMC_EXIT_INTERNAL;
    gmc_exit code = GMC_EXIT_DONE;
    gmc_status status = gmc_stored_open(args->inputs[0], &stored[0]);
    bool is_second_open = status == GMC_OK;
    if (is_second_open) status = gmc_stored_open(args->inputs[1], &stored[1]);
    if (status == GMC_OK) status = compare(args, stored, &code);
    if (is_second_open) gmc_stored_close(&stored[1], "compare", status);
    gmc_stored_close(&stored[0], "compare", is_second_open ? GMC_OK : status);
    free(stored);
    return status == GMC_OK ? code : gmc_exit_of(status);
}
