// Contacts of the visco-elastic stepper: which there are, what they do.
//
// A contact's place, normal and gap are the collider's at every evaluation, so that balls roll and
// faces tip as their shapes say. The springs along the surface need directions that turn with the
// bodies: t1 is kept in body a's frame and laid into the tangent plane anew after every internal
// step, at which nothing jumps. So a held body takes its friction along however the hand turns.
//
// A manifold has up to four points and may exchange one for another. What is not found where it
// touches is taken as its bodies' material moves until the internal step is over; then the exchange
// happens, with a start of the integration.

#include "engine/contact/visco_elastic/song_pang_kumar_internal.h"
#include "engine/math/elementary.h"

#include <string.h>

/// What roots are off zero by rounding of time and coordinates [m].
static const double ROUNDING = 1e-12;
/// An overlap of so many times that at which contacts begin touches, whatever its rate: a point
/// that a manifold has exchanged for another.
static const double EXCHANGED = 20;
/// Less of a deep start than this is none left: a microNewton at 1e6 N/m [m].
static const double FLOATED = 1e-12;

gmc_status gmc_song_pang_kumar_patch_create(int contact_max, gmc_arena *arena,
                                            gmc_song_pang_kumar *m)
{
    size_t count = (size_t)contact_max;
    m->patch_capacity = contact_max;
    m->patches = gmc_arena_room(arena, count, sizeof *m->patches);
    m->is_known = gmc_arena_take(arena, count, sizeof *m->is_known);
    m->directions = gmc_arena_take(arena, count + 1, sizeof *m->directions);
    m->weights = gmc_arena_doubles(arena, GMC_SONG_PANG_KUMAR_POINTS);
    m->radii = gmc_arena_doubles(arena, GMC_SONG_PANG_KUMAR_POINTS);
    m->headings = gmc_arena_take(arena, GMC_SONG_PANG_KUMAR_POINTS, sizeof *m->headings);
    bool has_room = m->patches && m->is_known && m->directions && m->weights && m->radii;
    return has_room && m->headings ? GMC_OK : GMC_E_ARENA_FULL;
}

// ---- springs of a patch ------------------------------------------------------------------------

/// Each spring stands for as much of the disc as the others; they come in opposite pairs, turned by
/// the golden angle from one to the next, behind one in the middle where their number is odd. A
/// spring whose part of the disc reaches from s to s' (shares of its area) stands half way, at
/// r² = R² (s + s')/2, and bears as much as under a ball there.
static void lay_springs(gmc_song_pang_kumar *m)
{
    const double golden = GMC_PI * (3 - sqrt(5));
    int count = (int)gmc_song_pang_kumar_setting(m, GMC_SONG_PANG_KUMAR_PATCH_POINTS),
        odd = count % 2;
    double sum = 0;
    for (int i = 0; i < count; i++) {
        int pair = (i - odd) / 2;
        bool is_middle = odd && i == 0;
        double s = is_middle ? 0 : (odd + 2 * pair + 1) / (double)count, sine, cosine;
        gmc_sin_cos(golden * pair + ((i - odd) % 2 ? GMC_PI : 0), &sine, &cosine);
        m->radii[i] = gmc_song_pang_kumar_setting(m, GMC_SONG_PANG_KUMAR_PATCH_RADIUS) * sqrt(s);
        m->headings[i] = (gmc_vec2){cosine, sine};
        m->weights[i] = sqrt(1 - (is_middle ? 0.5 / count : s));
        sum += m->weights[i];
    }
    for (int i = 0; i < count; i++)
        m->weights[i] /= sum;
}

int gmc_song_pang_kumar_patch_width(const gmc_song_pang_kumar *m, const gmc_patch *patch)
{
    const gmc_geom *geom = &m->world->model->geoms[patch->point.geom_a];
    return (int)gmc_song_pang_kumar_setting(m, GMC_SONG_PANG_KUMAR_PATCH_POINTS) *
           (gmc_shape_is_planar(geom->shape.type) ? 1 : 2);
}

