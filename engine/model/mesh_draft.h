/// What the readers of the mesh formats share: a mesh in the making.
#ifndef GMC_ENGINE_MODEL_MESH_DRAFT_H
#define GMC_ENGINE_MODEL_MESH_DRAFT_H

#include "engine/base/source.h"
#include "engine/math/vec3.h"

/// Growing arrays; `failed` is sticky and means that memory ran out.
typedef struct gmc_mesh_draft {
    const char *file;
    gmc_diagnostics *report;
    gmc_vec3 *vertices;
    int vertex_count, vertex_capacity;
    int (*triangles)[3];
    int *groups, *lines;
    int triangle_count, triangle_capacity;
    char **group_names;
    int group_count, group_capacity;
    int error_count; ///< of this file; the first few are reported one by one
    bool failed;
} gmc_mesh_draft;

/// A format of mesh files.
typedef struct gmc_mesh_format {
    const char *name, *ending; ///< "OBJ", ".obj"
    /// Do the bytes look like it? NULL: what looks like no other is this.
    bool (*is_likely)(const unsigned char *bytes, size_t size);
    /// Fill the draft, report what is wrong.
    void (*parse)(gmc_mesh_draft *draft, const unsigned char *bytes, size_t size);
} gmc_mesh_format;

extern const gmc_mesh_format gmc_mesh_obj, gmc_mesh_ply, gmc_mesh_stl;

void gmc_mesh_draft_vertex(gmc_mesh_draft *draft, gmc_vec3 p);

void gmc_mesh_draft_triangle(gmc_mesh_draft *draft, int a, int b, int c, int line);

/// What follows belongs to a group of this name; a group without faces takes the new name.
void gmc_mesh_draft_group(gmc_mesh_draft *draft, const char *name, size_t length);

/// One located error; after GMC_MESH_ERRORS_MAX of them they are only counted.
#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
void gmc_mesh_draft_error(gmc_mesh_draft *draft, int line, int column, const char *hint,
                          const char *format, ...);

enum { GMC_MESH_ERRORS_MAX = 20 };

/// Cut the polygon `corners` (indices into draft->vertices, count >= 3) into triangles.
void gmc_mesh_draft_polygon(gmc_mesh_draft *draft, const int *corners, int count, int line);

/// One line of text, without its end. Lines end with LF, CR LF or CR.
typedef struct gmc_mesh_text {
    const char *at, *end; ///< what is left of the text
    int line;             ///< number of the current line, from 1
    const char *start;    ///< of the current line
    const char *stop;     ///< one past its last byte
    const char *word_at;  ///< where gmc_mesh_text_word goes on
} gmc_mesh_text;

bool gmc_mesh_text_line(gmc_mesh_text *text);

/// Next word of the current line, split at blanks and tabs; false at its end.
bool gmc_mesh_text_word(gmc_mesh_text *text, const char **word, size_t *length);

/// Next word of the current line as a number; reports if there is none or it is not one.
bool gmc_mesh_text_number(gmc_mesh_draft *draft, gmc_mesh_text *text, const char *what,
                          double *value);

/// `length` of a word as a printf precision, cut to what fits a message.
int gmc_mesh_text_shown(size_t length);

bool gmc_mesh_text_is(const char *word, size_t length, const char *expected);

#endif
