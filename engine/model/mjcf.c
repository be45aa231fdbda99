// The file is read by sections, each of which knows its own words. An attribute is looked up in its
// element and then up the classes of defaults (find), so that no copy with the defaults filled in is
// ever made, and a mistake in a default is told where it is written. Included files are spliced into
// the tree in place of their <include>.
//
// Rejected: turning the file into a URDF first. Its places would be lost, and several joints in a
// body, their reference positions and masses of geoms have no words there.
#include "engine/model/mjcf.h"

#include "engine/base/list.h"
#include "engine/math/elementary.h"
#include "engine/model/inertia.h"
#include "engine/model/urdf_internal.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/// A class of defaults.
typedef struct mjcf_class {
    const char *name;
    int parent; ///< -1: the outermost
} mjcf_class;

/// Where a class is written: it may be in several places.
typedef struct mjcf_block {
    int class;
    const gmc_xml_element *element;
} mjcf_block;

/// <compiler>.
typedef struct mjcf_compiler {
    bool is_radian, is_autolimited, strips_path;
    char eulerseq[4];
    const char *mesh_folder;             ///< NULL: that of the file
    enum { AUTO, ALWAYS, NEVER } weighs; ///< inertiafromgeom
    double groups[2];                    ///< of geoms that weigh, first and last
} mjcf_compiler;

/// An element and the class that its attributes come from where it has none.
typedef struct mjcf_view {
    const gmc_xml_element *element;
    int class;
} mjcf_view;

/// Where something hangs.
typedef struct mjcf_place {
    int link;
    int class;
    gmc_pose X; ///< frame of what is read, in the link's frame
} mjcf_place;

typedef struct mjcf_site {
    const gmc_xml_element *element;
    mjcf_place at;
} mjcf_site;

typedef struct mjcf_reader {
    gmc_urdf_reader r;
    const gmc_xml_element *root;
    mjcf_class *classes;
    int class_count, class_capacity;
    mjcf_block *blocks;
    int block_count, block_capacity;
    mjcf_compiler compiler;
    int link_capacity, joint_capacity, inertial_capacity, tendon_capacity, exclude_capacity;
    bool *is_driven;  ///< (joint_count) by an actuator with a stiffness, or a motor
    bool *is_damped;  ///< (joint_count) by a velocity actuator
    mjcf_site *sites; ///< (site_count) links of their own once all bodies have their names
    int site_count, site_capacity;
    const char **included;
    int include_count;
} mjcf_reader;

enum { GMC_MJCF_ERRORS_MAX = 500 };
static const double FAR = 1e3, SIZE_MAX_M = 100, DENSITY = 1000, TINY = 1e-10;

// ---- messages ----------------------------------------------------------------------------------

#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
static void
mistake(mjcf_reader *m, gmc_source source, const char *hint, const char *format, ...)
{
    char message[512];
    va_list arguments;
    if (m->r.report->error_count >= GMC_MJCF_ERRORS_MAX) {
        m->r.report->is_cut = true;
        return;
    }
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    gmc_diagnostics_add(m->r.report, GMC_E_INPUT, source, hint, "%s", message);
}

/// A kind of warning, with how to mend it; NULL: nothing to say.
typedef struct mjcf_warning {
    gmc_diagnostic_kind kind;
    const char *hint;
} mjcf_warning;

static const mjcf_warning not_read = {{"not read:", "words"}, NULL};

static void warn(mjcf_reader *m, gmc_source source, const mjcf_warning *about, const char *subject,
                 const char *message)
{
    if (m->r.report->error_count >= GMC_MJCF_ERRORS_MAX) return;
    gmc_diagnostics_warn(m->r.report, source, (gmc_diagnostic_subject){&about->kind, subject},
                         about->hint, "%s", message);
}

static void warn_unread(mjcf_reader *m, gmc_source source, const char *word)
{
    char message[160];
    for (int i = 0; i < m->r.unread_count; i++)
        if (strcmp(m->r.unread[i], word) == 0) return;
    if (m->r.unread_count == GMC_COUNT(m->r.unread)) return;
    m->r.unread[m->r.unread_count++] = word;
    snprintf(message, sizeof message, "`%.64s` is not read", word);
    warn(m, source, &not_read, word, message);
}

// ---- words -------------------------------------------------------------------------------------

/// The words of an element; lists end with NULL.
typedef struct mjcf_words {
    const char *element;
    const char *const *read;  ///< attributes that are read
    const char *const *quiet; ///< that change nothing that is felt
    const char *const *loud;  ///< that the one warning names
} mjcf_words;

#define WORDS(...)                                                                                 \
    (const char *const[]) { __VA_ARGS__, NULL }
#define ORIENTATION "quat", "axisangle", "euler", "xyaxes", "zaxis"
#define ACTUATOR                                                                                   \
    "name", "class", "joint", "jointinparent", "tendon", "gear", "ctrlrange", "ctrllimited",       \
        "forcerange", "forcelimited", "group", "user"
#define ELSEWHERE                                                                                  \
    "site", "refsite", "body", "cranksite", "slidersite", "actdim", "actrange", "actlimited",      \
        "actearly", "lengthrange", "cranklength", "inheritrange", "delay", "nsample"

static const mjcf_words WORDS_OF[] = {
    {"mujoco", WORDS("model"), NULL, NULL},
    {"mujocoinclude", WORDS("model"), NULL, NULL},
    {"include", WORDS("file"), NULL, NULL},
    {"compiler",
     WORDS("angle", "autolimits", "eulerseq", "meshdir", "assetdir", "strippath", "inertiafromgeom",
           "inertiagrouprange", "coordinate", "settotalmass", "boundmass", "boundinertia",
           "balanceinertia"),
     WORDS("texturedir", "fusestatic", "discardvisual", "convexhull", "usethread", "fitaabb",
           "exactmeshinertia", "saveinertial"),
     WORDS("alignfree")},
    {"body", WORDS("name", "childclass", "pos", "mocap", "gravcomp", ORIENTATION), WORDS("user"),
     WORDS("sleep")},
    {"frame", WORDS("name", "childclass", "pos", ORIENTATION), NULL, NULL},
    {"inertial", WORDS("pos", "mass", "diaginertia", "fullinertia", ORIENTATION), NULL, NULL},
    {"joint",
     WORDS("name", "class", "type", "pos", "axis", "range", "limited", "ref", "stiffness",
           "springdamper", "armature", "damping", "frictionloss", "actuatorfrcrange",
           "actuatorfrclimited", "actuatorgravcomp"),
     WORDS("group", "user", "springref"),
     WORDS("solreflimit", "solimplimit", "solreffriction", "solimpfriction", "margin")},
    {"freejoint", WORDS("name"), WORDS("group", "align"), NULL},
    {"geom",
     WORDS("name", "class", "type", "size", "fromto", "pos", "mesh", "contype", "conaffinity",
           "group", "mass", "density", "shellinertia", "fluidshape", ORIENTATION),
     WORDS("material", "rgba", "user", "hfield", "fitscale", "fluidcoef"),
     WORDS("condim", "friction", "solref", "solimp", "solmix", "margin", "gap", "priority")},
    {"site", WORDS("name", "class", "pos", "fromto", ORIENTATION),
     WORDS("type", "group", "material", "size", "rgba", "user"), NULL},
    {"mesh", WORDS("name", "class", "file", "scale", "refpos", "refquat", "vertex", "builtin"),
     WORDS("smoothnormal", "normal", "texcoord", "face", "content_type", "material", "maxhullvert",
           "inertia"),
     NULL},
    {"exclude", WORDS("body1", "body2"), WORDS("name"), NULL},
    {"fixed",
     WORDS("name", "class", "stiffness", "damping", "frictionloss", "armature", "limited", "range",
           "actuatorfrcrange", "actuatorfrclimited"),
     WORDS("group", "user", "springlength"),
     WORDS("solreflimit", "solimplimit", "solreffriction", "solimpfriction", "margin")},
    {"position", WORDS(ACTUATOR, "kp", "kv", "dampratio", "timeconst"), NULL, WORDS(ELSEWHERE)},
    {"velocity", WORDS(ACTUATOR, "kv"), NULL, WORDS(ELSEWHERE)},
    {"motor", WORDS(ACTUATOR), NULL, WORDS(ELSEWHERE)},
    {"general", WORDS(ACTUATOR, "dyntype", "gaintype", "biastype", "gainprm", "biasprm"),
     WORDS("dynprm"), WORDS(ELSEWHERE)},
};

static const mjcf_words *words_of(const char *element)
{
    for (int i = 0; i < GMC_COUNT(WORDS_OF); i++)
        if (strcmp(WORDS_OF[i].element, element) == 0) return &WORDS_OF[i];
    return NULL;
}

static bool is_among(const char *word, const char *const *words)
{
    for (; words && *words; words++)
        if (strcmp(word, *words) == 0) return true;
    return false;
}

static void check_words(mjcf_reader *m, const gmc_xml_element *element)
{
    const mjcf_words *words = words_of(element->name);
    char hint[96];
    for (int i = 0; words && i < element->attribute_count; i++) {
        const gmc_xml_attribute *a = &element->attributes[i];
        if (is_among(a->name, words->read) || is_among(a->name, words->quiet)) continue;
        const char *near =
            is_among(a->name, words->loud) ? NULL : gmc_urdf_nearest_word(a->name, words->read);
        if (!near) {
            warn_unread(m, a->source, a->name);
            continue;
        }
        snprintf(hint, sizeof hint, "did you mean `%.32s`?", near);
        mistake(m, a->source, hint, "attribute `%.64s` is not known in <%s>", a->name,
                element->name);
    }
}

/// A child that is none of those read: what is close to one is a mistake.
static void check_child(mjcf_reader *m, const gmc_xml_element *child, const char *const *known)
{
    const char *near = gmc_urdf_nearest_word(child->name, known);
    char hint[96];
    if (!near) {
        warn_unread(m, child->source, child->name);
        return;
    }
    snprintf(hint, sizeof hint, "did you mean <%.32s>?", near);
    mistake(m, child->source, hint, "<%.64s> is not known in <%.64s>", child->name,
            child->parent->name);
}

// ---- classes of defaults -----------------------------------------------------------------------

static int find_class(const mjcf_reader *m, const char *name)
{
    for (int i = 0; i < m->class_count; i++)
        if (strcmp(m->classes[i].name, name) == 0) return i;
    return -1;
}

/// The attribute in the places of one class.
static const gmc_xml_attribute *find_in_class(const mjcf_reader *m, const char *element, int class,
                                              const char *name)
{
    for (int i = m->block_count - 1; i >= 0; i--) {
        if (m->blocks[i].class != class) continue;
        const gmc_xml_attribute *found = NULL;
        for (const gmc_xml_element *e = gmc_xml_child(m->blocks[i].element, element); e;
             e = gmc_xml_next(e)) {
            const gmc_xml_attribute *a = gmc_xml_find(e, name);
            if (a) found = a;
        }
        if (found) return found;
    }
    return NULL;
}

/// Level 0 is the element itself, level 1 its class, and so on; -2 behind the last.
static int class_at(const mjcf_reader *m, const mjcf_view *view, int level)
{
    int class = view->class;
    for (int i = 1; i < level && class >= 0; i++)
        class = m->classes[class].parent;
    return level == 0 ? -1 : class >= 0 ? class : -2;
}

static const gmc_xml_attribute *find_at(const mjcf_reader *m, const mjcf_view *view, int level,
                                        const char *name)
{
    int class = class_at(m, view, level);
    return level == 0 ? gmc_xml_find(view->element, name)
                      : find_in_class(m, view->element->name, class, name);
}

