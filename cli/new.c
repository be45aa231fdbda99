// The scenario is written twice: once to be read, so that the hand's fingers, the object's size and
// its mass are known, and once with the grasp that was found. Both come from the same lines.
#include "cli/new.h"

#include "cli/cache.h"
#include "cli/new_grasp.h"
#include "cli/shapes.h"
#include "engine/math/elementary.h"
#include "sampling/campaign/probe.h"
#include "sampling/scenario/materials.h"
#include "sampling/scenario/text.h"
#include "sampling/store/version.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/// What a made text is called in messages.
static const char NAME[] = "graspmc-new.yaml";
static const char TABLE[] = "wood", HAND[] = "rubber";

/// What the scenario is made of.
typedef struct draft {
    const gmc_args *args;
    const char *object;         ///< a file, or "box:60x40x100" and the like
    const char *unit;           ///< of a mesh; NULL: metres
    const char *frame;          ///< of the hand; NULL: its base
    double mass;                ///< 0: not known yet [kg]
    const gmc_prepared *hand;   ///< read; NULL: not yet
    const gmc_new_grasp *grasp; ///< found; NULL: not yet
} draft;

// ---- words -------------------------------------------------------------------------------------

/// A name as YAML has it: in quotes where it needs them.
static void add_name(gmc_text *out, const char *name)
{
    bool is_plain = isalpha((unsigned char)name[0]) || name[0] == '/' || name[0] == '.';
    for (const char *p = name; *p; p++)
        is_plain = is_plain && (isalnum((unsigned char)*p) || strchr("_./-", *p));
    if (is_plain)
        gmc_text_add(out, "%s", name);
    else
        gmc_text_add_json(out, name);
}

/// A position of a joint, in the unit of its kind.
static void add_position(gmc_text *out, bool is_slide, double q)
{
    double shown = is_slide ? 1e3 * q : q * 180 / GMC_PI;
    gmc_text_add(out, "%.4g %s", fabs(shown) < 1e-9 ? 0 : shown, is_slide ? "mm" : "deg");
}

/// "box:60x40x100": up to three sizes, in mm. @return how many; 0: it is no such word
static int sizes_of(const char *object, const char *shape, double size[3])
{
    size_t length = strlen(shape);
    if (strncmp(object, shape, length) != 0 || object[length] != ':') return 0;
    const char *p = object + length + 1;
    for (int count = 0; count < 3;) {
        char *end;
        size[count] = strtod(p, &end);
        if (end == p || !isdigit((unsigned char)*p) || !(size[count] > 0)) return 0;
        count++;
        if (*end == 0 || strcmp(end, "mm") == 0) return count;
        if (*end != 'x') return 0;
        p = end + 1;
    }
    return 0;
}

// The object's shape in the scenario; false: the word is none.
static bool add_shape(gmc_text *out, const draft *d)
{
    double s[3];
    if (sizes_of(d->object, "box", s) == 3)
        gmc_text_add(out, "box: [%g mm, %g mm, %g mm]", s[0], s[1], s[2]);
    else if (sizes_of(d->object, "cylinder", s) == 2)
        gmc_text_add(out, "cylinder: {radius: %g mm, length: %g mm}", s[0] / 2, s[1]);
    else if (sizes_of(d->object, "sphere", s) == 1)
        gmc_text_add(out, "sphere: {radius: %g mm}", s[0] / 2);
    else if (strchr(d->object, ':'))
        return false;
    else {
        gmc_text_add(out, "mesh: ");
        add_name(out, d->object);
        if (d->unit) gmc_text_add(out, "\n  unit: %s", d->unit);
    }
    return true;
}

// ---- parts of the scenario ---------------------------------------------------------------------

static const char *material_of(const draft *d)
{
    return d->args->material ? d->args->material : "plastic";
}

static void add_pair(gmc_text *out, const char *a, const char *b)
{
    const gmc_material_pair *pair = gmc_materials_find(a, b);
    char line[80];
    snprintf(line, sizeof line, "%s/%s: %g", a, b, pair ? pair->friction : 0.3);
    gmc_text_add(out, "  %-24s # %s\n", line,
                 pair ? pair->source : "a guess without a source: measure it");
}

/// The joint setting of a name, its dof, and which way it closes; 0: it is no finger.
typedef struct finger {
    int joint;
    const gmc_dof *dof;
    bool is_slide;
    double closing;
} finger;

