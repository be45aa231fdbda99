// Each point of an overlap demands n . d >= depth of a move d. The shortest move that meets all
// demands is found, the start is looked at there, what overlaps then adds its demands, and so on:
// normals turn as bodies move, so that one round is right for flat faces only. What is told is a
// move after which nothing overlapped when it was looked at; where none is found nothing is told.
// Bodies that are deep in each other, or between others, have normals that mislead or contradict.
// So directions all around are looked along too, at growing distances, and the best of them is
// turned and shortened while it stays free. The shortest found is told; that there is none shorter
// is not known. Where nothing was found, one axis at a time is marched along.
//
// What a hand has its fingers in is freed by opening them, where that is enough: where the hand is
// was chosen for the grasp. Fingers go the same share of their ways, and the least share is
// bisected for; a start that is free between two that are not is missed.
//
// Moves are along the axes of hand.target or object.pose, whose directions in the world are found
// by moving by a little: frames of target, camera and camera's errors need not be known here.
#include "sampling/campaign/freeing.h"

#include "engine/math/elementary.h"
#include "sampling/campaign/look.h"
#include "sampling/scenario/perturb.h"
#include "sampling/scenario/study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 12, DEMANDS_MAX = 512 };
// Of the search: directions spread evenly, those of normals and of pairs of them, all looks.
enum { SPREAD = 96, NORMALS_MAX = 6, DIRECTIONS_MAX = 128, LOOKS_MAX = 1600 };
// A longer move is another set-up; marches double their steps of a unit up to it [m].
static const double FARTHEST = 0.512;
// Lengths are told in tenths of millimetres, rounded up [m].
static const double UNIT = 1e-4;
// One number to change is worth a move that is longer by this.
static const double ONE_AXIS_WORTH = 1.05;

bool gmc_freeing_least(const gmc_freeing_demand *demands, int count, int axes, double *s)
{
    // s = sum of multipliers >= 0 times rows; each in turn is made as large as its demand needs
    // (Hildreth's method), which converges where the demands can be met
    enum { SWEEPS = 2000 };
    static const double MET = 1e-7; // [m]
    double *multipliers = calloc((size_t)count + 1, sizeof *multipliers);
    if (!multipliers) return false;
    bool is_met = false, is_far = false;
    memset(s, 0, (size_t)axes * sizeof *s);
    for (int sweep = 0; sweep < SWEEPS && !is_met && !is_far; sweep++) {
        double worst = 0, length2 = 0;
        for (int i = 0; i < count; i++) {
            double along = 0, norm2 = 0;
            for (int k = 0; k < axes; k++) {
                along += demands[i].row[k] * s[k];
                norm2 += demands[i].row[k] * demands[i].row[k];
            }
            double left = demands[i].depth - along;
            worst = fmax(worst, left);
            if (!(norm2 > 1e-12)) continue;
            double change = fmax(left / norm2, -multipliers[i]);
            multipliers[i] += change;
            for (int k = 0; k < axes; k++)
                s[k] += change * demands[i].row[k];
        }
        for (int k = 0; k < axes; k++)
            length2 += s[k] * s[k];
        is_met = worst <= MET;
        is_far = !(length2 <= FARTHEST * FARTHEST);
    }
    free(multipliers);
    return is_met;
}

// ---- where the hand or the object is within others ----------------------------------------------

/// What could be moved to part bodies.
typedef enum mover_kind { MOVER_HAND, MOVER_OBJECT, MOVER_COUNT } mover_kind;

/// A point where the mover is within something else: a move d with dir . d >= depth parts the two
/// there, as long as the normal stays what it is.
typedef struct shove {
    gmc_vec3 dir; ///< unit, world
    double depth; ///< [m]
} shove;

typedef struct pushes {
    shove *list; ///< (count) in `scratch`
    int count;
    bool has_mover;  ///< it is there and can touch something
    bool has_others; ///< something else overlaps by more than is accepted
    bool is_grip;    ///< by more than is accepted hand and object overlap, and nothing else
    double deepest;  ///< overlap of any two bodies [m]
    gmc_vec3 place;  ///< origin of a body of the mover, world [m]
} pushes;

static bool are_hand_and_object(const gmc_geom *a, const gmc_geom *b)
{
    return ((a->category & GMC_CATEGORY_HAND) && (b->category & GMC_CATEGORY_OBJECT)) ||
           ((b->category & GMC_CATEGORY_HAND) && (a->category & GMC_CATEGORY_OBJECT));
}

