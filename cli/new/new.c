// The scenario is written twice: once to be read, so that the hand's fingers, the object's size and
// its mass are known, and once with the grasp that was found. Both come from the same lines.
#define _POSIX_C_SOURCE 200809L
#include "cli/new/new.h"

#include "cli/answer/cache.h"
#include "cli/new/new_grasp.h"
#include "cli/new/shapes.h"
#include "cli/options/args.h"
#include "cli/process/json.h"
#include "cli/process/terminal.h"
#include "cli/process/text_file.h"
#include "engine/base/file.h"
#include "engine/base/source.h"
#include "engine/math/elementary.h"
#include "sampling/campaign/pool.h"
#include "sampling/campaign/probe.h"
#include "sampling/language/location.h"
#include "sampling/language/materials.h"
#include "sampling/language/nearest.h"
#include "sampling/language/text.h"
#include "sampling/language/units.h"
#include "sampling/store/version.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ==== the words =================================================================================

// The words of `graspmc new`: is the hand a URDF, the object a mesh or a shape with sizes that are
// meant, the material in the table? All that is wrong with them is told in one line each, before
// anything is read in full.
//
// What a file is, is told by its first bytes: a reader of meshes complains of every line of a URDF.

typedef struct gmc_new_inputs {
    const char *hand;   ///< file
    const char *mesh;   ///< file of the object; NULL: it is a shape
    char shape[256];    ///< as a scenario has it: "box: [60 mm, 40 mm, 100 mm]"; empty of a mesh
    const char *object; ///< the word
} gmc_new_inputs;

// ---- kinds of files ----------------------------------------------------------------------------

typedef enum file_kind {
    KIND_OTHER, ///< or it cannot be read: its reader says why
    KIND_URDF,
    KIND_MJCF,
    KIND_XML,
    KIND_MESH,
    KIND_SCENARIO,
    KIND_RESULT
} file_kind;

static const char *const KINDS[] = {
    [KIND_URDF] = "a URDF", [KIND_MJCF] = "an MJCF",        [KIND_XML] = "XML",
    [KIND_MESH] = "a mesh", [KIND_SCENARIO] = "a scenario", [KIND_RESULT] = "a result"};

static bool ends_with(const char *name, const char *end)
{
    size_t length = strlen(name), bytes = strlen(end);
    if (length < bytes) return false;
    for (size_t i = 0; i < bytes; i++)
        if (tolower((unsigned char)name[length - bytes + i]) != end[i]) return false;
    return true;
}

static file_kind kind_of(const char *name)
{
    static const char *const MESHES[] = {".obj", ".stl",  ".ply", ".dae",
                                         ".glb", ".gltf", ".3mf", ".step"};
    gmc_file file = {0};
    if (gmc_file_read(name, &file) != GMC_OK) return KIND_OTHER;
    const char *text = (const char *)file.bytes;
    const char *start = text + strspn(text, " \t\r\n");
    file_kind kind = KIND_OTHER;
    for (int i = 0; i < GMC_COUNT(MESHES); i++)
        if (ends_with(name, MESHES[i])) kind = KIND_MESH;
    if (strncmp(text, "\x89HDF", 4) == 0)
        kind = KIND_RESULT;
    else if (strncmp(text, "graspmc:", 8) == 0 || strstr(text, "\ngraspmc:"))
        kind = KIND_SCENARIO;
    else if (*start == '<' && strstr(text, "<robot"))
        kind = KIND_URDF;
    else if (*start == '<' && strstr(text, "<mujoco"))
        kind = KIND_MJCF;
    else if (*start == '<' && kind != KIND_MESH)
        kind = KIND_XML;
    gmc_file_free(&file);
    return kind;
}

static void complain(gmc_diagnostics *messages, const char *file, const char *hint,
                     const char *what)
{
    gmc_diagnostics_add(messages, GMC_E_INPUT, (gmc_source){.file = file}, hint, "%s", what);
}

/// A file that is named on the command line is looked for from here, not beside a scenario.
static void check_there(const char *file, gmc_diagnostics *messages)
{
    errno = 0;
    FILE *in = gmc_file_open(file);
    if (in) fclose(in);
    if (!in && errno == ENOENT)
        gmc_diagnostics_add(messages, GMC_E_MISSING, (gmc_source){0}, NULL, "no such file: %.200s",
                            file);
}

