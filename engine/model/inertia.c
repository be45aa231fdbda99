// Closed forms where there are any, else signed tetrahedra: every triangle (a, b, c) spans one with
// the reference point o. With d = a . (b x c) and s = a + b + c (seen from o) it adds
//
//   volume d/6      first moment d/24 s      second moment C += d/120 (a aT + b bT + c cT + s sT)
//
// and I = tr(C) 1 - C. The last line is the integral of x xT over the unit simplex, where
// int xi xj = (1 + delta_ij)/120, mapped by the matrix [a b c]. Exact for any closed surface,
// convex or not. The reference point lies near the body, because moments about a far point cancel.

#include "engine/model/inertia.h"

#include "engine/model/polygon.h"

#include <stdio.h>
#include <stdlib.h>

// Files write three or four digits, so a flat part may miss the triangle inequality by that much.
static const double TRIANGLE_SLACK = 1e-3;
// Below this share of the largest, a principal moment is zero up to rounding.
static const double MOMENT_FLOOR = 1e-10;
// Simplified collision shapes change moments by tens of per cent, an inertia about the wrong point
// or in the wrong unit by factors: a known set of hand files is off by 2.3.
static const double CONTRADICTION_FACTOR = 2.0;
// Of the sum of second moments, the least that a mended one has: a needle 100 times as long as
// thick.
static const double SLENDER = 1e-4;
// A centre of mass this many radii of gyration from the centroid does not belong to that geometry.
static const double CONTRADICTION_OFFSET = 1.0;

typedef struct moments {
    double volume;
    gmc_vec3 first; // about the reference point
    gmc_mat3 second;
} moments;

static void add_outer(gmc_mat3 *C, double s, gmc_vec3 a)
{
    double v[3] = {a.x, a.y, a.z};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C->m[3 * i + j] += s * v[i] * v[j];
}

static void add_triangle(moments *sum, gmc_vec3 a, gmc_vec3 b, gmc_vec3 c)
{
    double d = gmc_vec3_dot(a, gmc_vec3_cross(b, c));
    gmc_vec3 s = gmc_vec3_add(gmc_vec3_add(a, b), c);
    sum->volume += d / 6;
    sum->first = gmc_vec3_add_scaled(sum->first, d / 24, s);
    add_outer(&sum->second, d / 120, a);
    add_outer(&sum->second, d / 120, b);
    add_outer(&sum->second, d / 120, c);
    add_outer(&sum->second, d / 120, s);
}

static gmc_mat3 inertia_of_second_moment(const gmc_mat3 *C)
{
    double trace = C->m[0] + C->m[4] + C->m[8];
    gmc_mat3 I = gmc_mat3_diagonal(trace, trace, trace);
    return gmc_mat3_add_scaled(&I, -1, C);
}

// Mass properties of the solid whose moments about `reference` are `sum`; volume not 0.
static gmc_inertia of_moments(const moments *sum, gmc_vec3 reference, double density)
{
    gmc_vec3 offset = gmc_vec3_scale(1 / sum->volume, sum->first);
    gmc_mat3 C = sum->second;
    add_outer(&C, -sum->volume, offset);
    gmc_mat3 I = inertia_of_second_moment(&C), zero = {{0}};
    return (gmc_inertia){density * sum->volume, gmc_vec3_add(reference, offset),
                         gmc_mat3_add_scaled(&zero, density, &I)};
}

static moments polytope_moments(const gmc_polytope *p)
{
    moments sum = {0};
    for (int f = 0; f < p->face_count; f++) {
        const int *loop = p->face_vertices + p->face_start[f];
        int count = p->face_start[f + 1] - p->face_start[f];
        gmc_vec3 a = gmc_vec3_sub(p->vertices[loop[0]], p->centre);
        for (int k = 1; k + 1 < count; k++)
            add_triangle(&sum, a, gmc_vec3_sub(p->vertices[loop[k]], p->centre),
                         gmc_vec3_sub(p->vertices[loop[k + 1]], p->centre));
    }
    return sum;
}

static gmc_inertia of_polytope(const gmc_polytope *p, double scale, double density)
{
    moments sum = polytope_moments(p);
    if (!(sum.volume > 0)) return (gmc_inertia){0};
    gmc_inertia unit = of_moments(&sum, p->centre, density);
    double s3 = scale * scale * scale, s5 = s3 * scale * scale;
    gmc_mat3 zero = {{0}};
    return (gmc_inertia){s3 * unit.mass, gmc_vec3_scale(scale, unit.com),
                         gmc_mat3_add_scaled(&zero, s5, &unit.I)};
}