// Where the hand or the object is within others at the start of a trial.
// @param accepted  overlap, besides what a trial accepts: the smaller of both counts [m]
// @return GMC_OK, GMC_E_ARENA_FULL, GMC_E_LIMIT, GMC_E_LIBRARY (contacts could not be found)
static gmc_status find_pushes(const gmc_rollout_input *input, mover_kind mover, double accepted,
                              gmc_arena *trial, gmc_arena *scratch, pushes *found)
{
    // a body that rests is pressed in by its weight, and rounding is not what keeps bodies together
    static const double SETTLED = 1e-5;
    const unsigned category = mover == MOVER_HAND ? GMC_CATEGORY_HAND : GMC_CATEGORY_OBJECT;
    const gmc_model *model = input->model;
    gmc_rollout_start_points at;
    *found = (pushes){.is_grip = true};
    GMC_TRY(gmc_rollout_start_find(input, trial, scratch, &at));
    found->list = GMC_NEW(scratch, at.count, shove);
    if (!found->list && at.count > 0) return GMC_E_ARENA_FULL;
    for (int i = 0; i < at.count; i++) {
        const gmc_contact_point *point = &at.points[i];
        bool is_a = (model->geoms[point->geom_a].category & category) != 0;
        bool is_b = (model->geoms[point->geom_b].category & category) != 0;
        double depth = -point->gap;
        if (depth > found->deepest) found->deepest = depth;
        bool is_deep = depth > fmin(gmc_rollout_accepted(input, point), accepted);
        if (is_a == is_b && is_deep) found->has_others = true;
        if (is_deep &&
            !are_hand_and_object(&model->geoms[point->geom_a], &model->geoms[point->geom_b]))
            found->is_grip = false;
        if (is_a == is_b || depth <= SETTLED) continue;
        found->list[found->count++] =
            (shove){.dir = is_b ? point->n : gmc_vec3_neg(point->n), .depth = depth};
    }
    for (int g = 0; g < model->geom_count; g++) {
        if (!(model->geoms[g].category & category)) continue;
        found->has_mover = true;
        found->place = at.X_wb[model->geoms[g].body].p;
        break;
    }
    return GMC_OK;
}

/// What can be moved, and which way its numbers move it.
typedef struct mover {
    gmc_look look;
    int64_t case_index;
    mover_kind kind;
    const double *believed, *values; ///< (parameter_count) of the start
    double accepted; ///< overlap of others than the mover that counts as none, if a trial does [m]
    int axes;
    gmc_param param[GMC_FREEING_AXES];
    gmc_vec3 dir[GMC_FREEING_AXES]; ///< of the parameter, world [-]
    gmc_freeing_demand demands[DEMANDS_MAX];
} mover;

/// A look of a mover: its place and the demands there.
typedef struct glance {
    mover *m;
    const double *s;  ///< (axes) moved so far; NULL: take no demands
    int demand_count; ///< in, out
    pushes pushes;
    double accepted; ///< overlap that counts as none [m]
} glance;

static void demand(glance *g, const shove *push)
{
    const mover *m = g->m;
    if (g->demand_count >= DEMANDS_MAX) return;
    gmc_freeing_demand *next = &g->m->demands[g->demand_count++];
    next->depth = push->depth;
    for (int k = 0; k < m->axes; k++) {
        next->row[k] = gmc_vec3_dot(push->dir, m->dir[k]);
        next->depth += next->row[k] * g->s[k];
    }
}

static gmc_status look_at(const gmc_rollout_input *input, gmc_arena *trial, gmc_arena *scratch,
                          void *context)
{
    glance *g = context;
    g->accepted = fmin(g->m->accepted, input->options.deep_start);
    GMC_TRY(find_pushes(input, g->m->kind, g->m->accepted, trial, scratch, &g->pushes));
    for (int i = 0; g->s && i < g->pushes.count; i++)
        demand(g, &g->pushes.list[i]);
    return GMC_OK;
}

static bool is_allowed(const mover *m, int axis, double value)
{
    const gmc_parameter *p = &m->look.scenario->parameters[m->param[axis]];
    return value >= p->lower && value <= p->upper;
}

static void put_back(mover *m)
{
    size_t bytes = (size_t)m->look.scenario->parameter_count * sizeof(double);
    memcpy(m->look.believed, m->believed, bytes);
    memcpy(m->look.values, m->values, bytes);
}

