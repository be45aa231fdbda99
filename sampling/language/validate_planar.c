// Outlines of planar shapes: vertices as written, and gears, which are short for theirs; points on
// which bodies lie, and functions of time.
//
// Vertices are no parameters: what is made of them (convex pieces, corners) is made once. A shape
// that chance or a study changes is a box, a circle or a super-ellipse.
#include "engine/math/elementary.h"
#include "engine/model/polygon.h"
#include "sampling/language/units.h"
#include "sampling/language/validate_internal.h"

#include <stdio.h>

static const double PI = 3.14159265358979323846;

static bool check_vertex(gmc_validate *v, const gmc_schema_row *row, gmc_node *node)
{
    static const char *const XY[] = {"x", "y"};
    if (node->kind != GMC_NODE_LIST || node->count != 2) {
        gmc_validate_value_complain(v, node, "for example [10 mm, 0 mm]",
                                    "expected a list of two numbers, [x, y]");
        return false;
    }
    bool is_good = true;
    int i = 0;
    for (gmc_node *n = node->first; n && i < 2; n = n->next, i++) {
        size_t before = gmc_validate_push(v, XY[i]);
        gmc_validate_value_number(v, n, row, row->dimension);
        n->row = row;
        gmc_validate_pop(v, before);
        is_good = is_good && n->is_number;
    }
    return is_good;
}

// Vertices whose numbers are known; NULL: the arena is full.
static gmc_vec2 *vertices_of(gmc_validate *v, const gmc_node *list)
{
    gmc_vec2 *vertices = gmc_arena_take(v->arena, (size_t)list->count, sizeof *vertices);
    int i = 0;
    for (const gmc_node *n = list->first; vertices && n; n = n->next, i++)
        vertices[i] = (gmc_vec2){n->first->number, n->last->number};
    return vertices;
}

// A list of [x, y] whose numbers are all known.
static bool check_vertices(gmc_validate *v, const gmc_schema_row *row, gmc_node *node,
                           const char *what)
{
    if (node->kind != GMC_NODE_LIST) {
        char said[64];
        snprintf(said, sizeof said, "expected a list of %s", what);
        gmc_validate_value_complain(v, node, "[[0 mm, 0 mm], [30 mm, 0 mm], [0 mm, 40 mm]]", said);
        return false;
    }
    bool is_good = true;
    int index = 0;
    for (gmc_node *n = node->first; n && !gmc_validate_is_full(v); n = n->next, index++) {
        size_t before = gmc_validate_push_index(v, index);
        is_good = check_vertex(v, row, n) && is_good;
        gmc_validate_pop(v, before);
    }
    return is_good;
}

gmc_status gmc_validate_polygon(gmc_validate *v, const gmc_schema_row *row, gmc_node *node)
{
    if (!check_vertices(v, row, node, "vertices")) return GMC_OK;
    gmc_vec2 *vertices = vertices_of(v, node);
    if (!vertices) return GMC_E_ARENA_FULL;
    gmc_polygon_verdict verdict = gmc_polygon_check(vertices, node->count);
    if (verdict.flaw == GMC_POLYGON_GOOD) return GMC_OK;
    char message[300];
    const char *hint = gmc_polygon_explain(&verdict, vertices, message, sizeof message);
    // of two vertices at one place the second is too many
    int shown = verdict.flaw == GMC_POLYGON_REPEATED ? verdict.second : verdict.first;
    const gmc_node *at = node;
    if (shown >= 0)
        for (at = node->first; shown > 0; shown--)
            at = at->next;
    gmc_validate_value_complain(v, at, hint, message);
    return GMC_OK;
}

// Points nearer to a line than this share of their extent stand in it, as in model/support.c.
static const double LINE = 1e-6;

