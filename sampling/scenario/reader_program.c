// Phases: what each kind means in terms of gmc_phase_spec, and the few rules that no single key can
// state.
#include "sampling/language/expression.h"
#include "sampling/scenario/reader_internal.h"

#include <stdio.h>
#include <string.h>

static double value_of(const gmc_reader *r, gmc_param param)
{
    bool is_known = param >= 0 && !r->scenario->parameters[param].is_stand_in;
    return is_known ? r->scenario->parameters[param].nominal : 0;
}

static void complain(gmc_reader *r, const gmc_node *node, const char *hint, const char *what)
{
    gmc_diagnostics_add(r->report, GMC_E_INPUT, node->source, hint, "%s", what);
}

// Does what was written fit a joint position that must be a length (or an angle) here?
static void expect_dimension(gmc_reader *r, const gmc_node *map, const char *key, gmc_param param,
                             gmc_dimension dimension)
{
    const gmc_node *node = gmc_node_find(map, key);
    if (node && param >= 0) gmc_scenario_settle(r->scenario, param, dimension, r->report);
}

static void check_close(gmc_reader *r, const gmc_node *map, const gmc_phase_spec *p)
{
    const gmc_node *in = gmc_node_find(map, "in");
    if (in && p->force >= 0)
        complain(r, in, "for: is how long the phase lasts, ramp: how long the force grows",
                 "close: in: means nothing with force:, a force reaches no position");
}

static void read_move(gmc_reader *r, const gmc_node *map, const char *path, gmc_phase_spec *p)
{
    const gmc_node *by = gmc_node_find(map, "by");
    if (!by) return;
    if (p->joint && by->kind != GMC_NODE_SCALAR) {
        complain(r, by, "for example by: 50 mm", "a joint moves by one amount, not by a vector");
        return;
    }
    if (!p->joint && by->kind == GMC_NODE_SCALAR) {
        complain(r, by, "for example by: [0 mm, 0 mm, 100 mm]; a joint is named with joint:",
                 "the base moves by a vector [x, y, z]");
        return;
    }
    if (p->joint)
        p->by[0] = gmc_reader_number(r, map, path, "by");
    else
        gmc_reader_vector(r, map, path, "by", p->by);
}

static void read_shake(gmc_reader *r, const gmc_node *map, const char *path, gmc_phase_spec *p)
{
    p->angle = p->is_rotation ? p->amplitude : -1;
    p->ramp = gmc_reader_number(r, map, path, "ramp");
    if (!p->joint)
        expect_dimension(r, map, "amplitude", p->amplitude,
                         p->is_rotation ? GMC_DIM_ANGLE : GMC_DIM_LENGTH);
    const gmc_node *ramp = gmc_node_find(map, "ramp");
    if (ramp && p->duration >= 0 && value_of(r, p->duration) > 0 &&
        2 * value_of(r, p->ramp) > value_of(r, p->duration))
        complain(
            r, ramp,
            "the amplitude grows for `ramp` and fades for `ramp`: give ramp: 0 s or a longer for:",
            "shake: ramp must be at most half of for");
}

static void read_set(gmc_reader *r, const gmc_node *map, const char *path, gmc_phase_spec *p)
{
    p->sets = gmc_reader_take(r, map->count, sizeof *p->sets);
    if (!p->sets) return;
    for (gmc_node *n = map->first; n; n = n->next) {
        if (gmc_schema_find(GMC_SCHEMA_SET, n->key) || !strchr(n->key, '.')) continue;
        const char *full = gmc_reader_join(r, path, n->key);
        gmc_set_spec *set = &p->sets[p->set_count++];
        *set =
            (gmc_set_spec){.target_path = n->key, .target = -1, .source = n->key_source, .node = n};
        // the unit is looked at again when the target is known
        set->value = gmc_reader_enter(r, n, full);
    }
    if (p->set_count == 0)
        complain(r, map, "for example set: {friction.rubber/abs: 0.1}", "set: nothing to change");
}

// The groups of phases, all read into one struct.
static const struct {
    const char *key;
    gmc_schema_group group;
} KINDS[GMC_PHASE_KIND_COUNT] = {[GMC_PHASE_CLOSE] = {"close", GMC_SCHEMA_CLOSE},
                                 [GMC_PHASE_OPEN] = {"open", GMC_SCHEMA_OPEN},
                                 [GMC_PHASE_LIFT] = {"lift", GMC_SCHEMA_LIFT},
                                 [GMC_PHASE_MOVE] = {"move", GMC_SCHEMA_MOVE},
                                 [GMC_PHASE_TURN] = {"turn", GMC_SCHEMA_TURN},
                                 [GMC_PHASE_SHAKE] = {"shake", GMC_SCHEMA_SHAKE},
                                 [GMC_PHASE_HOLD] = {"hold", GMC_SCHEMA_HOLD},
                                 [GMC_PHASE_SET] = {"set", GMC_SCHEMA_SET}};

static bool kind_of(const char *key, gmc_phase_kind *kind)
{
    for (int i = 0; i < GMC_PHASE_KIND_COUNT; i++) {
        if (strcmp(KINDS[i].key, key) != 0) continue;
        *kind = (gmc_phase_kind)i;
        return true;
    }
    return false;
}

