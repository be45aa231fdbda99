#include "sampling/language/schema.h"

#include "engine/base/status.h"
#include "engine/contact/laws.h"
#include "sampling/language/nearest.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

const gmc_schema_row *gmc_schema_find(gmc_schema_group group, const char *key)
{
    for (int i = 0; i < gmc_schema_row_count; i++)
        if (gmc_schema_rows[i].group == group && strcmp(gmc_schema_rows[i].key, key) == 0)
            return &gmc_schema_rows[i];
    return NULL;
}

size_t gmc_schema_key_length(gmc_schema_group group, const char *path)
{
    size_t length = strcspn(path, ".");
    int count = 0;
    const gmc_schema_row *rows = gmc_schema_group_rows(group, &count);
    for (int i = 0; i < count; i++) {
        size_t key = strlen(rows[i].key);
        bool is_whole = strncmp(path, rows[i].key, key) == 0 && (path[key] == '.' || !path[key]);
        if (is_whole && key > length) length = key;
    }
    return length;
}

const gmc_schema_row *gmc_schema_group_rows(gmc_schema_group group, int *count)
{
    int first = 0;
    while (first < gmc_schema_row_count && gmc_schema_rows[first].group != group)
        first++;
    int end = first;
    while (end < gmc_schema_row_count && gmc_schema_rows[end].group == group)
        end++;
    *count = end - first;
    return &gmc_schema_rows[first];
}

const char *gmc_schema_nearest(gmc_schema_group group, const char *key)
{
    gmc_nearest nearest = gmc_nearest_start(key);
    int count = 0;
    const gmc_schema_row *rows = gmc_schema_group_rows(group, &count);
    for (int i = 0; i < count; i++)
        gmc_nearest_offer(&nearest, rows[i].key);
    return nearest.best;
}

gmc_schema_worlds gmc_schema_worlds_of(const char *world)
{
    if (strcmp(world, "spatial") == 0) return GMC_SCHEMA_SOLID;
    bool is_flat = strcmp(world, "planar") == 0 || strcmp(world, "planar-support") == 0;
    return is_flat ? GMC_SCHEMA_FLAT : GMC_SCHEMA_ALL;
}

void gmc_schema_hint(gmc_schema_group group, gmc_schema_worlds worlds, const char *key, char *hint,
                     size_t size)
{
    static const size_t REST = sizeof ", and 100 more in FORMAT.md";
    const char *nearest = gmc_schema_nearest(group, key);
    int count = 0, left = 0;
    const gmc_schema_row *rows = gmc_schema_group_rows(group, &count);
    size_t used = (size_t)snprintf(hint, size, "keys here:");
    const char *comma = "";
    if (nearest) snprintf(hint, size, "did you mean %s?", nearest);
    for (int i = 0; i < count && !nearest; i++) {
        if (!gmc_schema_is_of_world(&rows[i], worlds)) continue;
        left += left > 0 || used + strlen(rows[i].key) + REST > size;
        if (left > 0) continue;
        used += (size_t)snprintf(hint + used, size - used, "%s %s", comma, rows[i].key);
        comma = ",";
    }
    if (left > 0) snprintf(hint + used, size - used, ", and %d more in FORMAT.md", left);
}

