// PLY, text and binary of both byte orders: the header says what the body is made of, and nothing
// is believed of it but what the bytes bear out. Wanted are x, y and z of `vertex` and the list
// `vertex_indices` (or `vertex_index`) of `face`; all else is read over. Source: [turk1994].
#include "engine/base/number.h"
#include "engine/model/mesh_draft.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ELEMENTS_MAX = 32, PROPERTIES_MAX = 128, NAME_MAX_BYTES = 32 };

typedef enum number_kind { I8, U8, I16, U16, I32, U32, F32, F64, KIND_COUNT } number_kind;

static const struct {
    const char *names[2];
    int bytes;
} KINDS[KIND_COUNT] = {{{"char", "int8"}, 1},     {{"uchar", "uint8"}, 1},
                       {{"short", "int16"}, 2},   {{"ushort", "uint16"}, 2},
                       {{"int", "int32"}, 4},     {{"uint", "uint32"}, 4},
                       {{"float", "float32"}, 4}, {{"double", "float64"}, 8}};

typedef enum role { OTHER, X, Y, Z, CORNERS } role;

typedef struct property {
    bool is_list;
    number_kind count, value; ///< count: of a list
    role role;
} property;

typedef enum element_role { SKIPPED, VERTICES, FACES, STRIPS } element_role;

typedef struct element {
    char name[NAME_MAX_BYTES]; ///< cut to fit, for messages
    long long count;
    int line;
    element_role role;
    int first, property_count; ///< properties[first ...]
} element;

typedef struct ply_reader {
    gmc_mesh_draft *draft;
    gmc_mesh_text text;
    bool is_text, is_big;
    element elements[ELEMENTS_MAX];
    property properties[PROPERTIES_MAX];
    int element_count, property_count;
    const unsigned char *at, *end; ///< of a binary body
    int *corners;                  ///< of the current face
    size_t corner_capacity;
} ply_reader;

static bool ply_is_likely(const unsigned char *bytes, size_t size)
{
    return size >= 4 && memcmp(bytes, "ply", 3) == 0 && (bytes[3] == '\n' || bytes[3] == '\r');
}

// ---- header ------------------------------------------------------------------------------------

/// Next word of the line; reports if there is none.
static bool want(ply_reader *r, const char *what, const char **word, size_t *length)
{
    if (gmc_mesh_text_word(&r->text, word, length)) return true;
    gmc_mesh_draft_error(r->draft, r->text.line, (int)(*word - r->text.start) + 1, NULL,
                         "expected %s, found the end of the line", what);
    return false;
}

static void refuse_word(ply_reader *r, const char *word, size_t length, const char *expected)
{
    gmc_mesh_draft_error(r->draft, r->text.line, (int)(word - r->text.start) + 1, NULL,
                         "expected %s, found `%.*s`", expected, gmc_mesh_text_shown(length), word);
}

static bool read_kind(ply_reader *r, number_kind *found)
{
    const char *word;
    size_t length;
    if (!want(r, "a type (float, int, uchar, ...)", &word, &length)) return false;
    for (int k = 0; k < KIND_COUNT; k++)
        for (int n = 0; n < 2; n++)
            if (gmc_mesh_text_is(word, length, KINDS[k].names[n])) {
                *found = (number_kind)k;
                return true;
            }
    refuse_word(r, word, length, "a type (float, int, uchar, ...)");
    return false;
}

static bool read_format(ply_reader *r)
{
    const char *word;
    size_t length;
    if (!want(r, "ascii, binary_little_endian or binary_big_endian", &word, &length)) return false;
    r->is_text = gmc_mesh_text_is(word, length, "ascii");
    r->is_big = gmc_mesh_text_is(word, length, "binary_big_endian");
    if (r->is_text || r->is_big || gmc_mesh_text_is(word, length, "binary_little_endian"))
        return true;
    refuse_word(r, word, length, "ascii, binary_little_endian or binary_big_endian");
    return false;
}

