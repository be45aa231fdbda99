/// YAML as a tree in which every key and value knows its line and column. The only user of libyaml.
///
/// Stricter than YAML where YAML surprises: one document, UTF-8, no tags, no complex keys,
/// duplicate keys are mistakes, aliases are copied and limited in size and depth. A byte order mark
/// and CRLF are accepted; a lone CR and the exotic line ends of Unicode are not, so that line
/// numbers are those of an editor. What a scalar means (number, word, boolean) is the schema's
/// business: here it is text.
#ifndef GMC_SAMPLING_LANGUAGE_YAML_H
#define GMC_SAMPLING_LANGUAGE_YAML_H

#include "engine/base/source.h"
#include "sampling/language/node.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    GMC_YAML_BYTES_MAX = 1 << 20, ///< of one file
    GMC_YAML_NODES_MAX = 20000, ///< of one file, aliases expanded: 100 times any sensible scenario
    GMC_YAML_DEPTH_MAX = 32     ///< the language needs 6
};

/// What is parsed; `file` and `folder` must outlive the tree.
typedef struct gmc_yaml_source {
    const char *text;
    size_t bytes;
    const char *file;   ///< name for messages
    const char *folder; ///< stored in every node
} gmc_yaml_source;

/// @param root    out: the tree in `arena`, or NULL if there is none (empty or broken text)
/// @return GMC_OK, GMC_E_INPUT (reported), GMC_E_ARENA_FULL, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_yaml_parse(const gmc_yaml_source *from, gmc_diagnostics *report,
                                         gmc_arena *arena, gmc_node **root);

enum { GMC_YAML_SCAN_DEPTH = 32 }; ///< deeper nesting is refused

/// Event by event, of YAML and JSON, for files too long for a tree: lists of grasps. As strict, and
/// without aliases.
typedef enum gmc_yaml_scan_kind {
    GMC_YAML_SCAN_TEXT,  ///< a key or a value
    GMC_YAML_SCAN_LIST,  ///< a list begins
    GMC_YAML_SCAN_MAP,   ///< a map begins: keys and values follow in turn
    GMC_YAML_SCAN_CLOSE, ///< the list or map that began last ends
    GMC_YAML_SCAN_END    ///< of the file
} gmc_yaml_scan_kind;

/// What comes next in the file.
typedef struct gmc_yaml_scan_item {
    gmc_yaml_scan_kind kind;
    gmc_source source;
    const char *text; ///< TEXT: without zeros inside, valid until the next item is asked for
    bool is_plain;    ///< TEXT: without quotes
} gmc_yaml_scan_item;

typedef struct gmc_yaml_scan gmc_yaml_scan;

/// @param text  UTF-8; it and `file` and `report` must outlive the scan
/// @param scan  out: to be closed also after a failure (NULL then)
/// @return GMC_OK, GMC_E_INPUT (not such text, reported), GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_yaml_scan_open(const char *text, size_t bytes, const char *file,
                                             gmc_diagnostics *report, gmc_yaml_scan **scan);
void gmc_yaml_scan_close(gmc_yaml_scan *scan);

/// @return GMC_OK, GMC_E_INPUT (not YAML, tags, aliases, keys that are no words, a second document,
///         reported; nothing can be read behind it), GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_yaml_scan_next(gmc_yaml_scan *scan, gmc_yaml_scan_item *item);

/// Pass over the rest of what begins with `item`: of a text nothing, of a list or a map all.
GMC_MUST_CHECK gmc_status gmc_yaml_scan_skip(gmc_yaml_scan *scan, const gmc_yaml_scan_item *item);

#endif