static bool find_finger(const gmc_prepared *hand, const gmc_program *program, int joint, finger *f)
{
    const gmc_model *model = gmc_build_model(hand->build, 0);
    int dof = gmc_model_find_dof(model, hand->scenario.hand.joints[joint].joint);
    if (dof < 0) return false;
    *f = (finger){.joint = joint, .dof = &model->dofs[dof]};
    for (int b = 1; b < model->body_count; b++)
        if (model->bodies[b].v == dof && gmc_joint_v_count(model->bodies[b].joint) == 1)
            f->is_slide = model->bodies[b].joint == GMC_JOINT_PRISMATIC;
    for (int i = 0; i < program->finger_count; i++)
        if (program->fingers[i].dof == dof) f->closing = program->fingers[i].closing;
    return true;
}

static void add_joints(gmc_text *out, const draft *d, const gmc_program *program)
{
    const gmc_hand_spec *hand = &d->hand->scenario.hand;
    finger f;
    int count = 0;
    gmc_text_add(out, "  fingers: [");
    for (int i = 0; i < hand->joint_count; i++) {
        if (!find_finger(d->hand, program, i, &f) || f.closing == 0) continue;
        gmc_text_add(out, "%s", count++ > 0 ? ", " : "");
        add_name(out, hand->joints[i].joint);
    }
    gmc_text_add(out,
                 "] # joints that `close` moves; others are held where they start\n"
                 "  joints: # where they start: %.0f %% open\n",
                 100 * d->grasp->opening);
    for (int i = 0; i < hand->joint_count; i++) {
        if (!find_finger(d->hand, program, i, &f)) continue;
        gmc_text_add(out, "    ");
        add_name(out, hand->joints[i].joint);
        gmc_text_add(out, ": {start: ");
        add_position(out, f.is_slide, d->grasp->joints[i]);
        gmc_text_add(out, "} # ");
        double end = f.closing > 0 ? f.dof->upper : f.dof->lower;
        if (f.closing == 0) {
            gmc_text_add(out, "held");
        } else if (isfinite(end)) {
            gmc_text_add(out, "closes towards its %s limit, ", f.closing > 0 ? "upper" : "lower");
            add_position(out, f.is_slide, end);
        } else {
            gmc_text_add(out, "closes with %s angle", f.closing > 0 ? "growing" : "falling");
        }
        if (isfinite(f.dof->max_force))
            gmc_text_add(out, "; at most %.4g %s", f.dof->max_force, f.is_slide ? "N" : "N*m");
        gmc_text_add(out, "\n");
    }
}

/// Degrees without the sign of a zero.
static double degrees_of(double angle)
{
    double degrees = angle * 180 / GMC_PI;
    return fabs(degrees) < 5e-3 ? 0 : degrees;
}

static void add_hand(gmc_text *out, const draft *d, const gmc_program *program)
{
    gmc_text_add(out, "hand:\n  urdf: ");
    add_name(out, d->args->inputs[0]);
    gmc_text_add(out, "\n");
    if (d->frame) {
        gmc_text_add(out, "  frame: ");
        add_name(out, d->frame);
        gmc_text_add(out, " # the link that `target` places\n");
    }
    gmc_text_add(out,
                 "  surface: %s # of all links; one by one: {left_finger: rubber, rest: steel}\n",
                 HAND);
    if (!d->grasp) return;
    add_joints(out, d, program);
    const gmc_new_grasp *g = d->grasp;
    gmc_text_add(out,
                 "  # where the hand starts, seen in the object's frame: fingers down, %s\n"
                 "  target: {x: %.1f mm, y: %.1f mm, z: %.1f mm, roll: %.2f deg, pitch: %.2f deg, "
                 "yaw: %.2f deg}\n",
                 g->held > 0 ? "as it was found to hold" : "free of overlap, but it did not hold",
                 1e3 * g->place.x, 1e3 * g->place.y, 1e3 * g->place.z, degrees_of(g->roll),
                 degrees_of(g->pitch), degrees_of(g->yaw));
}

static bool add_object(gmc_text *out, const draft *d)
{
    gmc_text_add(out, "\nobject:\n  ");
    if (!add_shape(out, d)) return false;
    if (d->mass > 0)
        gmc_text_add(out, "\n  mass: %.3g kg%s", d->mass,
                     d->args->mass > 0 ? "" : " # its volume at 500 kg/m3: weigh it");
    else
        gmc_text_add(out, "\n  density: 500 kg/m3");
    gmc_text_add(out,
                 "\n  surface: %s # which pairs have friction with it: below\n"
                 "  placed: resting # put on what is below it, as its frame stands\n"
                 "\nscene:\n  table: {plane: {height: 0 mm}, surface: %s}\n\n"
                 "friction: # coefficients of pairs of surfaces that can touch, and their source\n",
                 material_of(d), TABLE);
    add_pair(out, HAND, material_of(d));
    if (strcmp(HAND, material_of(d)) != 0 || strcmp(TABLE, HAND) != 0) add_pair(out, HAND, TABLE);
    if (strcmp(material_of(d), HAND) != 0) add_pair(out, material_of(d), TABLE);
    return true;
}

