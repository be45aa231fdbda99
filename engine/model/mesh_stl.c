// STL, text and binary. The word `solid` at the start does not tell them apart (many programs write
// it into the 80 free bytes of a binary file), so the size decides first: a binary file is exactly
// 84 + 50 n bytes. Only then does `solid` followed by `facet` mean text.
#include "engine/model/mesh_draft.h"

#include <stdint.h>
#include <string.h>

enum { GMC_STL_HEADER = 84, GMC_STL_RECORD = 50 };

static uint32_t read_u32(const unsigned char *b)
{
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static double read_float(const unsigned char *b)
{
    uint32_t bits = read_u32(b);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static bool starts_with_solid(const unsigned char *bytes, size_t size)
{
    size_t i = 0;
    while (i < size &&
           (bytes[i] == ' ' || bytes[i] == '\t' || bytes[i] == '\r' || bytes[i] == '\n'))
        i++;
    return size - i >= 5 && gmc_mesh_text_is((const char *)bytes + i, 5, "solid");
}

static bool size_fits_header(const unsigned char *bytes, size_t size)
{
    return size >= GMC_STL_HEADER &&
           (size - GMC_STL_HEADER) / GMC_STL_RECORD == read_u32(bytes + 80) &&
           (size - GMC_STL_HEADER) % GMC_STL_RECORD == 0;
}

// Text has no zero bytes and soon says `facet` or `endsolid`.
static bool is_text(const unsigned char *bytes, size_t size)
{
    size_t looked_at = size < 1024 ? size : 1024;
    if (!starts_with_solid(bytes, size) || memchr(bytes, 0, looked_at)) return false;
    for (size_t i = 0; i + 5 <= looked_at; i++)
        if (gmc_mesh_text_is((const char *)bytes + i, 5, "facet") ||
            gmc_mesh_text_is((const char *)bytes + i, 5, "endso"))
            return true;
    return false;
}

static bool stl_is_likely(const unsigned char *bytes, size_t size)
{
    return size_fits_header(bytes, size) || is_text(bytes, size);
}

// How many triangles a binary file holds, whatever its header says.
static size_t binary_count(gmc_mesh_draft *draft, const unsigned char *bytes, size_t size)
{
    gmc_source whole = {.file = draft->file};
    if (size < GMC_STL_HEADER) {
        gmc_mesh_draft_error(
            draft, 0, 0, NULL,
            "neither a text STL (`solid`, `facet`) nor a binary one: %zu bytes, less "
            "than its header of 84",
            size);
        return 0;
    }
    size_t said = read_u32(bytes + 80), body = size - GMC_STL_HEADER, held = body / GMC_STL_RECORD;
    if (said == held && body % GMC_STL_RECORD == 0) return held;
    if (body % GMC_STL_RECORD == 0 && held > 0) {
        gmc_diagnostics_add(draft->report, GMC_OK, whole, NULL,
                            "the header counts %zu triangles, the file holds %zu; all are read",
                            said, held);
        return held;
    }
    if (said > 0 && said <= held) {
        gmc_diagnostics_add(draft->report, GMC_OK, whole, NULL,
                            "%zu bytes behind the last of %zu triangles are not read",
                            body - said * GMC_STL_RECORD, said);
        return said;
    }
    gmc_mesh_draft_error(draft, 0, 0, "the file is cut off, or not an STL",
                         "the header counts %zu triangles, which need %zu bytes; the file has %zu",
                         said, GMC_STL_HEADER + said * GMC_STL_RECORD, size);
    return 0;
}

static void parse_binary(gmc_mesh_draft *draft, const unsigned char *bytes, size_t size)
{
    size_t count = binary_count(draft, bytes, size);
    for (size_t i = 0; i < count && !draft->failed; i++) {
        const unsigned char *record = bytes + GMC_STL_HEADER + i * GMC_STL_RECORD;
        int first = draft->vertex_count;
        bool is_good = true;
        for (int k = 0; k < 3; k++) {
            const unsigned char *b = record + 12 + 12 * k; // behind the normal
            gmc_vec3 p = {read_float(b), read_float(b + 4), read_float(b + 8)};
            double largest = fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z)));
            bool is_finite = isfinite(p.x) && isfinite(p.y) && isfinite(p.z);
            if (!is_finite || !(largest <= 1e9)) {
                gmc_mesh_draft_error(draft, 0, 0, NULL,
                                     "triangle %zu: vertex %d is (%g, %g, %g), not a place", i + 1,
                                     k + 1, p.x, p.y, p.z);
                is_good = false;
            }
            if (is_good) gmc_mesh_draft_vertex(draft, p);
        }
        if (is_good && !draft->failed)
            gmc_mesh_draft_triangle(draft, first, first + 1, first + 2, 0);
        else
            draft->vertex_count = first;
    }
}

