#include "engine/collision/compound.h"

#include "engine/base/check.h"

enum { LEAF_MAX = 2, STACK_MAX = 128 };

static gmc_vec3 absolute(gmc_vec3 a) { return (gmc_vec3){fabs(a.x), fabs(a.y), fabs(a.z)}; }

// ---- creation ----------------------------------------------------------------------------------

/// Geoms from `first` on that belong together.
static int run_length(const gmc_model *model, int first)
{
    const gmc_geom *g = &model->geoms[first];
    int count = 0;
    while (first + count < model->geom_count) {
        const gmc_geom *next = g + count;
        if (next->shape.type != GMC_SHAPE_POLYTOPE || next->body != g->body ||
            next->category != g->category || next->mask != g->mask)
            break;
        count++;
    }
    return count;
}

static const gmc_aabb *piece_box(const gmc_compound *compound, int geom)
{
    return &compound->boxes[geom - compound->geom];
}

/// Twice the place of a piece's middle along an axis of its body.
static double piece_middle(const gmc_compound *compound, int geom, int axis)
{
    const gmc_aabb *box = piece_box(compound, geom);
    return gmc_vec3_get(box->lo, axis) + gmc_vec3_get(box->hi, axis);
}

static void bound_pieces(const gmc_compound *compound, int first, int count,
                         gmc_compound_node *node)
{
    gmc_vec3 lo = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, hi = gmc_vec3_neg(lo);
    for (int i = 0; i < count; i++) {
        gmc_aabb box = *piece_box(compound, compound->order[first + i]);
        lo = (gmc_vec3){fmin(lo.x, box.lo.x), fmin(lo.y, box.lo.y), fmin(lo.z, box.lo.z)};
        hi = (gmc_vec3){fmax(hi.x, box.hi.x), fmax(hi.y, box.hi.y), fmax(hi.z, box.hi.z)};
    }
    node->centre = gmc_vec3_scale(0.5, gmc_vec3_add(lo, hi));
    node->half = gmc_vec3_scale(0.5, gmc_vec3_sub(hi, lo));
}

/// Order pieces along an axis, ties by number; there are few of them.
static void sort_pieces(const gmc_compound *compound, int axis, int *order, int count)
{
    for (int i = 1; i < count; i++) {
        int geom = order[i], k = i;
        double at = piece_middle(compound, geom, axis);
        for (; k > 0; k--) {
            double before = piece_middle(compound, order[k - 1], axis);
            if (before < at || (before == at && order[k - 1] < geom)) break;
            order[k] = order[k - 1];
        }
        order[k] = geom;
    }
}

/// Nodes in the order of their making: children behind their parents.
static void build_tree(gmc_compound *compound, const gmc_model *model, const gmc_hull_table *tables)
{
    int made = 1;
    for (int i = 0; i < compound->geom_count; i++) {
        const gmc_geom *g = &model->geoms[compound->geom + i];
        compound->order[i] = compound->geom + i;
        compound->scales[i] = g->shape.scale;
        compound->boxes[i] = gmc_shape_aabb(&g->shape, &tables[compound->geom + i], &g->X_bg);
    }
    compound->nodes[0] = (gmc_compound_node){.count = compound->geom_count};
    for (int i = 0; i < made; i++) {
        gmc_compound_node *node = &compound->nodes[i];
        bound_pieces(compound, node->first, node->count, node);
        if (node->count <= LEAF_MAX) continue;
        gmc_vec3 h = node->half;
        int axis = h.x >= h.y && h.x >= h.z ? 0 : h.y >= h.z ? 1 : 2;
        int half = node->count / 2;
        sort_pieces(compound, axis, compound->order + node->first, node->count);
        compound->nodes[made] = (gmc_compound_node){.first = node->first, .count = half};
        compound->nodes[made + 1] =
            (gmc_compound_node){.first = node->first + half, .count = node->count - half};
        node->first = made;
        node->count = 0;
        made += 2;
    }
    compound->radius = 0;
    for (int i = 0; i < compound->geom_count; i++) {
        const gmc_geom *g = &model->geoms[compound->geom + i];
        gmc_vec3 centre = gmc_pose_apply(&g->X_bg, gmc_shape_centre(&g->shape));
        double away = gmc_vec3_norm(gmc_vec3_sub(centre, compound->nodes[0].centre));
        compound->radius = fmax(compound->radius, away + gmc_shape_radius(&g->shape));
    }
}

