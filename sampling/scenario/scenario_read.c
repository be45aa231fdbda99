// The small steps that the readers of all blocks share, the blocks in the order in which they are
// read, the root, then what brings its text and tree here.
#include "sampling/scenario/scenario_read.h"

#include "engine/base/file.h"
#include "engine/base/lookup.h"
#include "engine/contact/law.h"
#include "engine/contact/stepper.h"
#include "engine/model/polygon.h"
#include "sampling/design/csv.h"
#include "sampling/design/subset.h"
#include "sampling/estimate/cluster.h"
#include "sampling/grasps/grasps.h"
#include "sampling/language/expression.h"
#include "sampling/language/location.h"
#include "sampling/language/materials.h"
#include "sampling/language/merge.h"
#include "sampling/language/nearest.h"
#include "sampling/language/preset.h"
#include "sampling/language/schema.h"
#include "sampling/language/units.h"
#include "sampling/language/validate.h"
#include "sampling/language/yaml.h"
#include "sampling/scenario/scenario.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
    gmc_scenario *scenario;
    gmc_diagnostics *report;
    bool is_arena_full; // looked at once at the end: what is taken after that is zero or NULL
    int mended;         // mistakes after which reading went on as if they were not there
} reader;

// Lines that `believed` may add to those of `uncertain`.
enum { GMC_READER_SIGHT_LINES = GMC_SIGHT_COMPONENTS + 1 };

// ---- small steps ------------------------------------------------------------------------------

// `count` zeroed elements; NULL with is_arena_full set.
static void *reader_take(reader *r, int count, size_t size)
{
    void *block = gmc_arena_take(r->scenario->arena, (size_t)count, size);
    if (!block) r->is_arena_full = true;
    return block;
}

// "a.b" in the arena.
static const char *reader_join(reader *r, const char *a, const char *b)
{
    size_t bytes = strlen(a) + strlen(b) + 2;
    char *text = reader_take(r, (int)bytes, 1);
    if (!text) return "";
    snprintf(text, bytes, a[0] ? "%s.%s" : "%s%s", a, b);
    return text;
}

// Enter a parameter; -1 with is_arena_full set.
static gmc_param reader_add(reader *r, const gmc_parameter *given)
{
    gmc_param param = gmc_scenario_add_parameter(r->scenario, given);
    if (param < 0) r->is_arena_full = true;
    return param;
}

// Enter a node that holds a number.
static gmc_param reader_enter(reader *r, const gmc_node *node, const char *path)
{
    const gmc_schema_row *row = node->row;
    if (row && !node->is_number && !node->is_stand_in) return -1; // reported
    double lower = row ? row->lower : -HUGE_VAL, upper = row ? row->upper : HUGE_VAL;
    // the table's bounds are closed; the smallest number above an excluded 0 stands in for it
    if (row && row->is_above) lower = lower == 0 ? DBL_MIN : nextafter(lower, INFINITY);
    return reader_add(
        r, &(gmc_parameter){.path = path,
                            .dimension = (gmc_dimension)node->dimension,
                            .nominal = node->is_number || node->is_stand_in ? node->number : 0,
                            .lower = lower,
                            .upper = upper,
                            .source = node->source,
                            .is_default = node->is_default,
                            .is_option = node->is_option,
                            .is_stand_in = node->is_stand_in,
                            .formula = node->formula,
                            .formula_text = node->formula ? node->text : NULL});
}

// Enter the number of map[key] as "path.key"; -1 if it is not written or wrong.
static gmc_param reader_number(reader *r, const gmc_node *map, const char *path, const char *key)
{
    const gmc_node *node = gmc_node_find(map, key);
    if (!node || node->kind != GMC_NODE_SCALAR) return -1;
    return reader_enter(r, node, reader_join(r, path, key));
}

// An axis given by a word has three numbers all the same.
static void enter_axis_word(reader *r, const gmc_node *node, const char *path, gmc_param out[3])
{
    static const char *const XYZ[] = {"x", "y", "z"};
    bool is_negative = node->text[0] == '-';
    for (int i = 0; i < 3; i++) {
        bool is_it = strcmp(node->text + (is_negative ? 1 : 0), XYZ[i]) == 0;
        double value = !is_it ? 0 : is_negative ? -1 : 1;
        out[i] = reader_add(r, &(gmc_parameter){.path = reader_join(r, path, XYZ[i]),
                                                .nominal = value,
                                                .lower = -INFINITY,
                                                .upper = INFINITY,
                                                .source = node->source,
                                                .is_default = node->is_default});
    }
}

// The first `count` numbers of a list as "path.names[i]"; what is not there is left as it was.
static void enter_entries(reader *r, const gmc_node *list, const char *path, int count,
                          const char *const *names, gmc_param *out)
{
    int i = 0;
    for (gmc_node *n = list->first; n && i < count; n = n->next, i++) {
        gmc_node entry = *n;
        entry.row = list->row;
        out[i] = reader_enter(r, &entry, reader_join(r, path, names[i]));
    }
}

// [x, y, z] under map[key] as "path.key.x" ...; axes by word too. All -1 if not written.
static void reader_vector(reader *r, const gmc_node *map, const char *path, const char *key,
                          gmc_param out[3])
{
    static const char *const XYZ[] = {"x", "y", "z"};
    out[0] = out[1] = out[2] = -1;
    const gmc_node *node = gmc_node_find(map, key);
    if (!node) return;
    const char *full = reader_join(r, path, key);
    if (node->kind == GMC_NODE_SCALAR && node->row && node->row->type == GMC_TYPE_AXIS)
        enter_axis_word(r, node, full, out);
    if (node->kind == GMC_NODE_LIST && node->count == 3) enter_entries(r, node, full, 3, XYZ, out);
}

// Text of map[key], NULL if not written.
static const char *reader_text(const gmc_node *map, const char *key)
{
    const gmc_node *node = gmc_node_find(map, key);
    return node && node->kind == GMC_NODE_SCALAR ? node->text : NULL;
}

static bool reader_bool(const gmc_node *map, const char *key)
{
    const char *text = reader_text(map, key);
    return text && strcmp(text, "true") == 0;
}

// ---- fields -----------------------------------------------------------------------------------

// How many parameters a row has in an int field; 0: it has none.
static int param_count(const gmc_schema_row *row)
{
    if (row->store != GMC_STORE_INT) return 0;
    bool is_vector =
        row->type == GMC_TYPE_VECTOR || row->type == GMC_TYPE_AXIS || row->type == GMC_TYPE_AIM;
    return row->type == GMC_TYPE_NUMBER ? 1 : is_vector ? 3 : row->type == GMC_TYPE_INERTIA ? 6 : 0;
}

// Which of "a|b|c" a text is; -1: none.
static int choice_of(const char *words, const char *text)
{
    size_t length = text ? strlen(text) : 0;
    int choice = 0;
    for (const char *word = words; text && word; choice++) {
        if (strncmp(word, text, length) == 0 && (!word[length] || word[length] == '|'))
            return choice;
        word = strchr(word, '|');
        if (word) word++;
    }
    return -1;
}

// A number that is no parameter.
static void put_number(const gmc_schema_row *row, double number, char *field)
{
    if (row->store == GMC_STORE_DOUBLE) *(double *)(void *)field = number;
    if (row->store == GMC_STORE_INT) *(int *)(void *)field = (int)number;
    if (row->store == GMC_STORE_INT64) *(int64_t *)(void *)field = (int64_t)number;
}

static void put_text(const gmc_schema_row *row, const char *text, char *field)
{
    if (row->store == GMC_STORE_TEXT) *(const char **)(void *)field = text;
    if (row->store == GMC_STORE_BOOL)
        *(bool *)(void *)field = text && strcmp(text, row->meant ? row->meant : "true") == 0;
    int choice = row->store == GMC_STORE_INT ? choice_of(row->words, text) : -1;
    if (choice >= 0) *(int *)(void *)field = row->first_choice + choice;
}

static void put_default(const gmc_schema_row *row, char *field)
{
    gmc_quantity quantity = {0};
    const char *end = NULL;
    bool is_amount = row->type == GMC_TYPE_NUMBER || row->type == GMC_TYPE_INTEGER;
    if (row->fallback && is_amount &&
        gmc_units_read(row->fallback, &quantity, &end) != GMC_UNITS_OK)
        quantity.value = 0;
    for (int i = 0; i < param_count(row); i++)
        ((gmc_param *)(void *)field)[i] = -1;
    if (param_count(row) > 0) return;
    if (is_amount)
        put_number(row, quantity.value, field);
    else
        put_text(row, row->fallback, field);
}

// Parameters -1, the others as the rows have it.
static void reader_defaults(gmc_schema_group group, void *out)
{
    int count = 0;
    const gmc_schema_row *rows = gmc_schema_group_rows(group, &count);
    for (int i = 0; i < count; i++)
        if (rows[i].store != GMC_STORE_NONE) put_default(&rows[i], (char *)out + rows[i].at);
}

static void read_params(reader *r, const gmc_schema_row *row, const gmc_node *map, const char *path,
                        gmc_param *out)
{
    static const char *const INERTIA[] = {"xx", "yy", "zz", "xy", "xz", "yz"};
    const gmc_node *node = gmc_node_find(map, row->key);
    if (!node) return;
    if (row->type == GMC_TYPE_NUMBER)
        *out = reader_number(r, map, path, row->key);
    else if (row->type != GMC_TYPE_INERTIA)
        reader_vector(r, map, path, row->key, out);
    else if (node->kind == GMC_NODE_LIST && node->count == 6)
        enter_entries(r, node, reader_join(r, path, row->key), 6, INERTIA, out);
}

static void read_field(reader *r, const gmc_schema_row *row, const gmc_node *map, const char *path,
                       char *field)
{
    const gmc_node *node = gmc_node_find(map, row->key);
    if (row->store == GMC_STORE_TABLE)
        (void)reader_number(r, map, path, row->key);
    else if (param_count(row) > 0)
        read_params(r, row, map, path, (gmc_param *)(void *)field);
    else if (!node || node->kind != GMC_NODE_SCALAR)
        return;
    else if (row->type == GMC_TYPE_NUMBER && node->is_number)
        put_number(row, node->number, field);
    else if (row->type == GMC_TYPE_INTEGER && gmc_node_whole(node, -1) >= 0)
        put_number(row, node->number, field);
    else if (row->type != GMC_TYPE_NUMBER && row->type != GMC_TYPE_INTEGER)
        put_text(row, node->text, field);
}

// A row without a field follows the one above it that has one.
static size_t place_of(const gmc_schema_row *row)
{
    while (row->store <= GMC_STORE_TABLE && row > gmc_schema_rows && row[-1].group == row->group)
        row--;
    return row->at;
}

// The row whose field follows that of `last`; NULL: it is the last one. Several rows may have one
// place: the later ones follow the first.
static const gmc_schema_row *next_field(gmc_schema_group group, const gmc_schema_row *last)
{
    int count = 0;
    const gmc_schema_row *rows = gmc_schema_group_rows(group, &count), *next = NULL;
    for (const gmc_schema_row *row = rows; row < rows + count; row++) {
        if (row->store == GMC_STORE_NONE) continue;
        size_t at = place_of(row);
        bool is_behind = !last || at > place_of(last) || (at == place_of(last) && row > last);
        if (is_behind && (!next || at < place_of(next))) next = row;
    }
    return next;
}

// Plain values of a group into the struct that its rows name, each as the row says: numbers as
// parameters "path.key", in the order of the struct's fields (rows without a field: of the table).
// What is not written, or wrong, is as reader_defaults leaves it.
static void reader_fields(reader *r, const gmc_node *map, const char *path, gmc_schema_group group,
                          void *out)
{
    reader_defaults(group, out);
    for (const gmc_schema_row *row = NULL; (row = next_field(group, row));)
        read_field(r, row, map, path, (char *)out + row->at);
}

// A pose under map[key] as "path.key.x" ...
static gmc_pose_spec reader_pose(reader *r, const gmc_node *map, const char *path, const char *key)
{
    gmc_pose_spec spec;
    reader_fields(r, gmc_node_find(map, key), reader_join(r, path, key), GMC_SCHEMA_POSE, &spec);
    return spec;
}

// ---- files ------------------------------------------------------------------------------------

// Name of a file relative to the scenario; the node is rewritten so, for the expanded text. NULL if
// there is none.
static const char *reader_file_name(reader *r, gmc_node *node)
{
    if (!node || node->kind != GMC_NODE_SCALAR) return NULL;
    const char *name = gmc_scenario_join(r->scenario, node->folder, node->text);
    if (!name) {
        r->is_arena_full = true;
        return NULL;
    }
    if (strcmp(name, node->text) != 0) node->is_plain = false;
    node->text = name;
    node->folder = "";
    return name;
}

// Where a file that was taken in was found.
static const char *reader_asset_file(const reader *r, const char *name)
{
    for (int i = 0; i < r->scenario->asset_count; i++)
        if (strcmp(r->scenario->assets[i].name, name) == 0) return r->scenario->assets[i].file;
    return name;
}

// Take a named file in; the place on disk, or NULL if it is not there (reported).
static const char *reader_load(reader *r, const char *name, gmc_source source)
{
    if (!name) return NULL;
    const gmc_asset *asset = gmc_scenario_load_asset(r->scenario, name, source, r->report);
    return asset ? asset->file : NULL;
}

// ==== objects, scene, hand =======================================================================
// What there is: objects, scene and clutter, the hand, surfaces and their friction.

// ---- functions of time ------------------------------------------------------------------------

static gmc_curve_spec read_curve(reader *r, const gmc_node *list, const char *path)
{
    gmc_curve_spec curve = {0};
    if (!list || list->kind != GMC_NODE_LIST || list->is_bad) return curve;
    gmc_param *knots = reader_take(r, 2 * list->count, sizeof *knots);
    if (!knots) return curve;
    for (const gmc_node *n = list->first; n; n = n->next) {
        char index[16];
        if (n->kind != GMC_NODE_LIST || n->count != 2) return (gmc_curve_spec){0};
        snprintf(index, sizeof index, "%d", curve.count);
        const char *knot = reader_join(r, path, index);
        knots[2 * curve.count] = reader_enter(r, n->first, reader_join(r, knot, "time"));
        // knots of paths have no bounds, their times begin with the trial
        if (knots[2 * curve.count] >= 0) r->scenario->parameters[knots[2 * curve.count]].lower = 0;
        knots[2 * curve.count + 1] = reader_enter(r, n->last, reader_join(r, knot, "value"));
        curve.count++;
    }
    curve.knots = knots;
    return curve;
}

static void read_curves(reader *r, const gmc_node *map, const char *path,
                        const char *const names[3], gmc_curve_spec curves[3])
{
    for (int k = 0; k < 3; k++)
        curves[k] = read_curve(r, gmc_node_find(map, names[k]), reader_join(r, path, names[k]));
}

// Functions of time under map[key] of a body, whose knots are parameters "path.x.0.time",
// "path.x.0.value", so that a plan can be drawn, studied and ranked like anything else; NULL if it
// says nothing.
static const gmc_course_spec *read_course(reader *r, const gmc_node *map, const char *path,
                                          const char *key, const char *const names[3])
{
    gmc_node *course = gmc_node_find(map, key);
    if (!course || course->kind != GMC_NODE_MAP) return NULL;
    gmc_course_spec *spec = reader_take(r, 1, sizeof *spec);
    if (!spec) return NULL;
    spec->source = course->key_source;
    const char *full = reader_join(r, path, key);
    read_curves(r, course, full, names, spec->curves);
    return spec;
}

// What a controller is asked for that pushes a body in the plane.
static void read_servo(reader *r, const gmc_node *push, const char *path, gmc_course_spec *spec)
{
    static const char *const PLACES[] = {"x", "y", "yaw"};
    gmc_node *servo = gmc_node_find(push, "servo");
    const char *full = reader_join(r, path, "servo");
    spec->has_servo = servo && servo->kind == GMC_NODE_MAP;
    spec->kp = spec->kd = spec->turn_kp = spec->turn_kd = -1;
    if (!spec->has_servo) return;
    reader_fields(r, servo, full, GMC_SCHEMA_SERVO, spec);
    read_curves(r, servo, full, PLACES, spec->wanted);
}

// Forces on a body; in space its `torque` has components of its own.
static const gmc_course_spec *read_push(reader *r, const gmc_node *map, const char *path)
{
    static const char *const FLAT[] = {"x", "y", "torque"}, *const XYZ[] = {"x", "y", "z"};
    bool is_spatial = r->scenario->world == GMC_WORLD_SPATIAL;
    const gmc_course_spec *read = read_course(r, map, path, "push", is_spatial ? XYZ : FLAT);
    if (!read) return NULL;
    gmc_course_spec *spec = reader_take(r, 1, sizeof *spec);
    if (!spec) return NULL;
    *spec = *read;
    gmc_node *push = gmc_node_find(map, "push"), *torque = gmc_node_find(push, "torque");
    const char *full = reader_join(r, path, "push");
    if (!is_spatial) {
        read_servo(r, push, full, spec);
        return spec;
    }
    reader_fields(r, push, full, GMC_SCHEMA_PUSH, spec);
    if (torque && torque->kind == GMC_NODE_MAP)
        read_curves(r, torque, reader_join(r, full, "torque"), XYZ, spec->curves + 3);
    return spec;
}

// ---- planar bodies: outlines and what they lie on ---------------------------------------------

// Vertices of a checked polygon; NULL if it is not good (reported) or the arena is full.
static const gmc_vec2 *read_vertices(reader *r, const gmc_node *list, int *count)
{
    *count = 0;
    if (!list || list->kind != GMC_NODE_LIST) return NULL;
    gmc_vec2 *vertices = reader_take(r, list->count, sizeof *vertices);
    if (!vertices) return NULL;
    for (const gmc_node *n = list->first; n; n = n->next) {
        if (n->kind != GMC_NODE_LIST || n->count != 2) {
            *count = 0;
            return NULL;
        }
        vertices[(*count)++] = (gmc_vec2){n->first->number, n->last->number};
    }
    return vertices;
}