static bool read_element(ply_reader *r)
{
    const char *word, *number;
    size_t length, digits;
    if (!want(r, "the name of an element", &word, &length) ||
        !want(r, "how many of them there are", &number, &digits))
        return false;
    if (r->element_count == ELEMENTS_MAX) {
        gmc_mesh_draft_error(r->draft, r->text.line, 1, NULL, "more than %d elements",
                             (int)ELEMENTS_MAX);
        return false;
    }
    element *e = &r->elements[r->element_count];
    *e = (element){.line = r->text.line, .first = r->property_count};
    if (gmc_number_parse_integer(number, digits, &e->count) != GMC_OK || e->count < 0) {
        refuse_word(r, number, digits, "how many of them there are");
        return false;
    }
    size_t shown = length < sizeof e->name ? length : sizeof e->name - 1;
    memcpy(e->name, word, shown);
    if (gmc_mesh_text_is(word, length, "vertex")) e->role = VERTICES;
    if (gmc_mesh_text_is(word, length, "face")) e->role = FACES;
    if (gmc_mesh_text_is(word, length, "tristrips")) e->role = STRIPS;
    r->element_count++;
    return true;
}

static role role_of(const element *e, bool is_list, const char *word, size_t length)
{
    static const char *const places[] = {"x", "y", "z"};
    for (int k = 0; k < 3 && e->role == VERTICES && !is_list; k++)
        if (gmc_mesh_text_is(word, length, places[k])) return (role)(X + k);
    bool is_corners = gmc_mesh_text_is(word, length, "vertex_indices") ||
                      gmc_mesh_text_is(word, length, "vertex_index");
    return e->role == FACES && is_list && is_corners ? CORNERS : OTHER;
}

static bool read_property(ply_reader *r)
{
    const char *word;
    size_t length;
    if (r->element_count == 0) {
        gmc_mesh_draft_error(r->draft, r->text.line, 1, NULL, "a property before any element");
        return false;
    }
    if (r->property_count == PROPERTIES_MAX) {
        gmc_mesh_draft_error(r->draft, r->text.line, 1, NULL, "more than %d properties",
                             (int)PROPERTIES_MAX);
        return false;
    }
    element *e = &r->elements[r->element_count - 1];
    property p = {0};
    const char *before = r->text.word_at;
    if (!want(r, "a type", &word, &length)) return false;
    p.is_list = gmc_mesh_text_is(word, length, "list");
    if (!p.is_list) r->text.word_at = before;
    if (p.is_list && !read_kind(r, &p.count)) return false;
    if (p.is_list && (p.count == F32 || p.count == F64)) {
        gmc_mesh_draft_error(r->draft, r->text.line, 1, NULL,
                             "the length of a list must be a whole number");
        return false;
    }
    if (!read_kind(r, &p.value)) return false;
    if (!want(r, "the name of the property", &word, &length)) return false;
    p.role = role_of(e, p.is_list, word, length);
    r->properties[r->property_count++] = p;
    e->property_count++;
    return true;
}

/// What is read must be there, once and in an order that can be read.
static void check_header(ply_reader *r)
{
    int seen[2] = {0, 0}; // vertices, faces
    for (int i = 0; i < r->element_count; i++) {
        const element *e = &r->elements[i];
        int roles[CORNERS + 1] = {0};
        for (int k = 0; k < e->property_count; k++)
            roles[r->properties[e->first + k].role]++;
        if (e->role == STRIPS)
            gmc_mesh_draft_error(r->draft, e->line, 1, "save it with faces",
                                 "strips of triangles are not read");
        if (e->role == VERTICES && (roles[X] != 1 || roles[Y] != 1 || roles[Z] != 1))
            gmc_mesh_draft_error(r->draft, e->line, 1, NULL,
                                 "vertices need the properties x, y and z, each once");
        if (e->role == FACES && roles[CORNERS] != 1)
            gmc_mesh_draft_error(r->draft, e->line, 1, NULL,
                                 "faces need the list vertex_indices, once");
        if (e->role == FACES && seen[0] == 0)
            gmc_mesh_draft_error(r->draft, e->line, 1, NULL, "faces before any vertices");
        if ((e->role == VERTICES && seen[0]++ > 0) || (e->role == FACES && seen[1]++ > 0))
            gmc_mesh_draft_error(r->draft, e->line, 1, NULL, "element %s a second time", e->name);
    }
    if (r->draft->error_count == 0 && (seen[0] == 0 || seen[1] == 0))
        gmc_mesh_draft_error(r->draft, r->text.line, 1,
                             "a cloud of points has no surface: make a mesh of it first",
                             "no element %s", seen[0] == 0 ? "vertex" : "face");
}