/// What is left at t of the overlap that the trial began with (contact.h).
static double sunk_of(const gmc_patch *patch, double t)
{
    if (patch->sunk == 0) return 0;
    return patch->sunk * gmc_exp(-GMC_CONTACT_FLOAT_RATE * (t - patch->sunk_at));
}

void gmc_song_pang_kumar_patch_renew(gmc_song_pang_kumar *m)
{
    const gmc_model *model = m->world->model;
    int count = 0;
    lay_springs(m);
    for (int k = 0; k < m->patch_count; k++) {
        gmc_patch *patch = &m->patches[count];
        if (!m->patches[k].is_closed) continue;
        if (count < k) *patch = m->patches[k];
        patch->law = *gmc_model_law(model, model->geoms[patch->point.geom_a].surface,
                                    model->geoms[patch->point.geom_b].surface);
        patch->normal_impulse = 0;
        patch->friction_impulse = (gmc_vec3){0, 0, 0};
        if (sunk_of(patch, m->t_start) < FLOATED) patch->sunk = 0;
        count++;
    }
    m->patch_count = count;
}

// ---- where they are ----------------------------------------------------------------------------

/// Where a patch is whose point was not found: between the material that touched last.
static void move_on(const gmc_kinematics *kin, gmc_patch *patch)
{
    gmc_contact_point *point = &patch->point;
    gmc_vec3 a = gmc_pose_apply(&kin->X_wb[patch->body_a], patch->p_a);
    gmc_vec3 b = gmc_pose_apply(&kin->X_wb[patch->body_b], patch->p_b);
    point->n = gmc_mat3_apply(&kin->X_wb[patch->body_a].R, patch->n_a);
    point->gap = gmc_vec3_dot(point->n, gmc_vec3_sub(b, a));
    point->p = gmc_vec3_scale(0.5, gmc_vec3_add(a, b));
}

/// Which of the points are those of closed patches?
static void match(gmc_song_pang_kumar *m)
{
    int k = 0;
    for (int i = 0; i < m->point_count; i++) {
        const gmc_contact_point *point = &m->base->points[i];
        for (; k < m->patch_count && gmc_contact_compare(&m->patches[k].point, point) < 0; k++)
            m->patches[k].is_found = false;
        bool is_same = k < m->patch_count && gmc_contact_compare(&m->patches[k].point, point) == 0;
        m->is_known[i] = is_same && m->patches[k].is_closed;
        if (!is_same) continue;
        m->patches[k].point = *point;
        m->patches[k++].is_found = true;
    }
    for (; k < m->patch_count; k++)
        m->patches[k].is_found = false;
    for (k = 0; k < m->patch_count; k++)
        if (m->patches[k].is_closed && !m->patches[k].is_found)
            move_on(&m->world->kin, &m->patches[k]);
}

gmc_status gmc_song_pang_kumar_patch_find(gmc_song_pang_kumar *m)
{
    gmc_world *world = m->world;
    m->point_count = 0;
    GMC_TRY(gmc_collider_find(world->collider, world->model, world->kin.X_wb, NULL, 0,
                              m->options->reach, m->base->points, m->patch_capacity,
                              &m->point_count));
    match(m);
    return GMC_OK;
}

/// Tangents of a patch's point as it stands, t1 as kept in body a's frame.
static void tangents(const gmc_song_pang_kumar *m, const gmc_patch *patch, gmc_vec3 *t1,
                     gmc_vec3 *t2)
{
    gmc_vec3 n = patch->point.n;
    if (gmc_shape_is_planar(m->world->model->geoms[patch->point.geom_a].shape.type)) {
        *t1 = (gmc_vec3){-n.y, n.x, 0};
        *t2 = (gmc_vec3){0, 0, 1};
        return;
    }
    gmc_vec3 kept = gmc_mat3_apply(&m->world->kin.X_wb[patch->body_a].R, patch->tangent_a);
    *t1 = gmc_vec3_unit(gmc_vec3_add_scaled(kept, -gmc_vec3_dot(kept, n), n));
    *t2 = gmc_vec3_cross(n, *t1);
}