// Coordinates of points, each a parameter "path.0.x", "path.0.y", "path.1.x" ...
static const gmc_param *read_points(reader *r, const gmc_node *list, const char *path, int *count)
{
    static const char *const XY[] = {"x", "y"};
    *count = 0;
    if (!list || list->kind != GMC_NODE_LIST || list->is_bad) return NULL;
    gmc_param *points = reader_take(r, 2 * list->count, sizeof *points);
    if (!points) return NULL;
    for (const gmc_node *n = list->first; n; n = n->next) {
        char index[16];
        snprintf(index, sizeof index, "%d", *count);
        if (n->kind != GMC_NODE_LIST || n->count != 2) {
            *count = 0;
            return NULL;
        }
        const char *point = reader_join(r, path, index);
        const gmc_node *xy[2] = {n->first, n->last};
        for (int k = 0; k < 2; k++)
            points[2 * *count + k] = reader_enter(r, xy[k], reader_join(r, point, XY[k]));
        (*count)++;
    }
    return points;
}

// One coefficient "path", or several "path.0", "path.1" ...
static const gmc_param *read_frictions(reader *r, const gmc_node *node, const char *path,
                                       int *count)
{
    *count = 0;
    if (!node || node->kind == GMC_NODE_MAP) return NULL;
    int room = node->kind == GMC_NODE_LIST ? node->count : 1;
    gmc_param *frictions = reader_take(r, room, sizeof *frictions);
    if (!frictions) return NULL;
    if (node->kind == GMC_NODE_SCALAR) {
        frictions[(*count)++] = reader_enter(r, node, path);
        return frictions;
    }
    for (const gmc_node *n = node->first; n; n = n->next) {
        char index[16];
        gmc_node entry = *n;
        entry.row = node->row;
        snprintf(index, sizeof index, "%d", *count);
        frictions[(*count)++] = reader_enter(r, &entry, reader_join(r, path, index));
    }
    return frictions;
}

// What a body lies on; NULL if it says nothing.
static const gmc_item_support *read_support(reader *r, const gmc_node *map, const char *path)
{
    if (!map || map->kind != GMC_NODE_MAP) return NULL;
    gmc_item_support *f = reader_take(r, 1, sizeof *f);
    if (!f) return NULL;
    const gmc_node *points = gmc_node_find(map, "points"), *disk = gmc_node_find(map, "disk");
    const gmc_node *polygon = gmc_node_find(map, "polygon");
    const char *full = reader_join(r, path, "support");
    f->source = points ? points->source : map->key_source;
    f->points = read_points(r, points, reader_join(r, full, "points"), &f->point_count);
    f->radius = reader_number(r, disk, reader_join(r, full, "disk"), "radius");
    f->vertices = read_vertices(r, polygon, &f->vertex_count);
    f->frictions = read_frictions(r, gmc_node_find(map, "friction"),
                                  reader_join(r, full, "friction"), &f->friction_count);
    reader_fields(r, map, full, GMC_SCHEMA_SUPPORT, f);
    return f;
}

// ---- grasps -----------------------------------------------------------------------------------

// Candidate grasps of an object: the file is read and those that are wanted are chosen. What they
// set is worked out when the hand and all parameters are known (build.c).

// What a claim under `where` may name, in the order of its values.
static const struct {
    const char *name, *unit;
} NAMES[] = {{"confidence", "1"}, {"row", "1"}, {"x", "m"}, {"y", "m"}, {"z", "m"}};

static gmc_expression_found find_claim_name(void *context, const char *name, int *index,
                                            gmc_exponents *exponents)
{
    (void)context;
    for (*index = 0; *index < GMC_COUNT(NAMES); (*index)++) {
        if (strcmp(NAMES[*index].name, name) != 0) continue;
        *exponents = gmc_units_of(NAMES[*index].unit);
        return GMC_EXPRESSION_FOUND;
    }
    return GMC_EXPRESSION_UNKNOWN;
}

static const char *nearest_claim_name(void *context, const char *name)
{
    (void)context;
    gmc_nearest nearest_claim_name = gmc_nearest_start(name);
    for (int i = 0; i < GMC_COUNT(NAMES); i++)
        gmc_nearest_offer(&nearest_claim_name, NAMES[i].name);
    return nearest_claim_name.best;
}

static void read_offset(const gmc_node *map, double offset[6])
{
    static const char *const KEYS[] = {"x", "y", "z", "roll", "pitch", "yaw"};
    for (int i = 0; i < 6; i++) {
        const gmc_node *node = gmc_node_find(map, KEYS[i]);
        offset[i] = node && node->is_number ? node->number : 0;
    }
}

// The claim under `where`; without one nothing is asked. False after a mistake.
static bool read_claim(reader *r, const gmc_node *map, gmc_compiled_criterion *claim)
{
    const gmc_expression_names names = {.find = find_claim_name,
                                        .nearest = nearest_claim_name,
                                        .noun = "name",
                                        .example = "for example confidence > 0.3",
                                        .where = "it may name confidence, row, x, y and z"};
    const gmc_node *node = gmc_node_find(map, "where");
    const gmc_expression *root = NULL;
    *claim = (gmc_compiled_criterion){0};
    if (!node || node->kind != GMC_NODE_SCALAR || node->text[0] == 0) return !node;
    gmc_status status =
        gmc_expression_parse_claim(node, &names, r->scenario->arena, r->report, &root);
    if (status == GMC_OK) status = gmc_expression_compile(root, r->scenario->arena, claim);
    if (status == GMC_E_ARENA_FULL) r->is_arena_full = true;
    return status == GMC_OK;
}

static bool is_wanted(const gmc_grasp_set *set, int row, const gmc_compiled_criterion *claim)
{
    const gmc_grasp *g = &set->grasps.list[row];
    if (!claim->nodes) return true;
    const double values[] = {g->confidence, row, g->position[0], g->position[1], g->position[2]};
    return gmc_criteria_value(claim, values) != 0;
}

static void choose(reader *r, const gmc_node *map, gmc_grasp_set *set)
{
    gmc_compiled_criterion claim;
    const gmc_node *first = gmc_node_find(map, "first"), *where = gmc_node_find(map, "where");
    if (!read_claim(r, map, &claim) || set->grasps.count == 0) return;
    int64_t most = gmc_node_whole(first, set->grasps.count);
    set->rows = malloc((size_t)set->grasps.count * sizeof *set->rows);
    for (int i = 0; set->rows && i < set->grasps.count && set->count < most; i++)
        if (is_wanted(set, i, &claim)) set->rows[set->count++] = i;
    if (!set->rows)
        gmc_diagnostics_add(r->report, GMC_E_MEMORY, set->source, NULL, "no memory");
    else if (set->count == 0)
        gmc_diagnostics_add(r->report, GMC_E_INPUT, where ? where->source : set->source,
                            "graspmc check without it tells what there is",
                            "%.120s: none of %d grasps fulfils this", set->path, set->grasps.count);
}

static void read_file(reader *r, const gmc_node *map, gmc_node *file, gmc_grasp_set *set)
{
    const char *format = reader_text(map, "format");
    set->file = reader_file_name(r, file);
    if (!set->file) return;
    const gmc_asset *asset =
        gmc_scenario_load_asset(r->scenario, set->file, file->source, r->report);
    if (!asset) return; // reported
    set->asset_file = asset->file;
    gmc_status status =
        gmc_grasps_format_read(format ? gmc_grasps_format_find(format) : NULL, asset->file,
                               asset->bytes, asset->size, r->report, &set->grasps);
    if (status == GMC_OK) {
        choose(r, map, set);
        return;
    }
    gmc_grasps_free(&set->grasps);
    if (status == GMC_E_INPUT) return; // reported
    gmc_diagnostics_add(r->report, status, file->source, NULL, "%.200s: %s", set->file,
                        gmc_status_name(status));
}

static struct gmc_grasp_set *read_grasps(reader *r, const gmc_node *item, const char *path,
                                         bool is_object)
{
    gmc_node *map = gmc_node_find(item, "grasps");
    if (!map || map->kind != GMC_NODE_MAP) return NULL;
    if (!is_object) {
        gmc_diagnostics_add(r->report, GMC_E_INPUT, map->key_source, "remove it",
                            "%.120s.grasps: only objects are grasped", path);
        return NULL;
    }
    gmc_grasp_set *set = reader_take(r, 1, sizeof *set);
    if (!set) return NULL;
    const gmc_node *frame = gmc_node_find(map, "frame");
    *set = (gmc_grasp_set){.path = reader_join(r, path, "grasps"), .source = map->key_source};
    reader_fields(r, map, set->path, GMC_SCHEMA_GRASPS, set);
    set->frame_source = frame ? frame->source : map->key_source;
    read_offset(gmc_node_find(map, "gripper"), set->gripper);
    read_offset(gmc_node_find(map, "object"), set->object);
    gmc_node *file = gmc_node_find(map, "file");
    int errors_before = r->report->error_count;
    if (file) read_file(r, map, file, set);
    r->mended += r->report->error_count - errors_before; // models are made without them
    return set;
}

// ---- object, objects, scene -------------------------------------------------------------------

// The blocks `object`, `objects` and `scene`: bodies, their shapes and what else they say.

static void check_item(reader *r, gmc_item_spec *item, bool is_object, const gmc_node *map)
{
    bool moves = is_object || !item->is_fixed;
    const gmc_node *free = gmc_node_find(map, "free");
    if (is_object && free)
        gmc_diagnostics_add(r->report, GMC_E_INPUT, free->key_source,
                            "remove it; bodies that do not move belong into the scene",
                            "%s.free: an object always moves", item->path);
    if (item->kind == GMC_KIND_PLANE && moves)
        gmc_diagnostics_add(r->report, GMC_E_INPUT, item->source,
                            "planes belong into the scene and stay fixed",
                            "%s: a plane cannot move", item->path);
    if (moves && item->kind != GMC_KIND_PLANE && !gmc_node_find(map, "mass") &&
        !gmc_node_find(map, "density")) {
        gmc_diagnostics_add(r->report, GMC_E_INPUT, item->source, "for example mass: 0.2 kg",
                            "%s needs mass or density, for it moves", item->path);
        item->mass = reader_add(r, &(gmc_parameter){.path = reader_join(r, item->path, "mass"),
                                                    .dimension = GMC_DIM_MASS,
                                                    .nominal = 1,
                                                    .lower = DBL_MIN,
                                                    .upper = INFINITY,
                                                    .source = item->source,
                                                    .is_default = true,
                                                    .is_stand_in = true});
        r->mended++;
    }
    if (item->placed_resting && !moves)
        gmc_diagnostics_add(r->report, GMC_E_INPUT, item->source,
                            "remove placed: resting, or add free: true",
                            "%s: a fixed body stays where it is", item->path);
    if (item->push && !moves)
        gmc_diagnostics_add(r->report, GMC_E_INPUT, item->push->source, "add free: true",
                            "%.120s: forces move nothing that is not free", item->path);
}

static void read_shape(reader *r, gmc_node *map, gmc_item_spec *item)
{
    static const struct {
        const char *key;
        gmc_shape_kind kind;
        gmc_schema_group group; // of its numbers; ROOT: it is no map
    } KINDS[] = {{"box", GMC_KIND_BOX, GMC_SCHEMA_ROOT},
                 {"sphere", GMC_KIND_SPHERE, GMC_SCHEMA_SPHERE},
                 {"capsule", GMC_KIND_CAPSULE, GMC_SCHEMA_ROUND},
                 {"cylinder", GMC_KIND_CYLINDER, GMC_SCHEMA_ROUND},
                 {"plane", GMC_KIND_PLANE, GMC_SCHEMA_PLANE},
                 {"mesh", GMC_KIND_MESH, GMC_SCHEMA_ROOT},
                 {"circle", GMC_KIND_CIRCLE, GMC_SCHEMA_SPHERE},
                 {"super_ellipse", GMC_KIND_SUPER_ELLIPSE, GMC_SCHEMA_ELLIPSE},
                 {"polygon", GMC_KIND_POLYGON, GMC_SCHEMA_ROOT}};
    gmc_node *shape = NULL;
    gmc_schema_group group = GMC_SCHEMA_ROOT;
    for (int i = 0; i < GMC_COUNT(KINDS) && !shape; i++) {
        shape = gmc_node_find(map, KINDS[i].key);
        if (!shape) continue;
        item->kind = KINDS[i].kind;
        group = KINDS[i].group;
    }
    if (!shape) return;
    const char *path = reader_join(r, item->path, shape->key);
    if (group != GMC_SCHEMA_ROOT) reader_fields(r, shape, path, group, item);
    if (item->kind == GMC_KIND_BOX) reader_vector(r, map, item->path, "box", item->size);
    if (item->kind == GMC_KIND_MESH) {
        item->mesh = reader_file_name(r, shape);
        item->mesh_file = reader_load(r, item->mesh, shape->source);
        r->mended += item->mesh && !item->mesh_file; // told; something else is touched instead
        item->scale = reader_number(r, map, item->path, "scale");
    }
    if (item->kind == GMC_KIND_POLYGON) {
        item->vertices = read_vertices(r, shape, &item->vertex_count);
        item->vertex_params = read_points(r, shape, path, &item->vertex_count);
        if (item->vertex_count >= 3)
            item->centre = gmc_polygon_measure(item->vertices, item->vertex_count).centroid;
    }
}

static gmc_item_spec empty_item(const gmc_node *map, const char *name, const char *path)
{
    gmc_item_spec item = {.name = name, .path = path, .source = map->key_source, .scale = -1};
    item.mass = item.density = item.thickness = -1;
    for (int i = 0; i < 3; i++)
        item.size[i] = item.com[i] = -1;
    for (int i = 0; i < 6; i++)
        item.inertia[i] = -1;
    return item;
}

static void read_parts(reader *r, const gmc_node *map, gmc_item_spec *item)
{
    if (!map || map->kind != GMC_NODE_MAP) return;
    gmc_item_spec *parts = reader_take(r, map->count, sizeof *parts);
    if (!parts) return;
    const char *prefix = reader_join(r, item->path, "parts");
    for (gmc_node *n = map->first; n; n = n->next) {
        if (n->kind != GMC_NODE_MAP) continue;
        gmc_item_spec *part = &parts[item->part_count++];
        *part = empty_item(n, n->key, reader_join(r, prefix, n->key));
        read_shape(r, n, part);
        part->pose = reader_pose(r, n, part->path, "pose");
    }
    item->parts = parts;
}

static void read_item(reader *r, gmc_node *map, const char *name, const char *path, bool is_object,
                      gmc_item_spec *item)
{
    static const char *const PATH[] = {"x", "y", "yaw"};
    *item = empty_item(map, name, path);
    read_shape(r, map, item);
    read_parts(r, gmc_node_find(map, "parts"), item);
    reader_fields(r, map, path, GMC_SCHEMA_ITEM, item);
    item->course = read_course(r, map, path, "path", PATH);
    item->push = read_push(r, map, path);
    item->support = read_support(r, gmc_node_find(map, "support"), path);
    item->grasps = read_grasps(r, map, path, is_object);
    item->pose = reader_pose(r, map, path, "pose");
    item->is_fixed = !is_object && !reader_bool(map, "free");
    check_item(r, item, is_object, map);
}

// Every map below map as an item "prefix.name"; in the arena.
static void read_items(reader *r, gmc_node *map, const char *prefix, bool is_object,
                       gmc_item_spec **items, int *count)
{
    *items = NULL;
    *count = 0;
    if (!map || map->kind != GMC_NODE_MAP) return;
    *items = reader_take(r, map->count, sizeof **items);
    if (!*items) return;
    for (gmc_node *n = map->first; n; n = n->next)
        if (n->kind == GMC_NODE_MAP)
            read_item(r, n, n->key, reader_join(r, prefix, n->key), is_object,
                      &(*items)[(*count)++]);
}

static void read_objects(reader *r, gmc_node *root)
{
    gmc_scenario *s = r->scenario;
    gmc_node *single = gmc_node_find(root, "object");
    if (!single) {
        gmc_node *objects = gmc_node_find(root, "objects");
        read_items(r, objects, "objects", true, &s->objects, &s->object_count);
        if (objects && objects->count == 0)
            gmc_diagnostics_add(r->report, GMC_E_INPUT, objects->key_source, NULL,
                                "objects: at least one object is needed");
        return;
    }
    if (single->kind != GMC_NODE_MAP) return;
    s->objects = reader_take(r, 1, sizeof *s->objects);
    if (!s->objects) return;
    s->object_count = 1;
    read_item(r, single, "object", "object", true, s->objects);
}

// ---- hand and robots --------------------------------------------------------------------------

// What moves with another joint has no drive, and starts where that is.
static void read_follows(reader *r, const gmc_node *joint, const char *path,
                         gmc_joint_setting *setting)
{
    static const char *const OWN[] = {"follows", "lower",    "upper",
                                      "damping", "friction", "armature"};
    const gmc_node *map = gmc_node_find(joint, "follows");
    gmc_follows *follows = &setting->follows;
    reader_defaults(GMC_SCHEMA_FOLLOWS, follows);
    if (!map || map->kind != GMC_NODE_MAP) return;
    reader_fields(r, map, reader_join(r, path, "follows"), GMC_SCHEMA_FOLLOWS, follows);
    follows->source = map->key_source;
    for (const gmc_node *n = joint->first; n; n = n->next) {
        bool is_own = false;
        for (int i = 0; i < (follows->breakaway < 0 ? 1 : GMC_COUNT(OWN)); i++)
            is_own = is_own || strcmp(n->key, OWN[i]) == 0;
        if (is_own) continue;
        gmc_diagnostics_add(r->report, GMC_E_INPUT, n->key_source,
                            "set that of the joint that it follows",
                            "%.120s.%.40s: the joint follows another", path, n->key);
    }
}

static void read_joints(reader *r, const gmc_node *map, gmc_robot_spec *robot)
{
    if (!map || map->kind != GMC_NODE_MAP) return;
    robot->joints = reader_take(r, map->count, sizeof *robot->joints);
    if (!robot->joints) return;
    for (const gmc_node *n = map->first; n; n = n->next) {
        const char *path = reader_join(r, robot->path, n->key);
        gmc_joint_setting *joint = &robot->joints[robot->joint_count++];
        *joint = (gmc_joint_setting){.joint = n->key, .source = n->key_source};
        reader_fields(r, n, path, GMC_SCHEMA_JOINT, joint);
        const gmc_node *closes = gmc_node_find(n, "closes");
        const char *word = reader_text(n, "closes");
        joint->closes = !word ? 0 : strcmp(word, "upper") == 0 ? 1 : -1;
        joint->closes_at = closes ? closes->source : n->key_source;
        read_follows(r, n, path, joint);
        joint->holds = gmc_node_find(n, "holds") ? reader_bool(n, "holds") : -1;
    }
}