/// The attribute of the element, or else of the nearest class that gives it; NULL: none.
static const gmc_xml_attribute *find(const mjcf_reader *m, const mjcf_view *view, const char *name)
{
    for (int level = 0; class_at(m, view, level) != -2; level++) {
        const gmc_xml_attribute *a = find_at(m, view, level, name);
        if (a) return a;
    }
    return NULL;
}

static mjcf_view view_of(mjcf_reader *m, const gmc_xml_element *element, int inherited)
{
    const gmc_xml_attribute *a = gmc_xml_find(element, "class");
    mjcf_view view = {element, inherited};
    check_words(m, element);
    if (!a) return view;
    view.class = find_class(m, a->value);
    if (view.class >= 0) return view;
    mistake(m, a->source, "classes are written in <default class=\"...\">",
            "there is no class `%.64s`", a->value);
    view.class = inherited;
    return view;
}

static void read_default(mjcf_reader *m, const gmc_xml_element *element, int parent);

static void read_default_child(mjcf_reader *m, const gmc_xml_element *child, int class)
{
    // what these give is of no use here
    static const char *const quiet[] = {"material", "camera", "light", "texture", "skin", NULL};
    static const char *const known[] = {"default",  "mesh",   "joint",    "geom",  "site",
                                        "equality", "tendon", "position", "motor", "velocity",
                                        "general",  "pair",   NULL};
    if (gmc_xml_is(child, "default"))
        read_default(m, child, class);
    else if (words_of(child->name))
        check_words(m, child);
    else if (!is_among(child->name, quiet) && !is_among(child->name, known))
        check_child(m, child, known);
}

static void read_default(mjcf_reader *m, const gmc_xml_element *element, int parent)
{
    const gmc_xml_attribute *a = gmc_xml_find(element, "class");
    const char *name = a ? a->value : "main";
    int class = find_class(m, name);
    if (!a && parent >= 0) {
        mistake(m, element->source, NULL, "a nested <default> needs `class`");
        return;
    }
    if (class >= 0 && parent >= 0) {
        mistake(m, a->source, NULL, "a second class `%.64s`", name);
        return;
    }
    if (class < 0) {
        mjcf_class *classes =
            gmc_list_room(m->classes, m->class_count, &m->class_capacity, sizeof *classes);
        if (!classes) {
            m->r.is_out_of_memory = true;
            return;
        }
        m->classes = classes;
        class = m->class_count++;
        m->classes[class] = (mjcf_class){name, parent};
    }
    mjcf_block *blocks =
        gmc_list_room(m->blocks, m->block_count, &m->block_capacity, sizeof *blocks);
    if (!blocks) {
        m->r.is_out_of_memory = true;
        return;
    }
    m->blocks = blocks;
    m->blocks[m->block_count++] = (mjcf_block){class, element};
    for (const gmc_xml_element *c = element->first_child; c; c = c->next)
        read_default_child(m, c, class);
}

// ---- values ------------------------------------------------------------------------------------

/// Numbers of an attribute.
/// @return how many; -1 if it is not there, or broken (reported)
static int read_numbers(mjcf_reader *m, const gmc_xml_attribute *a, int most, double *values)
{
    double read[16] = {0};
    gmc_xml_word broken;
    if (!a) return -1;
    int found = gmc_xml_numbers(a, most, read, &broken);
    if (found < 0) {
        mistake(m, broken.source, NULL, "`%s`: expected a finite number, found `%.*s`", a->name,
                broken.length, broken.text);
        return -1;
    }
    if (found == 0 || found > most) {
        mistake(m, a->source, NULL, "`%s`: expected %s%d number%s, found %d", a->name,
                most > 1 ? "at most " : "", most, most == 1 ? "" : "s", found);
        return -1;
    }
    memcpy(values, read, (size_t)found * sizeof *values);
    return found;
}

/// Exactly `count` numbers, none larger than `largest`; false if they are not there or broken.
static bool read_vector(mjcf_reader *m, const gmc_xml_attribute *a, int count, double largest,
                        double *values)
{
    double read[16] = {0};
    int found = a ? read_numbers(m, a, count, read) : -1;
    if (found < 0) return false;
    if (found != count) {
        mistake(m, a->source, NULL, "`%s`: expected %d numbers, found %d", a->name, count, found);
        return false;
    }
    for (int i = 0; i < count; i++)
        if (!(fabs(read[i]) <= largest)) {
            mistake(m, a->source, largest == FAR ? "lengths are in metres" : NULL,
                    "`%s` must lie between %g and %g, found %g", a->name, -largest, largest,
                    read[i]);
            return false;
        }
    memcpy(values, read, (size_t)count * sizeof *values);
    return true;
}

/// A number >= 0, else what it was.
static void read_size(mjcf_reader *m, const gmc_xml_attribute *a, double *value)
{
    double read;
    if (!a || !read_vector(m, a, 1, 1e300, &read)) return;
    if (read >= 0)
        *value = read;
    else
        mistake(m, a->source, NULL, "`%s` must be >= 0, found %g", a->name, read);
}

static bool is_true(mjcf_reader *m, const gmc_xml_attribute *a, bool fallback)
{
    if (!a) return fallback;
    if (strcmp(a->value, "true") == 0) return true;
    if (strcmp(a->value, "false") != 0)
        mistake(m, a->source, NULL, "`%s`: expected true or false, found `%.32s`", a->name,
                a->value);
    return false;
}

/// Refuse an attribute unless all its numbers are 0.
static void refuse_unless_zero(mjcf_reader *m, const gmc_xml_attribute *a, const char *hint)
{
    double values[16] = {0};
    int count = a ? read_numbers(m, a, 16, values) : 0;
    for (int i = 0; i < count; i++)
        if (values[i] != 0) {
            mistake(m, a->source, hint, "`%s` is not supported but as 0", a->name);
            return;
        }
}

static void refuse_if_true(mjcf_reader *m, const gmc_xml_attribute *a, const char *hint)
{
    if (is_true(m, a, false)) mistake(m, a->source, hint, "`%s` is not supported", a->name);
}

static double angle_of(const mjcf_reader *m, double value)
{
    return m->compiler.is_radian ? value : value * (GMC_PI / 180);
}

static const char *text_of(mjcf_reader *m, const mjcf_view *view, const char *name)
{
    const gmc_xml_attribute *a = find(m, view, name);
    if (a && a->value[0]) return a->value;
    mistake(m, a ? a->source : view->element->source, NULL,
            a ? "`%s` of <%s> is empty" : "missing: `%s` of <%s>", name, view->element->name);
    return NULL;
}

/// A name that is not the file's.
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static const char *
keep_text(mjcf_reader *m, const char *format, ...)
{
    struct gmc_urdf_keep *keep = m->r.urdf->keep;
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    size_t bytes = strlen(text) + 1;
    char **texts =
        gmc_list_room(keep->texts, keep->text_count, &keep->text_capacity, sizeof *texts);
    char *copy = texts ? malloc(bytes) : NULL;
    if (texts) keep->texts = texts;
    if (!copy) {
        m->r.is_out_of_memory = true;
        return "";
    }
    memcpy(copy, text, bytes);
    return keep->texts[keep->text_count++] = copy;
}

// ---- orientations ------------------------------------------------------------------------------

static gmc_quat turn(gmc_vec3 axis, double angle)
{
    return gmc_quat_normalise(gmc_quat_exp(gmc_vec3_scale(angle, axis)));
}

/// The smallest rotation that takes z to a direction.
static gmc_quat z_to(gmc_vec3 direction)
{
    gmc_vec3 d = gmc_vec3_unit(direction);
    gmc_vec3 axis = {-d.y, d.x, 0};
    double s = gmc_vec3_norm(axis);
    axis = s < TINY ? (gmc_vec3){1, 0, 0} : gmc_vec3_unit(axis);
    return turn(axis, gmc_atan2(s, d.z));
}

static gmc_quat of_euler(const mjcf_reader *m, const double *v)
{
    gmc_quat q = gmc_quat_identity();
    for (int i = 0; i < 3; i++) {
        char c = m->compiler.eulerseq[i];
        bool is_fixed = c >= 'X' && c <= 'Z'; // about axes that do not turn along
        int k = c - (is_fixed ? 'X' : 'x');
        gmc_quat t = turn((gmc_vec3){k == 0, k == 1, k == 2}, angle_of(m, v[i]));
        q = is_fixed ? gmc_quat_multiply(t, q) : gmc_quat_multiply(q, t);
    }
    return q;
}

static bool of_axes(const double *v, gmc_quat *q)
{
    gmc_vec3 x = {v[0], v[1], v[2]}, y = {v[3], v[4], v[5]};
    if (!(gmc_vec3_norm(x) > TINY)) return false;
    x = gmc_vec3_unit(x);
    y = gmc_vec3_add_scaled(y, -gmc_vec3_dot(x, y), x);
    if (!(gmc_vec3_norm(y) > TINY)) return false;
    y = gmc_vec3_unit(y);
    gmc_vec3 z = gmc_vec3_cross(x, y);
    gmc_mat3 R = {{x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z}};
    *q = gmc_quat_from_matrix(&R);
    return true;
}

static bool of_word(mjcf_reader *m, const gmc_xml_attribute *a, gmc_quat *q)
{
    double v[6];
    int count = strcmp(a->name, "xyaxes") == 0                                   ? 6
                : strcmp(a->name, "euler") == 0 || strcmp(a->name, "zaxis") == 0 ? 3
                                                                                 : 4;
    if (!read_vector(m, a, count, 1e6, v)) return true; // reported
    gmc_vec3 axis = {v[0], v[1], v[2]};
    double n = gmc_vec3_norm(axis);
    if (strcmp(a->name, "euler") == 0) {
        *q = of_euler(m, v);
        return true;
    }
    if (strcmp(a->name, "xyaxes") == 0) return of_axes(v, q);
    if (strcmp(a->name, "quat") == 0) {
        gmc_quat given = {v[0], v[1], v[2], v[3]};
        if (!(sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3]) > TINY)) return false;
        *q = gmc_quat_normalise(given);
        return true;
    }
    if (!(n > TINY)) return false;
    *q = strcmp(a->name, "zaxis") == 0 ? z_to(axis)
                                       : turn(gmc_vec3_scale(1 / n, axis), angle_of(m, v[3]));
    return true;
}

/// Rotation of an element, as the nearest level of defaults that has one gives it.
/// @return NULL: none
static const gmc_xml_attribute *find_orientation(mjcf_reader *m, const mjcf_view *view)
{
    static const char *const names[] = {ORIENTATION};
    for (int level = 0; class_at(m, view, level) != -2; level++) {
        const gmc_xml_attribute *found = NULL;
        for (int i = 0; i < GMC_COUNT(names); i++) {
            const gmc_xml_attribute *a = find_at(m, view, level, names[i]);
            if (a && found)
                mistake(m, a->source, NULL, "an orientation is given twice, as `%s` and as `%s`",
                        found->name, a->name);
            if (a) found = a;
        }
        if (found) return found;
    }
    return NULL;
}

static gmc_pose read_pose(mjcf_reader *m, const mjcf_view *view)
{
    double p[3] = {0, 0, 0};
    gmc_quat q = gmc_quat_identity();
    const gmc_xml_attribute *a = find_orientation(m, view);
    (void)read_vector(m, find(m, view, "pos"), 3, FAR, p);
    if (a && !of_word(m, a, &q)) mistake(m, a->source, NULL, "`%s` has no direction", a->name);
    return gmc_pose_make(q, (gmc_vec3){p[0], p[1], p[2]});
}

// ---- links and joints --------------------------------------------------------------------------