static void add(mover *m, gmc_param param, double by)
{
    m->look.believed[param] += by;
    m->look.values[param] += by;
}

/// Look at the mover where it is moved by s; GMC_E_INPUT: it may not go there.
static gmc_status look_moved(mover *m, const double *s, glance *g)
{
    put_back(m);
    for (int k = 0; s && k < m->axes; k++) {
        add(m, m->param[k], s[k]);
        if (!is_allowed(m, k, m->look.believed[m->param[k]])) return GMC_E_INPUT;
        if (!is_allowed(m, k, m->look.values[m->param[k]])) return GMC_E_INPUT;
    }
    return gmc_look_do(&m->look, m->case_index, look_at, g);
}

/// What a look cannot tell is no failure of the whole: no move is told then.
static bool is_only_unknown(gmc_status status)
{
    return status == GMC_E_INPUT || status == GMC_E_LIMIT || status == GMC_E_LIBRARY;
}

static bool is_free(const glance *g)
{
    return g->pushes.count == 0 && !g->pushes.has_others && g->pushes.deepest <= g->accepted;
}

/// A study chooses the number, so that it cannot be written.
static bool is_studied(const gmc_scenario *scenario, gmc_param param)
{
    for (int i = 0; i < scenario->axis_count; i++)
        for (int k = 0; k < scenario->axes[i].target_count; k++)
            if (scenario->axes[i].targets[k] == param) return true;
    return false;
}

/// Directions of the numbers that move it; those that do nothing are left out.
static gmc_status find_axes(mover *m, const gmc_pose_spec *spec)
{
    static const double STEP = 1e-3;
    const gmc_param params[GMC_FREEING_AXES] = {spec->x, spec->y, spec->z};
    glance start = {.m = m};
    m->axes = 0;
    GMC_TRY(look_moved(m, NULL, &start));
    if (!start.pushes.has_mover || start.pushes.has_others) return GMC_E_INPUT;
    int axes = 0;
    for (int k = 0; k < GMC_FREEING_AXES; k++) {
        if (params[k] < 0 || is_studied(m->look.scenario, params[k])) continue;
        glance moved = {.m = m};
        put_back(m);
        add(m, params[k], STEP);
        GMC_TRY(gmc_look_do(&m->look, m->case_index, look_at, &moved));
        gmc_vec3 by = gmc_vec3_sub(moved.pushes.place, start.pushes.place);
        if (!(gmc_vec3_norm(by) > STEP / 2)) continue;
        m->param[axes] = params[k];
        m->dir[axes++] = gmc_vec3_scale(1 / STEP, by);
    }
    m->axes = axes;
    return axes > 0 ? GMC_OK : GMC_E_INPUT;
}

/// Away from zero to whole units; what is next to nothing becomes nothing.
static double rounded_up(double x)
{
    double units = fabs(x) / UNIT;
    return copysign(units < 0.02 ? 0 : UNIT * ceil(units - 1e-6), x);
}

static double length_of(const double *s, int axes)
{
    double length2 = 0;
    for (int k = 0; k < axes; k++)
        length2 += s[k] * s[k];
    return sqrt(length2);
}

/// Cut by cut to the shortest move along the mover's axes.
/// @param s  out: (axes) rounded; length 0 where none was found
static gmc_status find_shortest(mover *m, double *s, double *length)
{
    glance g = {.m = m};
    double exact[GMC_FREEING_AXES] = {0};
    *length = 0;
    memset(s, 0, GMC_FREEING_AXES * sizeof *s);
    for (int round = 0; round < ROUNDS; round++) {
        g.s = s;
        gmc_status status = look_moved(m, s, &g);
        if (is_only_unknown(status)) return GMC_OK;
        GMC_TRY(status);
        if (g.pushes.has_others) return GMC_OK;
        if (is_free(&g)) {
            *length = length_of(s, m->axes);
            return GMC_OK;
        }
        if (!gmc_freeing_least(m->demands, g.demand_count, m->axes, exact)) return GMC_OK;
        for (int k = 0; k < m->axes; k++)
            s[k] = rounded_up(exact[k]);
    }
    return GMC_OK;
}