static void read_shares(reader *r, const gmc_node *map, const char *path, gmc_drive_spec *drive)
{
    if (!map || map->kind != GMC_NODE_MAP) return;
    drive->joints = reader_take(r, map->count, sizeof *drive->joints);
    drive->joint_source = reader_take(r, map->count, sizeof *drive->joint_source);
    drive->shares = reader_take(r, map->count, sizeof *drive->shares);
    if (!drive->joints || !drive->joint_source || !drive->shares) return;
    for (const gmc_node *n = map->first; n; n = n->next) {
        gmc_param share = reader_number(r, map, path, n->key);
        if (share < 0) continue;
        drive->joints[drive->joint_count] = n->key;
        drive->joint_source[drive->joint_count] = n->key_source;
        drive->shares[drive->joint_count++] = share;
    }
}

static void read_drives(reader *r, const gmc_node *map, gmc_robot_spec *robot)
{
    if (!map || map->kind != GMC_NODE_MAP) return;
    robot->drives = reader_take(r, map->count, sizeof *robot->drives);
    if (!robot->drives) return;
    const char *all = reader_join(r, robot->path, "drives");
    for (const gmc_node *n = map->first; n; n = n->next) {
        const char *path = reader_join(r, all, n->key);
        gmc_drive_spec *drive = &robot->drives[robot->drive_count++];
        *drive = (gmc_drive_spec){.name = n->key, .source = n->key_source};
        reader_fields(r, n, path, GMC_SCHEMA_DRIVE, drive);
        const char *word = reader_text(n, "closes");
        drive->closes = !word ? 0 : strcmp(word, "upper") == 0 ? 1 : -1;
        read_shares(r, gmc_node_find(n, "joints"), reader_join(r, path, "joints"), drive);
    }
}

static void read_links_surfaces(reader *r, const gmc_node *node, gmc_robot_spec *robot)
{
    if (!node) return;
    if (node->kind == GMC_NODE_SCALAR) {
        robot->surface = node->text;
        return;
    }
    if (node->kind != GMC_NODE_MAP) return;
    robot->surfaces = reader_take(r, node->count, sizeof *robot->surfaces);
    if (!robot->surfaces) return;
    for (const gmc_node *n = node->first; n; n = n->next) {
        if (n->kind != GMC_NODE_SCALAR) continue;
        robot->surfaces[robot->surface_count++] =
            (gmc_surface_setting){.link = n->key, .surface = n->text, .source = n->key_source};
        if (strcmp(n->key, "rest") == 0) robot->surface = n->text;
    }
}

static const char *const *read_names(reader *r, gmc_node *list, bool are_files, int *count)
{
    *count = 0;
    int entries = list && list->kind == GMC_NODE_LIST ? list->count : 0;
    const char **names = reader_take(r, entries + 1, sizeof *names);
    if (!names || entries == 0) return names;
    for (gmc_node *n = list->first; n; n = n->next)
        if (n->kind == GMC_NODE_SCALAR)
            names[(*count)++] = are_files ? reader_file_name(r, n) : n->text;
    return names;
}

// No names are no choice: without the list the program chooses, and no fingers cannot grasp.
static void check_fingers_named(reader *r, const gmc_node *list)
{
    if (!list || list->kind != GMC_NODE_LIST || list->count > 0) return;
    gmc_diagnostics_add(r->report, GMC_E_INPUT, list->source,
                        "name joints that `close` and `open` move, [left_joint, right_joint], or "
                        "leave the line out: then those that bend fingers",
                        "hand.fingers is empty");
}

// The file of a hand, under one of two keys.
static gmc_node *description_of(gmc_node *map, bool *is_mjcf)
{
    gmc_node *mjcf = gmc_node_find(map, "mjcf");
    *is_mjcf = mjcf != NULL;
    return mjcf ? mjcf : gmc_node_find(map, "urdf");
}

// What every articulated model has, from a map that is one.
// @param group  its keys
static void read_robot(reader *r, gmc_node *map, gmc_schema_group group, gmc_robot_spec *robot)
{
    int folder_count = 0;
    robot->package_path = read_names(r, gmc_node_find(map, "package_path"), true, &folder_count);
    robot->carrier = -1;
    robot->node = map;
    robot->source = map->key_source;
    reader_fields(r, map, robot->path, group, robot);
    gmc_node *urdf = description_of(map, &robot->is_mjcf);
    robot->urdf = reader_file_name(r, urdf);
    robot->urdf_file = reader_load(r, robot->urdf, urdf ? urdf->source : map->source);
    read_links_surfaces(r, gmc_node_find(map, "surface"), robot);
    read_joints(r, gmc_node_find(map, "joints"), robot);
    read_drives(r, gmc_node_find(map, "drives"), robot);
    robot->pose = reader_pose(r, map, robot->path, "pose");
    const gmc_node *mounted = gmc_node_find(map, "mounted_on");
    robot->mounted_at = mounted ? mounted->source : map->key_source;
    if (robot->mounted_on) robot->is_mounted = true;
}

// A hand that a robot carries is where that is. (A stored scenario has the pose of 0 that stands for
// none.)
static void check_hand_placed(reader *r, const gmc_node *map, const gmc_robot_spec *hand)
{
    const gmc_node *target = gmc_node_find(map, "target");
    bool is_elsewhere = false;
    for (const gmc_node *n = target ? target->first : NULL; n; n = n->next)
        is_elsewhere = is_elsewhere || !n->is_number || n->number != 0;
    if (!hand->mounted_on || !is_elsewhere) return;
    gmc_diagnostics_add(r->report, GMC_E_INPUT, target->key_source,
                        "leave target out; hand.pose is the pose in the link that carries it",
                        "hand.target: the hand is where %.80s carries it", hand->mounted_on);
}

static void read_hand(reader *r, gmc_node *map)
{
    gmc_robot_spec *hand = &r->scenario->hand;
    hand->name = hand->path = "hand";
    hand->carrier = -1;
    hand->pose = (gmc_pose_spec){-1, -1, -1, -1, -1, -1};
    hand->title = "the hand";
    hand->target = (gmc_pose_spec){-1, -1, -1, -1, -1, -1};
    hand->fingers = read_names(r, gmc_node_find(map, "fingers"), false, &hand->finger_count);
    check_fingers_named(r, gmc_node_find(map, "fingers"));
    if (!map || map->kind != GMC_NODE_MAP) return;
    read_robot(r, map, GMC_SCHEMA_HAND, hand);
    const gmc_node *frame = gmc_node_find(map, "frame");
    hand->frame_source = frame ? frame->source : map->key_source;
    hand->target = reader_pose(r, map, "hand", "target");
    check_hand_placed(r, map, hand);
}

static void read_robots(reader *r, gmc_node *map)
{
    gmc_scenario *s = r->scenario;
    if (!map || map->kind != GMC_NODE_MAP) return;
    s->robots = reader_take(r, map->count, sizeof *s->robots);
    if (!s->robots) return;
    for (gmc_node *n = map->first; n; n = n->next) {
        if (n->kind != GMC_NODE_MAP) continue;
        gmc_robot_spec *robot = &s->robots[s->robot_count++];
        char title[80];
        snprintf(title, sizeof title, "robot %.60s", n->key);
        *robot = (gmc_robot_spec){.name = n->key,
                                  .path = reader_join(r, "robots", n->key),
                                  .title = gmc_arena_text(s->arena, title),
                                  .target = {-1, -1, -1, -1, -1, -1}};
        if (!robot->title) r->is_arena_full = true;
        read_robot(r, n, GMC_SCHEMA_ROBOT, robot);
        if (gmc_node_find(gmc_node_find(s->tree, "scene"), n->key))
            gmc_diagnostics_add(r->report, GMC_E_INPUT, n->key_source, "choose another name",
                                "robots.%.80s: a body of the scene is called so", n->key);
    }
}

// ---- mounting ---------------------------------------------------------------------------------

// What ROBOT/LINK names; -1 (reported) where that is no robot, or it says no link.
static int find_carrier(reader *r, gmc_robot_spec *robot)
{
    const gmc_scenario *s = r->scenario;
    const char *slash = strchr(robot->mounted_on, '/');
    size_t length = slash ? (size_t)(slash - robot->mounted_on) : strlen(robot->mounted_on);
    gmc_nearest nearest = gmc_nearest_start(robot->mounted_on);
    robot->carrier_link = slash && slash[1] ? slash + 1 : NULL;
    for (int i = 0; i < s->robot_count; i++) {
        const char *name = s->robots[i].name;
        gmc_nearest_offer(&nearest, name);
        if (strlen(name) != length || strncmp(name, robot->mounted_on, length) != 0) continue;
        if (robot->carrier_link) return i;
        gmc_diagnostics_add(r->report, GMC_E_INPUT, robot->mounted_at, "write  ROBOT/LINK",
                            "%s.mounted_on: %.80s names no link of the robot", robot->path,
                            robot->mounted_on);
        return -1;
    }
    char hint[160];
    const char *best = nearest.best ? nearest.best : s->robot_count > 0 ? s->robots[0].name : NULL;
    snprintf(hint, sizeof hint, "add  robots: {%.60s: {urdf: ...}}", "arm");
    if (best) snprintf(hint, sizeof hint, "did you mean %.60s/LINK?", best);
    gmc_diagnostics_add(r->report, GMC_E_INPUT, robot->mounted_at, hint,
                        strncmp(robot->mounted_on, "hand/", 5) == 0
                            ? "%s.mounted_on: nothing is carried by the hand: %.80s"
                            : "%s.mounted_on: there is no robot for %.80s",
                        robot->path, robot->mounted_on);
    return -1;
}

// The robots from one to itself again, "a, b, a".
static void report_circle(reader *r, int first)
{
    const gmc_robot_spec *robots = r->scenario->robots;
    char list[240];
    size_t used = (size_t)snprintf(list, sizeof list, "%.40s", robots[first].name);
    for (int i = robots[first].carrier; used < sizeof list - 48; i = robots[i].carrier) {
        used += (size_t)snprintf(list + used, sizeof list - used, " on %.40s", robots[i].name);
        if (i == first) break;
    }
    gmc_diagnostics_add(r->report, GMC_E_INPUT, robots[first].mounted_at,
                        "one of them stands on the ground: leave its mounted_on out",
                        "robots are mounted in a circle: %s", list);
}

static bool is_in_circle(const gmc_scenario *s, int robot)
{
    int up = s->robots[robot].carrier;
    for (int steps = 0; up >= 0 && up != robot && steps <= s->robot_count; steps++)
        up = s->robots[up].carrier;
    return up == robot;
}

// Circles are told once, and cut, so that what follows meets none.
static void cut_circles(reader *r)
{
    gmc_scenario *s = r->scenario;
    for (int i = 0; i < s->robot_count; i++) {
        if (!is_in_circle(s, i)) continue;
        report_circle(r, i);
        s->robots[i].carrier = -1;
    }
}

// Each robot behind the one that carries it, else in the order of the file.
static void sort_by_carrier(reader *r)
{
    gmc_scenario *s = r->scenario;
    gmc_robot_spec *sorted = reader_take(r, s->robot_count, sizeof *sorted);
    int *place = reader_take(r, s->robot_count, sizeof *place), count = 0;
    if (!sorted || !place) return;
    for (int i = 0; i < s->robot_count; i++)
        place[i] = -1;
    while (count < s->robot_count)
        for (int i = 0; i < s->robot_count; i++) {
            int on = s->robots[i].carrier;
            if (place[i] >= 0 || (on >= 0 && place[on] < 0)) continue;
            sorted[count] = s->robots[i];
            sorted[count].carrier = on < 0 ? -1 : place[on];
            place[i] = count++;
        }
    if (s->hand.carrier >= 0) s->hand.carrier = place[s->hand.carrier];
    s->robots = sorted;
}

// Who carries whom.
static void reader_mounts(reader *r)
{
    gmc_scenario *s = r->scenario;
    for (int i = 0; i < s->robot_count; i++)
        if (s->robots[i].mounted_on) s->robots[i].carrier = find_carrier(r, &s->robots[i]);
    if (s->hand.mounted_on) s->hand.carrier = find_carrier(r, &s->hand);
    cut_circles(r);
    sort_by_carrier(r);
}

// ---- clutter ----------------------------------------------------------------------------------

static void read_clutter(reader *r, gmc_node *map)
{
    gmc_clutter_spec *clutter = &r->scenario->clutter;
    if (!map || map->kind != GMC_NODE_MAP) return;
    const gmc_node *bodies = gmc_node_find(map, "bodies"), *count = gmc_node_find(map, "count");
    clutter->source = map->key_source;
    read_items(r, gmc_node_find(map, "kinds"), "clutter.kinds", true, &clutter->kinds,
               &clutter->kind_count);
    reader_fields(r, map, "clutter", GMC_SCHEMA_CLUTTER, clutter);
    if (!bodies || !bodies->is_number || clutter->kind_count == 0 || clutter->from[0] < 0 ||
        clutter->to[0] < 0 || clutter->gap < 0 || clutter->arrangement < 0)
        return; // reported, but for an empty list of kinds
    clutter->bodies = (int)gmc_node_whole(bodies, 0);
    clutter->count = reader_add(
        r, &(gmc_parameter){.path = "clutter.count",
                            .nominal = count && count->is_number ? count->number : bodies->number,
                            .upper = bodies->number,
                            .source = count ? count->source : bodies->source,
                            .is_default = !count});
    if (clutter->count < 0) clutter->bodies = 0;
    if (count && count->is_number && count->number > bodies->number)
        gmc_diagnostics_add(r->report, GMC_E_INPUT, count->source, "raise clutter.bodies",
                            "clutter.count: %g bodies, but clutter.bodies is %d", count->number,
                            clutter->bodies);
}

// ---- surfaces ---------------------------------------------------------------------------------

// The block `surfaces`, with an entry for every surface that something is only said to have.

static void name_surface(reader *r, gmc_node *surfaces, const char *name, gmc_source source)
{
    if (!name || gmc_node_find(surfaces, name)) return;
    gmc_node *entry = gmc_node_create(r->scenario->arena, GMC_NODE_MAP, source);
    if (!entry) {
        r->is_arena_full = true;
        return;
    }
    entry->is_default = true;
    gmc_node_append(surfaces, name, source, entry);
}

// The block, made if nobody wrote it; NULL without memory.
static gmc_node *block_of(reader *r, gmc_node *root)
{
    gmc_node *surfaces = gmc_node_find(root, "surfaces");
    if (surfaces) return surfaces;
    surfaces = gmc_node_create(r->scenario->arena, GMC_NODE_MAP, root->source);
    if (!surfaces) return NULL;
    surfaces->row = gmc_schema_find(GMC_SCHEMA_ROOT, "surfaces");
    surfaces->is_default = true;
    gmc_node_append(root, "surfaces", root->source, surfaces);
    return surfaces;
}

static int had_count(const gmc_scenario *s)
{
    int count =
        s->object_count + s->scene_count + s->clutter.kind_count + s->hand.surface_count + 1;
    for (int i = 0; i < s->robot_count; i++)
        count += s->robots[i].surface_count + 1;
    return count;
}

// The i-th surface that something is said to have; NULL: nothing is said there.
static const char *had(const gmc_scenario *s, int i, gmc_source *source)
{
    const gmc_item_spec *items[] = {s->objects, s->scene};
    int counts[] = {s->object_count, s->scene_count};
    for (int k = 0; k < GMC_COUNT(items); i -= counts[k], k++) {
        if (i >= counts[k]) continue;
        *source = items[k][i].source;
        return items[k][i].surface;
    }
    if (i < s->clutter.kind_count) {
        *source = s->clutter.kinds[i].source;
        return s->clutter.kinds[i].surface;
    }
    i -= s->clutter.kind_count;
    const gmc_robot_spec *robot = &s->hand;
    for (int k = 0; i > robot->surface_count; k++) {
        i -= robot->surface_count + 1;
        robot = &s->robots[k];
    }
    *source = i == 0 ? robot->source : robot->surfaces[i - 1].source;
    return i == 0 ? robot->surface : robot->surfaces[i - 1].surface;
}

static void name_all(reader *r, gmc_node *surfaces)
{
    gmc_source source;
    for (int i = 0; i < had_count(r->scenario); i++) {
        const char *name = had(r->scenario, i, &source);
        name_surface(r, surfaces, name, source);
    }
}

// Was something left out below, that had to be there?
static bool is_incomplete(const gmc_node *node)
{
    if (node->is_stand_in && node->is_default) return true;
    for (const gmc_node *n = node->first; n; n = n->next)
        if (is_incomplete(n)) return true;
    return false;
}

// An entry that is incomplete may be one with a misspelt name. (Of those that are complete
// build.c warns, which knows what the links of the hand have.)
static void check_name(reader *r, const gmc_node *entry)
{
    gmc_nearest nearest = gmc_nearest_start(entry->key);
    gmc_source source;
    if (!is_incomplete(entry)) return;
    for (int i = 0; i < had_count(r->scenario); i++) {
        const char *name = had(r->scenario, i, &source);
        if (name && strcmp(name, entry->key) == 0) return;
        if (name) gmc_nearest_offer(&nearest, name);
    }
    if (!nearest.best) return; // what has it may be a mistake, too
    char hint[120];
    snprintf(hint, sizeof hint, "did you mean %.80s?", nearest.best);
    gmc_diagnostics_add(r->report, GMC_E_INPUT, entry->key_source, hint,
                        "surfaces.%.80s: nothing has this surface", entry->key);
}

static void read_surface(reader *r, const gmc_node *n, gmc_surface_spec *surface)
{
    const char *path = reader_join(r, "surfaces", n->key);
    *surface = (gmc_surface_spec){.name = n->key};
    reader_fields(r, n, path, GMC_SCHEMA_SURFACE, surface);
    reader_fields(r, gmc_node_find(n, "pad"), reader_join(r, path, "pad"), GMC_SCHEMA_PAD, surface);
    reader_vector(r, n, path, "grain", surface->grain);
}

// Every surface that something has gets an entry, so that its properties have paths.
static gmc_status read_surfaces(reader *r, gmc_node *root)
{
    gmc_scenario *s = r->scenario;
    gmc_node *surfaces = block_of(r, root);
    if (!surfaces) return GMC_E_ARENA_FULL;
    if (surfaces->kind != GMC_NODE_MAP) return GMC_OK;
    name_all(r, surfaces);
    s->surfaces = reader_take(r, surfaces->count, sizeof *s->surfaces);
    if (!s->surfaces) return GMC_E_ARENA_FULL;
    for (gmc_node *n = surfaces->first; n; n = n->next) {
        if (n->is_default)
            GMC_TRY(gmc_validate_part(n, GMC_SCHEMA_SURFACE, "surfaces", r->report, s->arena));
        else
            check_name(r, n);
        read_surface(r, n, &s->surfaces[s->surface_count++]);
    }
    return GMC_OK;
}