// The next word of the text, over line ends.
static bool next_word(gmc_mesh_text *text, const char **word, size_t *length)
{
    while (!gmc_mesh_text_word(text, word, length))
        if (!gmc_mesh_text_line(text)) return false;
    return true;
}

static bool expect(gmc_mesh_draft *draft, gmc_mesh_text *text, const char *expected)
{
    const char *word;
    size_t length;
    if (!next_word(text, &word, &length)) {
        gmc_mesh_draft_error(draft, text->line, 0, "the file is cut off",
                             "expected `%s`, found the end of the file", expected);
        return false;
    }
    if (gmc_mesh_text_is(word, length, expected)) return true;
    gmc_mesh_draft_error(draft, text->line, (int)(word - text->start) + 1, NULL,
                         "expected `%s`, found `%.*s`", expected, gmc_mesh_text_shown(length),
                         word);
    return false;
}

// Behind a mistake, go on with the next facet.
static bool skip_facet(gmc_mesh_text *text)
{
    const char *word;
    size_t length;
    while (next_word(text, &word, &length))
        if (gmc_mesh_text_is(word, length, "endfacet")) return true;
    return false;
}

// Behind the word `facet`.
static bool parse_facet(gmc_mesh_draft *draft, gmc_mesh_text *text)
{
    gmc_vec3 p[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    int line = text->line;
    const char *word;
    size_t length;
    // the normal's numbers are not used and may be anything, `nan` included
    if (!expect(draft, text, "normal")) return false;
    for (int k = 0; k < 3; k++)
        if (!next_word(text, &word, &length)) break;
    if (!expect(draft, text, "outer") || !expect(draft, text, "loop")) return false;
    for (int k = 0; k < 3; k++) {
        if (!expect(draft, text, "vertex")) return false;
        if (!gmc_mesh_text_number(draft, text, "coordinate x", &p[k].x)) return false;
        if (!gmc_mesh_text_number(draft, text, "coordinate y", &p[k].y)) return false;
        if (!gmc_mesh_text_number(draft, text, "coordinate z", &p[k].z)) return false;
    }
    if (!expect(draft, text, "endloop") || !expect(draft, text, "endfacet")) return false;
    int first = draft->vertex_count;
    for (int k = 0; k < 3; k++)
        gmc_mesh_draft_vertex(draft, p[k]);
    if (!draft->failed) gmc_mesh_draft_triangle(draft, first, first + 1, first + 2, line);
    return true;
}

static void parse_text(gmc_mesh_draft *draft, const char *bytes, size_t size)
{
    gmc_mesh_text text = {.at = bytes, .end = bytes + size};
    const char *word;
    size_t length;
    bool is_open = false;
    gmc_mesh_text_line(&text);
    while (!draft->failed && next_word(&text, &word, &length)) {
        if (gmc_mesh_text_is(word, length, "solid")) {
            if (!gmc_mesh_text_word(&text, &word, &length)) length = 0;
            gmc_mesh_draft_group(draft, word, length);
            text.word_at = text.stop; // the rest of the line is the name
            is_open = true;
        } else if (gmc_mesh_text_is(word, length, "endsolid")) {
            text.word_at = text.stop;
            is_open = false;
        } else if (gmc_mesh_text_is(word, length, "facet")) {
            if (!parse_facet(draft, &text) && !skip_facet(&text)) return;
        } else {
            gmc_mesh_draft_error(draft, text.line, (int)(word - text.start) + 1, NULL,
                                 "expected `facet` or `endsolid`, found `%.*s`",
                                 gmc_mesh_text_shown(length), word);
            if (!skip_facet(&text)) return;
        }
    }
    if (is_open && draft->error_count == 0)
        gmc_mesh_draft_error(draft, text.line, 0, "the file is cut off",
                             "expected `endsolid`, found the end of the file");
}

static void stl_parse(gmc_mesh_draft *draft, const unsigned char *bytes, size_t size)
{
    if (!size_fits_header(bytes, size) && is_text(bytes, size))
        parse_text(draft, (const char *)bytes, size);
    else
        parse_binary(draft, bytes, size);
}

const gmc_mesh_format gmc_mesh_stl = {"STL", ".stl", stl_is_likely, stl_parse};