/// What is kept in the bodies' frames.
static void anchor(gmc_song_pang_kumar *m, gmc_patch *patch, gmc_vec3 t1)
{
    const gmc_pose *X_wa = &m->world->kin.X_wb[patch->body_a];
    const gmc_pose *X_wb = &m->world->kin.X_wb[patch->body_b];
    gmc_vec3 way = gmc_vec3_scale(patch->point.gap / 2, patch->point.n);
    patch->tangent_a = gmc_mat3_apply_transposed(&X_wa->R, t1);
    patch->n_a = gmc_mat3_apply_transposed(&X_wa->R, patch->point.n);
    patch->p_a = gmc_pose_apply_inverse(X_wa, gmc_vec3_sub(patch->point.p, way));
    patch->p_b = gmc_pose_apply_inverse(X_wb, gmc_vec3_add(patch->point.p, way));
}

void gmc_song_pang_kumar_patch_follow(gmc_song_pang_kumar *m)
{
    for (int k = 0; k < m->patch_count; k++) {
        gmc_vec3 t1, t2;
        if (!m->patches[k].is_closed) continue;
        tangents(m, &m->patches[k], &t1, &t2);
        anchor(m, &m->patches[k], t1);
    }
}

// ---- what they do ------------------------------------------------------------------------------

static bool has_ratio(const gmc_patch *patch)
{
    const gmc_surface_extra *extra = patch->law.extra;
    return extra && extra->has_damping_ratio && patch->mass > 0;
}

static double damping_of(const gmc_patch *patch)
{
    const gmc_surface_law *law = &patch->law;
    if (!has_ratio(patch)) return law->stiffness * law->relaxation;
    return 2 * law->extra->damping_ratio * sqrt(law->stiffness * patch->mass);
}

/// Motion of body b against a.
static gmc_twist relative_twist(const gmc_kinematics *kin, int body_a, int body_b)
{
    return gmc_twist_add_scaled(kin->V[body_b], -1, kin->V[body_a]);
}

/// Force and moment about its point of all springs along the surface; rates of their deflections.
static void friction_of(gmc_song_pang_kumar *m, gmc_patch *patch, const double *y, double *rate,
                        gmc_vec3 *moment)
{
    gmc_vec3 t[2], sum = {0, 0, 0}, turn = {0, 0, 0}, p = patch->point.p;
    gmc_twist V = relative_twist(&m->world->kin, patch->body_a, patch->body_b);
    int count = (int)gmc_song_pang_kumar_setting(m, GMC_SONG_PANG_KUMAR_PATCH_POINTS);
    int width = gmc_song_pang_kumar_patch_width(m, patch) / count;
    double stiffness = patch->law.tangential_ratio * patch->law.stiffness / count;
    double relaxation = gmc_song_pang_kumar_relaxation(damping_of(patch) / patch->law.stiffness);
    double limit = patch->law.friction * fmax(patch->normal, 0);
    tangents(m, patch, &t[0], &t[1]);
    patch->slips = true;
    for (int i = 0; i < count; i++) {
        gmc_vec3 arm = gmc_vec3_scale(m->radii[i] * m->headings[i].x, t[0]), force = {0, 0, 0};
        double f[2] = {0, 0}, u[2];
        int at = patch->first + width * i;
        arm = gmc_vec3_add_scaled(arm, m->radii[i] * m->headings[i].y, t[1]);
        gmc_vec3 velocity = gmc_twist_at(&V, gmc_vec3_add(p, arm));
        for (int d = 0; d < width; d++)
            u[d] = gmc_vec3_dot(t[d], velocity);
        bool slides = gmc_song_pang_kumar_bristle(width, stiffness, relaxation,
                                                  limit * m->weights[i], y + at, u, f, rate + at);
        patch->slips = patch->slips && slides;
        for (int d = 0; d < width; d++)
            force = gmc_vec3_add_scaled(force, f[d], t[d]);
        sum = gmc_vec3_add(sum, force);
        turn = gmc_vec3_add(turn, gmc_vec3_cross(arm, force));
    }
    patch->friction = sum;
    *moment = turn;
}