// ---- friction ---------------------------------------------------------------------------------

// The block `friction`: one number a pair, or a map of coefficients.

/// What the pairs of a block are held against.
typedef struct surfaces {
    gmc_lookup known; ///< indices into the scenario's surfaces by name
    int idle;         ///< names in pairs that nothing has, so far
} surfaces;

// Index of a surface of the scenario; -1: nothing is called so.
static int find_surface(const reader *r, const surfaces *all, const char *name)
{
    for (int at = 0, i; (i = gmc_lookup_next(&all->known, gmc_lookup_hash(0, name), &at)) >= 0;)
        if (strcmp(r->scenario->surfaces[i].name, name) == 0) return i;
    return -1;
}

static void check_is_surface(reader *r, surfaces *all, const char *name, const gmc_node *pair)
{
    if (r->report->error_count > 0) return; // bodies may be missing
    if (find_surface(r, all, name) >= 0) return;
    // what a file of `use` brings along, a table of materials say, serves other scenarios too
    if (strcmp(pair->key_source.file, r->scenario->file) != 0) return;
    gmc_nearest nearest = gmc_nearest_start(name);
    for (int i = 0; i < r->scenario->surface_count && all->idle < GMC_DIAGNOSTICS_SHOWN; i++)
        gmc_nearest_offer(&nearest, r->scenario->surfaces[i].name);
    all->idle++;
    char hint[120];
    snprintf(hint, sizeof hint, "did you mean %.80s?", nearest.best ? nearest.best : "");
    gmc_diagnostics_add(r->report, GMC_OK, pair->key_source, nearest.best ? hint : NULL,
                        "friction.%.80s: nothing has the surface %.40s", pair->key, name);
}

static bool has_grain(const reader *r, const surfaces *all, const char *name)
{
    int i = find_surface(r, all, name);
    return i >= 0 && r->scenario->surfaces[i].grain[0] >= 0;
}

static void read_coefficients(reader *r, const surfaces *all, const gmc_node *map,
                              gmc_friction_spec *f)
{
    const char *path = reader_join(r, "friction", map->key);
    const gmc_node *rest = gmc_node_find(map, "static"), *across = gmc_node_find(map, "across");
    if (rest) f->friction = reader_enter(r, rest, path);
    reader_fields(r, map, path, GMC_SCHEMA_FRICTION, f);
    if (!across || has_grain(r, all, f->a) || has_grain(r, all, f->b)) return;
    char hint[160];
    snprintf(hint, sizeof hint, "surfaces: {%.60s: {grain: x}}", f->a);
    gmc_diagnostics_add(r->report, GMC_E_INPUT, across->key_source, hint,
                        "%.120s.across: neither %.60s nor %.60s has a grain", path, f->a, f->b);
}

static void read_pairs(reader *r, surfaces *all, const gmc_node *map)
{
    gmc_scenario *s = r->scenario;
    for (const gmc_node *n = map->first; n; n = n->next) {
        const char *slash = strchr(n->key, '/');
        if (!slash) continue;
        char *a = reader_take(r, (int)(slash - n->key) + 1, 1);
        if (!a) return;
        memcpy(a, n->key, (size_t)(slash - n->key));
        gmc_friction_spec *f = &s->frictions[s->friction_count++];
        *f = (gmc_friction_spec){.a = a, .b = slash + 1, .friction = -1, .source = n->key_source};
        reader_defaults(GMC_SCHEMA_FRICTION, f);
        if (n->kind == GMC_NODE_MAP)
            read_coefficients(r, all, n, f);
        else if (n->kind == GMC_NODE_SCALAR)
            f->friction = reader_enter(r, n, reader_join(r, "friction", n->key));
        check_is_surface(r, all, f->a, n);
        if (strcmp(f->a, f->b) != 0) check_is_surface(r, all, f->b, n);
    }
}

static void read_friction(reader *r, const gmc_node *map)
{
    gmc_scenario *s = r->scenario;
    if (!map || map->kind != GMC_NODE_MAP) return;
    s->frictions = reader_take(r, map->count, sizeof *s->frictions);
    if (!s->frictions) return;
    surfaces all = {.idle = 0};
    bool is_kept = true;
    for (int i = 0; i < s->surface_count && is_kept; i++)
        is_kept = gmc_lookup_add(&all.known, gmc_lookup_hash(0, s->surfaces[i].name), i) == GMC_OK;
    if (is_kept)
        read_pairs(r, &all, map);
    else
        r->is_arena_full = true; // no memory: said as such
    gmc_lookup_free(&all.known);
}

// Blocks of the root, in the order in which they are read; each is passed over if it is not there.
// @return GMC_OK, GMC_E_ARENA_FULL
static gmc_status reader_bodies(reader *r, gmc_node *root)
{
    gmc_scenario *s = r->scenario;
    read_objects(r, root);
    read_hand(r, gmc_node_find(root, "hand"));
    read_robots(r, gmc_node_find(root, "robots"));
    reader_mounts(r);
    read_items(r, gmc_node_find(root, "scene"), "scene", false, &s->scene, &s->scene_count);
    read_clutter(r, gmc_node_find(root, "clutter"));
    GMC_TRY(read_surfaces(r, root));
    int errors_else = r->report->error_count - r->mended; // models are made without it
    read_friction(r, gmc_node_find(root, "friction"));
    r->mended = r->report->error_count - errors_else;
    return GMC_OK;
}

// ==== planar worlds ==============================================================================
// Planar worlds: everything stays in the plane z = 0. Keys that leave it have been refused by the
// table (gmc_schema_row.worlds); here are the numbers that would, and what means nothing there.

static void complain_of_plane(reader *r, gmc_source source, const char *hint, const char *path,
                              const char *what)
{
    gmc_diagnostics_add(r->report, GMC_E_INPUT, source, hint, "%.120s: %s", path, what);
}

// The z of a vector, if it is a number other than 0.
static const gmc_node *third(const gmc_node *list)
{
    if (!list || list->kind != GMC_NODE_LIST || list->count != 3) return NULL;
    return list->last->is_number && list->last->number != 0 ? list->last : NULL;
}

static void check_in_plane(reader *r, const gmc_node *list, const char *path)
{
    const gmc_node *z = third(list);
    if (z) complain_of_plane(r, z->source, "[x, y, 0]", path, "points out of the plane z = 0");
}

// ---- bodies -----------------------------------------------------------------------------------

static void check_planar_item(reader *r, const gmc_item_spec *item, const gmc_node *map)
{
    bool is_thick = item->kind == GMC_KIND_CIRCLE || item->kind == GMC_KIND_SUPER_ELLIPSE ||
                    item->kind == GMC_KIND_POLYGON;
    const gmc_node *thickness = gmc_node_find(map, "thickness");
    const gmc_node *density = gmc_node_find(map, "density");
    const gmc_node *inertia = gmc_node_find(map, "inertia");
    if (density && is_thick && !thickness)
        complain_of_plane(r, density->key_source, "for example thickness: 6 mm", item->path,
                          "density needs a thickness");
    if (thickness && !is_thick && item->kind != GMC_KIND_NONE)
        complain_of_plane(r, thickness->key_source, "leave it out", item->path,
                          "its shape is solid and has its thickness already");
    check_in_plane(r, gmc_node_find(map, "com"), reader_join(r, item->path, "com"));
    if (!inertia || inertia->kind != GMC_NODE_LIST || inertia->count != 6) return;
    const gmc_node *xz = inertia->last->is_number ? inertia->first : NULL;
    for (int i = 0; xz && i < 4; i++)
        xz = xz->next;
    if (xz && (xz->number != 0 || xz->next->number != 0))
        complain_of_plane(r, inertia->source, "xz and yz are 0",
                          reader_join(r, item->path, "inertia"),
                          "z must be a principal axis, or the body would turn out of the plane");
}

static double nominal_value(const reader *r, gmc_param param)
{
    return param >= 0 ? r->scenario->parameters[param].nominal : 0;
}

// Is the centre of mass inside the triangle of three points, whichever way they run?
static bool is_around(const reader *r, const gmc_item_spec *item)
{
    gmc_vec2 com = item->centre, p[3];
    if (item->com[0] >= 0)
        com = (gmc_vec2){nominal_value(r, item->com[0]), nominal_value(r, item->com[1])};
    for (int i = 0; i < 3; i++)
        p[i] = gmc_vec2_sub((gmc_vec2){nominal_value(r, item->support->points[2 * i]),
                                       nominal_value(r, item->support->points[2 * i + 1])},
                            com);
    double a = gmc_vec2_cross(p[0], p[1]), b = gmc_vec2_cross(p[1], p[2]);
    double c = gmc_vec2_cross(p[2], p[0]);
    return (a > 0 && b > 0 && c > 0) || (a < 0 && b < 0 && c < 0);
}

static void check_support(reader *r, const gmc_item_spec *item, const gmc_node *map)
{
    const gmc_node *support = gmc_node_find(map, "support");
    const gmc_item_support *f = item->support;
    if (!support || !f) return;
    const char *path = reader_join(r, item->path, "support");
    if (r->scenario->world == GMC_WORLD_PLANAR)
        complain_of_plane(r, support->key_source, "world: planar-support", path,
                          "gravity lies in the plane and presses nothing on it");
    if (item->is_fixed)
        complain_of_plane(r, support->key_source, "remove it, or add free: true", path,
                          "a fixed body needs nothing to lie on");
    const gmc_node *friction = gmc_node_find(support, "friction");
    if (friction && friction->kind == GMC_NODE_LIST && f->friction_count != f->point_count)
        complain_of_plane(r, friction->source, "one coefficient for each of the points", path,
                          "as many coefficients as points are needed");
    if (f->point_count == 3 && !is_around(r, item))
        complain_of_plane(r, f->source, "move the points until they surround it",
                          reader_join(r, path, "points"),
                          "the centre of mass lies outside of the triangle");
}

static void check_courses(reader *r, const gmc_item_spec *item, bool is_object)
{
    if (item->course && is_object)
        complain_of_plane(r, item->course->source, "bodies that are driven belong into the scene",
                          item->path, "an object moves freely and follows no path");
    else if (item->course && !item->is_fixed)
        complain_of_plane(r, item->course->source, "remove free: true", item->path,
                          "a body on a path does not move freely");
}

static void check_items(reader *r, const gmc_item_spec *items, int count, const gmc_node *maps)
{
    for (int i = 0; i < count; i++) {
        const gmc_node *map = gmc_node_find(maps, items[i].name);
        check_planar_item(r, &items[i], map);
        check_support(r, &items[i], map);
        check_courses(r, &items[i], items == r->scenario->objects);
    }
}

// ---- motion -----------------------------------------------------------------------------------

static bool is_about_z(const gmc_node *axis)
{
    if (axis->kind == GMC_NODE_SCALAR) return strchr(axis->text, 'z') != NULL;
    if (axis->count != 3) return true; // reported
    return axis->first->number == 0 && axis->first->next->number == 0;
}

static void check_axis(reader *r, const gmc_node *axis, bool is_turn, const char *path)
{
    if (!axis) return;
    if (is_turn && !is_about_z(axis))
        complain_of_plane(r, axis->source, "z or -z", path, "turns out of the plane z = 0");
    if (is_turn) return;
    bool is_out =
        axis->kind == GMC_NODE_SCALAR ? strchr(axis->text, 'z') != NULL : third(axis) != NULL;
    if (is_out)
        complain_of_plane(r, axis->source, "x, y or [x, y, 0]", path, "leaves the plane z = 0");
}

static void check_phase(reader *r, const gmc_node *phase)
{
    const gmc_node *body = phase->kind == GMC_NODE_MAP ? phase->first : NULL;
    if (!body || body->kind != GMC_NODE_MAP) return;
    const char *kind = body->key;
    if (strcmp(kind, "lift") == 0 && r->scenario->world == GMC_WORLD_PLANAR_SUPPORT)
        complain_of_plane(r, body->key_source, "use move: {by: [x, y, 0], in: ...}", kind,
                          "seen from above nothing is lifted");
    if (strcmp(kind, "move") == 0) check_in_plane(r, gmc_node_find(body, "by"), "move.by");
    if (strcmp(kind, "turn") == 0) check_axis(r, gmc_node_find(body, "axis"), true, "turn.axis");
    if (strcmp(kind, "pull") == 0) check_axis(r, gmc_node_find(body, "axis"), false, "pull.axis");
    if (strcmp(kind, "shake") == 0) {
        check_axis(r, gmc_node_find(body, "axis"), false, "shake.axis");
        check_axis(r, gmc_node_find(body, "about"), true, "shake.about");
    }
}

// ---- measures ---------------------------------------------------------------------------------

static void check_measures(reader *r, const gmc_expression *e)
{
    if (!e) return;
    check_measures(r, e->left);
    check_measures(r, e->right);
    if (e->op != GMC_OP_MEASURE) return;
    bool is_above = r->scenario->world == GMC_WORLD_PLANAR_SUPPORT;
    if (e->measure == GMC_MEASURE_TILTED)
        complain_of_plane(r, e->source, "use turned(...)", "tilted",
                          "what moves in the plane z = 0 turns about z alone");
    if (is_above && (e->measure == GMC_MEASURE_LIFT || e->measure == GMC_MEASURE_HEIGHT))
        complain_of_plane(r, e->source, "use moved(...) or distance(...)",
                          gmc_measure_infos[e->measure].name,
                          "seen from above nothing has a height");
}

static void check_gravity(reader *r, const gmc_node *gravity)
{
    const gmc_node *z = third(gravity);
    if (!z) return;
    if (r->scenario->world == GMC_WORLD_PLANAR)
        complain_of_plane(r, z->source, "gravity that presses on a support: world: planar-support",
                          "gravity", "must lie in the plane z = 0");
    else if (z->number > 0)
        complain_of_plane(r, z->source, "[0 m/s2, 0 m/s2, -9.81 m/s2]", "gravity",
                          "must press on the support, along -z");
}

// After everything else: what leaves the plane of a planar world, and what only makes sense there.
static void reader_planar(reader *r, const gmc_node *root)
{
    const gmc_scenario *s = r->scenario;
    if (s->world == GMC_WORLD_SPATIAL) return;
    const gmc_node *objects = gmc_node_find(root, "objects");
    check_items(r, s->objects, s->object_count, objects ? objects : root);
    check_items(r, s->scene, s->scene_count, gmc_node_find(root, "scene"));
    check_gravity(r, gmc_node_find(root, "gravity"));
    const gmc_node *program = gmc_node_find(root, "program");
    if (program && program->kind == GMC_NODE_LIST)
        for (const gmc_node *n = program->first; n; n = n->next)
            check_phase(r, n);
    for (int i = 0; i < s->at_end_count; i++)
        check_measures(r, s->at_end[i].expression);
    for (int i = 0; i < s->always_count; i++)
        check_measures(r, s->always[i].expression);
}

// ==== program and success ========================================================================
// Phases: what each kind means in terms of gmc_phase_spec, and the few rules that no single key can
// state.

static double value_of(const reader *r, gmc_param param)
{
    bool is_known = param >= 0 && !r->scenario->parameters[param].is_stand_in;
    return is_known ? r->scenario->parameters[param].nominal : 0;
}

static void complain(reader *r, const gmc_node *node, const char *hint, const char *what)
{
    gmc_diagnostics_add(r->report, GMC_E_INPUT, node->source, hint, "%s", what);
}

// Does what was written fit a joint position that must be a length (or an angle) here?
static void expect_dimension(reader *r, const gmc_node *map, const char *key, gmc_param param,
                             gmc_dimension dimension)
{
    const gmc_node *node = gmc_node_find(map, key);
    if (node && param >= 0) gmc_scenario_settle(r->scenario, param, dimension, r->report);
}

static void check_close(reader *r, const gmc_node *map, const gmc_phase_spec *p)
{
    const gmc_node *in = gmc_node_find(map, "in");
    if (in && p->force >= 0)
        complain(r, in, "for: is how long the phase lasts, ramp: how long the force grows",
                 "close: in: means nothing with force:, a force reaches no position");
}

static void read_move(reader *r, const gmc_node *map, const char *path, gmc_phase_spec *p)
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
        p->by[0] = reader_number(r, map, path, "by");
    else
        reader_vector(r, map, path, "by", p->by);
}

