// An `always` criterion speaks of a measure, and its column is the worst of it: "max(slip(object,
// hand))". So it is read twice more, once over the largest and once over the least of each measure;
// where it holds for neither it was broken. Of a criterion over several measures these need not
// have been so at one time. Those of `from` and `at_phase_end` read columns of their own,
// "max(slip(object, hand) from lift)" and "closure(object) at close".
#include "sampling/findings/kinds.h"

#include "sampling/findings/rescore.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { READINGS = 2, CRITERIA_MOST = 64 };

/// Columns under the names that a criterion has for them.
typedef struct naming {
    gmc_column *columns; ///< (column_count)
    char *names;         ///< the renamed ones
} naming;

typedef struct criterion {
    const char *text;
    gmc_rescore *readings[READINGS]; ///< NULL: not understood, or none
    naming own[READINGS];            ///< of `from` and `at_phase_end`
} criterion;

struct gmc_kinds {
    criterion *criteria;
    int always_count, count;
    int decided_by, audit;        ///< columns; -1: there is none
    naming namings[READINGS + 1]; ///< by the largest, by the least, at the end
};

enum { LARGEST, LEAST, AT_END };

static bool starts(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

/// The measure in "max(slip(object, hand))", without its bracket.
static const char *measure_of(const char *column) { return column + strlen("max("); }

/// Where a column is an extreme from a phase on, the rest of it from there: " from lift)".
static const char *phase_of(const char *name)
{
    const char *found = NULL;
    for (const char *at = strstr(name, ") from "); at; at = strstr(at + 1, ") from "))
        found = at + 1;
    return found;
}

/// Of all steps, or of those from the end of `phase` on; NULL: of all.
static bool is_extreme(const char *name, const char *phase)
{
    if (!starts(name, "max(") && !starts(name, "min(")) return false;
    const char *from = phase_of(name);
    if (!from || !phase) return !from && !phase;
    size_t length = strlen(phase);
    from += strlen(" from ");
    return starts(from, phase) && strcmp(from + length, ")") == 0;
}

/// Bytes of the measure that a column has as this phase ended; 0: of another time.
static int length_at(const char *name, const char *phase)
{
    const char *found = NULL;
    for (const char *at = strstr(name, ") at "); at; at = strstr(at + 1, ") at "))
        found = at + 1;
    return found && strcmp(found + strlen(" at "), phase) == 0 ? (int)(found - name) : 0;
}

/// Bytes of the measure of an extreme.
static int length_of_measure(const char *name)
{
    const char *from = phase_of(name), *measure = measure_of(name);
    return (int)(from ? (size_t)(from - measure) : strlen(measure) - 1);
}

/// Is there an extreme of the same measure that goes before this one?
static bool goes_behind(const gmc_store_plan *plan, int column, const char *preferred)
{
    const char *name = plan->columns[column].name;
    for (int i = 0; i < plan->column_count && !starts(name, preferred); i++) {
        const char *other = plan->columns[i].name;
        if (starts(other, preferred) && strcmp(measure_of(other), measure_of(name)) == 0)
            return true;
    }
    return false;
}

/// @param phase  from whose end on criteria must hold, at whose end of AT_END; NULL: all the time,
///               at the end of all
static gmc_status make_naming(const gmc_store_plan *plan, int kind, const char *phase, naming *made)
{
    size_t count = (size_t)plan->column_count, bytes = 1;
    for (size_t i = 0; i < count; i++)
        bytes += strlen(plan->columns[i].name) + 32;
    made->columns = malloc(count * sizeof *made->columns);
    made->names = calloc(bytes, 1);
    if (!made->columns || !made->names) return GMC_E_MEMORY;
    memcpy(made->columns, plan->columns, count * sizeof *made->columns);
    char *next = made->names;
    for (int i = 0; i < plan->column_count; i++) {
        const char *name = plan->columns[i].name;
        bool is_worst = kind != AT_END && is_extreme(name, phase) &&
                        !goes_behind(plan, i, kind == LARGEST ? "max(" : "min(");
        // early verdicts are not asked: a value so far is what the trial was judged by
        int at = kind == AT_END && phase ? length_at(name, phase) : 0;
        bool is_of_end = kind == AT_END && phase && strchr(name, '(') && !at;
        bool is_hidden = is_of_end ||
                         strcmp(name, gmc_fixed_columns[GMC_COLUMN_DECIDED_BY].name) == 0 ||
                         (kind != AT_END && strchr(name, '(') && !is_worst);
        if (!is_worst && !is_hidden && !at) continue;
        made->columns[i].name = next;
        next += at         ? sprintf(next, "%.*s", at, name)
                : is_worst ? sprintf(next, "%.*s", length_of_measure(name), measure_of(name))
                           : sprintf(next, "hidden column %d", i);
        next++;
    }
    return GMC_OK;
}

static gmc_rescore *read(const gmc_criterion *from, const gmc_store_plan *plan, const naming *names)
{
    gmc_rescore *made = NULL;
    gmc_diagnostics ignored = {0}; // what is not understood has no name
    gmc_status status =
        gmc_rescore_open(from->text, names->columns, plan->column_count, &ignored, &made);
    gmc_diagnostics_free(&ignored);
    return status == GMC_OK ? made : NULL;
}

static gmc_status create(const gmc_scenario *scenario, const gmc_store_plan *plan, gmc_kinds *k)
{
    int always = scenario->always_count, all = always + scenario->at_end_count;
    k->count = all < CRITERIA_MOST ? all : CRITERIA_MOST;
    k->always_count = always < k->count ? always : k->count;
    k->decided_by = k->audit = -1;
    for (int i = 0; i < plan->column_count; i++) {
        if (strcmp(plan->columns[i].name, gmc_fixed_columns[GMC_COLUMN_DECIDED_BY].name) == 0)
            k->decided_by = i;
        if (strcmp(plan->columns[i].name, gmc_fixed_columns[GMC_COLUMN_AUDIT].name) == 0)
            k->audit = i;
    }
    k->criteria = calloc((size_t)k->count + 1, sizeof *k->criteria);
    if (!k->criteria) return GMC_E_MEMORY;
    for (int n = 0; n <= AT_END; n++)
        GMC_TRY(make_naming(plan, n, NULL, &k->namings[n]));
    for (int i = 0; i < k->count; i++) {
        bool is_always = i < k->always_count;
        const gmc_criterion *from =
            is_always ? &scenario->always[i] : &scenario->at_end[i - k->always_count];
        k->criteria[i].text = from->text;
        for (int r = 0; r < (is_always ? READINGS : 1); r++) {
            const naming *names = &k->namings[is_always ? r : AT_END];
            int over = is_always ? from->from : from->at;
            if (over > 0) {
                const char *phase = scenario->program[over - 1].name;
                GMC_TRY(make_naming(plan, is_always ? r : AT_END, phase, &k->criteria[i].own[r]));
                names = &k->criteria[i].own[r];
            }
            k->criteria[i].readings[r] = read(from, plan, names);
        }
    }
    return GMC_OK;
}

gmc_status gmc_kinds_create(const gmc_scenario *scenario, const gmc_store_plan *plan,
                            gmc_kinds **kinds)
{
    gmc_kinds *k = calloc(1, sizeof *k);
    gmc_status status = k ? create(scenario, plan, k) : GMC_E_MEMORY;
    if (status != GMC_OK) {
        gmc_kinds_free(k);
        k = NULL;
    }
    *kinds = k;
    return status;
}

void gmc_kinds_free(gmc_kinds *k)
{
    for (int i = 0; k && k->criteria && i < k->count; i++)
        for (int r = 0; r < READINGS; r++) {
            gmc_rescore_close(k->criteria[i].readings[r]);
            free(k->criteria[i].own[r].columns);
            free(k->criteria[i].own[r].names);
        }
    for (int n = 0; k && n <= AT_END; n++) {
        free(k->namings[n].columns);
        free(k->namings[n].names);
    }
    if (k) free(k->criteria);
    free(k);
}

static bool is_broken(criterion *c, const gmc_trial *trial)
{
    for (int r = 0; r < READINGS; r++)
        if (c->readings[r] && gmc_rescore_holds(c->readings[r], trial) == GMC_RESCORE_NO)
            return true;
    return false;
}

gmc_kind gmc_kinds_of(gmc_kinds *k, const gmc_trial *trial)
{
    gmc_kind kind = {.outcome = trial->outcome, .phase = -1};
    if (trial->outcome == GMC_OUTCOME_LOST) return kind;
    if (trial->outcome == GMC_OUTCOME_UNREACHABLE) {
        kind.reason = trial->reason;
        // geometry alone has no phase
        if (trial->reason != GMC_REASON_NO_WAY) kind.phase = trial->phase;
        return kind;
    }
    bool is_cut = k->decided_by >= 0 && (k->audit < 0 || !(trial->values[k->audit] > 0));
    kind.is_falling = is_cut && trial->outcome == GMC_OUTCOME_MISSED &&
                      trial->values[k->decided_by] == GMC_DECISION_FALLING;
    if (kind.is_falling) return kind;
    bool is_violated = trial->outcome == GMC_OUTCOME_VIOLATED;
    for (int i = is_violated ? 0 : k->always_count; i < (is_violated ? k->always_count : k->count);
         i++)
        if (is_broken(&k->criteria[i], trial)) kind.broken |= (uint64_t)1 << i;
    return kind;
}

int gmc_kinds_count(const gmc_kinds *k) { return k->count; }

const char *gmc_kinds_criterion(const gmc_kinds *k, int index) { return k->criteria[index].text; }
