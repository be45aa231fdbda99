// Wavefront OBJ: vertices `v`, faces `f` with absolute or relative (negative) indices, groups `o`
// and `g`. Polygons are cut by ears in the plane of their area vector; a convex polygon is a fan.
#include "engine/base/list.h"
#include "engine/base/number.h"
#include "engine/model/mesh_draft.h"

#include <stdlib.h>
#include <string.h>

typedef struct obj_reader {
    gmc_mesh_draft *draft;
    gmc_mesh_text text;
    int *corners; // of the current face
    int corner_capacity;
    bool told_unread;
} obj_reader;

static void read_vertex(obj_reader *reader)
{
    gmc_mesh_draft *draft = reader->draft;
    double x = 0, y = 0, z = 0, more;
    // a vertex with a mistake keeps its place, or every later index would be off by one
    bool is_good = gmc_mesh_text_number(draft, &reader->text, "coordinate x", &x) &&
                   gmc_mesh_text_number(draft, &reader->text, "coordinate y", &y) &&
                   gmc_mesh_text_number(draft, &reader->text, "coordinate z", &z);
    gmc_mesh_draft_vertex(draft, is_good ? gmc_vec3_make(x, y, z) : gmc_vec3_make(0, 0, 0));

    // weight or colour may follow: read as numbers and left alone
    const char *word, *from = reader->text.word_at;
    size_t length;
    while (is_good && gmc_mesh_text_word(&reader->text, &word, &length) && word[0] != '#') {
        reader->text.word_at = from;
        is_good = gmc_mesh_text_number(draft, &reader->text, "weight or colour", &more);
        from = reader->text.word_at;
    }
}

// The vertex index of `7`, `7/2`, `7//3`, `7/2/3`, `-1`; -1 and a report if it is wrong.
static int read_corner(obj_reader *reader, const char *word, size_t length)
{
    gmc_mesh_draft *draft = reader->draft;
    int line = reader->text.line, column = (int)(word - reader->text.start) + 1;
    const char *slash = memchr(word, '/', length);
    size_t digits = slash ? (size_t)(slash - word) : length;
    long long index = 0, other = 0;
    gmc_status status = gmc_number_parse_integer(word, digits, &index);

    // texture and normal indices: their syntax counts, their values are not used
    for (const char *c = slash, *end = word + length; c && status == GMC_OK;) {
        const char *next = c + 1 < end ? memchr(c + 1, '/', (size_t)(end - c - 1)) : NULL;
        size_t part = (size_t)((next ? next : end) - c - 1);
        if (part > 0) status = gmc_number_parse_integer(c + 1, part, &other);
        c = next;
    }
    if (status == GMC_E_INPUT) {
        gmc_mesh_draft_error(draft, line, column, NULL, "expected a vertex index, found `%.*s`",
                             gmc_mesh_text_shown(length), word);
        return -1;
    }
    long long place = index > 0 ? index - 1 : draft->vertex_count + index;
    if (status != GMC_OK || index == 0 || place < 0 || place >= draft->vertex_count) {
        gmc_mesh_draft_error(draft, line, column,
                             index == 0 ? "indices count from 1, or from -1 backwards" : NULL,
                             "vertex %.*s of a face, but %d vertices stand above it",
                             gmc_mesh_text_shown(digits), word, draft->vertex_count);
        return -1;
    }
    return (int)place;
}

static void read_face(obj_reader *reader)
{
    gmc_mesh_draft *draft = reader->draft;
    int line = reader->text.line, count = 0;
    bool is_good = true;
    const char *word;
    size_t length;
    while (gmc_mesh_text_word(&reader->text, &word, &length) && word[0] != '#') {
        int corner = read_corner(reader, word, length);
        is_good = is_good && corner >= 0;
        int *corners =
            gmc_list_room(reader->corners, count, &reader->corner_capacity, sizeof *corners);
        if (!corners) {
            draft->failed = true;
            return;
        }
        reader->corners = corners;
        reader->corners[count++] = corner;
    }
    if (count < 3)
        gmc_mesh_draft_error(draft, line, 1, NULL, "a face needs 3 vertices or more, found %d",
                             count);
    else if (is_good)
        gmc_mesh_draft_polygon(draft, reader->corners, count, line);
}

static void read_group(obj_reader *reader)
{
    const char *word;
    size_t length;
    if (!gmc_mesh_text_word(&reader->text, &word, &length)) {
        gmc_mesh_draft_group(reader->draft, "", 0);
        return;
    }
    const char *stop = reader->text.stop;
    while (stop > word && (stop[-1] == ' ' || stop[-1] == '\t'))
        stop--;
    gmc_mesh_draft_group(reader->draft, word, (size_t)(stop - word));
}

static bool is_ignored(const char *word, size_t length)
{
    static const char *const known[] = {"vt", "vn", "s", "usemtl", "mtllib", "l", "p", "vp"};
    for (int i = 0; i < GMC_COUNT(known); i++)
        if (gmc_mesh_text_is(word, length, known[i])) return true;
    return false;
}

static void read_other(obj_reader *reader, const char *word, size_t length)
{
    static const char *const surfaces[] = {
        "curv",     "curv2",    "surf", "parm",       "trim",      "hole",  "scrv", "sp",
        "cstype",   "deg",      "bmat", "step",       "con",       "end",   "mg",   "bevel",
        "c_interp", "d_interp", "lod",  "shadow_obj", "trace_obj", "ctech", "stech"};
    gmc_mesh_draft *draft = reader->draft;
    int column = (int)(word - reader->text.start) + 1;
    for (int i = 0; i < GMC_COUNT(surfaces); i++) {
        if (!gmc_mesh_text_is(word, length, surfaces[i])) continue;
        if (!reader->told_unread)
            gmc_diagnostics_add(
                draft->report, GMC_OK,
                (gmc_source){draft->file, reader->text.line, column, (int)length, NULL},
                "write the surface as faces", "free-form surfaces (`%s`) are not read",
                surfaces[i]);
        reader->told_unread = true;
        return;
    }
    gmc_mesh_draft_error(draft, reader->text.line, column, NULL,
                         "expected v, f, o, g or another OBJ word, found `%.*s`",
                         gmc_mesh_text_shown(length), word);
}

static void obj_parse(gmc_mesh_draft *draft, const unsigned char *bytes, size_t size)
{
    const char *text = (const char *)bytes;
    obj_reader reader = {.draft = draft, .text = {.at = text, .end = text + size}};
    const char *word;
    size_t length;
    // what follows the limit of reported errors is only counted when it is cheap to go on
    while (!draft->failed && gmc_mesh_text_line(&reader.text)) {
        if (!gmc_mesh_text_word(&reader.text, &word, &length) || word[0] == '#') continue;
        if (gmc_mesh_text_is(word, length, "v"))
            read_vertex(&reader);
        else if (gmc_mesh_text_is(word, length, "f"))
            read_face(&reader);
        else if (gmc_mesh_text_is(word, length, "o") || gmc_mesh_text_is(word, length, "g"))
            read_group(&reader);
        else if (!is_ignored(word, length))
            read_other(&reader, word, length);
    }
    free(reader.corners);
}

const gmc_mesh_format gmc_mesh_obj = {"OBJ", ".obj", NULL, obj_parse};
