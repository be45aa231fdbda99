// Triangles that hang together by their edges form a part. Within a part neighbours are wound alike
// (the file's majority decides which way is kept), and a closed part is wound outwards.
#include "engine/model/mesh_internal.h"

#include <limits.h>
#include <stdlib.h>

// One side of a triangle: the edge low-high, and whether the triangle runs along it from low to
// high.
typedef struct side {
    int group, low, high, triangle;
    bool is_upwards;
} side;

typedef struct parts_work {
    gmc_mesh *mesh;
    side *sides; // (3 triangle_count) sorted by edge
    int side_count;
    int *root;       // (triangle_count) union-find over edges
    int *neighbour;  // (3 triangle_count) the one triangle behind each edge, -1: none or several
    bool *is_turned; // (triangle_count)
    bool *is_seen;
    int *queue;
} parts_work;

static int compare_sides(const void *a, const void *b)
{
    const side *s = a, *t = b;
    if (s->group != t->group) return s->group < t->group ? -1 : 1;
    if (s->low != t->low) return s->low < t->low ? -1 : 1;
    if (s->high != t->high) return s->high < t->high ? -1 : 1;
    return (s->triangle > t->triangle) - (s->triangle < t->triangle);
}

static bool same_edge(const side *s, const side *t)
{
    return s->group == t->group && s->low == t->low && s->high == t->high;
}

static void list_sides(parts_work *work)
{
    const gmc_mesh *mesh = work->mesh;
    work->side_count = 0;
    for (int t = 0; t < mesh->triangle_count; t++)
        for (int k = 0; k < 3; k++) {
            int a = mesh->triangles[t][k], b = mesh->triangles[t][(k + 1) % 3];
            work->sides[work->side_count++] =
                (side){mesh->groups[t], a < b ? a : b, a < b ? b : a, t, a < b};
        }
    qsort(work->sides, (size_t)work->side_count, sizeof *work->sides, compare_sides);
}

// One past the last side of the edge that starts at `first`.
static int edge_end(const parts_work *work, int first)
{
    int end = first + 1;
    while (end < work->side_count && same_edge(work->sides + first, work->sides + end))
        end++;
    return end;
}

static int find_root(int *root, int t)
{
    while (root[t] != t)
        t = root[t] = root[root[t]];
    return t;
}

// Which side (0, 1, 2) of its triangle this is.
static int side_number(const gmc_mesh *mesh, const side *s)
{
    const int *v = mesh->triangles[s->triangle];
    int from = s->is_upwards ? s->low : s->high;
    return v[0] == from ? 0 : v[1] == from ? 1 : 2;
}

static void join_edges(parts_work *work)
{
    const gmc_mesh *mesh = work->mesh;
    for (int t = 0; t < mesh->triangle_count; t++)
        work->root[t] = t;
    for (int i = 0; i < work->side_count; i++)
        work->neighbour[i] = -1;
    for (int i = 0, end; i < work->side_count; i = end) {
        end = edge_end(work, i);
        for (int k = i + 1; k < end; k++) {
            int a = find_root(work->root, work->sides[i].triangle);
            int b = find_root(work->root, work->sides[k].triangle);
            // the smaller index leads, so parts come in the order of their first triangle
            if (a < b)
                work->root[b] = a;
            else
                work->root[a] = b;
        }
        if (end - i != 2) continue;
        const side *s = work->sides + i, *t = s + 1;
        work->neighbour[3 * s->triangle + side_number(mesh, s)] = t->triangle;
        work->neighbour[3 * t->triangle + side_number(mesh, t)] = s->triangle;
    }
}

static bool number_parts(parts_work *work)
{
    gmc_mesh *mesh = work->mesh;
    for (int t = 0; t < mesh->triangle_count; t++)
        if (find_root(work->root, t) == t) mesh->part_count++;
    mesh->part = calloc((size_t)mesh->part_count, sizeof *mesh->part);
    if (!mesh->part) return false;
    int next = 0;
    for (int t = 0; t < mesh->triangle_count; t++) {
        int root = find_root(work->root, t); // root <= t: numbered already
        mesh->parts[t] = root == t ? next++ : mesh->parts[root];
        gmc_mesh_part *part = mesh->part + mesh->parts[t];
        if (part->triangle_count++ == 0) {
            part->group = mesh->groups[t];
            part->line = mesh->lines[t];
        }
    }
    return true;
}

static void turn_round(gmc_mesh *mesh, int t)
{
    int swapped = mesh->triangles[t][1];
    mesh->triangles[t][1] = mesh->triangles[t][2];
    mesh->triangles[t][2] = swapped;
}

// True if both triangles run along their common edge from `a` to `b` in the same direction.
static bool runs_along(const gmc_mesh *mesh, int t, int a, int b)
{
    const int *v = mesh->triangles[t];
    return (v[0] == a && v[1] == b) || (v[1] == a && v[2] == b) || (v[2] == a && v[0] == b);
}

