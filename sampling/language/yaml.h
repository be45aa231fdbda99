/// YAML as a tree in which every key and value knows its line and column. The only user of libyaml.
///
/// Stricter than YAML where YAML surprises: one document, UTF-8, no tags, no complex keys,
/// duplicate keys are mistakes, aliases are copied and limited in size and depth. A byte order mark
/// and CRLF are accepted; a lone CR and the exotic line ends of Unicode are not, so that line
/// numbers are those of an editor. What a scalar means (number, word, boolean) is the schema's
/// business: here it is text.
#ifndef GMC_SAMPLING_LANGUAGE_YAML_H
#define GMC_SAMPLING_LANGUAGE_YAML_H

#include "sampling/language/node.h"

#include <stddef.h>

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
                                         gmc_arena *arena, gmc_node **root);

#endif