static void tell(const mover *m, const double *s, gmc_freeing *found)
{
    found->count = 0;
    found->along = (gmc_vec3){0, 0, 0};
    for (int k = 0; k < m->axes; k++) {
        if (!(fabs(s[k]) > 0)) continue;
        found->along = gmc_vec3_add(found->along, gmc_vec3_scale(s[k], m->dir[k]));
        found->param[found->count] = m->param[k];
        found->by[found->count++] = s[k];
    }
}

/// Is nothing within anything else after a move?
static gmc_status is_free_at(mover *m, const double *s, bool *is)
{
    glance g = {.m = m};
    gmc_status status = look_moved(m, s, &g);
    *is = status == GMC_OK && is_free(&g);
    return is_only_unknown(status) ? GMC_OK : status;
}

/// Where bodies are so deep in each other that normals contradict: along one axis, in one
/// direction, away until they are apart, and back as far as they stay so.
/// @param s  out: moved so far; 0: never free
static gmc_status march(mover *m, double sign, double *s)
{
    bool is = false;
    double units = 1;
    for (; units * UNIT <= FARTHEST; units *= 2) {
        *s = sign * units * UNIT;
        GMC_TRY(is_free_at(m, s, &is));
        if (is) break;
    }
    double free_at = is ? units : 0, taken_at = floor(units / 2);
    while (free_at - taken_at > 1) {
        double middle = floor((free_at + taken_at) / 2);
        *s = sign * middle * UNIT;
        GMC_TRY(is_free_at(m, s, &is));
        *(is ? &free_at : &taken_at) = middle;
    }
    *s = sign * free_at * UNIT;
    return GMC_OK;
}

/// The shortest of the marches along each axis.
static gmc_status march_all(mover *m, const mover *all, gmc_freeing *found)
{
    double shortest = 0;
    m->axes = 1;
    for (int i = 0; i < 2 * all->axes; i++) {
        double s;
        m->param[0] = all->param[i / 2];
        m->dir[0] = all->dir[i / 2];
        GMC_TRY(march(m, i % 2 ? -1 : 1, &s));
        if (!(fabs(s) > 0) || (shortest > 0 && fabs(s) >= shortest)) continue;
        shortest = fabs(s);
        tell(m, &s, found);
    }
    return GMC_OK;
}

/// A search around the mover.
typedef struct search {
    double to[DIRECTIONS_MAX][GMC_FREEING_AXES]; ///< unit
    int count, looks;
    double best[GMC_FREEING_AXES], length; ///< free; only what is shorter than `length` is wanted
} search;

static void add_direction(search *q, const double *to, int axes)
{
    double length = length_of(to, axes);
    if (q->count >= DIRECTIONS_MAX || !(length > 1e-6)) return;
    for (int k = 0; k < axes; k++)
        q->to[q->count][k] = to[k] / length;
    q->count++;
}

/// Axes, normals at the start and sums of two of them, and a spiral over the sphere (Fibonacci's)
/// or a circle.
static void spread(search *q, const mover *m, int demand_count)
{
    const double turn = GMC_PI * (3 - sqrt(5));
    for (int i = 0; i < 2 * m->axes; i++) {
        double to[GMC_FREEING_AXES] = {0};
        to[i / 2] = i % 2 ? -1 : 1;
        add_direction(q, to, m->axes);
    }
    int every = 1 + (demand_count - 1) / NORMALS_MAX;
    for (int i = 0; i < demand_count; i += every)
        for (int j = i; j < demand_count; j += every) {
            double to[GMC_FREEING_AXES];
            for (int k = 0; k < m->axes; k++)
                to[k] = m->demands[i].row[k] + m->demands[j].row[k];
            add_direction(q, to, m->axes);
        }
    for (int i = 0; i < SPREAD && m->axes > 1; i++) {
        double up = m->axes > 2 ? 1 - (2 * i + 1.0) / SPREAD : 0, across = sqrt(1 - up * up);
        double angle = m->axes > 2 ? turn * i : 2 * GMC_PI * i / SPREAD;
        double sine, cosine;
        gmc_sin_cos(angle, &sine, &cosine);
        add_direction(q, (const double[]){across * cosine, across * sine, up}, m->axes);
    }
}