static gmc_inertia of_cylinder(double r, double half, double density)
{
    double m = density * GMC_PI * r * r * 2 * half;
    double across = m * (r * r / 4 + half * half / 3);
    return (gmc_inertia){m, {0, 0, 0}, gmc_mat3_diagonal(across, across, m * r * r / 2)};
}

static gmc_inertia of_sphere(double r, double density)
{
    double m = density * GMC_PI * r * r * r * 4 / 3, I = m * r * r * 2 / 5;
    return (gmc_inertia){m, {0, 0, 0}, gmc_mat3_diagonal(I, I, I)};
}

// A cylinder and two half balls, whose centroids lie 3r/8 outside its ends.
static gmc_inertia of_capsule(double r, double half, double density)
{
    gmc_inertia middle = of_cylinder(r, half, density), ball = of_sphere(r, density);
    double across = middle.I.m[0] + ball.I.m[0] + ball.mass * (half * half + half * r * 3 / 4);
    return (gmc_inertia){middle.mass + ball.mass,
                         {0, 0, 0},
                         gmc_mat3_diagonal(across, across, middle.I.m[8] + ball.I.m[8])};
}

// A planar shape extruded to both sides of its plane.
static gmc_inertia of_planar(const gmc_shape *shape, double density)
{
    gmc_polygon_moments a = gmc_polygon_measure_shape(shape);
    double h = shape->half_length, of_area = density * 2 * h, m = of_area * a.area;
    double thick = m * h * h / 3, xy = -of_area * a.xy;
    return (gmc_inertia){m,
                         {a.centroid.x, a.centroid.y, 0},
                         {{of_area * a.yy + thick, xy, 0, xy, of_area * a.xx + thick, 0, 0, 0,
                           of_area * (a.xx + a.yy)}}};
}

gmc_inertia gmc_inertia_of_shape(const gmc_shape *shape, double density)
{
    gmc_vec3 h = shape->half;
    switch (shape->type) {
    case GMC_SHAPE_SPHERE:
        return of_sphere(shape->radius, density);
    case GMC_SHAPE_CAPSULE:
        return of_capsule(shape->radius, shape->half_length, density);
    case GMC_SHAPE_CYLINDER:
        return of_cylinder(shape->radius, shape->half_length, density);
    case GMC_SHAPE_POLYTOPE:
        return of_polytope(shape->polytope, shape->scale, density);
    case GMC_SHAPE_BOX: {
        double m = density * 8 * h.x * h.y * h.z, xx = h.x * h.x, yy = h.y * h.y, zz = h.z * h.z;
        return (gmc_inertia){
            m,
            {0, 0, 0},
            gmc_mat3_diagonal(m * (yy + zz) / 3, m * (xx + zz) / 3, m * (xx + yy) / 3)};
    }
    case GMC_SHAPE_POLYGON:
    case GMC_SHAPE_CIRCLE:
    case GMC_SHAPE_SUPER_ELLIPSE:
        return of_planar(shape, density);
    case GMC_SHAPE_PLANE:
    case GMC_SHAPE_COUNT:
        break;
    }
    return (gmc_inertia){0};
}

gmc_inertia gmc_inertia_of_shape_mass(const gmc_shape *shape, double mass)
{
    gmc_inertia unit = gmc_inertia_of_shape(shape, 1);
    return unit.mass > 0 ? gmc_inertia_with_mass(&unit, mass) : unit;
}

// Directed edges are sorted with the smaller vertex first, so that all uses of an edge lie
// together.
typedef struct edge {
    int low, high;
    int is_forward; // runs from low to high
} edge;

static int compare_edges(const void *left, const void *right)
{
    const edge *a = left, *b = right;
    if (a->low != b->low) return a->low < b->low ? -1 : 1;
    if (a->high != b->high) return a->high < b->high ? -1 : 1;
    return a->is_forward - b->is_forward;
}