gmc_status gmc_validate_points(gmc_validate *v, const gmc_schema_row *row, gmc_node *node)
{
    node->is_bad = true; // until proved good
    if (!check_vertices(v, row, node, "points")) return GMC_OK;
    if (node->count < 3) {
        gmc_validate_value_complain(v, node, NULL, "what stands needs three points or more");
        return GMC_OK;
    }
    const gmc_vec2 *p = vertices_of(v, node);
    if (!p) return GMC_E_ARENA_FULL;
    gmc_vec2 mean = {0, 0};
    double xx = 0, yy = 0, xy = 0;
    for (int i = 0; i < node->count; i++)
        mean = gmc_vec2_add_scaled(mean, 1.0 / node->count, p[i]);
    for (int i = 0; i < node->count; i++) {
        gmc_vec2 d = gmc_vec2_sub(p[i], mean);
        xx += d.x * d.x;
        yy += d.y * d.y;
        xy += d.x * d.y;
    }
    node->is_bad = !(xx * yy - xy * xy > LINE * LINE * (xx + yy) * (xx + yy));
    if (node->is_bad)
        gmc_validate_value_complain(v, node, "move one of them to the side",
                                    "the points stand in a line");
    return GMC_OK;
}

static bool check_knot(gmc_validate *v, const gmc_schema_row *row, gmc_node *node)
{
    static const gmc_schema_row TIME = {.key = "time", .lower = 0, .upper = INFINITY};
    if (node->kind != GMC_NODE_LIST || node->count != 2) {
        gmc_validate_value_complain(v, node, "for example [0.5 s, 20 mm]",
                                    "expected a time and a number");
        return false;
    }
    size_t before = gmc_validate_push(v, "time");
    gmc_validate_value_number(v, node->first, &TIME, GMC_DIM_TIME);
    gmc_validate_pop(v, before);
    before = gmc_validate_push(v, "value");
    gmc_validate_value_number(v, node->last, row, row->dimension);
    gmc_validate_pop(v, before);
    return node->first->is_number && node->last->is_number;
}

void gmc_validate_knots(gmc_validate *v, const gmc_schema_row *row, gmc_node *node)
{
    if (node->kind != GMC_NODE_LIST || node->count == 0) {
        gmc_validate_value_complain(v, node, "[[0 s, 0 mm], [1 s, 20 mm]]",
                                    "expected a list of times with a number each");
        return;
    }
    const gmc_node *last = NULL;
    int index = 0;
    for (gmc_node *n = node->first; n && !gmc_validate_is_full(v); n = n->next, index++) {
        size_t before = gmc_validate_push_index(v, index);
        bool is_good = check_knot(v, row, n);
        node->is_bad = node->is_bad || !is_good;
        if (is_good && last && !(n->first->number > last->first->number))
            gmc_validate_value_complain(v, n->first, "times increase",
                                        "not later than the one before");
        last = is_good ? n : NULL;
        gmc_validate_pop(v, before);
    }
}

// ---- gears ------------------------------------------------------------------------------------

/// A gear as written [m, rad], and what follows for a tooth on +x: corners of its tip and its root.
typedef struct gear {
    int teeth;
    double outer, root, tip, flank;
    gmc_vec2 tip_corner, root_corner; ///< y > 0
} gear;

// Where the flank from the tip's corner inwards meets the circle of the roots.
static bool find_root(gear *g)
{
    double half = g->tip / 2, slope = gmc_tan(g->flank);
    if (!(half < g->outer) || !(g->root < g->outer)) return false;
    double x = sqrt(g->outer * g->outer - half * half);
    g->tip_corner = (gmc_vec2){x, half};
    // (x - s)^2 + (half + slope s)^2 = root^2, the first s > 0
    double a = 1 + slope * slope, b = half * slope - x;
    double c = g->outer * g->outer - g->root * g->root, under = b * b - a * c;
    if (!(under >= 0)) return false;
    double s = (-b - sqrt(under)) / a;
    g->root_corner = (gmc_vec2){x - s, half + slope * s};
    return g->root_corner.y > 0 && g->root_corner.x > 0;
}