/// One message for a file that is in the wrong place, or for two that are in each other's.
static void check_kinds(const gmc_new_inputs *in, gmc_diagnostics *messages)
{
    check_there(in->hand, messages);
    if (in->mesh) check_there(in->mesh, messages);
    static const char ORDER[] =
        "graspmc new HAND [OBJECT]; HAND is a URDF or an MJCF, OBJECT is a mesh (OBJ, STL, PLY), "
        "or a shape: box:60x40x100mm, cylinder:66x100mm, sphere:5cm";
    file_kind hand = kind_of(in->hand), object = in->mesh ? kind_of(in->mesh) : KIND_OTHER;
    char what[200];
    bool is_hand = hand == KIND_URDF || hand == KIND_MJCF || hand == KIND_OTHER;
    if ((object == KIND_URDF || object == KIND_MJCF) && !is_hand) {
        snprintf(what, sizeof what, "hand and object are swapped: this is %s, the second %s",
                 KINDS[hand], KINDS[object]);
        complain(messages, in->hand, ORDER, what);
        return;
    }
    // other XML has a reader that says which format of robots it is
    if (hand == KIND_MESH || hand == KIND_SCENARIO || hand == KIND_RESULT) {
        snprintf(what, sizeof what, "the hand is to be a URDF or an MJCF, and this is %s",
                 KINDS[hand]);
        complain(messages, in->hand, ORDER, what);
    }
    if (object == KIND_URDF || object == KIND_MJCF || object == KIND_XML ||
        object == KIND_SCENARIO || object == KIND_RESULT) {
        snprintf(what, sizeof what, "the object is to be a mesh, and this is %s", KINDS[object]);
        complain(messages, in->mesh,
                 object == KIND_URDF ? "the mesh that its <collision> names is one: OBJ, STL, PLY"
                                     : ORDER,
                 what);
    }
}

// ---- shapes ------------------------------------------------------------------------------------

typedef struct shape_form {
    const char *name, *spelling;
    int count;
} shape_form;

static const shape_form SHAPES[] = {{"box", "box:60x40x100mm", 3},
                                    {"cylinder", "cylinder:66x100mm, its diameter and length", 2},
                                    {"sphere", "sphere:5cm, its diameter", 1}};

static void write_shape(gmc_new_inputs *in, const shape_form *form, const double size[3])
{
    char text[3][GMC_UNITS_TEXT];
    bool is_box = form->count == 3;
    for (int i = 0; i < form->count; i++)
        gmc_units_print(1e3 * (i > 0 || is_box ? size[i] : size[i] / 2), text[i]);
    if (is_box)
        snprintf(in->shape, sizeof in->shape, "box: [%s mm, %s mm, %s mm]", text[0], text[1],
                 text[2]);
    else if (form->count == 2)
        snprintf(in->shape, sizeof in->shape, "cylinder: {radius: %s mm, length: %s mm}", text[0],
                 text[1]);
    else
        snprintf(in->shape, sizeof in->shape, "sphere: {radius: %s mm}", text[0]);
}

/// Sizes with an x between them. The last one's unit, or mm, is that of those without.
/// @return whether they were read
static bool read_sizes(const char *text, const shape_form *form, double size[3], bool *has_unit)
{
    const gmc_exponents length = gmc_units_of("m");
    double scale = 1e-3;
    char parts[3][32];
    int count = 0;
    for (const char *p = text; count <= form->count; p += strlen(parts[count - 1]) + 1) {
        size_t bytes = strcspn(p, "x");
        if (count == form->count || bytes == 0 || bytes >= sizeof parts[0]) return false;
        memcpy(parts[count], p, bytes);
        parts[count++][bytes] = 0;
        if (p[bytes] == 0) break;
    }
    *has_unit = false;
    for (int i = count - 1; i >= 0; i--) {
        gmc_quantity q;
        const char *end;
        if (gmc_units_read(parts[i], &q, &end) != GMC_UNITS_OK || *end) return false;
        if (q.has_unit && !gmc_units_equal(q.exponents, length)) return false;
        double bare = strtod(parts[i], NULL); // as written, in whichever unit
        if (q.has_unit && i < count - 1 && !*has_unit) return false; // 5cmx5x10
        if (q.has_unit) scale = q.value / bare;
        *has_unit = *has_unit || q.has_unit;
        size[i] = bare * scale;
        if (!(size[i] > 0)) return false;
    }
    return count == form->count;
}

static void read_shape(gmc_new_inputs *in, gmc_diagnostics *messages)
{
    static const double LEAST = 1e-3; // what is smaller was meant in another unit
    char hint[200];
    const shape_form *form = NULL;
    double size[3];
    bool has_unit = false;
    for (int i = 0; i < GMC_COUNT(SHAPES); i++) {
        size_t length = strlen(SHAPES[i].name);
        if (strncmp(in->object, SHAPES[i].name, length) == 0 && in->object[length] == ':')
            form = &SHAPES[i];
    }
    const char *sizes = form ? in->object + strlen(form->name) + 1 : "";
    if (!form || !read_sizes(sizes, form, size, &has_unit)) {
        snprintf(hint, sizeof hint, "%s%s", form ? "as in " : "",
                 form ? form->spelling
                      : "a mesh file, box:XxYxZ, cylinder:DIAMETERxLENGTH or sphere:DIAMETER, with "
                        "mm, cm or m behind; mm without");
        gmc_diagnostics_add(messages, GMC_E_INPUT, (gmc_source){0}, hint,
                            form ? "%.100s: not the %s of a %s" : "%.100s is not an object",
                            in->object, form && form->count > 1 ? "sizes" : "size",
                            form ? form->name : "");
        return;
    }
    for (int i = 0; i < form->count; i++) {
        if (size[i] >= LEAST) continue;
        snprintf(hint, sizeof hint, "if %s: %.90s%s", has_unit ? "mm were meant" : "m were meant",
                 in->object, has_unit ? "" : "m");
        if (has_unit)
            snprintf(hint, sizeof hint, "units are mm, cm and m, as in %s", form->spelling);
        gmc_diagnostics_add(messages, GMC_E_INPUT, (gmc_source){0}, hint,
                            "%.100s: %.4g mm is too small for an object%s", in->object,
                            1e3 * size[i], has_unit ? "" : "; sizes without a unit are in mm");
        return;
    }
    write_shape(in, form, size);
}

