/// YAML as a tree in which every key and value knows its line and column. The only user of libyaml.
///
/// Stricter than YAML where YAML surprises: one document, UTF-8, no tags, no complex keys,
/// duplicate keys are mistakes, aliases are copied and limited in size and depth. A byte order mark
/// and CRLF are accepted; a lone CR and the exotic line ends of Unicode are not, so that line
/// numbers are those of an editor. What a scalar means (number, word, boolean) is the schema's
/// business: here it is text.
#ifndef GMC_SAMPLING_SCENARIO_YAML_H
#define GMC_SAMPLING_SCENARIO_YAML_H

#include "engine/base/arena.h"
#include "engine/base/source.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum gmc_yaml_kind { GMC_YAML_SCALAR, GMC_YAML_LIST, GMC_YAML_MAP } gmc_yaml_kind;

typedef struct gmc_yaml_node gmc_yaml_node;

struct gmc_yaml_node {
    gmc_yaml_kind kind;
    gmc_source source;  ///< of the value
    const char *folder; ///< of the file it stands in, relative to the main scenario; "" for itself
    const char *key;    ///< in a map; NULL in a list
    gmc_source key_source; ///< of the key; of the value in a list
    gmc_yaml_node *next;   ///< following entry of the same map or list

    const char *text; ///< scalar: its characters, zero-terminated, none of them zero
    bool is_plain;    ///< scalar: neither quoted nor a block: positions inside `text` can be told

    gmc_yaml_node *first, *last; ///< map, list: entries in order
    int count;

    // left here by validate.h
    const struct gmc_schema_row *row; ///< what the schema says of it; NULL: nothing
    double number;                    ///< numbers: SI
    int dimension;   ///< numbers: gmc_dimension, settled by the unit where it can be
    bool is_number;  ///< `number` holds (false after a mistake)
    bool is_default; ///< not written by the user
    bool is_bad;     ///< a mistake in it was reported: what follows stays silent
};

enum {
    GMC_YAML_BYTES_MAX = 1 << 20, ///< of one file
    GMC_YAML_NODES_MAX = 20000, ///< of one file, aliases expanded: 100 times any sensible scenario
    GMC_YAML_DEPTH_MAX = 32     ///< the language needs 6
};

/// Parse `bytes` bytes of text.
/// @param file    name for messages; must outlive the tree
/// @param folder  stored in every node; must outlive the tree
/// @param root    out: the tree in `arena`, or NULL if there is none (empty or broken text)
/// @return GMC_OK, GMC_E_INPUT (reported), GMC_E_ARENA_FULL, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_yaml_parse(const char *text, size_t bytes, const char *file,
                                         const char *folder, gmc_diagnostics *report,
                                         gmc_arena *arena, gmc_yaml_node **root);

/// Entry of a map by key; NULL if absent or `map` is no map.
gmc_yaml_node *gmc_yaml_find(const gmc_yaml_node *map, const char *key);

/// Nothing written after the colon, or ~, or null.
bool gmc_yaml_is_empty(const gmc_yaml_node *node);

/// New empty node; NULL if the arena is full.
gmc_yaml_node *gmc_yaml_create(gmc_arena *arena, gmc_yaml_kind kind, gmc_source source);

/// Append an entry to a map (with key) or list (key NULL). The key must outlive the tree.
void gmc_yaml_append(gmc_yaml_node *parent, const char *key, gmc_source key_source,
                     gmc_yaml_node *child);

/// Take an entry out of its map or list.
void gmc_yaml_remove(gmc_yaml_node *parent, gmc_yaml_node *child);

/// Put `fresh` where `old` stands, key and all.
void gmc_yaml_replace(gmc_yaml_node *parent, gmc_yaml_node *old, gmc_yaml_node *fresh);

/// Deep copy, without siblings; NULL if the arena is full.
gmc_yaml_node *gmc_yaml_copy(const gmc_yaml_node *node, gmc_arena *arena);

/// Place of `length` characters from offset `offset` of a scalar's text; the whole scalar where
/// that cannot be told.
gmc_source gmc_yaml_place(const gmc_yaml_node *scalar, size_t offset, size_t length);

#endif