static gmc_vec2 turned(double angle, double x, double y)
{
    double c = gmc_cos(angle), s = gmc_sin(angle);
    return (gmc_vec2){c * x - s * y, s * x + c * y};
}

static gmc_node *number_node(gmc_validate *v, const gmc_node *from, const gmc_schema_row *row,
                             double value)
{
    char number[GMC_UNITS_TEXT], text[GMC_UNITS_TEXT + 4];
    gmc_units_print(value, number);
    snprintf(text, sizeof text, "%s m", number);
    gmc_node *node = gmc_node_create(v->arena, GMC_NODE_SCALAR, from->source);
    if (!node) return NULL;
    node->text = gmc_arena_text(v->arena, text);
    node->is_plain = node->is_number = true;
    node->number = value;
    node->dimension = GMC_DIM_LENGTH;
    node->row = row;
    node->folder = from->folder;
    return node->text ? node : NULL;
}

static gmc_status add_vertex(gmc_validate *v, gmc_node *list, gmc_vec2 p)
{
    gmc_node *pair = gmc_node_create(v->arena, GMC_NODE_LIST, list->source);
    gmc_node *x = number_node(v, list, list->row, p.x), *y = number_node(v, list, list->row, p.y);
    if (!pair || !x || !y) return GMC_E_ARENA_FULL;
    gmc_node_append(pair, NULL, list->source, x);
    gmc_node_append(pair, NULL, list->source, y);
    gmc_node_append(list, NULL, list->source, pair);
    return GMC_OK;
}

static double number_of(const gmc_node *map, const char *key, bool *is_known)
{
    const gmc_node *node = gmc_node_find(map, key);
    *is_known = *is_known && node && node->is_number;
    return node && node->is_number ? node->number : 0;
}

gmc_status gmc_validate_gear(gmc_validate *v, gmc_node *map, gmc_node *from)
{
    bool is_known = from->kind == GMC_NODE_MAP;
    gear g = {.teeth = (int)gmc_node_whole(gmc_node_find(from, "teeth"), 0),
              .outer = number_of(from, "diameter", &is_known) / 2,
              .root = number_of(from, "root_diameter", &is_known) / 2,
              .tip = number_of(from, "tip_width", &is_known),
              .flank = number_of(from, "flank", &is_known)};
    if (!is_known || g.teeth == 0) return GMC_OK; // reported
    size_t before = gmc_validate_push(v, "gear");
    bool is_possible = find_root(&g);
    double share = PI / g.teeth;
    if (!is_possible)
        gmc_validate_value_complain(v, from, "root_diameter < diameter, tip_width < diameter",
                                    "flanks from its tips do not meet the circle of its roots");
    else if (!(gmc_atan2(g.root_corner.y, g.root_corner.x) < share &&
               gmc_atan2(g.tip_corner.y, g.tip_corner.x) < share))
        gmc_validate_value_complain(v, from, "fewer teeth, narrower tips or steeper flanks",
                                    "its teeth overlap");
    else {
        gmc_node *list = gmc_node_create(v->arena, GMC_NODE_LIST, from->source);
        if (!list) return GMC_E_ARENA_FULL;
        list->folder = from->folder;
        list->row = gmc_schema_find(from->row->group, "polygon");
        for (int i = 0; i < g.teeth; i++) {
            double angle = 2 * share * i;
            GMC_TRY(add_vertex(v, list, turned(angle, g.root_corner.x, -g.root_corner.y)));
            GMC_TRY(add_vertex(v, list, turned(angle, g.tip_corner.x, -g.tip_corner.y)));
            GMC_TRY(add_vertex(v, list, turned(angle, g.tip_corner.x, g.tip_corner.y)));
            GMC_TRY(add_vertex(v, list, turned(angle, g.root_corner.x, g.root_corner.y)));
        }
        gmc_node_replace(map, from, list);
        list->key = "polygon";
    }
    gmc_validate_pop(v, before);
    return GMC_OK;
}