// ---- materials ---------------------------------------------------------------------------------

/// Names of the table of materials, each once.
static void offer_materials(const char *name, gmc_nearest *nearest, gmc_text *all, bool *is_known)
{
    for (int i = 0; i < 2 * gmc_material_pair_count; i++) {
        const char *one = i % 2 ? gmc_material_pairs[i / 2].b : gmc_material_pairs[i / 2].a;
        bool is_first = true;
        for (int k = 0; k < i && is_first; k++)
            is_first =
                strcmp(one, k % 2 ? gmc_material_pairs[k / 2].b : gmc_material_pairs[k / 2].a) != 0;
        if (!is_first) continue;
        *is_known = *is_known || strcmp(one, name) == 0;
        gmc_nearest_offer(nearest, one);
        gmc_text_add(all, "%s%s", i > 0 ? ", " : "", one);
    }
}

static gmc_status check_material(const char *name, gmc_diagnostics *messages)
{
    gmc_nearest nearest = gmc_nearest_start(name);
    gmc_text all = {0}, hint = {0};
    bool is_known = false;
    offer_materials(name, &nearest, &all, &is_known);
    char *names = NULL, *text = NULL;
    gmc_status status = gmc_text_take(&all, &names);
    if (status == GMC_OK) {
        if (nearest.best) gmc_text_add(&hint, "did you mean %s? ", nearest.best);
        gmc_text_add(&hint, "%s; a name of your own can be written into the scenario", names);
        status = gmc_text_take(&hint, &text);
    }
    if (status == GMC_OK && !is_known)
        gmc_diagnostics_add(messages, GMC_E_INPUT, (gmc_source){0}, text,
                            "--material %.60s: the table of materials has no such name", name);
    free(names);
    free(text);
    return status;
}

// ---- all of it ---------------------------------------------------------------------------------

/// @return GMC_OK, GMC_E_INPUT (reported)
static gmc_status new_inputs_read(const gmc_args *args, gmc_diagnostics *messages,
                                  gmc_new_inputs *in)
{
    *in = (gmc_new_inputs){.hand = args->inputs[0],
                           .object = args->input_count > 1 ? args->inputs[1] : "box:50x50x50mm"};
    if (strchr(in->object, ':'))
        read_shape(in, messages);
    else
        in->mesh = in->object;
    check_kinds(in, messages);
    if (args->material) GMC_TRY(check_material(args->material, messages));
    return gmc_diagnostics_status(messages);
}

/// Folder of a file, resolved; `name` is left with what stands behind it. NULL: it is not there.
static char *folder_of(const char *file, const char **name)
{
    const char *slash = strrchr(file, '/');
    *name = slash ? slash + 1 : file;
    if (!slash) return gmc_location_real(".");
    size_t bytes = slash == file ? 1 : (size_t)(slash - file);
    char *folder = malloc(bytes + 1);
    if (!folder) return NULL;
    memcpy(folder, file, bytes);
    folder[bytes] = 0;
    char *whole = gmc_location_real(folder);
    free(folder);
    return whole;
}

/// From one folder to another: "../../hands/", "" for the same.
static void add_way(gmc_text *out, const char *from, const char *to)
{
    size_t same = 0; // bytes of the folders that both have
    for (size_t i = 0;; i++) {
        bool is_end = (from[i] == 0 || from[i] == '/') && (to[i] == 0 || to[i] == '/');
        if (is_end) same = i;
        if (from[i] == 0 || to[i] == 0 || from[i] != to[i]) break;
    }
    for (const char *p = from + same; *p; p++)
        if (*p == '/' && p[1]) gmc_text_add(out, "../");
    const char *rest = to + same;
    if (*rest == '/') rest++;
    if (*rest) gmc_text_add(out, "%s/", rest);
}