static void add_program(gmc_text *out, const draft *d, const gmc_program *program)
{
    finger f = {0};
    bool is_slide = true;
    for (int i = 0; d->grasp && i < d->hand->scenario.hand.joint_count; i++)
        if (find_finger(d->hand, program, i, &f) && f.closing != 0) is_slide = f.is_slide;
    if (d->grasp)
        gmc_text_add(out,
                     "\nprogram:\n  # `force` is that of each joint, three times what carries the "
                     "object\n  - close: {force: %.2g %s, speed: %s, until: stalled, at_most: 3 "
                     "s}\n",
                     d->grasp->force, is_slide ? "N" : "N*m", is_slide ? "0.1 m/s" : "1 rad/s");
    else
        gmc_text_add(out, "\nprogram:\n  - close: {force: 1, speed: 1, until: stalled, "
                          "at_most: 3 s}\n");
    gmc_text_add(out, "  - lift: {by: 100 mm, in: 1 s}\n"
                      "  - hold: {for: 0.5 s}\n\n"
                      "success:\n  at_end: [\"lift(object) >= 80 mm\"] # it came along\n");
}

static void add_uncertain(gmc_text *out, const draft *d)
{
    gmc_text_add(out,
                 "\nuncertain: # what you do not know exactly: put your own numbers here\n"
                 "  object.pose.x: nominal + normal(0 mm, 2 mm)\n"
                 "  object.pose.y: nominal + normal(0 mm, 2 mm)\n"
                 "  object.pose.yaw: nominal + normal(0 deg, 3 deg)\n"
                 "  object.mass: nominal * uniform(0.9, 1.1)\n"
                 "  friction.%s/%s: nominal * uniform(0.8, 1.2)\n",
                 HAND, material_of(d));
}

static void add_head(gmc_text *out, const draft *d)
{
    const gmc_new_grasp *g = d->grasp;
    gmc_text_add(out, "# Made by graspmc new %s: a scenario to start from.\n",
                 gmc_version_program());
    if (g->held > 0)
        gmc_text_add(out,
                     "# The grasp is the best of %d that were simulated: it holds in %d of %d, "
                     "nominal and with the object\n# 4 mm to each side.\n",
                     g->tried, g->held, GMC_NEW_TRIES);
    else
        gmc_text_add(out,
                     "# NO GRASP HELD: of %d that were simulated none lifts the object. Change "
                     "target, starts or force below.\n",
                     g->tried);
    if (g->space > 0)
        gmc_text_add(out, "# Between the fingers are %.0f mm, the object there is %.0f mm wide.\n",
                     1e3 * g->space, 1e3 * g->width);
    gmc_text_add(out, "graspmc: 1\n");
}

/// @param program  NULL: nothing is known of the hand yet
static gmc_status write_scenario(const draft *d, const gmc_program *program, char **text)
{
    gmc_text out = {0};
    *text = NULL;
    if (d->grasp)
        add_head(&out, d);
    else
        gmc_text_add(&out, "graspmc: 1\n");
    add_hand(&out, d, program);
    if (!add_object(&out, d)) {
        gmc_text_free(&out);
        return GMC_E_INPUT;
    }
    add_program(&out, d, program);
    if (d->grasp) add_uncertain(&out, d);
    return gmc_text_take(&out, text);
}

// ---- from files to the scenario ----------------------------------------------------------------

/// A link that stands still on the base and is called as tool points are; NULL: none.
static const char *tool_point(const gmc_prepared *hand)
{
    static const char *const WORDS[] = {"tcp", "tool", "grasp", "ee_link"};
    const gmc_model *model = gmc_build_model(hand->build, 0);
    int base = gmc_build_measures(hand->build)->hand_body;
    for (int w = 0; w < GMC_COUNT(WORDS); w++)
        for (int i = 0; i < model->frame_count; i++)
            if (model->frames[i].body == base && strstr(model->frames[i].name, WORDS[w]))
                return model->frames[i].name;
    return NULL;
}

