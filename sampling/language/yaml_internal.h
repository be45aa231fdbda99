/// A text that libyaml reads, and where in it something stands. Private to yaml*.c, the only users
/// of libyaml.
#ifndef GMC_SAMPLING_LANGUAGE_YAML_INTERNAL_H
#define GMC_SAMPLING_LANGUAGE_YAML_INTERNAL_H

#include "engine/base/source.h"

#include <yaml.h>

#include <stdbool.h>
#include <stddef.h>

typedef struct gmc_yaml_text {
    const char *text; ///< without byte order mark
    size_t bytes;
    size_t mark_bytes; ///< length of the byte order mark that was cut off the first line
    const char *file;
    size_t *line_start; ///< (line_count + 1) offsets into text
    size_t line_count;
    size_t walked_line, walked_column, walked_at; ///< last place found
} gmc_yaml_text;

/// @param text  must outlive the struct; gmc_yaml_text_close also after a failure
/// @return GMC_OK, GMC_E_INPUT (line ends that an editor shows otherwise, reported), GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_yaml_text_open(const char *text, size_t bytes, const char *file,
                                             gmc_diagnostics *report, gmc_yaml_text *t);
void gmc_yaml_text_close(gmc_yaml_text *t);

/// A parser at the beginning of the text. @return GMC_OK, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_yaml_text_start(const gmc_yaml_text *t, yaml_parser_t *parser);

/// Where an event stands. Places are asked for from left to right.
gmc_source gmc_yaml_text_place(gmc_yaml_text *t, const yaml_event_t *event);

/// Report why the parser stopped. @return GMC_E_INPUT, GMC_E_MEMORY (not reported)
GMC_MUST_CHECK gmc_status gmc_yaml_text_problem(gmc_yaml_text *t, const yaml_parser_t *parser,
                                                gmc_diagnostics *report);

#endif
