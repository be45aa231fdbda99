// What all formats share behind the reading: equal vertices become one, and the triangles are
// sorted into parts that hang together by their edges, wound alike and outwards. Everything is done
// by sorting (O(n log n), no hashing), so that the result depends on the file alone.
#include "engine/model/mesh.h"

#include "engine/base/list.h"
#include "engine/base/number.h"
#include "engine/model/mesh_draft.h"

#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- what readers hand over --------------------------------------------------------------------
// A mesh in the making: growing arrays that the readers of the formats fill, and their reports.

void gmc_mesh_draft_vertex(gmc_mesh_draft *draft, gmc_vec3 p)
{
    gmc_vec3 *vertices = gmc_list_room(draft->vertices, draft->vertex_count,
                                       &draft->vertex_capacity, sizeof *vertices);
    draft->failed = draft->failed || !vertices;
    if (!vertices) return;
    draft->vertices = vertices;
    draft->vertices[draft->vertex_count++] = p;
}

void gmc_mesh_draft_triangle(gmc_mesh_draft *draft, int a, int b, int c, int line)
{
    if (draft->group_count == 0) gmc_mesh_draft_group(draft, "", 0);
    if (draft->failed) return;
    // three arrays of one capacity, which rises when all of them have the room
    int count = draft->triangle_count, had = draft->triangle_capacity, room[3] = {had, had, had};
    void *triangles = gmc_list_room(draft->triangles, count, &room[0], sizeof *draft->triangles);
    if (triangles) draft->triangles = triangles;
    void *groups = gmc_list_room(draft->groups, count, &room[1], sizeof *draft->groups);
    if (groups) draft->groups = groups;
    void *lines = gmc_list_room(draft->lines, count, &room[2], sizeof *draft->lines);
    if (lines) draft->lines = lines;
    draft->failed = !triangles || !groups || !lines;
    if (draft->failed) return;
    draft->triangle_capacity = room[0];
    int i = draft->triangle_count++;
    draft->triangles[i][0] = a;
    draft->triangles[i][1] = b;
    draft->triangles[i][2] = c;
    draft->groups[i] = draft->group_count - 1;
    draft->lines[i] = line;
}

void gmc_mesh_draft_group(gmc_mesh_draft *draft, const char *name, size_t length)
{
    bool is_used = draft->group_count > 0 && draft->triangle_count > 0 &&
                   draft->groups[draft->triangle_count - 1] == draft->group_count - 1;
    char *copy = malloc(length + 1);
    if (!copy) {
        draft->failed = true;
        return;
    }
    if (length > 0) memcpy(copy, name, length);
    copy[length] = 0;
    if (draft->group_count > 0 && !is_used) {
        free(draft->group_names[draft->group_count - 1]);
        draft->group_names[draft->group_count - 1] = copy;
        return;
    }
    char **names = gmc_list_room(draft->group_names, draft->group_count, &draft->group_capacity,
                                 sizeof *names);
    if (!names) {
        draft->failed = true;
        free(copy);
        return;
    }
    draft->group_names = names;
    draft->group_names[draft->group_count++] = copy;
}