/// A link of that name; -1: no room (reported, or memory).
static int add_link(mjcf_reader *m, gmc_source source, const char *name, int joint)
{
    gmc_urdf *urdf = m->r.urdf;
    int twin = gmc_urdf_find_link(urdf, name);
    if (twin >= 0)
        mistake(m, source, NULL, "a second body `%.64s`; the first stands in line %d", name,
                urdf->links[twin].source.line);
    if (urdf->link_count >= GMC_URDF_PARTS_MAX) {
        mistake(m, source, NULL, "more than %d bodies, joints and sites", GMC_URDF_PARTS_MAX);
        return -1;
    }
    gmc_urdf_link *links =
        gmc_list_room(urdf->links, urdf->link_count, &m->link_capacity, sizeof *links);
    if (links) urdf->links = links;
    gmc_urdf_inertial *inertials =
        gmc_list_room(m->r.inertials, urdf->link_count, &m->inertial_capacity, sizeof *inertials);
    if (inertials) m->r.inertials = inertials;
    if (!links || !inertials) {
        m->r.is_out_of_memory = true;
        return -1;
    }
    int i = urdf->link_count++;
    links[i] = (gmc_urdf_link){.name = name, .source = source, .joint = joint};
    inertials[i] = (gmc_urdf_inertial){.source = source, .moments = source};
    return i;
}

static gmc_urdf_joint fixed_joint(gmc_source source, const char *name, gmc_pose X_pj)
{
    gmc_urdf_joint joint = gmc_urdf_joint_blank(source);
    joint.name = name;
    joint.kind = GMC_URDF_FIXED;
    joint.X_pj = X_pj;
    joint.axis = (gmc_vec3){0, 0, 1};
    return joint;
}

/// The joint and the link that hangs on it; -1: no room.
static int hang(mjcf_reader *m, int parent, const gmc_urdf_joint *joint, const char *name)
{
    gmc_urdf *urdf = m->r.urdf;
    gmc_urdf_joint *joints =
        gmc_list_room(urdf->joints, urdf->joint_count, &m->joint_capacity, sizeof *joints);
    if (!joints) {
        m->r.is_out_of_memory = true;
        return -1;
    }
    urdf->joints = joints;
    int twin = gmc_urdf_find_joint(urdf, joint->name);
    if (twin >= 0)
        mistake(m, joint->source, NULL, "a second joint `%.64s`; the first stands in line %d",
                joint->name, joints[twin].source.line);
    int link = add_link(m, joint->source, name, urdf->joint_count);
    if (link < 0) return -1;
    joints[urdf->joint_count] = *joint;
    joints[urdf->joint_count].parent = parent;
    joints[urdf->joint_count++].child = link;
    return link;
}

static int weld(mjcf_reader *m, int parent, gmc_pose X, gmc_source source, const char *name)
{
    gmc_urdf_joint joint = fixed_joint(source, keep_text(m, "%.400s:weld", name), X);
    return hang(m, parent, &joint, name);
}

/// The name of an element, or one made of `fallback`.
static const char *name_of(const gmc_xml_element *element, const char *fallback)
{
    const gmc_xml_attribute *a = gmc_xml_find(element, "name");
    return a && a->value[0] ? a->value : fallback;
}

/// <joint> as it is read.
typedef struct mjcf_joint {
    gmc_urdf_joint joint;
    gmc_vec3 anchor;
} mjcf_joint;

/// A range and the word that says whether it counts; NULL: not given.
typedef struct mjcf_range {
    const gmc_xml_attribute *range, *limited;
} mjcf_range;

static mjcf_range find_range(const mjcf_reader *m, const mjcf_view *view, const char *range,
                             const char *limited)
{
    return (mjcf_range){find(m, view, range), find(m, view, limited)};
}

static bool has_range(mjcf_reader *m, mjcf_range r)
{
    if (!r.limited || strcmp(r.limited->value, "auto") == 0)
        return m->compiler.is_autolimited && r.range;
    bool is_limited = is_true(m, r.limited, false);
    if (is_limited && !r.range)
        mistake(m, r.limited->source, NULL, "`%s` without its range", r.limited->name);
    return is_limited && r.range;
}

/// A range that is the same on both sides of 0; else refused.
static double read_effort(mjcf_reader *m, mjcf_range r)
{
    double v[2];
    if (!has_range(m, r) || !read_vector(m, r.range, 2, 1e300, v)) return INFINITY;
    if (v[0] == -v[1] && v[1] > 0) return v[1];
    if (v[0] == 0 && v[1] == 0) return INFINITY; // MuJoCo's word for none
    mistake(m, r.range->source, "write the same on both sides of 0: a drive has one largest force",
            "`%s` is %g ... %g", r.range->name, v[0], v[1]);
    return INFINITY;
}

static void read_limits(mjcf_reader *m, const mjcf_view *view, gmc_urdf_joint *joint)
{
    double v[2];
    mjcf_range r = find_range(m, view, "range", "limited");
    const gmc_xml_attribute *a = r.range;
    if (!has_range(m, r) || !read_vector(m, a, 2, 1e6, v)) return;
    if (joint->kind == GMC_URDF_BALL) {
        mistake(m, a->source, "write three hinges", "limits of ball joints are not supported");
        return;
    }
    bool is_slide = joint->kind == GMC_URDF_PRISMATIC;
    joint->has_limits = true;
    joint->kind = is_slide ? GMC_URDF_PRISMATIC : GMC_URDF_REVOLUTE;
    joint->lower = is_slide ? v[0] : angle_of(m, v[0]);
    joint->upper = is_slide ? v[1] : angle_of(m, v[1]);
    if (v[0] > v[1])
        mistake(m, a->source, NULL, "joint `%.64s`: lower %g is above upper %g", joint->name, v[0],
                v[1]);
}

static void read_joint_kind(mjcf_reader *m, const mjcf_view *view, gmc_urdf_joint *joint)
{
    const gmc_xml_attribute *a = find(m, view, "type");
    const char *type = a ? a->value : "hinge";
    joint->kind = strcmp(type, "slide") == 0  ? GMC_URDF_PRISMATIC
                  : strcmp(type, "ball") == 0 ? GMC_URDF_BALL
                                              : GMC_URDF_CONTINUOUS;
    if (strcmp(type, "free") == 0)
        mistake(m, a->source, "a <freejoint/> stands alone in its body",
                "joint `%.64s` is free beside others, or below the top", joint->name);
    else if (strcmp(type, "hinge") != 0 && joint->kind == GMC_URDF_CONTINUOUS)
        mistake(m, a->source, "known: hinge, slide, ball, free",
                "the joint type `%.64s` is not known", type);
}

static void refuse_of_joint(mjcf_reader *m, const mjcf_view *view, const gmc_urdf_joint *joint)
{
    refuse_unless_zero(m, find(m, view, "stiffness"),
                       "leave it out: springs of joints are not supported");
    refuse_unless_zero(m, find(m, view, "springdamper"),
                       "leave it out: springs of joints are not supported");
    refuse_if_true(m, find(m, view, "actuatorgravcomp"), "leave it out");
    if (joint->kind == GMC_URDF_BALL)
        refuse_unless_zero(m, find(m, view, "frictionloss"),
                           "ball joints have no dry friction here; write three hinges");
}

static mjcf_joint read_joint(mjcf_reader *m, const mjcf_view *view, const char *fallback)
{
    double axis[3] = {0, 0, 1}, anchor[3] = {0, 0, 0}, reference = 0;
    const gmc_xml_attribute *a = find(m, view, "axis");
    const char *name = name_of(view->element, fallback);
    mjcf_joint j = {.joint = fixed_joint(view->element->source, name, gmc_pose_identity())};
    gmc_urdf_joint *joint = &j.joint;
    if (gmc_xml_find(view->element, "name"))
        joint->source = gmc_xml_find(view->element, "name")->source;
    read_joint_kind(m, view, joint);
    if (read_vector(m, a, 3, 1e6, axis) && joint->kind != GMC_URDF_BALL &&
        !(gmc_vec3_norm((gmc_vec3){axis[0], axis[1], axis[2]}) > TINY)) {
        mistake(m, a->source, NULL, "the axis of joint `%.64s` has no direction", name);
        axis[2] = 1;
    }
    joint->axis = gmc_vec3_unit((gmc_vec3){axis[0], axis[1], axis[2]});
    (void)read_vector(m, find(m, view, "pos"), 3, FAR, anchor);
    j.anchor = (gmc_vec3){anchor[0], anchor[1], anchor[2]};
    (void)read_vector(m, find(m, view, "ref"), 1, 1e6, &reference);
    joint->reference = joint->kind == GMC_URDF_PRISMATIC ? reference : angle_of(m, reference);
    read_limits(m, view, joint);
    read_size(m, find(m, view, "damping"), &joint->damping);
    read_size(m, find(m, view, "armature"), &joint->armature);
    if (joint->kind != GMC_URDF_BALL) {
        read_size(m, find(m, view, "frictionloss"), &joint->friction);
        joint->effort =
            read_effort(m, find_range(m, view, "actuatorfrcrange", "actuatorfrclimited"));
    }
    refuse_of_joint(m, view, joint);
    return j;
}

/// At q = ref the body stands as it is written: the joint's frame is turned, or moved, back by that.
static gmc_pose back_by_reference(const mjcf_joint *j)
{
    if (j->joint.kind == GMC_URDF_BALL || j->joint.reference == 0) return gmc_pose_identity();
    if (j->joint.kind == GMC_URDF_PRISMATIC)
        return gmc_pose_make(gmc_quat_identity(),
                             gmc_vec3_scale(-j->joint.reference, j->joint.axis));
    return gmc_pose_make(turn(j->joint.axis, -j->joint.reference), (gmc_vec3){0, 0, 0});
}

static bool is_free(const mjcf_reader *m, const gmc_xml_element *e, int class)
{
    const gmc_xml_attribute *named = gmc_xml_find(e, "class");
    int own = named ? find_class(m, named->value) : class;
    mjcf_view view = {e, own >= 0 ? own : class};
    const gmc_xml_attribute *type = gmc_xml_is(e, "joint") ? find(m, &view, "type") : NULL;
    return gmc_xml_is(e, "freejoint") || (type && strcmp(type->value, "free") == 0);
}

static gmc_vec3 minus(gmc_vec3 a) { return gmc_vec3_neg(a); }

static bool is_zero(gmc_vec3 v) { return v.x == 0 && v.y == 0 && v.z == 0; }

static gmc_pose moved(gmc_vec3 p) { return (gmc_pose){gmc_mat3_identity(), p}; }

/// Hang a body by its joints, one after the other.
/// @return its link, whose frame is the body's as in the file; -1: no room
static int hang_body(mjcf_reader *m, const gmc_xml_element *body, const char *name,
                     const mjcf_place *at)
{
    gmc_pose X = at->X;
    int link = at->link, count = 0, left = 0;
    gmc_vec3 anchor = {0, 0, 0};
    for (const gmc_xml_element *e = body->first_child; e; e = e->next)
        left += gmc_xml_is(e, "joint") && !is_free(m, e, at->class);
    for (const gmc_xml_element *e = gmc_xml_child(body, "joint"); e && link >= 0;
         e = gmc_xml_next(e)) {
        if (is_free(m, e, at->class)) continue;
        const char *fallback = count == 0 && gmc_urdf_find_joint(m->r.urdf, name) < 0
                                   ? name
                                   : keep_text(m, "%.400s:%d", name, count + 1);
        mjcf_view view = view_of(m, e, at->class);
        mjcf_joint j = read_joint(m, &view, fallback);
        gmc_pose there = moved(j.anchor), back = back_by_reference(&j);
        X = gmc_pose_multiply(&X, &there);
        j.joint.X_pj = gmc_pose_multiply(&X, &back);
        bool is_last = ++count == left && is_zero(j.anchor);
        link = hang(m, link, &j.joint,
                    is_last ? name : keep_text(m, "%.200s:%.200s", name, j.joint.name));
        if (is_last) return link;
        anchor = j.anchor;
        X = moved(minus(anchor));
    }
    return link < 0 ? -1 : weld(m, link, X, body->source, name);
}

