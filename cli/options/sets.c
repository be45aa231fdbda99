#include "cli/options/sets.h"

#include "sampling/language/yaml.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

/// What is being filled.
typedef struct gmc_collecting {
    gmc_sets *sets;
    int count, made;
} gmc_collecting;

static void add(gmc_collecting *c, const char *format, ...)
{
    char *text = c->sets->made[c->made++];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, GMC_SETS_BYTES, format, arguments);
    va_end(arguments);
    c->sets->list[c->count++] = text;
}

void gmc_sets_collect(const gmc_args *args, gmc_sets *sets)
{
    static const char *const RECORDS[] = {[GMC_ARGS_RECORD_NONE] = "none",
                                          [GMC_ARGS_RECORD_FAILURES] = "failures",
                                          [GMC_ARGS_RECORD_FIRST] = "first",
                                          [GMC_ARGS_RECORD_EVERY] = "every",
                                          [GMC_ARGS_RECORD_ALL] = "all"};
    gmc_collecting c = {.sets = sets};
    for (int i = 0; i < args->set_count; i++)
        sets->list[c.count++] = args->sets[i];

    if (args->draws >= 0) add(&c, "sampling.draws=%" PRId64, args->draws);
    if (args->has_seed) add(&c, "sampling.seed=%" PRIu64, args->seed);
    if (args->design) add(&c, "sampling.design=%s", args->design);
    if (args->stepper) add(&c, "simulation.stepper=%s", args->stepper);
    if (args->solver) add(&c, "simulation.solver=%s", args->solver);
    if (args->step) add(&c, "simulation.step=%s", args->step);
    if (args->rate >= 0) add(&c, "output.rate=%.17g Hz", args->rate);
    if (args->record == GMC_ARGS_RECORD_FIRST || args->record == GMC_ARGS_RECORD_EVERY)
        add(&c, "output.trajectories=%s:%" PRId64, RECORDS[args->record], args->record_count);
    else if (args->record != GMC_ARGS_RECORD_SCENARIO)
        add(&c, "output.trajectories=%s", RECORDS[args->record]);
    sets->list[c.count] = NULL;
}

/// "{seed: 9}" has the key seed.
static bool has_key(const char *value, const char *key)
{
    size_t bytes = strlen(value);
    gmc_arena arena = {0};
    gmc_diagnostics report = {0};
    gmc_node *map = NULL;
    // a node per letter is more than there can be without aliases
    bool is_read =
        gmc_arena_create(&arena, (bytes + 8) * (sizeof(gmc_node) + 128)) == GMC_OK &&
        gmc_yaml_parse(&(gmc_yaml_source){.text = value, .bytes = bytes, .file = "", .folder = ""},
                       &report, &arena, &map) == GMC_OK;
    bool has = is_read && gmc_node_find(map, key);
    gmc_diagnostics_free(&report);
    gmc_arena_free(&arena);
    return has;
}

bool gmc_sets_say(const char *set, const char *path)
{
    set += strspn(set, " ");
    size_t length = strlen(path), group = strcspn(path, ".");
    if (strncmp(set, path, length) == 0 && set[length] && strchr(" .=", set[length])) return true;
    if (strncmp(set, path, group) != 0) return false;
    const char *value = set + group + strspn(set + group, " ");
    return *value == '=' && has_key(value + 1, path + group + 1);
}
