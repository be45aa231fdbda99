#include "engine/model/support.h"

#include "engine/base/check.h"
#include "engine/math/elementary.h"

static const gmc_support_point *points_of(const gmc_model *model, const gmc_support *support)
{
    return model->support_points + support->point_first;
}

typedef struct spread {
    double share;      // sum
    gmc_vec2 mean;     // from the mass centre
    double xx, yy, xy; // covariance
} spread;

static spread spread_of(const gmc_support_point *points, int count, gmc_vec2 com)
{
    spread s = {0};
    for (int i = 0; i < count; i++) {
        s.share += points[i].share;
        s.mean = gmc_vec2_add_scaled(s.mean, points[i].share, gmc_vec2_sub(points[i].p, com));
    }
    s.mean = gmc_vec2_scale(1 / s.share, s.mean);
    for (int i = 0; i < count; i++) {
        gmc_vec2 d = gmc_vec2_sub(gmc_vec2_sub(points[i].p, com), s.mean);
        double w = points[i].share / s.share;
        s.xx += w * d.x * d.x;
        s.yy += w * d.y * d.y;
        s.xy += w * d.x * d.y;
    }
    return s;
}

static gmc_vec2 com_of(const gmc_model *model, const gmc_support *support)
{
    const gmc_vec3 com = model->bodies[support->body].inertia.com;
    return (gmc_vec2){com.x, com.y};
}

gmc_status gmc_support_forces(const gmc_model *model, const gmc_support *support, double *forces)
{
    const gmc_support_point *points = points_of(model, support);
    gmc_vec2 com = com_of(model, support);
    double weight = fmax(0, -model->gravity.z) * model->bodies[support->body].inertia.mass;
    spread s = spread_of(points, support->point_count, com);
    double det = s.xx * s.yy - s.xy * s.xy, trace = s.xx + s.yy;
    if (!(det > GMC_SUPPORT_LINE * GMC_SUPPORT_LINE * trace * trace)) return GMC_E_INPUT;
    gmc_vec2 tilt = {(s.yy * s.mean.x - s.xy * s.mean.y) / det,
                     (s.xx * s.mean.y - s.xy * s.mean.x) / det};
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < support->point_count; i++) {
            gmc_vec2 d = gmc_vec2_sub(gmc_vec2_sub(points[i].p, com), s.mean);
            double factor = 1 - gmc_vec2_dot(tilt, d);
            if (!(factor >= 0)) return GMC_E_INPUT;
            if (pass == 1 && forces) forces[i] = weight * (points[i].share / s.share) * factor;
        }
    return GMC_OK;
}

double gmc_support_arm2(const gmc_model *model, const gmc_support *support, const double *forces)
{
    const gmc_support_point *points = points_of(model, support);
    gmc_vec2 com = com_of(model, support);
    double sum = 0, weight = 0;
    for (int i = 0; i < support->point_count; i++) {
        gmc_vec2 arm = gmc_vec2_sub(points[i].p, com);
        sum += forces[i] * gmc_vec2_dot(arm, arm);
        weight += forces[i];
    }
    return weight > 0 ? sum / weight : 0;
}

// ---- pressure that is spread -------------------------------------------------------------------

// Nodes and weights of ∫ f(ρ) 2 ρ dρ over (0, 1): zeros of the Jacobi polynomials P_n^(0,1) shifted
// to it ([dlmf] 18.3), where f is integrated exactly up to degree 2n - 1.
static const double NODES[3][3] = {
    {2.0 / 3},
    {0.35505102572168219018, 0.84494897427831780982},
    {0.21234053823915294397, 0.59053313555926528914, 0.91141204048729605260},
};
static const double WEIGHTS[3][3] = {
    {1},
    {0.36391723651204566121, 0.63608276348795433879},
    {0.13965395980290824507, 0.45848221271917249339, 0.40186382747791926154},
};

void gmc_support_disc(gmc_vec2 centre, double radius, double friction, int rings, int around,
                      gmc_support_point *points)
{
    GMC_ASSERT(rings >= 1 && rings <= 3 && around >= 3);
    for (int i = 0; i < rings; i++)
        for (int k = 0; k < around; k++) {
            // rings are turned against each other by half a step
            double angle = 2 * GMC_PI * (k + 0.5 * (i % 2)) / around, sine, cosine;
            gmc_sin_cos(angle, &sine, &cosine);
            double r = radius * NODES[rings - 1][i];
            points[i * around + k] =
                (gmc_support_point){.p = {centre.x + r * cosine, centre.y + r * sine},
                                    .share = WEIGHTS[rings - 1][i] / around,
                                    .friction = friction};
        }
}

// The triangles of one: (i, j) counts along its first two edges.
static void cut_triangle(const gmc_vec2 v[3], double friction, int cuts, gmc_support_point *points,
                         int capacity, int *count)
{
    gmc_vec2 a = gmc_vec2_scale(1.0 / cuts, gmc_vec2_sub(v[1], v[0]));
    gmc_vec2 b = gmc_vec2_scale(1.0 / cuts, gmc_vec2_sub(v[2], v[0]));
    double area = gmc_vec2_cross(a, b) / 2;
    for (int i = 0; i < cuts; i++)
        for (int j = 0; i + j < cuts; j++)
            for (int half = 0; half < (i + j + 1 < cuts ? 2 : 1); half++) {
                double x = i + (half + 1) / 3.0, y = j + (half + 1) / 3.0;
                gmc_vec2 p = gmc_vec2_add_scaled(gmc_vec2_add_scaled(v[0], x, a), y, b);
                if (points && *count < capacity)
                    points[*count] =
                        (gmc_support_point){.p = p, .share = area, .friction = friction};
                (*count)++;
            }
}

int gmc_support_polygon(const gmc_polygon_pieces *pieces, double friction, int cuts,
                        gmc_support_point *points, int capacity)
{
    int count = 0;
    for (int k = 0; k < pieces->count; k++) {
        const gmc_polygon_piece *piece = &pieces->pieces[k];
        for (int i = 1; i + 1 < piece->count; i++) {
            const gmc_vec2 v[3] = {piece->vertices[0], piece->vertices[i], piece->vertices[i + 1]};
            cut_triangle(v, friction, cuts, points, capacity, &count);
        }
    }
    return count;
}
