// Members are listed by what they touch: of a list only those of one set can be flush. Lists are as
// short as the number of geoms that one geom touches, so all pairs of a list are looked at. A
// manifold that was measured anew stands for its face from then on.
//
// Rejected: to drop such a contact. What rocks on narrow boards stands on one of them and is about
// to touch the next; its points there have to be known before they touch, or it falls through the
// level position and is thrown back. Rejected: to choose the face within the query of the pair,
// which cannot know what continues it.
#include "engine/collision/flush.h"

#include "engine/collision/flush_internal.h"

/// A normal that is a face's own is so to rounding (sine).
#define EXACT 1e-9

/// The first geom of each body's set, -1: none yet; all that never moves is body 0's.
static int set_of(const gmc_model *model, int *first, int g)
{
    int body = model->geoms[g].body;
    if (gmc_model_is_static(model, body)) body = 0;
    if (first[body] < 0) first[body] = g;
    return first[body];
}

gmc_status gmc_flush_sets_create(const gmc_model *model, const int *entries, gmc_arena *arena,
                                 gmc_flush_sets *sets)
{
    size_t n = model->geom_count > 0 ? (size_t)model->geom_count : 1;
    int *first = gmc_arena_take(arena, (size_t)model->body_count, sizeof *first);
    bool *has_flat = gmc_arena_take(arena, n, sizeof *has_flat);
    *sets = (gmc_flush_sets){.set = gmc_arena_take(arena, n, sizeof(int)),
                             .is_many = gmc_arena_take(arena, n, sizeof(bool)),
                             .head = gmc_arena_take(arena, n, sizeof(int))};
    if (!first || !has_flat || !sets->set || !sets->is_many || !sets->head) return GMC_E_ARENA_FULL;
    for (int b = 0; b < model->body_count; b++)
        first[b] = -1;
    for (int g = 0; g < model->geom_count; g++) {
        int set = sets->set[g] = set_of(model, first, g);
        has_flat[set] |= gmc_flush_is_flat(model->geoms[g].shape.type);
        sets->is_many[set] |= entries[g] != entries[set];
        sets->head[g] = -1;
    }
    for (int g = 0; g < model->geom_count; g++) {
        int set = sets->set[g];
        sets->is_many[g] = sets->is_many[set] && has_flat[set];
        sets->has_any |= sets->is_many[g];
    }
    sets->still = first[0];
    return GMC_OK;
}

static gmc_flush_role role_of(const gmc_flush_member *member, bool is_b)
{
    gmc_seam_member *contact = member->contact;
    const gmc_pair *pair = &contact->pair;
    gmc_vec3 n = contact->manifold.n;
    return is_b ? (gmc_flush_role){contact, &pair->b, &pair->a, true, false, gmc_vec3_neg(n)}
                : (gmc_flush_role){contact, &pair->a, &pair->b, false, false, n};
}

/// Do the neighbour's contact points lie in this plane (of w's frame), and is the other solid in
/// front of it?
static bool is_continued(const gmc_flush_role *w, const gmc_flush_role *neighbour,
                         const gmc_flush_plane *f)
{
    double step = gmc_flush_step_of(&w->contact->pair);
    gmc_vec3 shift = gmc_vec3_sub(neighbour->contact->origin, w->contact->origin);
    for (int i = 0; i < neighbour->contact->manifold.count; i++) {
        gmc_vec3 p = gmc_vec3_add(gmc_flush_place_on(neighbour, i), shift);
        double away = gmc_vec3_dot(f->n, p) - f->offset;
        if (!(fabs(away) <= step)) return false;
    }
    return gmc_flush_is_in_front(w, neighbour, f);
}

/// Has the neighbour all contact points of w, with the same normal?
static bool is_repeated(const gmc_flush_role *w, const gmc_flush_role *neighbour)
{
    const gmc_manifold *of_w = &w->contact->manifold, *of_n = &neighbour->contact->manifold;
    double near = gmc_flush_step_of(&w->contact->pair);
    gmc_vec3 shift = gmc_vec3_sub(neighbour->contact->origin, w->contact->origin);
    for (int i = 0; i < of_w->count; i++) {
        bool is_found = false;
        for (int k = 0; k < of_n->count && !is_found; k++)
            is_found = gmc_vec3_norm(gmc_vec3_sub(gmc_vec3_add(of_n->points[k].p, shift),
                                                  of_w->points[i].p)) <= near;
        if (!is_found) return false;
    }
    return true;
}