// ---- masses ------------------------------------------------------------------------------------

static void read_moments(mjcf_reader *m, const mjcf_view *view, const gmc_pose *X,
                         gmc_urdf_link *link)
{
    double v[6];
    const gmc_xml_attribute *three = find(m, view, "diaginertia"),
                            *six = find(m, view, "fullinertia"), *turned;
    if (six) {
        turned = find_orientation(m, view);
        if (turned || three)
            mistake(m, (turned ? turned : three)->source, NULL,
                    "`fullinertia` is in the body's frame: no orientation and no `diaginertia` "
                    "besides");
        if (!read_vector(m, six, 6, 1e9, v)) return;
        gmc_mat3 I = {{v[0], v[3], v[4], v[3], v[1], v[5], v[4], v[5], v[2]}};
        link->inertia.I = gmc_mat3_rotate(&X->R, &I);
    } else if (three) {
        if (!read_vector(m, three, 3, 1e9, v)) return;
        gmc_mat3 I = gmc_mat3_diagonal(v[0], v[1], v[2]);
        link->inertia.I = gmc_mat3_rotate(&X->R, &I);
    } else {
        mistake(m, view->element->source, NULL, "<inertial> needs `diaginertia` or `fullinertia`");
    }
}

static void read_inertial(mjcf_reader *m, const gmc_xml_element *element, int link_index)
{
    mjcf_view view = view_of(m, element, -1);
    gmc_urdf_link *link = &m->r.urdf->links[link_index];
    gmc_urdf_inertial *inertial = &m->r.inertials[link_index];
    int errors_before = m->r.report->error_count;
    gmc_pose X = read_pose(m, &view);
    const gmc_xml_attribute *mass = find(m, &view, "mass"), *three = find(m, &view, "diaginertia");
    link->has_inertial = true;
    inertial->source = element->source;
    inertial->moments = three ? three->source : element->source;
    if (!mass) mistake(m, element->source, NULL, "<inertial> needs `mass`");
    if (!find(m, &view, "pos")) mistake(m, element->source, NULL, "<inertial> needs `pos`");
    read_size(m, mass, &link->inertia.mass);
    link->inertia.com = X.p;
    read_moments(m, &view, &X, link);
    inertial->is_broken = m->r.report->error_count > errors_before;
}

// ---- geoms -------------------------------------------------------------------------------------

/// <geom> as it is read.
typedef struct mjcf_geom {
    mjcf_view view;
    const char *type;
    bool is_felt, weighs;
    gmc_pose X;     ///< in the link's frame
    gmc_vec3 radii; ///< of an ellipsoid
    unsigned contype, conaffinity;
} mjcf_geom;

static bool is_type(const mjcf_geom *g, const char *type) { return strcmp(g->type, type) == 0; }

static unsigned read_bits(mjcf_reader *m, const gmc_xml_attribute *a)
{
    double v = 1;
    if (!a || !read_vector(m, a, 1, 4294967295.0, &v)) return 1;
    if (v < 0) v += 4294967296.0; // -1: all bits
    if (v != floor(v)) mistake(m, a->source, NULL, "`%s` is a whole number", a->name);
    return (unsigned)v;
}

/// Sizes > 0 behind each other; true if there are as many.
static bool read_sizes(mjcf_reader *m, const mjcf_geom *g, int count, double *size)
{
    double read[3] = {0};
    const gmc_xml_attribute *a = find(m, &g->view, "size");
    int found = a ? read_numbers(m, a, 3, read) : -1;
    if (!a)
        mistake(m, g->view.element->source, NULL, "a %s needs `size`", g->type);
    else if (found >= 0 && found < count)
        mistake(m, a->source, NULL, "`size` of a %s: expected %d number%s, found %d", g->type,
                count, count == 1 ? "" : "s", found);
    if (found < count) return false;
    for (int i = 0; i < count; i++)
        if (!(read[i] > 0 && read[i] <= SIZE_MAX_M)) {
            mistake(m, a->source, "lengths are in metres",
                    "sizes must be > 0 and at most %g m, found %g", SIZE_MAX_M, read[i]);
            return false;
        }
    memcpy(size, read, (size_t)count * sizeof *size);
    return true;
}

/// The ends of `fromto` as pose in the link's frame and half length; 0: none.
static double read_ends(mjcf_reader *m, mjcf_geom *g, const gmc_pose *X_lf)
{
    double v[6];
    const gmc_xml_attribute *a = find(m, &g->view, "fromto");
    if (!a || !read_vector(m, a, 6, FAR, v)) return 0;
    gmc_vec3 from = {v[0], v[1], v[2]}, to = {v[3], v[4], v[5]}, d = gmc_vec3_sub(from, to);
    double length = gmc_vec3_norm(d);
    if (!(length > TINY)) {
        mistake(m, a->source, NULL, "both ends of `fromto` are the same");
        return 0;
    }
    gmc_pose X = gmc_pose_make(z_to(d), gmc_vec3_scale(0.5, gmc_vec3_add(from, to)));
    g->X = gmc_pose_multiply(X_lf, &X);
    return length / 2;
}

/// Shape of all types but meshes; false: none (reported).
static bool read_primitive(mjcf_reader *m, mjcf_geom *g, const gmc_pose *X_lf, gmc_shape *shape)
{
    double size[3] = {0}, half = 0;
    bool is_long = is_type(g, "capsule") || is_type(g, "cylinder") || is_type(g, "box") ||
                   is_type(g, "ellipsoid");
    *shape = (gmc_shape){0};
    if (is_type(g, "plane")) {
        shape->type = GMC_SHAPE_PLANE;
        return true;
    }
    if (is_long) half = read_ends(m, g, X_lf);
    int count = is_type(g, "sphere") ? 1 : is_type(g, "capsule") || is_type(g, "cylinder") ? 2 : 3;
    if (half > 0) count = 1;
    if (!read_sizes(m, g, count, size)) return false;
    if (half > 0 && (is_type(g, "box") || is_type(g, "ellipsoid"))) {
        size[1] = size[0];
        size[2] = half;
    } else if (half > 0) {
        size[1] = half;
    }
    shape->radius = size[0];
    shape->half_length = is_type(g, "sphere") ? 0 : size[1];
    if (is_type(g, "sphere")) shape->type = GMC_SHAPE_SPHERE;
    if (is_type(g, "capsule")) shape->type = GMC_SHAPE_CAPSULE;
    if (is_type(g, "cylinder")) shape->type = GMC_SHAPE_CYLINDER;
    if (is_type(g, "box"))
        *shape = (gmc_shape){.type = GMC_SHAPE_BOX, .half = {size[0], size[1], size[2]}};
    g->radii = (gmc_vec3){size[0], size[1], size[2]};
    return true;
}

/// The file of a mesh asset under the folder of meshes.
static const char *mesh_path(mjcf_reader *m, const char *file)
{
    const char *folder = m->compiler.mesh_folder, *slash = strrchr(file, '/');
    if (m->compiler.strips_path && slash) file = slash + 1;
    if (!folder || !folder[0] || file[0] == '/' || strstr(file, "://")) return file;
    if (strlen(folder) + strlen(file) > 500) return file; // no path that exists
    return keep_text(m, "%s%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/", file);
}

/// Is `name` that of a mesh asset: its own, or its file's without folder and end?
static bool is_mesh_named(const gmc_xml_element *mesh, const char *name)
{
    const gmc_xml_attribute *own = gmc_xml_find(mesh, "name"), *file = gmc_xml_find(mesh, "file");
    if (own) return strcmp(own->value, name) == 0;
    if (!file) return false;
    const char *slash = strrchr(file->value, '/'), *base = slash ? slash + 1 : file->value;
    const char *dot = strrchr(base, '.');
    size_t length = dot ? (size_t)(dot - base) : strlen(base);
    return strlen(name) == length && memcmp(base, name, length) == 0;
}

static const gmc_xml_element *find_mesh(const mjcf_reader *m, const char *name)
{
    for (const gmc_xml_element *a = gmc_xml_child(m->root, "asset"); a; a = gmc_xml_next(a))
        for (const gmc_xml_element *e = gmc_xml_child(a, "mesh"); e; e = gmc_xml_next(e))
            if (is_mesh_named(e, name)) return e;
    return NULL;
}

static bool is_identity_pose(mjcf_reader *m, const mjcf_view *view)
{
    double p[3] = {0, 0, 0}, q[4] = {1, 0, 0, 0};
    (void)read_vector(m, find(m, view, "refpos"), 3, 1e6, p);
    (void)read_vector(m, find(m, view, "refquat"), 4, 1e6, q);
    return p[0] == 0 && p[1] == 0 && p[2] == 0 && q[1] == 0 && q[2] == 0 && q[3] == 0;
}

static const gmc_urdf_mesh *read_mesh(mjcf_reader *m, const mjcf_geom *g)
{
    double scale[3] = {1, 1, 1};
    const gmc_xml_attribute *name = find(m, &g->view, "mesh");
    const gmc_xml_element *asset = name ? find_mesh(m, name->value) : NULL;
    if (!name) {
        mistake(m, g->view.element->source, NULL, "a geom of type mesh needs `mesh`");
        return NULL;
    }
    if (!asset) {
        mistake(m, name->source, "meshes are written in <asset>", "there is no mesh `%.64s`",
                name->value);
        return NULL;
    }
    mjcf_view view = view_of(m, asset, m->class_count > 0 ? 0 : -1);
    const gmc_xml_attribute *file = find(m, &view, "file"), *by = find(m, &view, "scale");
    if (!file || !file->value[0]) {
        mistake(m, asset->source, "name its file: OBJ, STL or PLY", "mesh `%.64s` has no `file`",
                name->value);
        return NULL;
    }
    if (!is_identity_pose(m, &view)) {
        mistake(m, asset->source, "move the vertices, or the geom",
                "`refpos` and `refquat` are not supported");
        return NULL;
    }
    if (by && !read_vector(m, by, 3, 1e6, scale)) return NULL;
    for (int k = 0; k < 3; k++)
        if (scale[k] == 0) {
            mistake(m, by->source, NULL, "a scale must not be 0");
            return NULL;
        }
    return gmc_urdf_get_mesh(&m->r, mesh_path(m, file->value), file->source,
                             (gmc_vec3){scale[0], scale[1], scale[2]});
}

static void add_shape(mjcf_reader *m, const mjcf_geom *g, int link_index, gmc_shape shape)
{
    gmc_urdf_link *link = &m->r.urdf->links[link_index];
    size_t count = (size_t)link->shape_count + 1;
    gmc_urdf_shape *shapes = realloc(link->shapes, count * sizeof *shapes);
    if (!shapes) {
        m->r.is_out_of_memory = true;
        return;
    }
    link->shapes = shapes;
    shapes[link->shape_count++] = (gmc_urdf_shape){.source = g->view.element->source,
                                                   .X_lg = g->X,
                                                   .shape = shape,
                                                   .contype = g->contype,
                                                   .conaffinity = g->conaffinity};
}

// A solid ellipsoid: m/5 (b² + c²), ...
static gmc_inertia ellipsoid(gmc_vec3 r)
{
    double mass = 4 * GMC_PI / 3 * r.x * r.y * r.z, k = mass / 5;
    return (gmc_inertia){mass,
                         {0, 0, 0},
                         gmc_mat3_diagonal(k * (r.y * r.y + r.z * r.z), k * (r.x * r.x + r.z * r.z),
                                           k * (r.x * r.x + r.y * r.y))};
}

