// Opening, reading, asking and building. Every step of reading goes on behind a mistake as far as
// sense is to be made, so that one pass tells all of them.
#include "engine/model/urdf.h"

#include "engine/base/list.h"
#include "engine/math/elementary.h"
#include "engine/model/inertia.h"
#include "engine/model/urdf_internal.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/// A kind of warning, with how to mend it; NULL: nothing to say.
typedef struct urdf_warning {
    gmc_diagnostic_kind kind;
    const char *hint;
} urdf_warning;

/// Which children and attributes an element may have; lists end with NULL.
typedef struct urdf_grammar {
    const char *const *children; ///< read
    const char *const *several;  ///< of these, those that may stand more than once
    const char *const *silent;   ///< known, and not read without a word
    const char *const *attributes;
} urdf_grammar;

#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
static void
urdf_words_error(gmc_urdf_reader *reader, gmc_source source, const char *hint, const char *format,
                 ...);

/// Told together with the others of its kind; `about` must outlive the report.
/// @param subject  name of the link or joint
#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
static void
urdf_words_warn(gmc_urdf_reader *reader, gmc_source source, const urdf_warning *about,
                const char *subject, const char *format, ...);

// ---- words -------------------------------------------------------------------------------------
//
// Attributes as numbers, words that are not known, and messages.

// A file that is wrong in more places than this is no URDF; the rest would only take time.
enum { GMC_URDF_ERRORS_MAX = 500 };

// Nothing of a hand is a kilometre away from its link.
#define GMC_URDF_FAR 1e3

static void urdf_words_error(gmc_urdf_reader *reader, gmc_source source, const char *hint,
                             const char *format, ...)
{
    char message[512];
    va_list arguments;
    if (reader->report->error_count >= GMC_URDF_ERRORS_MAX) {
        reader->report->is_cut = true;
        return;
    }
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    gmc_diagnostics_add(reader->report, GMC_E_INPUT, source, hint, "%s", message);
}

static void urdf_words_warn(gmc_urdf_reader *reader, gmc_source source, const urdf_warning *about,
                            const char *subject, const char *format, ...)
{
    char message[512];
    va_list arguments;
    if (reader->report->error_count >= GMC_URDF_ERRORS_MAX) return;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    gmc_diagnostics_warn(reader->report, source, (gmc_diagnostic_subject){&about->kind, subject},
                         about->hint, "%s", message);
}

static const urdf_warning not_read = {{"not read:", "words"}, NULL};

// ---- names -------------------------------------------------------------------------------------

static bool is_among(const char *name, const char *const *names)
{
    for (; names && *names; names++)
        if (strcmp(name, *names) == 0) return true;
    return false;
}

static int least(int a, int b) { return a < b ? a : b; }

// Letters to change, leave out or add (Levenshtein); names longer than the row count as far.
static int distance(const char *a, const char *b)
{
    enum { LONGEST = 48 };
    int row[LONGEST + 1], a_length = (int)strlen(a), b_length = (int)strlen(b);
    if (a_length > LONGEST || b_length > LONGEST) return LONGEST;
    for (int k = 0; k <= b_length; k++)
        row[k] = k;
    for (int i = 1; i <= a_length; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int k = 1; k <= b_length; k++) {
            int changed = diagonal + (a[i - 1] != b[k - 1]);
            diagonal = row[k];
            row[k] = least(changed, 1 + least(row[k], row[k - 1]));
        }
    }
    return row[b_length];
}

const char *gmc_urdf_nearest_word(const char *name, const char *const *names)
{
    const char *best = NULL;
    // half of a short word is no likeness
    int best_distance = least(3, (int)(strlen(name) + 1) / 2);
    for (; names && *names; names++) {
        int d = distance(name, *names);
        if (d >= best_distance) continue;
        best = *names;
        best_distance = d;
    }
    return best;
}

static bool is_new(gmc_urdf_reader *reader, const char *name)
{
    for (int i = 0; i < reader->unread_count; i++)
        if (strcmp(reader->unread[i], name) == 0) return false;
    if (reader->unread_count == GMC_COUNT(reader->unread)) return false;
    reader->unread[reader->unread_count++] = name;
    return true;
}

static void check_child(gmc_urdf_reader *reader, const gmc_xml_element *child,
                        const urdf_grammar *grammar)
{
    if (strncmp(child->name, "xacro:", 6) == 0) {
        if (is_new(reader, "xacro:"))
            urdf_words_error(reader, child->source, "expand it first: xacro FILE > robot.urdf",
                             "<%s>: this is xacro, not URDF", child->name);
        return;
    }
    if (is_among(child->name, grammar->silent)) return;
    const char *near = gmc_urdf_nearest_word(child->name, grammar->children);
    char hint[80];
    if (near) {
        snprintf(hint, sizeof hint, "did you mean <%s>?", near);
        urdf_words_error(reader, child->source, hint, "<%.64s> is not known in <%s>", child->name,
                         child->parent->name);
    } else if (is_new(reader, child->name)) {
        urdf_words_warn(reader, child->source, &not_read, child->name, "<%.64s> is not read",
                        child->name);
    }
}

static void check_attributes(gmc_urdf_reader *reader, const gmc_xml_element *element,
                             const urdf_grammar *grammar)
{
    char hint[80];
    for (int i = 0; i < element->attribute_count; i++) {
        const gmc_xml_attribute *a = element->attributes + i;
        if (is_among(a->name, grammar->attributes) || strchr(a->name, ':') ||
            strcmp(a->name, "xmlns") == 0)
            continue;
        const char *near = gmc_urdf_nearest_word(a->name, grammar->attributes);
        if (near) {
            snprintf(hint, sizeof hint, "did you mean `%s`?", near);
            urdf_words_error(reader, a->source, hint, "attribute `%.64s` is not known in <%s>",
                             a->name, element->name);
        } else if (is_new(reader, a->name)) {
            urdf_words_warn(reader, a->source, &not_read, a->name,
                            "attribute `%.64s` of <%s> is not read", a->name, element->name);
        }
    }
}

/// Report children and attributes outside of the grammar: close to a known name an error, else a
/// warning once per name; and children given twice.
static void urdf_words_check(gmc_urdf_reader *reader, const gmc_xml_element *element,
                             const urdf_grammar *grammar)
{
    check_attributes(reader, element, grammar);
    for (const gmc_xml_element *child = element->first_child; child; child = child->next) {
        if (!is_among(child->name, grammar->children)) {
            check_child(reader, child, grammar);
            continue;
        }
        const gmc_xml_element *first = gmc_xml_child(element, child->name);
        if (first != child && !is_among(child->name, grammar->several))
            urdf_words_error(reader, child->source, NULL,
                             "a second <%s> in this <%s>; the first stands in line %d", child->name,
                             element->name, first->source.line);
    }
}

// ---- values ------------------------------------------------------------------------------------

/// `count` numbers of an attribute. False if the attribute is not there (or broken: reported).
static bool urdf_words_numbers(gmc_urdf_reader *reader, const gmc_xml_element *element,
                               const char *attribute, int count, double *values)
{
    const gmc_xml_attribute *a = gmc_xml_find(element, attribute);
    if (!a) return false;
    double read[6] = {0};
    gmc_xml_word broken;
    int found = gmc_xml_numbers(a, count, read, &broken);
    if (found < 0) {
        urdf_words_error(reader, broken.source, NULL, "`%s` of <%s>: expected %s, found `%.*s`",
                         attribute, element->name,
                         broken.status == GMC_E_LIMIT ? "a number that a double can hold"
                                                      : "a finite number",
                         broken.length, broken.text);
        return false;
    }
    if (found != count) {
        urdf_words_error(reader, a->source, NULL, "`%s` of <%s>: expected %d number%s, found %d",
                         attribute, element->name, count, count == 1 ? "" : "s", found);
        return false;
    }
    memcpy(values, read, (size_t)count * sizeof *values);
    return true;
}

/// One number that must be there and lie in [least, most]; reports.
static bool urdf_words_required(gmc_urdf_reader *reader, const gmc_xml_element *element,
                                const char *attribute, double least_allowed, double most,
                                double *value)
{
    const gmc_xml_attribute *a = gmc_xml_find(element, attribute);
    if (!a) {
        urdf_words_error(reader, element->source, NULL, "<%s> needs `%s`", element->name,
                         attribute);
        return false;
    }
    double read;
    if (!urdf_words_numbers(reader, element, attribute, 1, &read)) return false;
    if (!(read >= least_allowed && read <= most)) {
        urdf_words_error(reader, a->source, NULL,
                         "`%s` of <%s> must lie between %g and %g, found %g", attribute,
                         element->name, least_allowed, most, read);
        return false;
    }
    *value = read;
    return true;
}

static bool is_far(const double v[3])
{
    return !(fabs(v[0]) <= GMC_URDF_FAR && fabs(v[1]) <= GMC_URDF_FAR &&
             fabs(v[2]) <= GMC_URDF_FAR);
}