// Walk over one part from triangle to triangle; each one that disagrees with the first is marked.
// Returns how many are marked; `*reached` how many were met.
static int walk(parts_work *work, int start, int *reached)
{
    const gmc_mesh *mesh = work->mesh;
    int head = 0, tail = 0, marked = 0;
    work->queue[tail++] = start;
    work->is_seen[start] = true;
    while (head < tail) {
        int t = work->queue[head++];
        for (int k = 0; k < 3; k++) {
            int other = work->neighbour[3 * t + k];
            if (other < 0 || work->is_seen[other]) continue;
            bool same =
                runs_along(mesh, other, mesh->triangles[t][k], mesh->triangles[t][(k + 1) % 3]);
            work->is_seen[other] = true;
            work->is_turned[other] = work->is_turned[t] != same;
            marked += work->is_turned[other];
            work->queue[tail++] = other;
        }
    }
    *reached = tail;
    return marked;
}

static void wind_alike(parts_work *work, gmc_diagnostics *report)
{
    gmc_mesh *mesh = work->mesh;
    int turned = 0, first = -1;
    for (int t = 0; t < mesh->triangle_count; t++) {
        if (work->is_seen[t]) continue;
        int reached = 0, marked = walk(work, t, &reached);
        bool minority =
            2 * marked <= reached; // the marked ones are fewer: turn them, else the others
        for (int i = 0; i < reached; i++) {
            int u = work->queue[i];
            if (work->is_turned[u] != minority) continue;
            turn_round(mesh, u);
            if (turned++ == 0 || u < first) first = u;
        }
    }
    if (turned > 0)
        gmc_diagnostics_add(report, GMC_WARNING, GMC_OK,
                            (gmc_source){.file = mesh->file, .line = mesh->lines[first]}, NULL,
                            "%d %s wound against %s neighbours: turned round", turned,
                            turned == 1 ? "triangle" : "triangles", turned == 1 ? "its" : "their");
}

static void count_edges(parts_work *work)
{
    gmc_mesh *mesh = work->mesh;
    for (int p = 0; p < mesh->part_count; p++)
        mesh->part[p].is_oriented = true;
    for (int i = 0, end; i < work->side_count; i = end) {
        end = edge_end(work, i);
        gmc_mesh_part *part = mesh->part + mesh->parts[work->sides[i].triangle];
        if (end - i == 1)
            part->open_edge_count++;
        else if (end - i > 2)
            part->crowded_edge_count++;
        else if (work->sides[i].is_upwards == work->sides[i + 1].is_upwards)
            part->is_oriented = false;
    }
    for (int p = 0; p < mesh->part_count; p++) {
        gmc_mesh_part *part = mesh->part + p;
        part->is_closed =
            part->is_oriented && part->open_edge_count == 0 && part->crowded_edge_count == 0;
    }
}

// Volumes as sums of tetrahedra over a point of each part, so that a part far from the origin keeps
// its digits.
static bool measure_volumes(gmc_mesh *mesh)
{
    int *origin = calloc((size_t)mesh->part_count, sizeof *origin);
    if (!origin) return false;
    for (int t = mesh->triangle_count - 1; t >= 0; t--)
        origin[mesh->parts[t]] = mesh->triangles[t][0];
    for (int t = 0; t < mesh->triangle_count; t++) {
        gmc_mesh_part *part = mesh->part + mesh->parts[t];
        if (!part->is_closed) continue;
        gmc_vec3 o = mesh->vertices[origin[mesh->parts[t]]];
        gmc_vec3 a = gmc_vec3_sub(mesh->vertices[mesh->triangles[t][0]], o);
        gmc_vec3 b = gmc_vec3_sub(mesh->vertices[mesh->triangles[t][1]], o);
        gmc_vec3 c = gmc_vec3_sub(mesh->vertices[mesh->triangles[t][2]], o);
        part->volume += gmc_vec3_dot(a, gmc_vec3_cross(b, c)); // six tetrahedra
    }
    for (int p = 0; p < mesh->part_count; p++)
        mesh->part[p].volume /= 6;
    free(origin);
    return true;
}

typedef struct bounds {
    gmc_vec3 low, high;
} bounds;

static bool is_within(const bounds *inner, const bounds *outer)
{
    return inner->low.x >= outer->low.x && inner->low.y >= outer->low.y &&
           inner->low.z >= outer->low.z && inner->high.x <= outer->high.x &&
           inner->high.y <= outer->high.y && inner->high.z <= outer->high.z;
}

static void find_bounds(const gmc_mesh *mesh, bounds *box)
{
    for (int p = 0; p < mesh->part_count; p++)
        box[p] = (bounds){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int t = 0; t < mesh->triangle_count; t++)
        for (int k = 0; k < 3; k++) {
            gmc_vec3 p = mesh->vertices[mesh->triangles[t][k]];
            bounds *b = box + mesh->parts[t];
            b->low = gmc_vec3_make(fmin(b->low.x, p.x), fmin(b->low.y, p.y), fmin(b->low.z, p.z));
            b->high =
                gmc_vec3_make(fmax(b->high.x, p.x), fmax(b->high.y, p.y), fmax(b->high.z, p.z));
        }
}