void gmc_mesh_draft_error(gmc_mesh_draft *draft, int line, int column, const char *hint,
                          const char *format, ...)
{
    if (draft->error_count++ >= GMC_MESH_ERRORS_MAX) return;
    char message[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    gmc_diagnostics_add(draft->report, GMC_E_INPUT,
                        (gmc_source){.file = draft->file, .line = line, .column = column}, hint,
                        "%s", message);
}

// ---- polygons ----------------------------------------------------------------------------------

// A polygon that is not convex is cut in O(n³) at worst; more corners than this are a curve, which
// a modelling program would have cut.
enum { GMC_MESH_CONCAVE_CORNERS_MAX = 256 };

// Corners of a polygon seen along its area vector.
typedef struct flat_polygon {
    double x[GMC_MESH_CONCAVE_CORNERS_MAX], y[GMC_MESH_CONCAVE_CORNERS_MAX];
    int corner[GMC_MESH_CONCAVE_CORNERS_MAX];
    int count;
} flat_polygon;

static gmc_vec3 area_vector(const gmc_mesh_draft *draft, const int *corners, int count)
{
    gmc_vec3 origin = draft->vertices[corners[0]], sum = {0, 0, 0};
    for (int i = 1; i + 1 < count; i++) {
        gmc_vec3 a = gmc_vec3_sub(draft->vertices[corners[i]], origin);
        gmc_vec3 b = gmc_vec3_sub(draft->vertices[corners[i + 1]], origin);
        sum = gmc_vec3_add(sum, gmc_vec3_cross(a, b));
    }
    return gmc_vec3_scale(0.5, sum);
}

static bool is_convex(const gmc_mesh_draft *draft, const int *corners, int count, gmc_vec3 n)
{
    for (int i = 0; i < count; i++) {
        gmc_vec3 a = draft->vertices[corners[i]], b = draft->vertices[corners[(i + 1) % count]];
        gmc_vec3 c = draft->vertices[corners[(i + 2) % count]];
        gmc_vec3 turn = gmc_vec3_cross(gmc_vec3_sub(b, a), gmc_vec3_sub(c, b));
        if (!(gmc_vec3_dot(turn, n) >= 0)) return false;
    }
    return true;
}

static double turn(const flat_polygon *p, int a, int b, int c)
{
    return (p->x[b] - p->x[a]) * (p->y[c] - p->y[b]) - (p->y[b] - p->y[a]) * (p->x[c] - p->x[b]);
}

static bool is_ear(const flat_polygon *p, int i, bool may_be_flat)
{
    int a = (i + p->count - 1) % p->count, b = i, c = (i + 1) % p->count;
    double area = turn(p, a, b, c);
    if (may_be_flat ? !(area >= 0) : !(area > 0)) return false;
    for (int k = 0; k < p->count; k++) {
        if (k == a || k == b || k == c) continue;
        if (p->corner[k] == p->corner[a] || p->corner[k] == p->corner[b] ||
            p->corner[k] == p->corner[c])
            continue;
        if (turn(p, a, b, k) >= 0 && turn(p, b, c, k) >= 0 && turn(p, c, a, k) >= 0) return false;
    }
    return true;
}

static int find_ear(const flat_polygon *p)
{
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < p->count; i++)
            if (is_ear(p, i, pass == 1)) return i;
    return -1;
}

// Cut ears until three corners are left. False if none is found: the polygon crosses itself.
static bool cut_ears(gmc_mesh_draft *draft, flat_polygon *p, int line)
{
    while (p->count > 3) {
        int i = find_ear(p);
        if (i < 0) return false;
        int a = (i + p->count - 1) % p->count, c = (i + 1) % p->count;
        gmc_mesh_draft_triangle(draft, p->corner[a], p->corner[i], p->corner[c], line);
        p->count--;
        for (int k = i; k < p->count; k++) {
            p->x[k] = p->x[k + 1];
            p->y[k] = p->y[k + 1];
            p->corner[k] = p->corner[k + 1];
        }
    }
    gmc_mesh_draft_triangle(draft, p->corner[0], p->corner[1], p->corner[2], line);
    return true;
}

static void cut_fan(gmc_mesh_draft *draft, const int *corners, int count, int line)
{
    for (int i = 1; i + 1 < count; i++)
        gmc_mesh_draft_triangle(draft, corners[0], corners[i], corners[i + 1], line);
}