/// What a geom of 1 kg/m³ weighs, added to its link at its mass or density.
static void add_mass(mjcf_reader *m, const mjcf_geom *g, int link_index, gmc_inertia solid)
{
    gmc_urdf_link *link = &m->r.urdf->links[link_index];
    double density = DENSITY, mass = -1;
    read_size(m, find(m, &g->view, "density"), &density);
    read_size(m, find(m, &g->view, "mass"), &mass);
    if (mass < 0) mass = density * solid.mass;
    if (!g->weighs || !(solid.mass > 0) || !(mass > 0)) return;
    solid = gmc_inertia_with_mass(&solid, mass);
    solid = gmc_inertia_move(&g->X, &solid);
    link->inertia = gmc_inertia_combine(&link->inertia, &solid);
    link->weighed = GMC_URDF_BY_SHAPES_AT_DENSITY;
}

static void take_mesh(mjcf_reader *m, const mjcf_geom *g, int link)
{
    static const mjcf_warning open = {{"not closed, weighed as their hulls:", "meshes"}, NULL};
    const gmc_urdf_mesh *mesh = read_mesh(m, g);
    if (!mesh) return;
    gmc_inertia solid = mesh->solid;
    for (int i = 0; i < mesh->pieces.count; i++) {
        gmc_shape shape = {
            .type = GMC_SHAPE_POLYTOPE, .polytope = mesh->pieces.pieces[i], .scale = 1};
        if (g->is_felt) add_shape(m, g, link, shape);
        if (mesh->solid.mass > 0) continue;
        gmc_inertia part = gmc_inertia_of_shape(&shape, 1);
        solid = gmc_inertia_combine(&solid, &part);
    }
    if (g->weighs && !(mesh->solid.mass > 0))
        warn(m, g->view.element->source, &open, mesh->path,
             "this mesh is not closed: it weighs what its hull does");
    add_mass(m, g, link, solid);
}

static void take_geom(mjcf_reader *m, mjcf_geom *g, const mjcf_place *at)
{
    static const char *const solid[] = {"sphere", "capsule",   "cylinder", "box",
                                        "plane",  "ellipsoid", NULL};
    gmc_shape shape;
    const gmc_xml_attribute *type = find(m, &g->view, "type");
    gmc_source place = type ? type->source : g->view.element->source;
    if (is_type(g, "mesh")) {
        take_mesh(m, g, at->link);
    } else if (!is_among(g->type, solid)) {
        mistake(m, place, "known: plane, sphere, capsule, cylinder, box, mesh",
                "geoms of type `%.32s` are not supported", g->type);
    } else if (find(m, &g->view, "mesh")) {
        mistake(m, find(m, &g->view, "mesh")->source, "write type=\"mesh\", or the size",
                "a %s fitted to a mesh is not supported", g->type);
    } else if (g->is_felt && is_type(g, "ellipsoid")) {
        mistake(m, place, "write a capsule, or a mesh", "ellipsoids that touch are not supported");
    } else if (read_primitive(m, g, &at->X, &shape)) {
        if (g->is_felt) add_shape(m, g, at->link, shape);
        if (is_type(g, "plane")) return;
        add_mass(m, g, at->link,
                 is_type(g, "ellipsoid") ? ellipsoid(g->radii) : gmc_inertia_of_shape(&shape, 1));
    }
}

static void read_geom(mjcf_reader *m, const gmc_xml_element *element, const mjcf_place *at,
                      bool body_weighs)
{
    mjcf_geom g = {.view = view_of(m, element, at->class)};
    const gmc_xml_attribute *type = find(m, &g.view, "type");
    double group = 0;
    gmc_pose X = read_pose(m, &g.view);
    g.type = type ? type->value : "sphere";
    g.X = gmc_pose_multiply(&at->X, &X);
    g.contype = read_bits(m, find(m, &g.view, "contype"));
    g.conaffinity = read_bits(m, find(m, &g.view, "conaffinity"));
    (void)read_vector(m, find(m, &g.view, "group"), 1, 1e6, &group);
    g.is_felt = g.contype != 0 || g.conaffinity != 0;
    g.weighs = body_weighs && group >= m->compiler.groups[0] && group <= m->compiler.groups[1];
    if (g.weighs) refuse_if_true(m, find(m, &g.view, "shellinertia"), "write an <inertial>");
    if (!g.is_felt) m->r.urdf->links[at->link].visual_count++;
    if (g.is_felt || g.weighs) take_geom(m, &g, at);
}

// ---- bodies ------------------------------------------------------------------------------------

static int child_class(mjcf_reader *m, const gmc_xml_element *element, int inherited)
{
    const gmc_xml_attribute *a = gmc_xml_find(element, "childclass");
    int class = a ? find_class(m, a->value) : inherited;
    if (!a || class >= 0) return class;
    mistake(m, a->source, "classes are written in <default class=\"...\">",
            "there is no class `%.64s`", a->value);
    return inherited;
}

static const char *body_name(mjcf_reader *m, const gmc_xml_element *body)
{
    const char *name = name_of(body, NULL);
    return name ? name : keep_text(m, "body%d", m->r.urdf->link_count);
}

static const char *const BODY_CHILDREN[] = {"inertial", "joint", "freejoint", "geom",  "site",
                                            "camera",   "light", "body",      "frame", NULL};

static void read_body(mjcf_reader *m, const gmc_xml_element *body, const mjcf_place *at);

static void refuse_child(mjcf_reader *m, const gmc_xml_element *child)
{
    static const char *const refused[] = {"composite", "flexcomp",  "plugin",
                                          "attach",    "replicate", NULL};
    if (is_among(child->name, refused))
        mistake(m, child->source, "write its bodies out", "<%s> is not supported", child->name);
    else
        check_child(m, child, BODY_CHILDREN);
}

static void read_site(mjcf_reader *m, const mjcf_site *site)
{
    const gmc_xml_attribute *name = gmc_xml_find(site->element, "name");
    mjcf_view view = view_of(m, site->element, site->at.class);
    if (!name || !name->value[0]) return; // nobody can ask for it
    if (find(m, &view, "fromto")) {
        mistake(m, site->element->source, NULL, "`fromto` of a <site> is not supported");
        return;
    }
    gmc_pose X = read_pose(m, &view);
    X = gmc_pose_multiply(&site->at.X, &X);
    bool is_taken = gmc_urdf_find_link(m->r.urdf, name->value) >= 0;
    (void)weld(m, site->at.link, X, name->source,
               is_taken ? keep_text(m, "site:%.400s", name->value) : name->value);
}

static void keep_site(mjcf_reader *m, const gmc_xml_element *element, const mjcf_place *at)
{
    mjcf_site *sites = gmc_list_room(m->sites, m->site_count, &m->site_capacity, sizeof *sites);
    if (!sites) {
        m->r.is_out_of_memory = true;
        return;
    }
    m->sites = sites;
    sites[m->site_count++] = (mjcf_site){element, *at};
}

/// What a body, or a <frame> in it, holds besides joints and <inertial>.
static void read_inside(mjcf_reader *m, const gmc_xml_element *parent, const mjcf_place *at,
                        bool weighs)
{
    bool is_frame = gmc_xml_is(parent, "frame"), is_world = at->link == 0;
    for (const gmc_xml_element *e = parent->first_child; e; e = e->next) {
        if (gmc_xml_is(e, "geom")) {
            if (!is_world) read_geom(m, e, at, weighs);
        } else if (gmc_xml_is(e, "site")) {
            keep_site(m, e, at);
        } else if (gmc_xml_is(e, "body")) {
            read_body(m, e, at);
        } else if (gmc_xml_is(e, "frame")) {
            mjcf_view view = view_of(m, e, -1);
            gmc_pose X = read_pose(m, &view);
            mjcf_place in = {at->link, child_class(m, e, at->class), gmc_pose_multiply(&at->X, &X)};
            read_inside(m, e, &in, weighs);
        } else if (gmc_xml_is(e, "joint") || gmc_xml_is(e, "freejoint") ||
                   gmc_xml_is(e, "inertial")) {
            if (is_frame || is_world)
                mistake(m, e->source, "write it in the body itself", "<%s> in <%s>", e->name,
                        parent->name);
        } else if (!gmc_xml_is(e, "camera") && !gmc_xml_is(e, "light")) {
            refuse_child(m, e);
        }
    }
}

static void check_free(mjcf_reader *m, const gmc_xml_element *body, const mjcf_place *at, int class)
{
    static const mjcf_warning carried = {
        {"free joint not read, carried by the scenario:", "bodies"}, NULL};
    int joints = 0;
    const gmc_xml_element *found = NULL;
    for (const gmc_xml_element *e = body->first_child; e; e = e->next) {
        joints += gmc_xml_is(e, "joint") || gmc_xml_is(e, "freejoint");
        if (is_free(m, e, class)) found = e;
    }
    if (!found) return;
    if (gmc_xml_is(found, "freejoint")) check_words(m, found);
    if (at->link != 0 || joints > 1)
        mistake(m, found->source, "leave it out",
                "a free joint below the top, or beside another joint");
    else
        warn(m, found->source, &carried, name_of(body, "body"),
             "the free joint of the top is not read: what carries it is the scenario's");
}

static void read_body(mjcf_reader *m, const gmc_xml_element *body, const mjcf_place *at)
{
    mjcf_view view = view_of(m, body, -1);
    gmc_pose X = read_pose(m, &view);
    int class = child_class(m, body, at->class);
    mjcf_place there = {at->link, class, gmc_pose_multiply(&at->X, &X)};
    refuse_if_true(m, find(m, &view, "mocap"), "leave it out: phases move the hand");
    refuse_unless_zero(m, find(m, &view, "gravcomp"), "leave it out");
    check_free(m, body, at, class);
    int link = hang_body(m, body, body_name(m, body), &there);
    if (link < 0) return;
    if (gmc_xml_find(body, "name"))
        m->r.urdf->links[link].source = gmc_xml_find(body, "name")->source;
    const gmc_xml_element *masses = gmc_xml_child(body, "inertial");
    bool is_given = masses && m->compiler.weighs != ALWAYS;
    if (is_given) read_inertial(m, masses, link);
    if (masses && gmc_xml_next(masses))
        mistake(m, gmc_xml_next(masses)->source, NULL, "a second <inertial> in this <body>");
    mjcf_place inside = {link, class, gmc_pose_identity()};
    read_inside(m, body, &inside, !is_given && m->compiler.weighs != NEVER);
}

static void read_world(mjcf_reader *m)
{
    static const mjcf_warning scenery = {
        {"shapes of the worldbody are scenery, not read:", "geoms"}, "write them under  scene:"};
    int root = add_link(m, m->root->source, "mjcf_root", -1), bodies = 0;
    if (root < 0) return;
    for (const gmc_xml_element *w = gmc_xml_child(m->root, "worldbody"); w; w = gmc_xml_next(w)) {
        mjcf_place at = {root, m->class_count > 0 ? 0 : -1, gmc_pose_identity()};
        at.class = child_class(m, w, at.class);
        for (const gmc_xml_element *g = gmc_xml_child(w, "geom"); g; g = gmc_xml_next(g)) {
            check_words(m, g);
            warn(m, g->source, &scenery, name_of(g, "unnamed"),
                 "a shape of the worldbody is scenery and not read");
        }
        for (const gmc_xml_element *e = w->first_child; e; e = e->next)
            bodies += gmc_xml_is(e, "body") || gmc_xml_is(e, "frame");
        read_inside(m, w, &at, false);
    }
    for (int i = 0; i < m->site_count; i++)
        read_site(m, &m->sites[i]);
    if (bodies == 0) mistake(m, m->root->source, NULL, "a robot needs a <worldbody> with a <body>");
}

// ---- compiler ----------------------------------------------------------------------------------