/// @return true if the body can be read
static bool read_header(ply_reader *r)
{
    const char *word;
    size_t length;
    bool has_format = false, is_good = true;
    gmc_mesh_text_line(&r->text); // `ply`
    if (!gmc_mesh_text_word(&r->text, &word, &length) || !gmc_mesh_text_is(word, length, "ply")) {
        refuse_word(r, word, length, "`ply`");
        return false;
    }
    while (gmc_mesh_text_line(&r->text)) {
        if (!gmc_mesh_text_word(&r->text, &word, &length)) continue;
        if (gmc_mesh_text_is(word, length, "comment") || gmc_mesh_text_is(word, length, "obj_info"))
            continue;
        if (gmc_mesh_text_is(word, length, "end_header")) {
            if (!has_format)
                gmc_mesh_draft_error(r->draft, r->text.line, 1, NULL, "no line `format`");
            if (is_good) check_header(r);
            return r->draft->error_count == 0;
        }
        if (gmc_mesh_text_is(word, length, "format")) {
            has_format = true;
            is_good = read_format(r) && is_good;
        } else if (gmc_mesh_text_is(word, length, "element")) {
            is_good = read_element(r) && is_good;
        } else if (gmc_mesh_text_is(word, length, "property")) {
            is_good = read_property(r) && is_good;
        } else {
            refuse_word(r, word, length, "element, property or end_header");
            is_good = false;
        }
        if (r->draft->error_count >= GMC_MESH_ERRORS_MAX) return false;
    }
    gmc_mesh_draft_error(r->draft, r->text.line, 0, "the file is cut off",
                         "expected `end_header`, found the end of the file");
    return false;
}

// ---- values ------------------------------------------------------------------------------------

/// Of a binary body; false at its end.
static bool take(ply_reader *r, number_kind kind, double *value)
{
    int bytes = KINDS[kind].bytes;
    if (r->end - r->at < bytes) return false;
    uint64_t bits = 0;
    for (int i = 0; i < bytes; i++)
        bits |= (uint64_t)r->at[r->is_big ? bytes - 1 - i : i] << 8 * i;
    r->at += bytes;
    uint32_t low = (uint32_t)bits;
    float single;
    switch (kind) {
    case I8:
        *value = (double)(bits < 0x80 ? (int)bits : (int)bits - 0x100);
        return true;
    case I16:
        *value = (double)(bits < 0x8000 ? (int)bits : (int)bits - 0x10000);
        return true;
    case I32:
        *value = bits < 0x80000000u ? (double)bits : (double)bits - 4294967296.0;
        return true;
    case U8:
    case U16:
    case U32:
        *value = (double)bits;
        return true;
    case F32:
        memcpy(&single, &low, sizeof single);
        *value = (double)single;
        return true;
    case F64:
        memcpy(value, &bits, sizeof *value);
        return true;
    case KIND_COUNT:
        break;
    }
    return false;
}

/// The next value of either body; reports and returns false if there is none.
static bool next_value(ply_reader *r, const element *e, long long row, number_kind kind,
                       double *value)
{
    if (!r->is_text) {
        if (take(r, kind, value)) return true;
        gmc_mesh_draft_error(r->draft, 0, 0, NULL, "the file is cut off in %s %lld of %lld",
                             e->name, row + 1, e->count);
        return false;
    }
    const char *word;
    size_t length;
    if (!gmc_mesh_text_word(&r->text, &word, &length)) {
        gmc_mesh_draft_error(r->draft, r->text.line, (int)(word - r->text.start) + 1, NULL,
                             "%s %lld ends before all of its values", e->name, row + 1);
        return false;
    }
    if (gmc_number_parse(word, length, value) == GMC_OK) return true;
    *value = (double)NAN; // of what is wanted that is no value; what is read over may be anything
    return true;
}

static bool is_whole(double value, double least, double most)
{
    return value >= least && value <= most && floor(value) == value;
}

static gmc_vec3 place_of(const ply_reader *r, const double *xyz, long long row)
{
    gmc_vec3 p = {xyz[0], xyz[1], xyz[2]};
    double largest = fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z)));
    if (isfinite(p.x) && isfinite(p.y) && isfinite(p.z) && largest <= 1e9) return p;
    gmc_mesh_draft_error(r->draft, r->is_text ? r->text.line : 0, 0, NULL,
                         "vertex %lld is (%g, %g, %g), not a place", row + 1, p.x, p.y, p.z);
    return (gmc_vec3){0, 0, 0}; // it keeps its number
}

