// Powers of ten are applied to the text of the number, not to its value: 0.7 cm is the double
// nearest to 0.007, where neither 0.7 * 0.01 nor 0.7 / 100 is. Other factors are kept as numerator
// and denominator: 180 deg is the double nearest to pi.
//
// Where a number ends is found here, because a unit may follow at once (4e3N, 5in); its value is
// engine/base/number.h's business.
#include "sampling/language/units.h"

#include "engine/base/number.h"
#include "engine/math/elementary.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct atom {
    const char *name;
    int ten; // SI value of one unit: 10^ten numerator / denominator
    double numerator, denominator;
    gmc_exponents exponents;
} atom;

static const atom ATOMS[] = {
    {"m", 0, 1, 1, {1, 0, 0, 0}},          {"mm", -3, 1, 1, {1, 0, 0, 0}},
    {"cm", -2, 1, 1, {1, 0, 0, 0}},        {"um", -6, 1, 1, {1, 0, 0, 0}},
    {"µm", -6, 1, 1, {1, 0, 0, 0}},        {"in", -4, 254, 1, {1, 0, 0, 0}},
    {"rad", 0, 1, 1, {0, 0, 0, 1}},        {"mrad", -3, 1, 1, {0, 0, 0, 1}},
    {"deg", 0, GMC_PI, 180, {0, 0, 0, 1}}, {"°", 0, GMC_PI, 180, {0, 0, 0, 1}},
    {"kg", 0, 1, 1, {0, 1, 0, 0}},         {"g", -3, 1, 1, {0, 1, 0, 0}},
    {"mg", -6, 1, 1, {0, 1, 0, 0}},        {"s", 0, 1, 1, {0, 0, 1, 0}},
    {"ms", -3, 1, 1, {0, 0, 1, 0}},        {"us", -6, 1, 1, {0, 0, 1, 0}},
    {"µs", -6, 1, 1, {0, 0, 1, 0}},        {"min", 0, 60, 1, {0, 0, 1, 0}},
    {"Hz", 0, 1, 1, {0, 0, -1, 0}},        {"kHz", 3, 1, 1, {0, 0, -1, 0}},
    {"N", 0, 1, 1, {1, 1, -2, 0}},         {"mN", -3, 1, 1, {1, 1, -2, 0}},
    {"kN", 3, 1, 1, {1, 1, -2, 0}},        {"MN", 6, 1, 1, {1, 1, -2, 0}},
    {"Nm", 0, 1, 1, {2, 1, -2, 0}},        {"J", 0, 1, 1, {2, 1, -2, 0}},
    {"mJ", -3, 1, 1, {2, 1, -2, 0}},       {"Pa", 0, 1, 1, {-1, 1, -2, 0}},
    {"kPa", 3, 1, 1, {-1, 1, -2, 0}},      {"MPa", 6, 1, 1, {-1, 1, -2, 0}},
    {"GPa", 9, 1, 1, {-1, 1, -2, 0}},      {"rpm", 0, 2 * GMC_PI, 60, {0, 0, -1, 1}},
    {"%", -2, 1, 1, {0, 0, 0, 0}},
};

typedef struct dimension_row {
    const char *name, *noun, *choices;
    gmc_exponents exponents;
    gmc_dimension linear, angular; // joint dimensions: what they are for either kind of joint
} dimension_row;

