// A shape is told as the hull of some points grown by a radius: exact for all but cylinders and
// super-ellipses, the same in two and three dimensions, and its outline in any view is the hull of
// a few circles. Kinds with their sizes were tried first: then every reader needs all the formulas
// that stand here.
#include "cli/shapes.h"

#include "engine/math/elementary.h"

#include <math.h>

enum { CURVE_POINTS = 64 }; ///< of an ellipse: chords are within 0.12 % of its half axis

static void print_point(gmc_json *json, const gmc_pose *X, double x, double y, double z)
{
    gmc_vec3 p = gmc_pose_apply(X, (gmc_vec3){x, y, z});
    gmc_json_open(json, NULL, '[');
    gmc_json_real(json, NULL, p.x);
    gmc_json_real(json, NULL, p.y);
    gmc_json_real(json, NULL, p.z);
    gmc_json_close(json, ']');
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
static void print_ring(gmc_json *json, const gmc_pose *X, double a, double b, double p, double z)
{
    for (int i = 0; i < CURVE_POINTS; i++) {
        double sine, cosine;
        gmc_sin_cos(2 * GMC_PI * i / CURVE_POINTS, &sine, &cosine);
        print_point(json, X, a * signed_power(cosine, 2 / p), b * signed_power(sine, 2 / p), z);
    }
}

static void print_points(gmc_json *json, const gmc_pose *X, const gmc_shape *s)
{
    switch (s->type) {
    case GMC_SHAPE_SPHERE:
    case GMC_SHAPE_CIRCLE:
    case GMC_SHAPE_PLANE:
        print_point(json, X, 0, 0, 0);
        break;
    case GMC_SHAPE_CAPSULE:
        print_point(json, X, 0, 0, -s->half_length);
        print_point(json, X, 0, 0, s->half_length);
        break;
    case GMC_SHAPE_BOX:
        for (unsigned i = 0; i < 8; i++)
            print_point(json, X, i & 1U ? s->half.x : -s->half.x, i & 2U ? s->half.y : -s->half.y,
                        i & 4U ? s->half.z : -s->half.z);
        break;
    case GMC_SHAPE_CYLINDER:
        print_ring(json, X, s->radius, s->radius, 2, -s->half_length);
        print_ring(json, X, s->radius, s->radius, 2, s->half_length);
        break;
    case GMC_SHAPE_SUPER_ELLIPSE:
        print_ring(json, X, s->half.x, s->half.y, s->exponent, 0);
        break;
    case GMC_SHAPE_POLYTOPE:
        for (int i = 0; i < s->polytope->vertex_count; i++) {
            gmc_vec3 p = gmc_vec3_scale(s->scale, s->polytope->vertices[i]);
            print_point(json, X, p.x, p.y, p.z);
        }
        break;
    case GMC_SHAPE_POLYGON:
        for (int i = 0; i < s->polygon->count; i++) {
            gmc_vec2 p = gmc_vec2_scale(s->scale, s->polygon->vertices[i]);
            print_point(json, X, p.x, p.y, 0);
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

static double rounding_of(const gmc_shape *s)
{
    bool is_round =
        s->type == GMC_SHAPE_SPHERE || s->type == GMC_SHAPE_CAPSULE || s->type == GMC_SHAPE_CIRCLE;
    return is_round ? s->radius : 0;
}

static void print_geom(gmc_json *json, const gmc_model *model, const gmc_geom *geom)
{
    const gmc_shape *shape = &geom->shape;
    gmc_json_open(json, NULL, '{');
    gmc_json_text(json, "geom", geom->name);
    gmc_json_text(json, "body", model->bodies[geom->body].name);
    gmc_json_flag(json, "fixed", gmc_model_is_static(model, geom->body));
    gmc_json_open(json, "points", '[');
    print_points(json, &geom->X_bg, shape);
    gmc_json_close(json, ']');
    gmc_json_real(json, "radius", rounding_of(shape));
    gmc_json_open(json, "lines", '[');
    print_lines(json, shape);
    gmc_json_close(json, ']');
    gmc_json_open(json, "normal", '[');
    if (shape->type == GMC_SHAPE_PLANE) {
        gmc_vec3 n = gmc_mat3_apply(&geom->X_bg.R, (gmc_vec3){0, 0, 1});
        gmc_json_real(json, NULL, n.x);
        gmc_json_real(json, NULL, n.y);
        gmc_json_real(json, NULL, n.z);
    }
    gmc_json_close(json, ']');
    gmc_json_close(json, '}');
}

void gmc_shapes_print(gmc_json *json, const gmc_model *model)
{
    gmc_json_open(json, "shapes", '[');
    for (int i = 0; i < model->geom_count; i++)
        print_geom(json, model, &model->geoms[i]);
    gmc_json_close(json, ']');
    const gmc_pose identity = gmc_pose_identity();
    gmc_json_open(json, "supports", '[');
    for (int i = 0; i < model->support_count; i++) {
        const gmc_support *support = &model->supports[i];
        gmc_json_open(json, NULL, '{');
        gmc_json_text(json, "body", model->bodies[support->body].name);
        gmc_json_open(json, "points", '[');
        for (int k = support->point_first; k < support->point_first + support->point_count; k++)
            print_point(json, &identity, model->support_points[k].p.x, model->support_points[k].p.y,
                        0);
        gmc_json_close(json, ']');
        gmc_json_close(json, '}');
    }
    gmc_json_close(json, ']');
}
