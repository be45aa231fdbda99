/// The tree that a scenario is read into: maps, lists and texts, each knowing where it stands. Made
/// by yaml.h, changed by merge.h, completed by validate.h, read by scenario_read.h, printed by
/// expand.h.
#ifndef GMC_SAMPLING_LANGUAGE_NODE_H
#define GMC_SAMPLING_LANGUAGE_NODE_H

#include "engine/base/arena.h"
#include "engine/base/source.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum gmc_node_kind { GMC_NODE_SCALAR, GMC_NODE_LIST, GMC_NODE_MAP } gmc_node_kind;

typedef struct gmc_node gmc_node;

struct gmc_node {
    gmc_node_kind kind;
    gmc_source source;  ///< of the value
    const char *folder; ///< of the file it stands in, relative to the main scenario; "" for itself
    const char *key;    ///< in a map; NULL in a list
    gmc_source key_source; ///< of the key; of the value in a list
    gmc_node *next;        ///< following entry of the same map or list

    const char *text; ///< scalar: its characters, zero-terminated, none of them zero
    bool is_plain;    ///< scalar: neither quoted nor a block: positions inside `text` can be told

    gmc_node *first, *last; ///< map, list: entries in order
    int count;

    // left here by validate.h
    const struct gmc_schema_row *row;  ///< what the schema says of it; NULL: nothing
    double number;                     ///< numbers: SI; of a formula at nominal values
    const struct gmc_formula *formula; ///< numbers: what it follows from; NULL: nothing
    int dimension;    ///< numbers: gmc_dimension, settled by the unit where it can be
    bool is_number;   ///< `number` holds (false after a mistake)
    bool is_default;  ///< not written by the user
    bool is_unsaid;   ///< a default that would mean something else if it were written
    bool is_option;   ///< a single value of --set (merge.h)
    bool is_bad;      ///< a mistake in it was reported: what follows stays silent; of the root: one
                      ///< that no model can be made with
    bool is_stand_in; ///< numbers: of what was complained about, `number` lets reading go on
};

/// Entry of a map by key; NULL if absent or `map` is no map.
gmc_node *gmc_node_find(const gmc_node *map, const char *key);

/// Whole number of a scalar. @return `otherwise` for NULL, for what is no number, and for one that
/// was complained about, which may be too large for any integer
int64_t gmc_node_whole(const gmc_node *scalar, int64_t otherwise);

/// Nothing written after the colon, or ~, or null.
bool gmc_node_is_empty(const gmc_node *node);

/// New empty node; NULL if the arena is full.
gmc_node *gmc_node_create(gmc_arena *arena, gmc_node_kind kind, gmc_source source);

/// Append an entry to a map (with key) or list (key NULL). The key must outlive the tree.
void gmc_node_append(gmc_node *parent, const char *key, gmc_source key_source, gmc_node *child);

/// Take an entry out of its map or list.
void gmc_node_remove(gmc_node *parent, gmc_node *child);

/// Put `fresh` where `old` stands, key and all.
void gmc_node_replace(gmc_node *parent, gmc_node *old, gmc_node *fresh);

/// Deep copy, without siblings; NULL if the arena is full.
gmc_node *gmc_node_copy(const gmc_node *node, gmc_arena *arena);

/// Place of `length` characters from offset `offset` of a scalar's text, which has `bytes` of them;
/// the whole scalar where that cannot be told.
gmc_source gmc_node_place(const gmc_node *scalar, size_t bytes, size_t offset, size_t length);

#endif