const char *gmc_schema_group_name(gmc_schema_group group)
{
    static const char *const NAMES[GMC_SCHEMA_GROUP_COUNT] = {
        [GMC_SCHEMA_ROOT] = "the scenario",
        [GMC_SCHEMA_HAND] = "hand",
        [GMC_SCHEMA_ROBOT] = "a robot",
        [GMC_SCHEMA_JOINT] = "a joint of a hand or robot",
        [GMC_SCHEMA_FOLLOWS] = "follows",
        [GMC_SCHEMA_DRIVE] = "a drive of several joints",
        [GMC_SCHEMA_ITEM] = "an object or body of the scene",
        [GMC_SCHEMA_PART] = "a part of a body",
        [GMC_SCHEMA_SPHERE] = "sphere, circle or disk",
        [GMC_SCHEMA_ROUND] = "capsule or cylinder",
        [GMC_SCHEMA_PLANE] = "plane",
        [GMC_SCHEMA_ELLIPSE] = "super_ellipse",
        [GMC_SCHEMA_GEAR] = "gear",
        [GMC_SCHEMA_SUPPORT] = "support",
        [GMC_SCHEMA_PATH] = "path",
        [GMC_SCHEMA_PUSH] = "push",
        [GMC_SCHEMA_SERVO] = "servo of a push",
        [GMC_SCHEMA_TORQUE] = "torque of a push",
        [GMC_SCHEMA_POSE] = "a pose",
        [GMC_SCHEMA_GRASPS] = "grasps of an object",
        [GMC_SCHEMA_OFFSET] = "a frame of grasps",
        [GMC_SCHEMA_CLUTTER] = "clutter",
        [GMC_SCHEMA_KIND] = "a kind of clutter",
        [GMC_SCHEMA_CAMERA] = "a camera",
        [GMC_SCHEMA_VIEW] = "a camera's pose",
        [GMC_SCHEMA_BELIEVED] = "believed",
        [GMC_SCHEMA_SIGHT] = "believed.object.pose",
        [GMC_SCHEMA_SPREAD] = "sd",
        [GMC_SCHEMA_GROWTH] = "grows_with",
        [GMC_SCHEMA_OUTLIERS] = "outliers",
        [GMC_SCHEMA_SURFACE] = "a surface",
        [GMC_SCHEMA_PAD] = "pad",
        [GMC_SCHEMA_FRICTION] = "friction of a pair",
        [GMC_SCHEMA_PHASE] = "program",
        [GMC_SCHEMA_CLOSE] = "close",
        [GMC_SCHEMA_OPEN] = "open",
        [GMC_SCHEMA_LIFT] = "lift",
        [GMC_SCHEMA_MOVE] = "move",
        [GMC_SCHEMA_TURN] = "turn",
        [GMC_SCHEMA_SHAKE] = "shake",
        [GMC_SCHEMA_MOVE_TO] = "move_to",
        [GMC_SCHEMA_HOLD] = "hold",
        [GMC_SCHEMA_SET] = "set",
        [GMC_SCHEMA_PULL] = "pull",
        [GMC_SCHEMA_CONTROL] = "control",
        [GMC_SCHEMA_CONTROLLER] = "control.by",
        [GMC_SCHEMA_SUCCESS] = "success",
        [GMC_SCHEMA_FROM] = "an entry of success.from",
        [GMC_SCHEMA_STUDY] = "study",
        [GMC_SCHEMA_ROUNDS] = "study.draws",
        [GMC_SCHEMA_PLAN] = "study.plan",
        [GMC_SCHEMA_RANK] = "study.rank",
        [GMC_SCHEMA_OPTIMISE] = "study.optimise",
        [GMC_SCHEMA_LEVEL] = "a level of study.ladder or sampling.two_level.coarser",
        [GMC_SCHEMA_SAMPLING] = "sampling",
        [GMC_SCHEMA_SUBSET] = "sampling.subset",
        [GMC_SCHEMA_TWO_LEVEL] = "sampling.two_level",
        [GMC_SCHEMA_SIMULATION] = "simulation",
        [GMC_SCHEMA_EARLY] = "simulation.early",
        [GMC_SCHEMA_OUTPUT] = "output",
        [GMC_SCHEMA_HISTOGRAM] = "a histogram",
    };
    return NAMES[group];
}

// ---- designs of draws --------------------------------------------------------------------------

const char *gmc_design_name(gmc_design design)
{
    static const char *const NAMES[] = {[GMC_DESIGN_RANDOM] = "random",
                                        [GMC_DESIGN_CSV] = "csv",
                                        [GMC_DESIGN_SOBOL] = "sobol",
                                        [GMC_DESIGN_LATIN_HYPERCUBE] = "latin_hypercube",
                                        [GMC_DESIGN_SENSITIVITY] = "sensitivity",
                                        [GMC_DESIGN_MORRIS] = "morris"};
    return NAMES[design];
}

// ---- words of study.ladder ---------------------------------------------------------------------

#define LEVEL(word, stepper, motion) {word, stepper, motion, false},

const gmc_ladder_word gmc_ladder_words[] = {
    {"geometric", NULL, NULL, true},
    GMC_STEPPER_CHEAP_LEVELS(LEVEL){"dynamic", NULL, NULL, false},
    GMC_STEPPER_DEAR_LEVELS(LEVEL)};
const int gmc_ladder_word_count = GMC_COUNT(gmc_ladder_words);