static void read_phase(gmc_reader *r, const gmc_node *map, const char *path, gmc_phase_spec *p)
{
    bool is_shake = p->kind == GMC_PHASE_SHAKE;
    p->is_rotation = p->kind == GMC_PHASE_TURN || (is_shake && gmc_node_find(map, "about"));
    if (is_shake) gmc_reader_vector(r, map, path, p->is_rotation ? "about" : "axis", p->axis);
    gmc_reader_fields(r, map, path, KINDS[p->kind].group, p);
    if (p->kind == GMC_PHASE_CLOSE) check_close(r, map, p);
    if (p->kind == GMC_PHASE_MOVE) read_move(r, map, path, p);
    if (is_shake) read_shake(r, map, path, p);
    if (p->kind == GMC_PHASE_SET) read_set(r, map, path, p);
}

static bool has_phase(const gmc_scenario *s, const char *name)
{
    for (int i = 0; i < s->phase_count; i++)
        if (strcmp(s->program[i].name, name) == 0) return true;
    return false;
}

// "lift", and "lift_2" for the second one; a name that was given must be new.
// @param number  in-out: the last number that a phase of this kind was given, 0: none yet. Smaller
//                ones are taken, so each phase looks for its own once
static void name_phase(gmc_reader *r, const gmc_node *map, const char *kind, int *number,
                       gmc_phase_spec *p)
{
    const gmc_scenario *s = r->scenario;
    const char *given = gmc_reader_text(map, "name");
    char text[96];
    if (given) {
        snprintf(text, sizeof text, "%.80s", given);
        if (has_phase(s, text))
            complain(r, gmc_node_find(map, "name"), NULL, "another phase has this name");
    } else {
        do {
            ++*number;
            if (*number == 1)
                snprintf(text, sizeof text, "%.80s", kind);
            else
                snprintf(text, sizeof text, "%.70s_%d", kind, *number);
        } while (has_phase(s, text));
    }
    char *name = gmc_reader_take(r, (int)strlen(text) + 1, 1);
    if (name) memcpy(name, text, strlen(text));
    p->name = name ? name : "";
}

static void check_hand(gmc_reader *r, const gmc_phase_spec *p)
{
    bool is_quiet = p->kind == GMC_PHASE_HOLD || p->kind == GMC_PHASE_SET;
    bool moves_base = p->kind == GMC_PHASE_LIFT || p->kind == GMC_PHASE_TURN ||
                      ((p->kind == GMC_PHASE_MOVE || p->kind == GMC_PHASE_SHAKE) && !p->joint);
    if (!is_quiet && gmc_scenario_lacks_hand(r->scenario))
        gmc_diagnostics_add(r->report, GMC_E_INPUT, p->source, "add hand: {urdf: ...}",
                            "%s needs a hand", p->name);
    else if (moves_base && r->scenario->hand.is_mounted)
        gmc_diagnostics_add(r->report, GMC_E_INPUT, p->source,
                            p->kind == GMC_PHASE_LIFT || p->kind == GMC_PHASE_TURN
                                ? "move a joint instead,  move: {joint: <joint>, by: <amount>, in: "
                                  "1 s}, or remove mount: fixed from hand"
                                : "name a joint with joint:, or remove mount: fixed from hand",
                            "%s moves the base, which is mounted", p->name);
}

void gmc_reader_program(gmc_reader *r, const gmc_node *list)
{
    gmc_scenario *s = r->scenario;
    if (!list || list->kind != GMC_NODE_LIST) return;
    s->program = gmc_reader_take(r, list->count, sizeof *s->program);
    if (!s->program) return;
    int index = 0, numbers[GMC_PHASE_KIND_COUNT] = {0};
    for (const gmc_node *n = list->first; n; n = n->next, index++) {
        gmc_phase_kind kind = GMC_PHASE_HOLD;
        const gmc_node *map = n->kind == GMC_NODE_MAP ? n->first : NULL;
        if (!map || !kind_of(map->key, &kind) || map->kind != GMC_NODE_MAP) continue;
        gmc_phase_spec phase = {
            .source = map->key_source, .kind = kind, .by = {-1, -1, -1}, .axis = {-1, -1, -1}};
        for (int k = 0; k < GMC_PHASE_KIND_COUNT; k++)
            gmc_reader_defaults(KINDS[k].group, &phase);
        phase.ramp = -1;
        char path[128];
        snprintf(path, sizeof path, "program.%d.%s", index, map->key);
        name_phase(r, map, map->key, &numbers[kind], &phase);
        read_phase(r, map, path, &phase);
        check_hand(r, &phase);
        s->program[s->phase_count++] = phase;
    }
}

// ---- success ----------------------------------------------------------------------------------

static void read_criteria(gmc_reader *r, const gmc_node *list, gmc_criterion **criteria, int *count)
{
    *count = 0;
    if (!list || list->kind != GMC_NODE_LIST) return;
    *criteria = gmc_reader_take(r, list->count, sizeof **criteria);
    gmc_expression_bodies bodies = {0};
    if (!*criteria || gmc_scenario_bodies(r->scenario, &bodies) != GMC_OK) {
        r->is_arena_full = true;
        return;
    }
    for (const gmc_node *n = list->first; n; n = n->next) {
        if (n->kind != GMC_NODE_SCALAR || n->is_bad) continue;
        gmc_criterion *c = &(*criteria)[*count];
        *c = (gmc_criterion){.text = n->text, .source = n->source};
        gmc_status status =
            gmc_expression_parse(n, &bodies, r->scenario->arena, r->report, &c->expression);
        if (status == GMC_E_ARENA_FULL) r->is_arena_full = true;
        if (status == GMC_OK) (*count)++;
    }
}

void gmc_reader_success(gmc_reader *r, const gmc_node *map)
{
    gmc_scenario *s = r->scenario;
    read_criteria(r, gmc_node_find(map, "at_end"), &s->at_end, &s->at_end_count);
    read_criteria(r, gmc_node_find(map, "always"), &s->always, &s->always_count);
}