static void judge_edges(edge *edges, size_t count, gmc_inertia_mesh *mesh)
{
    qsort(edges, count, sizeof *edges, compare_edges);
    bool is_paired = true;
    for (size_t i = 0; i < count;) {
        size_t uses = 1;
        while (i + uses < count && edges[i + uses].low == edges[i].low &&
               edges[i + uses].high == edges[i].high)
            uses++;
        if (uses != 2)
            mesh->loose_edge_count++;
        else if (edges[i].is_forward == edges[i + 1].is_forward)
            is_paired = false;
        i += uses;
    }
    mesh->is_closed = count > 0 && mesh->loose_edge_count == 0;
    mesh->is_oriented = mesh->is_closed && is_paired;
}

static gmc_status judge_mesh(const gmc_inertia_surface *surface, gmc_inertia_mesh *mesh)
{
    const int *triangles = surface->triangles;
    size_t count = 3 * (size_t)surface->triangle_count;
    edge *edges = malloc((count ? count : 1) * sizeof *edges);
    if (!edges) return GMC_E_MEMORY;
    for (size_t i = 0; i < count; i++) {
        int from = triangles[i], to = triangles[i % 3 == 2 ? i - 2 : i + 1];
        edges[i] = (edge){from < to ? from : to, from < to ? to : from, from < to};
    }
    judge_edges(edges, count, mesh);
    free(edges);
    return GMC_OK;
}

gmc_status gmc_inertia_of_mesh(const gmc_inertia_surface *surface, double density,
                               gmc_inertia *inertia, gmc_inertia_mesh *mesh)
{
    const gmc_vec3 *vertices = surface->vertices;
    int vertex_count = surface->vertex_count, triangle_count = surface->triangle_count;
    if (vertex_count <= 0 || triangle_count <= 0) return GMC_E_INPUT;
    gmc_vec3 reference = {0, 0, 0};
    for (int i = 0; i < vertex_count; i++)
        reference = gmc_vec3_add_scaled(reference, 1.0 / vertex_count, vertices[i]);

    moments sum = {0};
    for (int t = 0; t < triangle_count; t++) {
        gmc_vec3 corner[3];
        for (int k = 0; k < 3; k++) {
            int i = surface->triangles[3 * t + k];
            if (i < 0 || i >= vertex_count) return GMC_E_INPUT;
            corner[k] = gmc_vec3_sub(vertices[i], reference);
        }
        add_triangle(&sum, corner[0], corner[1], corner[2]);
    }

    gmc_inertia_mesh found = {.is_inward = sum.volume < 0};
    if (found.is_inward) {
        gmc_mat3 zero = {{0}};
        sum = (moments){-sum.volume, gmc_vec3_neg(sum.first),
                        gmc_mat3_add_scaled(&zero, -1, &sum.second)};
    }
    if (!(sum.volume > 0) || !isfinite(sum.volume)) return GMC_E_INPUT;
    GMC_TRY(judge_mesh(surface, &found));
    *inertia = of_moments(&sum, reference, density);
    found.volume = sum.volume;
    found.centroid = inertia->com;
    if (mesh) *mesh = found;
    return GMC_OK;
}

gmc_inertia gmc_inertia_combine(const gmc_inertia *a, const gmc_inertia *b)
{
    if (b->mass == 0) return *a;
    if (a->mass == 0) return *b;
    // about the common centre each part adds its own tensor; together they add that of two points
    // at distance d with the reduced mass
    double mass = a->mass + b->mass, reduced = a->mass * b->mass / mass;
    gmc_vec3 d = gmc_vec3_sub(b->com, a->com);
    gmc_mat3 C = {{0}};
    add_outer(&C, reduced, d);
    gmc_mat3 shift = inertia_of_second_moment(&C), own = gmc_mat3_add_scaled(&a->I, 1, &b->I);
    return (gmc_inertia){mass, gmc_vec3_add_scaled(a->com, b->mass / mass, d),
                         gmc_mat3_add_scaled(&own, 1, &shift)};
}

gmc_inertia gmc_inertia_move(const gmc_pose *X_ab, const gmc_inertia *inertia_b)
{
    return (gmc_inertia){inertia_b->mass, gmc_pose_apply(X_ab, inertia_b->com),
                         gmc_mat3_rotate(&X_ab->R, &inertia_b->I)};
}