// The largest part of each group that encloses a positive volume, -1 if none does.
static void find_largest(const gmc_mesh *mesh, int *largest)
{
    for (int g = 0; g < mesh->group_count; g++)
        largest[g] = -1;
    for (int p = 0; p < mesh->part_count; p++) {
        int *best = largest + mesh->part[p].group;
        if (mesh->part[p].volume <= 0) continue;
        if (*best < 0 || mesh->part[p].volume > mesh->part[*best].volume) *best = p;
    }
}

static bool turn_outwards(gmc_mesh *mesh, gmc_diagnostics *report)
{
    bounds *box = calloc((size_t)mesh->part_count, sizeof *box);
    int *largest = calloc((size_t)mesh->group_count, sizeof *largest);
    bool fits = box && largest;
    int turned = 0, first_line = 0;
    if (fits) {
        find_bounds(mesh, box);
        find_largest(mesh, largest);
        for (int p = 0; p < mesh->part_count; p++) {
            gmc_mesh_part *part = mesh->part + p;
            int outer = largest[part->group];
            if (!part->is_closed || part->volume >= 0) continue;
            part->is_cavity = outer >= 0 && is_within(box + p, box + outer);
            if (!part->is_cavity && turned++ == 0) first_line = part->line;
        }
        for (int t = 0; turned > 0 && t < mesh->triangle_count; t++) {
            const gmc_mesh_part *part = mesh->part + mesh->parts[t];
            if (part->is_closed && part->volume < 0 && !part->is_cavity) turn_round(mesh, t);
        }
        for (int p = 0; p < mesh->part_count; p++)
            if (!mesh->part[p].is_cavity) mesh->part[p].volume = fabs(mesh->part[p].volume);
    }
    if (turned > 0)
        gmc_diagnostics_add(report, GMC_WARNING, GMC_OK,
                            (gmc_source){.file = mesh->file, .line = first_line}, NULL,
                            "%d of %d %s wound inside out: turned round", turned, mesh->part_count,
                            mesh->part_count == 1 ? "part is" : "parts are");
    free(box);
    free(largest);
    return fits;
}

static void warn_of_holes(const gmc_mesh *mesh, gmc_diagnostics *report)
{
    int open = 0, crowded = 0, twisted = 0, flawed = 0, line = 0;
    for (int p = 0; p < mesh->part_count; p++) {
        const gmc_mesh_part *part = mesh->part + p;
        if (part->is_closed) continue;
        if (flawed++ == 0) line = part->line;
        open += part->open_edge_count;
        crowded += part->crowded_edge_count;
        twisted += !part->is_oriented;
    }
    if (flawed == 0) return;
    gmc_diagnostics_add(
        report, GMC_WARNING, GMC_OK, (gmc_source){.file = mesh->file, .line = line},
        "close it where it was made; until then its volume is not known",
        "%d of %d %s not closed: %d edges with one triangle, %d with three or more%s", flawed,
        mesh->part_count, mesh->part_count == 1 ? "part is" : "parts are", open, crowded,
        twisted > 0 ? "; cannot be wound alike" : "");
}

static gmc_status find_parts(parts_work *work, gmc_diagnostics *report)
{
    gmc_mesh *mesh = work->mesh;
    list_sides(work);
    join_edges(work);
    if (!number_parts(work)) return GMC_E_MEMORY;
    wind_alike(work, report);
    list_sides(work); // the directions have changed
    count_edges(work);
    if (!measure_volumes(mesh) || !turn_outwards(mesh, report)) return GMC_E_MEMORY;
    warn_of_holes(mesh, report);
    return GMC_OK;
}

gmc_status gmc_mesh_parts_find(gmc_mesh *mesh, gmc_diagnostics *report)
{
    size_t count = (size_t)mesh->triangle_count;
    if (mesh->triangle_count > INT_MAX / 3) return GMC_E_MEMORY;
    mesh->parts = calloc(count, sizeof *mesh->parts);
    parts_work work = {.mesh = mesh,
                       .sides = malloc(3 * count * sizeof *work.sides),
                       .root = malloc(count * sizeof *work.root),
                       .neighbour = malloc(3 * count * sizeof *work.neighbour),
                       .is_turned = calloc(count, sizeof *work.is_turned),
                       .is_seen = calloc(count, sizeof *work.is_seen),
                       .queue = malloc(count * sizeof *work.queue)};
    gmc_status status = GMC_E_MEMORY;
    if (mesh->parts && work.sides && work.root && work.neighbour && work.is_turned &&
        work.is_seen && work.queue)
        status = find_parts(&work, report);
    free(work.sides);
    free(work.root);
    free(work.neighbour);
    free(work.is_turned);
    free(work.is_seen);
    free(work.queue);
    return status;
}