/// <origin xyz rpy> of an element, identity if there is none.
static gmc_pose urdf_words_origin(gmc_urdf_reader *reader, const gmc_xml_element *element)
{
    static const char *const none[] = {NULL}, *const attributes[] = {"xyz", "rpy", NULL};
    static const urdf_grammar grammar = {none, none, none, attributes};
    const gmc_xml_element *origin = gmc_xml_child(element, "origin");
    double xyz[3] = {0, 0, 0}, rpy[3] = {0, 0, 0};
    if (!origin) return gmc_pose_identity();
    urdf_words_check(reader, origin, &grammar);
    if (urdf_words_numbers(reader, origin, "xyz", 3, xyz) && is_far(xyz)) {
        urdf_words_error(reader, gmc_xml_find(origin, "xyz")->source, "lengths are in metres",
                         "an origin more than %g m away", GMC_URDF_FAR);
        memset(xyz, 0, sizeof xyz);
    }
    if (urdf_words_numbers(reader, origin, "rpy", 3, rpy) && is_far(rpy)) {
        urdf_words_error(reader, gmc_xml_find(origin, "rpy")->source, "angles are in radians",
                         "an angle of more than %g rad", GMC_URDF_FAR);
        memset(rpy, 0, sizeof rpy);
    }
    gmc_quat q = gmc_quat_normalise(gmc_quat_from_rpy(rpy[0], rpy[1], rpy[2]));
    return gmc_pose_make(q, gmc_vec3_make(xyz[0], xyz[1], xyz[2]));
}

/// The attribute's value; reports if it is missing or empty, then NULL.
static const char *urdf_words_text(gmc_urdf_reader *reader, const gmc_xml_element *element,
                                   const char *attribute)
{
    const gmc_xml_attribute *a = gmc_xml_find(element, attribute);
    if (a && a->value[0]) return a->value;
    if (a)
        urdf_words_error(reader, a->source, NULL, "`%s` of <%s> is empty", attribute,
                         element->name);
    else
        urdf_words_error(reader, element->source, NULL, "<%s> needs `%s`", element->name,
                         attribute);
    return NULL;
}

// ---- shapes ------------------------------------------------------------------------------------
//
// Collision shapes. A mesh becomes its convex pieces; each file is read once for each scale.

// A hand's part, or a table: larger is a mistake of unit.
#define GMC_URDF_SIZE_MAX 100.0

static const char *const none[] = {NULL};

static bool read_size(gmc_urdf_reader *reader, const gmc_xml_element *element,
                      const char *attribute, double *size)
{
    if (!urdf_words_required(reader, element, attribute, 0, GMC_URDF_SIZE_MAX, size)) return false;
    if (*size > 0) return true;
    urdf_words_error(reader, gmc_xml_find(element, attribute)->source, NULL,
                     "`%s` of <%s> must be > 0", attribute, element->name);
    return false;
}

static void add_shape(gmc_urdf_reader *reader, gmc_urdf_link *link, gmc_source source,
                      gmc_pose X_lg, gmc_shape shape)
{
    size_t count = (size_t)link->shape_count + 1;
    gmc_urdf_shape *shapes = realloc(link->shapes, count * sizeof *shapes);
    if (!shapes) {
        reader->is_out_of_memory = true;
        return;
    }
    link->shapes = shapes;
    shapes[link->shape_count++] = (gmc_urdf_shape){
        .source = source, .X_lg = X_lg, .shape = shape, .contype = 1, .conaffinity = 1};
}

// ---- meshes ------------------------------------------------------------------------------------

static char *join(const char *folder, size_t folder_length, const char *middle, const char *rest)
{
    size_t middle_length = strlen(middle), rest_length = strlen(rest);
    char *path = malloc(folder_length + middle_length + rest_length + 3), *end = path;
    if (!path) return NULL;
    if (folder_length > 0) {
        memcpy(end, folder, folder_length);
        end += folder_length;
        if (end[-1] != '/') *end++ = '/';
    }
    memcpy(end, middle, middle_length);
    end += middle_length;
    memcpy(end, rest, rest_length + 1);
    return path;
}

// Length of the folder part of a path: up to its last slash, 0 if it has none.
static size_t folder_length(const char *path, size_t length)
{
    while (length > 0 && path[length - 1] != '/')
        length--;
    while (length > 1 && path[length - 1] == '/')
        length--;
    return length;
}

// True if the last folder of the path is `name`.
static bool ends_in_folder(const char *path, size_t length, const char *name, size_t name_length)
{
    while (length > 0 && path[length - 1] == '/')
        length--;
    return length >= name_length && memcmp(path + length - name_length, name, name_length) == 0 &&
           (length == name_length || path[length - name_length - 1] == '/');
}

/// Where the file of a mesh is looked for.
typedef struct mesh_search {
    const gmc_file_source *files;
    gmc_file *file;    ///< its bytes
    char **found;      ///< its path
    gmc_status status; ///< of the path tried last
} mesh_search;

// Try one place; true if the search is over (found, or a failure other than "not there").
static bool try_path(mesh_search *search, char *path)
{
    search->status = path ? gmc_file_load(search->files, path, search->file) : GMC_E_MEMORY;
    if (search->status == GMC_E_MISSING) {
        free(path);
        return false;
    }
    *search->found = path;
    return true;
}

// package://name/rest in `folder`: as folder/name/rest, or folder/rest if the folder itself is
// `name`.
static bool try_folder(mesh_search *search, const char *folder, size_t length, const char *package)
{
    const char *rest = strchr(package, '/');
    if (try_path(search, join(folder, length, package, ""))) return true;
    if (!rest || !ends_in_folder(folder, length, package, (size_t)(rest - package))) return false;
    return try_path(search, join(folder, length, rest + 1, ""));
}

static gmc_status load_package(gmc_urdf_reader *reader, const char *package, gmc_file *file,
                               char **found)
{
    mesh_search search = {reader->options->files, file, found, GMC_E_MISSING};
    const char *const *folders = reader->options->package_path;
    for (; folders && *folders; folders++)
        if (try_folder(&search, *folders, strlen(*folders), package)) return search.status;
    const char *urdf = reader->urdf->file;
    size_t length = strlen(urdf);
    do {
        length = folder_length(urdf, length);
        if (try_folder(&search, urdf, length, package)) return search.status;
    } while (length > 1);
    // a relative path says no more about what is above: a few levels by their dots
    char up[] = "../../../..";
    for (size_t dots = 2; urdf[0] != '/' && dots <= sizeof up - 1; dots += 3)
        if (try_folder(&search, up, dots, package)) return search.status;
    return GMC_E_MISSING;
}

static gmc_status load_mesh(gmc_urdf_reader *reader, const char *name, gmc_file *file, char **found)
{
    mesh_search search = {reader->options->files, file, found, GMC_E_MISSING};
    *found = NULL;
    if (strncmp(name, "package://", 10) == 0) return load_package(reader, name + 10, file, found);
    if (strncmp(name, "model://", 8) == 0) return load_package(reader, name + 8, file, found);
    const char *urdf = reader->urdf->file;
    size_t length = folder_length(urdf, strlen(urdf));
    if (strncmp(name, "file://", 7) == 0) {
        name += 7;
        length = 0;
    }
    if (name[0] == '/') length = 0;
    (void)try_path(&search, join(urdf, length, name, ""));
    return search.status;
}

static void report_missing(gmc_urdf_reader *reader, const char *name, gmc_source from,
                           gmc_status status)
{
    bool is_package = strstr(name, "://") && strncmp(name, "file:", 5) != 0;
    const char *hint =
        is_package ? "name the folder that holds the package:  hand: {package_path: [FOLDER]}"
                   : "the path is relative to the file of the robot";
    gmc_diagnostics_add(reader->report, status, from, status == GMC_E_MISSING ? hint : NULL,
                        "mesh %s cannot be read: %s", name, gmc_status_name(status));
}

// What a closed mesh weighs.
static gmc_inertia solid_of(gmc_urdf_reader *reader, const gmc_mesh *mesh)
{
    gmc_inertia solid = {0}, part;
    gmc_inertia_mesh found;
    gmc_inertia_surface surface = {mesh->vertices, mesh->vertex_count, mesh->triangles[0],
                                   mesh->triangle_count};
    gmc_status status = gmc_inertia_of_mesh(&surface, 1, &part, &found);
    if (status == GMC_E_MEMORY) reader->is_out_of_memory = true;
    return status == GMC_OK && found.is_oriented ? part : solid;
}

static gmc_status make_pieces(gmc_urdf_reader *reader, gmc_source from, const gmc_file *file,
                              gmc_urdf_mesh *mesh)
{
    gmc_mesh triangles;
    gmc_mesh_options options = gmc_mesh_defaults();
    options.scale = mesh->scale;
    options.scale_hint =
        "lengths are in metres; give <mesh> scale=\"0.001 0.001 0.001\" if the file "
        "is in millimetres";
    bool is_scaled = mesh->scale.x != 1 || mesh->scale.y != 1 || mesh->scale.z != 1;
    if (is_scaled) options.scale_said = "<mesh> scale";
    GMC_TRY(
        gmc_mesh_parse(mesh->path, file->bytes, file->size, &options, reader->report, &triangles));
    gmc_status status = gmc_pieces_of_mesh(&triangles, &reader->options->convex, from,
                                           reader->report, &mesh->pieces);
    mesh->solid = solid_of(reader, &triangles);
    gmc_mesh_free(&triangles);
    return status;
}