/// How far the normal leans from that of the face that it belongs to (sine); 0: there is no face.
static double lean_of(const gmc_flush_role *r)
{
    gmc_flush_plane f = gmc_flush_face_along(r->own, r->out);
    return f.face < 0 ? 0 : gmc_vec3_norm(gmc_vec3_cross(f.n, r->out));
}

/// Measure w along the face that the neighbour continues, if it was not. What leans by a little has
/// the normal of the other solid's face, which sinks in deeper beside w than on it; that is as
/// good, unless the neighbour has its own face's: on one plate all would have that.
static bool settle_along(const gmc_flush_role *w, const gmc_flush_role *neighbour)
{
    if (!gmc_flush_is_flat(w->own->shape->type) || w->other->shape->type == GMC_SHAPE_PLANE)
        return false;
    gmc_flush_plane f = gmc_flush_face_along(w->own, neighbour->out);
    if (f.face < 0 || gmc_vec3_dot(f.n, neighbour->out) < GMC_FLUSH_LEVEL) return false;
    bool is_along = gmc_vec3_dot(f.n, w->out) >= 1 - GMC_FLUSH_SAME_NORMAL;
    if (is_along &&
        (gmc_vec3_norm(gmc_vec3_cross(f.n, w->out)) <= EXACT || lean_of(neighbour) > EXACT))
        return false;
    if (!is_continued(w, neighbour, &f)) return false;
    bool is_level = gmc_vec3_dot(f.n, neighbour->out) >= 1 - GMC_FLUSH_SAME_NORMAL;
    gmc_flush_measure_along(w, &f,
                            is_level ? (gmc_vec3){0, 0, 0} : gmc_flush_way_along(w, neighbour, &f));
    return true;
}

/// Judge w beside one neighbour. @return whether it was measured anew
static bool settle(const gmc_flush_role *w, const gmc_flush_role *neighbour)
{
    if (settle_along(w, neighbour) || gmc_flush_settle_wedge(w, neighbour) ||
        gmc_flush_settle_at_edge(w, neighbour))
        return true;
    // of a face and an edge that is flush with it the face stays
    if (w->has_patch || gmc_vec3_dot(w->out, neighbour->out) < 1 - GMC_FLUSH_SAME_NORMAL ||
        !is_repeated(w, neighbour) || lean_of(w) < lean_of(neighbour))
        return false;
    gmc_flush_drop(w);
    return true;
}

/// Are both members of what the same geom touches, and of different entries on the other side?
/// @param side  out: that of w and of n on which the set is
static bool share_other(const gmc_flush_member *w, const gmc_flush_member *n, bool side[2])
{
    for (int k = 0; k < 4; k++) {
        side[0] = k & 1;
        side[1] = k >> 1;
        if (w->geom[!side[0]] == n->geom[!side[1]] && w->entry[side[0]] != n->entry[side[1]])
            return true;
    }
    return false;
}

static bool is_of_same_sets(const gmc_flush_sets *sets, const gmc_flush_member *a,
                            const gmc_flush_member *b)
{
    int a0 = sets->set[a->geom[0]], a1 = sets->set[a->geom[1]], b0 = sets->set[b->geom[0]],
        b1 = sets->set[b->geom[1]];
    return (a0 == b0 && a1 == b1) || (a0 == b1 && a1 == b0);
}

/// Measure anew what has to be, one member after the other.
static void settle_list(const gmc_flush_sets *sets, const gmc_model *model,
                        const gmc_flush_member *members, int first)
{
    bool side[2];
    for (int i = first; i >= 0; i = members[i].next)
        for (int j = first; j >= 0 && members[i].contact->manifold.count > 0; j = members[j].next) {
            const gmc_flush_member *w = &members[i], *n = &members[j];
            if (i == j || n->contact->manifold.count == 0 || !is_of_same_sets(sets, w, n) ||
                !share_other(w, n, side))
                continue;
            gmc_flush_role of_w = role_of(w, side[0]), of_n = role_of(n, side[1]);
            of_w.has_patch = gmc_model_has_patch(model, w->geom[0], w->geom[1]);
            of_n.has_patch = gmc_model_has_patch(model, n->geom[0], n->geom[1]);
            if (settle(&of_w, &of_n)) break;
        }
}

// ---- flat contacts ------------------------------------------------------------------------------

