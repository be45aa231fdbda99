// A shape is told as the hull of some points grown by a radius: exact for all but cylinders and
// super-ellipses, the same in two and three dimensions, and its outline in any view is the hull of
// a few circles. Kinds with their sizes were tried first: then every reader needs all the formulas
// that stand here.
#include "cli/new/shapes.h"

#include "engine/math/elementary.h"

#include <math.h>

enum { CURVE_POINTS = 64 }; ///< of an ellipse: chords are within 0.12 % of its half axis

/// What is done with points, in another frame.
typedef struct taking {
    gmc_shapes_taker *take;
    void *context;
    const gmc_pose *X;
    double radius;
} taking;

static void give(const taking *t, double x, double y, double z)
{
    t->take(t->context, gmc_pose_apply(t->X, (gmc_vec3){x, y, z}), t->radius);
}

static void print_line(gmc_json *json, int from, int to)
{
    gmc_json_open(json, NULL, '[');
    gmc_json_whole(json, NULL, (uint64_t)from);
    gmc_json_whole(json, NULL, (uint64_t)to);
    gmc_json_close(json, ']');
}

static void print_ring_lines(gmc_json *json, int first)
{
    for (int i = 0; i < CURVE_POINTS; i++)
        print_line(json, first + i, first + (i + 1) % CURVE_POINTS);
}

/// |c|^e with the sign of c.
static double signed_power(double c, double e) { return copysign(gmc_pow(fabs(c), e), c); }

/// Points of |x/a|^p + |y/b|^p = 1 at height z.
static void give_ring(const taking *t, double a, double b, double p, double z)
{
    for (int i = 0; i < CURVE_POINTS; i++) {
        double sine, cosine;
        gmc_sin_cos(2 * GMC_PI * i / CURVE_POINTS, &sine, &cosine);
        give(t, a * signed_power(cosine, 2 / p), b * signed_power(sine, 2 / p), z);
    }
}

static double rounding_of(const gmc_shape *s)
{
    bool is_round =
        s->type == GMC_SHAPE_SPHERE || s->type == GMC_SHAPE_CAPSULE || s->type == GMC_SHAPE_CIRCLE;
    return is_round ? s->radius : 0;
}

static void give_points(const gmc_pose *X, const gmc_shape *s, gmc_shapes_taker *take,
                        void *context)
{
    const taking t = {take, context, X, rounding_of(s)};
    switch (s->type) {
    case GMC_SHAPE_SPHERE:
    case GMC_SHAPE_CIRCLE:
    case GMC_SHAPE_PLANE:
        give(&t, 0, 0, 0);
        break;
    case GMC_SHAPE_CAPSULE:
        give(&t, 0, 0, -s->half_length);
        give(&t, 0, 0, s->half_length);
        break;
    case GMC_SHAPE_BOX:
        for (unsigned i = 0; i < 8; i++)
            give(&t, i & 1U ? s->half.x : -s->half.x, i & 2U ? s->half.y : -s->half.y,
                 i & 4U ? s->half.z : -s->half.z);
        break;
    case GMC_SHAPE_CYLINDER:
        give_ring(&t, s->radius, s->radius, 2, -s->half_length);
        give_ring(&t, s->radius, s->radius, 2, s->half_length);
        break;
    case GMC_SHAPE_SUPER_ELLIPSE:
        give_ring(&t, s->half.x, s->half.y, s->exponent, 0);
        break;
    case GMC_SHAPE_POLYTOPE:
        for (int i = 0; i < s->polytope->vertex_count; i++) {
            gmc_vec3 p = gmc_vec3_scale(s->scale, s->polytope->vertices[i]);
            give(&t, p.x, p.y, p.z);
        }
        break;
    case GMC_SHAPE_POLYGON:
        for (int i = 0; i < s->polygon->count; i++) {
            gmc_vec2 p = gmc_vec2_scale(s->scale, s->polygon->vertices[i]);
            give(&t, p.x, p.y, 0);
        }
        break;
    case GMC_SHAPE_COUNT:
        break;
    }
}