static gmc_urdf_mesh *find_mesh(struct gmc_urdf_keep *keep, const char *path, gmc_vec3 scale)
{
    for (int i = 0; i < keep->mesh_count; i++) {
        gmc_urdf_mesh *m = keep->meshes + i;
        if (strcmp(m->path, path) == 0 && m->scale.x == scale.x && m->scale.y == scale.y &&
            m->scale.z == scale.z)
            return m;
    }
    return NULL;
}

// The mesh of that path and scale; a new one is empty. Takes the path.
static gmc_urdf_mesh *add_mesh(gmc_urdf_reader *reader, char *path, gmc_vec3 scale)
{
    struct gmc_urdf_keep *keep = reader->urdf->keep;
    gmc_urdf_mesh *meshes =
        gmc_list_room(keep->meshes, keep->mesh_count, &keep->mesh_capacity, sizeof *meshes);
    if (!meshes) {
        free(path);
        reader->is_out_of_memory = true;
        return NULL;
    }
    keep->meshes = meshes;
    gmc_urdf_mesh *mesh = keep->meshes + keep->mesh_count++;
    *mesh = (gmc_urdf_mesh){.path = path, .scale = scale};
    return mesh;
}

static bool has_format(gmc_urdf_reader *reader, const char *name, gmc_source from)
{
    const char *base = strrchr(name, '/'), *dot = strrchr(base ? base : name, '.');
    if (!dot || gmc_mesh_is_known(name)) return true;
    char hint[GMC_MESH_HINT_MAX];
    (void)gmc_mesh_how_to_convert(name, hint);
    urdf_words_error(reader, from, hint, "meshes of format `%.16s` are not read", dot);
    return false;
}

const gmc_urdf_mesh *gmc_urdf_get_mesh(gmc_urdf_reader *reader, const char *name, gmc_source from,
                                       gmc_vec3 scale)
{
    gmc_file file = {0};
    char *path = NULL;
    if (!has_format(reader, name, from)) return NULL;
    gmc_status status = load_mesh(reader, name, &file, &path);
    if (status != GMC_OK) {
        free(path);
        report_missing(reader, name, from, status);
        return NULL;
    }
    gmc_urdf_mesh *mesh = find_mesh(reader->urdf->keep, path, scale);
    if (mesh) {
        free(path);
    } else {
        mesh = add_mesh(reader, path, scale);
        if (mesh) mesh->status = make_pieces(reader, from, &file, mesh);
    }
    gmc_file_free(&file);
    return mesh && mesh->status == GMC_OK ? mesh : NULL;
}

static void read_mesh(gmc_urdf_reader *reader, const gmc_xml_element *element, gmc_pose X_lg,
                      gmc_urdf_link *link)
{
    double scale[3] = {1, 1, 1};
    bool has_scale = gmc_xml_find(element, "scale") != NULL;
    bool is_good = !has_scale || urdf_words_numbers(reader, element, "scale", 3, scale);
    if (!urdf_words_text(reader, element, "filename")) return;
    const gmc_xml_attribute *name = gmc_xml_find(element, "filename");
    for (int k = 0; k < 3 && is_good; k++) {
        is_good = scale[k] != 0 && fabs(scale[k]) <= 1e6;
        if (!is_good)
            urdf_words_error(reader, gmc_xml_find(element, "scale")->source, NULL,
                             "a scale must not be 0 nor beyond 1e6, found %g", scale[k]);
    }
    if (!is_good) return;
    const gmc_urdf_mesh *mesh = gmc_urdf_get_mesh(reader, name->value, name->source,
                                                  gmc_vec3_make(scale[0], scale[1], scale[2]));
    for (int i = 0; mesh && i < mesh->pieces.count; i++)
        add_shape(reader, link, element->source, X_lg,
                  (gmc_shape){
                      .type = GMC_SHAPE_POLYTOPE, .polytope = mesh->pieces.pieces[i], .scale = 1});
}

// ---- closed forms ------------------------------------------------------------------------------

static void read_box(gmc_urdf_reader *reader, const gmc_xml_element *element, gmc_pose X_lg,
                     gmc_urdf_link *link)
{
    double size[3];
    if (!urdf_words_text(reader, element, "size") ||
        !urdf_words_numbers(reader, element, "size", 3, size))
        return;
    for (int k = 0; k < 3; k++)
        if (!(size[k] > 0 && size[k] <= GMC_URDF_SIZE_MAX)) {
            urdf_words_error(reader, gmc_xml_find(element, "size")->source, NULL,
                             "sizes of a <box> must be > 0 and at most %g m, found %g",
                             GMC_URDF_SIZE_MAX, size[k]);
            return;
        }
    add_shape(reader, link, element->source, X_lg,
              (gmc_shape){.type = GMC_SHAPE_BOX, .half = {size[0] / 2, size[1] / 2, size[2] / 2}});
}

static void read_round(gmc_urdf_reader *reader, const gmc_xml_element *element, gmc_shape_type type,
                       gmc_pose X_lg, gmc_urdf_link *link)
{
    double radius = 0, length = 0;
    bool is_good = read_size(reader, element, "radius", &radius);
    if (type != GMC_SHAPE_SPHERE)
        is_good = read_size(reader, element, "length", &length) && is_good;
    if (is_good)
        add_shape(reader, link, element->source, X_lg,
                  (gmc_shape){.type = type, .radius = radius, .half_length = length / 2});
}

static void read_shape(gmc_urdf_reader *reader, const gmc_xml_element *element, gmc_pose X_lg,
                       gmc_urdf_link *link)
{
    static const char *const box[] = {"size", NULL}, *const sphere[] = {"radius", NULL};
    static const char *const round[] = {"radius", "length", NULL};
    static const char *const mesh[] = {"filename", "scale", NULL};
    const urdf_grammar box_grammar = {none, none, none, box},
                       sphere_grammar = {none, none, none, sphere},
                       round_grammar = {none, none, none, round},
                       mesh_grammar = {none, none, none, mesh};
    if (gmc_xml_is(element, "box")) {
        urdf_words_check(reader, element, &box_grammar);
        read_box(reader, element, X_lg, link);
    } else if (gmc_xml_is(element, "sphere")) {
        urdf_words_check(reader, element, &sphere_grammar);
        read_round(reader, element, GMC_SHAPE_SPHERE, X_lg, link);
    } else if (gmc_xml_is(element, "cylinder")) {
        urdf_words_check(reader, element, &round_grammar);
        read_round(reader, element, GMC_SHAPE_CYLINDER, X_lg, link);
    } else if (gmc_xml_is(element, "capsule")) {
        urdf_words_check(reader, element, &round_grammar);
        read_round(reader, element, GMC_SHAPE_CAPSULE, X_lg, link);
    } else if (gmc_xml_is(element, "mesh")) {
        urdf_words_check(reader, element, &mesh_grammar);
        read_mesh(reader, element, X_lg, link);
    } else {
        urdf_words_error(reader, element->source, "known: box, sphere, cylinder, capsule, mesh",
                         "the shape <%.64s> is not supported", element->name);
    }
}

static void read_collision(gmc_urdf_reader *reader, const gmc_xml_element *element,
                           gmc_urdf_link *link)
{
    static const char *const children[] = {"origin", "geometry", NULL};
    static const char *const silent[] = {"material", NULL}, *const attributes[] = {"name", NULL};
    static const urdf_grammar grammar = {children, none, silent, attributes};
    urdf_words_check(reader, element, &grammar);
    gmc_pose X_lg = urdf_words_origin(reader, element);
    const gmc_xml_element *geometry = gmc_xml_child(element, "geometry");
    const gmc_xml_element *shape = geometry ? geometry->first_child : NULL;
    if (!shape) {
        urdf_words_error(reader, geometry ? geometry->source : element->source, NULL,
                         geometry ? "<geometry> is empty" : "<collision> needs <geometry>");
        return;
    }
    if (shape->next)
        urdf_words_error(reader, shape->next->source, "write a <collision> for each",
                         "<geometry> holds one shape, found <%.64s> besides <%.64s>",
                         shape->next->name, shape->name);
    read_shape(reader, shape, X_lg, link);
}

/// Shapes of all <collision> elements of a link.
static void urdf_shapes_read(gmc_urdf_reader *reader, const gmc_xml_element *element,
                             gmc_urdf_link *link)
{
    for (const gmc_xml_element *e = gmc_xml_child(element, "collision"); e; e = gmc_xml_next(e))
        read_collision(reader, e, link);
}

// ---- links -------------------------------------------------------------------------------------
//
// Links as they stand in the file: names, mass properties, shapes.

static void read_inertia_matrix(gmc_urdf_reader *reader, const gmc_xml_element *element,
                                gmc_mat3 *I, bool *is_broken)
{
    static const struct {
        const char *name;
        int at, mirrored;
        bool is_needed;
    } entries[] = {{"ixx", 0, 0, true},  {"iyy", 4, 4, true},  {"izz", 8, 8, true},
                   {"ixy", 1, 3, false}, {"ixz", 2, 6, false}, {"iyz", 5, 7, false}};
    for (int i = 0; i < GMC_COUNT(entries); i++) {
        double value = 0;
        bool is_there = gmc_xml_find(element, entries[i].name) != NULL;
        if (is_there || entries[i].is_needed)
            *is_broken |= !urdf_words_required(reader, element, entries[i].name, -1e9, 1e9, &value);
        I->m[entries[i].at] = I->m[entries[i].mirrored] = value;
    }
}