static const dimension_row DIMENSIONS[GMC_DIM_COUNT] = {
    [GMC_DIM_NONE] = {"1", "a pure number", "no unit, or %", {0, 0, 0, 0}, 0, 0},
    [GMC_DIM_LENGTH] = {"m", "a length", "m, cm or mm", {1, 0, 0, 0}, 0, 0},
    [GMC_DIM_ANGLE] = {"rad", "an angle", "deg or rad", {0, 0, 0, 1}, 0, 0},
    [GMC_DIM_TIME] = {"s", "a time", "s or ms", {0, 0, 1, 0}, 0, 0},
    [GMC_DIM_MASS] = {"kg", "a mass", "kg or g", {0, 1, 0, 0}, 0, 0},
    [GMC_DIM_DENSITY] = {"kg/m3", "a density", "kg/m3 or g/cm3", {-3, 1, 0, 0}, 0, 0},
    [GMC_DIM_FORCE] = {"N", "a force", "N or kN", {1, 1, -2, 0}, 0, 0},
    [GMC_DIM_TORQUE] = {"N*m", "a torque", "N*m", {2, 1, -2, 0}, 0, 0},
    [GMC_DIM_SPEED] = {"m/s", "a speed", "m/s or mm/s", {1, 0, -1, 0}, 0, 0},
    [GMC_DIM_ANGULAR_SPEED] = {"rad/s", "an angular speed", "deg/s or rad/s", {0, 0, -1, 1}, 0, 0},
    [GMC_DIM_ACCELERATION] = {"m/s2", "an acceleration", "m/s2", {1, 0, -2, 0}, 0, 0},
    [GMC_DIM_FREQUENCY] = {"Hz", "a frequency", "Hz", {0, 0, -1, 0}, 0, 0},
    [GMC_DIM_STIFFNESS] = {"N/m", "a stiffness", "N/m or N/mm", {0, 1, -2, 0}, 0, 0},
    [GMC_DIM_DAMPING] = {"N*s/m", "a damping", "N*s/m", {0, 1, -1, 0}, 0, 0},
    [GMC_DIM_ANGULAR_STIFFNESS] =
        {"N*m/rad", "an angular stiffness", "N*m/rad", {2, 1, -2, -1}, 0, 0},
    [GMC_DIM_ANGULAR_DAMPING] =
        {"N*m*s/rad", "an angular damping", "N*m*s/rad", {2, 1, -1, -1}, 0, 0},
    [GMC_DIM_INERTIA] = {"kg*m2", "an inertia", "kg*m2 or g*cm2", {2, 1, 0, 0}, 0, 0},
    [GMC_DIM_ENERGY] = {"J", "an energy", "J", {2, 1, -2, 0}, 0, 0},
    [GMC_DIM_PRESSURE] = {"Pa", "a pressure", "MPa or Pa", {-1, 1, -2, 0}, 0, 0},
    [GMC_DIM_FORCE_RATE] = {"N/s", "a growth of force", "N/s", {1, 1, -3, 0}, 0, 0},
    [GMC_DIM_JOINT_POSITION] = {"m or rad",
                                "a joint position",
                                "mm or m for a sliding joint, deg or rad for a turning one",
                                {1, 0, 0, 0},
                                GMC_DIM_LENGTH,
                                GMC_DIM_ANGLE},
    [GMC_DIM_JOINT_SPEED] = {"m/s or rad/s",
                             "a joint speed",
                             "mm/s or m/s for a sliding joint, deg/s or rad/s for a turning one",
                             {1, 0, -1, 0},
                             GMC_DIM_SPEED,
                             GMC_DIM_ANGULAR_SPEED},
    [GMC_DIM_JOINT_FORCE] = {"N or N*m",
                             "a joint force",
                             "N for a sliding joint, N*m for a turning one",
                             {1, 1, -2, 0},
                             GMC_DIM_FORCE,
                             GMC_DIM_TORQUE},
    [GMC_DIM_JOINT_STIFFNESS] = {"N/m or N*m/rad",
                                 "a joint stiffness",
                                 "N/m for a sliding joint, N*m/rad for a turning one",
                                 {0, 1, -2, 0},
                                 GMC_DIM_STIFFNESS,
                                 GMC_DIM_ANGULAR_STIFFNESS},
    [GMC_DIM_JOINT_DAMPING] = {"N*s/m or N*m*s/rad",
                               "a joint damping",
                               "N*s/m for a sliding joint, N*m*s/rad for a turning one",
                               {0, 1, -1, 0},
                               GMC_DIM_DAMPING,
                               GMC_DIM_ANGULAR_DAMPING},
    [GMC_DIM_JOINT_INERTIA] = {"kg or kg*m2",
                               "a joint inertia",
                               "kg for a sliding joint, kg*m2 for a turning one",
                               {0, 1, 0, 0},
                               GMC_DIM_MASS,
                               GMC_DIM_INERTIA},
};

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

