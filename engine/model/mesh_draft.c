// A mesh in the making: growing arrays that the readers of the formats fill, and their reports.
#include "engine/model/mesh_draft.h"

#include "engine/base/list.h"
#include "engine/base/number.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

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

// ---- polygons -----------------------------------------------------------------------------------

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

// ---- text ---------------------------------------------------------------------------------------
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