static void read_inertial(gmc_urdf_reader *reader, const gmc_xml_element *element,
                          gmc_urdf_inertial *inertial, gmc_urdf_link *link)
{
    static const char *const children[] = {"origin", "mass", "inertia", NULL};
    static const char *const mass_attributes[] = {"value", NULL};
    static const char *const inertia_attributes[] = {"ixx", "ixy", "ixz", "iyy",
                                                     "iyz", "izz", NULL};
    static const urdf_grammar grammar = {children, none, none, none},
                              mass_grammar = {none, none, none, mass_attributes},
                              inertia_grammar = {none, none, none, inertia_attributes};
    const gmc_xml_element *mass = gmc_xml_child(element, "mass");
    const gmc_xml_element *inertia = gmc_xml_child(element, "inertia");
    int errors_before = reader->report->error_count;
    urdf_words_check(reader, element, &grammar);
    gmc_pose X_lc = urdf_words_origin(reader, element);
    gmc_mat3 I = {{0}};
    inertial->source = element->source;
    inertial->moments = inertia ? inertia->source : element->source;
    link->has_inertial = true;

    if (!mass)
        urdf_words_error(reader, element->source, NULL, "<inertial> needs <mass value=\"...\"/>");
    else {
        urdf_words_check(reader, mass, &mass_grammar);
        inertial->is_broken |=
            !urdf_words_required(reader, mass, "value", 0, 1e9, &link->inertia.mass);
    }
    if (inertia) {
        urdf_words_check(reader, inertia, &inertia_grammar);
        read_inertia_matrix(reader, inertia, &I, &inertial->is_broken);
    } else if (mass && link->inertia.mass > 0) {
        urdf_words_error(reader, element->source, NULL, "<inertial> needs <inertia .../>");
    }
    inertial->is_broken |= reader->report->error_count > errors_before;
    link->inertia.com = X_lc.p;
    link->inertia.I = gmc_mat3_rotate(&X_lc.R, &I);
}

static void read_link(gmc_urdf_reader *reader, const gmc_xml_element *element,
                      gmc_urdf_inertial *inertial, gmc_urdf_link *link)
{
    static const char *const children[] = {"inertial", "collision", NULL};
    static const char *const several[] = {"collision", NULL};
    static const char *const silent[] = {"visual", NULL};
    static const char *const attributes[] = {"name", NULL};
    static const urdf_grammar grammar = {children, several, silent, attributes};
    *link = (gmc_urdf_link){.source = element->source, .joint = -1};
    urdf_words_check(reader, element, &grammar);
    const char *name = urdf_words_text(reader, element, "name");
    link->name = name ? name : "";
    if (name) link->source = gmc_xml_find(element, "name")->source;
    const gmc_xml_element *masses = gmc_xml_child(element, "inertial");
    if (masses) read_inertial(reader, masses, inertial, link);
    urdf_shapes_read(reader, element, link);
    for (const gmc_xml_element *v = gmc_xml_child(element, "visual"); v; v = gmc_xml_next(v))
        link->visual_count++;
}

/// Fill links (names, inertials as written, shapes).
static void urdf_links_read(gmc_urdf_reader *reader, const gmc_xml_element *root)
{
    gmc_urdf *urdf = reader->urdf;
    int count = 0;
    for (const gmc_xml_element *e = gmc_xml_child(root, "link"); e; e = gmc_xml_next(e))
        if (++count > GMC_URDF_PARTS_MAX) {
            urdf_words_error(reader, e->source, NULL, "more than %d links", GMC_URDF_PARTS_MAX);
            return;
        }
    if (count == 0) {
        urdf_words_error(reader, root->source, NULL, "a robot needs a <link>");
        return;
    }
    urdf->links = calloc((size_t)count, sizeof *urdf->links);
    reader->inertials = calloc((size_t)count, sizeof *reader->inertials);
    if (!urdf->links || !reader->inertials) {
        reader->is_out_of_memory = true;
        return;
    }
    for (const gmc_xml_element *e = gmc_xml_child(root, "link"); e; e = gmc_xml_next(e)) {
        int i = urdf->link_count;
        read_link(reader, e, reader->inertials + i, urdf->links + i);
        int twin = gmc_urdf_find_link(urdf, urdf->links[i].name);
        if (twin >= 0 && urdf->links[i].name[0])
            urdf_words_error(reader, urdf->links[i].source, NULL,
                             "a second link `%s`; the first stands in line %d", urdf->links[i].name,
                             urdf->links[twin].source.line);
        urdf->link_count++;
    }
}

/// Links that are seen and never felt.
static void urdf_links_warn_of_visuals(gmc_urdf_reader *reader)
{
    static const urdf_warning unseen = {{"visual shapes alone, which touch nothing, for", "links"},
                                        "what touches needs a <collision>"};
    const gmc_urdf *urdf = reader->urdf;
    int shapes = 0, visuals = 0;
    for (int i = 0; i < urdf->link_count; i++) {
        shapes += urdf->links[i].shape_count;
        visuals += urdf->links[i].visual_count;
    }
    for (int i = 0; i < urdf->link_count && shapes > 0; i++) {
        const gmc_urdf_link *link = &urdf->links[i];
        if (link->shape_count == 0 && link->visual_count > 0)
            urdf_words_warn(reader, link->source, &unseen, link->name,
                            "link `%s` has visual shapes alone, which touch nothing", link->name);
    }
    if (shapes == 0 && visuals > 0)
        urdf_words_warn(reader, (gmc_source){.file = urdf->file}, &unseen, urdf->name,
                        "no link has a <collision>: nothing can touch this robot");
}

// ---- joints ------------------------------------------------------------------------------------
//
// Joints as they stand in the file.

// Farther than any finger or gripper slides, but less than a millimetre taken for a metre [m].
static const double TRAVEL_MAX = 2;

static const urdf_warning no_axis = {{"no axis, (1 0 0) taken, for", "joints"},
                                     "write <axis xyz=\"...\"/>, in the joint's own frame"},
                          no_room = {{"lower equals upper, no motion, for", "joints"}, NULL},
                          no_stops = {{"continuous, lower and upper not used, for", "joints"},
                                      "make the joint `revolute` if it has stops"},
                          no_effort = {{"effort limit 0, taken as none, for", "joints"},
                                       "write the largest force or moment of the motor"},
                          too_far = {{"slides by more than 2 m:", "joints"},
                                     "limits of prismatic joints are in metres"};

static bool read_kind(gmc_urdf_reader *reader, const gmc_xml_element *element, gmc_urdf_kind *kind)
{
    static const char *const names[] = {"fixed",     "revolute", "continuous",
                                        "prismatic", "floating", NULL};
    const char *type = urdf_words_text(reader, element, "type");
    if (!type) return false;
    for (int i = 0; names[i]; i++)
        if (strcmp(type, names[i]) == 0) {
            *kind = (gmc_urdf_kind)i;
            return true;
        }
    gmc_source place = gmc_xml_find(element, "type")->source;
    const char *near = gmc_urdf_nearest_word(type, names);
    char hint[80];
    if (near) snprintf(hint, sizeof hint, "did you mean `%s`?", near);
    if (strcmp(type, "planar") == 0)
        urdf_words_error(reader, place, "write two prismatic joints and a continuous one",
                         "joints of type planar are not supported");
    else
        urdf_words_error(reader, place,
                         near ? hint : "known: fixed, revolute, continuous, prismatic, floating",
                         "the joint type `%.64s` is not known", type);
    return false;
}

// Nearest link name for a hint of those that are shown.
static const char *nearest_link(const gmc_urdf_reader *reader, const char *name)
{
    const gmc_urdf *urdf = reader->urdf;
    const char *best = NULL;
    if (reader->report->error_count >= GMC_DIAGNOSTICS_SHOWN) return NULL; // nobody will see it
    for (int i = 0; i < urdf->link_count && !best; i++) {
        const char *const one[] = {urdf->links[i].name, NULL};
        best = gmc_urdf_nearest_word(name, one);
    }
    return best;
}

static int read_end(gmc_urdf_reader *reader, const gmc_xml_element *element, const char *which)
{
    static const char *const attributes[] = {"link", NULL};
    static const urdf_grammar grammar = {none, none, none, attributes};
    const gmc_xml_element *end = gmc_xml_child(element, which);
    if (!end) {
        urdf_words_error(reader, element->source, NULL, "<joint> needs <%s link=\"...\"/>", which);
        return -1;
    }
    urdf_words_check(reader, end, &grammar);
    const char *name = urdf_words_text(reader, end, "link");
    int link = name ? gmc_urdf_find_link(reader->urdf, name) : -1;
    if (name && link < 0) {
        char hint[96];
        const char *near = nearest_link(reader, name);
        if (near) snprintf(hint, sizeof hint, "did you mean `%.64s`?", near);
        urdf_words_error(reader, gmc_xml_find(end, "link")->source, near ? hint : NULL,
                         "there is no link `%.64s`", name);
    }
    return link;
}

static bool is_single(const gmc_urdf_joint *joint)
{
    return joint->kind == GMC_URDF_REVOLUTE || joint->kind == GMC_URDF_CONTINUOUS ||
           joint->kind == GMC_URDF_PRISMATIC;
}