static void read_sequence(mjcf_reader *m, const gmc_xml_attribute *a)
{
    if (!a) return;
    bool is_good = strlen(a->value) == 3;
    for (int i = 0; i < 3 && is_good; i++)
        is_good = strchr("xyzXYZ", a->value[i]) != NULL;
    if (is_good)
        memcpy(m->compiler.eulerseq, a->value, 3);
    else
        mistake(m, a->source, NULL, "`eulerseq`: expected three of x y z X Y Z, found `%.32s`",
                a->value);
}

static void read_weighing(mjcf_reader *m, const gmc_xml_attribute *a)
{
    if (!a) return;
    if (strcmp(a->value, "auto") == 0)
        m->compiler.weighs = AUTO;
    else
        m->compiler.weighs = is_true(m, a, false) ? ALWAYS : NEVER;
}

static void refuse_of_compiler(mjcf_reader *m, const gmc_xml_element *e)
{
    const gmc_xml_attribute *a = gmc_xml_find(e, "coordinate");
    if (a && strcmp(a->value, "local") != 0)
        mistake(m, a->source, "let MuJoCo save the file once: it writes local ones",
                "`coordinate` %.32s is not supported", a->value);
    a = gmc_xml_find(e, "settotalmass");
    if (a && a->value[0] != '-')
        mistake(m, a->source, "write masses and densities", "`settotalmass` is not supported");
    refuse_unless_zero(m, gmc_xml_find(e, "boundmass"), "write the masses");
    refuse_unless_zero(m, gmc_xml_find(e, "boundinertia"), "write the moments");
    refuse_if_true(m, gmc_xml_find(e, "balanceinertia"), "write moments that a body can have");
}

static void read_compiler(mjcf_reader *m, const gmc_xml_element *e)
{
    mjcf_compiler *c = &m->compiler;
    const gmc_xml_attribute *angle = gmc_xml_find(e, "angle"), *folder;
    check_words(m, e);
    if (angle && strcmp(angle->value, "radian") != 0 && strcmp(angle->value, "degree") != 0)
        mistake(m, angle->source, NULL, "`angle`: expected radian or degree, found `%.32s`",
                angle->value);
    if (angle) c->is_radian = strcmp(angle->value, "radian") == 0;
    c->is_autolimited = is_true(m, gmc_xml_find(e, "autolimits"), c->is_autolimited);
    c->strips_path = is_true(m, gmc_xml_find(e, "strippath"), c->strips_path);
    folder = gmc_xml_find(e, "meshdir");
    if (!folder) folder = gmc_xml_find(e, "assetdir");
    if (folder) c->mesh_folder = folder->value;
    read_sequence(m, gmc_xml_find(e, "eulerseq"));
    read_weighing(m, gmc_xml_find(e, "inertiafromgeom"));
    (void)read_vector(m, gmc_xml_find(e, "inertiagrouprange"), 2, 1e6, c->groups);
    refuse_of_compiler(m, e);
}

static void read_option(mjcf_reader *m, const gmc_xml_element *e)
{
    for (int i = 0; i < e->attribute_count; i++) {
        const gmc_xml_attribute *a = &e->attributes[i];
        if (strcmp(a->name, "density") == 0 || strcmp(a->name, "viscosity") == 0)
            refuse_unless_zero(m, a, "leave it out: there is no fluid");
        else
            warn_unread(m, a->source, a->name);
    }
    for (const gmc_xml_element *flag = e->first_child; flag; flag = flag->next)
        for (int i = 0; i < flag->attribute_count; i++)
            warn_unread(m, flag->attributes[i].source, flag->attributes[i].name);
}

// ---- contact -----------------------------------------------------------------------------------

/// Link of a body that an element names; -1: none (reported).
static int link_named(mjcf_reader *m, const mjcf_view *view, const char *attribute)
{
    const gmc_xml_attribute *a = find(m, view, attribute);
    const char *name = text_of(m, view, attribute);
    int link = name ? gmc_urdf_find_link(m->r.urdf, name) : -1;
    if (name && link < 0) mistake(m, a->source, NULL, "there is no body `%.64s`", name);
    return link;
}

static void read_exclude(mjcf_reader *m, const gmc_xml_element *element)
{
    gmc_urdf *urdf = m->r.urdf;
    mjcf_view view = view_of(m, element, -1);
    int one = link_named(m, &view, "body1"), other = link_named(m, &view, "body2");
    if (one < 0 || other < 0) return;
    int(*excludes)[2] =
        gmc_list_room(urdf->excludes, urdf->exclude_count, &m->exclude_capacity, sizeof *excludes);
    if (!excludes) {
        m->r.is_out_of_memory = true;
        return;
    }
    urdf->excludes = excludes;
    excludes[urdf->exclude_count][0] = one;
    excludes[urdf->exclude_count++][1] = other;
}

static void read_contact(mjcf_reader *m, const gmc_xml_element *contact)
{
    static const char *const known[] = {"exclude", "pair", NULL};
    for (const gmc_xml_element *e = contact->first_child; e; e = e->next) {
        if (gmc_xml_is(e, "exclude"))
            read_exclude(m, e);
        else if (gmc_xml_is(e, "pair"))
            mistake(m, e->source, "write contype and conaffinity of both geoms",
                    "a <pair> is not supported");
        else
            check_child(m, e, known);
    }
}

// ---- tendons -----------------------------------------------------------------------------------

/// Joint that an element names; -1: none (reported).
static int joint_named(mjcf_reader *m, const gmc_xml_attribute *a)
{
    const gmc_urdf *urdf = m->r.urdf;
    int joint = gmc_urdf_find_joint(urdf, a->value);
    char hint[96];
    const char *near = NULL;
    if (joint >= 0 && urdf->joints[joint].kind != GMC_URDF_FIXED) return joint;
    for (int i = 0; i < urdf->joint_count && !near; i++)
        if (urdf->joints[i].kind != GMC_URDF_FIXED)
            near = gmc_urdf_nearest_word(a->value, WORDS(urdf->joints[i].name));
    if (near) snprintf(hint, sizeof hint, "did you mean `%.64s`?", near);
    mistake(m, a->source, near ? hint : NULL, "there is no joint `%.64s`", a->value);
    return -1;
}

static int single_joint_named(mjcf_reader *m, const gmc_xml_attribute *a)
{
    int joint = joint_named(m, a);
    if (joint < 0 || m->r.urdf->joints[joint].kind != GMC_URDF_BALL) return joint;
    mistake(m, a->source, NULL, "joint `%.64s` is a ball: it has no one position", a->value);
    return -1;
}

static void read_term(mjcf_reader *m, const gmc_xml_element *e, gmc_urdf_tendon *tendon)
{
    const gmc_xml_attribute *name = gmc_xml_find(e, "joint"), *by = gmc_xml_find(e, "coef");
    gmc_urdf_term term = {.coefficient = 1};
    if (!gmc_xml_is(e, "joint") || !name) {
        mistake(m, e->source, NULL, "a <fixed> holds <joint joint=\"...\" coef=\"...\"/>");
        return;
    }
    term.joint = single_joint_named(m, name);
    (void)read_vector(m, by, 1, 1e6, &term.coefficient);
    if (term.joint < 0) return;
    size_t count = (size_t)tendon->term_count + 1;
    gmc_urdf_term *terms = realloc(tendon->terms, count * sizeof *terms);
    if (!terms) {
        m->r.is_out_of_memory = true;
        return;
    }
    tendon->terms = terms;
    terms[tendon->term_count++] = term;
}

static void read_fixed(mjcf_reader *m, const gmc_xml_element *element)
{
    gmc_urdf *urdf = m->r.urdf;
    mjcf_view view = view_of(m, element, m->class_count > 0 ? 0 : -1);
    static const char *const zeros[] = {"stiffness", "damping", "frictionloss", "armature"};
    gmc_urdf_tendon *tendons =
        gmc_list_room(urdf->tendons, urdf->tendon_count, &m->tendon_capacity, sizeof *tendons);
    if (!tendons) {
        m->r.is_out_of_memory = true;
        return;
    }
    urdf->tendons = tendons;
    gmc_urdf_tendon *tendon = &tendons[urdf->tendon_count];
    *tendon = (gmc_urdf_tendon){
        .name = name_of(element, NULL),
        .source = element->source,
        .stiffness = NAN,
        .servo_damping = NAN,
        .effort = INFINITY,
    };
    if (!tendon->name) tendon->name = keep_text(m, "tendon%d", urdf->tendon_count);
    urdf->tendon_count++;
    for (int i = 0; i < GMC_COUNT(zeros); i++)
        refuse_unless_zero(m, find(m, &view, zeros[i]), "give it to the joints");
    if (has_range(m, find_range(m, &view, "range", "limited")))
        mistake(m, find(m, &view, "range")->source, "give limits to the joints",
                "limits of tendons are not supported");
    for (const gmc_xml_element *e = element->first_child; e; e = e->next)
        read_term(m, e, tendon);
    if (tendon->term_count == 0) mistake(m, element->source, NULL, "this tendon has no joint");
}

static void read_tendons(mjcf_reader *m, const gmc_xml_element *section)
{
    static const char *const known[] = {"fixed", "spatial", NULL};
    for (const gmc_xml_element *e = section->first_child; e; e = e->next) {
        if (gmc_xml_is(e, "fixed"))
            read_fixed(m, e);
        else if (gmc_xml_is(e, "spatial"))
            mistake(m, e->source, "write a <fixed> one: the sum of joints that it comes to",
                    "tendons along sites are not supported");
        else
            check_child(m, e, known);
    }
}

static gmc_urdf_tendon *tendon_named(mjcf_reader *m, const gmc_xml_attribute *a)
{
    for (int i = 0; i < m->r.urdf->tendon_count; i++)
        if (strcmp(m->r.urdf->tendons[i].name, a->value) == 0) return &m->r.urdf->tendons[i];
    mistake(m, a->source, NULL, "there is no tendon `%.64s`", a->value);
    return NULL;
}

// ---- equality ----------------------------------------------------------------------------------

/// The joint follows: q = ratio q_leader + offset.
static void follow(mjcf_reader *m, gmc_source source, int follower, const gmc_urdf_joint *as)
{
    gmc_urdf_joint *joint = &m->r.urdf->joints[follower];
    if (joint->leader >= 0)
        mistake(m, source, NULL, "joint `%.64s` follows two", joint->name);
    else if (as->leader == follower)
        mistake(m, source, NULL, "joint `%.64s` follows itself", joint->name);
    else if (as->ratio == 0 || fabs(as->ratio) > 1e6 || fabs(as->offset) > 1e6)
        mistake(m, source, as->ratio == 0 ? "leave the joint out" : NULL,
                "joint `%.64s` follows with ratio %g and offset %g", joint->name, as->ratio,
                as->offset);
    else {
        joint->leader = as->leader;
        joint->ratio = as->ratio;
        joint->offset = as->offset;
    }
}

/// Position of a joint as the file has it.
static double reference_of(mjcf_reader *m, int joint) { return m->r.urdf->joints[joint].reference; }

static bool read_polynomial(mjcf_reader *m, const gmc_xml_element *e, double *c)
{
    const gmc_xml_attribute *a = gmc_xml_find(e, "polycoef");
    c[0] = 0, c[1] = 1, c[2] = c[3] = c[4] = 0;
    if (a && read_numbers(m, a, 5, c) < 0) return false;
    if (c[2] == 0 && c[3] == 0 && c[4] == 0) return true;
    mistake(m, a->source, NULL, "`polycoef`: couplings are linear, a + b q");
    return false;
}

