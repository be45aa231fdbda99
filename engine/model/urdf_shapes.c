// Collision shapes. A mesh becomes its convex pieces; each file is read once for each scale.
#include "engine/base/list.h"
#include "engine/model/urdf_internal.h"

#include <stdlib.h>
#include <string.h>

// A hand's part, or a table: larger is a mistake of unit.
#define GMC_URDF_SIZE_MAX 100.0

static const char *const none[] = {NULL};

static bool read_size(gmc_urdf_reader *reader, const gmc_xml_element *element,
                      const char *attribute, double *size)
{
    if (!gmc_urdf_words_required(reader, element, attribute, 0, GMC_URDF_SIZE_MAX, size))
        return false;
    if (*size > 0) return true;
    gmc_urdf_words_error(reader, gmc_xml_find(element, attribute)->source, NULL,
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
    shapes[link->shape_count++] = (gmc_urdf_shape){source, X_lg, shape};
}

// ---- meshes -----------------------------------------------------------------------------------

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

// Try one place; true if the search is over (found, or a failure other than "not there").
static bool try_path(gmc_urdf_reader *reader, char *path, gmc_file *file, gmc_status *status,
                     char **found)
{
    *status = path ? gmc_file_load(reader->options->files, path, file) : GMC_E_MEMORY;
    if (*status == GMC_E_MISSING) {
        free(path);
        return false;
    }
    *found = path;
    return true;
}

// package://name/rest in `folder`: as folder/name/rest, or folder/rest if the folder itself is
// `name`.
static bool try_folder(gmc_urdf_reader *reader, const char *folder, size_t length,
                       const char *package, gmc_file *file, gmc_status *status, char **found)
{
    const char *rest = strchr(package, '/');
    if (try_path(reader, join(folder, length, package, ""), file, status, found)) return true;
    if (!rest || !ends_in_folder(folder, length, package, (size_t)(rest - package))) return false;
    return try_path(reader, join(folder, length, rest + 1, ""), file, status, found);
}

static gmc_status load_package(gmc_urdf_reader *reader, const char *package, gmc_file *file,
                               char **found)
{
    gmc_status status = GMC_E_MISSING;
    const char *const *folders = reader->options->package_path;
    for (; folders && *folders; folders++)
        if (try_folder(reader, *folders, strlen(*folders), package, file, &status, found))
            return status;
    const char *urdf = reader->urdf->file;
    size_t length = strlen(urdf);
    do {
        length = folder_length(urdf, length);
        if (try_folder(reader, urdf, length, package, file, &status, found)) return status;
    } while (length > 1);
    // a relative path says no more about what is above: a few levels by their dots
    char up[] = "../../../..";
    for (size_t dots = 2; urdf[0] != '/' && dots <= sizeof up - 1; dots += 3)
        if (try_folder(reader, up, dots, package, file, &status, found)) return status;
    return GMC_E_MISSING;
}

static gmc_status load_mesh(gmc_urdf_reader *reader, const char *name, gmc_file *file, char **found)
{
    gmc_status status = GMC_E_MISSING;
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
    (void)try_path(reader, join(urdf, length, name, ""), file, &status, found);
    return status;
}

static void report_missing(gmc_urdf_reader *reader, const gmc_xml_attribute *name,
                           gmc_status status)
{
    bool is_package = strstr(name->value, "://") && strncmp(name->value, "file:", 5) != 0;
    const char *hint =
        is_package ? "name the folder that holds the package:  hand: {package_path: [FOLDER]}"
                   : "the path is relative to the URDF";
    gmc_diagnostics_add(reader->report, GMC_ERROR, status, name->source,
                        status == GMC_E_MISSING ? hint : NULL, "mesh %s cannot be read: %s",
                        name->value, gmc_status_name(status));
}

static gmc_status make_pieces(gmc_urdf_reader *reader, const gmc_xml_attribute *name,
                              const gmc_file *file, gmc_urdf_mesh *mesh)
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
    gmc_status status = gmc_pieces_of_mesh(&triangles, &reader->options->convex, name->source,
                                           reader->report, &mesh->pieces);
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

static const gmc_urdf_mesh *get_mesh(gmc_urdf_reader *reader, const gmc_xml_attribute *name,
                                     gmc_vec3 scale)
{
    gmc_file file = {0};
    char *path = NULL;
    gmc_status status = load_mesh(reader, name->value, &file, &path);
    if (status != GMC_OK) {
        free(path);
        report_missing(reader, name, status);
        return NULL;
    }
    gmc_urdf_mesh *mesh = find_mesh(reader->urdf->keep, path, scale);
    if (mesh) {
        free(path);
    } else {
        mesh = add_mesh(reader, path, scale);
        if (mesh) mesh->status = make_pieces(reader, name, &file, mesh);
    }
    gmc_file_free(&file);
    return mesh && mesh->status == GMC_OK ? mesh : NULL;
}

static bool has_format(gmc_urdf_reader *reader, const gmc_xml_attribute *name)
{
    const char *base = strrchr(name->value, '/'), *dot = strrchr(base ? base : name->value, '.');
    if (!dot || gmc_mesh_is_known(name->value)) return true;
    char hint[GMC_MESH_HINT_MAX];
    (void)gmc_mesh_how_to_convert(name->value, hint);
    gmc_urdf_words_error(reader, name->source, hint, "meshes of format `%.16s` are not read", dot);
    return false;
}

static void read_mesh(gmc_urdf_reader *reader, const gmc_xml_element *element, gmc_pose X_lg,
                      gmc_urdf_link *link)
{
    double scale[3] = {1, 1, 1};
    bool has_scale = gmc_xml_find(element, "scale") != NULL;
    bool is_good = !has_scale || gmc_urdf_words_numbers(reader, element, "scale", 3, scale);
    if (!gmc_urdf_words_text(reader, element, "filename")) return;
    const gmc_xml_attribute *name = gmc_xml_find(element, "filename");
    for (int k = 0; k < 3 && is_good; k++) {
        is_good = scale[k] != 0 && fabs(scale[k]) <= 1e6;
        if (!is_good)
            gmc_urdf_words_error(reader, gmc_xml_find(element, "scale")->source, NULL,
                                 "a scale must not be 0 nor beyond 1e6, found %g", scale[k]);
    }
    if (!is_good || !has_format(reader, name)) return;
    const gmc_urdf_mesh *mesh = get_mesh(reader, name, gmc_vec3_make(scale[0], scale[1], scale[2]));
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
    if (!gmc_urdf_words_text(reader, element, "size") ||
        !gmc_urdf_words_numbers(reader, element, "size", 3, size))
        return;
    for (int k = 0; k < 3; k++)
        if (!(size[k] > 0 && size[k] <= GMC_URDF_SIZE_MAX)) {
            gmc_urdf_words_error(reader, gmc_xml_find(element, "size")->source, NULL,
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
    const gmc_urdf_grammar box_grammar = {none, none, none, box},
                           sphere_grammar = {none, none, none, sphere},
                           round_grammar = {none, none, none, round},
                           mesh_grammar = {none, none, none, mesh};
    if (gmc_xml_is(element, "box")) {
        gmc_urdf_words_check(reader, element, &box_grammar);
        read_box(reader, element, X_lg, link);
    } else if (gmc_xml_is(element, "sphere")) {
        gmc_urdf_words_check(reader, element, &sphere_grammar);
        read_round(reader, element, GMC_SHAPE_SPHERE, X_lg, link);
    } else if (gmc_xml_is(element, "cylinder")) {
        gmc_urdf_words_check(reader, element, &round_grammar);
        read_round(reader, element, GMC_SHAPE_CYLINDER, X_lg, link);
    } else if (gmc_xml_is(element, "capsule")) {
        gmc_urdf_words_check(reader, element, &round_grammar);
        read_round(reader, element, GMC_SHAPE_CAPSULE, X_lg, link);
    } else if (gmc_xml_is(element, "mesh")) {
        gmc_urdf_words_check(reader, element, &mesh_grammar);
        read_mesh(reader, element, X_lg, link);
    } else {
        gmc_urdf_words_error(reader, element->source, "known: box, sphere, cylinder, capsule, mesh",
                             "the shape <%.64s> is not supported", element->name);
    }
}

static void read_collision(gmc_urdf_reader *reader, const gmc_xml_element *element,
                           gmc_urdf_link *link)
{
    static const char *const children[] = {"origin", "geometry", NULL};
    static const char *const silent[] = {"material", NULL}, *const attributes[] = {"name", NULL};
    static const gmc_urdf_grammar grammar = {children, none, silent, attributes};
    gmc_urdf_words_check(reader, element, &grammar);
    gmc_pose X_lg = gmc_urdf_words_origin(reader, element);
    const gmc_xml_element *geometry = gmc_xml_child(element, "geometry");
    const gmc_xml_element *shape = geometry ? geometry->first_child : NULL;
    if (!shape) {
        gmc_urdf_words_error(reader, geometry ? geometry->source : element->source, NULL,
                             geometry ? "<geometry> is empty" : "<collision> needs <geometry>");
        return;
    }
    if (shape->next)
        gmc_urdf_words_error(reader, shape->next->source, "write a <collision> for each",
                             "<geometry> holds one shape, found <%.64s> besides <%.64s>",
                             shape->next->name, shape->name);
    read_shape(reader, shape, X_lg, link);
}

void gmc_urdf_shapes_read(gmc_urdf_reader *reader, const gmc_xml_element *element,
                          gmc_urdf_link *link)
{
    for (const gmc_xml_element *e = gmc_xml_child(element, "collision"); e; e = gmc_xml_next(e))
        read_collision(reader, e, link);
}