static void read_axis(gmc_urdf_reader *reader, const gmc_xml_element *element,
                      gmc_urdf_joint *joint)
{
    static const char *const attributes[] = {"xyz", NULL};
    static const urdf_grammar grammar = {none, none, none, attributes};
    const gmc_xml_element *axis = gmc_xml_child(element, "axis");
    double v[3] = {1, 0, 0};
    joint->axis = gmc_vec3_make(1, 0, 0);
    if (axis) urdf_words_check(reader, axis, &grammar);
    if (!is_single(joint)) return;
    if (!axis || !gmc_xml_find(axis, "xyz")) {
        urdf_words_warn(reader, axis ? axis->source : element->source, &no_axis, joint->name,
                        "joint `%s` has no axis: (1 0 0) is taken, as URDF says", joint->name);
        return;
    }
    if (!urdf_words_numbers(reader, axis, "xyz", 3, v)) return;
    // scaled first: components of 1e200 have a direction, too
    double largest = fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2])));
    if (largest > 0)
        joint->axis = gmc_vec3_unit(gmc_vec3_make(v[0] / largest, v[1] / largest, v[2] / largest));
    else
        urdf_words_error(reader, gmc_xml_find(axis, "xyz")->source, NULL,
                         "the axis of joint `%s` has no direction", joint->name);
}

// A limit where 0 means "never moves" in one program and "no limit" in another.
static double read_bound(gmc_urdf_reader *reader, const gmc_xml_element *limit,
                         const char *attribute, const char *joint, const urdf_warning *about)
{
    double value;
    const gmc_xml_attribute *a = gmc_xml_find(limit, attribute);
    if (!a || !urdf_words_required(reader, limit, attribute, 0, 1e300, &value)) return INFINITY;
    if (value > 0) return value;
    if (about)
        urdf_words_warn(reader, a->source, about, joint,
                        "the %s limit of joint `%s` is 0, with which it could not move: taken "
                        "as unlimited",
                        attribute, joint);
    return INFINITY;
}

static void read_range(gmc_urdf_reader *reader, const gmc_xml_element *limit, gmc_urdf_joint *joint)
{
    const gmc_xml_attribute *lower = gmc_xml_find(limit, "lower"),
                            *upper = gmc_xml_find(limit, "upper");
    double low = 0, high = 0;
    if (!lower && !upper) {
        urdf_words_error(reader, limit->source,
                         joint->kind == GMC_URDF_REVOLUTE
                             ? "give both, or make the joint `continuous`"
                             : "give both",
                         "joint `%s` has neither `lower` nor `upper`: both are 0 then, and it "
                         "cannot move",
                         joint->name);
        return;
    }
    bool is_good = !lower || urdf_words_numbers(reader, limit, "lower", 1, &low);
    is_good = (!upper || urdf_words_numbers(reader, limit, "upper", 1, &high)) && is_good;
    if (!is_good) return;
    gmc_source place = upper ? upper->source : lower->source;
    if (low > high)
        urdf_words_error(reader, place, NULL, "joint `%s`: lower %g is above upper %g", joint->name,
                         low, high);
    else if (low == high)
        urdf_words_warn(reader, place, &no_room, joint->name,
                        "joint `%s` cannot move: lower and upper are %g", joint->name, low);
    else if (joint->kind == GMC_URDF_PRISMATIC && high - low > TRAVEL_MAX)
        urdf_words_warn(reader, place, &too_far, joint->name,
                        "joint `%s` slides by %g m, from %g to %g", joint->name, high - low, low,
                        high);
    joint->has_limits = true;
    joint->lower = low;
    joint->upper = high;
}

static void read_limit(gmc_urdf_reader *reader, const gmc_xml_element *element,
                       gmc_urdf_joint *joint)
{
    static const char *const attributes[] = {"lower", "upper", "effort", "velocity", NULL};
    static const urdf_grammar grammar = {none, none, none, attributes};
    const gmc_xml_element *limit = gmc_xml_child(element, "limit");
    if (limit) urdf_words_check(reader, limit, &grammar);
    if (!is_single(joint)) return;
    bool needs_range = joint->kind != GMC_URDF_CONTINUOUS;
    if (!limit) {
        if (needs_range)
            urdf_words_error(
                reader, element->source,
                joint->kind == GMC_URDF_REVOLUTE ? "add it, or make the joint `continuous`" : NULL,
                "joint `%s` needs <limit lower=\"...\" upper=\"...\" "
                "effort=\"...\" velocity=\"...\"/>",
                joint->name);
        return;
    }
    if (needs_range)
        read_range(reader, limit, joint);
    else if (gmc_xml_find(limit, "lower") || gmc_xml_find(limit, "upper"))
        urdf_words_warn(reader, limit->source, &no_stops, joint->name,
                        "joint `%s` is continuous: its lower and upper are not used", joint->name);
    const gmc_urdf_options *options = reader->options;
    bool is_elsewhere = options->has_effort && options->has_effort(options->context, joint->name);
    joint->effort =
        read_bound(reader, limit, "effort", joint->name, is_elsewhere ? NULL : &no_effort);
    joint->velocity = read_bound(reader, limit, "velocity", joint->name, NULL);
}

static void read_dynamics(gmc_urdf_reader *reader, const gmc_xml_element *element,
                          gmc_urdf_joint *joint)
{
    static const char *const attributes[] = {"damping", "friction", NULL};
    static const urdf_grammar grammar = {none, none, none, attributes};
    const gmc_xml_element *dynamics = gmc_xml_child(element, "dynamics");
    if (!dynamics) return;
    urdf_words_check(reader, dynamics, &grammar);
    if (gmc_xml_find(dynamics, "damping"))
        (void)urdf_words_required(reader, dynamics, "damping", 0, 1e300, &joint->damping);
    if (gmc_xml_find(dynamics, "friction"))
        (void)urdf_words_required(reader, dynamics, "friction", 0, 1e300, &joint->friction);
}

static void read_joint(gmc_urdf_reader *reader, const gmc_xml_element *element,
                       gmc_urdf_joint *joint)
{
    static const char *const children[] = {"origin", "parent",   "child", "axis",
                                           "limit",  "dynamics", "mimic", NULL};
    static const char *const attributes[] = {"name", "type", NULL};
    static const urdf_grammar grammar = {children, none, none, attributes};
    *joint = gmc_urdf_joint_blank(element->source);
    urdf_words_check(reader, element, &grammar);
    const char *name = urdf_words_text(reader, element, "name");
    joint->name = name ? name : "";
    if (name) joint->source = gmc_xml_find(element, "name")->source;
    joint->X_pj = urdf_words_origin(reader, element);
    joint->parent = read_end(reader, element, "parent");
    joint->child = read_end(reader, element, "child");
    if (!read_kind(reader, element, &joint->kind)) return;
    read_axis(reader, element, joint);
    read_limit(reader, element, joint);
    if (is_single(joint)) read_dynamics(reader, element, joint);
}

// ---- mimic -------------------------------------------------------------------------------------

static const char *nearest_joint(const gmc_urdf *urdf, const char *name)
{
    const char *best = NULL;
    for (int i = 0; i < urdf->joint_count && !best; i++) {
        const char *const one[] = {urdf->joints[i].name, NULL};
        best = gmc_urdf_nearest_word(name, one);
    }
    return best;
}

static void read_mimic(gmc_urdf_reader *reader, const gmc_xml_element *mimic, int follower)
{
    static const char *const attributes[] = {"joint", "multiplier", "offset", NULL};
    static const urdf_grammar grammar = {none, none, none, attributes};
    gmc_urdf *urdf = reader->urdf;
    gmc_urdf_joint *joint = urdf->joints + follower;
    urdf_words_check(reader, mimic, &grammar);
    (void)urdf_words_numbers(reader, mimic, "multiplier", 1, &joint->ratio);
    (void)urdf_words_numbers(reader, mimic, "offset", 1, &joint->offset);
    if (joint->ratio == 0 || fabs(joint->ratio) > 1e6 || fabs(joint->offset) > 1e6)
        urdf_words_error(reader, mimic->source, joint->ratio == 0 ? "make it a fixed joint" : NULL,
                         "joint `%s` follows with multiplier %g and offset %g", joint->name,
                         joint->ratio, joint->offset);
    const char *name = urdf_words_text(reader, mimic, "joint");
    if (!name) return;
    gmc_source place = gmc_xml_find(mimic, "joint")->source;
    int leader = gmc_urdf_find_joint(urdf, name);
    if (leader < 0) {
        char hint[96];
        const char *near = nearest_joint(urdf, name);
        if (near) snprintf(hint, sizeof hint, "did you mean `%.64s`?", near);
        urdf_words_error(reader, place, near ? hint : NULL, "there is no joint `%.64s` to follow",
                         name);
    } else if (leader == follower) {
        urdf_words_error(reader, place, NULL, "joint `%s` follows itself", joint->name);
    } else if (!is_single(joint) || !is_single(urdf->joints + leader)) {
        urdf_words_error(reader, place, NULL,
                         "joint `%s` follows `%.64s`: both must be revolute, continuous or "
                         "prismatic",
                         joint->name, name);
    } else {
        joint->leader = leader;
    }
}