static void couple_joints(mjcf_reader *m, const gmc_xml_element *e)
{
    double c[5];
    const gmc_xml_attribute *one = gmc_xml_find(e, "joint1"), *other = gmc_xml_find(e, "joint2");
    if (!one || !other) {
        mistake(m, e->source, one ? "leave the joint out, or give it a narrow range" : NULL,
                "an equality of joints needs `joint1` and `joint2`");
        return;
    }
    int follower = single_joint_named(m, one), leader = single_joint_named(m, other);
    if (follower < 0 || leader < 0 || !read_polynomial(m, e, c)) return;
    double offset = reference_of(m, follower) + c[0] - c[1] * reference_of(m, leader);
    follow(m, e->source, follower,
           &(gmc_urdf_joint){.leader = leader, .ratio = c[1], .offset = offset});
}

// a q_a + b q_b = what it is at the start + c0
static void couple_tendon(mjcf_reader *m, const gmc_xml_element *e)
{
    double c[5];
    const gmc_xml_attribute *one = gmc_xml_find(e, "tendon1"), *other = gmc_xml_find(e, "tendon2");
    if (!one || other) {
        mistake(m, e->source, "one tendon of two joints",
                other ? "equality of two tendons is not supported"
                      : "an equality of tendons needs `tendon1`");
        return;
    }
    const gmc_urdf_tendon *t = tendon_named(m, one);
    if (!t || !read_polynomial(m, e, c)) return;
    if (t->term_count != 2 || t->terms[0].coefficient == 0 || t->terms[1].coefficient == 0) {
        mistake(m, one->source, NULL, "a tendon that is kept constant needs two joints");
        return;
    }
    const gmc_urdf_term *lead = &t->terms[0], *second = &t->terms[1];
    double constant = c[0] + lead->coefficient * reference_of(m, lead->joint) +
                      second->coefficient * reference_of(m, second->joint);
    follow(m, e->source, second->joint,
           &(gmc_urdf_joint){.leader = lead->joint,
                             .ratio = -lead->coefficient / second->coefficient,
                             .offset = constant / second->coefficient});
}

static void read_equality(mjcf_reader *m, const gmc_xml_element *section)
{
    static const char *const known[] = {"joint", "tendon", "connect", "weld", NULL};
    for (const gmc_xml_element *e = section->first_child; e; e = e->next) {
        if (!is_true(m, gmc_xml_find(e, "active"), true)) continue;
        if (gmc_xml_is(e, "joint"))
            couple_joints(m, e);
        else if (gmc_xml_is(e, "tendon"))
            couple_tendon(m, e);
        else if (gmc_xml_is(e, "connect") || gmc_xml_is(e, "weld") || gmc_xml_is(e, "distance") ||
                 gmc_xml_is(e, "flex"))
            mistake(m, e->source,
                    "write what it comes to as an equality of joints, or active=\"false\"",
                    "<%s> is not supported: closed loops", e->name);
        else
            check_child(m, e, known);
    }
}

// ---- actuators ---------------------------------------------------------------------------------

/// What an actuator does: force = gear (kp (target - gear q) - kd gear q').
typedef struct mjcf_drive {
    bool has_stiffness, has_damping;
    double stiffness, damping, effort;
} mjcf_drive;

/// An actuator as its defaults and its own words leave it: what `general` would have to write. Of
/// what is given as an attribute the last one counts.
typedef struct mjcf_actuator {
    const gmc_xml_attribute *gear;
    mjcf_range control, force;
    const gmc_xml_attribute *dyntype, *gaintype, *biastype, *bias_at;
    double gain, bias[3];
    double kv;      ///< damping that <position> gives, which newer versions know
    bool is_affine; ///< force = gain ctrl + bias[0] + bias[1] q + bias[2] q', else gain ctrl
} mjcf_actuator;

static const char *const ACTUATORS[] = {"position", "velocity", "motor", "general", NULL};

static void replace(const gmc_xml_element *e, const char *name, const gmc_xml_attribute **a)
{
    const gmc_xml_attribute *given = gmc_xml_find(e, name);
    if (given) *a = given;
}

static void change_general(mjcf_reader *m, const gmc_xml_element *e, mjcf_actuator *actuator)
{
    double values[10];
    const gmc_xml_attribute *gain = gmc_xml_find(e, "gainprm"), *bias = gmc_xml_find(e, "biasprm");
    replace(e, "dyntype", &actuator->dyntype);
    replace(e, "gaintype", &actuator->gaintype);
    replace(e, "biastype", &actuator->biastype);
    if (gmc_xml_find(e, "biastype"))
        actuator->is_affine = strcmp(actuator->biastype->value, "affine") == 0;
    // fewer numbers than there could be leave the others as they are
    if (gain && read_numbers(m, gain, 10, values) > 0) actuator->gain = values[0];
    int count = bias ? read_numbers(m, bias, 10, values) : 0;
    for (int i = 0; i < count && i < 3; i++)
        actuator->bias[i] = values[i];
    if (bias) actuator->bias_at = bias;
}

/// A word sets what it stands for whether or not that was something else: <position> takes the gain
/// for its stiffness, and the terms of the bias that it has no word for become 0.
static void change_servo(mjcf_reader *m, const gmc_xml_element *e, mjcf_actuator *actuator)
{
    bool is_position = gmc_xml_is(e, "position"), is_velocity = gmc_xml_is(e, "velocity");
    actuator->dyntype = actuator->gaintype = actuator->biastype = actuator->bias_at = NULL;
    actuator->is_affine = is_position || is_velocity;
    if (!actuator->is_affine) {
        actuator->gain = 1;
        return;
    }
    read_size(m, gmc_xml_find(e, is_position ? "kp" : "kv"), &actuator->gain);
    if (is_position) {
        read_size(m, gmc_xml_find(e, "kv"), &actuator->kv);
        refuse_unless_zero(m, gmc_xml_find(e, "dampratio"), "write kv");
        refuse_unless_zero(m, gmc_xml_find(e, "timeconst"), "leave it out");
    }
    actuator->bias[0] = 0;
    actuator->bias[1] = is_position ? -actuator->gain : 0;
    actuator->bias[2] = is_position ? -actuator->kv : -actuator->gain;
}

/// What an element changes of an actuator, be it a default or the actuator itself.
static void change_actuator(mjcf_reader *m, const gmc_xml_element *e, mjcf_actuator *actuator)
{
    replace(e, "gear", &actuator->gear);
    replace(e, "ctrlrange", &actuator->control.range);
    replace(e, "ctrllimited", &actuator->control.limited);
    replace(e, "forcerange", &actuator->force.range);
    replace(e, "forcelimited", &actuator->force.limited);
    if (gmc_xml_is(e, "general"))
        change_general(m, e, actuator);
    else
        change_servo(m, e, actuator);
}

/// A class has one default of actuators, whichever word writes it, and a later word changes what an
/// earlier one wrote; a nested class goes on from that of its parent. Measured in the models that
/// MuJoCo 2.2.2 compiles.
static void change_by_class(mjcf_reader *m, int class, mjcf_actuator *actuator)
{
    static const char *const foreign[] = {"muscle",  "cylinder",    "damper", "adhesion",
                                          "dcmotor", "intvelocity", "plugin", NULL};
    for (int i = 0; i < m->block_count; i++) {
        if (m->blocks[i].class != class) continue;
        for (const gmc_xml_element *e = m->blocks[i].element->first_child; e; e = e->next) {
            if (is_among(e->name, ACTUATORS))
                change_actuator(m, e, actuator);
            else if (is_among(e->name, foreign))
                mistake(m, e->source, "give it a class of its own",
                        "<%s> changes the defaults of actuators of other types", e->name);
        }
    }
}

static mjcf_actuator actuator_of(mjcf_reader *m, const mjcf_view *view)
{
    mjcf_actuator actuator = {.gain = 1};
    int depth = 0;
    while (class_at(m, view, depth + 1) != -2)
        depth++;
    for (; depth > 0; depth--) // the outermost first
        change_by_class(m, class_at(m, view, depth), &actuator);
    change_actuator(m, view->element, &actuator);
    return actuator;
}

/// An attribute that says nothing but `word`, or is not there; else refused.
static bool is_only(mjcf_reader *m, const gmc_xml_attribute *a, const char *word, const char *hint)
{
    if (!a || strcmp(a->value, word) == 0) return true;
    mistake(m, a->source, hint, "`%s` %.32s is not supported", a->name, a->value);
    return false;
}

/// Is it a servo, or a motor?
static bool is_known_kind(mjcf_reader *m, const mjcf_actuator *actuator)
{
    const gmc_xml_attribute *bias = actuator->biastype;
    return is_only(m, actuator->dyntype, "none",
                   "write dyntype=\"none\": actuators here have no state of their own") &&
           is_only(m, actuator->gaintype, "fixed", "known: fixed") &&
           (actuator->is_affine || is_only(m, bias, "none", "known: none, affine"));
}

/// Does an affine actuator pull towards where it is sent, and rest there?
static bool is_servo(mjcf_reader *m, const mjcf_actuator *a, gmc_source place)
{
    static const char *const meant = "force = gain ctrl + b0 + b1 q + b2 q', with b1 and b2 <= 0";
    if (a->bias_at) place = a->bias_at->source;
    if (a->bias[1] > 0 || a->bias[2] > 0)
        mistake(m, place, meant, "`biasprm` pushes away from where it is");
    else if (a->bias[0] != 0)
        mistake(m, place, "write 0, and add b0 / -b1 to what phases send the joint to",
                "the constant term b0 = %g of `biasprm` is not supported", a->bias[0]);
    else if (a->bias[1] < 0 && a->gain == 0)
        mistake(m, place, "leave it out: springs of joints are not supported",
                "an actuator of gain 0 is a spring that nobody can send anywhere");
    else
        return true;
    return false;
}

static bool read_motor(mjcf_reader *m, const mjcf_actuator *actuator, gmc_source place,
                       mjcf_drive *drive)
{
    if (actuator->gain == 0) {
        mistake(m, place, NULL, "an actuator of gain 0 moves nothing");
        return false;
    }
    drive->effort = fmin(drive->effort, fabs(actuator->gain) * read_effort(m, actuator->control));
    return true;
}

/// kp, kv and limits of an actuator, at its joint or tendon.
static bool read_drive(mjcf_reader *m, const mjcf_view *view, mjcf_drive *drive)
{
    double gear[6] = {1, 0, 0, 0, 0, 0};
    mjcf_actuator actuator = actuator_of(m, view);
    gmc_source place = view->element->source;
    if (!is_known_kind(m, &actuator)) return false;
    if (actuator.is_affine && !is_servo(m, &actuator, place)) return false;
    if (actuator.gear && read_numbers(m, actuator.gear, 6, gear) < 0) return false;
    if (gear[0] == 0) {
        mistake(m, actuator.gear->source, NULL, "a gear of 0 moves nothing");
        return false;
    }
    *drive = (mjcf_drive){.effort = read_effort(m, actuator.force)};
    if (actuator.is_affine) {
        drive->stiffness = -actuator.bias[1] * gear[0] * gear[0];
        drive->damping = -actuator.bias[2] * gear[0] * gear[0];
    }
    drive->has_damping = drive->damping > 0 || gmc_xml_is(view->element, "velocity");
    drive->has_stiffness = drive->stiffness > 0 || gmc_xml_is(view->element, "position");
    if (!drive->has_stiffness && !drive->has_damping && !read_motor(m, &actuator, place, drive))
        return false;
    drive->effort *= fabs(gear[0]);
    return true;
}

