/// Writing JSON to a stream, value by value; commas and escapes are taken care of. NaN and infinity
/// become null, for JSON has neither.
#ifndef GMC_CLI_PROCESS_JSON_H
#define GMC_CLI_PROCESS_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct gmc_json {
    FILE *out;
    bool has_before; ///< a value stands before the next one on this level
} gmc_json;

/// Start an object or an array: '{' or '['. `name` is the key in an object, NULL in an array or at
/// the top; the same in all functions below.
void gmc_json_open(gmc_json *json, const char *name, char bracket);

/// End it: '}' or ']'.
void gmc_json_close(gmc_json *json, char bracket);

/// NULL becomes null. Bytes that are not UTF-8 become U+FFFD.
void gmc_json_text(gmc_json *json, const char *name, const char *value);

/// Shortest decimal that reads back as the same double.
void gmc_json_real(gmc_json *json, const char *name, double value);

void gmc_json_whole(gmc_json *json, const char *name, uint64_t value);
void gmc_json_flag(gmc_json *json, const char *name, bool value);

/// A list of numbers.
void gmc_json_reals(gmc_json *json, const char *name, const double *values, int count);

#endif
