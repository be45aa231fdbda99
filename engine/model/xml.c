// expat says where a tag starts; where its attributes stand is found by walking over the tag's own
// bytes once more, which is safe because expat has accepted them.
#include "engine/model/xml.h"

#include "engine/base/number.h"

#include <expat.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { GMC_XML_CHUNK = 1 << 14 };

// What the document owns, in blocks that never move.
typedef struct chunk {
    struct chunk *next;
    size_t used, capacity;
    unsigned char bytes[];
} chunk;

struct gmc_xml {
    chunk *chunks;
    const char *file;
    gmc_xml_element *root;
};

typedef struct xml_reader {
    gmc_xml *document;
    XML_Parser parser;
    gmc_diagnostics *report;
    const char *bytes;
    size_t size;
    size_t line_start; // offset of the line of the last place asked for
    size_t scanned;    // up to here lines were counted
    int line;
    gmc_xml_element *open; // innermost
    int depth, element_count;
    bool is_stopped; // by us, and reported
    bool is_out_of_memory;
} xml_reader;

static void *take(gmc_xml *document, size_t bytes)
{
    size_t wanted = (bytes + 15) / 16 * 16;
    chunk *top = document->chunks;
    if (!top || top->capacity - top->used < wanted) {
        size_t capacity = wanted > GMC_XML_CHUNK ? wanted : GMC_XML_CHUNK;
        chunk *fresh = malloc(sizeof *fresh + capacity);
        if (!fresh) return NULL;
        *fresh = (chunk){.next = top, .capacity = capacity};
        document->chunks = top = fresh;
    }
    void *block = top->bytes + top->used;
    top->used += wanted;
    memset(block, 0, bytes);
    return block;
}

static char *take_text(gmc_xml *document, const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = take(document, bytes);
    if (copy) memcpy(copy, text, bytes);
    return copy;
}

// Places are asked for in the order of the file, so that counting lines costs one pass in all.
static gmc_source place_at(xml_reader *reader, size_t offset, size_t length)
{
    if (offset > reader->size) offset = reader->size;
    for (; reader->scanned < offset; reader->scanned++)
        if (reader->bytes[reader->scanned] == '\n') {
            reader->line++;
            reader->line_start = reader->scanned + 1;
        }
    size_t column = offset >= reader->line_start ? offset - reader->line_start + 1 : 0;
    return (gmc_source){.file = reader->document->file,
                        .line = reader->line,
                        .column = column < INT16_MAX ? (int)column : 0,
                        .length = length < INT16_MAX ? (int)length : 1};
}

static size_t offset_now(const xml_reader *reader)
{
    long offset = (long)XML_GetCurrentByteIndex(reader->parser);
    return offset < 0 ? 0 : (size_t)offset;
}

static void stop(xml_reader *reader, const char *hint, const char *message)
{
    gmc_diagnostics_add(reader->report, GMC_E_INPUT, place_at(reader, offset_now(reader), 1), hint,
                        "%s", message);
    reader->is_stopped = true;
    XML_StopParser(reader->parser, XML_FALSE);
}

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

static bool is_name_end(char c) { return is_space(c) || c == '=' || c == '>' || c == '/'; }

// From `at` (inside a tag): the next name="value". False at the end of the tag.
typedef struct raw_attribute {
    size_t name, name_length, value, value_length;
} raw_attribute;

static bool next_raw(const xml_reader *reader, size_t *at, raw_attribute *raw)
{
    const char *b = reader->bytes;
    size_t i = *at, end = reader->size;
    while (i < end && is_space(b[i]))
        i++;
    raw->name = i;
    while (i < end && !is_name_end(b[i]))
        i++;
    raw->name_length = i - raw->name;
    while (i < end && is_space(b[i]))
        i++;
    if (i >= end || b[i] != '=' || raw->name_length == 0) return false;
    i++;
    while (i < end && is_space(b[i]))
        i++;
    if (i >= end || (b[i] != '"' && b[i] != '\'')) return false;
    char quote = b[i++];
    raw->value = i;
    while (i < end && b[i] != quote)
        i++;
    raw->value_length = i - raw->value;
    *at = i + 1;
    return true;
}

