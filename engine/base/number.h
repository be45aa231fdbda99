/// Decimal numbers from text that need not end in a zero, read alike in every locale: the C
/// library's strtod takes "0x1p3", "nan", leading blanks and, in some locales, a decimal comma.
/// None of that here.
#ifndef GMC_ENGINE_BASE_NUMBER_H
#define GMC_ENGINE_BASE_NUMBER_H

#include "engine/base/status.h"

#include <stddef.h>

/// A decimal number: [+-] digits [. digits] [e [+-] digits], at least one digit before the e,
/// nothing else before, within or behind. Rounded correctly.
/// @param     text    `length` bytes
/// @param     value   untouched unless GMC_OK; always finite
/// @return GMC_OK, GMC_E_INPUT (not such a number, or more than 512 characters), GMC_E_LIMIT (the
///         number is too large for a double)
GMC_MUST_CHECK gmc_status gmc_number_parse(const char *text, size_t length, double *value);

/// A whole number: [+-] digits.
/// @return GMC_OK, GMC_E_INPUT, GMC_E_LIMIT (does not fit)
GMC_MUST_CHECK gmc_status gmc_number_parse_integer(const char *text, size_t length,
                                                   long long *value);

#endif