void gmc_mesh_draft_polygon(gmc_mesh_draft *draft, const int *corners, int count, int line)
{
    gmc_vec3 n = area_vector(draft, corners, count);
    if (count == 3 || gmc_vec3_norm(n) == 0 || is_convex(draft, corners, count, n)) {
        cut_fan(draft, corners, count, line);
        return;
    }
    if (count > GMC_MESH_CONCAVE_CORNERS_MAX) {
        gmc_mesh_draft_error(draft, line, 1, "cut it into triangles where it was made",
                             "a face of %d corners that is not convex; at most %d are cut", count,
                             (int)GMC_MESH_CONCAVE_CORNERS_MAX);
        return;
    }
    flat_polygon flat = {.count = count};
    gmc_vec3 u, v, origin = draft->vertices[corners[0]];
    gmc_vec3_tangents(gmc_vec3_unit(n), &u, &v);
    for (int i = 0; i < count; i++) {
        gmc_vec3 d = gmc_vec3_sub(draft->vertices[corners[i]], origin);
        flat.x[i] = gmc_vec3_dot(d, u);
        flat.y[i] = gmc_vec3_dot(d, v);
        flat.corner[i] = corners[i];
    }
    int before = draft->triangle_count;
    if (cut_ears(draft, &flat, line)) return;
    draft->triangle_count = before;
    cut_fan(draft, corners, count, line);
    gmc_diagnostics_add(draft->report, GMC_OK, (gmc_source){draft->file, line, 1, 0, NULL}, NULL,
                        "a face of %d corners crosses itself; cut as a fan", count);
}

// ---- text --------------------------------------------------------------------------------------
//
// Lines, words and numbers of the text formats.

// Coordinates beyond this (in file units: 1 000 km in millimetres) are junk, and their cubes would
// soon leave the range of a double.
#define GMC_MESH_COORDINATE_MAX 1e9

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }

bool gmc_mesh_text_line(gmc_mesh_text *text)
{
    if (text->at >= text->end) return false;
    text->line++;
    text->start = text->word_at = text->at;
    const char *c = text->at;
    while (c < text->end && *c != '\n' && *c != '\r')
        c++;
    text->stop = c;
    if (c < text->end) c += c[0] == '\r' && c + 1 < text->end && c[1] == '\n' ? 2 : 1;
    text->at = c;
    return true;
}

bool gmc_mesh_text_word(gmc_mesh_text *text, const char **word, size_t *length)
{
    const char *c = text->word_at;
    for (;;) {
        while (c < text->stop && is_blank(*c))
            c++;
        // a backslash that ends the line joins the next one to it
        if (c + 1 != text->stop || *c != '\\' || text->at >= text->end) break;
        gmc_mesh_text_line(text);
        c = text->start;
    }
    *word = c;
    while (c < text->stop && !is_blank(*c))
        c++;
    *length = (size_t)(c - *word);
    text->word_at = c;
    return *length > 0;
}

int gmc_mesh_text_shown(size_t length) { return length > 32 ? 32 : (int)length; }

bool gmc_mesh_text_is(const char *word, size_t length, const char *expected)
{
    if (length != strlen(expected)) return false;
    for (size_t i = 0; i < length; i++) {
        char c = word[i] >= 'A' && word[i] <= 'Z' ? (char)(word[i] - 'A' + 'a') : word[i];
        if (c != expected[i]) return false;
    }
    return true;
}

bool gmc_mesh_text_number(gmc_mesh_draft *draft, gmc_mesh_text *text, const char *what,
                          double *value)
{
    const char *word;
    size_t length;
    bool is_there = gmc_mesh_text_word(text, &word, &length);
    int column = (int)(word - text->start) + 1;
    if (!is_there) {
        gmc_mesh_draft_error(draft, text->line, column, NULL,
                             "expected %s, found the end of the line", what);
        return false;
    }
    gmc_status status = gmc_number_parse(word, length, value);
    if (status == GMC_OK && fabs(*value) <= GMC_MESH_COORDINATE_MAX) return true;
    if (status == GMC_E_INPUT) {
        const char *hint = memchr(word, ',', length) ? "numbers have a decimal point" : NULL;
        gmc_mesh_draft_error(draft, text->line, column, hint,
                             "expected %s, found `%.*s`, which is not a finite number", what,
                             gmc_mesh_text_shown(length), word);
    } else {
        gmc_mesh_draft_error(draft, text->line, column, NULL, "%s `%.*s` is beyond 1e9", what,
                             gmc_mesh_text_shown(length), word);
    }
    return false;
}

// ---- a mesh ------------------------------------------------------------------------------------

