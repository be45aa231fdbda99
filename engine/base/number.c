#include "engine/base/number.h"

#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Two roads. A number whose digits fit 53 bits and whose power of ten is at most 10^22 is one exact
// product or quotient of two exact doubles, hence correctly rounded [clinger1990]. All others go
// through strtod, with our decimal point replaced by the locale's.

enum { GMC_NUMBER_LENGTH_MAX = 512 };

// What the scan of a well-formed number found.
typedef struct number_parts {
    bool is_negative, is_exact; // is_exact: `digits` holds all of them
    uint64_t digits;
    long exponent; // of ten, to go with `digits`; clamped far outside of the range of a double
} number_parts;

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static void take_digit(number_parts *parts, char c, bool is_fraction)
{
    // below 10^18 another digit cannot overflow 64 bits
    if (parts->digits < UINT64_C(1000000000000000000)) {
        parts->digits = 10 * parts->digits + (uint64_t)(c - '0');
        if (is_fraction) parts->exponent--;
    } else {
        parts->is_exact = false;
    }
}

static bool scan(const char *text, size_t length, number_parts *parts)
{
    const char *c = text, *end = text + length;
    *parts = (number_parts){.is_exact = true};
    if (c < end && (*c == '+' || *c == '-')) parts->is_negative = *c++ == '-';

    int digit_count = 0;
    for (; c < end && is_digit(*c); c++, digit_count++)
        take_digit(parts, *c, false);
    if (c < end && *c == '.')
        for (c++; c < end && is_digit(*c); c++, digit_count++)
            take_digit(parts, *c, true);
    if (digit_count == 0) return false;

    if (c < end && (*c == 'e' || *c == 'E')) {
        bool is_negative = false;
        c++;
        if (c < end && (*c == '+' || *c == '-')) is_negative = *c++ == '-';
        if (c == end) return false;
        long exponent = 0;
        for (; c < end && is_digit(*c); c++)
            if (exponent < 100000) exponent = 10 * exponent + (*c - '0');
        parts->exponent += is_negative ? -exponent : exponent;
    }
    return c == end;
}

static gmc_status parse_slowly(const char *text, size_t length, double *value)
{
    char copy[GMC_NUMBER_LENGTH_MAX + 16];
    const char *point = localeconv()->decimal_point;
    size_t point_length = strlen(point), used = 0;
    if (point_length == 0 || point_length > 8) return GMC_E_LIBRARY;
    for (size_t i = 0; i < length; i++) {
        if (text[i] != '.') {
            copy[used++] = text[i];
            continue;
        }
        memcpy(copy + used, point, point_length);
        used += point_length;
    }
    copy[used] = 0;

    char *end = NULL;
    double number = strtod(copy, &end);
    if (end != copy + used) return GMC_E_INPUT;
    if (!isfinite(number)) return GMC_E_LIMIT;
    *value = number;
    return GMC_OK;
}

gmc_status gmc_number_parse(const char *text, size_t length, double *value)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const uint64_t exact_max = UINT64_C(1) << 53;
    number_parts parts;
    if (length > GMC_NUMBER_LENGTH_MAX || !scan(text, length, &parts)) return GMC_E_INPUT;

    if (parts.is_exact && parts.digits <= exact_max && labs(parts.exponent) < GMC_COUNT(powers)) {
        double number = (double)parts.digits;
        if (parts.exponent < 0)
            number /= powers[-parts.exponent];
        else
            number *= powers[parts.exponent];
        *value = parts.is_negative ? -number : number;
        return GMC_OK;
    }
    return parse_slowly(text, length, value);
}

gmc_status gmc_number_parse_integer(const char *text, size_t length, long long *value)
{
    const char *c = text, *end = text + length;
    bool is_negative = false;
    if (c < end && (*c == '+' || *c == '-')) is_negative = *c++ == '-';
    if (c == end) return GMC_E_INPUT;
    long long number = 0;
    bool fits = true;
    for (; c < end; c++) {
        if (!is_digit(*c)) return GMC_E_INPUT;
        int digit = *c - '0';
        if (number > (LLONG_MAX - digit) / 10)
            fits = false;
        else
            number = 10 * number + digit;
    }
    if (!fits) return GMC_E_LIMIT;
    *value = is_negative ? -number : number;
    return GMC_OK;
}