/// Keep a move that is free and shorter than the best.
static gmc_status probe(mover *m, search *q, const double *to, double distance, bool *is)
{
    double s[GMC_FREEING_AXES];
    for (int k = 0; k < m->axes; k++)
        s[k] = rounded_up(distance * to[k]);
    double length = length_of(s, m->axes);
    *is = false;
    if (q->looks >= LOOKS_MAX || !(length > 0 && length < q->length)) return GMC_OK;
    q->looks++;
    GMC_TRY(is_free_at(m, s, is));
    if (!*is) return GMC_OK;
    q->length = length;
    memcpy(q->best, s, sizeof s);
    return GMC_OK;
}

/// Shorten along a direction.
static gmc_status shorten(mover *m, search *q, const double *to, double taken_at, double free_at)
{
    while (free_at - taken_at > fmax(UNIT, 0.01 * free_at) && q->looks < LOOKS_MAX) {
        bool is = false;
        double middle = (free_at + taken_at) / 2;
        GMC_TRY(probe(m, q, to, middle, &is));
        *(is ? &free_at : &taken_at) = middle;
    }
    return GMC_OK;
}

/// Directions all around at growing distances, until one is free; the best of that distance.
static gmc_status look_around(mover *m, search *q, double nearest)
{
    static const double GROWTH = 1.2, GAIN = 0.98;
    bool is_found = false;
    for (double r = nearest; r < GAIN * q->length && !is_found && q->looks < LOOKS_MAX; r *= GROWTH)
        for (int i = 0; i < q->count; i++) {
            bool is = false;
            double at = fmin(r, GAIN * q->length);
            GMC_TRY(probe(m, q, q->to[i], at, &is));
            is_found = is_found || is;
            if (is) GMC_TRY(shorten(m, q, q->to[i], 0, at));
        }
    return GMC_OK;
}

/// Turn the best move by smaller and smaller angles, and shorten what is free.
static gmc_status turn_best(mover *m, search *q)
{
    static const double GAIN = 0.99;
    for (double angle = 0.3; angle > 0.02 && q->looks < LOOKS_MAX;) {
        double from[GMC_FREEING_AXES], at = GAIN * q->length;
        bool is_better = false;
        memcpy(from, q->best, sizeof from);
        for (int i = 0; i < q->count && !is_better; i += i < 2 * m->axes ? 1 : 8) {
            // some of the directions serve as ways to turn to: those along the move change little
            double to[GMC_FREEING_AXES], length = length_of(from, m->axes);
            for (int k = 0; k < m->axes; k++)
                to[k] = from[k] / length + angle * q->to[i][k];
            double norm = length_of(to, m->axes);
            for (int k = 0; k < m->axes; k++)
                to[k] /= norm;
            GMC_TRY(probe(m, q, to, at, &is_better));
            if (is_better) GMC_TRY(shorten(m, q, to, 0, at));
        }
        if (!is_better) angle /= 2;
    }
    return GMC_OK;
}

/// What is shorter than `length`, or than the farthest if that is 0.
/// @param found  out: that; unchanged where there is none
static gmc_status search_around(mover *m, double length, gmc_freeing *found)
{
    search *q = calloc(1, sizeof *q);
    if (!q) return GMC_E_MEMORY;
    double nowhere[GMC_FREEING_AXES] = {0};
    glance g = {.m = m, .s = nowhere};
    double wanted = length > 0 ? length : FARTHEST;
    q->length = wanted;
    gmc_status status = look_moved(m, nowhere, &g);
    if (status == GMC_OK && !g.pushes.has_others) {
        spread(q, m, g.demand_count);
        status = look_around(m, q, fmax(g.pushes.deepest / 2, UNIT));
        if (status == GMC_OK && q->length < wanted) status = turn_best(m, q);
        if (status == GMC_OK && q->length < wanted) tell(m, q->best, found);
    }
    free(q);
    return is_only_unknown(status) ? GMC_OK : status;
}

/// Along each axis alone, then along all of them.
static gmc_status find_move(mover *m, gmc_freeing *found)
{
    mover *all = malloc(sizeof *all);
    if (!all) return GMC_E_MEMORY;
    *all = *m;
    double s[GMC_FREEING_AXES], length, shortest = 0;
    gmc_status status = GMC_OK;
    for (int k = 0; k < all->axes && status == GMC_OK; k++) {
        m->axes = 1;
        m->param[0] = all->param[k];
        m->dir[0] = all->dir[k];
        status = find_shortest(m, s, &length);
        if (status != GMC_OK || !(length > 0) || (shortest > 0 && length >= shortest)) continue;
        shortest = length;
        tell(m, s, found);
    }
    m->axes = all->axes;
    memcpy(m->param, all->param, sizeof m->param);
    memcpy(m->dir, all->dir, sizeof m->dir);
    if (status == GMC_OK && m->axes > 1) {
        status = find_shortest(m, s, &length);
        bool is_worth = length > 0 && (!(shortest > 0) || shortest > ONE_AXIS_WORTH * length);
        if (status == GMC_OK && is_worth) tell(m, s, found);
        double wanted = is_worth ? length : shortest / ONE_AXIS_WORTH;
        if (status == GMC_OK) status = search_around(m, wanted, found);
    }
    if (status == GMC_OK && found->count == 0) status = march_all(m, all, found);
    free(all);
    return status;
}

