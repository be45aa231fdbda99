// Attributes as numbers, words that are not known, and messages.
#include "engine/base/number.h"
#include "engine/model/urdf_internal.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// A file that is wrong in more places than this is no URDF; the rest would only take time.
enum { GMC_URDF_ERRORS_MAX = 500 };

// Nothing of a hand is a kilometre away from its link.
#define GMC_URDF_FAR 1e3

void gmc_urdf_words_error(gmc_urdf_reader *reader, gmc_source source, const char *hint,
                          const char *format, ...)
{
    char message[512];
    va_list arguments;
    if (reader->report->error_count >= GMC_URDF_ERRORS_MAX) {
        reader->report->is_cut = true;
        return;
    }
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    gmc_diagnostics_add(reader->report, GMC_ERROR, GMC_E_INPUT, source, hint, "%s", message);
}

void gmc_urdf_words_warn(gmc_urdf_reader *reader, gmc_source source, const gmc_urdf_warning *about,
                         const char *subject, const char *format, ...)
{
    char message[512];
    va_list arguments;
    if (reader->report->error_count >= GMC_URDF_ERRORS_MAX) return;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    gmc_diagnostics_warn(reader->report, source, &about->kind, subject, about->hint, "%s", message);
}

static const gmc_urdf_warning not_read = {{"not read:", "words"}, NULL};

// ---- names -------------------------------------------------------------------------------------

static bool is_among(const char *name, const char *const *names)
{
    for (; names && *names; names++)
        if (strcmp(name, *names) == 0) return true;
    return false;
}

static int least(int a, int b) { return a < b ? a : b; }

// Letters to change, leave out or add (Levenshtein); names longer than the row count as far.
static int distance(const char *a, const char *b)
{
    enum { LONGEST = 48 };
    int row[LONGEST + 1], a_length = (int)strlen(a), b_length = (int)strlen(b);
    if (a_length > LONGEST || b_length > LONGEST) return LONGEST;
    for (int k = 0; k <= b_length; k++)
        row[k] = k;
    for (int i = 1; i <= a_length; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int k = 1; k <= b_length; k++) {
            int changed = diagonal + (a[i - 1] != b[k - 1]);
            diagonal = row[k];
            row[k] = least(changed, 1 + least(row[k], row[k - 1]));
        }
    }
    return row[b_length];
}

const char *gmc_urdf_words_nearest(const char *name, const char *const *names)
{
    const char *best = NULL;
    // half of a short word is no likeness
    int best_distance = least(3, (int)(strlen(name) + 1) / 2);
    for (; names && *names; names++) {
        int d = distance(name, *names);
        if (d >= best_distance) continue;
        best = *names;
        best_distance = d;
    }
    return best;
}

static bool is_new(gmc_urdf_reader *reader, const char *name)
{
    for (int i = 0; i < reader->unread_count; i++)
        if (strcmp(reader->unread[i], name) == 0) return false;
    if (reader->unread_count == GMC_COUNT(reader->unread)) return false;
    reader->unread[reader->unread_count++] = name;
    return true;
}

static void check_child(gmc_urdf_reader *reader, const gmc_xml_element *child,
                        const gmc_urdf_grammar *grammar)
{
    if (strncmp(child->name, "xacro:", 6) == 0) {
        if (is_new(reader, "xacro:"))
            gmc_urdf_words_error(reader, child->source, "expand it first: xacro FILE > robot.urdf",
                                 "<%s>: this is xacro, not URDF", child->name);
        return;
    }
    if (is_among(child->name, grammar->silent)) return;
    const char *near = gmc_urdf_words_nearest(child->name, grammar->children);
    char hint[80];
    if (near) {
        snprintf(hint, sizeof hint, "did you mean <%s>?", near);
        gmc_urdf_words_error(reader, child->source, hint, "<%.64s> is not known in <%s>",
                             child->name, child->parent->name);
    } else if (is_new(reader, child->name)) {
        gmc_urdf_words_warn(reader, child->source, &not_read, child->name, "<%.64s> is not read",
                            child->name);
    }
}

static void check_attributes(gmc_urdf_reader *reader, const gmc_xml_element *element,
                             const gmc_urdf_grammar *grammar)
{
    char hint[80];
    for (int i = 0; i < element->attribute_count; i++) {
        const gmc_xml_attribute *a = element->attributes + i;
        if (is_among(a->name, grammar->attributes) || strchr(a->name, ':') ||
            strcmp(a->name, "xmlns") == 0)
            continue;
        const char *near = gmc_urdf_words_nearest(a->name, grammar->attributes);
        if (near) {
            snprintf(hint, sizeof hint, "did you mean `%s`?", near);
            gmc_urdf_words_error(reader, a->source, hint, "attribute `%.64s` is not known in <%s>",
                                 a->name, element->name);
        } else if (is_new(reader, a->name)) {
            gmc_urdf_words_warn(reader, a->source, &not_read, a->name,
                                "attribute `%.64s` of <%s> is not read", a->name, element->name);
        }
    }
}