/// Read what is drafted.
static gmc_status read_draft(const draft *d, const gmc_pieces_cache *cache,
                             gmc_diagnostics *messages, gmc_prepared *prepared)
{
    char *text = NULL;
    *prepared = (gmc_prepared){0};
    gmc_status status = write_scenario(d, NULL, &text);
    if (status == GMC_E_INPUT)
        gmc_diagnostics_add(messages, GMC_ERROR, GMC_E_INPUT, (gmc_source){0},
                            "a mesh file, box:XxYxZ, cylinder:DIAMETERxLENGTH or sphere:DIAMETER, "
                            "sizes in mm",
                            "%.100s is no object", d->object);
    if (status == GMC_OK) status = gmc_prepare_text(NAME, text, cache, messages, prepared);
    if (status == GMC_OK) status = gmc_diagnostics_status(messages);
    free(text);
    return status;
}

/// What is only known once hand and object were read: unit, mass, tool point.
static gmc_status complete(draft *d, const gmc_pieces_cache *cache, gmc_diagnostics *messages)
{
    enum { FAR_TOO_LARGE = 3 }; // metres that are millimetres
    gmc_prepared first;
    gmc_status status = read_draft(d, cache, messages, &first);
    if (status == GMC_OK) {
        const gmc_model *model = gmc_build_model(first.build, 0);
        int object = gmc_build_measures(first.build)->object_body;
        gmc_vec3 low, high;
        (void)gmc_shapes_box(model, object, &low, &high);
        bool is_huge = gmc_vec3_norm(gmc_vec3_sub(high, low)) > FAR_TOO_LARGE;
        double mass = model->bodies[object].inertia.mass;
        if (is_huge && !strchr(d->object, ':')) d->unit = "mm";
        if (d->mass == 0) d->mass = d->unit ? 1e-9 * mass : mass;
        const char *frame = d->frame ? NULL : tool_point(&first);
        if (frame) {
            char *copy = malloc(strlen(frame) + 1);
            if (copy) strcpy(copy, frame);
            d->frame = copy;
        }
    }
    gmc_prepared_free(&first);
    return status;
}

static gmc_status make(draft *d, const gmc_pieces_cache *cache, gmc_diagnostics *messages,
                       char **text)
{
    gmc_prepared prepared = {0};
    gmc_new_grasp grasp = {0};
    GMC_TRY(complete(d, cache, messages));
    gmc_status status = read_draft(d, cache, messages, &prepared);
    if (status == GMC_OK && prepared.scenario.hand.is_mounted) status = GMC_E_INPUT;
    if (status == GMC_OK) status = gmc_new_grasp_find(&prepared, 0, &grasp);
    if (status == GMC_OK) {
        gmc_probe probe = {.scenario = &prepared.scenario, .build = prepared.build};
        double *values = calloc((size_t)prepared.scenario.parameter_count + 1, sizeof *values);
        for (int i = 0; values && i < prepared.scenario.parameter_count; i++)
            values[i] = prepared.scenario.parameters[i].nominal;
        status = values ? gmc_probe_start(&probe, values) : GMC_E_MEMORY;
        d->hand = &prepared;
        d->grasp = &grasp;
        if (status == GMC_OK) status = write_scenario(d, probe.input.program, text);
        if (status == GMC_OK && grasp.held == 0)
            gmc_diagnostics_add(messages, GMC_WARNING, GMC_OK, (gmc_source){0},
                                "change target, starts or force in the scenario",
                                "none of %d grasps that were simulated holds the object%s",
                                grasp.tried,
                                grasp.is_free ? "" : ", nor does one start without overlap");
        gmc_probe_free(&probe);
        free(values);
    }
    free(grasp.joints);
    gmc_prepared_free(&prepared);
    return status;
}

gmc_exit gmc_new_main(const gmc_args *args)
{
    gmc_diagnostics messages = {0};
    gmc_cache cache;
    const gmc_pieces_cache *kept = gmc_cache_open(&cache, GMC_ARGS_PROGRESS_AUTO);
    draft d = {.args = args,
               .object = args->input_count > 1 ? args->inputs[1] : "box:50x50x50",
               .frame = args->frame,
               .mass = args->mass};
    char *text = NULL;
    gmc_status status = make(&d, kept, &messages, &text);
    if (status == GMC_OK) fputs(text, stdout);
    free(text);
    if (d.frame != args->frame) free((char *)(size_t)d.frame);
    gmc_diagnostics_print(&messages, stderr);
    if (status != GMC_OK && messages.error_count == 0)
        fprintf(stderr, "graspmc new: %s\n", gmc_status_name(status));
    gmc_diagnostics_free(&messages);
    return gmc_exit_of(status);
}
