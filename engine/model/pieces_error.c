// How far a hull strays from its solid: the largest signed distance over its surface, by branch and
// bound. The faces are triangles; each is bounded from above twice:
//
//   the signed distance is 1-Lipschitz             s(x) <= s(centre) + radius
//   the distance to one convex triangle is convex  s(x) <= the largest of the three corners'
//
// the first settles what is inside the solid (walls of cuts), the second what lies along its
// surface or parallel to it, where the first alone would need triangles as small as the slack. What
// may still be worse than the worst point found so far, by more than the slack, is halved across
// its longest side.
#include "engine/model/pieces_internal.h"

/// Halvings deep enough for a triangle of the solid's size to become smaller than any slack asked
/// for (2^-32), with room.
enum { DEPTH_MAX = 96 };

typedef struct search {
    const gmc_pieces_solid *solid;
    double slack, enough;
    double worst; ///< largest signed distance found [m]
    double most;  ///< no point is beyond it [m]
    double left;  ///< work that may be spent
} search;

static double longest_side(const gmc_vec3 *c, int *side)
{
    double longest = -1;
    for (int k = 0; k < 3; k++) {
        double length = gmc_vec3_norm(gmc_vec3_sub(c[(k + 1) % 3], c[k]));
        if (length <= longest) continue;
        longest = length;
        *side = k;
    }
    return longest;
}

/// Upper bound over the triangle; looks at its centre.
static double bound(search *s, const gmc_vec3 *c)
{
    gmc_vec3 centre = gmc_vec3_scale(1.0 / 3, gmc_vec3_add(c[0], gmc_vec3_add(c[1], c[2])));
    int nearest;
    double at_centre = gmc_pieces_solid_distance(s->solid, centre, &nearest);
    gmc_pieces_work_add(s->solid->work, 1);
    s->left -= 1;
    double radius = 0, convex = 0;
    for (int k = 0; k < 3; k++) {
        radius = fmax(radius, gmc_vec3_norm(gmc_vec3_sub(c[k], centre)));
        convex = fmax(convex, gmc_pieces_solid_to_triangle(s->solid, nearest, c[k]));
    }
    s->worst = fmax(s->worst, at_centre);
    return fmin(at_centre + radius, convex);
}

/// Depth first; halves wait on a stack.
static void look_at(search *s, const gmc_vec3 *triangle)
{
    gmc_vec3 stack[DEPTH_MAX][3];
    int depth[DEPTH_MAX], top = 0;
    for (int k = 0; k < 3; k++)
        stack[0][k] = triangle[k];
    depth[top++] = 0;
    while (top > 0 && s->worst <= s->enough) {
        gmc_vec3 c[3] = {stack[top - 1][0], stack[top - 1][1], stack[top - 1][2]};
        int level = depth[--top], side = 0;
        double at_most = bound(s, c);
        double good_enough = (1 + GMC_PIECES_LOOSE) * fmax(s->worst, 0) + s->slack;
        if (at_most <= good_enough || level + 1 >= DEPTH_MAX || s->left <= 0) {
            s->most = fmax(s->most, at_most);
            continue;
        }
        (void)longest_side(c, &side);
        gmc_vec3 a = c[side], b = c[(side + 1) % 3], d = c[(side + 2) % 3];
        gmc_vec3 middle = gmc_vec3_scale(0.5, gmc_vec3_add(a, b));
        gmc_vec3 halves[2][3] = {{a, middle, d}, {middle, b, d}};
        for (int h = 0; h < 2; h++) {
            for (int k = 0; k < 3; k++)
                stack[top][k] = halves[h][k];
            depth[top++] = level + 1;
        }
    }
}

double gmc_pieces_error(const gmc_pieces_solid *solid, const gmc_polytope *hull, double slack,
                        double enough)
{
    search s = {.solid = solid, .slack = slack, .enough = enough, .left = GMC_PIECES_ERROR_WORK};
    if (gmc_pieces_work_is_over(solid->work)) s.left = GMC_PIECES_ERROR_WORK / 100;
    for (int pass = 0; pass < 2;
         pass++) // corners of faces and their middles first: a bound to beat
        for (int f = 0; f < hull->face_count && s.worst <= enough; f++) {
            const int *loop = hull->face_vertices + hull->face_start[f];
            int count = hull->face_start[f + 1] - hull->face_start[f];
            for (int i = 1; i + 1 < count; i++) {
                gmc_vec3 c[3] = {hull->vertices[loop[0]], hull->vertices[loop[i]],
                                 hull->vertices[loop[i + 1]]};
                if (pass == 0)
                    (void)bound(&s, c);
                else
                    look_at(&s, c);
            }
        }
    if (s.worst > enough) return s.worst;
    return fmax(s.most, 0);
}