gmc_status gmc_compounds_create(const gmc_model *model, const gmc_hull_table *tables,
                                gmc_arena *arena, gmc_compounds *compounds)
{
    size_t n = model->geom_count > 0 ? (size_t)model->geom_count : 1;
    *compounds = (gmc_compounds){0};
    compounds->entry_geom = GMC_NEW(arena, n, int);
    compounds->entry_compound = GMC_NEW(arena, n, int);
    compounds->geom_entry = GMC_NEW(arena, n, int);
    compounds->compounds = GMC_NEW(arena, n / GMC_COMPOUND_MIN + 1, gmc_compound);
    if (!compounds->entry_geom || !compounds->entry_compound || !compounds->geom_entry ||
        !compounds->compounds)
        return GMC_E_ARENA_FULL;
    for (int g = 0, count; g < model->geom_count; g += count) {
        int run = run_length(model, g), entry = compounds->entry_count++;
        count = run >= GMC_COMPOUND_MIN ? run : 1;
        for (int i = 0; i < count; i++)
            compounds->geom_entry[g + i] = entry;
        compounds->entry_geom[entry] = g;
        compounds->entry_compound[entry] = -1;
        if (count == 1) continue;
        gmc_compound *compound = &compounds->compounds[compounds->count];
        *compound = (gmc_compound){.body = model->geoms[g].body,
                                   .geom = g,
                                   .geom_count = count,
                                   .nodes = GMC_NEW(arena, 2 * count, gmc_compound_node),
                                   .order = GMC_NEW(arena, count, int),
                                   .boxes = GMC_ROOM(arena, count, gmc_aabb),
                                   .scales = GMC_NEW(arena, count, double)};
        if (!compound->nodes || !compound->order || !compound->boxes || !compound->scales)
            return GMC_E_ARENA_FULL;
        build_tree(compound, model, tables);
        compounds->entry_compound[entry] = compounds->count++;
    }
    return GMC_OK;
}

void gmc_compound_refit(gmc_compound *compound, const gmc_model *model,
                        const gmc_hull_table *tables)
{
    bool is_same = true;
    for (int i = 0; i < compound->geom_count; i++)
        is_same = is_same && compound->scales[i] == model->geoms[compound->geom + i].shape.scale;
    if (!is_same) build_tree(compound, model, tables);
}

// ---- meeting -----------------------------------------------------------------------------------

static bool boxes_meet(gmc_vec3 between, gmc_vec3 half_a, gmc_vec3 half_b, double growth)
{
    gmc_vec3 d = absolute(between);
    return d.x <= half_a.x + half_b.x + growth && d.y <= half_a.y + half_b.y + growth &&
           d.z <= half_a.z + half_b.z + growth;
}

static bool meets(const gmc_compound_node *node, const gmc_compound_probe *probe, double growth)
{
    if (!probe->is_plane)
        return boxes_meet(gmc_vec3_sub(node->centre, probe->centre), node->half, probe->half,
                          growth);
    double reach = gmc_vec3_dot(absolute(probe->n), node->half);
    return gmc_vec3_dot(probe->n, node->centre) - reach <= probe->offset + growth;
}

int gmc_compound_meet(const gmc_compound *compound, const gmc_compound_probe *probe, double growth,
                      int *geoms)
{
    int stack[STACK_MAX], top = 0, found = 0;
    stack[top++] = 0;
    while (top > 0) {
        const gmc_compound_node *node = &compound->nodes[stack[--top]];
        if (!meets(node, probe, growth)) continue;
        if (node->count == 0) {
            GMC_ASSERT(top + 2 <= STACK_MAX);
            stack[top++] = node->first + 1;
            stack[top++] = node->first;
        }
        for (int i = 0; i < node->count; i++)
            geoms[found++] = compound->order[node->first + i];
    }
    return found;
}

/// Two nodes still to be looked at.
typedef struct node_pair {
    int a, b;
} node_pair;

static double largest(gmc_vec3 half) { return fmax(half.x, fmax(half.y, half.z)); }

int gmc_compound_meet_compound(const gmc_compound *a, const gmc_compound *b, const gmc_pose *X_ab,
                               double growth, int (*pairs)[2], int capacity)
{
    node_pair stack[STACK_MAX];
    int top = 0, found = 0;
    stack[top++] = (node_pair){0, 0};
    while (top > 0) {
        node_pair at = stack[--top];
        const gmc_compound_node *na = &a->nodes[at.a], *nb = &b->nodes[at.b];
        gmc_vec3 centre = gmc_pose_apply(X_ab, nb->centre);
        if (!boxes_meet(gmc_vec3_sub(na->centre, centre), na->half,
                        gmc_mat3_reach(&X_ab->R, nb->half), growth))
            continue;
        bool open_a = na->count == 0 && (nb->count > 0 || largest(na->half) >= largest(nb->half));
        if (open_a || nb->count == 0) {
            GMC_ASSERT(top + 2 <= STACK_MAX);
            for (int k = 1; k >= 0; k--)
                stack[top++] =
                    open_a ? (node_pair){na->first + k, at.b} : (node_pair){at.a, nb->first + k};
            continue;
        }
        for (int i = 0; i < na->count; i++)
            for (int j = 0; j < nb->count; j++, found++)
                if (found < capacity) {
                    pairs[found][0] = a->order[na->first + i];
                    pairs[found][1] = b->order[nb->first + j];
                }
    }
    return found;
}