static void drive_joint(mjcf_reader *m, const gmc_xml_attribute *where, int i,
                        const mjcf_drive *drive)
{
    static const mjcf_warning damped = {
        {"velocity actuator read as damping of the servo of", "joints"}, NULL};
    gmc_urdf_joint *joint = &m->r.urdf->joints[i];
    bool is_velocity = drive->has_damping && !drive->has_stiffness;
    bool *slot = is_velocity ? &m->is_damped[i] : &m->is_driven[i];
    if (*slot) {
        mistake(m, where->source, "make one of them", "a second actuator of joint `%.64s`",
                joint->name);
        return;
    }
    *slot = true;
    if (drive->has_stiffness) joint->stiffness = drive->stiffness;
    if (drive->has_damping)
        joint->servo_damping =
            drive->damping + (isfinite(joint->servo_damping) ? joint->servo_damping : 0);
    else if (drive->has_stiffness && !m->is_damped[i])
        joint->servo_damping = 0; // a position actuator has none of its own
    if (!is_velocity) joint->effort = fmin(joint->effort, drive->effort);
    if (is_velocity) {
        char message[160];
        snprintf(message, sizeof message,
                 "the velocity actuator of joint `%.64s` is read as damping of its servo",
                 joint->name);
        warn(m, where->source, &damped, joint->name, message);
    }
}

static void drive_tendon(mjcf_reader *m, const gmc_xml_attribute *where, gmc_urdf_tendon *tendon,
                         const mjcf_drive *drive)
{
    if (tendon->is_driven)
        mistake(m, where->source, "make one of them", "a second actuator of tendon `%.64s`",
                tendon->name);
    tendon->is_driven = true;
    if (drive->has_stiffness) tendon->stiffness = drive->stiffness;
    if (drive->has_stiffness || drive->has_damping) tendon->servo_damping = drive->damping;
    tendon->effort = drive->effort;
}

static void read_actuator(mjcf_reader *m, const gmc_xml_element *element)
{
    mjcf_view view = view_of(m, element, m->class_count > 0 ? 0 : -1);
    mjcf_drive drive;
    const gmc_xml_attribute *joint = gmc_xml_find(element, "joint"),
                            *tendon = gmc_xml_find(element, "tendon");
    if (!joint) joint = gmc_xml_find(element, "jointinparent");
    if (!joint == !tendon) {
        mistake(m, element->source, NULL,
                "an actuator needs `joint` or `tendon`; others are not "
                "supported");
        return;
    }
    if (!read_drive(m, &view, &drive)) return;
    int i = joint ? single_joint_named(m, joint) : -1;
    gmc_urdf_tendon *sum = tendon ? tendon_named(m, tendon) : NULL;
    if (i >= 0) drive_joint(m, joint, i, &drive);
    if (sum) drive_tendon(m, tendon, sum, &drive);
}

static void read_actuators(mjcf_reader *m, const gmc_xml_element *section)
{
    for (const gmc_xml_element *e = section->first_child; e; e = e->next) {
        if (is_among(e->name, ACTUATORS))
            read_actuator(m, e);
        else
            mistake(m, e->source, "known: position, velocity, motor, general",
                    "actuators of type <%.32s> are not supported", e->name);
    }
}

// ---- include -----------------------------------------------------------------------------------

static bool is_included(const mjcf_reader *m, const char *file)
{
    for (int i = 0; i < m->include_count; i++)
        if (strcmp(m->included[i], file) == 0) return true;
    return false;
}

/// Path of an included file: beside the file that is opened, as in MuJoCo.
static const char *path_beside(mjcf_reader *m, const char *name)
{
    const char *file = m->r.urdf->file, *slash = strrchr(file, '/');
    if (!slash || name[0] == '/') return name;
    return keep_text(m, "%.*s/%s", (int)(slash - file), file, name);
}

static bool keep_document(mjcf_reader *m, gmc_xml *document)
{
    struct gmc_urdf_keep *keep = m->r.urdf->keep;
    gmc_xml **documents = gmc_list_room(keep->documents, keep->document_count,
                                        &keep->document_capacity, sizeof(gmc_xml *));
    if (!documents) {
        gmc_xml_free(document);
        m->r.is_out_of_memory = true;
        return false;
    }
    keep->documents = documents;
    documents[keep->document_count++] = document;
    return true;
}

/// The root of a file that becomes part of the tree; NULL: reported.
static const gmc_xml_element *load(mjcf_reader *m, const char *path, gmc_source from)
{
    gmc_file bytes = {0};
    gmc_xml *document = NULL;
    gmc_status status = gmc_file_load(m->r.options->files, path, &bytes);
    if (status != GMC_OK)
        gmc_diagnostics_add(m->r.report, status, from, NULL, "%s cannot be read: %s", path,
                            gmc_status_name(status));
    else
        status = gmc_xml_parse(path, bytes.bytes, bytes.size, m->r.report, &document);
    gmc_file_free(&bytes);
    if (status == GMC_E_MEMORY) m->r.is_out_of_memory = true;
    if (status != GMC_OK || !keep_document(m, document)) return NULL;
    const gmc_xml_element *root = gmc_xml_root(document);
    check_words(m, root);
    if (gmc_xml_is(root, "mujoco") || gmc_xml_is(root, "mujocoinclude")) return root;
    mistake(m, root->source,
            gmc_xml_is(root, "robot") ? "a URDF is named by  urdf: FILE  in place of mjcf:" : NULL,
            "expected <mujoco>, found <%.64s>", root->name);
    return NULL;
}

/// Put the children of `root` where `at` stands, and return the first of them, or what comes behind.
static const gmc_xml_element *splice(const gmc_xml_element *at, const gmc_xml_element *root)
{
    gmc_xml_element *parent = at->parent, **link = &parent->first_child;
    for (gmc_xml_element *e = root->first_child; e; e = e->next)
        e->parent = parent;
    while (*link != at)
        link = &(*link)->next;
    *link = root->first_child ? root->first_child : at->next;
    if (root->last_child) root->last_child->next = at->next;
    return *link;
}

static const gmc_xml_element *include(mjcf_reader *m, const gmc_xml_element *at)
{
    const gmc_xml_attribute *file = gmc_xml_find(at, "file");
    check_words(m, at);
    if (!file || !file->value[0]) {
        mistake(m, at->source, NULL, "<include> needs `file`");
        return at->next;
    }
    const char *path = path_beside(m, file->value);
    if (is_included(m, path) || m->include_count >= GMC_MJCF_INCLUDES_MAX) {
        mistake(m, file->source, NULL,
                is_included(m, path) ? "%.200s is included twice"
                                     : "too many included files, with %.200s",
                file->value);
        return at->next;
    }
    m->included[m->include_count++] = path;
    const gmc_xml_element *root = load(m, path, file->source);
    return root ? splice(at, root) : at->next;
}

static void include_all(mjcf_reader *m, const gmc_xml_element *parent)
{
    for (const gmc_xml_element *e = parent->first_child; e;) {
        if (gmc_xml_is(e, "include")) {
            e = include(m, e);
            continue;
        }
        include_all(m, e);
        e = e->next;
    }
}

// ---- the file ----------------------------------------------------------------------------------

typedef void section_reader(mjcf_reader *m, const gmc_xml_element *section);

static void each_section(mjcf_reader *m, const char *name, section_reader *read)
{
    for (const gmc_xml_element *e = gmc_xml_child(m->root, name); e; e = gmc_xml_next(e))
        read(m, e);
}

static void read_outer_default(mjcf_reader *m, const gmc_xml_element *section)
{
    read_default(m, section, -1);
}

static void check_assets(mjcf_reader *m, const gmc_xml_element *section)
{
    static const char *const known[] = {"mesh", "texture", "material", "hfield",
                                        "skin", "model",   NULL};
    for (const gmc_xml_element *e = section->first_child; e; e = e->next) {
        if (gmc_xml_is(e, "mesh"))
            check_words(m, e);
        else if (!is_among(e->name, known))
            check_child(m, e, known);
    }
}

static void check_sections(mjcf_reader *m)
{
    static const char *const known[] = {"compiler", "option",   "size",      "visual",  "statistic",
                                        "default",  "asset",    "worldbody", "contact", "equality",
                                        "tendon",   "actuator", NULL};
    static const char *const loud[] = {"sensor", "keyframe", "custom", NULL};
    static const char *const refused[] = {"deformable", "extension", NULL};
    for (const gmc_xml_element *e = m->root->first_child; e; e = e->next) {
        if (is_among(e->name, known)) continue;
        if (is_among(e->name, loud))
            warn_unread(m, e->source, e->name);
        else if (is_among(e->name, refused))
            mistake(m, e->source, "leave it out", "<%s> is not supported", e->name);
        else
            check_child(m, e, known);
    }
}

/// Marks of joints that have an actuator, for as long as actuators are read.
static void read_all_actuators(mjcf_reader *m)
{
    gmc_urdf *urdf = m->r.urdf;
    size_t count = (size_t)urdf->joint_count + 1;
    m->is_driven = calloc(count, sizeof *m->is_driven);
    m->is_damped = calloc(count, sizeof *m->is_damped);
    if (m->is_driven && m->is_damped)
        each_section(m, "actuator", read_actuators);
    else
        m->r.is_out_of_memory = true;
    bool has_actuators = false;
    for (const gmc_xml_element *e = gmc_xml_child(m->root, "actuator"); e; e = gmc_xml_next(e))
        has_actuators = has_actuators || e->first_child;
    for (int i = 0; i < urdf->joint_count && has_actuators && !m->r.is_out_of_memory; i++)
        if (!m->is_driven[i] && !m->is_damped[i])
            urdf->joints[i].stiffness = urdf->joints[i].servo_damping = 0;
    free(m->is_driven);
    free(m->is_damped);
}

static void read_model(mjcf_reader *m)
{
    const gmc_xml_attribute *name = gmc_xml_find(m->root, "model");
    m->r.urdf->name = name ? name->value : "";
    include_all(m, m->root);
    check_sections(m);
    each_section(m, "compiler", read_compiler);
    each_section(m, "option", read_option);
    each_section(m, "default", read_outer_default);
    each_section(m, "asset", check_assets);
    read_world(m);
    if (m->r.is_out_of_memory) return;
    each_section(m, "contact", read_contact);
    each_section(m, "tendon", read_tendons);
    each_section(m, "equality", read_equality);
    read_all_actuators(m);
    if (!m->r.is_out_of_memory) gmc_urdf_finish(&m->r);
}

static gmc_status read_file(mjcf_reader *m)
{
    gmc_diagnostics *report = m->r.report;
    int errors_before = report->error_count;
    const char *included[GMC_MJCF_INCLUDES_MAX + 1] = {m->r.urdf->file};
    m->included = included;
    m->include_count = 1;
    m->root = load(m, m->r.urdf->file, m->r.options->from);
    if (m->root) read_model(m);
    free(m->r.inertials);
    free(m->classes);
    free(m->blocks);
    free(m->sites);
    if (m->r.is_out_of_memory) {
        gmc_diagnostics_add(report, GMC_E_MEMORY, (gmc_source){.file = m->r.urdf->file}, NULL,
                            "no memory left for this MJCF");
        return GMC_E_MEMORY;
    }
    return report->error_count > errors_before ? gmc_diagnostics_status(report) : GMC_OK;
}

gmc_status gmc_mjcf_open(const char *file, const gmc_urdf_options *options, gmc_diagnostics *report,
                         gmc_urdf *urdf)
{
    mjcf_reader m = {.r = {.urdf = urdf, .options = options, .report = report},
                     .compiler = {.is_autolimited = true, .eulerseq = "xyz", .groups = {0, 5}}};
    gmc_status status = gmc_urdf_start(file, urdf);
    if (status == GMC_OK)
        status = read_file(&m);
    else
        gmc_diagnostics_add(report, status, options->from, NULL, "MJCF %s cannot be read: %s", file,
                            gmc_status_name(status));
    if (status != GMC_OK) gmc_urdf_close(urdf);
    return status;
}