static const char *skip_spaces(const char *p)
{
    while (*p == ' ' || *p == '\t')
        p++;
    return p;
}

// End of the decimal number at `p`, or NULL if there is none: [+-] digits [. digits] [e [+-]
// digits].
static const char *number_end(const char *p)
{
    int digits = 0;
    if (*p == '+' || *p == '-') p++;
    for (; is_digit(*p); p++)
        digits++;
    if (*p == '.') {
        p++;
        for (; is_digit(*p); p++)
            digits++;
    }
    if (digits == 0) return NULL;
    if (*p == 'e' || *p == 'E') {
        const char *exponent = p + 1;
        if (*exponent == '+' || *exponent == '-') exponent++;
        if (is_digit(*exponent)) {
            while (is_digit(*exponent))
                exponent++;
            p = exponent;
        }
    }
    return p;
}

static bool is_word(const char *p, const char *word)
{
    for (; *word; p++, word++)
        if ((*p | 0x20) != *word) return false;
    return !is_letter(*p);
}

// A power after an atom: "2", "^2", "^-1", "²", "³"; 1 if there is none.
static int read_power(const char **p)
{
    if (strncmp(*p, "²", 2) == 0) return *p += 2, 2;
    if (strncmp(*p, "³", 2) == 0) return *p += 2, 3;
    const char *q = *p;
    int sign = 1;
    if (*q == '^') {
        q++;
        if (*q == '-') {
            sign = -1;
            q++;
        }
    }
    if (*q < '1' || *q > '9' || is_digit(q[1])) return 1;
    *p = q + 1;
    return sign * (*q - '0');
}

// Longest atom at `p`; letters must not continue after it.
static const atom *read_atom(const char **p)
{
    const atom *best = NULL;
    size_t best_length = 0;
    for (int i = 0; i < GMC_COUNT(ATOMS); i++) {
        size_t length = strlen(ATOMS[i].name);
        if (length <= best_length || strncmp(*p, ATOMS[i].name, length) != 0) continue;
        if (is_letter(ATOMS[i].name[length - 1]) && is_letter((*p)[length])) continue;
        best = &ATOMS[i];
        best_length = length;
    }
    *p += best_length;
    return best;
}

typedef struct unit {
    int ten;
    double numerator, denominator;
    gmc_exponents exponents;
} unit;

static void multiply_unit(unit *u, const atom *a, int power)
{
    for (int i = 0; i < (power < 0 ? -power : power); i++) {
        u->numerator *= power > 0 ? a->numerator : a->denominator;
        u->denominator *= power > 0 ? a->denominator : a->numerator;
    }
    u->ten += power * a->ten;
    u->exponents.m += power * a->exponents.m;
    u->exponents.kg += power * a->exponents.kg;
    u->exponents.s += power * a->exponents.s;
    u->exponents.rad += power * a->exponents.rad;
}

// Does a formula go on at `p`: a function "cos(", or a number of somebody's own "chute.width"? Then
// the sign before it is no part of a unit.
static bool starts_operand(const char *p)
{
    const char *q = p;
    while (is_letter(*q) || is_digit(*q) || *q == '_')
        q++;
    if (q == p) return false;
    if (*skip_spaces(q) == '(') return true;
    return *q == '.' && is_letter(q[1]) && !read_atom(&p);
}

// Length of the sign that joins two atoms ("*", ".", "·", "/"), if an atom's first letter follows.
static size_t joint_length(const char *p)
{
    size_t length = 0;
    if (*p == '*' || *p == '.' || *p == '/')
        length = 1;
    else if (strncmp(p, "·", 2) == 0)
        length = 2;
    if (length == 0) return 0;
    if ((*p == '*' || *p == '/') && starts_operand(p + length)) return 0;
    return is_letter(p[length]) || (unsigned char)p[length] >= 0x80 ? length : 0;
}