// q = r q' + o and q' = r' q'' + o' make q = r r' q'' + (r o' + o): chains end at who moves on its
// own.
static void resolve_mimics(gmc_urdf_reader *reader)
{
    gmc_urdf *urdf = reader->urdf;
    for (int i = 0; i < urdf->joint_count; i++) {
        gmc_urdf_joint *joint = urdf->joints + i;
        for (int steps = 0; joint->leader >= 0 && urdf->joints[joint->leader].leader >= 0;
             steps++) {
            const gmc_urdf_joint *next = urdf->joints + joint->leader;
            if (steps >= urdf->joint_count) {
                urdf_words_error(reader, joint->source, "one joint must move on its own",
                                 "joint `%s` follows `%s`, which in the end follows it",
                                 joint->name, next->name);
                joint->leader = -1;
                break;
            }
            joint->offset += joint->ratio * next->offset;
            joint->ratio *= next->ratio;
            joint->leader = next->leader;
        }
    }
}

/// Fill joints; links are resolved by name.
static void urdf_joints_read(gmc_urdf_reader *reader, const gmc_xml_element *root)
{
    gmc_urdf *urdf = reader->urdf;
    int count = 0;
    for (const gmc_xml_element *e = gmc_xml_child(root, "joint"); e; e = gmc_xml_next(e))
        if (++count > GMC_URDF_PARTS_MAX) {
            urdf_words_error(reader, e->source, NULL, "more than %d joints", GMC_URDF_PARTS_MAX);
            return;
        }
    if (count == 0) return;
    urdf->joints = calloc((size_t)count, sizeof *urdf->joints);
    if (!urdf->joints) {
        reader->is_out_of_memory = true;
        return;
    }
    for (const gmc_xml_element *e = gmc_xml_child(root, "joint"); e; e = gmc_xml_next(e)) {
        gmc_urdf_joint *joint = urdf->joints + urdf->joint_count;
        read_joint(reader, e, joint);
        int twin = gmc_urdf_find_joint(urdf, joint->name);
        if (twin >= 0 && joint->name[0])
            urdf_words_error(reader, joint->source, NULL,
                             "a second joint `%s`; the first stands in line %d", joint->name,
                             urdf->joints[twin].source.line);
        urdf->joint_count++;
    }
    int at = 0;
    for (const gmc_xml_element *e = gmc_xml_child(root, "joint"); e; e = gmc_xml_next(e), at++) {
        const gmc_xml_element *mimic = gmc_xml_child(e, "mimic");
        if (mimic) read_mimic(reader, mimic, at);
    }
    resolve_mimics(reader);
}

// ---- the tree ----------------------------------------------------------------------------------
//
// The links must form one tree. What breaks it is told by the joint that does; then links are put
// in an order in which parents come first, and the order of the file otherwise.

// Every link hangs on one joint at most.
static void hang(gmc_urdf_reader *reader)
{
    gmc_urdf *urdf = reader->urdf;
    for (int i = 0; i < urdf->joint_count; i++) {
        const gmc_urdf_joint *joint = urdf->joints + i;
        if (joint->child < 0) continue;
        gmc_urdf_link *child = urdf->links + joint->child;
        if (joint->child == joint->parent)
            urdf_words_error(reader, joint->source, NULL, "joint `%s` joins link `%s` to itself",
                             joint->name, child->name);
        else if (child->joint >= 0)
            urdf_words_error(reader, joint->source,
                             "a link has one parent; closed loops are not supported",
                             "link `%s` hangs on joint `%s` and on joint `%s` (line %d)",
                             child->name, joint->name, urdf->joints[child->joint].name,
                             urdf->joints[child->joint].source.line);
        else
            child->joint = i;
    }
}

static int find_root(gmc_urdf_reader *reader)
{
    const gmc_urdf *urdf = reader->urdf;
    int root = -1;
    for (int i = 0; i < urdf->link_count; i++) {
        const gmc_urdf_link *link = urdf->links + i;
        if (link->joint >= 0) continue;
        if (root < 0)
            root = i;
        else
            urdf_words_error(
                reader, link->source, "join them with a fixed joint",
                "link `%s` hangs on no joint, and neither does `%s` (line %d): a robot "
                "has one root",
                link->name, urdf->links[root].name, urdf->links[root].source.line);
    }
    if (root < 0)
        urdf_words_error(reader, urdf->joints[0].source, "remove one joint of the ring",
                         "every link hangs on another: the joints close a ring");
    return root;
}

// Depth first, children in the order of the joints in the file; returns how many links were
// reached.
static int walk(const gmc_urdf *urdf, int root, int *order, int *stack, bool *is_reached)
{
    int count = 0, top = 0;
    stack[top++] = root;
    while (top > 0) {
        int link = stack[--top];
        order[count++] = link;
        is_reached[link] = true;
        for (int i = urdf->joint_count - 1; i >= 0; i--)
            if (urdf->joints[i].parent == link && urdf->joints[i].child >= 0 &&
                urdf->links[urdf->joints[i].child].joint == i)
                stack[top++] = urdf->joints[i].child;
    }
    return count;
}

static void report_ring(gmc_urdf_reader *reader, const bool *is_reached)
{
    const gmc_urdf *urdf = reader->urdf;
    for (int i = 0; i < urdf->link_count; i++) {
        if (is_reached[i] || urdf->links[i].joint < 0) continue;
        const gmc_urdf_joint *joint = urdf->joints + urdf->links[i].joint;
        if (joint->parent < 0 || is_reached[joint->parent]) continue;
        // the first link met by going up from here twice as often as there are links is on the ring
        int at = i;
        for (int k = 0; k < 2 * urdf->link_count && at >= 0; k++)
            at = urdf->links[at].joint < 0 ? -1 : urdf->joints[urdf->links[at].joint].parent;
        if (at < 0) continue; // hangs below another root, reported
        joint = urdf->joints + urdf->links[at].joint;
        urdf_words_error(reader, joint->source, "remove one joint of the ring",
                         "joint `%s` closes a ring: link `%s` hangs on itself", joint->name,
                         urdf->links[at].name);
        return;
    }
}

static gmc_status reorder(gmc_urdf_reader *reader, const int *order)
{
    gmc_urdf *urdf = reader->urdf;
    size_t count = (size_t)urdf->link_count;
    gmc_urdf_link *links = malloc(count * sizeof *links);
    gmc_urdf_inertial *inertials = malloc(count * sizeof *inertials);
    int *place = malloc(count * sizeof *place);
    bool fits = links && inertials && place;
    if (fits) {
        for (int i = 0; i < urdf->link_count; i++) {
            links[i] = urdf->links[order[i]];
            inertials[i] = reader->inertials[order[i]];
            place[order[i]] = i;
        }
        memcpy(urdf->links, links, count * sizeof *links);
        memcpy(reader->inertials, inertials, count * sizeof *inertials);
        for (int i = 0; i < urdf->joint_count; i++) {
            urdf->joints[i].parent = place[urdf->joints[i].parent];
            urdf->joints[i].child = place[urdf->joints[i].child];
        }
    }
    free(links);
    free(inertials);
    free(place);
    return fits ? GMC_OK : GMC_E_MEMORY;
}

/// One tree, parents first, mimics resolved to their leaders.
static void urdf_tree_order(gmc_urdf_reader *reader)
{
    gmc_urdf *urdf = reader->urdf;
    if (urdf->link_count == 0) return;
    size_t count = (size_t)urdf->link_count;
    int *order = calloc(count, sizeof *order), *stack = calloc(count, sizeof *stack);
    bool *is_reached = calloc(count, sizeof *is_reached);
    if (order && stack && is_reached) {
        int errors_before = reader->report->error_count;
        bool has_ends = true;
        for (int i = 0; i < urdf->joint_count; i++)
            has_ends = has_ends && urdf->joints[i].parent >= 0 && urdf->joints[i].child >= 0;
        hang(reader);
        // a joint whose ends are not known has left a link without one: nothing sure can be said
        // then
        int root = has_ends ? find_root(reader) : -1;
        int reached = root >= 0 ? walk(urdf, root, order, stack, is_reached) : 0;
        if (root >= 0 && reached < urdf->link_count) report_ring(reader, is_reached);
        if (reached == urdf->link_count && reader->report->error_count == errors_before)
            reader->is_out_of_memory |= reorder(reader, order) != GMC_OK;
    } else {
        reader->is_out_of_memory = true;
    }
    free(order);
    free(stack);
    free(is_reached);
}

// ---- masses ------------------------------------------------------------------------------------
//
// Mass properties. The files on offer are full of impossible, copied and forgotten ones, so each is
// held against what the link's own shapes would have. Links joined by fixed joints move as one:
// what one of them does not weigh, another may.

// Uniform solid of the link's shapes (where they overlap, counted twice). Mass 0 without shapes.
static gmc_inertia of_shapes(const gmc_urdf_link *link, double density)
{
    gmc_inertia sum = {0};
    for (int i = 0; i < link->shape_count; i++) {
        gmc_inertia part = gmc_inertia_of_shape(&link->shapes[i].shape, density);
        part = gmc_inertia_move(&link->shapes[i].X_lg, &part);
        sum = gmc_inertia_combine(&sum, &part);
    }
    return sum;
}

// The link whose joint moves the group of fixed links that `link` belongs to; the root for its
// group.
static int head_of(const gmc_urdf *urdf, int link)
{
    for (;;) {
        int joint = urdf->links[link].joint;
        if (joint < 0 || urdf->joints[joint].kind != GMC_URDF_FIXED) return link;
        link = urdf->joints[joint].parent;
    }
}