// One Jacobi rotation that zeroes A[p][q]; the axes turn along.
static void jacobi_rotate(gmc_mat3 *A, gmc_mat3 *axes, int p, int q)
{
    double apq = A->m[3 * p + q];
    if (apq == 0) return;
    double theta = (A->m[4 * q] - A->m[4 * p]) / (2 * apq);
    double t = copysign(1, theta) / (fabs(theta) + sqrt(theta * theta + 1));
    double c = 1 / sqrt(t * t + 1), s = t * c;
    gmc_mat3 J = gmc_mat3_identity();
    J.m[4 * p] = J.m[4 * q] = c;
    J.m[3 * p + q] = s;
    J.m[3 * q + p] = -s;
    gmc_mat3 Jt = gmc_mat3_transpose(&J);
    *A = gmc_mat3_rotate(&Jt, A);
    *axes = gmc_mat3_multiply(axes, &J);
}

// I = axes A axesᵀ, A diagonal. @return A
static gmc_mat3 diagonalise(const gmc_mat3 *I, gmc_mat3 *axes)
{
    gmc_mat3 A = *I;
    *axes = gmc_mat3_identity();
    // quadratic convergence: 3 x 3 matrices are diagonal to rounding after 5 sweeps
    for (int sweep = 0; sweep < 8; sweep++) {
        jacobi_rotate(&A, axes, 0, 1);
        jacobi_rotate(&A, axes, 0, 2);
        jacobi_rotate(&A, axes, 1, 2);
    }
    return A;
}

void gmc_inertia_principal(const gmc_mat3 *I, double principal[3])
{
    gmc_mat3 axes, A = diagonalise(I, &axes);
    double lower = fmin(A.m[0], A.m[4]), upper = fmax(A.m[0], A.m[4]);
    principal[0] = fmin(lower, A.m[8]);
    principal[1] = fmax(lower, fmin(upper, A.m[8]));
    principal[2] = fmax(upper, A.m[8]);
}

static bool is_finite(const gmc_inertia *inertia)
{
    double sum = inertia->mass + inertia->com.x + inertia->com.y + inertia->com.z;
    for (int i = 0; i < 9; i++)
        sum += inertia->I.m[i];
    return isfinite(sum);
}

gmc_status gmc_inertia_check(const gmc_inertia *inertia, char *message, size_t bytes)
{
    const double *I = inertia->I.m;
    if (!is_finite(inertia)) {
        snprintf(message, bytes, "mass, centre of mass and inertia must be finite numbers");
        return GMC_E_INPUT;
    }
    if (!(inertia->mass > 0)) {
        snprintf(message, bytes, "the mass must be > 0, found %g kg", inertia->mass);
        return GMC_E_INPUT;
    }
    double size = fabs(I[0]) + fabs(I[4]) + fabs(I[8]);
    double skew = fmax(fabs(I[1] - I[3]), fmax(fabs(I[2] - I[6]), fabs(I[5] - I[7])));
    if (skew > MOMENT_FLOOR * size) {
        snprintf(message, bytes, "the inertia must be symmetric, its halves differ by %g kg m2",
                 skew);
        return GMC_E_INPUT;
    }
    double p[3];
    gmc_inertia_principal(&inertia->I, p);
    if (!(p[0] > MOMENT_FLOOR * p[2])) {
        snprintf(
            message, bytes,
            "the inertia must be positive definite, its principal moments are %g, %g, %g kg m2",
            p[0], p[1], p[2]);
        return GMC_E_INPUT;
    }
    if (!(p[2] <= (1 + TRIANGLE_SLACK) * (p[0] + p[1]))) {
        snprintf(
            message, bytes,
            "no body has principal moments %g, %g, %g kg m2: the largest exceeds the sum of the "
            "other two, %g",
            p[0], p[1], p[2], p[0] + p[1]);
        return GMC_E_INPUT;
    }
    return GMC_OK;
}

// Second moments of mass along the principal axes are tr(I)/2 - I: a body has none below zero,
// which says the same as the triangle inequality of its moments of inertia. Each is mended by
// itself, which changes least in the norm of these moments.
bool gmc_inertia_nearest(const gmc_inertia *inertia, gmc_inertia *nearest)
{
    gmc_mat3 axes, A = diagonalise(&inertia->I, &axes);
    double moment[3], sum = 0, half = (A.m[0] + A.m[4] + A.m[8]) / 2;
    for (int i = 0; i < 3; i++) {
        moment[i] = half - A.m[4 * i];
        sum += fmax(moment[i], 0);
    }
    if (!(sum > 0)) return false;
    bool is_moved = false;
    for (int i = 0; i < 3; i++)
        if (moment[i] < SLENDER * sum) {
            moment[i] = SLENDER * sum;
            is_moved = true;
        }
    gmc_mat3 D =
        gmc_mat3_diagonal(moment[1] + moment[2], moment[2] + moment[0], moment[0] + moment[1]);
    gmc_inertia found = *inertia;
    if (is_moved) found.I = gmc_mat3_rotate(&axes, &D);
    *nearest = found;
    return true;
}

