#include "sampling/language/preset.h"

#include "sampling/language/nearest.h"
#include "sampling/language/yaml.h"

#include <stdio.h>
#include <string.h>

// A version is never changed once it was released: a better one is a row of its own.
const gmc_preset gmc_presets[] = {
    {"six_gravities", 1,
     "gravity of 9.8 m/s2 along each of the six directions of the world's axes, 100 steps of 1/60 "
     "s each: the validation of DexGraspNet [wang2023]. Departs from it: there each direction is a "
     "simulation of its own, here one follows the other, turned within 0.1 s, down comes last. "
     "Success there: the hand still touches the object; say it with contact(object, hand)",
     "- set: {gravity.x: 0 m/s2, gravity.y: 0 m/s2, gravity.z: 9.8 m/s2, in: 0.1 s}\n"
     "- hold: {for: 1.6667 s}\n"
     "- set: {gravity.x: 9.8 m/s2, gravity.y: 0 m/s2, gravity.z: 0 m/s2, in: 0.1 s}\n"
     "- hold: {for: 1.6667 s}\n"
     "- set: {gravity.x: -9.8 m/s2, gravity.y: 0 m/s2, gravity.z: 0 m/s2, in: 0.1 s}\n"
     "- hold: {for: 1.6667 s}\n"
     "- set: {gravity.x: 0 m/s2, gravity.y: 9.8 m/s2, gravity.z: 0 m/s2, in: 0.1 s}\n"
     "- hold: {for: 1.6667 s}\n"
     "- set: {gravity.x: 0 m/s2, gravity.y: -9.8 m/s2, gravity.z: 0 m/s2, in: 0.1 s}\n"
     "- hold: {for: 1.6667 s}\n"
     "- set: {gravity.x: 0 m/s2, gravity.y: 0 m/s2, gravity.z: -9.8 m/s2, in: 0.1 s}\n"
     "- hold: {for: 1.6667 s}\n"},
    {"shake", 1,
     "a shake along each axis of the world, then about each: 20 mm and 15 deg at 3 Hz for 1 s "
     "each, 18 m/s2 at most, as it starts within 0.1 s (7 once it swings). Shaken so, straight and "
     "turning, are the grasps of ACRONYM [eppner2021]; "
     "order and numbers are graspmc's own",
     "- shake: {axis: z, amplitude: 20 mm, frequency: 3 Hz, for: 1 s}\n"
     "- shake: {axis: x, amplitude: 20 mm, frequency: 3 Hz, for: 1 s}\n"
     "- shake: {axis: y, amplitude: 20 mm, frequency: 3 Hz, for: 1 s}\n"
     "- shake: {about: z, amplitude: 15 deg, frequency: 3 Hz, for: 1 s}\n"
     "- shake: {about: x, amplitude: 15 deg, frequency: 3 Hz, for: 1 s}\n"
     "- shake: {about: y, amplitude: 15 deg, frequency: 3 Hz, for: 1 s}\n"},
    {"lift_hold_turn", 1,
     "up by 100 mm in 1 s, held for 1 s, turned by 90 deg about the world's x and then y in 1 s "
     "each, held for 1 s after each: gravity meets the grasp from three sides. Numbers are "
     "graspmc's own",
     "- lift: {by: 100 mm, in: 1 s}\n"
     "- hold: {for: 1 s}\n"
     "- turn: {axis: x, by: 90 deg, in: 1 s}\n"
     "- hold: {for: 1 s}\n"
     "- turn: {axis: y, by: 90 deg, in: 1 s}\n"
     "- hold: {for: 1 s}\n"},
    {"slip_pull", 1,
     "a pull along the world's x that grows by 5 N/s until the object has slipped by 1 mm in the "
     "hand, to 50 N at most; "
     "force_at_slip(object) is what the grasp held. Resistance to a pull on what is gripped is a "
     "test of robotic hands [falco2018]; numbers are graspmc's own",
     "- pull: {body: object, axis: x, grows: 5 N/s, until: slipped, by: 1 mm, at_most: 10 s}\n"},
    {"disturbance", 1,
     "a pull along each axis of the world, there and back, that grows to 5 N in 0.5 s or until the "
     "object has slipped by 1 mm in the hand, 0.1 s of hold after each: does the grasp hold "
     "against forces from all sides, as of [falco2018]? Numbers are graspmc's own",
     "- pull: {body: object, axis: x, grows: 10 N/s, until: slipped, by: 1 mm, at_most: 0.5 s}\n"
     "- hold: {for: 0.1 s}\n"
     "- pull: {body: object, axis: -x, grows: 10 N/s, until: slipped, by: 1 mm, at_most: 0.5 s}\n"
     "- hold: {for: 0.1 s}\n"
     "- pull: {body: object, axis: y, grows: 10 N/s, until: slipped, by: 1 mm, at_most: 0.5 s}\n"
     "- hold: {for: 0.1 s}\n"
     "- pull: {body: object, axis: -y, grows: 10 N/s, until: slipped, by: 1 mm, at_most: 0.5 s}\n"
     "- hold: {for: 0.1 s}\n"
     "- pull: {body: object, axis: z, grows: 10 N/s, until: slipped, by: 1 mm, at_most: 0.5 s}\n"
     "- hold: {for: 0.1 s}\n"
     "- pull: {body: object, axis: -z, grows: 10 N/s, until: slipped, by: 1 mm, at_most: 0.5 s}\n"
     "- hold: {for: 0.1 s}\n"},
};
const int gmc_preset_count = sizeof gmc_presets / sizeof gmc_presets[0];