void gmc_urdf_words_check(gmc_urdf_reader *reader, const gmc_xml_element *element,
                          const gmc_urdf_grammar *grammar)
{
    check_attributes(reader, element, grammar);
    for (const gmc_xml_element *child = element->first_child; child; child = child->next) {
        if (!is_among(child->name, grammar->children)) {
            check_child(reader, child, grammar);
            continue;
        }
        const gmc_xml_element *first = gmc_xml_child(element, child->name);
        if (first != child && !is_among(child->name, grammar->several))
            gmc_urdf_words_error(reader, child->source, NULL,
                                 "a second <%s> in this <%s>; the first stands in line %d",
                                 child->name, element->name, first->source.line);
    }
}

// ---- values ------------------------------------------------------------------------------------

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

bool gmc_urdf_words_numbers(gmc_urdf_reader *reader, const gmc_xml_element *element,
                            const char *attribute, int count, double *values)
{
    const gmc_xml_attribute *a = gmc_xml_find(element, attribute);
    if (!a) return false;
    double read[6] = {0};
    int found = 0;
    for (const char *c = a->value; *c;) {
        while (is_space(*c))
            c++;
        if (!*c) break;
        const char *word = c;
        while (*c && !is_space(*c))
            c++;
        double number = 0;
        gmc_status status = gmc_number_parse(word, (size_t)(c - word), &number);
        if (status != GMC_OK) {
            gmc_source place = a->source;
            // where it stands, if the value was written without entities and line ends
            if ((int)strlen(a->value) == place.length) place.column += (int)(word - a->value);
            place.length = (int)(c - word);
            gmc_urdf_words_error(reader, place, NULL, "`%s` of <%s>: expected %s, found `%.*s`",
                                 attribute, element->name,
                                 status == GMC_E_LIMIT ? "a number that a double can hold"
                                                       : "a finite number",
                                 (int)(c - word > 32 ? 32 : c - word), word);
            return false;
        }
        if (found < count) read[found] = number;
        found++;
    }
    if (found != count) {
        gmc_urdf_words_error(reader, a->source, NULL,
                             "`%s` of <%s>: expected %d number%s, found %d", attribute,
                             element->name, count, count == 1 ? "" : "s", found);
        return false;
    }
    memcpy(values, read, (size_t)count * sizeof *values);
    return true;
}

bool gmc_urdf_words_required(gmc_urdf_reader *reader, const gmc_xml_element *element,
                             const char *attribute, double least_allowed, double most,
                             double *value)
{
    const gmc_xml_attribute *a = gmc_xml_find(element, attribute);
    if (!a) {
        gmc_urdf_words_error(reader, element->source, NULL, "<%s> needs `%s`", element->name,
                             attribute);
        return false;
    }
    double read;
    if (!gmc_urdf_words_numbers(reader, element, attribute, 1, &read)) return false;
    if (!(read >= least_allowed && read <= most)) {
        gmc_urdf_words_error(reader, a->source, NULL,
                             "`%s` of <%s> must lie between %g and %g, found %g", attribute,
                             element->name, least_allowed, most, read);
        return false;
    }
    *value = read;
    return true;
}

static bool is_far(const double v[3])
{
    return !(fabs(v[0]) <= GMC_URDF_FAR && fabs(v[1]) <= GMC_URDF_FAR &&
             fabs(v[2]) <= GMC_URDF_FAR);
}

gmc_pose gmc_urdf_words_origin(gmc_urdf_reader *reader, const gmc_xml_element *element)
{
    static const char *const none[] = {NULL}, *const attributes[] = {"xyz", "rpy", NULL};
    static const gmc_urdf_grammar grammar = {none, none, none, attributes};
    const gmc_xml_element *origin = gmc_xml_child(element, "origin");
    double xyz[3] = {0, 0, 0}, rpy[3] = {0, 0, 0};
    if (!origin) return gmc_pose_identity();
    gmc_urdf_words_check(reader, origin, &grammar);
    if (gmc_urdf_words_numbers(reader, origin, "xyz", 3, xyz) && is_far(xyz)) {
        gmc_urdf_words_error(reader, gmc_xml_find(origin, "xyz")->source, "lengths are in metres",
                             "an origin more than %g m away", GMC_URDF_FAR);
        memset(xyz, 0, sizeof xyz);
    }
    if (gmc_urdf_words_numbers(reader, origin, "rpy", 3, rpy) && is_far(rpy)) {
        gmc_urdf_words_error(reader, gmc_xml_find(origin, "rpy")->source, "angles are in radians",
                             "an angle of more than %g rad", GMC_URDF_FAR);
        memset(rpy, 0, sizeof rpy);
    }
    gmc_quat q = gmc_quat_normalise(gmc_quat_from_rpy(rpy[0], rpy[1], rpy[2]));
    return gmc_pose_make(q, gmc_vec3_make(xyz[0], xyz[1], xyz[2]));
}

const char *gmc_urdf_words_text(gmc_urdf_reader *reader, const gmc_xml_element *element,
                                const char *attribute)
{
    const gmc_xml_attribute *a = gmc_xml_find(element, attribute);
    if (a && a->value[0]) return a->value;
    if (a)
        gmc_urdf_words_error(reader, a->source, NULL, "`%s` of <%s> is empty", attribute,
                             element->name);
    else
        gmc_urdf_words_error(reader, element->source, NULL, "<%s> needs `%s`", element->name,
                             attribute);
    return NULL;
}
