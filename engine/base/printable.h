/// Text of files, names and command lines as a terminal may have it: a character that would act on
/// the terminal instead of being seen is written as its bytes, \x1B. These are control characters
/// (below space, DEL, U+0080 to U+009F), marks that turn the direction of writing, line and
/// paragraph separators, and bytes that are not UTF-8 (RFC 3629).
#ifndef GMC_ENGINE_BASE_PRINTABLE_H
#define GMC_ENGINE_BASE_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/// Bytes that one character may take when it is shown: four of \xNN and a zero.
enum { GMC_PRINTABLE_ROOM = 17 };

/// Length in bytes of the UTF-8 character at the start of a zero-terminated text (1 to 4), 0 if it
/// is none: overlong forms, surrogates and numbers beyond U+10FFFF are none.
/// @param code  its number; untouched if it is none
int gmc_printable_character(const char *text, unsigned *code);

/// Would the character of this number act on a terminal?
bool gmc_printable_acts(unsigned code);

/// The character at the start of `text`, which is not empty, as it is shown.
/// @param shown  out, zero-terminated
/// @param used   bytes of `text` that this is
/// @return places that it takes on the screen: 1 or 4 for each byte (wide characters count as 1)
int gmc_printable_next(const char *text, char shown[GMC_PRINTABLE_ROOM], int *used);

/// A whole text (NULL is empty) into `shown`, cut at a character where `room` is not enough; for a
/// place among others of a printf. @return shown
const char *gmc_printable_text(const char *text, char *shown, size_t room);

#endif