gmc_status gmc_song_pang_kumar_patch_forces(gmc_song_pang_kumar *m, double t, const double *y,
                                            double *rate)
{
    for (int k = 0; k < m->patch_count; k++) {
        gmc_patch *patch = &m->patches[k];
        gmc_vec3 moment;
        if (!patch->is_closed) continue;
        patch->gap_rate = gmc_song_pang_kumar_gap_rate(m, &patch->point, NULL);
        double gap = patch->point.gap + sunk_of(patch, t);
        patch->normal = -patch->law.stiffness * gap - damping_of(patch) * patch->gap_rate;
        // a spring that is slack within the overlap does not pull until that is given back
        if (!has_ratio(patch) || patch->sunk > 0) patch->normal = fmax(patch->normal, 0);
        friction_of(m, patch, y, rate, &moment);
        gmc_vec3 force = gmc_vec3_add_scaled(patch->friction, patch->normal, patch->point.n);
        GMC_TRY(gmc_song_pang_kumar_push(m, patch->body_a, patch->body_b, patch->point.p, force,
                                         moment));
    }
    return GMC_OK;
}

double gmc_song_pang_kumar_gap_rate(const gmc_song_pang_kumar *m, const gmc_contact_point *point,
                                    double *acceleration)
{
    const gmc_kinematics *kin = &m->world->kin;
    int body_a = m->world->model->geoms[point->geom_a].body;
    int body_b = m->world->model->geoms[point->geom_b].body;
    gmc_twist V = relative_twist(kin, body_a, body_b);
    if (acceleration) {
        gmc_twist A = gmc_twist_add_scaled(gmc_kinematics_twist(kin, body_b, m->a), -1,
                                           gmc_kinematics_twist(kin, body_a, m->a));
        *acceleration = gmc_vec3_dot(point->n, gmc_twist_at(&A, point->p));
    }
    return gmc_vec3_dot(point->n, gmc_twist_at(&V, point->p));
}

// ---- begin and end -----------------------------------------------------------------------------

/// 1 / (J_n M⁻¹ J_nᵀ); 0: nothing can be moved.
static gmc_status moved_mass(gmc_song_pang_kumar *m, const gmc_patch *patch, double *mass)
{
    const gmc_world *world = m->world;
    size_t n = (size_t)world->model->free_count, mark = gmc_arena_mark(m->scratch);
    int *columns = gmc_arena_room(m->scratch, n + 1, sizeof *columns);
    double *S = gmc_arena_room(m->scratch, 6 * n + 1, sizeof *S), inverse = 0;
    double *J = gmc_arena_room(m->scratch, n + 1, sizeof *J), *x;
    x = gmc_arena_doubles(m->scratch, n + 1);
    if (!columns || !S || !J || !x) return GMC_E_ARENA_FULL;
    gmc_jacobian jacobian =
        gmc_jacobian_of(world->model, &world->kin, patch->body_a, patch->body_b, columns, S);
    gmc_mechanism_point_row(&jacobian, gmc_vec3_sub(patch->point.p, jacobian.about), patch->point.n,
                            J);
    for (int k = 0; k < jacobian.count; k++)
        x[columns[k]] = J[k];
    gmc_song_pang_kumar_divide(m, x);
    for (int k = 0; k < jacobian.count; k++)
        inverse += J[k] * x[columns[k]];
    *mass = inverse > 0 ? 1 / inverse : 0;
    gmc_arena_reset(m->scratch, mark);
    return GMC_OK;
}

