/// XML as a tree of elements that know where they stand: line and column of every element and of
/// every attribute's value. Reads with expat. Text between tags is not kept (URDF and MJCF have
/// none).
///
/// Refused, with a located message: bad syntax, an internal document type (entities: a few lines of
/// them can expand to gigabytes), nesting deeper than GMC_XML_DEPTH_MAX, more than
/// GMC_XML_BYTES_MAX.
#ifndef GMC_ENGINE_MODEL_XML_H
#define GMC_ENGINE_MODEL_XML_H

#include "engine/base/source.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { GMC_XML_DEPTH_MAX = 64, GMC_XML_ELEMENTS_MAX = 50000, GMC_XML_BYTES_MAX = 16 << 20 };

typedef struct gmc_xml_attribute {
    const char *name, *value;
    gmc_source source; ///< of the value
} gmc_xml_attribute;

typedef struct gmc_xml_element {
    const char *name;
    gmc_source source; ///< of `<name`
    const gmc_xml_attribute *attributes;
    int attribute_count;
    struct gmc_xml_element *parent, *first_child, *last_child, *next;
} gmc_xml_element;

/// Owns all elements, names and values.
typedef struct gmc_xml gmc_xml;

/// @param     name      stands for the file in messages; copied
/// @param     document  to be freed with gmc_xml_free; NULL unless GMC_OK
/// @return GMC_OK, GMC_E_INPUT, GMC_E_MEMORY; both reported
GMC_MUST_CHECK gmc_status gmc_xml_parse(const char *name, const unsigned char *bytes, size_t size,
                                        gmc_diagnostics *report, gmc_xml **document);

/// Accepts NULL.
void gmc_xml_free(gmc_xml *document);

const gmc_xml_element *gmc_xml_root(const gmc_xml *document);

static inline bool gmc_xml_is(const gmc_xml_element *element, const char *name)
{
    return strcmp(element->name, name) == 0;
}

/// The element or its first sibling behind it of that name, NULL if there is none.
static inline const gmc_xml_element *gmc_xml_named(const gmc_xml_element *element, const char *name)
{
    while (element && !gmc_xml_is(element, name))
        element = element->next;
    return element;
}

/// First child of that name, NULL if there is none.
static inline const gmc_xml_element *gmc_xml_child(const gmc_xml_element *element, const char *name)
{
    return gmc_xml_named(element->first_child, name);
}

/// Next sibling of the same name, NULL if there is none.
static inline const gmc_xml_element *gmc_xml_next(const gmc_xml_element *element)
{
    return gmc_xml_named(element->next, element->name);
}

/// Attribute of that name, NULL if there is none.
static inline const gmc_xml_attribute *gmc_xml_find(const gmc_xml_element *element,
                                                    const char *name)
{
    for (int i = 0; i < element->attribute_count; i++)
        if (strcmp(element->attributes[i].name, name) == 0) return element->attributes + i;
    return NULL;
}

/// A word of an attribute's value that is no number.
typedef struct gmc_xml_word {
    gmc_source source; ///< of the word, if the value was written without entities and line ends
    gmc_status status; ///< GMC_E_INPUT; GMC_E_LIMIT: a double cannot hold it
    const char *text;  ///< into the value
    int length;        ///< at most 32, for messages
} gmc_xml_word;

/// Numbers of a value, white space between them.
/// @param values  (most) out: the first ones
/// @param broken  out: the first word that is none, if there is one
/// @return how many there are, which may be more than `most`; -1: one is broken
int gmc_xml_numbers(const gmc_xml_attribute *attribute, int most, double *values,
                    gmc_xml_word *broken);

#endif
