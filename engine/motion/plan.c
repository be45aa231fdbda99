#include "engine/motion/plan.h"

#include "engine/motion/chance.h"

#include <math.h>
#include <string.h>

typedef struct tree {
    double *x;   // (node_max * size)
    int *parent; // (node_max) -1: a root
    int count;
} tree;

typedef struct search {
    const gmc_plan_space *space;
    const gmc_plan_options *options;
    tree trees[2]; // from the start, from the goals
    double *u, *sample, *next, *best;
    double *way; // (node_max * size) what was found, before it is shortened
    int way_count;
    double *middles;  // (DEPTH_MAX * size)
    uint64_t numbers; // looked up so far
} search;

// Halvings of a piece, from metres to micrometres.
enum { DEPTH_MAX = 24 };

static const double *node(const search *s, const tree *t, int i)
{
    return t->x + (size_t)i * (size_t)s->space->size;
}

static void add(const search *s, tree *t, const double *x, int parent)
{
    size_t size = (size_t)s->space->size;
    memcpy(t->x + (size_t)t->count * size, x, size * sizeof *x);
    t->parent[t->count++] = parent;
}

static bool is_full(const search *s)
{
    return s->trees[0].count + s->trees[1].count >= s->options->node_max;
}

// ---- a piece of a way --------------------------------------------------------------------------

static gmc_status prove(const search *s, const double *a, const double *b, int depth,
                        bool *is_clear)
{
    const gmc_plan_space *space = s->space;
    double *middle = s->middles + depth * space->size;
    double half = space->apart(space->context, a, b) / 2;
    space->between(space->context, a, b, 0.5, middle);
    GMC_TRY(space->clear(space->context, middle, half + s->options->clearance, is_clear));
    if (*is_clear || half <= s->options->resolution || depth + 1 >= DEPTH_MAX) return GMC_OK;
    // a way that is blocked here is blocked, whatever its halves are
    GMC_TRY(space->clear(space->context, middle, s->options->clearance, is_clear));
    if (!*is_clear) return GMC_OK;
    GMC_TRY(prove(s, a, middle, depth + 1, is_clear));
    if (*is_clear) GMC_TRY(prove(s, middle, b, depth + 1, is_clear));
    return GMC_OK;
}

// ---- growing -----------------------------------------------------------------------------------

static int nearest(const search *s, const tree *t, const double *x)
{
    int found = 0;
    double least = INFINITY;
    for (int i = 0; i < t->count; i++) {
        double apart = s->space->apart(s->space->context, node(s, t, i), x);
        if (apart < least) least = apart, found = i;
    }
    return found;
}

typedef enum reached { BLOCKED, ON_WAY, ARRIVED } reached;

// One stride from a node towards x.
static gmc_status stride(search *s, tree *t, int from, const double *x, reached *how)
{
    const gmc_plan_space *space = s->space;
    double apart = space->apart(space->context, node(s, t, from), x), stride = s->options->stride;
    bool is_clear, arrives = apart <= stride;
    if (arrives)
        memcpy(s->next, x, (size_t)space->size * sizeof *x);
    else
        space->between(space->context, node(s, t, from), x, stride / apart, s->next);
    GMC_TRY(prove(s, node(s, t, from), s->next, 0, &is_clear));
    *how = !is_clear ? BLOCKED : arrives ? ARRIVED : ON_WAY;
    if (is_clear) add(s, t, s->next, from);
    return GMC_OK;
}

// A tree goes as far as it can towards the last node of the other.
static gmc_status connect(search *s, const tree *one, tree *other, bool *have_met)
{
    const double *to = node(s, one, one->count - 1);
    int from = nearest(s, other, to);
    reached how;
    do {
        GMC_TRY(stride(s, other, from, to, &how));
        from = other->count - 1;
    } while (how == ON_WAY && !is_full(s));
    *have_met = how == ARRIVED;
    return GMC_OK;
}

// One tree takes a stride towards a sample, the other comes to meet it.
static gmc_status grow(search *s, tree *one, tree *other, bool *have_met)
{
    const gmc_plan_space *space = s->space;
    reached how;
    for (int i = 0; i < space->size; i++)
        s->u[i] = gmc_chance_uniform(s->options->seed, s->numbers++);
    space->draw(space->context, s->u, s->sample);
    GMC_TRY(stride(s, one, nearest(s, one, s->sample), s->sample, &how));
    if (how == BLOCKED || is_full(s)) return GMC_OK;
    return connect(s, one, other, have_met);
}

// ---- the way -----------------------------------------------------------------------------------

// From the start's root to where the trees met, and on to a goal.
static void string_together(search *s)
{
    const tree *from = &s->trees[0], *to = &s->trees[1];
    size_t bytes = (size_t)s->space->size * sizeof(double);
    int size = s->space->size;
    s->way_count = 0;
    for (int i = from->count - 1; i >= 0; i = from->parent[i])
        s->way_count++;
    for (int i = from->count - 1, k = s->way_count; i >= 0; i = from->parent[i])
        memcpy(s->way + --k * size, node(s, from, i), bytes);
    // the last nodes of both trees are the same place
    for (int i = to->parent[to->count - 1]; i >= 0; i = to->parent[i])
        memcpy(s->way + s->way_count++ * size, node(s, to, i), bytes);
}