static bool add_attributes(xml_reader *reader, gmc_xml_element *element, const char **given,
                           size_t after_name)
{
    int count = 0;
    while (given[2 * count])
        count++;
    if (count == 0) return true;
    gmc_xml_attribute *list = take(reader->document, (size_t)count * sizeof *list);
    if (!list) return false;
    raw_attribute raw;
    bool has_raw = true;
    for (int i = 0; i < count; i++) {
        list[i].name = take_text(reader->document, given[2 * i]);
        list[i].value = take_text(reader->document, given[2 * i + 1]);
        if (!list[i].name || !list[i].value) return false;
        // in another encoding than UTF-8 the bytes do not match: then the element's place must do
        has_raw = has_raw && next_raw(reader, &after_name, &raw) &&
                  raw.name_length == strlen(given[2 * i]) &&
                  memcmp(reader->bytes + raw.name, given[2 * i], raw.name_length) == 0;
        list[i].source = has_raw ? place_at(reader, raw.value, raw.value_length) : element->source;
    }
    element->attributes = list;
    element->attribute_count = count;
    return true;
}

static void XMLCALL on_start(void *context, const char *name, const char **given)
{
    xml_reader *reader = context;
    if (reader->is_stopped || reader->is_out_of_memory) return;
    if (reader->depth++ >= GMC_XML_DEPTH_MAX) {
        stop(reader, NULL, "elements are nested deeper than 64 levels");
        return;
    }
    if (reader->element_count++ >= GMC_XML_ELEMENTS_MAX) {
        stop(reader, NULL, "more than 50000 elements");
        return;
    }
    gmc_xml_element *element = take(reader->document, sizeof *element);
    size_t start = offset_now(reader);
    bool fits = element != NULL;
    if (fits) {
        element->name = take_text(reader->document, name);
        element->source = place_at(reader, start, strlen(name) + 1);
        fits = element->name && add_attributes(reader, element, given, start + 1 + strlen(name));
    }
    if (!fits) {
        reader->is_out_of_memory = true;
        XML_StopParser(reader->parser, XML_FALSE);
        return;
    }
    gmc_xml_element *parent = element->parent = reader->open;
    if (!parent)
        reader->document->root = element;
    else if (!parent->first_child)
        parent->first_child = element;
    else
        parent->last_child->next = element;
    if (parent) parent->last_child = element;
    reader->open = element;
}

static void XMLCALL on_end(void *context, const char *name)
{
    xml_reader *reader = context;
    (void)name;
    if (reader->is_stopped || reader->is_out_of_memory) return;
    reader->open = reader->open->parent;
    reader->depth--;
}

static void XMLCALL on_doctype(void *context, const char *name, const char *system_id,
                               const char *public_id, int has_internal_subset)
{
    xml_reader *reader = context;
    (void)name, (void)system_id, (void)public_id;
    if (has_internal_subset)
        stop(reader, "write the values out where they are used",
             "a document type with definitions of its own is refused (entities)");
}

// A mesh in the place of a URDF, told by its name and for it does not begin as XML does.
static bool is_mesh(const xml_reader *reader)
{
    const char *dot = strrchr(reader->document->file, '.');
    size_t i = 0;
    while (i < reader->size && (reader->bytes[i] == ' ' || reader->bytes[i] == '\t' ||
                                reader->bytes[i] == '\r' || reader->bytes[i] == '\n'))
        i++;
    bool is_xml = i < reader->size && reader->bytes[i] == '<';
    return !is_xml && dot &&
           (strcmp(dot, ".obj") == 0 || strcmp(dot, ".stl") == 0 || strcmp(dot, ".ply") == 0);
}