static bool read_unit(const char **p, unit *u)
{
    *u = (unit){0, 1, 1, {0, 0, 0, 0}};
    int sign = 1;
    for (;;) {
        const char *start = *p;
        const atom *a = read_atom(p);
        if (!a) {
            *p = start;
            return false;
        }
        multiply_unit(u, a, sign * read_power(p));
        size_t joint = joint_length(*p);
        if (joint == 0) return true;
        sign = **p == '/' ? -1 : 1;
        *p += joint;
    }
}

// The number at [p, stop) times 10^ten, rounded once.
static gmc_status read_decimal(const char *p, const char *stop, int ten, double *value)
{
    if (ten == 0) return gmc_number_parse(p, (size_t)(stop - p), value);
    const char *e = p;
    while (e < stop && *e != 'e' && *e != 'E')
        e++;
    long exponent = ten;
    // beyond five digits every number is 0 or too large, whatever is added to it
    if (e < stop && stop - e > 7) return gmc_number_parse(p, (size_t)(stop - p), value);
    if (e < stop) exponent += strtol(e + 1, NULL, 10);
    char text[560];
    int length = snprintf(text, sizeof text, "%.*se%ld", (int)(e - p), p, exponent);
    if (length < 0 || (size_t)length >= sizeof text) return GMC_E_LIMIT;
    return gmc_number_parse(text, (size_t)length, value);
}

// Does a unit stand at `p`? Words of the expression language (in, and, or, step, ...) do not count:
// the caller's text "5 mm in [0, 1]" ends at "in", while "5 in" is five inches.
static bool starts_unit(const char *p)
{
    if (*p == '%' || (unsigned char)*p >= 0x80) return true;
    if (!is_letter(*p)) return false;
    static const char *const WORDS[] = {"and", "or", "not", "step", "weights", "column", "unit"};
    for (int i = 0; i < GMC_COUNT(WORDS); i++)
        if (is_word(p, WORDS[i])) return false;
    if (is_word(p, "in") && *skip_spaces(p + 2) == '[') return false;
    return true;
}

gmc_units_result gmc_units_read(const char *text, gmc_quantity *quantity, const char **end)
{
    *quantity = (gmc_quantity){0};
    const char *p = skip_spaces(text);
    *end = p;
    const char *stop = number_end(p);
    if (!stop) {
        if (*p == '+' || *p == '-' || *p == '.') p++;
        return is_word(p, "inf") || is_word(p, "infinity") || is_word(p, "nan")
                   ? GMC_UNITS_TOO_LARGE
                   : GMC_UNITS_NO_NUMBER;
    }
    gmc_quantity found = {0};
    unit u = {0, 1, 1, {0, 0, 0, 0}};
    *end = stop;
    const char *word = skip_spaces(stop);
    if (starts_unit(word)) {
        *end = word;
        if (!read_unit(end, &u)) return GMC_UNITS_UNKNOWN_UNIT;
        found.has_unit = true;
        found.exponents = u.exponents;
    }
    if (read_decimal(p, stop, u.ten, &found.value) != GMC_OK) {
        *end = p;
        return GMC_UNITS_TOO_LARGE;
    }
    found.value = found.value * u.numerator / u.denominator;
    if (!isfinite(found.value)) return GMC_UNITS_TOO_LARGE;
    *quantity = found;
    return GMC_UNITS_OK;
}

const char *gmc_units_name(gmc_dimension dimension) { return DIMENSIONS[dimension].name; }

const char *gmc_units_noun(gmc_dimension dimension) { return DIMENSIONS[dimension].noun; }

const char *gmc_units_choices(gmc_dimension dimension) { return DIMENSIONS[dimension].choices; }