/// A list: its values are taken if it is the corners of a face, else read over.
/// @param count  out: how many
static bool read_list(ply_reader *r, const element *e, long long row, const property *p, int *count)
{
    double length, value;
    if (!next_value(r, e, row, p->count, &length)) return false;
    // each value has a byte at least: a length beyond what is left is a lie
    size_t left = r->is_text ? (size_t)(r->text.stop - r->text.word_at)
                             : (size_t)(r->end - r->at) / (size_t)KINDS[p->value].bytes;
    int line = r->is_text ? r->text.line : 0;
    if (!is_whole(length, 0, (double)left)) {
        gmc_mesh_draft_error(r->draft, line, 0, NULL,
                             "%s %lld: a list of %g values, more than the %s holds", e->name,
                             row + 1, length, r->is_text ? "line" : "file");
        return false;
    }
    *count = (int)length;
    if (p->role == CORNERS && (size_t)*count > r->corner_capacity) {
        size_t capacity = (size_t)*count + 16;
        int *grown = realloc(r->corners, capacity * sizeof *grown);
        r->draft->failed = r->draft->failed || !grown;
        if (!grown) return false;
        r->corners = grown;
        r->corner_capacity = capacity;
    }
    for (int i = 0; i < *count; i++) {
        if (!next_value(r, e, row, p->value, &value)) return false;
        if (p->role != CORNERS) continue;
        bool is_good = is_whole(value, 0, (double)r->draft->vertex_count - 1);
        if (!is_good)
            gmc_mesh_draft_error(r->draft, line, 0, "vertices count from 0",
                                 "face %lld: corner %g, but there are %d vertices", row + 1, value,
                                 r->draft->vertex_count);
        r->corners[i] = is_good ? (int)value : -1;
    }
    return true;
}

static void add_face(ply_reader *r, long long row, int count)
{
    int line = r->is_text ? r->text.line : 0;
    for (int i = 0; i < count; i++)
        if (r->corners[i] < 0) return; // told
    if (count < 3)
        gmc_mesh_draft_error(r->draft, line, 0, NULL,
                             "face %lld needs 3 vertices or more, found %d", row + 1, count);
    else
        gmc_mesh_draft_polygon(r->draft, r->corners, count, line);
}

/// @return false: what follows cannot be read
static bool read_row(ply_reader *r, const element *e, long long row)
{
    double xyz[3] = {0, 0, 0}, value;
    int corner_count = 0, count;
    for (int k = 0; k < e->property_count; k++) {
        const property *p = &r->properties[e->first + k];
        if (p->is_list) {
            if (!read_list(r, e, row, p, &count)) return false;
            if (p->role == CORNERS) corner_count = count;
        } else {
            if (!next_value(r, e, row, p->value, &value)) return false;
            if (p->role >= X && p->role <= Z) xyz[p->role - X] = value;
        }
    }
    if (e->role == VERTICES) gmc_mesh_draft_vertex(r->draft, place_of(r, xyz, row));
    if (e->role == FACES) add_face(r, row, corner_count);
    return true;
}

/// The next line that is not empty.
static bool next_line(ply_reader *r)
{
    const char *word;
    size_t length;
    while (gmc_mesh_text_line(&r->text)) {
        bool is_empty = !gmc_mesh_text_word(&r->text, &word, &length);
        r->text.word_at = r->text.start;
        if (!is_empty) return true;
    }
    return false;
}

static void read_body(ply_reader *r)
{
    for (int i = 0; i < r->element_count; i++) {
        const element *e = &r->elements[i];
        for (long long row = 0; row < e->count && e->property_count > 0; row++) {
            if (r->draft->failed || r->draft->error_count >= GMC_MESH_ERRORS_MAX) return;
            if (r->is_text && !next_line(r)) {
                gmc_mesh_draft_error(r->draft, r->text.line, 0, "the file is cut off",
                                     "expected %s %lld of %lld, found the end of the file", e->name,
                                     row + 1, e->count);
                return;
            }
            if (!read_row(r, e, row) && !r->is_text) return;
            const char *word;
            size_t length;
            if (r->is_text && gmc_mesh_text_word(&r->text, &word, &length) &&
                r->draft->error_count == 0)
                refuse_word(r, word, length, "the end of the line");
        }
    }
}

static void ply_parse(gmc_mesh_draft *draft, const unsigned char *bytes, size_t size)
{
    ply_reader *r = calloc(1, sizeof *r);
    if (!r) {
        draft->failed = true;
        return;
    }
    r->draft = draft;
    r->text = (gmc_mesh_text){.at = (const char *)bytes, .end = (const char *)bytes + size};
    if (read_header(r)) {
        r->at = (const unsigned char *)r->text.at;
        r->end = bytes + size;
        read_body(r);
    }
    free(r->corners);
    free(r);
}

const gmc_mesh_format gmc_mesh_ply = {"PLY", ".ply", ply_is_likely, ply_parse};
