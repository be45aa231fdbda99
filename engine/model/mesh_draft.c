// A mesh in the making: growing arrays that the readers of the formats fill, and their reports.
#include "engine/base/list.h"
#include "engine/model/mesh_internal.h"

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
    gmc_diagnostics_add(draft->report, GMC_ERROR, GMC_E_INPUT,
                        (gmc_source){.file = draft->file, .line = line, .column = column}, hint,
                        "%s", message);
}