/// A file of the command line as another file names it that lies elsewhere: relative to the folder
/// of `from`; as it is if it is absolute, or `from` is in the current folder.
/// @param from  a file that need not be there; NULL: in the current folder
/// @return to be freed; NULL: no memory
static char *new_inputs_path(const char *file, const char *from)
{
    const char *name, *unused;
    gmc_text out = {0};
    char *path = NULL;
    char *there = file[0] != '/' && from ? folder_of(file, &name) : NULL;
    char *here = there ? folder_of(from, &unused) : NULL;
    if (here) {
        add_way(&out, here, there);
        gmc_text_add(&out, "%s", name);
    } else {
        gmc_text_add(&out, "%s", file);
    }
    free(there);
    free(here);
    if (gmc_text_take(&out, &path) != GMC_OK) return NULL;
    return path;
}

// ==== the scenario ==============================================================================

/// What a made text is called in messages.
static const char NAME[] = "graspmc-new.yaml";
static const char TABLE[] = "wood", HAND[] = "rubber";

/// What the scenario is made of.
typedef struct draft {
    const gmc_args *args;
    gmc_new_inputs in;
    const char *hand_file, *mesh_file; ///< as the scenario names them
    const char *unit;                  ///< of a mesh; NULL: metres
    char *frame;                       ///< of the hand; NULL: its base
    double mass;                       ///< 0: not known yet [kg]
    gmc_vec3 size;                     ///< of the object [m]
    bool is_slide;                     ///< what closes slides
    double speed;                      ///< of closing; 0: not known yet [m/s, rad/s]
    const gmc_prepared *hand;          ///< read; NULL: not yet
    gmc_new_grasp grasp;               ///< found if `hand` is
    gmc_progress progress;
    double began_s;
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

/// The object's shape in the scenario.
static void add_shape(gmc_text *out, const draft *d)
{
    if (!d->in.mesh) {
        gmc_text_add(out, "%s", d->in.shape);
        return;
    }
    gmc_text_add(out, "mesh: ");
    add_name(out, d->mesh_file);
    if (d->unit) gmc_text_add(out, "\n  unit: %s", d->unit);
}

/// A start that the limits allow as it is written: rounded to hundredths, at an end inwards.
static void add_start(gmc_text *out, const gmc_dof *dof, bool is_slide, double q)
{
    double unit = is_slide ? 1e3 : 180 / GMC_PI, shown = round(100 * unit * q) / 100;
    if (shown > unit * dof->upper) shown = floor(100 * unit * dof->upper) / 100;
    if (shown < unit * dof->lower) shown = ceil(100 * unit * dof->lower) / 100;
    gmc_text_add(out, "%.10g %s", shown == 0 ? 0 : shown, is_slide ? "mm" : "deg");
}

// ---- parts of the scenario ---------------------------------------------------------------------

static const char *material_of(const draft *d)
{
    return d->args->material ? d->args->material : "plastic";
}

static double friction_of(const char *a, const char *b)
{
    const gmc_material_pair *pair = gmc_materials_find(a, b);
    return pair ? pair->friction : 0.3;
}

static void add_pair(gmc_text *out, const char *a, const char *b)
{
    const gmc_material_pair *pair = gmc_materials_find(a, b);
    char line[80];
    snprintf(line, sizeof line, "%s/%s: %g", a, b, friction_of(a, b));
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
    const gmc_robot_spec *hand = &d->hand->scenario.hand;
    const gmc_new_grasp *g = &d->grasp;
    finger f;
    int count = 0;
    double least = 1, most = 0;
    gmc_text_add(out, "  fingers: [");
    for (int i = 0; i < hand->joint_count; i++) {
        if (!find_finger(d->hand, program, i, &f) || f.closing == 0) continue;
        gmc_text_add(out, "%s", count++ > 0 ? ", " : "");
        add_name(out, hand->joints[i].joint);
        least = fmin(least, g->share[i]);
        most = fmax(most, g->share[i]);
    }
    gmc_text_add(out, "] # joints that `close` moves; others are held where they start\n"
                      "  joints: # where they start: ");
    if (most - least > 0.005) gmc_text_add(out, "%.0f to ", 100 * least);
    gmc_text_add(out, "%.0f %% open\n", 100 * most);
    for (int i = 0; i < hand->joint_count; i++) {
        if (!find_finger(d->hand, program, i, &f)) continue;
        gmc_text_add(out, "    ");
        add_name(out, hand->joints[i].joint);
        gmc_text_add(out, ": {start: ");
        add_start(out, f.dof, f.is_slide, g->joints[i]);
        gmc_text_add(out, "} # ");
        double end = f.closing > 0 ? f.dof->upper : f.dof->lower;
        if (f.closing == 0 && fabs(g->joints[i] - g->own[i]) > 1e-6) {
            gmc_text_add(out, "held so that the fingers close against each other; by itself it "
                              "starts at ");
            add_position(out, f.is_slide, g->own[i]);
        } else if (f.closing == 0) {
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

/// Where the hand starts.
static void add_target(gmc_text *out, const draft *d)
{
    const gmc_new_grasp *g = &d->grasp;
    gmc_text_add(out, "  # where the hand starts, seen in the object's frame: %s\n",
                 g->held > 0  ? "as it was found to hold"
                 : g->is_free ? "over the object and clear of it. From here nothing was found to "
                                "hold: change it"
                              : "something OVERLAPS here, graspmc check says what: change it");
    gmc_text_add(out,
                 "  target: {x: %.1f mm, y: %.1f mm, z: %.1f mm, roll: %.2f deg, pitch: %.2f deg, "
                 "yaw: %.2f deg}\n",
                 1e3 * g->place.x, 1e3 * g->place.y, 1e3 * g->place.z, degrees_of(g->roll),
                 degrees_of(g->pitch), degrees_of(g->yaw));
}

static void add_hand(gmc_text *out, const draft *d, const gmc_program *program)
{
    gmc_text_add(out, "hand:\n  %s: ", kind_of(d->in.hand) == KIND_MJCF ? "mjcf" : "urdf");
    add_name(out, d->hand_file);
    gmc_text_add(out, "\n");
    if (d->frame) {
        gmc_text_add(out, "  frame: ");
        add_name(out, d->frame);
        gmc_text_add(out, " # the link that `target` places\n");
    }
    gmc_text_add(out,
                 "  surface: %s # of all links; one by one: {left_finger: rubber, rest: steel}\n",
                 HAND);
    if (!d->hand) return;
    add_joints(out, d, program);
    add_target(out, d);
}

static void add_object(gmc_text *out, const draft *d)
{
    gmc_text_add(out, "\nobject:\n  ");
    add_shape(out, d);
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
    if (strcmp(material_of(d), TABLE) != 0) add_pair(out, HAND, TABLE);
    if (strcmp(material_of(d), HAND) != 0) add_pair(out, material_of(d), TABLE);
}

/// How many times its weight the tips carry by friction, if each presses so.
static double share_carried(const draft *d, double press)
{
    return d->grasp.tips * press * friction_of(HAND, material_of(d)) / (9.81 * d->mass);
}

/// Which drive hinders a larger force.
static void add_limit(gmc_text *out, const draft *d, const gmc_dof *drive)
{
    const char *unit = d->is_slide ? "N" : "N*m";
    gmc_text_add(out, "joint `%s` gives %.4g %s at most", drive->name, drive->max_force, unit);
    if (d->grasp.limit_each < 0.95 * drive->max_force) // it moves several
        gmc_text_add(out, ", %.2g %s to each finger", d->grasp.limit_each, unit);
}

/// What the force is good for, and what hinders a larger one if it is too little.
/// @param model  with the hand's drives
static void add_carried(gmc_text *out, const draft *d, const gmc_model *model)
{
    const gmc_new_grasp *g = &d->grasp;
    double share = share_carried(d, g->press);
    gmc_text_add(out, "%d tips carry %.2g times the object's weight by friction of %g", g->tips,
                 share, friction_of(HAND, material_of(d)));
    if (share >= 1) return;
    gmc_text_add(out, ", TOO LITTLE: ");
    if (share_carried(d, g->press_at_limit) < 1)
        add_limit(out, d, &model->dofs[g->limit_dof]);
    else
        gmc_text_add(out, "more than %.2g N at a tip is not tried, and the drives give more",
                     g->press);
}

static void add_program(gmc_text *out, const draft *d)
{
    gmc_text_add(out, "\nprogram:\n");
    if (d->hand) {
        gmc_text_add(out, "  # `force` is that of each joint: ");
        add_carried(out, d, gmc_build_model(d->hand->build, 0));
        gmc_text_add(out, "\n  - close: {force: %.2g %s, ", d->grasp.force,
                     d->is_slide ? "N" : "N*m");
    } else
        gmc_text_add(out, "  - close: {force: 1, ");
    if (d->speed > 0)
        gmc_text_add(out, "speed: %.3g %s, ", d->speed, d->is_slide ? "m/s" : "rad/s");
    gmc_text_add(out, "until: stalled, at_most: 3 s}\n"
                      "  - lift: {by: 100 mm, in: 1 s}\n"
                      "  - hold: {for: 0.5 s}\n\n"
                      "success:\n  at_end: [\"lift(object) >= 80 mm\"] # it came along\n");
}

static void add_uncertain(gmc_text *out, const draft *d)
{
    gmc_text_add(out,
                 "\nuncertain: # what you do not know exactly: put your own numbers here\n"
                 "  object.pose.x: nominal + normal(0 mm, %g mm)\n"
                 "  object.pose.y: nominal + normal(0 mm, %g mm)\n"
                 "  object.pose.yaw: nominal + normal(0 deg, %g deg)\n"
                 "  object.mass: nominal * uniform(0.9, 1.1)\n"
                 "  friction.%s/%s: nominal * uniform(0.8, 1.2)\n",
                 1e3 * GMC_NEW_SIGMA, 1e3 * GMC_NEW_SIGMA, GMC_NEW_SIGMA_YAW, HAND, material_of(d));
}

static bool is_clear_known(const gmc_new_grasp *g) { return isfinite(g->clear) && g->clear > 0; }

/// Nothing was simulated: how large the object is, and how far the fingers open.
static void add_no_start(gmc_text *out, const draft *d)
{
    const gmc_new_grasp *g = &d->grasp;
    if (g->screened == 0)
        gmc_text_add(out, "geometry suggests no start");
    else
        gmc_text_add(out,
                     "none of %d starts that geometry suggests is free of overlap, and nothing was "
                     "simulated",
                     g->screened);
    if (g->grips > 0) // else its width was said
        gmc_text_add(out, "; the object is %.3g x %.3g x %.3g mm large", 1e3 * d->size.x,
                     1e3 * d->size.y, 1e3 * d->size.z);
    if (is_clear_known(g))
        gmc_text_add(out, ", and between the open fingers %.0f mm are clear", 1e3 * g->clear);
}

/// What is known of why nothing held, for the file and for stderr.
/// @param model  with the hand's drives
static void add_failure(gmc_text *out, const draft *d, const gmc_model *model)
{
    const gmc_new_grasp *g = &d->grasp;
    if (g->grips == 0)
        gmc_text_add(out,
                     "no two sides of the fingers close against each other around the object, "
                     "which is %.0f x %.0f mm wide; ",
                     1e3 * d->size.x, 1e3 * d->size.y);
    if (g->tried == 0) {
        add_no_start(out, d);
        return;
    }
    gmc_text_add(out,
                 "of %d starts that geometry suggests %d were found free of overlap and "
                 "simulated: none lifts the object",
                 g->screened, g->tried);
    if (share_carried(d, g->press) >= 1) return;
    gmc_text_add(out, "; ");
    add_carried(out, d, model);
}

static const char ADVICE_SIZE[] = "take a hand that opens far enough for the object and whose "
                                  "fingers reach it, or another object; "
                                  "scripts/plot_trial SCENARIO --start draws both";
static const char ADVICE_GRASP[] =
    "change target, starts, fingers or force in the scenario; scripts/plot_trial SCENARIO --start "
    "draws the start, check --model says what is touched first";

static const char *advice_of(const draft *d)
{
    return d->grasp.tried == 0 ? ADVICE_SIZE : ADVICE_GRASP;
}

static void add_head(gmc_text *out, const draft *d)
{
    const gmc_new_grasp *g = &d->grasp;
    gmc_text_add(out, "# Made by graspmc new %s: a scenario to start from. %s\n",
                 gmc_version_program(),
                 d->args->out ? "Its files are named from the folder of this file."
                              : "Its files are named from the folder where it was made: keep it "
                                "there, or make it with -o.");
    if (g->held > 0) {
        gmc_text_add(out,
                     "# The grasp is the best of %d starts that were simulated, of %d that "
                     "geometry suggests: it holds in %d of %d,\n# nominal and with the object 4 mm "
                     "to each side, where it must also start three standard deviations\n# of "
                     "`uncertain` that way and turned by three without being deep in the hand.%s\n",
                     g->tried, g->screened, g->held, GMC_NEW_TRIES,
                     g->is_clean ? "" : " The hand touches something else before the object.");
    } else {
        gmc_text_add(out, "# NO START WAS FOUND THAT HOLDS: ");
        add_failure(out, d, gmc_build_model(d->hand->build, 0));
        gmc_text_add(out, ".\n# What to do: %s.\n", advice_of(d));
    }
    if (is_clear_known(g)) {
        gmc_text_add(out, "# Between the fingers %.0f mm are clear at the start", 1e3 * g->clear);
        if (g->width > 0) gmc_text_add(out, ", the object there is %.0f mm wide", 1e3 * g->width);
        gmc_text_add(out, ".\n");
    }
    gmc_text_add(out, "graspmc: 1\n");
}

/// @param program  NULL: nothing is known of the hand yet
static gmc_status write_scenario(const draft *d, const gmc_program *program, char **text)
{
    gmc_text out = {0};
    *text = NULL;
    if (d->hand)
        add_head(&out, d);
    else
        gmc_text_add(&out, "graspmc: 1\n");
    add_hand(&out, d, program);
    add_object(&out, d);
    add_program(&out, d);
    if (d->hand) add_uncertain(&out, d);
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

/// Hand messages on. The user never sees the draft: its mistakes are those of the hand, and what it
/// warns of (where fingers start, say) is about to change.
static void pass_on(const draft *d, const gmc_diagnostics *from, gmc_diagnostics *to)
{
    for (int i = 0; i < from->count; i++) {
        const gmc_diagnostic *m = &from->items[i];
        bool is_draft = m->source.file && strcmp(m->source.file, NAME) == 0;
        if (is_draft && m->severity != GMC_ERROR) continue;
        gmc_source source = is_draft ? (gmc_source){.file = d->in.hand} : m->source;
        if (m->kind)
            gmc_diagnostics_warn(to, source, (gmc_diagnostic_subject){m->kind, m->subject}, m->hint,
                                 "%s", m->message);
        else
            gmc_diagnostics_copy(to, m, source);
    }
}

/// Read what is drafted.
static gmc_status read_draft(const draft *d, const gmc_pieces_cache *cache,
                             gmc_diagnostics *messages, gmc_prepared *prepared)
{
    char *text = NULL;
    gmc_diagnostics said = {0};
    *prepared = (gmc_prepared){0};
    gmc_status status = write_scenario(d, NULL, &text);
    if (status == GMC_OK) status = gmc_prepare_text(NAME, text, cache, &said, prepared);
    if (status == GMC_OK) status = gmc_diagnostics_status(&said);
    pass_on(d, &said, messages);
    gmc_diagnostics_free(&said);
    free(text);
    return status;
}

static char *copy_of(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = malloc(bytes);
    if (copy) memcpy(copy, text, bytes);
    return copy;
}

/// How large and heavy the object is, and in which unit.
static void measure_object(draft *d, const gmc_prepared *first)
{
    static const double FAR_TOO_LARGE = 3; // metres that are millimetres
    const gmc_model *model = gmc_build_model(first->build, 0);
    int object = gmc_build_measures(first->build)->object_body;
    gmc_vec3 low, high;
    (void)gmc_shapes_box(model, object, &low, &high);
    d->size = gmc_vec3_sub(high, low);
    double mass = model->bodies[object].inertia.mass;
    if (gmc_vec3_norm(d->size) > FAR_TOO_LARGE && d->in.mesh) {
        d->unit = "mm";
        d->size = gmc_vec3_scale(1e-3, d->size);
    }
    if (d->mass == 0) d->mass = d->unit ? 1e-9 * mass : mass;
}

/// A moderate speed that all fingers reach.
static void choose_speed(draft *d, const gmc_prepared *first, const gmc_program *program)
{
    static const double SLIDE = 0.1, TURN = 1;
    finger f;
    d->is_slide = true;
    double most = INFINITY;
    for (int i = 0; i < first->scenario.hand.joint_count; i++) {
        if (!find_finger(first, program, i, &f) || f.closing == 0) continue;
        d->is_slide = f.is_slide;
        if (f.dof->max_speed > 0) most = fmin(most, f.dof->max_speed);
    }
    d->speed = fmin(d->is_slide ? SLIDE : TURN, most);
}

/// A probe that has looked at a scenario's nominal start, for its program.
static gmc_status open_probe(const gmc_prepared *prepared, gmc_probe *probe)
{
    *probe = (gmc_probe){.scenario = &prepared->scenario, .build = prepared->build};
    int count = prepared->scenario.parameter_count;
    double *values = calloc((size_t)count + 1, sizeof *values);
    for (int i = 0; values && i < count; i++)
        values[i] = prepared->scenario.parameters[i].nominal;
    gmc_status status = values ? gmc_probe_start(probe, values) : GMC_E_MEMORY;
    free(values);
    return status;
}

/// What is only known once hand and object were read: unit, mass, tool point, speed.
static gmc_status complete(draft *d, const gmc_pieces_cache *cache, gmc_diagnostics *messages)
{
    gmc_prepared first;
    gmc_probe probe = {0};
    gmc_status status = read_draft(d, cache, messages, &first);
    if (status == GMC_OK) status = open_probe(&first, &probe);
    if (status == GMC_OK) {
        measure_object(d, &first);
        choose_speed(d, &first, probe.input.program);
        const char *frame = d->frame ? NULL : tool_point(&first);
        if (frame) d->frame = copy_of(frame);
        if (frame && !d->frame) status = GMC_E_MEMORY;
    }
    gmc_probe_free(&probe);
    gmc_prepared_free(&first);
    return status;
}

static void tell(void *context, const gmc_new_grasp *grasp)
{
    draft *d = context;
    gmc_progress_trying(&d->progress, grasp->tried, grasp->held, GMC_NEW_TRIES,
                        gmc_pool_clock_s() - d->began_s);
}

/// The scenario with its grasp; what its files are called there.
static gmc_status write_whole(draft *d, const gmc_prepared *prepared, char **text)
{
    char *hand = new_inputs_path(d->in.hand, d->args->out);
    char *mesh = d->in.mesh ? new_inputs_path(d->in.mesh, d->args->out) : NULL;
    gmc_probe probe = {0};
    bool is_there = hand && (mesh || !d->in.mesh);
    gmc_status status = is_there ? open_probe(prepared, &probe) : GMC_E_MEMORY;
    d->hand = prepared;
    d->hand_file = hand;
    d->mesh_file = mesh;
    if (status == GMC_OK) status = write_scenario(d, probe.input.program, text);
    d->hand_file = d->mesh_file = NULL;
    d->hand = NULL;
    gmc_probe_free(&probe);
    free(hand);
    free(mesh);
    return status;
}

static gmc_status warn(const draft *d, const gmc_prepared *prepared, gmc_diagnostics *messages)
{
    gmc_text out = {0};
    char *why = NULL;
    if (d->grasp.held > 0) return GMC_OK;
    add_failure(&out, d, gmc_build_model(prepared->build, 0));
    GMC_TRY(gmc_text_take(&out, &why));
    gmc_diagnostics_add(messages, GMC_OK, (gmc_source){0}, advice_of(d),
                        "no start was found that holds: %s", why);
    free(why);
    return GMC_OK;
}

static gmc_status make(draft *d, gmc_cache *cache, const gmc_pieces_cache *kept,
                       gmc_diagnostics *messages, char **text)
{
    gmc_prepared prepared = {0};
    GMC_TRY(complete(d, kept, messages));
    gmc_status status = read_draft(d, kept, messages, &prepared);
    gmc_cache_close(cache); // now stderr is free
    d->began_s = gmc_pool_clock_s();
    if (status == GMC_OK) status = gmc_new_grasp_find(&prepared, 0, tell, d, &d->grasp);
    gmc_progress_clear(&d->progress);
    if (status == GMC_OK) status = write_whole(d, &prepared, text);
    if (status == GMC_OK) status = warn(d, &prepared, messages);
    gmc_prepared_free(&prepared);
    return status;
}

// ---- the answer --------------------------------------------------------------------------------

static void answer(const draft *d, const char *text)
{
    const gmc_new_grasp *g = &d->grasp;
    gmc_json json = {.out = stdout};
    gmc_json_open(&json, NULL, '{');
    gmc_json_text(&json, "output", d->args->out);
    gmc_json_whole(&json, "held", (uint64_t)g->held);
    gmc_json_whole(&json, "of", GMC_NEW_TRIES);
    gmc_json_flag(&json, "object_first", g->is_clean);
    gmc_json_flag(&json, "free", g->is_free);
    gmc_json_whole(&json, "suggested", (uint64_t)g->screened);
    gmc_json_whole(&json, "simulated", (uint64_t)g->tried);
    gmc_json_real(&json, "clear_m", g->clear);
    gmc_json_real(&json, "carries", share_carried(d, g->press));
    gmc_json_real(&json, "width_m", g->width > 0 ? g->width : (double)NAN);
    gmc_json_real(&json, "mass_kg", d->mass);
    if (!d->args->out) gmc_json_text(&json, "scenario", text);
    gmc_json_close(&json, '}');
    fputc('\n', stdout);
}

static gmc_status put_text(void *context, FILE *out)
{
    fputs(context, out);
    return GMC_OK;
}

static gmc_status start(draft *d, gmc_diagnostics *messages)
{
    const gmc_args *args = d->args;
    gmc_status named = new_inputs_read(args, messages, &d->in);
    if (args->out) GMC_TRY(gmc_text_file_may(args->out, args->force, args->inputs[0], messages));
    GMC_TRY(named);
    d->hand_file = d->in.hand;
    d->mesh_file = d->in.mesh;
    d->mass = args->mass;
    d->frame = args->frame ? copy_of(args->frame) : NULL;
    return args->frame && !d->frame ? GMC_E_MEMORY : GMC_OK;
}

gmc_exit gmc_new_main(const gmc_args *args)
{
    gmc_diagnostics messages = {0};
    gmc_cache cache;
    gmc_args_progress how = args->quiet ? GMC_ARGS_PROGRESS_NONE : GMC_ARGS_PROGRESS_AUTO;
    const gmc_pieces_cache *kept = gmc_cache_open(&cache, how);
    draft d = {.args = args, .progress = gmc_progress_create(how, stderr, NULL)};
    char *text = NULL;
    gmc_status status = start(&d, &messages);
    if (status == GMC_OK) status = make(&d, &cache, kept, &messages, &text);
    if (status == GMC_OK && args->out)
        status =
            gmc_text_file_write(args->out, args->force, args->inputs[0], put_text, text, &messages);
    if (status == GMC_OK && args->json)
        answer(&d, text);
    else if (status == GMC_OK && !args->out)
        fputs(text, stdout);
    if (args->quiet || args->no_warnings) gmc_diagnostics_hush(&messages);
    gmc_terminal_messages(&messages);
    if (status != GMC_OK && messages.error_count == 0)
        gmc_terminal_print(stderr, "graspmc new: %s\n", gmc_status_name(status));
    bool is_open = status == GMC_OK && d.grasp.held == 0;
    gmc_new_grasp_free(&d.grasp);
    free(text);
    free(d.frame);
    gmc_diagnostics_free(&messages);
    return is_open ? GMC_EXIT_UNDECIDED : gmc_exit_of(status);
}