/// Fingers, where they start and how far each can open.
typedef struct opening {
    gmc_param param[GMC_FREEING_NUMBERS];
    double way[GMC_FREEING_NUMBERS];  ///< signed [m or rad]
    double unit[GMC_FREEING_NUMBERS]; ///< that they are told in
    double by[GMC_FREEING_NUMBERS];   ///< opened so far
    int count;
} opening;

static void list_fingers(const mover *m, opening *o)
{
    static const double TENTH_DEGREE = GMC_PI / 1800;
    const gmc_build *build = m->look.build;
    for (int i = 0; i < gmc_build_joint_count(build) && o->count < GMC_FREEING_NUMBERS; i++) {
        gmc_build_joint_facts joint;
        if (!gmc_build_joint(build, i, &joint) || !joint.is_finger || !isfinite(joint.open))
            continue;
        char path[256];
        snprintf(path, sizeof path, "hand.%s.start", joint.name);
        gmc_param param = gmc_scenario_find(m->look.scenario, path);
        if (param < 0 || is_studied(m->look.scenario, param)) continue;
        double way = joint.open - m->values[param];
        if (way == 0 || way * joint.closes > 0) continue; // it is more than open
        o->param[o->count] = param;
        o->unit[o->count] = joint.is_slide ? UNIT : TENTH_DEGREE;
        o->way[o->count++] = way;
    }
}

/// Is the start free with fingers open by a share of their ways, in whole units but for the last?
static gmc_status is_free_open(mover *m, opening *o, double share, bool *is)
{
    glance g = {.m = m};
    put_back(m);
    for (int i = 0; i < o->count; i++) {
        double units = ceil(share * fabs(o->way[i]) / o->unit[i] - 1e-6);
        o->by[i] = copysign(fmin(units * o->unit[i], fabs(o->way[i])), o->way[i]);
        add(m, o->param[i], o->by[i]);
    }
    gmc_status status = gmc_look_do(&m->look, m->case_index, look_at, &g);
    *is = status == GMC_OK && is_free(&g);
    return is_only_unknown(status) ? GMC_OK : status;
}

/// The least share of their ways by which fingers must open, if that alone frees.
static gmc_status open_fingers(mover *m, gmc_freeing *found)
{
    enum { HALVINGS = 12 };
    opening o = {0};
    glance start = {.m = m};
    bool is = false;
    m->kind = MOVER_HAND;
    m->axes = 0;
    GMC_TRY(look_moved(m, NULL, &start));
    if (!start.pushes.is_grip) return GMC_OK;
    list_fingers(m, &o);
    if (o.count == 0) return GMC_OK;
    GMC_TRY(is_free_open(m, &o, 1, &is));
    if (!is) return GMC_OK;
    double taken_at = 0, free_at = 1;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (taken_at + free_at) / 2;
        GMC_TRY(is_free_open(m, &o, middle, &is));
        *(is ? &free_at : &taken_at) = middle;
    }
    GMC_TRY(is_free_open(m, &o, free_at, &is));
    for (int i = 0; i < o.count && is; i++) {
        if (!(fabs(o.by[i]) > 0)) continue;
        found->param[found->count] = o.param[i];
        found->by[found->count++] = o.by[i];
    }
    return GMC_OK;
}