gmc_mesh_options gmc_mesh_defaults(void)
{
    return (gmc_mesh_options){.scale = {1, 1, 1},
                              .plausible_scale = 1,
                              .scale_hint = "meshes are in metres; give the unit of the file with "
                                            "`unit: mm` or `scale: 0.001`"};
}

// ---- equal vertices ----------------------------------------------------------------------------

typedef struct placed_vertex {
    gmc_vec3 p;
    int index;
} placed_vertex;

static int compare_places(gmc_vec3 a, gmc_vec3 b)
{
    if (a.x != b.x) return a.x < b.x ? -1 : 1;
    if (a.y != b.y) return a.y < b.y ? -1 : 1;
    if (a.z != b.z) return a.z < b.z ? -1 : 1;
    return 0;
}

static int compare_placed(const void *a, const void *b)
{
    const placed_vertex *u = a, *v = b;
    int order = compare_places(u->p, v->p);
    return order != 0 ? order : (u->index > v->index) - (u->index < v->index);
}

// Vertices in use, each place once, in the order of their first appearance in the file.
static bool merge_vertices(gmc_mesh *mesh)
{
    size_t count = (size_t)mesh->vertex_count;
    placed_vertex *sorted = malloc(count * sizeof *sorted);
    int *leader = malloc(count * sizeof *leader), *place = malloc(count * sizeof *place);
    bool *is_used = calloc(count, sizeof *is_used);
    bool fits = sorted && leader && place && is_used;
    if (fits) {
        for (int i = 0; i < mesh->vertex_count; i++)
            sorted[i] = (placed_vertex){mesh->vertices[i], i};
        qsort(sorted, count, sizeof *sorted, compare_placed);
        for (int i = 0, first = 0; i < mesh->vertex_count; i++) {
            if (compare_places(sorted[i].p, sorted[first].p) != 0) first = i;
            leader[sorted[i].index] = sorted[first].index;
        }
        for (int t = 0; t < mesh->triangle_count; t++)
            for (int k = 0; k < 3; k++)
                is_used[leader[mesh->triangles[t][k]]] = true;
        int kept = 0;
        for (int i = 0; i < mesh->vertex_count; i++) {
            if (!is_used[i]) continue;
            place[i] = kept;
            mesh->vertices[kept++] = mesh->vertices[i];
        }
        for (int t = 0; t < mesh->triangle_count; t++)
            for (int k = 0; k < 3; k++)
                mesh->triangles[t][k] = place[leader[mesh->triangles[t][k]]];
        mesh->vertex_count = kept;
    }
    free(sorted);
    free(leader);
    free(place);
    free(is_used);
    return fits;
}

// ---- triangles that say nothing ----------------------------------------------------------------

static gmc_source place_of(const gmc_mesh *mesh, int line)
{
    return (gmc_source){.file = mesh->file, .line = line};
}

static void warn_of_some(const gmc_mesh *mesh, gmc_diagnostics *report, int count, int line,
                         const char *what)
{
    if (count == 0) return;
    gmc_diagnostics_add(report, GMC_OK, place_of(mesh, line), NULL, "%d %s%s, %s", count,
                        count == 1 ? "triangle" : "triangles",
                        count > 1 && line ? " (the first here)" : "", what);
}

static void keep_triangle(gmc_mesh *mesh, int from, int to)
{
    memcpy(mesh->triangles[to], mesh->triangles[from], sizeof mesh->triangles[to]);
    mesh->groups[to] = mesh->groups[from];
    mesh->lines[to] = mesh->lines[from];
}

static double twice_area(const gmc_mesh *mesh, int t)
{
    const int *v = mesh->triangles[t];
    gmc_vec3 a = mesh->vertices[v[0]];
    return gmc_vec3_norm(gmc_vec3_cross(gmc_vec3_sub(mesh->vertices[v[1]], a),
                                        gmc_vec3_sub(mesh->vertices[v[2]], a)));
}