static void complain(gmc_diagnostics *report, const gmc_node *node, const char *hint,
                     const char *what)
{
    gmc_diagnostics_add(report, GMC_E_INPUT, node->source, hint, "preset: %s", what);
}

/// The newest version of a name; NULL: there is none.
static const gmc_preset *newest(const char *name)
{
    const gmc_preset *best = NULL;
    for (int i = 0; i < gmc_preset_count; i++)
        if (strcmp(gmc_presets[i].name, name) == 0 &&
            (!best || gmc_presets[i].version > best->version))
            best = &gmc_presets[i];
    return best;
}

static void complain_of_name(gmc_diagnostics *report, const gmc_node *node, const char *name)
{
    gmc_nearest nearest = gmc_nearest_start(name);
    char hint[256] = "presets: ", what[128];
    for (int i = 0; i < gmc_preset_count; i++) {
        size_t used = strlen(hint);
        gmc_nearest_offer(&nearest, gmc_presets[i].name);
        snprintf(hint + used, sizeof hint - used, "%s%s@%d", i > 0 ? ", " : "", gmc_presets[i].name,
                 gmc_presets[i].version);
    }
    const gmc_preset *meant = nearest.best ? newest(nearest.best) : NULL;
    if (meant) snprintf(hint, sizeof hint, "did you mean %s@%d?", meant->name, meant->version);
    snprintf(what, sizeof what, "there is no %.60s", name);
    complain(report, node, hint, what);
}

/// "six_gravities@1"; NULL: reported.
static const gmc_preset *find(gmc_diagnostics *report, const gmc_node *node)
{
    char name[64], hint[128], what[160];
    const char *at = strchr(node->text, '@');
    snprintf(name, sizeof name, "%.*s", at ? (int)(at - node->text) : 63, node->text);
    const gmc_preset *best = newest(name);
    if (!best) {
        complain_of_name(report, node, name);
        return NULL;
    }
    for (int i = 0; at && i < gmc_preset_count; i++) {
        char version[16];
        snprintf(version, sizeof version, "%d", gmc_presets[i].version);
        if (strcmp(gmc_presets[i].name, name) == 0 && strcmp(at + 1, version) == 0)
            return &gmc_presets[i];
    }
    snprintf(hint, sizeof hint, "%s@%d", name, best->version);
    if (at)
        snprintf(what, sizeof what, "%s has no version %.40s", name, at + 1);
    else
        snprintf(what, sizeof what, "%s needs its version, so that it stays what it is", name);
    complain(report, node, hint, what);
    return NULL;
}

/// What is wrong with a phase is wrong where its preset was asked for.
static void move_to(gmc_node *node, gmc_source source, const char *folder)
{
    node->source = node->key_source = source;
    node->folder = folder;
    node->is_plain = false; // its text does not stand there
    for (gmc_node *n = node->first; n; n = n->next)
        move_to(n, source, folder);
}

/// Hand the phases of a preset on to the end of `fresh`.
static gmc_status add_phases(const gmc_preset *preset, const gmc_node *node, gmc_node *fresh,
                             gmc_diagnostics *report, gmc_arena *arena)
{
    gmc_node *list = NULL;
    GMC_TRY(gmc_yaml_parse(&(gmc_yaml_source){.text = preset->phases,
                                              .bytes = strlen(preset->phases),
                                              .file = preset->name,
                                              .folder = ""},
                           report, arena, &list));
    for (gmc_node *n = list->first, *next; n; n = next) {
        next = n->next;
        gmc_node_remove(list, n);
        move_to(n, node->source, node->folder);
        gmc_node_append(fresh, NULL, node->source, n);
    }
    return GMC_OK;
}

gmc_status gmc_preset_expand(gmc_node *root, gmc_diagnostics *report, gmc_arena *arena)
{
    gmc_node *program = gmc_node_find(root, "program");
    bool has_preset = false;
    if (!program || program->kind != GMC_NODE_LIST) return GMC_OK;
    for (const gmc_node *n = program->first; n; n = n->next)
        has_preset = has_preset || gmc_node_find(n, "preset");
    if (!has_preset) return GMC_OK;
    gmc_node *fresh = gmc_node_create(arena, GMC_NODE_LIST, program->source);
    if (!fresh) return GMC_E_ARENA_FULL;
    fresh->folder = program->folder;
    for (gmc_node *n = program->first, *next; n; n = next) {
        next = n->next;
        const gmc_node *name = gmc_node_find(n, "preset");
        bool is_alone = name && n->count == 1 && name->kind == GMC_NODE_SCALAR && !name->is_bad;
        const gmc_preset *preset = is_alone ? find(report, name) : NULL;
        if (preset) {
            GMC_TRY(add_phases(preset, name, fresh, report, arena));
            continue;
        }
        if (is_alone) gmc_node_find(n, "preset")->is_bad = true; // said once
        gmc_node_remove(program, n);
        gmc_node_append(fresh, NULL, n->key_source, n);
    }
    gmc_node_replace(root, program, fresh);
    return GMC_OK;
}