static void read_shake(reader *r, const gmc_node *map, const char *path, gmc_phase_spec *p)
{
    p->angle = p->is_rotation ? p->amplitude : -1;
    p->ramp = reader_number(r, map, path, "ramp");
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

// Positions of joints are parameters "program.0.move_to.joints.j1", places that they pass
// "program.0.move_to.joints.j1.0.time" and ".value".
static void read_goals(reader *r, const gmc_node *map, const char *path, gmc_phase_spec *p)
{
    const gmc_node *joints = gmc_node_find(map, "joints");
    if (!joints || joints->kind != GMC_NODE_MAP) return;
    gmc_goal_spec *goals = reader_take(r, joints->count, sizeof *goals);
    if (!goals) return;
    const char *full = reader_join(r, path, "joints");
    for (gmc_node *n = joints->first; n; n = n->next) {
        gmc_goal_spec goal = {.joint = n->key, .source = n->key_source, .to = -1};
        const char *own = reader_join(r, full, n->key);
        if (n->kind == GMC_NODE_LIST)
            goal.through = read_curve(r, n, own);
        else
            goal.to = reader_enter(r, n, own);
        goals[p->goal_count++] = goal;
    }
    p->goals = goals;
    if (p->goal_count == 0)
        complain(r, joints, "for example joints: {j1: 10 deg}", "move_to: no joint is named");
}

// Joints that pass places do so at the same times, all of them.
static void check_goals(reader *r, const gmc_node *map, const gmc_phase_spec *p)
{
    const gmc_node *in = gmc_node_find(map, "in");
    for (int i = 0; i < p->goal_count; i++) {
        const gmc_goal_spec *goal = &p->goals[i], *first = &p->goals[0];
        bool is_table = goal->through.count > 0;
        if (goal->to < 0 && !is_table) return; // reported
        bool is_same = goal->through.count == first->through.count;
        for (int k = 0; is_same && k < goal->through.count; k++)
            is_same =
                value_of(r, goal->through.knots[2 * k]) == value_of(r, first->through.knots[2 * k]);
        if (!is_same)
            gmc_diagnostics_add(r->report, GMC_E_INPUT, goal->source,
                                "give all joints of the phase the same times, or one position each",
                                "move_to: joint %s passes its places at other times than joint %s",
                                goal->joint, first->joint);
        if (is_table && !(value_of(r, goal->through.knots[0]) > 0))
            gmc_diagnostics_add(r->report, GMC_E_INPUT, goal->source,
                                "the motion starts where the joint is: leave the place at 0 s out",
                                "move_to: the first time of joint %s must be > 0", goal->joint);
    }
    bool is_table = p->goal_count > 0 && p->goals[0].through.count > 0;
    if (is_table && in)
        complain(r, in, "leave in: out", "move_to: the places have times, in: means nothing");
    const gmc_node *reach = gmc_node_find(map, "reach");
    if (reach && p->is_planned && (is_table || p->is_straight))
        complain(r, reach, "leave reach out",
                 is_table ? "move_to: what goes through places is not planned"
                          : "move_to: a straight line goes around nothing");
    if (!is_table && !in)
        gmc_diagnostics_add(r->report, GMC_E_INPUT, p->source, "for example in: 1 s",
                            "move_to: how long it lasts is missing: in");
}

static void read_move_to(reader *r, const gmc_node *map, const char *path, gmc_phase_spec *p)
{
    p->has_pose = gmc_node_find(map, "pose") != NULL;
    if (p->has_pose) p->pose = reader_pose(r, map, path, "pose");
    read_goals(r, map, path, p);
    check_goals(r, map, p);
}

static void read_set(reader *r, const gmc_node *map, const char *path, gmc_phase_spec *p)
{
    p->sets = reader_take(r, map->count, sizeof *p->sets);
    if (!p->sets) return;
    for (gmc_node *n = map->first; n; n = n->next) {
        if (gmc_schema_find(GMC_SCHEMA_SET, n->key) || !strchr(n->key, '.')) continue;
        const char *full = reader_join(r, path, n->key);
        gmc_set_spec *set = &p->sets[p->set_count++];
        *set =
            (gmc_set_spec){.target_path = n->key, .target = -1, .source = n->key_source, .node = n};
        // the unit is looked at again when the target is known
        set->value = reader_enter(r, n, full);
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
                                 [GMC_PHASE_MOVE_TO] = {"move_to", GMC_SCHEMA_MOVE_TO},
                                 [GMC_PHASE_HOLD] = {"hold", GMC_SCHEMA_HOLD},
                                 [GMC_PHASE_SET] = {"set", GMC_SCHEMA_SET},
                                 [GMC_PHASE_PULL] = {"pull", GMC_SCHEMA_PULL}};

static bool kind_of(const char *key, gmc_phase_kind *kind)
{
    for (int i = 0; i < GMC_PHASE_KIND_COUNT; i++) {
        if (strcmp(KINDS[i].key, key) != 0) continue;
        *kind = (gmc_phase_kind)i;
        return true;
    }
    return false;
}

static void read_phase(reader *r, const gmc_node *map, const char *path, gmc_phase_spec *p)
{
    bool is_shake = p->kind == GMC_PHASE_SHAKE;
    p->is_rotation = p->kind == GMC_PHASE_TURN || (is_shake && gmc_node_find(map, "about"));
    if (is_shake) reader_vector(r, map, path, p->is_rotation ? "about" : "axis", p->axis);
    reader_fields(r, map, path, KINDS[p->kind].group, p);
    if (p->kind == GMC_PHASE_CLOSE) check_close(r, map, p);
    if (p->kind == GMC_PHASE_MOVE) read_move(r, map, path, p);
    if (is_shake) read_shake(r, map, path, p);
    if (p->kind == GMC_PHASE_MOVE_TO) read_move_to(r, map, path, p);
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
static void name_phase(reader *r, const gmc_node *map, const char *kind, int *number,
                       gmc_phase_spec *p)
{
    const gmc_scenario *s = r->scenario;
    const char *given = reader_text(map, "name");
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
    char *name = reader_take(r, (int)strlen(text) + 1, 1);
    if (name) memcpy(name, text, strlen(text));
    p->name = name ? name : "";
}

static void check_hand(reader *r, const gmc_phase_spec *p)
{
    bool is_quiet =
        p->kind == GMC_PHASE_HOLD || p->kind == GMC_PHASE_SET || p->kind == GMC_PHASE_PULL;
    bool moves_base = p->kind == GMC_PHASE_LIFT || p->kind == GMC_PHASE_TURN ||
                      ((p->kind == GMC_PHASE_MOVE || p->kind == GMC_PHASE_SHAKE) && !p->joint);
    if (p->joint && strchr(p->joint, '/')) return; // of a robot (build_program.c)
    if (!is_quiet && gmc_scenario_lacks_hand(r->scenario))
        gmc_diagnostics_add(r->report, GMC_E_INPUT, p->source, "add hand: {urdf: ...}",
                            "%s needs a hand", p->name);
    else if (moves_base && r->scenario->hand.is_mounted)
        gmc_diagnostics_add(r->report, GMC_E_INPUT, p->source,
                            p->kind == GMC_PHASE_LIFT || p->kind == GMC_PHASE_TURN
                                ? "move a joint instead,  move: {joint: <joint>, by: <amount>, in: "
                                  "1 s}, or remove mount: fixed and mounted_on from hand"
                                : "name a joint with joint:, or remove mount: fixed and mounted_on "
                                  "from hand",
                            "%s moves the base, which is mounted", p->name);
}

static void reader_program(reader *r, const gmc_node *list)
{
    gmc_scenario *s = r->scenario;
    if (!list || list->kind != GMC_NODE_LIST) return;
    s->program = reader_take(r, list->count, sizeof *s->program);
    if (!s->program) return;
    int index = 0, numbers[GMC_PHASE_KIND_COUNT] = {0};
    for (const gmc_node *n = list->first; n; n = n->next, index++) {
        gmc_phase_kind kind = GMC_PHASE_HOLD;
        const gmc_node *map = n->kind == GMC_NODE_MAP ? n->first : NULL;
        if (!map || !kind_of(map->key, &kind) || map->kind != GMC_NODE_MAP) continue;
        gmc_phase_spec phase = {
            .source = map->key_source, .kind = kind, .by = {-1, -1, -1}, .axis = {-1, -1, -1}};
        for (int k = 0; k < GMC_PHASE_KIND_COUNT; k++)
            reader_defaults(KINDS[k].group, &phase);
        phase.ramp = -1;
        char path[128];
        snprintf(path, sizeof path, "program.%d.%s", index, map->key);
        name_phase(r, map, map->key, &numbers[kind], &phase);
        read_phase(r, map, path, &phase);
        check_hand(r, &phase);
        s->program[s->phase_count++] = phase;
    }
}

// ---- control ----------------------------------------------------------------------------------

static void read_sees(reader *r, const gmc_node *list, gmc_control_spec *spec)
{
    if (!list || list->kind != GMC_NODE_LIST) return;
    for (const gmc_node *n = list->first; n; n = n->next) {
        if (n->kind != GMC_NODE_SCALAR) continue;
        bool *seen = strcmp(n->text, "touch") == 0    ? &spec->sees_touch
                     : strcmp(n->text, "forces") == 0 ? &spec->sees_forces
                     : strcmp(n->text, "object") == 0 ? &spec->sees_object
                                                      : NULL;
        if (seen)
            *seen = true;
        else
            gmc_diagnostics_add(r->report, GMC_E_INPUT, n->source,
                                "touch, forces, object; encoders are always seen",
                                "control.sees: there is nothing called %.60s", n->text);
    }
}

static void read_arguments(reader *r, const gmc_node *map, gmc_control_spec *spec)
{
    if (!map || map->kind != GMC_NODE_MAP) return;
    const char **names = reader_take(r, map->count, sizeof *names);
    gmc_param *params = reader_take(r, map->count, sizeof *params);
    if (!names || !params) return;
    for (const gmc_node *n = map->first; n; n = n->next) {
        gmc_param param = reader_number(r, map, "control.by.arguments", n->key);
        if (param < 0) continue;
        names[spec->argument_count] = n->key;
        params[spec->argument_count++] = param;
    }
    spec->argument_names = names;
    spec->arguments = params;
}

static void read_by(reader *r, gmc_node *map, gmc_control_spec *spec)
{
    gmc_node *torques = gmc_node_find(map, "torques"), *library = gmc_node_find(map, "library");
    gmc_node *command = gmc_node_find(map, "command");
    const gmc_node *arguments = gmc_node_find(map, "arguments");
    if (!map || map->kind != GMC_NODE_MAP) return;
    const gmc_node *who = torques ? torques : library ? library : command;
    spec->by = who ? who->source : map->source;
    if (who) spec->law = torques ? GMC_CONTROL_TABLE : GMC_CONTROL_GIVEN;
    spec->torques = reader_file_name(r, torques);
    if (spec->torques && !reader_load(r, spec->torques, torques->source)) spec->torques = NULL;
    spec->library = reader_file_name(r, library);
    spec->command = read_names(r, command, false, &spec->command_count);
    read_arguments(r, arguments, spec);
    if (command && spec->command_count == 0)
        complain(r, command, "command: [python3, policy.py]",
                 "control.by.command names no program");
    if (arguments && spec->law != GMC_CONTROL_GIVEN)
        complain(r, arguments, "a library or a command takes them",
                 "control.by.arguments: nobody is told them");
}

static void reader_control(reader *r, gmc_node *map)
{
    gmc_control_spec *spec = &r->scenario->control;
    if (!map || map->kind != GMC_NODE_MAP) return;
    spec->is_given = true;
    spec->source = map->key_source;
    gmc_node *joints = gmc_node_find(map, "joints"), *by = gmc_node_find(map, "by");
    reader_fields(r, by, "control.by", GMC_SCHEMA_CONTROLLER, spec);
    reader_fields(r, map, "control", GMC_SCHEMA_CONTROL, spec);
    if (joints) spec->joints = read_names(r, joints, false, &spec->joint_count);
    spec->joints_at = joints ? joints->source : map->key_source;
    spec->as_draw = gmc_node_whole(gmc_node_find(map, "as_draw"), -1);
    spec->as_case = gmc_node_whole(gmc_node_find(map, "as_case"), -1);
    read_sees(r, gmc_node_find(map, "sees"), spec);
    read_by(r, by, spec);
    bool has_hand = r->scenario->hand.urdf, sees = spec->sees_touch || spec->sees_forces;
    if (!has_hand && !joints)
        complain(r, map,
                 "add  hand, or name joints of robots: joints: [arm/j1]; in planar worlds bodies: "
                 "[object/x]",
                 "control: there is no hand whose joints it could move");
    if (!has_hand && sees)
        complain(r, map, "add  hand", "control.sees: there is no hand whose links could touch");
}

// ---- success ----------------------------------------------------------------------------------

static bool is_pulled(const gmc_scenario *s, const char *body)
{
    for (int i = 0; i < s->phase_count; i++) {
        const gmc_phase_spec *p = &s->program[i];
        if (p->kind != GMC_PHASE_PULL) continue;
        bool is_scene = false;
        for (int k = 0; k < s->scene_count; k++)
            is_scene = is_scene || strcmp(s->scene[k].name, p->body) == 0;
        if (strcmp(is_scene ? p->body : "object", body) == 0) return true;
    }
    return false;
}

// Measures that mean nothing of the hand, or without a hand, or without a pull.
static void check_meaning(reader *r, const gmc_expression *e)
{
    if (!e) return;
    check_meaning(r, e->left);
    check_meaning(r, e->right);
    if (e->op != GMC_OP_MEASURE) return;
    bool is_hand = strcmp(e->bodies[0], "hand") == 0;
    if (e->measure == GMC_MEASURE_LOST && (is_hand || gmc_scenario_lacks_hand(r->scenario)))
        gmc_diagnostics_add(r->report, GMC_E_INPUT, e->source,
                            is_hand ? "write the body that the hand holds"
                                    : "add hand: {urdf: ...}",
                            is_hand ? "t_lost: the hand does not hold itself"
                                    : "t_lost: there is no hand that could lose a body");
    if (e->measure == GMC_MEASURE_BORNE && !is_pulled(r->scenario, e->bodies[0]))
        gmc_diagnostics_add(r->report, GMC_E_INPUT, e->source,
                            "add  - pull: {axis: x, grows: 5 N/s}  to the program",
                            "force_at_slip: no phase pulls at %.60s", e->bodies[0]);
}

static int length_of(const gmc_node *list)
{
    return list && list->kind == GMC_NODE_LIST ? list->count : 0;
}

/// Criteria behind the `count` that are there.
/// @param when      their `from` and `at`
/// @param criteria  with room for them
static void read_criteria(reader *r, const gmc_node *list, gmc_criterion when,
                          gmc_criterion *criteria, int *count)
{
    gmc_expression_bodies bodies = {0};
    if (length_of(list) == 0 || !criteria) return;
    if (gmc_scenario_bodies(r->scenario, &bodies) != GMC_OK) {
        r->is_arena_full = true;
        return;
    }
    for (const gmc_node *n = list->first; n; n = n->next) {
        if (n->kind != GMC_NODE_SCALAR || n->is_bad) continue;
        gmc_criterion *c = &criteria[*count];
        *c = when;
        c->text = n->text;
        c->source = n->source;
        gmc_status status =
            gmc_expression_parse(n, &bodies, r->scenario->arena, r->report, &c->expression);
        if (status == GMC_E_ARENA_FULL) r->is_arena_full = true;
        if (status != GMC_OK) continue;
        check_meaning(r, c->expression);
        (*count)++;
    }
}

// Measures of what contacts can hold: of a body that is held; those that cost at ends alone.
// @param is_always  the criterion is looked at after every step
static void check_quality(reader *r, const gmc_expression *e, bool is_always)
{
    if (!e) return;
    check_quality(r, e->left, is_always);
    check_quality(r, e->right, is_always);
    if (e->op != GMC_OP_MEASURE) return;
    const gmc_measure_info *info = &gmc_measure_infos[e->measure];
    bool is_force = e->measure == GMC_MEASURE_HOLDS,
         is_turn = e->measure == GMC_MEASURE_HOLDS_MOMENT;
    bool is_of_contacts = info->is_costly || e->measure == GMC_MEASURE_CLOSURE || is_force ||
                          is_turn || e->measure == GMC_MEASURE_RECESS ||
                          e->measure == GMC_MEASURE_OPPOSED;
    bool is_out = is_turn ? e->of_a.z == 0 : is_force && e->of_a.z != 0;
    if (is_out && r->scenario->world != GMC_WORLD_SPATIAL)
        gmc_diagnostics_add(r->report, GMC_E_INPUT, e->source,
                            is_turn ? "holds_moment(object, z)" : "x, -x, y or -y",
                            "%s: %s the plane z = 0", info->name,
                            is_turn ? "turns out of" : "leaves");
    if (is_always && info->is_costly)
        gmc_diagnostics_add(r->report, GMC_E_INPUT, e->source,
                            "write it under  at_end  or  at_phase_end, or  closure(...) >= 1  here",
                            "%s: takes too long to be looked at after every step", info->name);
    if (is_of_contacts && strcmp(e->bodies[0], "hand") == 0)
        gmc_diagnostics_add(r->report, GMC_E_INPUT, e->source, "write the body that the hand holds",
                            "%s: the hand does not hold itself", info->name);
    for (int i = 0; is_of_contacts && i < r->scenario->scene_count; i++) {
        const gmc_item_spec *item = &r->scenario->scene[i];
        if (!item->is_fixed || strcmp(e->bodies[0], item->name) != 0) continue;
        gmc_diagnostics_add(r->report, GMC_E_INPUT, e->source, "write the body that the hand holds",
                            "%s: %.60s is fixed, no hand holds it", info->name, item->name);
    }
    if (is_of_contacts && gmc_scenario_lacks_hand(r->scenario))
        gmc_diagnostics_add(r->report, GMC_E_INPUT, e->source, NULL,
                            "%s: there is no hand that could hold a body", info->name);
}

// How many phases are over as the named one is; 0: there is none of that name (reported).
static int read_phases_over(reader *r, const char *key, const char *name, gmc_source source)
{
    const gmc_scenario *s = r->scenario;
    char hint[160];
    gmc_nearest nearest = gmc_nearest_start(name);
    for (int i = 0; i < s->phase_count; i++) {
        gmc_nearest_offer(&nearest, s->program[i].name);
        if (strcmp(s->program[i].name, name) == 0) return i + 1;
    }
    snprintf(hint, sizeof hint, "did you mean %.80s?", nearest.best ? nearest.best : "");
    gmc_diagnostics_add(r->report, GMC_E_INPUT, source,
                        nearest.best ? hint : "the kind of a phase, or its `name`",
                        "success.%s: no phase is called %.80s", key, name);
    return 0;
}

// What must hold from the end of phases on, behind `always`.
static void read_from(reader *r, const gmc_node *list)
{
    gmc_scenario *s = r->scenario;
    for (const gmc_node *n = length_of(list) > 0 ? list->first : NULL; n; n = n->next) {
        const gmc_node *name = gmc_node_find(n, "phase");
        if (!name || name->kind != GMC_NODE_SCALAR || gmc_node_is_empty(name)) continue;
        int over = read_phases_over(r, "from", name->text, name->source);
        if (over > 0 && over == s->phase_count)
            complain(r, name, "write what must hold then under  at_end",
                     "success.from: no step follows the last phase");
        else if (over > 0)
            read_criteria(r, gmc_node_find(n, "hold"), (gmc_criterion){.from = over}, s->always,
                          &s->always_count);
    }
}

// What must hold as phases end, behind `at_end`.
static void read_at_phases(reader *r, const gmc_node *map)
{
    gmc_scenario *s = r->scenario;
    if (!map || map->kind != GMC_NODE_MAP) return;
    for (const gmc_node *n = map->first; n; n = n->next) {
        int over = read_phases_over(r, "at_phase_end", n->key, n->key_source);
        if (over > 0) read_criteria(r, n, (gmc_criterion){.at = over}, s->at_end, &s->at_end_count);
    }
}

static void reader_success(reader *r, const gmc_node *map)
{
    gmc_scenario *s = r->scenario;
    const gmc_node *at_end = gmc_node_find(map, "at_end"), *always = gmc_node_find(map, "always");
    const gmc_node *from = gmc_node_find(map, "from");
    gmc_node *at = gmc_node_find(map, "at_phase_end");
    int count = length_of(always), ends = length_of(at_end);
    for (const gmc_node *n = at && at->kind == GMC_NODE_MAP ? at->first : NULL; n; n = n->next)
        ends += length_of(n);
    for (const gmc_node *n = length_of(from) > 0 ? from->first : NULL; n; n = n->next)
        count += length_of(gmc_node_find(n, "hold"));
    s->at_end = reader_take(r, ends, sizeof *s->at_end);
    s->always = reader_take(r, count, sizeof *s->always);
    read_criteria(r, at_end, (gmc_criterion){0}, s->at_end, &s->at_end_count);
    read_at_phases(r, at);
    read_criteria(r, always, (gmc_criterion){0}, s->always, &s->always_count);
    read_from(r, from);
    for (int i = 0; i < s->at_end_count; i++)
        check_quality(r, s->at_end[i].expression, false);
    for (int i = 0; i < s->always_count; i++)
        check_quality(r, s->always[i].expression, true);
}

// ==== the study ==================================================================================
// What is run and what is kept of it: study, sampling, simulation, output. Expressions and paths
// are only kept here; gmc_resolve_scenario parses them when every parameter is known.

// ---- levels and rounds ------------------------------------------------------------------------

static gmc_level_spec level_of_word(const gmc_node *node)
{
    gmc_level_spec level = {.name = node->text, .source = node->source};
    for (int i = 0; i < gmc_ladder_word_count; i++) {
        const gmc_ladder_word *word = &gmc_ladder_words[i];
        if (strcmp(word->name, node->text) != 0) continue;
        level.is_geometric = word->is_geometric;
        level.stepper = word->stepper;
        level.motion = word->motion;
    }
    return level;
}

// @param group  of the map: a level of a ladder, or the cheap one of two
static gmc_level_spec level_of_map(reader *r, const gmc_node *map, gmc_schema_group group)
{
    gmc_level_spec level = {.name = "",
                            .source = map->source,
                            .stepper = reader_text(map, "stepper"),
                            .motion = reader_text(map, "motion")};
    reader_fields(r, map, "", group, &level);
    if (!level.name) level.name = "";
    return level;
}

static void read_ladder(reader *r, const gmc_node *study)
{
    gmc_scenario *s = r->scenario;
    const gmc_node *ladder = gmc_node_find(study, "ladder"), *draws = gmc_node_find(study, "draws");
    const gmc_node *rank = gmc_node_find(study, "rank");
    reader_defaults(GMC_SCHEMA_ROUNDS, s);
    if (draws && draws->kind == GMC_NODE_MAP && !ladder && !rank)
        gmc_diagnostics_add(r->report, GMC_E_INPUT, draws->source,
                            "write the number alone (over a file of  use: {first: ~, last: 200}), "
                            "or add  ladder: [dynamic]",
                            "study.draws: rounds (first, last) need study.ladder or study.rank");
    if (ladder || rank) reader_fields(r, draws, "study.draws", GMC_SCHEMA_ROUNDS, s);
    if (!ladder || ladder->kind != GMC_NODE_LIST) return;
    s->levels = reader_take(r, ladder->count, sizeof *s->levels);
    s->tolerate = reader_take(r, ladder->count, sizeof *s->tolerate);
    if (!s->levels || !s->tolerate) return;
    for (const gmc_node *n = ladder->first; n; n = n->next) {
        if (n->is_bad) continue;
        gmc_level_spec *level = &s->levels[s->level_count];
        *level = n->kind == GMC_NODE_MAP ? level_of_map(r, n, GMC_SCHEMA_LEVEL) : level_of_word(n);
        s->tolerate[s->level_count++] = level->tolerate;
    }
}

// study.plan: what level `geometric` looks for.
static void read_route(reader *r, const gmc_node *study)
{
    gmc_scenario *s = r->scenario;
    const gmc_node *map = gmc_node_find(study, "plan");
    bool is_geometric = false;
    if (!map || map->kind != GMC_NODE_MAP) return;
    reader_fields(r, map, "study.plan", GMC_SCHEMA_PLAN, &s->route);
    s->route.goal = reader_pose(r, map, "study.plan", "goal");
    s->route.is_given = true;
    s->route.source = map->key_source;
    for (int i = 0; i < s->level_count; i++)
        is_geometric = is_geometric || s->levels[i].is_geometric;
    if (!is_geometric && s->level_count > 0)
        complain(r, map, "for example ladder: [geometric, dynamic]",
                 "study.plan: the ladder has no level geometric, which asks for it");
}

// sampling.two_level: its levels stand where those of a ladder do.
static void read_two_level(reader *r, const gmc_node *sampling)
{
    gmc_scenario *s = r->scenario;
    const gmc_node *map = gmc_node_find(sampling, "two_level");
    if (!map || map->kind != GMC_NODE_MAP) return;
    const gmc_node *pilot = gmc_node_find(map, "pilot");
    s->pilot = (int)gmc_node_whole(pilot, 1);
    s->two_level_source = map->key_source;
    if (s->level_count > 0) {
        gmc_diagnostics_add(r->report, GMC_E_INPUT, map->key_source,
                            "leave  ladder  or  two_level  out",
                            "sampling.two_level: does not go with a ladder");
        return;
    }
    const gmc_node *coarser = gmc_node_find(map, "coarser");
    int below = coarser && coarser->kind == GMC_NODE_LIST ? coarser->count : 0;
    s->levels = reader_take(r, below + 2, sizeof *s->levels);
    if (!s->levels) return;
    for (const gmc_node *n = below > 0 ? coarser->first : NULL; n; n = n->next)
        if (!n->is_bad)
            s->levels[s->level_count++] =
                n->kind == GMC_NODE_MAP ? level_of_map(r, n, GMC_SCHEMA_LEVEL) : level_of_word(n);
    gmc_level_spec *cheap = &s->levels[s->level_count++];
    *cheap = level_of_map(r, map, GMC_SCHEMA_TWO_LEVEL);
    cheap->name = "cheap";
    s->levels[s->level_count++] = (gmc_level_spec){.name = "full", .source = map->source};
    if (cheap->step == 0 && !cheap->stepper && !cheap->motion)
        gmc_diagnostics_add(
            r->report, GMC_E_INPUT, map->key_source, "for example  step: 4 ms",
            "sampling.two_level: the cheap level has the step, stepper and motion of the full one");
}

// ---- rank -------------------------------------------------------------------------------------

// `study.rank`: which cases are the best, and how many trials that may take.

static gmc_source source_of(const gmc_node *map, const char *key)
{
    const gmc_node *node = gmc_node_find(map, key);
    return node ? node->source : map->source;
}

static void read_rank(reader *r, const gmc_node *study)
{
    gmc_scenario *s = r->scenario;
    const gmc_node *rank = gmc_node_find(study, "rank");
    if (!rank || rank->kind != GMC_NODE_MAP) return;
    const gmc_node *keep = gmc_node_find(gmc_node_find(study, "draws"), "keep");
    // results of version 0.1.0 have its default
    if (keep && !s->embedded)
        gmc_diagnostics_add(
            r->report, GMC_E_INPUT, keep->key_source,
            "leave it out, or take a ladder with  goal: best",
            "study.draws.keep: with study.rank the intervals say which cases go on, not a share");
    s->rank = (gmc_rank_spec){.is_given = true,
                              .source = rank->key_source,
                              .best_source = source_of(rank, "best"),
                              .budget_source = source_of(rank, "budget")};
    reader_fields(r, rank, "study.rank", GMC_SCHEMA_RANK, &s->rank);
}

// ---- optimise ---------------------------------------------------------------------------------

// `study.optimise`: which numbers of the hand or the program make success most likely, or a
// quantile of what trials measure best.

/// "smallest quantile(slip, 0.95)": what, and of which share. The measure is read where the columns
/// are known. @return whether it is written so
static bool read_quantile(reader *r, const char *goal, gmc_optimise_spec *spec)
{
    static const char *const WORDS[] = {"smallest quantile(", "largest quantile("};
    for (int i = 0; i < GMC_COUNT(WORDS); i++) {
        size_t word = strlen(WORDS[i]), length = strlen(goal);
        const char *comma = strrchr(goal, ',');
        if (strncmp(goal, WORDS[i], word) != 0 || !comma || goal[length - 1] != ')') continue;
        char *end;
        double p = strtod(comma + 1, &end);
        while (*end == ' ')
            end++;
        if (end != goal + length - 1 || !(p > 0 && p < 1) || comma <= goal + word) return false;
        size_t bytes = (size_t)(comma - goal) - word;
        char *of = gmc_arena_take(r->scenario->arena, bytes + 1, 1);
        if (!of) {
            r->is_arena_full = true;
            return true;
        }
        memcpy(of, goal + word, bytes);
        spec->quantile_of = of;
        spec->quantile_p = p;
        spec->is_largest = i == 1;
        return true;
    }
    return false;
}

static void read_goal(reader *r, const gmc_node *map, gmc_optimise_spec *spec)
{
    const gmc_node *node = gmc_node_find(map, "goal");
    spec->goal_source = node ? node->source : map->source;
    spec->is_cautious = strcmp(spec->goal, "lower") == 0;
    if (spec->is_cautious || strcmp(spec->goal, "success") == 0) return;
    if (!read_quantile(r, spec->goal, spec))
        gmc_diagnostics_add(r->report, GMC_E_INPUT, spec->goal_source,
                            "goal: smallest quantile(slip, 0.95); 0.95 is between 0 and 1",
                            "study.optimise.goal: expected success, lower, smallest "
                            "quantile(MEASURE, P) or largest quantile(MEASURE, P), found %.120s",
                            spec->goal);
}

static void read_optimise(reader *r, const gmc_node *study)
{
    const gmc_node *map = gmc_node_find(study, "optimise");
    if (!map || map->kind != GMC_NODE_MAP) return;
    const gmc_node *budget = gmc_node_find(map, "budget");
    gmc_optimise_spec *spec = &r->scenario->optimise;
    *spec = (gmc_optimise_spec){.is_given = true,
                                .source = map->key_source,
                                .budget_source = budget ? budget->source : map->source};
    reader_fields(r, map, "study.optimise", GMC_SCHEMA_OPTIMISE, spec);
    read_goal(r, map, spec);
}

// ---- subset -----------------------------------------------------------------------------------

// Subset simulation: how many trials, and what they are judged by.

static void read_subset(reader *r, const gmc_node *sampling)
{
    gmc_scenario *s = r->scenario;
    const gmc_node *map = gmc_node_find(sampling, "subset");
    if (!map || map->kind != GMC_NODE_MAP) return;
    const gmc_node *margin = gmc_node_find(map, "margin");
    const gmc_node *points = gmc_node_find(map, "per_level");
    s->subset = (gmc_subset_spec){.is_given = true,
                                  .source = map->key_source,
                                  .margin = margin && !margin->is_bad ? margin : NULL};
    reader_fields(r, map, "sampling.subset", GMC_SCHEMA_SUBSET, &s->subset);
    if (s->subset.per_level % GMC_SUBSET_STEPS != 0) {
        char hint[64];
        int below = s->subset.per_level - s->subset.per_level % GMC_SUBSET_STEPS;
        snprintf(hint, sizeof hint, "%d or %d", below, below + GMC_SUBSET_STEPS);
        gmc_diagnostics_add(r->report, GMC_E_INPUT, points->source, hint,
                            "sampling.subset.per_level: must be a multiple of %d, for a tenth of "
                            "the points goes on",
                            GMC_SUBSET_STEPS);
        s->subset.per_level = below;
    }
}

// ---- the blocks -------------------------------------------------------------------------------

static void read_study(reader *r, const gmc_node *map)
{
    gmc_scenario *s = r->scenario;
    s->case_count = 1;
    reader_fields(r, map, "study", GMC_SCHEMA_STUDY, s);
    read_ladder(r, map);
    read_route(r, map);
    read_rank(r, map);
    read_optimise(r, map);
    const gmc_node *vary = gmc_node_find(map, "vary");
    if (!vary || vary->kind == GMC_NODE_SCALAR) return;
    s->axes = reader_take(r, vary->count, sizeof *s->axes);
    if (!s->axes) return;
    bool is_list = vary->kind == GMC_NODE_LIST;
    for (gmc_node *n = vary->first; n; n = n->next) {
        if (n->is_bad || (is_list && n->kind != GMC_NODE_SCALAR)) continue;
        s->axes[s->axis_count++] = (gmc_axis_spec){.path = is_list ? n->text : n->key,
                                                   .source = is_list ? n->source : n->key_source,
                                                   .target = -1,
                                                   .node = is_list ? NULL : n};
    }
}

// All 64 bits of it: a double keeps 53.
static bool read_seed(const gmc_node *node, uint64_t *seed)
{
    uint64_t value = 0;
    for (const char *p = node->text; *p; p++) {
        if (*p < '0' || *p > '9') { // 1e3
            int64_t whole = gmc_node_whole(node, -1);
            *seed = (uint64_t)whole;
            return whole >= 0;
        }
        uint64_t digit = (uint64_t)(*p - '0');
        if (value > (UINT64_MAX - digit) / 10) return false;
        value = 10 * value + digit;
    }
    *seed = value;
    return true;
}

static void read_replicas(reader *r, const gmc_node *sampling, const gmc_node *design)
{
    gmc_scenario *s = r->scenario;
    const gmc_node *count = gmc_node_find(sampling, "randomisations");
    for (gmc_design d = GMC_DESIGN_SOBOL; d <= GMC_DESIGN_MORRIS; d++)
        if (design && design->kind == GMC_NODE_SCALAR &&
            strcmp(design->text, gmc_design_name(d)) == 0)
            s->design = d;
    bool is_apart = s->design != GMC_DESIGN_RANDOM && s->design != GMC_DESIGN_CSV;
    if (is_apart) s->replicas = (int)gmc_node_whole(count, GMC_REPLICAS_LEAST);
    if (count && !is_apart)
        gmc_diagnostics_add(
            r->report, GMC_E_INPUT, count->key_source, "add  design: sobol",
            "sampling.randomisations: only designs have them, not random draws or rows of a file");
}

static void read_sampling(reader *r, const gmc_node *root)
{
    gmc_scenario *s = r->scenario;
    const gmc_node *sampling = gmc_node_find(root, "sampling");
    gmc_node *design = gmc_node_find(sampling, "design");
    gmc_node *csv = gmc_node_find(design, "csv");
    if (csv && csv->kind == GMC_NODE_SCALAR) {
        s->design = GMC_DESIGN_CSV;
        s->csv_file = gmc_scenario_join(s, csv->folder, csv->text);
        if (!s->csv_file) {
            r->is_arena_full = true;
            return;
        }
        csv->text = s->csv_file;
        csv->folder = "";
    }
    read_replicas(r, sampling, design);
    read_subset(r, sampling);
    read_two_level(r, sampling);
    s->is_weighted = gmc_node_find(sampling, "importance") != NULL;
    reader_fields(r, sampling, "sampling", GMC_SCHEMA_SAMPLING, s);
    if (!s->is_weighted) s->true_share = 1;
    s->weight_bound = 1;
    const gmc_node *seed = gmc_node_find(sampling, "seed");
    s->seed = 1;
    if (seed && seed->is_number && !seed->is_bad && !read_seed(seed, &s->seed))
        gmc_diagnostics_add(r->report, GMC_E_INPUT, seed->source, NULL,
                            "sampling.seed: larger than 64 bits");

    const gmc_node *draws = gmc_node_find(sampling, "draws");
    const gmc_node *study_draws = gmc_node_find(gmc_node_find(root, "study"), "draws");
    if (draws && study_draws)
        gmc_diagnostics_add(r->report, GMC_E_INPUT, study_draws->key_source,
                            "keep one: both mean the draws of every case",
                            "study.draws and sampling.draws exclude each other");
    const gmc_node *rounds = gmc_node_find(study_draws, "last");
    const gmc_node *given = rounds ? rounds : study_draws ? study_draws : draws;
    // 1000 draws pin a probability to about three percent; other designs give their own number
    bool has_own =
        s->design == GMC_DESIGN_CSV || s->replicas > 0 || s->rank.is_given || s->optimise.is_given;
    s->draws = gmc_node_whole(given, has_own ? 0 : 1000);
}

static void read_setting(reader *r, const gmc_node *map, const gmc_setting *setting)
{
    gmc_scenario *s = r->scenario;
    const gmc_node *node = gmc_node_find(map, setting->key);
    for (int i = 0; i < s->setting_count; i++) // several steppers share it
        if (strcmp(s->settings[i].key, setting->key) == 0) return;
    if (!node) return;
    gmc_law_setting *read = &s->settings[s->setting_count++];
    *read = (gmc_law_setting){.key = setting->key, .param = -1};
    if (setting->words)
        read->value = node->text ? gmc_setting_word(setting->words, node->text) : 0;
    else if (setting->is_whole)
        read->value = (double)gmc_node_whole(node, 0);
    else
        read->param = reader_number(r, map, "simulation", setting->key);
}

/// Those of all steppers: that some belong to another than the scenario's is told later.
static void read_settings(reader *r, const gmc_node *map)
{
    int most = 0;
    for (int i = 0; gmc_steppers[i]; i++)
        most += gmc_steppers[i]->setting_count;
    r->scenario->settings = reader_take(r, most, sizeof *r->scenario->settings);
    if (!r->scenario->settings) return;
    for (int i = 0; gmc_steppers[i]; i++)
        for (int k = 0; k < gmc_steppers[i]->setting_count; k++)
            read_setting(r, map, &gmc_steppers[i]->settings[k]);
}

static void read_simulation(reader *r, const gmc_node *map)
{
    gmc_scenario *s = r->scenario;
    s->stepper = reader_text(map, "stepper");
    s->solver = reader_text(map, "solver");
    s->motion = reader_text(map, "motion");
    read_settings(r, map);
    reader_fields(r, map, "simulation", GMC_SCHEMA_SIMULATION, s);
    reader_fields(r, gmc_node_find(map, "early"), "simulation.early", GMC_SCHEMA_EARLY, s);
}

// One histogram: "a", [a, b], or {of: ..., bins: ..., range: ...}; ranges are read when units are
// known.
static void read_histogram(gmc_node *n, gmc_histogram_spec *h)
{
    *h = (gmc_histogram_spec){
        .bins = {20, 20}, .lower = {NAN, NAN}, .upper = {NAN, NAN}, .source = n->source, .node = n};
    const gmc_node *of = n->kind == GMC_NODE_MAP ? gmc_node_find(n, "of") : n;
    if (of && of->kind == GMC_NODE_SCALAR) h->name[0] = of->text;
    if (of && of->kind == GMC_NODE_LIST && of->count == 2) {
        h->name[0] = of->first->text;
        h->name[1] = of->first->next->text;
    }
    const gmc_node *bins = n->kind == GMC_NODE_MAP ? gmc_node_find(n, "bins") : NULL;
    if (!bins) return;
    const gmc_node *first = bins->kind == GMC_NODE_LIST ? bins->first : bins;
    const gmc_node *second = bins->kind == GMC_NODE_LIST && first ? first->next : bins;
    h->bins[0] = (int)gmc_node_whole(first, h->bins[0]);
    h->bins[1] = (int)gmc_node_whole(second, h->bins[1]);
}

static void read_output(reader *r, const gmc_node *map)
{
    gmc_scenario *s = r->scenario;
    const gmc_node *record = gmc_node_find(map, "trajectories");
    const char *text = reader_text(map, "trajectories");
    if (!text || strcmp(text, "none") == 0)
        s->record = GMC_RECORD_NONE;
    else if (strcmp(text, "failures") == 0)
        s->record = GMC_RECORD_FAILURES;
    else if (strcmp(text, "all") == 0)
        s->record = GMC_RECORD_ALL;
    else if (text[0] == 'f')
        s->record = GMC_RECORD_FIRST;
    else
        s->record = GMC_RECORD_EVERY;
    s->record_count = gmc_node_whole(record, s->record_count);
    reader_fields(r, map, "output", GMC_SCHEMA_OUTPUT, s);

    const gmc_node *histograms = gmc_node_find(map, "histograms");
    gmc_node *pair = gmc_node_find(map, "map");
    int count = histograms && histograms->kind == GMC_NODE_LIST ? histograms->count : 0;
    s->histograms = reader_take(r, count + 1, sizeof *s->histograms);
    if (!s->histograms) return;
    if (count > 0)
        for (gmc_node *n = histograms->first; n; n = n->next)
            read_histogram(n, &s->histograms[s->histogram_count++]);
    if (pair && pair->kind == GMC_NODE_LIST && pair->count == 2) {
        read_histogram(pair, &s->histograms[s->histogram_count]);
        s->histograms[s->histogram_count++].is_map = true;
    }
}

// `study`, `sampling`, `simulation` and `output`.
static void reader_study(reader *r, const gmc_node *root)
{
    read_study(r, gmc_node_find(root, "study"));
    read_sampling(r, root);
    read_simulation(r, gmc_node_find(root, "simulation"));
    read_output(r, gmc_node_find(root, "output"));
}

// ==== uncertain and believed =====================================================================
// What nobody knows: `uncertain`, and `believed` with its `cameras`.

// ---- cameras ----------------------------------------------------------------------------------

static void find_aim(reader *r, const gmc_node *node, gmc_camera_spec *camera)
{
    const gmc_scenario *s = r->scenario;
    if (strcmp(node->text, "object") == 0) {
        camera->aim = GMC_AIM_OBJECT;
        return;
    }
    gmc_nearest nearest = gmc_nearest_start(node->text);
    gmc_nearest_offer(&nearest, "object");
    for (int i = 0; i < s->scene_count; i++) {
        if (strcmp(s->scene[i].name, node->text) == 0) {
            camera->aim = GMC_AIM_SCENE;
            camera->scene = i;
            return;
        }
        gmc_nearest_offer(&nearest, s->scene[i].name);
    }
    char hint[120] = "object, a body of the scene, or [x, y, z]";
    if (nearest.best) snprintf(hint, sizeof hint, "did you mean %.80s?", nearest.best);
    gmc_diagnostics_add(r->report, GMC_E_INPUT, node->source, hint,
                        "cameras.%.60s.pose.look_at: there is no body %.60s", camera->name,
                        node->text);
}

static void read_camera(reader *r, const gmc_node *map, gmc_camera_spec *camera)
{
    const gmc_node *pose = gmc_node_find(map, "pose"), *aim = gmc_node_find(pose, "look_at");
    *camera = (gmc_camera_spec){.name = map->key, .source = map->key_source};
    const char *path = reader_join(r, reader_join(r, "cameras", map->key), "pose");
    reader_fields(r, pose, path, GMC_SCHEMA_VIEW, camera);
    if (aim && aim->kind == GMC_NODE_SCALAR && !aim->is_bad) find_aim(r, aim, camera);
    if (camera->point[2] >= 0) camera->aim = GMC_AIM_POINT;
    if (aim && (camera->roll >= 0 || camera->pitch >= 0 || camera->yaw >= 0))
        gmc_diagnostics_add(r->report, GMC_E_INPUT, aim->key_source, "keep one of the two",
                            "%.120s: look_at excludes roll, pitch and yaw", path);
}

static void read_cameras(reader *r, const gmc_node *map)
{
    gmc_scenario *s = r->scenario;
    if (!map || map->kind != GMC_NODE_MAP) return;
    s->cameras = reader_take(r, map->count, sizeof *s->cameras);
    if (!s->cameras) return;
    for (const gmc_node *n = map->first; n; n = n->next)
        if (n->kind == GMC_NODE_MAP) read_camera(r, n, &s->cameras[s->camera_count++]);
}

// Index of the camera that is named; -1: there is none, reported.
static int find_camera(reader *r, const gmc_node *seen_by)
{
    const gmc_scenario *s = r->scenario;
    if (!seen_by || seen_by->kind != GMC_NODE_SCALAR || seen_by->is_bad) return -1;
    gmc_nearest nearest = gmc_nearest_start(seen_by->text);
    for (int i = 0; i < s->camera_count; i++) {
        if (strcmp(s->cameras[i].name, seen_by->text) == 0) return i;
        gmc_nearest_offer(&nearest, s->cameras[i].name);
    }
    char hint[120] = "cameras: {head: {pose: {xyz: [0.6 m, 0 m, 0.7 m], look_at: object}}}";
    if (nearest.best) snprintf(hint, sizeof hint, "did you mean %.80s?", nearest.best);
    gmc_diagnostics_add(r->report, GMC_E_INPUT, seen_by->source, hint,
                        "believed.object.pose.seen_by: there is no camera %.60s", seen_by->text);
    return -1;
}

// ---- believed ---------------------------------------------------------------------------------

// What a camera errs by is chance like any
// other: one line for each component that has a deviation, behind those of `uncertain`, so that
// designs, samples, histograms and indices know them by their paths without a word about cameras.

static const char PATH[] = "believed.object.pose";
static const char *const COMPONENTS[GMC_SIGHT_COMPONENTS] = {"x", "y", "z", "roll", "pitch", "yaw"};

static int find_component(const char *name, size_t length)
{
    for (int i = 0; i < GMC_SIGHT_COMPONENTS; i++)
        if (strlen(COMPONENTS[i]) == length && strncmp(COMPONENTS[i], name, length) == 0) return i;
    return -1;
}

static const char *component_path(reader *r, int component)
{
    return reader_join(r, PATH, COMPONENTS[component]);
}

// ---- lines of chance --------------------------------------------------------------------------

// The line's law as text, for results and listings; or what is to be read as one.
static gmc_node *make_text(reader *r, const gmc_node *at, const char *text)
{
    gmc_arena *arena = r->scenario->arena;
    gmc_node *node = gmc_node_create(arena, GMC_NODE_SCALAR, at->source);
    if (node) {
        node->text = gmc_arena_text(arena, text);
        node->folder = "";
    }
    if (!node || !node->text) r->is_arena_full = true;
    return node && node->text ? node : NULL;
}

// A component varies: its line, at the end of all.
static gmc_uncertain *add_line(reader *r, const char *path, const gmc_node *at, const char *text)
{
    gmc_scenario *s = r->scenario;
    gmc_node *node = make_text(r, at, text);
    if (!node) return NULL;
    for (int i = 0; i < s->uncertain_count; i++) // two lines of a name would draw the same number
        if (strcmp(s->uncertain[i].path, path) == 0)
            gmc_diagnostics_add(r->report, GMC_E_INPUT, s->uncertain[i].source,
                                "keep one of the two", "uncertain: %.120s is drawn by believed",
                                path);
    gmc_uncertain *line = &s->uncertain[s->uncertain_count++];
    *line =
        (gmc_uncertain){.path = path, .source = at->source, .node = node, .change = GMC_CHANGE_ADD};
    return line;
}

// Normal with a deviation that is a parameter itself.
static void add_deviation(reader *r, int component, gmc_param deviation, const gmc_node *at)
{
    char text[160];
    if (deviation < 0) return;
    snprintf(text, sizeof text, "nominal + normal(0, %s.sd.%s)", PATH, COMPONENTS[component]);
    gmc_uncertain *line = add_line(r, component_path(r, component), at, text);
    if (!line) return;
    line->distribution = (gmc_distribution){.type = GMC_DISTRIBUTION_NORMAL, .p = {0, 1}};
    line->relation = GMC_RELATION_SCALED;
    line->by = deviation;
}

static int line_of(const gmc_scenario *s, const char *path)
{
    for (int i = s->uncertain_count - 1; i >= 0; i--)
        if (strcmp(s->uncertain[i].path, path) == 0 &&
            s->uncertain[i].relation == GMC_RELATION_SCALED)
            return i;
    return -1;
}

static void correlate(reader *r, int a, int b, double coefficient, gmc_source source)
{
    gmc_scenario *s = r->scenario;
    gmc_correlation *c = &s->correlations[s->correlation_count++];
    *c = (gmc_correlation){.coefficient = coefficient, .source = source};
    c->lines[0] = line_of(s, component_path(r, a));
    c->lines[1] = line_of(s, component_path(r, b));
}

// ---- deviations and their correlation ---------------------------------------------------------

static void read_deviations(reader *r, const gmc_node *map)
{
    const char *path = reader_join(r, PATH, "sd");
    for (int i = 0; i < GMC_SIGHT_COMPONENTS; i++) {
        const gmc_node *node = gmc_node_find(map, COMPONENTS[i]);
        if (node) add_deviation(r, i, reader_number(r, map, path, COMPONENTS[i]), node);
    }
}

static void report_pair(reader *r, const gmc_node *pair, const char *hint, const char *what)
{
    gmc_diagnostics_add(r->report, GMC_E_INPUT, pair->key_source, hint, "%s.correlation: %.40s: %s",
                        PATH, pair->key, what);
}

// "z/pitch"
static void read_pair(reader *r, const gmc_node *pair, bool is_seen[6][6])
{
    const char *slash = strchr(pair->key, '/');
    size_t first = slash ? (size_t)(slash - pair->key) : 0, second = slash ? strlen(slash + 1) : 0;
    while (first > 0 && pair->key[first - 1] == ' ')
        first--;
    const char *next = slash ? slash + 1 : "";
    for (; *next == ' '; second--)
        next++;
    int a = slash ? find_component(pair->key, first) : -1;
    int b = slash ? find_component(next, second) : -1;
    if (a < 0 || b < 0 || a == b) {
        report_pair(r, pair, "two of x, y, z, roll, pitch and yaw, such as z/pitch",
                    "expected two components with / between them");
    } else if (line_of(r->scenario, component_path(r, a)) < 0 ||
               line_of(r->scenario, component_path(r, b)) < 0) {
        report_pair(r, pair, "give it one under sd", "one of them has no deviation");
    } else if (is_seen[a][b]) {
        report_pair(r, pair, "a pair has no order: keep one of the two", "it was given before");
    } else {
        is_seen[a][b] = is_seen[b][a] = true;
        correlate(r, a, b, pair->number, pair->key_source);
    }
}

static void read_correlation(reader *r, const gmc_node *map)
{
    bool is_seen[6][6] = {{false}};
    if (!map || map->kind != GMC_NODE_MAP) return;
    for (const gmc_node *n = map->first; n; n = n->next)
        if (n->is_number && fabs(n->number) <= 1) read_pair(r, n, is_seen);
}

// ---- files ------------------------------------------------------------------------------------

// The table that a key names; false: reported.
static bool open_table(reader *r, gmc_node *node, gmc_csv *csv)
{
    *csv = (gmc_csv){0};
    const char *name = reader_file_name(r, node);
    if (!name) return false;
    const gmc_asset *asset = gmc_scenario_load_asset(r->scenario, name, node->source, r->report);
    if (!asset) return false;
    gmc_status status = gmc_csv_parse(asset->file, asset->bytes, asset->size, csv, r->report);
    if (status == GMC_E_MEMORY) r->is_arena_full = true;
    return status == GMC_OK;
}

// Which component each column is; false: reported.
static bool find_columns(reader *r, const gmc_node *node, const gmc_csv *csv, bool has_units,
                         int *column_of)
{
    bool is_fine = true, is_flat = r->scenario->world != GMC_WORLD_SPATIAL;
    for (int i = 0; i < GMC_SIGHT_COMPONENTS; i++)
        column_of[i] = -1;
    for (int c = 0; c < csv->column_count; c++) {
        size_t length = strlen(csv->names[c]);
        if (has_units) length = strcspn(csv->names[c], " [");
        int component = find_component(csv->names[c], length);
        bool is_known = component >= 0 && column_of[component] < 0;
        if (is_known && !(is_flat && component >= 2 && component <= 4)) {
            column_of[component] = c;
            continue;
        }
        is_fine = false;
        gmc_diagnostics_add(r->report, GMC_E_INPUT,
                            (gmc_source){.file = reader_asset_file(r, node->text),
                                         .line = csv->header_line,
                                         .column = csv->name_column[c]},
                            is_flat ? "x, y and yaw, in the first line"
                                    : "x, y, z, roll, pitch and yaw, in the first line",
                            is_known ? "column %.60s leaves the plane"
                                     : "column %.60s is no component, or there twice",
                            csv->names[c]);
    }
    return is_fine;
}

// The plane of a covariance file: each number where it stands.
typedef struct table {
    reader *r;
    const gmc_node *node;
    const gmc_csv *csv;
    bool is_fine;
} table;

static void report_row(table *t, int row, const char *hint, const char *what, double value)
{
    t->is_fine = false;
    gmc_diagnostics_add(
        t->r->report, GMC_E_INPUT,
        (gmc_source){.file = reader_asset_file(t->r, t->node->text), .line = t->csv->lines[row]},
        hint, "%s, found %.17g", what, value);
}

static void check_covariance(table *t)
{
    // six digits of a number that was printed
    const double printed = 1e-6;
    int n = t->csv->column_count;
    for (int i = 0; i < n; i++) {
        double own = gmc_csv_value(t->csv, i, i);
        if (own < 0) report_row(t, i, NULL, "a variance must be >= 0", own);
    }
    for (int i = 0; i < n && t->is_fine; i++)
        for (int j = 0; j < i; j++) {
            char what[160];
            double a = gmc_csv_value(t->csv, i, j), b = gmc_csv_value(t->csv, j, i);
            double size = sqrt(gmc_csv_value(t->csv, i, i) * gmc_csv_value(t->csv, j, j));
            snprintf(what, sizeof what,
                     "the covariance of %.20s and %.20s must be %.9g as that of "
                     "%.20s and %.20s",
                     t->csv->names[i], t->csv->names[j], b, t->csv->names[j], t->csv->names[i]);
            if (fabs(a - b) > printed * size)
                report_row(t, i, "a covariance is symmetric", what, a);
            snprintf(what, sizeof what, "the covariance of %.20s and %.20s must be within +-%.9g",
                     t->csv->names[i], t->csv->names[j], size);
            if (t->is_fine && fabs(a) > (1 + printed) * size)
                report_row(t, i, "at most the product of the two deviations", what, a);
        }
}

static void take_covariance(table *t, const int *column_of)
{
    reader *r = t->r;
    const char *path = reader_join(r, PATH, "sd");
    for (int i = 0; i < GMC_SIGHT_COMPONENTS; i++) {
        int c = column_of[i];
        double variance = c < 0 ? 0 : gmc_csv_value(t->csv, c, c);
        if (!(variance > 0)) continue;
        gmc_param deviation =
            reader_add(r, &(gmc_parameter){.path = reader_join(r, path, COMPONENTS[i]),
                                           .dimension = i < 3 ? GMC_DIM_LENGTH : GMC_DIM_ANGLE,
                                           .nominal = sqrt(variance),
                                           .upper = HUGE_VAL,
                                           .source = t->node->source});
        add_deviation(r, i, deviation, t->node);
        for (int j = 0; j < i; j++) {
            double other = column_of[j] < 0 ? 0 : gmc_csv_value(t->csv, column_of[j], column_of[j]);
            if (!(other > 0)) continue;
            double shared = gmc_csv_value(t->csv, c, column_of[j]) / sqrt(variance * other);
            if (shared != 0) correlate(r, j, i, fmin(fmax(shared, -1), 1), t->node->source);
        }
    }
}

static void read_covariance(reader *r, gmc_node *node)
{
    gmc_csv csv;
    int column_of[GMC_SIGHT_COMPONENTS];
    bool is_open = open_table(r, node, &csv) && find_columns(r, node, &csv, false, column_of);
    table t = {.r = r, .node = node, .csv = &csv, .is_fine = true};
    if (is_open && csv.row_count != csv.column_count)
        gmc_diagnostics_add(r->report, GMC_E_INPUT, node->source,
                            "a header such as x,y,z,roll,pitch,yaw, then a row for each of them",
                            "%.80s: %d columns need as many rows, found %lld", node->text,
                            csv.column_count, (long long)csv.row_count);
    else if (is_open)
        check_covariance(&t);
    if (is_open && csv.row_count == csv.column_count && t.is_fine) take_covariance(&t, column_of);
    gmc_csv_free(&csv);
}

// Each column is `samples(...)` as one would write it; columns of one file are drawn row by row.
static void read_samples(reader *r, gmc_node *node)
{
    gmc_csv csv;
    int column_of[GMC_SIGHT_COMPONENTS];
    bool is_fine = open_table(r, node, &csv) && find_columns(r, node, &csv, true, column_of);
    for (int i = 0; is_fine && i < GMC_SIGHT_COMPONENTS; i++) {
        if (column_of[i] < 0) continue;
        const char *name = csv.names[column_of[i]], *unit = strchr(name, '[');
        int length = unit ? (int)strcspn(unit + 1, "]") : 0;
        char text[640];
        snprintf(text, sizeof text, "nominal + samples(%.250s, column %.120s%s%.*s)", node->text,
                 name, unit ? ", unit " : "", length < 30 ? length : 30, unit ? unit + 1 : "");
        (void)add_line(r, component_path(r, i), node, text);
    }
    gmc_csv_free(&csv);
}

// ---- the block --------------------------------------------------------------------------------

static void read_growth(reader *r, const gmc_node *map)
{
    const char *path = reader_join(r, PATH, "grows_with");
    reader_fields(r, map, path, GMC_SCHEMA_GROWTH, &r->scenario->sight);
}

static void read_outliers(reader *r, const gmc_node *map)
{
    gmc_scenario *s = r->scenario;
    gmc_sight_spec *sight = &s->sight;
    const char *path = reader_join(r, PATH, "outliers");
    const gmc_node *about = gmc_node_find(map, "about");
    if (!map || map->kind != GMC_NODE_MAP) return;
    gmc_param share = reader_number(r, map, path, "share");
    reader_fields(r, map, path, GMC_SCHEMA_OUTLIERS, sight);
    if (about && sight->about != 2 && s->world != GMC_WORLD_SPATIAL)
        gmc_diagnostics_add(r->report, GMC_E_INPUT, about->source, "object.z",
                            "%s.outliers.about: that turn leaves the plane", PATH);
    if (share < 0 || sight->turn < 0) return; // reported
    sight->outlier = reader_add(r, &(gmc_parameter){.path = reader_join(r, PATH, "outlier"),
                                                    .upper = 1,
                                                    .source = map->key_source,
                                                    .is_default = true});
    gmc_uncertain *line = add_line(r, reader_join(r, PATH, "outlier"), map,
                                   "uniform(0, 1) < believed.object.pose.outliers.share");
    if (!line) return;
    line->change = GMC_CHANGE_ABSOLUTE;
    line->distribution = (gmc_distribution){.type = GMC_DISTRIBUTION_UNIFORM, .p = {0, 1}};
    line->relation = GMC_RELATION_BELOW;
    line->by = share;
}

// `cameras` and `believed`, behind `uncertain`; room for what `correlated` holds.
static void reader_believed(reader *r, const gmc_node *root)
{
    gmc_scenario *s = r->scenario;
    gmc_sight_spec *sight = &s->sight;
    *sight = (gmc_sight_spec){
        .camera = -1, .distance = -1, .power = -1, .outlier = -1, .turn = -1, .about = 2};
    read_cameras(r, gmc_node_find(root, "cameras"));
    const gmc_node *map = gmc_node_find(gmc_node_find(root, "believed"), "object.pose");
    const gmc_node *correlated = gmc_node_find(root, "correlated");
    // those of `correlated` come when paths are resolved
    int room = GMC_SIGHT_COMPONENTS * (GMC_SIGHT_COMPONENTS - 1) / 2 +
               (correlated && correlated->kind == GMC_NODE_MAP ? correlated->count : 0);
    s->correlations = reader_take(r, room, sizeof *s->correlations);
    if (!map || map->kind != GMC_NODE_MAP || !s->correlations || !s->uncertain) return;

    sight->is_given = true;
    sight->source = map->key_source;
    sight->camera = find_camera(r, gmc_node_find(map, "seen_by"));
    reader_fields(r, map, PATH, GMC_SCHEMA_SIGHT, sight);
    gmc_node *sd = gmc_node_find(map, "sd"), *covariance = gmc_node_find(map, "covariance");
    gmc_node *samples = gmc_node_find(map, "samples");
    if (sd) // of several the first; that they exclude each other was reported
        read_deviations(r, sd);
    else if (covariance)
        read_covariance(r, covariance);
    else if (samples)
        read_samples(r, samples);
    read_correlation(r, gmc_node_find(map, "correlation"));
    read_growth(r, gmc_node_find(map, "grows_with"));
    read_outliers(r, gmc_node_find(map, "outliers"));
}

// ---- uncertain --------------------------------------------------------------------------------

static void reader_uncertain(reader *r, const gmc_node *map)
{
    gmc_scenario *s = r->scenario;
    bool is_map = map && map->kind == GMC_NODE_MAP;
    s->uncertain =
        reader_take(r, (is_map ? map->count : 0) + GMC_READER_SIGHT_LINES, sizeof *s->uncertain);
    if (!s->uncertain || !is_map) return;
    for (gmc_node *n = map->first; n; n = n->next)
        if (n->kind == GMC_NODE_SCALAR && !n->is_bad)
            s->uncertain[s->uncertain_count++] =
                (gmc_uncertain){.path = n->key, .source = n->key_source, .node = n};
}

// ---- root -------------------------------------------------------------------------------------

// Before all others: formulas know them by their place in the map.
static void read_own(reader *r, const gmc_node *map)
{
    if (!map || map->kind != GMC_NODE_MAP) return;
    for (const gmc_node *n = map->first; n; n = n->next)
        if (n->kind == GMC_NODE_SCALAR) (void)reader_enter(r, n, n->key);
}

// Fill `scenario` from `root`.
// @param root  gains a `surfaces` entry for every surface that is only named
// @return GMC_OK, also when mistakes were reported; GMC_E_ARENA_FULL, GMC_E_MEMORY
static gmc_status fill_from_root(gmc_node *root, gmc_diagnostics *report, gmc_scenario *scenario)
{
    reader r = {.scenario = scenario, .report = report};
    int errors_before = report->error_count;
    scenario->tree = root;
    reader_fields(&r, root, "", GMC_SCHEMA_ROOT, scenario);
    // parameters are entered in this order, which is that of the table and of --parameters
    read_own(&r, gmc_node_find(root, "parameters"));
    GMC_TRY(reader_bodies(&r, root));
    reader_vector(&r, root, "", "gravity", scenario->gravity);
    reader_program(&r, gmc_node_find(root, "program"));
    reader_control(&r, gmc_node_find(root, "control"));
    int errors_else = report->error_count - r.mended; // no model is made of these two
    reader_success(&r, gmc_node_find(root, "success"));
    reader_uncertain(&r, gmc_node_find(root, "uncertain"));
    r.mended = report->error_count - errors_else;
    reader_believed(&r, root);
    reader_study(&r, root);
    reader_planar(&r, root);
    root->is_bad = root->is_bad || report->error_count - errors_before > r.mended;
    return r.is_arena_full ? GMC_E_ARENA_FULL : GMC_OK;
}

// ==== from text ==================================================================================
// From a file to the typed scenario: text, tree, what `use:` and presets bring, `--set`, the checks
// of the schema, and the readers of blocks.

// ---- use --------------------------------------------------------------------------------------

// Folder part of a name, "" if there is none.
static const char *folder_of(gmc_scenario *scenario, const char *name)
{
    const char *slash = strrchr(name, '/');
    size_t length = slash ? (size_t)(slash - name) : 0;
    if (slash == name) length = 1;
    char *folder = gmc_arena_take(scenario->arena, length + 1, 1);
    if (folder) memcpy(folder, name, length);
    return folder;
}

// A file of a scenario holds keys with values.
static gmc_status expect_map(const gmc_node *root, const char *file, gmc_diagnostics *report)
{
    if (root && root->kind == GMC_NODE_MAP) return GMC_OK;
    gmc_diagnostics_add(report, GMC_E_INPUT, (gmc_source){.file = file},
                        "a scenario starts with graspmc: 1",
                        root ? "expected keys with values" : "the file is empty");
    return GMC_E_INPUT;
}

// Meshes and tables must be what they are said to be; a YAML file may be anybody's settings, with
// passwords in it, and a scenario somebody else's. So `use:` stays where the scenario is.
static gmc_status check_reach(const gmc_scenario *scenario, const char *name, gmc_source source,
                              gmc_diagnostics *report)
{
    if (scenario->embedded || strcmp(name, gmc_materials_name) == 0) return GMC_OK;
    char *file = gmc_scenario_place(scenario, name);
    if (!file) return GMC_E_MEMORY;
    bool is_inside = gmc_location_is_inside(scenario->file, scenario->allow, file);
    char *real = is_inside ? NULL : gmc_location_real(file);
    free(file);
    if (is_inside) return GMC_OK;
    char hint[512];
    const char *slash = real ? strrchr(real, '/') : NULL;
    snprintf(hint, sizeof hint, "if you trust the scenario with it: --allow %.*s",
             slash && slash > real ? (int)(slash - real) : 1, real ? real : "/");
    gmc_diagnostics_add(report, GMC_E_INPUT, source, hint,
                        "use: %.200s leads out of the scenario's folder, to %.200s", name,
                        real ? real : "?");
    free(real);
    return GMC_E_INPUT;
}

// Read a file into a tree of its own.
static gmc_status parse(gmc_scenario *scenario, const char *name, gmc_source source,
                        gmc_diagnostics *report, gmc_node **base)
{
    GMC_TRY(check_reach(scenario, name, source, report));
    const gmc_asset *asset = gmc_scenario_load_asset(scenario, name, source, report);
    if (!asset) return gmc_diagnostics_status(report);
    scenario->assets[asset - scenario->assets].is_scenario = true;
    const char *file = asset->file, *folder = folder_of(scenario, name);
    if (!folder) return GMC_E_ARENA_FULL;
    GMC_TRY(gmc_yaml_parse(
        &(gmc_yaml_source){
            .text = asset->bytes, .bytes = asset->size, .file = file, .folder = folder},
        report, scenario->arena, base));
    return expect_map(*base, file, report);
}

// The file that a map's `use:` names, taken out of the map; NULL if there is none, or `use: ~`.
static gmc_status take_name(gmc_scenario *scenario, gmc_node *map, gmc_diagnostics *report,
                            gmc_node **use, const char **name)
{
    *name = NULL;
    *use = gmc_node_find(map, "use");
    if (!*use) return GMC_OK;
    gmc_node_remove(map, *use);
    if (gmc_node_is_empty(*use)) return GMC_OK;
    if ((*use)->kind != GMC_NODE_SCALAR || (*use)->text[0] == 0) {
        gmc_diagnostics_add(report, GMC_E_INPUT, (*use)->source, "use: base.yaml",
                            "use: expected a file name");
        return GMC_E_INPUT;
    }
    bool is_built_in = strcmp((*use)->text, gmc_materials_name) == 0;
    if (!is_built_in && strncmp((*use)->text, "graspmc/", 8) == 0 && strchr((*use)->text, '@')) {
        char hint[64];
        snprintf(hint, sizeof hint, "did you mean %s?", gmc_materials_name);
        gmc_diagnostics_add(report, GMC_E_MISSING, (*use)->source, hint,
                            "use: the program has no table %.120s", (*use)->text);
        return GMC_E_MISSING;
    }
    *name = is_built_in ? gmc_materials_name
                        : gmc_scenario_join(scenario, (*use)->folder, (*use)->text);
    return *name ? GMC_OK : GMC_E_ARENA_FULL;
}

// Put the block of another file under that of this one, as the blocks of two scenarios are merged.
static gmc_status merge_block(gmc_scenario *scenario, gmc_node *root, gmc_node *block,
                              gmc_node *base)
{
    gmc_node *under = gmc_node_create(scenario->arena, GMC_NODE_MAP, base->source);
    gmc_node *over = gmc_node_create(scenario->arena, GMC_NODE_MAP, block->source);
    gmc_node *copy = gmc_node_copy(block, scenario->arena);
    if (!under || !over || !copy) return GMC_E_ARENA_FULL;
    gmc_node_append(under, block->key, block->key_source, base);
    gmc_node_append(over, block->key, block->key_source, copy);
    GMC_TRY(gmc_merge_trees(GMC_SCHEMA_ROOT, under, over, scenario->arena));
    gmc_node_replace(root, block, gmc_node_find(under, block->key));
    return GMC_OK;
}

// `use:` inside of `believed`, `cameras`, `uncertain` and `correlated`: the file holds keys of that
// block, what stands beside `use:` overrides them.
static gmc_status use_blocks(gmc_scenario *scenario, gmc_diagnostics *report, gmc_node *root)
{
    for (int i = 0; i < GMC_MERGE_BLOCKS; i++) {
        gmc_node *block = gmc_node_find(root, gmc_merge_blocks[i]), *use = NULL, *base = NULL;
        const char *name = NULL;
        if (!block || block->kind != GMC_NODE_MAP) continue;
        GMC_TRY(take_name(scenario, block, report, &use, &name));
        if (!name) continue;
        GMC_TRY(parse(scenario, name, use->source, report, &base));
        if (base) GMC_TRY(merge_block(scenario, root, block, base));
    }
    return GMC_OK;
}

static gmc_status follow(gmc_scenario *scenario, gmc_diagnostics *report, const char **names,
                         int depth, gmc_node **root)
{
    gmc_node *use = NULL, *base = NULL;
    const char *name = NULL;
    GMC_TRY(take_name(scenario, *root, report, &use, &name));
    if (!name) return GMC_OK;
    bool is_cycle = false;
    for (int i = 0; i < depth; i++)
        is_cycle = is_cycle || strcmp(names[i], name) == 0;
    if (is_cycle || depth == GMC_MERGE_USE_MAX) {
        gmc_diagnostics_add(report, GMC_E_INPUT, use->source, NULL, "use: %.200s: %s", name,
                            is_cycle ? "is being read already: the files use each other in a circle"
                                     : "the chain of files is too long");
        return GMC_E_INPUT;
    }
    names[depth] = name;
    GMC_TRY(parse(scenario, name, use->source, report, &base));
    GMC_TRY(use_blocks(scenario, report, base));
    GMC_TRY(follow(scenario, report, names, depth + 1, &base));
    GMC_TRY(gmc_merge_trees(GMC_SCHEMA_ROOT, base, *root, scenario->arena));
    *root = base;
    return GMC_OK;
}

// Put the file named by `use:` under the tree, and so on down the chain; the blocks of each file
// first.
// @param name  of the scenario itself, so that a circle is seen
// @param root  in: as parsed; out: merged
static gmc_status follow_use(gmc_scenario *scenario, const char *name, gmc_diagnostics *report,
                             gmc_node **root)
{
    const char *names[GMC_MERGE_USE_MAX + 1] = {name};
    GMC_TRY(use_blocks(scenario, report, *root));
    return follow(scenario, report, names, 1, root);
}

// ---- reading ----------------------------------------------------------------------------------

static const char *last_part(const char *file)
{
    const char *slash = strrchr(file, '/');
    return slash ? slash + 1 : file;
}

// Everything after the text of the main file is at hand.
static gmc_status read_text(const char *const *sets, size_t bytes, gmc_diagnostics *report,
                            gmc_scenario *scenario)
{
    gmc_arena *arena = scenario->arena;
    gmc_node *root = NULL;
    gmc_status status = gmc_yaml_parse(
        &(gmc_yaml_source){
            .text = scenario->text, .bytes = bytes, .file = scenario->file, .folder = ""},
        report, arena, &root);
    if (status != GMC_OK && !(status == GMC_E_INPUT && root)) return status; // duplicates: go on
    GMC_TRY(expect_map(root, scenario->file, report));
    GMC_TRY(follow_use(scenario, last_part(scenario->file), report, &root));
    GMC_TRY(gmc_preset_expand(root, report, arena)); // --set names phases
    for (int i = 0; sets && sets[i]; i++)
        GMC_TRY(gmc_merge_set(root, sets[i], report, arena));
    if (sets) GMC_TRY(use_blocks(scenario, report, root));
    if (sets) GMC_TRY(gmc_preset_expand(root, report, arena));

    gmc_materials_prune(root);
    GMC_TRY(gmc_validate_tree(root, report, arena));
    GMC_TRY(fill_from_root(root, report, scenario));
    return gmc_diagnostics_status(report);
}

// A file of another kind than scenarios are, told by its first bytes.
static bool is_foreign(const char *file, const gmc_file *content, gmc_diagnostics *report)
{
    const char *text = (const char *)content->bytes, *what = NULL, *hint = NULL;
    const char *start = text + strspn(text, " \t\r\n");
    if (gmc_grasps_format_is_hdf5(content->bytes, content->size)) {
        what = "this is a result, not a scenario";
        hint = "graspmc show or replay read it; run SCENARIO -o RESULT --resume goes on with it";
    } else if (*start == '<' && strstr(text, "<robot")) {
        what = "this is a URDF, not a scenario";
        hint = "a scenario names it:  hand: {urdf: FILE}";
    } else if (*start == '<' && strstr(text, "<mujoco")) {
        what = "this is an MJCF, not a scenario";
        hint = "a scenario names it:  hand: {mjcf: FILE}";
    } else if (*start == '<') {
        what = "this is XML, not a scenario";
        hint = "a scenario is YAML and starts with graspmc: 1";
    }
    if (what)
        gmc_diagnostics_add(report, GMC_E_INPUT, (gmc_source){.file = file}, hint, "%s", what);
    return what != NULL;
}

gmc_status gmc_scenario_read(const char *file, const char *const *sets, const char *const *allow,
                             gmc_diagnostics *report, gmc_arena *arena, gmc_scenario *scenario)
{
    *scenario = (gmc_scenario){.file = file, .allow = allow, .arena = arena, .case_count = 1};
    gmc_file content = {0};
    gmc_status status = gmc_file_read(file, &content);
    if (status != GMC_OK) {
        gmc_scenario_report_file(report, status, (gmc_source){.file = NULL}, file);
        return status;
    }
    if (is_foreign(file, &content, report)) {
        gmc_file_free(&content);
        return GMC_E_INPUT;
    }
    size_t bytes = content.size;
    char *copy = gmc_arena_take(arena, bytes + 1, 1);
    if (copy) memcpy(copy, content.bytes, bytes);
    gmc_file_free(&content);
    if (!copy) return GMC_E_ARENA_FULL;
    scenario->text = copy;
    return read_text(sets, bytes, report, scenario);
}

gmc_status gmc_scenario_read_text(const char *file, const char *text, gmc_diagnostics *report,
                                  gmc_arena *arena, gmc_scenario *scenario)
{
    *scenario = (gmc_scenario){.file = file, .arena = arena, .case_count = 1};
    scenario->text = gmc_arena_text(arena, text);
    return scenario->text ? read_text(NULL, strlen(text), report, scenario) : GMC_E_ARENA_FULL;
}

gmc_status gmc_scenario_read_embedded(const gmc_embedded *from, gmc_diagnostics *report,
                                      gmc_arena *arena, gmc_scenario *scenario)
{
    static const gmc_asset none = {0};
    *scenario = (gmc_scenario){.file = from->file,
                               .arena = arena,
                               .case_count = 1,
                               .embedded = from->assets ? from->assets : &none,
                               .embedded_count = from->asset_count};
    char *copy = gmc_arena_take(arena, from->bytes + 1, 1);
    if (!copy) return GMC_E_ARENA_FULL;
    memcpy(copy, from->text, from->bytes);
    scenario->text = copy;
    return read_text(NULL, from->bytes, report, scenario);
}
