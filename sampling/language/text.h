/// A text that grows as it is written, for what is printed, embedded or digested. Set-up only.
#ifndef GMC_SAMPLING_LANGUAGE_TEXT_H
#define GMC_SAMPLING_LANGUAGE_TEXT_H

#include "engine/base/status.h"

#include <stdbool.h>
#include <stddef.h>

/// Zero-initialised means empty.
typedef struct gmc_text {
    char *bytes; ///< zero-terminated, malloc'd; NULL while empty
    size_t size, capacity;
    bool has_failed; ///< memory ran out; nothing more is added
} gmc_text;

/// Append, as printf does.
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void gmc_text_add(gmc_text *text, const char *format, ...);

/// Append bytes as they are.
void gmc_text_add_bytes(gmc_text *text, const char *bytes, size_t size);

/// Append as a JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD.
void gmc_text_add_json(gmc_text *text, const char *value);

/// Append the shortest decimal that reads back as the same double; in JSON, null if it is not
/// finite.
void gmc_text_add_number(gmc_text *text, double value, bool is_json);

/// Hand the bytes to the caller, who frees them; the text is empty afterwards.
/// @return GMC_OK, GMC_E_MEMORY (bytes is then NULL)
GMC_MUST_CHECK gmc_status gmc_text_take(gmc_text *text, char **bytes);

void gmc_text_free(gmc_text *text);

#endif