static gmc_status parse(xml_reader *reader)
{
    XML_SetUserData(reader->parser, reader);
    XML_SetElementHandler(reader->parser, on_start, on_end);
    XML_SetStartDoctypeDeclHandler(reader->parser, on_doctype);
    enum XML_Status status = XML_Parse(reader->parser, reader->bytes, (int)reader->size, XML_TRUE);
    if (reader->is_out_of_memory) return GMC_E_MEMORY;
    if (reader->is_stopped) return GMC_E_INPUT;
    if (status == XML_STATUS_OK) return GMC_OK;
    enum XML_Error code = XML_GetErrorCode(reader->parser);
    if (code == XML_ERROR_NO_MEMORY) return GMC_E_MEMORY;
    if (is_mesh(reader)) {
        gmc_diagnostics_add(
            reader->report, GMC_E_INPUT, (gmc_source){.file = reader->document->file},
            "a mesh is an object's:  object: {mesh: FILE}", "this is a mesh, not a URDF");
        return GMC_E_INPUT;
    }
    // name what is open: a missing end tag shows far below its start
    char hint[96];
    const gmc_xml_element *open = reader->open;
    if (open)
        snprintf(hint, sizeof hint, "<%.48s> of line %d is still open here", open->name,
                 open->source.line);
    gmc_diagnostics_add(reader->report, GMC_E_INPUT, place_at(reader, offset_now(reader), 1),
                        open ? hint : NULL, "not XML: %s", XML_ErrorString(code));
    return GMC_E_INPUT;
}

gmc_status gmc_xml_parse(const char *name, const unsigned char *bytes, size_t size,
                         gmc_diagnostics *report, gmc_xml **document)
{
    *document = NULL;
    if (size > GMC_XML_BYTES_MAX) {
        gmc_diagnostics_add(report, GMC_E_INPUT, (gmc_source){.file = name}, NULL,
                            "%zu bytes of XML, more than %d", size, (int)GMC_XML_BYTES_MAX);
        return GMC_E_INPUT;
    }
    xml_reader reader = {.report = report,
                         .bytes = (const char *)bytes,
                         .size = size,
                         .line = 1,
                         .document = calloc(1, sizeof *reader.document),
                         .parser = XML_ParserCreate(NULL)};
    gmc_status status = GMC_E_MEMORY;
    if (reader.document && reader.parser) {
        reader.document->file = take_text(reader.document, name);
        if (reader.document->file) status = parse(&reader);
    }
    if (reader.parser) XML_ParserFree(reader.parser);
    if (status == GMC_E_MEMORY)
        gmc_diagnostics_add(report, GMC_E_MEMORY, (gmc_source){.file = name}, NULL,
                            "no memory left for this XML");
    if (status == GMC_OK)
        *document = reader.document;
    else
        gmc_xml_free(reader.document);
    return status;
}

void gmc_xml_free(gmc_xml *document)
{
    if (!document) return;
    for (chunk *c = document->chunks, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    free(document);
}

const gmc_xml_element *gmc_xml_root(const gmc_xml *document) { return document->root; }

int gmc_xml_numbers(const gmc_xml_attribute *attribute, int most, double *values,
                    gmc_xml_word *broken)
{
    int found = 0;
    for (const char *c = attribute->value; *c;) {
        while (is_space(*c))
            c++;
        if (!*c) break;
        const char *word = c;
        while (*c && !is_space(*c))
            c++;
        double number = 0;
        gmc_status status = gmc_number_parse(word, (size_t)(c - word), &number);
        if (status != GMC_OK) {
            gmc_source place = attribute->source;
            if ((int)strlen(attribute->value) == place.length)
                place.column += (int)(word - attribute->value);
            place.length = (int)(c - word);
            *broken = (gmc_xml_word){place, status, word, place.length > 32 ? 32 : place.length};
            return -1;
        }
        if (found < most) values[found] = number;
        found++;
    }
    return found;
}