/// Edges, as pairs of points; what only splits a body into pieces is none.
static void print_lines(gmc_json *json, const gmc_shape *s)
{
    switch (s->type) {
    case GMC_SHAPE_SPHERE:
    case GMC_SHAPE_CIRCLE:
    case GMC_SHAPE_PLANE:
    case GMC_SHAPE_CAPSULE:
        break;
    case GMC_SHAPE_BOX:
        for (unsigned i = 0; i < 8; i++)
            for (unsigned bit = 1; bit < 8; bit *= 2)
                if (!(i & bit)) print_line(json, (int)i, (int)(i | bit));
        break;
    case GMC_SHAPE_CYLINDER:
        print_ring_lines(json, CURVE_POINTS);
        print_ring_lines(json, 0);
        break;
    case GMC_SHAPE_SUPER_ELLIPSE:
        print_ring_lines(json, 0);
        break;
    case GMC_SHAPE_POLYTOPE:
        for (int i = 0; i < s->polytope->edge_count; i++)
            print_line(json, s->polytope->edges[i][0], s->polytope->edges[i][1]);
        break;
    case GMC_SHAPE_POLYGON:
        for (int i = 0; i < s->polygon->count; i++)
            if (!s->polygon->is_inner[i]) print_line(json, i, (i + 1) % s->polygon->count);
        break;
    case GMC_SHAPE_COUNT:
        break;
    }
}

static void print_point(void *context, gmc_vec3 p, double radius)
{
    gmc_json *json = context;
    (void)radius;
    gmc_json_reals(json, NULL, (const double[]){p.x, p.y, p.z}, 3);
}

static void print_geom(gmc_json *json, const gmc_model *model, const gmc_geom *geom)
{
    const gmc_shape *shape = &geom->shape;
    gmc_json_open(json, NULL, '{');
    gmc_json_text(json, "geom", geom->name);
    gmc_json_text(json, "body", model->bodies[geom->body].name);
    gmc_json_flag(json, "fixed", gmc_model_is_static(model, geom->body));
    gmc_json_open(json, "points", '[');
    give_points(&geom->X_bg, shape, print_point, json);
    gmc_json_close(json, ']');
    gmc_json_real(json, "radius", rounding_of(shape));
    gmc_json_open(json, "lines", '[');
    print_lines(json, shape);
    gmc_json_close(json, ']');
    gmc_vec3 n = gmc_mat3_apply(&geom->X_bg.R, (gmc_vec3){0, 0, 1});
    gmc_json_reals(json, "normal", (const double[]){n.x, n.y, n.z},
                   shape->type == GMC_SHAPE_PLANE ? 3 : 0);
    gmc_json_close(json, '}');
}

void gmc_shapes_print(gmc_json *json, const gmc_model *model)
{
    gmc_json_open(json, "shapes", '[');
    for (int i = 0; i < model->geom_count; i++)
        print_geom(json, model, &model->geoms[i]);
    gmc_json_close(json, ']');
    gmc_json_open(json, "supports", '[');
    for (int i = 0; i < model->support_count; i++) {
        const gmc_support *support = &model->supports[i];
        gmc_json_open(json, NULL, '{');
        gmc_json_text(json, "body", model->bodies[support->body].name);
        gmc_json_open(json, "points", '[');
        for (int k = support->point_first; k < support->point_first + support->point_count; k++)
            print_point(
                json, (gmc_vec3){model->support_points[k].p.x, model->support_points[k].p.y, 0}, 0);
        gmc_json_close(json, ']');
        gmc_json_close(json, '}');
    }
    gmc_json_close(json, ']');
}

void gmc_shapes_of_body(const gmc_model *model, int body, gmc_shapes_taker *take, void *context)
{
    for (int g = 0; g < model->geom_count; g++) {
        const gmc_geom *geom = &model->geoms[g];
        if (geom->body == body && geom->shape.type != GMC_SHAPE_PLANE)
            give_points(&geom->X_bg, &geom->shape, take, context);
    }
}

typedef struct box {
    gmc_vec3 low, high;
} box;

static void widen(void *context, gmc_vec3 p, double r)
{
    box *b = context;
    b->low =
        gmc_vec3_make(fmin(b->low.x, p.x - r), fmin(b->low.y, p.y - r), fmin(b->low.z, p.z - r));
    b->high =
        gmc_vec3_make(fmax(b->high.x, p.x + r), fmax(b->high.y, p.y + r), fmax(b->high.z, p.z + r));
}

bool gmc_shapes_box(const gmc_model *model, int body, gmc_vec3 *low, gmc_vec3 *high)
{
    box b = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    gmc_shapes_of_body(model, body, widen, &b);
    *low = b.low;
    *high = b.high;
    return isfinite(b.low.x);
}
