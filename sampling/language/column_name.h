/// Names of columns in a text: "max(slip(object, hand))".
#ifndef GMC_SAMPLING_LANGUAGE_COLUMN_NAME_H
#define GMC_SAMPLING_LANGUAGE_COLUMN_NAME_H

#include <stddef.h>

/// Bytes of `name` at the start of `text`, whatever the blanks around brackets and commas, and
/// where the name has one; 0: it is not there, or is only the beginning of what is.
size_t gmc_column_name_at(const char *text, const char *name);

#endif
