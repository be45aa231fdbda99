// A mesh in the making: growing arrays that the readers of the formats fill, and their reports.
#include "engine/model/mesh_internal.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// Room for one more element in arrays that grow together.
static bool grow(gmc_mesh_draft *draft, void **array, size_t size, int capacity)
{
    void *grown = realloc(*array, (size_t)capacity * size);
    if (!grown) {
        draft->failed = true;
        return false;
    }
    *array = grown;
    return true;
}

static int larger(int capacity) { return capacity ? 2 * capacity : 64; }

void gmc_mesh_draft_vertex(gmc_mesh_draft *draft, gmc_vec3 p)
{
    if (draft->vertex_count == draft->vertex_capacity) {
        int capacity = larger(draft->vertex_capacity);
        void *vertices = draft->vertices;
        bool fits = grow(draft, &vertices, sizeof *draft->vertices, capacity);
        draft->vertices = vertices;
        if (!fits) return;
        draft->vertex_capacity = capacity;
    }
    draft->vertices[draft->vertex_count++] = p;
}

void gmc_mesh_draft_triangle(gmc_mesh_draft *draft, int a, int b, int c, int line)
{
    if (draft->group_count == 0) gmc_mesh_draft_group(draft, "", 0);
    if (draft->failed) return;
    if (draft->triangle_count == draft->triangle_capacity) {
        int capacity = larger(draft->triangle_capacity);
        void *triangles = draft->triangles, *groups = draft->groups, *lines = draft->lines;
        bool fits = grow(draft, &triangles, sizeof *draft->triangles, capacity);
        draft->triangles = triangles;
        fits = fits && grow(draft, &groups, sizeof *draft->groups, capacity);
        draft->groups = groups;
        fits = fits && grow(draft, &lines, sizeof *draft->lines, capacity);
        draft->lines = lines;
        if (!fits) return;
        draft->triangle_capacity = capacity;
    }
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
    if (draft->group_count == draft->group_capacity) {
        int capacity = larger(draft->group_capacity);
        void *names = draft->group_names;
        bool fits = grow(draft, &names, sizeof *draft->group_names, capacity);
        draft->group_names = names;
        if (!fits) {
            free(copy);
            return;
        }
        draft->group_capacity = capacity;
    }
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
    gmc_diagnostics_add(draft->report, GMC_ERROR, GMC_E_INPUT,
                        (gmc_source){.file = draft->file, .line = line, .column = column}, hint,
                        "%s", message);
}