bool gmc_inertia_contradicts(const gmc_inertia *given, const gmc_inertia *geometry, char *message,
                             size_t bytes)
{
    gmc_inertia expected = gmc_inertia_with_mass(geometry, given->mass);
    double g[3], e[3];
    gmc_inertia_principal(&given->I, g);
    gmc_inertia_principal(&expected.I, e);

    double gyration = sqrt((e[0] + e[1] + e[2]) / (2 * expected.mass));
    double offset = gmc_vec3_norm(gmc_vec3_sub(given->com, expected.com));
    if (offset > CONTRADICTION_OFFSET * gyration) {
        snprintf(message, bytes,
                 "the given centre of mass (%g, %g, %g) m lies %g m from that of the geometry (%g, "
                 "%g, %g) m",
                 given->com.x, given->com.y, given->com.z, offset, expected.com.x, expected.com.y,
                 expected.com.z);
        return true;
    }
    for (int i = 0; i < 3; i++) {
        if (g[i] <= CONTRADICTION_FACTOR * e[i] && e[i] <= CONTRADICTION_FACTOR * g[i]) continue;
        snprintf(
            message, bytes,
            "the given principal moments (%g, %g, %g) kg m2 contradict the geometry, which has "
            "(%g, %g, %g) kg m2 at the same mass",
            g[0], g[1], g[2], e[0], e[1], e[2]);
        return true;
    }
    return false;
}

// With shares w of the mass m the tensor about the common centre c is
//
//   I = sum_k w_k (I_k + m (|d_k|^2 1 - d_k d_kT))     d_k = c_k - c, I_k with all of the mass
//
// so that neither its least moment nor its trace is below the least of all I_k, and its largest one
// is at most the largest of I_k + m |d_k|^2.
bool gmc_inertia_contradicts_all(const gmc_inertia *given, const gmc_inertia *shapes, int count,
                                 char *message, size_t bytes)
{
    if (count == 1) return gmc_inertia_contradicts(given, shapes, message, bytes);
    double least = HUGE_VAL, sum = HUGE_VAL, most = 0, gyration = 0, g[3], p[3];
    gmc_vec3 c = given->com, low = shapes[0].com, high = low;
    for (int k = 0; k < count; k++) {
        gmc_inertia alone = gmc_inertia_with_mass(&shapes[k], given->mass);
        gmc_vec3 at = alone.com, d = gmc_vec3_sub(at, c);
        gmc_inertia_principal(&alone.I, p);
        double trace = p[0] + p[1] + p[2];
        least = fmin(least, p[0]);
        sum = fmin(sum, trace);
        most = fmax(most, p[2] + given->mass * gmc_vec3_dot(d, d));
        gyration = fmax(gyration, sqrt(trace / (2 * given->mass)));
        low = (gmc_vec3){fmin(low.x, at.x), fmin(low.y, at.y), fmin(low.z, at.z)};
        high = (gmc_vec3){fmax(high.x, at.x), fmax(high.y, at.y), fmax(high.z, at.z)};
    }
    gmc_vec3 nearest = {fmax(low.x, fmin(high.x, c.x)), fmax(low.y, fmin(high.y, c.y)),
                        fmax(low.z, fmin(high.z, c.z))};
    double offset = gmc_vec3_norm(gmc_vec3_sub(c, nearest));
    if (offset > CONTRADICTION_OFFSET * gyration) {
        snprintf(message, bytes,
                 "the given centre of mass (%g, %g, %g) m lies %g m from the box about the centres "
                 "of its shapes",
                 c.x, c.y, c.z, offset);
        return true;
    }
    gmc_inertia_principal(&given->I, g);
    double F = CONTRADICTION_FACTOR;
    if (least <= F * g[0] && sum <= F * (g[0] + g[1] + g[2]) && g[2] <= F * most) return false;
    snprintf(
        message, bytes,
        "the given principal moments (%g, %g, %g) kg m2 contradict the geometry: however its "
        "shapes share this mass, the least is at least %g, the sum at least %g, the largest at "
        "most %g kg m2",
        g[0], g[1], g[2], least, sum, most);
    return true;
}