static gmc_status leave_out(search *s, int first, int last, bool *is_shorter)
{
    int size = s->space->size;
    GMC_TRY(prove(s, s->way + first * size, s->way + last * size, 0, is_shorter));
    if (!*is_shorter) return GMC_OK;
    memmove(s->way + (first + 1) * size, s->way + last * size,
            (size_t)((s->way_count - last) * size) * sizeof(double));
    s->way_count -= last - first - 1;
    return GMC_OK;
}

enum { SHORTCUTS = 100 };

// Knots between two that see each other are left out: some at random, then those of neighbours.
static gmc_status shorten(search *s)
{
    bool is_shorter;
    for (int k = 0; k < SHORTCUTS && s->way_count > 2; k++) {
        int n = s->way_count;
        int a = (int)(gmc_chance_uniform(s->options->seed, s->numbers++) * n);
        int b = (int)(gmc_chance_uniform(s->options->seed, s->numbers++) * n);
        int first = a < b ? a : b, last = a < b ? b : a;
        if (last - first > 1) GMC_TRY(leave_out(s, first, last, &is_shorter));
    }
    for (int k = 0; k + 2 < s->way_count;) {
        GMC_TRY(leave_out(s, k, k + 2, &is_shorter));
        if (!is_shorter) k++;
    }
    return GMC_OK;
}

// ---- the search --------------------------------------------------------------------------------

static gmc_status make_room(search *s, gmc_arena *scratch)
{
    size_t size = (size_t)s->space->size, nodes = (size_t)s->options->node_max + 2;
    for (int i = 0; i < 2; i++) {
        s->trees[i].x = GMC_ROOM(scratch, nodes * size, double);
        s->trees[i].parent = GMC_ROOM(scratch, nodes, int);
        if (!s->trees[i].x || !s->trees[i].parent) return GMC_E_ARENA_FULL;
    }
    s->way = GMC_ROOM(scratch, nodes * size, double);
    s->u = GMC_NEW(scratch, size, double);
    s->sample = GMC_NEW(scratch, size, double);
    s->next = GMC_NEW(scratch, size, double);
    s->middles = GMC_NEW(scratch, DEPTH_MAX * size, double);
    return s->way && s->u && s->sample && s->next && s->middles ? GMC_OK : GMC_E_ARENA_FULL;
}

static gmc_status plant(search *s, tree *t, const double *x)
{
    bool is_clear;
    GMC_TRY(s->space->clear(s->space->context, x, s->options->clearance, &is_clear));
    if (is_clear && !is_full(s)) add(s, t, x, -1);
    return GMC_OK;
}

// Samples in a row that added nothing: every one of them was blocked.
enum { IDLE_MAX = 10000 };

static gmc_status look(search *s, gmc_plan *plan)
{
    bool have_met = false;
    GMC_TRY(plant(s, &s->trees[0], plan->start));
    for (int i = 0; i < plan->goal_count; i++)
        GMC_TRY(plant(s, &s->trees[1], plan->goals + i * s->space->size));
    bool is_planted = s->trees[0].count > 0 && s->trees[1].count > 0;
    if (is_planted) GMC_TRY(connect(s, &s->trees[0], &s->trees[1], &have_met)); // straight on?
    for (int side = 0, idle = 0; is_planted && !have_met && !is_full(s) && idle < IDLE_MAX;
         side = 1 - side) {
        int before = s->trees[0].count + s->trees[1].count;
        GMC_TRY(grow(s, &s->trees[side], &s->trees[1 - side], &have_met));
        idle = s->trees[0].count + s->trees[1].count > before ? 0 : idle + 1;
    }
    plan->node_count = s->trees[0].count + s->trees[1].count;
    plan->has_way = have_met;
    if (!have_met || plan->knot_max < 2) return GMC_OK;
    string_together(s);
    GMC_TRY(shorten(s));
    if (s->way_count > plan->knot_max) return GMC_OK;
    plan->knot_count = s->way_count;
    memcpy(plan->knots, s->way, (size_t)(s->way_count * s->space->size) * sizeof(double));
    return GMC_OK;
}

gmc_status gmc_plan_find(const gmc_plan_space *space, const gmc_plan_options *options,
                         gmc_arena *scratch, gmc_plan *plan)
{
    search s = {.space = space, .options = options};
    size_t mark = gmc_arena_mark(scratch);
    plan->knot_count = plan->node_count = 0;
    plan->has_way = false;
    gmc_status status = make_room(&s, scratch);
    if (status == GMC_OK) status = look(&s, plan);
    gmc_arena_reset(scratch, mark);
    return status;
}