/// A patch that does nothing yet, at the place of its point; there is one that ended, or room.
static gmc_patch *open_patch(gmc_song_pang_kumar *m, const gmc_contact_point *point)
{
    const gmc_model *model = m->world->model;
    const gmc_geom *a = &model->geoms[point->geom_a], *b = &model->geoms[point->geom_b];
    int at = 0;
    while (at < m->patch_count && gmc_contact_compare(&m->patches[at].point, point) < 0)
        at++;
    gmc_patch *patch = &m->patches[at], before = {0};
    bool is_same = at < m->patch_count && gmc_contact_compare(&patch->point, point) == 0;
    if (is_same) {
        before = *patch;
    } else {
        if (m->patch_count == m->patch_capacity) return NULL;
        memmove(patch + 1, patch, (size_t)(m->patch_count++ - at) * sizeof *patch);
    }
    *patch = (gmc_patch){.point = *point,
                         .body_a = a->body,
                         .body_b = b->body,
                         .is_closed = true,
                         .is_found = true,
                         .law = *gmc_model_law(model, a->surface, b->surface),
                         .normal_impulse = before.normal_impulse,
                         .friction_impulse = before.friction_impulse};
    return patch;
}

/// A contact of the start of the trial, or one more point between two geoms, which is as deep in as
/// they are.
static void sink(const gmc_song_pang_kumar *m, gmc_patch *patch)
{
    bool is_start = m->options->is_start && m->t == m->t_start;
    double most = is_start ? HUGE_VAL : 0;
    for (int k = 0; k < m->patch_count; k++) {
        const gmc_patch *other = &m->patches[k];
        if (other != patch && other->is_closed && other->point.geom_a == patch->point.geom_a &&
            other->point.geom_b == patch->point.geom_b)
            most = fmax(most, sunk_of(other, m->t));
    }
    patch->sunk = fmin(fmax(-patch->point.gap, 0), most);
    patch->sunk_at = m->t;
}

static gmc_status begin(gmc_song_pang_kumar *m, const gmc_contact_point *point)
{
    gmc_patch *patch = open_patch(m, point);
    gmc_vec3 t1, t2;
    if (!patch) return GMC_E_LIMIT;
    sink(m, patch);
    gmc_vec3_tangents(point->n, &t1, &t2);
    anchor(m, patch, t1);
    return moved_mass(m, patch, &patch->mass);
}

/// Does another point of the two geoms touch?
static bool has_company(const gmc_song_pang_kumar *m, const gmc_contact_point *point)
{
    for (int k = 0; k < m->patch_count; k++) {
        const gmc_patch *patch = &m->patches[k];
        if (patch->is_closed && patch->point.geom_a == point->geom_a &&
            patch->point.geom_b == point->geom_b)
            return true;
    }
    return false;
}

static bool ends(const gmc_patch *patch, bool is_root)
{
    double gap = patch->point.gap;
    return !patch->is_found || gap > ROUNDING ||
           (gap > (is_root ? -ROUNDING : 0) && patch->gap_rate > 0);
}

double gmc_song_pang_kumar_patch_touch(const gmc_song_pang_kumar *m)
{
    return gmc_song_pang_kumar_setting(m, GMC_SONG_PANG_KUMAR_ABSOLUTE) / 2;
}

gmc_status gmc_song_pang_kumar_patch_switch(gmc_song_pang_kumar *m, bool is_root, bool *changed)
{
    bool is_any = false;
    double touch = gmc_song_pang_kumar_patch_touch(m);
    for (int i = 0; i < m->point_count; i++) {
        const gmc_contact_point *point = &m->base->points[i];
        if (m->is_known[i] || point->gap > ROUNDING - touch) continue;
        bool begins =
            point->gap < -EXCHANGED * touch || gmc_song_pang_kumar_gap_rate(m, point, NULL) < 0;
        if (!begins) continue;
        if (m->counts.starts > 0 && !has_company(m, point)) {
            m->counts.touches++;
            m->counts.gap = fmax(m->counts.gap, fabs(point->gap));
        }
        GMC_TRY(begin(m, point));
        is_any = true;
    }
    for (int k = 0; k < m->patch_count; k++) {
        gmc_patch *patch = &m->patches[k];
        m->counts.penetration = fmax(m->counts.penetration, -patch->point.gap);
        if (!patch->is_closed || !ends(patch, is_root)) continue;
        patch->is_closed = false;
        is_any = true;
    }
    if (is_any) match(m);
    *changed = is_any;
    return GMC_OK;
}
