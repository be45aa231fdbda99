// What a file is, is told by its first bytes: a reader of meshes complains of every line of a URDF.
#include "cli/new/new_inputs.h"

#include "engine/base/file.h"
#include "sampling/language/location.h"
#include "sampling/language/materials.h"
#include "sampling/language/nearest.h"
#include "sampling/language/text.h"
#include "sampling/language/units.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- kinds of files ----------------------------------------------------------------------------

typedef enum file_kind {
    KIND_OTHER, ///< or it cannot be read: its reader says why
    KIND_URDF,
    KIND_XML,
    KIND_MESH,
    KIND_SCENARIO,
    KIND_RESULT
} file_kind;

static const char *const KINDS[] = {[KIND_URDF] = "a URDF",
                                    [KIND_XML] = "XML",
                                    [KIND_MESH] = "a mesh",
                                    [KIND_SCENARIO] = "a scenario",
                                    [KIND_RESULT] = "a result"};

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
    else if (*start == '<' && kind != KIND_MESH)
        kind = KIND_XML;
    gmc_file_free(&file);
    return kind;
}

static void complain(gmc_diagnostics *messages, const char *file, const char *hint,
                     const char *what)
{
    gmc_diagnostics_add(messages, GMC_ERROR, GMC_E_INPUT, (gmc_source){.file = file}, hint, "%s",
                        what);
}

/// A file that is named on the command line is looked for from here, not beside a scenario.
static void check_there(const char *file, gmc_diagnostics *messages)
{
    errno = 0;
    FILE *in = gmc_file_open(file);
    if (in) fclose(in);
    if (!in && errno == ENOENT)
        gmc_diagnostics_add(messages, GMC_ERROR, GMC_E_MISSING, (gmc_source){0}, NULL,
                            "no such file: %.200s", file);
}

/// One message for a file that is in the wrong place, or for two that are in each other's.
static void check_kinds(const gmc_new_inputs *in, gmc_diagnostics *messages)
{
    check_there(in->hand, messages);
    if (in->mesh) check_there(in->mesh, messages);
    static const char ORDER[] = "graspmc new HAND.urdf [OBJECT]; OBJECT is a mesh (OBJ, STL, PLY), "
                                "or a shape: box:60x40x100mm, cylinder:66x100mm, sphere:5cm";
    file_kind hand = kind_of(in->hand), object = in->mesh ? kind_of(in->mesh) : KIND_OTHER;
    char what[200];
    if (object == KIND_URDF && hand != KIND_URDF && hand != KIND_OTHER) {
        snprintf(what, sizeof what, "hand and object are swapped: this is %s, the second a URDF",
                 KINDS[hand]);
        complain(messages, in->hand, ORDER, what);
        return;
    }
    // other XML has a reader that says which format of robots it is
    if (hand == KIND_MESH || hand == KIND_SCENARIO || hand == KIND_RESULT) {
        snprintf(what, sizeof what, "the hand is to be a URDF, and this is %s", KINDS[hand]);
        complain(messages, in->hand, ORDER, what);
    }
    if (object == KIND_URDF || object == KIND_XML || object == KIND_SCENARIO ||
        object == KIND_RESULT) {
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

static void add_shape(gmc_new_inputs *in, const shape_form *form, const double size[3])
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
        gmc_diagnostics_add(messages, GMC_ERROR, GMC_E_INPUT, (gmc_source){0}, hint,
                            form ? "%.100s: not the %s of a %s" : "%.100s is no object", in->object,
                            form && form->count > 1 ? "sizes" : "size", form ? form->name : "");
        return;
    }
    for (int i = 0; i < form->count; i++) {
        if (size[i] >= LEAST) continue;
        snprintf(hint, sizeof hint, "if %s: %.90s%s", has_unit ? "mm were meant" : "m were meant",
                 in->object, has_unit ? "" : "m");
        if (has_unit)
            snprintf(hint, sizeof hint, "units are mm, cm and m, as in %s", form->spelling);
        gmc_diagnostics_add(messages, GMC_ERROR, GMC_E_INPUT, (gmc_source){0}, hint,
                            "%.100s: %.4g mm is too small for an object%s", in->object,
                            1e3 * size[i], has_unit ? "" : "; sizes without a unit are in mm");
        return;
    }
    add_shape(in, form, size);
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
        gmc_diagnostics_add(messages, GMC_ERROR, GMC_E_INPUT, (gmc_source){0}, text,
                            "--material %.60s: the table of materials has no such name", name);
    free(names);
    free(text);
    return status;
}

// ---- all of it ---------------------------------------------------------------------------------

gmc_status gmc_new_inputs_read(const gmc_args *args, gmc_diagnostics *messages, gmc_new_inputs *in)
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

char *gmc_new_inputs_path(const char *file, const char *from)
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