static bool is_moved(const gmc_urdf *urdf, int link)
{
    int joint = urdf->links[link].joint;
    return joint >= 0 && urdf->joints[joint].kind != GMC_URDF_FIXED;
}

// What is rounding beside the rest is written as 0.
static double clean(double value, double beside) { return fabs(value) > 1e-6 * beside ? value : 0; }

// What is to stand in place of mass properties that no body can have.
typedef struct mend {
    gmc_inertia inertia;
    gmc_urdf_weighed by;
    const char *said;            ///< "what they are"
    const urdf_warning *warning; ///< of all links that are mended so
} mend;

// A solid ball: 2/5 m r².
static gmc_inertia ball(const gmc_inertia *given, double density)
{
    double r = gmc_pow(3 * given->mass / (4 * GMC_PI * density), 1.0 / 3);
    double moment = 0.4 * given->mass * r * r;
    return (gmc_inertia){given->mass, given->com, gmc_mat3_diagonal(moment, moment, moment)};
}

static mend mend_of(const gmc_urdf_reader *reader, const gmc_inertia *given,
                    const gmc_inertia *shapes)
{
    static const urdf_warning nearest = {
        {"impossible inertia replaced by the nearest possible for", "links"}, NULL};
    static const urdf_warning spread = {
        {"impossible inertia replaced by that of the shapes for", "links"}, NULL};
    static const urdf_warning round = {
        {"impossible inertia replaced by that of a ball for", "links"}, "write its <inertia>"};
    char message[512];
    mend m = {.by = GMC_URDF_BY_FILE_MENDED, .said = "the nearest possible", .warning = &nearest};
    bool has_shapes = shapes->mass > 0, has_nearest = gmc_inertia_nearest(given, &m.inertia);
    bool is_wanted = reader->options->inertials != GMC_URDF_REPLACED || !has_shapes;
    if (has_nearest && is_wanted &&
        !(has_shapes && gmc_inertia_contradicts(&m.inertia, shapes, message, sizeof message)))
        return m;
    if (has_shapes)
        return (mend){gmc_inertia_with_mass(shapes, given->mass), GMC_URDF_BY_SHAPES_AT_MASS,
                      "that of its shapes", &spread};
    return (mend){ball(given, reader->options->density), GMC_URDF_BY_BALL,
                  "that of a ball of its mass", &round};
}

static void hint_of(const mend *m, char *hint, size_t bytes)
{
    const double *I = m->inertia.I.m;
    const gmc_vec3 *com = &m->inertia.com;
    double size = I[0] + I[4] + I[8], far = gmc_vec3_norm(*com);
    snprintf(hint, bytes,
             "%s: <origin xyz=\"%.6g %.6g %.6g\"/> <inertia ixx=\"%.6g\" ixy=\"%.6g\" "
             "ixz=\"%.6g\" iyy=\"%.6g\" iyz=\"%.6g\" izz=\"%.6g\"/>",
             m->said, clean(com->x, far), clean(com->y, far), clean(com->z, far), I[0],
             clean(I[1], size), clean(I[2], size), I[4], clean(I[5], size), I[8]);
}

// Only moments can be mended: of finite, symmetric ones, with a mass.
static bool is_mendable(const gmc_inertia *inertia)
{
    double sum = inertia->mass + inertia->com.x + inertia->com.y + inertia->com.z;
    for (int i = 0; i < 9; i++)
        sum += inertia->I.m[i];
    return isfinite(sum) && inertia->mass > 0; // six numbers of a file are symmetric
}

static void judge_impossible(gmc_urdf_reader *reader, int i, const gmc_inertia *shapes,
                             const char *message)
{
    gmc_urdf_link *link = reader->urdf->links + i;
    gmc_source place = reader->inertials[i].moments;
    char hint[400];
    if (!is_mendable(&link->inertia)) {
        urdf_words_error(reader, place, NULL, "link `%s`: %s", link->name, message);
        return;
    }
    mend m = mend_of(reader, &link->inertia, shapes);
    hint_of(&m, hint, sizeof hint);
    if (reader->options->inertials == GMC_URDF_AS_GIVEN) {
        urdf_words_error(reader, place, hint, "link `%s`: %s", link->name, message);
        return;
    }
    urdf_words_warn(reader, place, m.warning, link->name, "link `%s`: %s; %s is taken", link->name,
                    message, m.said);
    link->inertia = m.inertia;
    link->weighed = m.by;
}

static void replace(gmc_urdf_link *link, const gmc_inertia *shapes)
{
    link->inertia = gmc_inertia_with_mass(shapes, link->inertia.mass);
    link->weighed = GMC_URDF_BY_SHAPES_AT_MASS;
}

static void compare_with_shapes(gmc_urdf_reader *reader, int i, const gmc_inertia *shapes)
{
    gmc_urdf_link *link = reader->urdf->links + i;
    static const urdf_warning contradicts = {
        {"inertia kept that contradicts the collision shapes for", "links"}, NULL};
    char message[512];
    if (!(shapes->mass > 0)) return;
    if (reader->options->inertials == GMC_URDF_REPLACED)
        replace(link, shapes);
    else if (gmc_inertia_contradicts(&link->inertia, shapes, message, sizeof message))
        urdf_words_warn(reader, reader->inertials[i].source, &contradicts, link->name,
                        "link `%s`: %s (from its collision shapes); the given one is kept",
                        link->name, message);
}

static void check_given(gmc_urdf_reader *reader, int i)
{
    gmc_urdf_link *link = reader->urdf->links + i;
    gmc_inertia shapes = of_shapes(link, reader->options->density);
    char message[512];
    if (link->inertia.mass == 0 && !is_moved(reader->urdf, i)) {
        link->inertia = (gmc_inertia){0}; // a frame that someone gave a mass of nothing
        return;
    }
    if (gmc_inertia_check(&link->inertia, message, sizeof message) != GMC_OK)
        judge_impossible(reader, i, &shapes, message);
    else
        compare_with_shapes(reader, i, &shapes);
}

// A group that some joint moves, with shapes but nothing that weighs: the shapes weigh.
static void weigh_shapes(gmc_urdf_reader *reader, int head)
{
    static const urdf_warning weighed = {{"no <inertial>, weighed by the shapes, for", "links"},
                                         "write its <inertial>"};
    gmc_urdf *urdf = reader->urdf;
    bool has_mass = false;
    for (int i = head; i < urdf->link_count; i++)
        has_mass = has_mass || ((urdf->links[i].has_inertial || urdf->links[i].inertia.mass > 0) &&
                                head_of(urdf, i) == head);
    for (int i = head; i < urdf->link_count && !has_mass; i++) {
        gmc_urdf_link *link = urdf->links + i;
        if (head_of(urdf, i) != head) continue;
        gmc_inertia shapes = of_shapes(link, reader->options->density);
        if (!(shapes.mass > 0)) continue;
        link->inertia = shapes;
        link->weighed = GMC_URDF_BY_SHAPES_AT_DENSITY;
        urdf_words_warn(reader, link->source, &weighed, link->name,
                        "link `%s` moves but has no <inertial>: its shapes at %g kg/m3 are taken, "
                        "%.4g kg",
                        link->name, reader->options->density, shapes.mass);
    }
}

void gmc_urdf_finish(gmc_urdf_reader *reader)
{
    const gmc_urdf *urdf = reader->urdf;
    resolve_mimics(reader);
    for (int i = 0; i < urdf->link_count; i++)
        if (urdf->links[i].has_inertial && !reader->inertials[i].is_broken) check_given(reader, i);
    for (int i = 0; i < urdf->link_count; i++)
        if (is_moved(urdf, i)) weigh_shapes(reader, i);
}

static void read_robot(gmc_urdf_reader *reader, const gmc_xml_element *root)
{
    static const char *const children[] = {"link", "joint", NULL}, *const silent[] = {"material",
                                                                                      NULL};
    static const char *const attributes[] = {"name", "version", NULL};
    static const urdf_grammar grammar = {children, children, silent, attributes};
    if (!gmc_xml_is(root, "robot")) {
        urdf_words_error(reader, root->source,
                         gmc_xml_is(root, "mujoco")
                             ? "an MJCF file is named by  mjcf: FILE  in place of urdf:"
                         : gmc_xml_is(root, "sdf") ? "this is another format of robot files"
                                                   : NULL,
                         "expected <robot>, found <%.64s>", root->name);
        return;
    }
    const gmc_xml_attribute *name = gmc_xml_find(root, "name");
    reader->urdf->name = name ? name->value : "";
    urdf_words_check(reader, root, &grammar);
    urdf_links_read(reader, root);
    if (reader->urdf->link_count > 0) urdf_joints_read(reader, root);
    int errors_of_parts = reader->report->error_count;
    urdf_tree_order(reader);
    // groups of links are known only in a tree; a sick part does not hide the masses of the others
    bool is_tree = reader->report->error_count == errors_of_parts;
    for (int i = 0; i < reader->urdf->joint_count; i++)
        is_tree =
            is_tree && reader->urdf->joints[i].parent >= 0 && reader->urdf->joints[i].child >= 0;
    if (is_tree && !reader->is_out_of_memory) gmc_urdf_finish(reader);
    urdf_links_warn_of_visuals(reader);
}