// A triangle with a repeated corner goes: its two other edges are one and the same, so no hole is
// left. One whose corners are in line stays, for its neighbours would lose their edges.
static void drop_collapsed(gmc_mesh *mesh, gmc_diagnostics *report)
{
    int kept = 0, dropped = 0, first_dropped = 0, flat = 0, first_flat = 0;
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int *v = mesh->triangles[t];
        if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0]) {
            if (dropped++ == 0) first_dropped = mesh->lines[t];
            continue;
        }
        if (twice_area(mesh, t) == 0 && flat++ == 0) first_flat = mesh->lines[t];
        keep_triangle(mesh, t, kept++);
    }
    mesh->triangle_count = kept;
    warn_of_some(mesh, report, dropped, first_dropped, "two corners at the same place: dropped");
    warn_of_some(mesh, report, flat, first_flat, "all corners in line: without area");
}

// A triangle by its group and corners, starting with the smallest; its winding stays.
typedef struct cornered {
    int group, corner[3], triangle;
} cornered;

static int compare_cornered(const void *a, const void *b)
{
    const cornered *s = a, *t = b;
    if (s->group != t->group) return s->group < t->group ? -1 : 1;
    for (int k = 0; k < 3; k++)
        if (s->corner[k] != t->corner[k]) return s->corner[k] < t->corner[k] ? -1 : 1;
    return (s->triangle > t->triangle) - (s->triangle < t->triangle);
}

static bool drop_repeated(gmc_mesh *mesh, gmc_diagnostics *report)
{
    size_t count = (size_t)mesh->triangle_count;
    cornered *sorted = malloc((count + 1) * sizeof *sorted);
    bool *is_repeated = calloc(count + 1, sizeof *is_repeated);
    bool fits = sorted && is_repeated;
    int dropped = 0, first = 0, kept = 0;
    if (fits) {
        for (int t = 0; t < mesh->triangle_count; t++) {
            const int *v = mesh->triangles[t];
            int least = v[0] < v[1] ? (v[0] < v[2] ? 0 : 2) : (v[1] < v[2] ? 1 : 2);
            sorted[t] =
                (cornered){mesh->groups[t], {v[least], v[(least + 1) % 3], v[(least + 2) % 3]}, t};
        }
        qsort(sorted, count, sizeof *sorted, compare_cornered);
        for (size_t i = 1; i < count; i++)
            is_repeated[sorted[i].triangle] =
                sorted[i].group == sorted[i - 1].group &&
                memcmp(sorted[i].corner, sorted[i - 1].corner, sizeof sorted[i].corner) == 0;
        for (int t = 0; t < mesh->triangle_count; t++) {
            if (is_repeated[t]) {
                if (dropped++ == 0) first = mesh->lines[t];
                continue;
            }
            keep_triangle(mesh, t, kept++);
        }
        mesh->triangle_count = kept;
        warn_of_some(mesh, report, dropped, first, "given a second time: dropped");
    }
    free(sorted);
    free(is_repeated);
    return fits;
}

// ---- size and scale ----------------------------------------------------------------------------

static void scale_mesh(gmc_mesh *mesh, gmc_vec3 scale)
{
    for (int i = 0; i < mesh->vertex_count; i++) {
        gmc_vec3 p = mesh->vertices[i];
        mesh->vertices[i] = gmc_vec3_make(scale.x * p.x, scale.y * p.y, scale.z * p.z);
    }
    if (scale.x * scale.y * scale.z >= 0) return;
    for (int t = 0; t < mesh->triangle_count; t++) {
        int swapped = mesh->triangles[t][1];
        mesh->triangles[t][1] = mesh->triangles[t][2];
        mesh->triangles[t][2] = swapped;
    }
}

/// In which unit the file would be of a size that is grasped: "; were the file in m, it would be
/// 0.06 m long".
/// @param factor   what 1 of the file is [m]
/// @param largest  with that [m]
static void say_likely(double factor, double largest, char *text, size_t bytes)
{
    static const double LEAST = 5e-3, MOST = 2;
    static const struct {
        const char *name;
        double metres;
    } UNITS[] = {{"m", 1}, {"mm", 1e-3}, {"cm", 1e-2}, {"in", 0.0254}};
    text[0] = 0;
    for (int i = 0; i < GMC_COUNT(UNITS); i++) {
        double size = largest / factor * UNITS[i].metres;
        if (!(size >= LEAST && size <= MOST)) continue;
        snprintf(text, bytes, "; were the file in %s, it would be %.3g m long", UNITS[i].name,
                 size);
        return;
    }
}