/// Does a solid touch with a flat face, seen from its pair?
static bool touches_flat(const gmc_flush_role *r)
{
    gmc_flush_plane f = gmc_flush_face_along(r->own, r->out);
    if (f.face < 0 || gmc_vec3_dot(f.n, r->out) < 1 - GMC_FLUSH_SAME_NORMAL) return false;
    return fabs(gmc_vec3_dot(f.n, gmc_flush_place_on(r, 0)) - f.offset) <=
           gmc_flush_step_of(&r->contact->pair);
}

/// Are the faces with which two members touch one plane, and is what happens there the same?
static bool is_one_flat(const gmc_flush_sets *sets, const gmc_model *model,
                        const gmc_flush_member *a, const gmc_flush_member *b)
{
    if (!b->is_single || b->is_reduced || b->contact->manifold.count == 0 ||
        !is_of_same_sets(sets, a, b))
        return false;
    bool is_turned = sets->set[a->geom[0]] != sets->set[b->geom[0]];
    for (int k = 0; k < 2; k++) {
        int geom_a = a->geom[k], geom_b = b->geom[is_turned ? 1 - k : k];
        gmc_flush_role of_a = role_of(a, k), of_b = role_of(b, is_turned ? !k : k);
        if (gmc_vec3_dot(of_a.out, of_b.out) < 1 - GMC_FLUSH_SAME_NORMAL ||
            model->geoms[geom_a].surface != model->geoms[geom_b].surface ||
            (geom_a != geom_b && !(touches_flat(&of_a) && touches_flat(&of_b))))
            return false;
    }
    const gmc_manifold_point *on_a = a->contact->manifold.points,
                             *on_b = b->contact->manifold.points;
    gmc_vec3 shift = gmc_vec3_sub(b->contact->origin, a->contact->origin);
    gmc_vec3 between = gmc_vec3_sub(gmc_vec3_add(on_b->p, shift), on_a->p);
    double slack = 0.5 * (fabs(on_a->gap) + fabs(on_b->gap));
    return fabs(gmc_vec3_dot(a->contact->manifold.n, between)) <=
           gmc_flush_step_of(&a->contact->pair) + slack;
}

static void reduce_list(const gmc_flush_sets *sets, const gmc_model *model,
                        gmc_flush_member *members, int first)
{
    enum { FLAT_MAX = 256 };
    gmc_seam_member *flat[FLAT_MAX];
    for (int i = first; i >= 0; i = members[i].next) {
        const gmc_flush_member *m = &members[i];
        if (!m->is_single || m->is_reduced || m->contact->manifold.count == 0) continue;
        int count = 0;
        double size = m->contact->pair.size;
        flat[count++] = m->contact;
        for (int j = m->next; j >= 0 && count < FLAT_MAX; j = members[j].next) {
            if (!is_one_flat(sets, model, m, &members[j])) continue;
            members[j].is_reduced = true;
            size = gmc_pair_max(size, members[j].contact->pair.size);
            flat[count++] = members[j].contact;
        }
        // pads share an area each (pad.h): their points stay
        if (count > 1 && !gmc_model_has_pad(model, m->geom[0], m->geom[1]))
            gmc_seam_reduce(flat, count, size, m->contact->pair.work);
    }
}

/// Members of the same sets are in one list, with others: that of a set that moves, as few touch
/// the same, and rather of one of many geoms.
static int list_of(const gmc_flush_sets *sets, const gmc_flush_member *m)
{
    int a = sets->set[m->geom[0]], b = sets->set[m->geom[1]];
    if (a == sets->still || b == sets->still) return a == sets->still ? b : a;
    if (sets->is_many[a] != sets->is_many[b]) return sets->is_many[a] ? a : b;
    return a > b ? a : b;
}

void gmc_flush_settle(const gmc_flush_sets *sets, const gmc_model *model, gmc_flush_member *members,
                      int count)
{
    // from the last to the first, so that the lists are in the members' order
    for (int k = count - 1; k >= 0; k--) {
        int *head = &sets->head[list_of(sets, &members[k])];
        members[k].is_reduced = false;
        members[k].next = *head;
        *head = k;
    }
    for (int k = 0; k < count; k++) {
        int *head = &sets->head[list_of(sets, &members[k])], first = *head;
        *head = -1;
        if (first < 0 || members[first].next < 0) continue;
        settle_list(sets, model, members, first);
        reduce_list(sets, model, members, first);
    }
}