static bool keep_document(struct gmc_urdf_keep *keep, gmc_xml *document)
{
    gmc_xml **documents = gmc_list_room(keep->documents, keep->document_count,
                                        &keep->document_capacity, sizeof(gmc_xml *));
    if (!documents) {
        gmc_xml_free(document);
        return false;
    }
    keep->documents = documents;
    documents[keep->document_count++] = document;
    return true;
}

static gmc_status read_document(const gmc_file *bytes, const gmc_urdf_options *options,
                                gmc_diagnostics *report, gmc_urdf *urdf)
{
    gmc_urdf_reader reader = {.urdf = urdf, .options = options, .report = report};
    int errors_before = report->error_count;
    gmc_xml *document;
    GMC_TRY(gmc_xml_parse(urdf->file, bytes->bytes, bytes->size, report, &document));
    if (keep_document(urdf->keep, document))
        read_robot(&reader, gmc_xml_root(document));
    else
        reader.is_out_of_memory = true;
    free(reader.inertials);
    if (reader.is_out_of_memory) {
        gmc_diagnostics_add(report, GMC_E_MEMORY, (gmc_source){.file = urdf->file}, NULL,
                            "no memory left for this URDF");
        return GMC_E_MEMORY;
    }
    return report->error_count > errors_before ? gmc_diagnostics_status(report) : GMC_OK;
}

gmc_status gmc_urdf_start(const char *file, gmc_urdf *urdf)
{
    size_t bytes = strlen(file) + 1;
    *urdf = (gmc_urdf){.keep = calloc(1, sizeof *urdf->keep)};
    if (!urdf->keep) return GMC_E_MEMORY;
    urdf->file = urdf->keep->file = malloc(bytes);
    if (!urdf->file) return GMC_E_MEMORY;
    memcpy(urdf->keep->file, file, bytes);
    return GMC_OK;
}

gmc_status gmc_urdf_open(const char *file, const gmc_urdf_options *options, gmc_diagnostics *report,
                         gmc_urdf *urdf)
{
    gmc_file bytes = {0};
    gmc_status status = gmc_urdf_start(file, urdf);
    if (status == GMC_OK) status = gmc_file_load(options->files, file, &bytes);
    if (status != GMC_OK)
        gmc_diagnostics_add(report, status, options->from, NULL, "URDF %s cannot be read: %s", file,
                            gmc_status_name(status));
    else
        status = read_document(&bytes, options, report, urdf);
    gmc_file_free(&bytes);
    if (status != GMC_OK) gmc_urdf_close(urdf);
    return status;
}

void gmc_urdf_close(gmc_urdf *urdf)
{
    struct gmc_urdf_keep *keep = urdf->keep;
    for (int i = 0; i < urdf->link_count; i++)
        free(urdf->links[i].shapes);
    free(urdf->links);
    free(urdf->joints);
    for (int i = 0; keep && i < keep->mesh_count; i++) {
        gmc_hull_pieces_free(&keep->meshes[i].pieces);
        free(keep->meshes[i].path);
    }
    for (int i = 0; keep && i < keep->document_count; i++)
        gmc_xml_free(keep->documents[i]);
    for (int i = 0; keep && i < keep->text_count; i++)
        free(keep->texts[i]);
    for (int i = 0; i < urdf->tendon_count; i++)
        free(urdf->tendons[i].terms);
    free(urdf->tendons);
    free(urdf->excludes);
    if (keep) {
        free(keep->documents);
        free(keep->texts);
        free(keep->meshes);
        free(keep->file);
    }
    free(keep);
    *urdf = (gmc_urdf){0};
}

int gmc_urdf_find_link(const gmc_urdf *urdf, const char *name)
{
    for (int i = 0; i < urdf->link_count; i++)
        if (strcmp(urdf->links[i].name, name) == 0) return i;
    return -1;
}

int gmc_urdf_find_joint(const gmc_urdf *urdf, const char *name)
{
    for (int i = 0; i < urdf->joint_count; i++)
        if (strcmp(urdf->joints[i].name, name) == 0) return i;
    return -1;
}

// ---- building ----------------------------------------------------------------------------------

static gmc_joint_type model_type(gmc_urdf_kind kind)
{
    switch (kind) {
    case GMC_URDF_FIXED:
        return GMC_JOINT_FIXED;
    case GMC_URDF_REVOLUTE:
    case GMC_URDF_CONTINUOUS:
        return GMC_JOINT_REVOLUTE;
    case GMC_URDF_PRISMATIC:
        return GMC_JOINT_PRISMATIC;
    case GMC_URDF_FLOATING:
        return GMC_JOINT_FREE;
    case GMC_URDF_BALL:
        return GMC_JOINT_SPHERICAL;
    }
    return GMC_JOINT_FIXED;
}

gmc_joint_spec gmc_urdf_joint_spec(const gmc_urdf *urdf, int joint)
{
    const gmc_urdf_joint *from = urdf->joints + joint;
    gmc_joint_spec spec = {.name = from->name,
                           .type = model_type(from->kind),
                           .X_pj = from->X_pj,
                           .axis = from->axis,
                           .mimic_joint =
                               from->leader >= 0 ? urdf->joints[from->leader].name : NULL,
                           .ratio = from->ratio,
                           .offset = from->offset,
                           .dof = gmc_builder_default_dof()};
    if (from->kind == GMC_URDF_FIXED || from->kind == GMC_URDF_FLOATING) return spec;
    spec.dof.damping = from->damping;
    spec.dof.armature = from->armature;
    if (from->kind == GMC_URDF_BALL) return spec;
    spec.dof.friction = from->friction;
    spec.dof.lower = from->lower;
    spec.dof.upper = from->upper;
    spec.dof.max_force = from->effort;
    spec.dof.max_speed = from->velocity;
    // as the file draws it (a URDF: at 0), or as near to that as the limits allow
    spec.q_start = fmin(fmax(from->reference, from->lower), from->upper);
    return spec;
}

// Names with the prefix in front, in one growing buffer each.
typedef struct prefixed {
    char *text;
    size_t capacity;
} prefixed;

static const char *with_prefix(prefixed *buffer, const char *prefix, const char *name)
{
    size_t prefix_length = prefix ? strlen(prefix) : 0, bytes = prefix_length + strlen(name) + 1;
    if (!buffer->text || bytes > buffer->capacity) {
        char *text = realloc(buffer->text, bytes);
        if (!text) return NULL;
        buffer->text = text;
        buffer->capacity = bytes;
    }
    if (prefix_length > 0) memcpy(buffer->text, prefix, prefix_length);
    memcpy(buffer->text + prefix_length, name, bytes - prefix_length);
    return buffer->text;
}

typedef struct naming {
    prefixed link, parent, joint, leader;
} naming;

static void add_shapes(const gmc_urdf_link *link, const char *name, const gmc_urdf_placing *placing,
                       gmc_builder *builder)
{
    const char *surface = link->shape_count > 0 ? placing->surface(placing->context, link) : NULL;
    for (int i = 0; i < link->shape_count; i++)
        gmc_builder_geom(builder, &(gmc_geom_spec){.source = link->shapes[i].source,
                                                   .link = name,
                                                   .X_lg = link->shapes[i].X_lg,
                                                   .shape = link->shapes[i].shape,
                                                   .surface = surface,
                                                   .category = placing->category,
                                                   .mask = placing->mask});
}

static gmc_status add_link(const gmc_urdf *urdf, int i, const gmc_urdf_placing *placing,
                           naming *names, gmc_builder *builder)
{
    const gmc_urdf_link *link = urdf->links + i;
    const char *prefix = placing->prefix, *parent = placing->parent;
    const char *name = with_prefix(&names->link, prefix, link->name);
    gmc_joint_spec spec = placing->base;
    if (!name) return GMC_E_MEMORY;
    if (link->joint >= 0) {
        const gmc_urdf_joint *joint = urdf->joints + link->joint;
        spec = gmc_urdf_joint_spec(urdf, link->joint);
        if (placing->joint) placing->joint(placing->context, joint, &spec);
        parent = with_prefix(&names->parent, prefix, urdf->links[joint->parent].name);
        spec.name = with_prefix(&names->joint, prefix, joint->name);
        if (!parent || !spec.name) return GMC_E_MEMORY;
        if (spec.mimic_joint) {
            spec.mimic_joint =
                with_prefix(&names->leader, prefix, urdf->joints[joint->leader].name);
            if (!spec.mimic_joint) return GMC_E_MEMORY;
        }
    }
    gmc_inertia inertia = link->inertia;
    if (placing->link) placing->link(placing->context, link, &inertia);
    gmc_builder_link(builder, link->source, name, parent, &spec,
                     inertia.mass > 0 ? &inertia : NULL);
    add_shapes(link, name, placing, builder);
    return GMC_OK;
}

gmc_status gmc_urdf_build(const gmc_urdf *urdf, const gmc_urdf_placing *placing,
                          gmc_builder *builder)
{
    naming names = {0};
    gmc_status status = GMC_OK;
    for (int i = 0; i < urdf->link_count && status == GMC_OK; i++)
        status = add_link(urdf, i, placing, &names, builder);
    free(names.link.text);
    free(names.parent.text);
    free(names.joint.text);
    free(names.leader.text);
    return status;
}