double gmc_units_extent(gmc_dimension dimension)
{
    bool is_bounded = dimension == GMC_DIM_LENGTH || dimension == GMC_DIM_ANGLE ||
                      dimension == GMC_DIM_JOINT_POSITION;
    return is_bounded ? 1e6 : HUGE_VAL;
}

gmc_exponents gmc_units_exponents(gmc_dimension dimension)
{
    return DIMENSIONS[dimension].exponents;
}

bool gmc_units_dimension(gmc_exponents exponents, gmc_dimension *dimension)
{
    for (int d = 0; d < GMC_DIM_COUNT; d++) {
        bool is_open = DIMENSIONS[d].linear != DIMENSIONS[d].angular;
        if (is_open || !gmc_units_equal(exponents, DIMENSIONS[d].exponents)) continue;
        *dimension = (gmc_dimension)d;
        return true;
    }
    return false;
}

gmc_exponents gmc_units_of(const char *name)
{
    char text[32];
    gmc_quantity quantity;
    const char *end = NULL;
    if (strcmp(name, "1") == 0) return (gmc_exponents){0, 0, 0, 0};
    snprintf(text, sizeof text, "1 %.20s", name);
    (void)(gmc_units_read(text, &quantity, &end) == GMC_UNITS_OK);
    return quantity.exponents;
}

bool gmc_units_equal(gmc_exponents a, gmc_exponents b)
{
    return a.m == b.m && a.kg == b.kg && a.s == b.s && a.rad == b.rad;
}

bool gmc_units_fits(gmc_dimension dimension, gmc_exponents exponents, gmc_dimension *exact)
{
    const dimension_row *row = &DIMENSIONS[dimension];
    if (exact) *exact = dimension;
    if (row->linear == row->angular) return gmc_units_equal(exponents, row->exponents);
    if (gmc_units_equal(exponents, DIMENSIONS[row->linear].exponents)) {
        if (exact) *exact = row->linear;
        return true;
    }
    if (gmc_units_equal(exponents, DIMENSIONS[row->angular].exponents)) {
        if (exact) *exact = row->angular;
        return true;
    }
    return false;
}

static void append_power(char *text, const char *name, int power)
{
    if (power <= 0) return;
    size_t used = strlen(text);
    bool is_joined = used > 0 && text[used - 1] != '/';
    snprintf(text + used, GMC_UNITS_TEXT - used, power > 1 ? "%s%s%d" : "%s%s",
             is_joined ? "*" : "", name, power);
}

void gmc_units_spell(gmc_exponents e, char *text)
{
    for (int d = 0; d < GMC_DIM_COUNT; d++)
        if (DIMENSIONS[d].linear == DIMENSIONS[d].angular &&
            gmc_units_equal(e, DIMENSIONS[d].exponents)) {
            snprintf(text, GMC_UNITS_TEXT, "%s", DIMENSIONS[d].name);
            return;
        }
    const char *const names[4] = {"kg", "m", "rad", "s"};
    const int powers[4] = {e.kg, e.m, e.rad, e.s};
    text[0] = 0;
    for (int i = 0; i < 4; i++)
        append_power(text, names[i], powers[i]);
    if (text[0] == 0) snprintf(text, GMC_UNITS_TEXT, "1");
    for (int i = 0; i < 4; i++) {
        if (powers[i] >= 0) continue;
        size_t used = strlen(text);
        snprintf(text + used, GMC_UNITS_TEXT - used, "/");
        append_power(text, names[i], -powers[i]);
    }
}

void gmc_units_print(double value, char *text)
{
    if (!isfinite(value)) {
        snprintf(text, GMC_UNITS_TEXT, "%s", isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
        return;
    }
    // 17 digits always suffice; fewer are nicer
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, GMC_UNITS_TEXT, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    const char *point = localeconv()->decimal_point;
    char *found = strstr(text, point);
    if (found && strcmp(point, ".") != 0) {
        size_t length = strlen(point);
        *found = '.';
        memmove(found + 1, found + length, strlen(found + length) + 1);
    }
}
