// Planar worlds: everything stays in the plane z = 0. Keys that leave it have been refused by the
// table (gmc_schema_row.worlds); here are the numbers that would, and what means nothing there.
#include "sampling/language/expression.h"
#include "sampling/scenario/reader_internal.h"

#include <string.h>

static void complain(gmc_reader *r, gmc_source source, const char *hint, const char *path,
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

static void check_in_plane(gmc_reader *r, const gmc_node *list, const char *path)
{
    const gmc_node *z = third(list);
    if (z) complain(r, z->source, "[x, y, 0]", path, "points out of the plane z = 0");
}

// ---- bodies -----------------------------------------------------------------------------------

static void check_item(gmc_reader *r, const gmc_item_spec *item, const gmc_node *map)
{
    bool is_thick = item->kind == GMC_KIND_CIRCLE || item->kind == GMC_KIND_SUPER_ELLIPSE ||
                    item->kind == GMC_KIND_POLYGON;
    const gmc_node *thickness = gmc_node_find(map, "thickness");
    const gmc_node *density = gmc_node_find(map, "density");
    const gmc_node *inertia = gmc_node_find(map, "inertia");
    if (density && is_thick && !thickness)
        complain(r, density->key_source, "for example thickness: 6 mm", item->path,
                 "density needs a thickness");
    if (thickness && !is_thick && item->kind != GMC_KIND_NONE)
        complain(r, thickness->key_source, "leave it out", item->path,
                 "its shape is solid and has its thickness already");
    check_in_plane(r, gmc_node_find(map, "com"), gmc_reader_join(r, item->path, "com"));
    if (!inertia || inertia->kind != GMC_NODE_LIST || inertia->count != 6) return;
    const gmc_node *xz = inertia->last->is_number ? inertia->first : NULL;
    for (int i = 0; xz && i < 4; i++)
        xz = xz->next;
    if (xz && (xz->number != 0 || xz->next->number != 0))
        complain(r, inertia->source, "xz and yz are 0", gmc_reader_join(r, item->path, "inertia"),
                 "z must be a principal axis, or the body would turn out of the plane");
}

static double value_of(const gmc_reader *r, gmc_param param)
{
    return param >= 0 ? r->scenario->parameters[param].nominal : 0;
}

// Is the centre of mass inside the triangle of three points, whichever way they run?
static bool is_around(const gmc_reader *r, const gmc_item_spec *item)
{
    gmc_vec2 com = item->centre, p[3];
    if (item->com[0] >= 0) com = (gmc_vec2){value_of(r, item->com[0]), value_of(r, item->com[1])};
    for (int i = 0; i < 3; i++)
        p[i] = gmc_vec2_sub((gmc_vec2){value_of(r, item->support->points[2 * i]),
                                       value_of(r, item->support->points[2 * i + 1])},
                            com);
    double a = gmc_vec2_cross(p[0], p[1]), b = gmc_vec2_cross(p[1], p[2]);
    double c = gmc_vec2_cross(p[2], p[0]);
    return (a > 0 && b > 0 && c > 0) || (a < 0 && b < 0 && c < 0);
}

static void check_support(gmc_reader *r, const gmc_item_spec *item, const gmc_node *map)
{
    const gmc_node *support = gmc_node_find(map, "support");
    const gmc_footing_spec *f = item->support;
    if (!support || !f) return;
    const char *path = gmc_reader_join(r, item->path, "support");
    if (r->scenario->world == GMC_WORLD_PLANAR)
        complain(r, support->key_source, "world: planar-support", path,
                 "gravity lies in the plane and presses nothing on it");
    if (item->is_fixed)
        complain(r, support->key_source, "remove it, or add free: true", path,
                 "a fixed body needs nothing to lie on");
    const gmc_node *friction = gmc_node_find(support, "friction");
    if (friction && friction->kind == GMC_NODE_LIST && f->friction_count != f->point_count)
        complain(r, friction->source, "one coefficient for each of the points", path,
                 "as many coefficients as points are needed");
    if (f->point_count == 3 && !is_around(r, item))
        complain(r, f->source, "move the points until they surround it",
                 gmc_reader_join(r, path, "points"),
                 "the centre of mass lies outside of the triangle");
}

static void check_courses(gmc_reader *r, const gmc_item_spec *item, bool is_object)
{
    if (item->course && is_object)
        complain(r, item->course->source, "bodies that are driven belong into the scene",
                 item->path, "an object moves freely and follows no path");
    else if (item->course && !item->is_fixed)
        complain(r, item->course->source, "remove free: true", item->path,
                 "a body on a path does not move freely");
    if (item->push && item->is_fixed)
        complain(r, item->push->source, "add free: true", item->path,
                 "forces move nothing that is not free");
}

static void check_items(gmc_reader *r, const gmc_item_spec *items, int count, const gmc_node *maps)
{
    for (int i = 0; i < count; i++) {
        const gmc_node *map = gmc_node_find(maps, items[i].name);
        check_item(r, &items[i], map);
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

static void check_axis(gmc_reader *r, const gmc_node *axis, bool is_turn, const char *path)
{
    if (!axis) return;
    if (is_turn && !is_about_z(axis))
        complain(r, axis->source, "z or -z", path, "turns out of the plane z = 0");
    if (is_turn) return;
    bool is_out =
        axis->kind == GMC_NODE_SCALAR ? strchr(axis->text, 'z') != NULL : third(axis) != NULL;
    if (is_out) complain(r, axis->source, "x, y or [x, y, 0]", path, "leaves the plane z = 0");
}

static void check_phase(gmc_reader *r, const gmc_node *phase)
{
    const gmc_node *body = phase->kind == GMC_NODE_MAP ? phase->first : NULL;
    if (!body || body->kind != GMC_NODE_MAP) return;
    const char *kind = body->key;
    if (strcmp(kind, "lift") == 0 && r->scenario->world == GMC_WORLD_PLANAR_SUPPORT)
        complain(r, body->key_source, "use move: {by: [x, y, 0], in: ...}", kind,
                 "seen from above nothing is lifted");
    if (strcmp(kind, "move") == 0) check_in_plane(r, gmc_node_find(body, "by"), "move.by");
    if (strcmp(kind, "turn") == 0) check_axis(r, gmc_node_find(body, "axis"), true, "turn.axis");
    if (strcmp(kind, "shake") == 0) {
        check_axis(r, gmc_node_find(body, "axis"), false, "shake.axis");
        check_axis(r, gmc_node_find(body, "about"), true, "shake.about");
    }
}

// ---- measures ---------------------------------------------------------------------------------

static void check_measures(gmc_reader *r, const gmc_expression *e)
{
    if (!e) return;
    check_measures(r, e->left);
    check_measures(r, e->right);
    if (e->op != GMC_OP_MEASURE) return;
    bool is_above = r->scenario->world == GMC_WORLD_PLANAR_SUPPORT;
    if (e->measure == GMC_MEASURE_TILTED)
        complain(r, e->source, "use turned(...)", "tilted",
                 "what moves in the plane z = 0 turns about z alone");
    if (is_above && (e->measure == GMC_MEASURE_LIFT || e->measure == GMC_MEASURE_HEIGHT))
        complain(r, e->source, "use moved(...) or distance(...)",
                 gmc_measure_infos[e->measure].name, "seen from above nothing has a height");
}

static void check_gravity(gmc_reader *r, const gmc_node *gravity)
{
    const gmc_node *z = third(gravity);
    if (!z) return;
    if (r->scenario->world == GMC_WORLD_PLANAR)
        complain(r, z->source, "gravity that presses on a support: world: planar-support",
                 "gravity", "must lie in the plane z = 0");
    else if (z->number > 0)
        complain(r, z->source, "[0 m/s2, 0 m/s2, -9.81 m/s2]", "gravity",
                 "must press on the support, along -z");
}

void gmc_reader_planar(gmc_reader *r, const gmc_node *root)
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