static void check_size(const gmc_mesh *mesh, const gmc_mesh_options *options,
                       gmc_diagnostics *report)
{
    gmc_vec3 low = mesh->vertices[0], high = low;
    for (int i = 1; i < mesh->vertex_count; i++) {
        gmc_vec3 p = mesh->vertices[i];
        low = gmc_vec3_make(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
        high = gmc_vec3_make(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
    }
    gmc_vec3 size = gmc_vec3_scale(fabs(options->plausible_scale), gmc_vec3_sub(high, low));
    double largest = fmax(size.x, fmax(size.y, size.z));
    if (largest <= GMC_MESH_SIZE_MAX && largest >= GMC_MESH_SIZE_MIN) return;
    const char *is = largest > GMC_MESH_SIZE_MAX ? "large" : "small";
    double factor = fabs(options->plausible_scale * options->scale.x);
    char likely[96], hint[256];
    say_likely(factor, largest, likely, sizeof likely);
    snprintf(hint, sizeof hint, "%s makes it %s: 1 of the file is %g m%s",
             options->scale_said ? options->scale_said : "", is, factor, likely);
    gmc_diagnostics_add(
        report, GMC_OK, place_of(mesh, 0), options->scale_said ? hint : options->scale_hint,
        "%g x %g x %g m is %s for an object to be grasped", size.x, size.y, size.z, is);
}

// ---- parts -------------------------------------------------------------------------------------
//
// Triangles that hang together by their edges form a part. Within a part neighbours are wound alike
// (the file's majority decides which way is kept), and a closed part is wound outwards.

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
        gmc_diagnostics_add(report, GMC_OK,
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
        gmc_diagnostics_add(report, GMC_OK, (gmc_source){.file = mesh->file, .line = first_line},
                            NULL, "%d of %d %s wound inside out: turned round", turned,
                            mesh->part_count, mesh->part_count == 1 ? "part is" : "parts are");
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
        report, GMC_OK, (gmc_source){.file = mesh->file, .line = line},
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

/// Sort the triangles of `mesh` into parts, wind them alike and outwards, and report what is open.
/// Fills `parts` and `part`.
/// @return GMC_OK, GMC_E_MEMORY
static gmc_status mesh_parts_find(gmc_mesh *mesh, gmc_diagnostics *report)
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

// ---- from draft to mesh ------------------------------------------------------------------------

static char *copy_name(const char *name)
{
    size_t bytes = strlen(name) + 1;
    char *copy = malloc(bytes);
    if (copy) memcpy(copy, name, bytes);
    return copy;
}

static bool ends_with(const char *file, const char *ending)
{
    size_t length = strlen(file), wanted = strlen(ending);
    return length >= wanted && gmc_mesh_text_is(file + length - wanted, wanted, ending);
}

// The last one is of what looks like none of the others.
static const gmc_mesh_format *const READ[] = {&gmc_mesh_ply, &gmc_mesh_stl, &gmc_mesh_obj};

// The format that a file's name says; NULL: none that is read.
static const gmc_mesh_format *format_named(const char *file)
{
    for (int i = 0; i < GMC_COUNT(READ); i++)
        if (ends_with(file, READ[i]->ending)) return READ[i];
    return NULL;
}

static const gmc_mesh_format *format_likely(const unsigned char *bytes, size_t size)
{
    int i = 0;
    while (READ[i]->is_likely && !READ[i]->is_likely(bytes, size))
        i++;
    return READ[i];
}

bool gmc_mesh_is_known(const char *file) { return format_named(file); }

bool gmc_mesh_how_to_convert(const char *file, char text[GMC_MESH_HINT_MAX])
{
    static const struct {
        const char *ending, *command, *package;
    } FORMATS[] = {{".dae", "assimp export", "assimp-utils"},
                   {".glb", "assimp export", "assimp-utils"},
                   {".gltf", "assimp export", "assimp-utils"},
                   {".3mf", "assimp export", "assimp-utils"},
                   {".fbx", "assimp export", "assimp-utils"},
                   {".3ds", "assimp export", "assimp-utils"},
                   {".off", "assimp export", "assimp-utils"},
                   {".step", "gmsh -2 -o", "gmsh"},
                   {".stp", "gmsh -2 -o", "gmsh"},
                   {".iges", "gmsh -2 -o", "gmsh"},
                   {".igs", "gmsh -2 -o", "gmsh"},
                   {".brep", "gmsh -2 -o", "gmsh"},
                   {".usd", NULL, "blender"},
                   {".usda", NULL, "blender"},
                   {".usdc", NULL, "blender"},
                   {".usdz", NULL, "blender"},
                   {".blend", NULL, "blender"}};
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
    for (int i = 0; i < GMC_COUNT(FORMATS); i++) {
        const char *ending = FORMATS[i].ending, *command = FORMATS[i].command;
        if (!ends_with(file, ending)) continue;
        size_t length = strlen(name) - strlen(ending);
        int stem = length > 80 ? 80 : (int)length;
        if (!command)
            snprintf(text, GMC_MESH_HINT_MAX, "save it as OBJ, STL or PLY, for example with %s",
                     FORMATS[i].package);
        else if (strstr(command, "-o"))
            snprintf(text, GMC_MESH_HINT_MAX,
                     "save it as OBJ, STL or PLY, for example:  %s %.*s.stl %.*s%s  (package %s)",
                     command, stem, name, stem, name, ending, FORMATS[i].package);
        else
            snprintf(text, GMC_MESH_HINT_MAX,
                     "save it as OBJ, STL or PLY, for example:  %s %.*s%s %.*s.obj  (package %s)",
                     command, stem, name, ending, stem, name, FORMATS[i].package);
        return true;
    }
    snprintf(text, GMC_MESH_HINT_MAX, "save it as OBJ, STL or PLY");
    return false;
}

// Bytes of the mark that some editors put before a text. The head of a binary file (of 84 bytes and
// more) holds a zero.
static size_t mark_of(const unsigned char *bytes, size_t size)
{
    const size_t mark = 3, head = size < 84 ? size : 84;
    bool has_mark = size >= mark && memcmp(bytes, "\xef\xbb\xbf", mark) == 0;
    return has_mark && !memchr(bytes, 0, head) ? mark : 0;
}

static void parse_draft(gmc_mesh_draft *draft, const unsigned char *bytes, size_t size)
{
    size_t mark = mark_of(bytes, size);
    bytes += mark;
    size -= mark;
    const gmc_mesh_format *format = format_named(draft->file);
    if (!format) format = format_likely(bytes, size);
    format->parse(draft, bytes, size);

    if (draft->error_count > GMC_MESH_ERRORS_MAX)
        gmc_diagnostics_add(draft->report, GMC_E_INPUT, (gmc_source){.file = draft->file}, NULL,
                            "%d more mistakes of this kind",
                            draft->error_count - GMC_MESH_ERRORS_MAX);
    if (draft->error_count == 0 && draft->triangle_count == 0 && !draft->failed)
        gmc_mesh_draft_error(draft, 0, 0, NULL, "no faces in this %s", format->name);
}

static gmc_status finish(gmc_mesh *mesh, const gmc_mesh_options *options, gmc_diagnostics *report)
{
    scale_mesh(mesh, options->scale);
    if (!merge_vertices(mesh)) return GMC_E_MEMORY;
    drop_collapsed(mesh, report);
    if (!drop_repeated(mesh, report)) return GMC_E_MEMORY;
    if (mesh->triangle_count == 0) {
        gmc_diagnostics_add(report, GMC_E_INPUT, place_of(mesh, 0), NULL,
                            "no triangle with three different corners");
        return GMC_E_INPUT;
    }
    check_size(mesh, options, report);
    return mesh_parts_find(mesh, report);
}

// Nothing that is read as a mesh begins like that.
static bool is_xml(const unsigned char *bytes, size_t size)
{
    size_t i = 0;
    while (i < size &&
           (bytes[i] == ' ' || bytes[i] == '\t' || bytes[i] == '\r' || bytes[i] == '\n'))
        i++;
    return i < size && bytes[i] == '<';
}

gmc_status gmc_mesh_parse(const char *name, const unsigned char *bytes, size_t size,
                          const gmc_mesh_options *options, gmc_diagnostics *report, gmc_mesh *mesh)
{
    *mesh = (gmc_mesh){0};
    if (is_xml(bytes, size)) {
        bool is_urdf = false;
        for (size_t i = 0; i + 6 <= size && !is_urdf; i++)
            is_urdf = memcmp(bytes + i, "<robot", 6) == 0;
        gmc_diagnostics_add(report, GMC_E_INPUT, (gmc_source){.file = name},
                            is_urdf ? "the mesh that its <collision> names is one: OBJ, STL, PLY"
                                    : "meshes are OBJ, STL or PLY files",
                            "this is %s, not a mesh", is_urdf ? "a URDF" : "XML");
        return GMC_E_INPUT;
    }
    gmc_mesh_draft draft = {.file = name, .report = report};
    parse_draft(&draft, bytes, size);
    *mesh = (gmc_mesh){.vertex_count = draft.vertex_count,
                       .triangle_count = draft.triangle_count,
                       .group_count = draft.group_count,
                       .vertices = draft.vertices,
                       .triangles = draft.triangles,
                       .groups = draft.groups,
                       .lines = draft.lines,
                       .group_names = draft.group_names,
                       .file = copy_name(name)};

    gmc_status status = draft.failed || !mesh->file ? GMC_E_MEMORY
                        : draft.error_count > 0     ? GMC_E_INPUT
                                                    : finish(mesh, options, report);
    if (status == GMC_E_MEMORY)
        gmc_diagnostics_add(report, GMC_E_MEMORY, (gmc_source){.file = name}, NULL,
                            "no memory left for this mesh");
    if (status != GMC_OK) gmc_mesh_free(mesh);
    return status;
}

gmc_status gmc_mesh_read(const char *file, const gmc_file_source *files, gmc_source from,
                         const gmc_mesh_options *options, gmc_diagnostics *report, gmc_mesh *mesh)
{
    gmc_file bytes;
    *mesh = (gmc_mesh){0};
    char hint[GMC_MESH_HINT_MAX];
    if (gmc_mesh_how_to_convert(file, hint)) {
        gmc_diagnostics_add(report, GMC_E_INPUT, from, hint, "meshes of format `%s` are not read",
                            strrchr(file, '.'));
        return GMC_E_INPUT;
    }
    gmc_status status = gmc_file_load(files, file, &bytes);
    if (status == GMC_E_LIMIT)
        gmc_diagnostics_add(report, status, from, NULL, "mesh %s is larger than %zu MB", file,
                            GMC_FILE_BYTES_MAX >> 20);
    else if (status != GMC_OK)
        gmc_diagnostics_add(
            report, status, from,
            status == GMC_E_MISSING ? "paths are relative to the file that names them" : NULL,
            "mesh %s cannot be read: %s", file, gmc_status_name(status));
    if (status != GMC_OK) return status;
    status = gmc_mesh_parse(file, bytes.bytes, bytes.size, options, report, mesh);
    gmc_file_free(&bytes);
    return status;
}

void gmc_mesh_free(gmc_mesh *mesh)
{
    for (int i = 0; i < mesh->group_count; i++)
        free(mesh->group_names[i]);
    free(mesh->group_names);
    free(mesh->vertices);
    free(mesh->triangles);
    free(mesh->groups);
    free(mesh->parts);
    free(mesh->lines);
    free(mesh->part);
    free(mesh->file);
    *mesh = (gmc_mesh){0};
}