/// The hand or the object.
static gmc_status move_whole(mover *m, gmc_freeing *found)
{
    const gmc_scenario *scenario = m->look.scenario;
    const gmc_pose_spec *specs[MOVER_COUNT] = {
        [MOVER_HAND] = &scenario->hand.target,
        [MOVER_OBJECT] = &scenario->objects[gmc_study_object(scenario, m->case_index)].pose,
    };
    for (int kind = 0; kind < MOVER_COUNT && found->count == 0; kind++) {
        m->kind = (mover_kind)kind;
        if (m->kind == MOVER_HAND && (!scenario->hand.urdf || scenario->hand.mounted_on)) continue;
        gmc_status status = find_axes(m, specs[kind]);
        if (status == GMC_OK) status = find_move(m, found);
        if (status != GMC_OK && !is_only_unknown(status)) return status;
    }
    return GMC_OK;
}

/// What is left of overlaps after the move.
static gmc_status find_left(mover *m, gmc_freeing *found)
{
    glance g = {.m = m};
    put_back(m);
    for (int i = 0; i < found->count; i++)
        add(m, found->param[i], found->by[i]);
    gmc_status status = gmc_look_do(&m->look, m->case_index, look_at, &g);
    found->left = status == GMC_OK ? g.pushes.deepest : 0;
    return is_only_unknown(status) ? GMC_OK : status;
}

/// Fingers first, then the hand: where the object is belongs to the question, where the hand goes
/// is chosen. What leaves no overlap at all comes before what leaves one that is accepted.
static gmc_status find(mover *m, gmc_freeing *found)
{
    const double accepted[] = {GMC_BUILD_OVERLAP_TOLD, HUGE_VAL};
    for (int i = 0; i < GMC_COUNT(accepted) && found->count == 0; i++) {
        m->accepted = accepted[i];
        if (!m->look.scenario->hand.urdf) break;
        gmc_status status = open_fingers(m, found);
        if (status != GMC_OK && !is_only_unknown(status)) return status;
    }
    for (int i = 0; i < GMC_COUNT(accepted) && found->count == 0; i++) {
        m->accepted = accepted[i];
        GMC_TRY(move_whole(m, found));
    }
    return found->count > 0 ? find_left(m, found) : GMC_OK;
}

gmc_status gmc_freeing_find(const gmc_scenario *scenario, const gmc_build *build,
                            int64_t case_index, const uint64_t *draw, gmc_freeing *found)
{
    *found = (gmc_freeing){0};
    mover *m = calloc(1, sizeof *m);
    size_t count = (size_t)scenario->parameter_count;
    double *start = calloc(2 * count + 1, sizeof *start);
    gmc_status status = m && start ? GMC_OK : GMC_E_MEMORY;
    if (status == GMC_OK) status = gmc_look_open(scenario, build, &m->look);
    if (status == GMC_OK) {
        gmc_perturb_believed(scenario, case_index, start);
        gmc_perturb_believed(scenario, case_index, start + count);
        m->believed = start;
        m->values = start + count;
        m->case_index = case_index;
        if (draw) status = gmc_perturb_values(scenario, case_index, *draw, start + count, NULL);
        if (status == GMC_OK) status = find(m, found);
    }
    if (m) gmc_look_close(&m->look);
    free(start);
    free(m);
    return is_only_unknown(status) ? GMC_OK : status;
}

const char *gmc_freeing_text(const gmc_freeing *move, const gmc_scenario *scenario,
                             char text[GMC_FREEING_TEXT_MAX])
{
    size_t used = 0;
    text[0] = 0;
    for (int i = 0; i < move->count && used < GMC_FREEING_TEXT_MAX; i++) {
        const gmc_parameter *p = &scenario->parameters[move->param[i]];
        bool turns = p->dimension == GMC_DIM_ANGLE;
        double by = turns ? move->by[i] * 180 / GMC_PI : 1e3 * move->by[i];
        int added = snprintf(text + used, GMC_FREEING_TEXT_MAX - used, "%s%s by %+.4g %s",
                             i > 0 ? ", " : "", p->path, by, turns ? "deg" : "mm");
        used += added > 0 ? (size_t)added : 0;
    }
    double length = gmc_vec3_norm(move->along);
    if (move->count < 2 || used >= GMC_FREEING_TEXT_MAX || !(length > 0)) return text;
    // 0 without a sign
    double n[3] = {move->along.x / length, move->along.y / length, move->along.z / length};
    for (int k = 0; k < 3; k++)
        n[k] = fabs(n[k]) < 5e-3 ? 0 : n[k];
    snprintf(text + used, GMC_FREEING_TEXT_MAX - used, " (%.1f mm along (%.2g, %.2g, %.2g))",
             1e3 * length, n[0], n[1], n[2]);
    return text;
}
