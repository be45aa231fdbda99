// Joints as they stand in the file.
#include "engine/model/urdf_internal.h"

#include <stdlib.h>
#include <string.h>

static const char *const none[] = {NULL};

// Farther than any finger or gripper slides, but less than a millimetre taken for a metre [m].
static const double TRAVEL_MAX = 2;

static const gmc_urdf_warning no_axis = {{"no axis, (1 0 0) taken, for", "joints"},
                                         "write <axis xyz=\"...\"/>, in the joint's own frame"},
                              no_room = {{"lower equals upper, no motion, for", "joints"}, NULL},
                              no_stops = {{"continuous, lower and upper not used, for", "joints"},
                                          "make the joint `revolute` if it has stops"},
                              no_effort = {{"effort limit 0, taken as none, for", "joints"},
                                           "write the largest force or moment of the motor"},
                              too_far = {{"slides by more than 2 m:", "joints"},
                                         "limits of prismatic joints are in metres"};

static bool read_kind(gmc_urdf_reader *reader, const gmc_xml_element *element, gmc_urdf_kind *kind)
{
    static const char *const names[] = {"fixed",     "revolute", "continuous",
                                        "prismatic", "floating", NULL};
    const char *type = gmc_urdf_words_text(reader, element, "type");
    if (!type) return false;
    for (int i = 0; names[i]; i++)
        if (strcmp(type, names[i]) == 0) {
            *kind = (gmc_urdf_kind)i;
            return true;
        }
    gmc_source place = gmc_xml_find(element, "type")->source;
    const char *near = gmc_urdf_words_nearest(type, names);
    char hint[80];
    if (near) snprintf(hint, sizeof hint, "did you mean `%s`?", near);
    if (strcmp(type, "planar") == 0)
        gmc_urdf_words_error(reader, place, "write two prismatic joints and a continuous one",
                             "joints of type planar are not supported");
    else
        gmc_urdf_words_error(
            reader, place, near ? hint : "known: fixed, revolute, continuous, prismatic, floating",
            "the joint type `%.64s` is not known", type);
    return false;
}

// Nearest link name for a hint of those that are shown.
static const char *nearest_link(const gmc_urdf_reader *reader, const char *name)
{
    const gmc_urdf *urdf = reader->urdf;
    const char *best = NULL;
    if (reader->report->error_count >= GMC_DIAGNOSTICS_SHOWN) return NULL; // nobody will see it
    for (int i = 0; i < urdf->link_count && !best; i++) {
        const char *const one[] = {urdf->links[i].name, NULL};
        best = gmc_urdf_words_nearest(name, one);
    }
    return best;
}

static int read_end(gmc_urdf_reader *reader, const gmc_xml_element *element, const char *which)
{
    static const char *const attributes[] = {"link", NULL};
    static const gmc_urdf_grammar grammar = {none, none, none, attributes};
    const gmc_xml_element *end = gmc_xml_child(element, which);
    if (!end) {
        gmc_urdf_words_error(reader, element->source, NULL, "<joint> needs <%s link=\"...\"/>",
                             which);
        return -1;
    }
    gmc_urdf_words_check(reader, end, &grammar);
    const char *name = gmc_urdf_words_text(reader, end, "link");
    int link = name ? gmc_urdf_find_link(reader->urdf, name) : -1;
    if (name && link < 0) {
        char hint[96];
        const char *near = nearest_link(reader, name);
        if (near) snprintf(hint, sizeof hint, "did you mean `%.64s`?", near);
        gmc_urdf_words_error(reader, gmc_xml_find(end, "link")->source, near ? hint : NULL,
                             "there is no link `%.64s`", name);
    }
    return link;
}

static bool is_single(const gmc_urdf_joint *joint)
{
    return joint->kind != GMC_URDF_FIXED && joint->kind != GMC_URDF_FLOATING;
}

static void read_axis(gmc_urdf_reader *reader, const gmc_xml_element *element,
                      gmc_urdf_joint *joint)
{
    static const char *const attributes[] = {"xyz", NULL};
    static const gmc_urdf_grammar grammar = {none, none, none, attributes};
    const gmc_xml_element *axis = gmc_xml_child(element, "axis");
    double v[3] = {1, 0, 0};
    joint->axis = gmc_vec3_make(1, 0, 0);
    if (axis) gmc_urdf_words_check(reader, axis, &grammar);
    if (!is_single(joint)) return;
    if (!axis || !gmc_xml_find(axis, "xyz")) {
        gmc_urdf_words_warn(reader, axis ? axis->source : element->source, &no_axis, joint->name,
                            "joint `%s` has no axis: (1 0 0) is taken, as URDF says", joint->name);
        return;
    }
    if (!gmc_urdf_words_numbers(reader, axis, "xyz", 3, v)) return;
    // scaled first: components of 1e200 have a direction, too
    double largest = fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2])));
    if (largest > 0)
        joint->axis = gmc_vec3_unit(gmc_vec3_make(v[0] / largest, v[1] / largest, v[2] / largest));
    else
        gmc_urdf_words_error(reader, gmc_xml_find(axis, "xyz")->source, NULL,
                             "the axis of joint `%s` has no direction", joint->name);
}

// A limit where 0 means "never moves" in one program and "no limit" in another.
static double read_bound(gmc_urdf_reader *reader, const gmc_xml_element *limit,
                         const char *attribute, const char *joint, const gmc_urdf_warning *about)
{
    double value;
    const gmc_xml_attribute *a = gmc_xml_find(limit, attribute);
    if (!a || !gmc_urdf_words_required(reader, limit, attribute, 0, 1e300, &value)) return INFINITY;
    if (value > 0) return value;
    if (about)
        gmc_urdf_words_warn(reader, a->source, about, joint,
                            "the %s limit of joint `%s` is 0, with which it could not move: taken "
                            "as unlimited",
                            attribute, joint);
    return INFINITY;
}

static void read_range(gmc_urdf_reader *reader, const gmc_xml_element *limit, gmc_urdf_joint *joint)
{
    const gmc_xml_attribute *lower = gmc_xml_find(limit, "lower"),
                            *upper = gmc_xml_find(limit, "upper");
    double low = 0, high = 0;
    if (!lower && !upper) {
        gmc_urdf_words_error(reader, limit->source,
                             joint->kind == GMC_URDF_REVOLUTE
                                 ? "give both, or make the joint `continuous`"
                                 : "give both",
                             "joint `%s` has neither `lower` nor `upper`: both are 0 then, and it "
                             "cannot move",
                             joint->name);
        return;
    }
    bool is_good = !lower || gmc_urdf_words_numbers(reader, limit, "lower", 1, &low);
    is_good = (!upper || gmc_urdf_words_numbers(reader, limit, "upper", 1, &high)) && is_good;
    if (!is_good) return;
    gmc_source place = upper ? upper->source : lower->source;
    if (low > high)
        gmc_urdf_words_error(reader, place, NULL, "joint `%s`: lower %g is above upper %g",
                             joint->name, low, high);
    else if (low == high)
        gmc_urdf_words_warn(reader, place, &no_room, joint->name,
                            "joint `%s` cannot move: lower and upper are %g", joint->name, low);
    else if (joint->kind == GMC_URDF_PRISMATIC && high - low > TRAVEL_MAX)
        gmc_urdf_words_warn(reader, place, &too_far, joint->name,
                            "joint `%s` slides by %g m, from %g to %g", joint->name, high - low,
                            low, high);
    joint->has_limits = true;
    joint->lower = low;
    joint->upper = high;
}

static void read_limit(gmc_urdf_reader *reader, const gmc_xml_element *element,
                       gmc_urdf_joint *joint)
{
    static const char *const attributes[] = {"lower", "upper", "effort", "velocity", NULL};
    static const gmc_urdf_grammar grammar = {none, none, none, attributes};
    const gmc_xml_element *limit = gmc_xml_child(element, "limit");
    if (limit) gmc_urdf_words_check(reader, limit, &grammar);
    if (!is_single(joint)) return;
    bool needs_range = joint->kind != GMC_URDF_CONTINUOUS;
    if (!limit) {
        if (needs_range)
            gmc_urdf_words_error(
                reader, element->source,
                joint->kind == GMC_URDF_REVOLUTE ? "add it, or make the joint `continuous`" : NULL,
                "joint `%s` needs <limit lower=\"...\" upper=\"...\" "
                "effort=\"...\" velocity=\"...\"/>",
                joint->name);
        return;
    }
    if (needs_range)
        read_range(reader, limit, joint);
    else if (gmc_xml_find(limit, "lower") || gmc_xml_find(limit, "upper"))
        gmc_urdf_words_warn(reader, limit->source, &no_stops, joint->name,
                            "joint `%s` is continuous: its lower and upper are not used",
                            joint->name);
    const gmc_urdf_options *options = reader->options;
    bool is_elsewhere = options->has_effort && options->has_effort(options->context, joint->name);
    joint->effort =
        read_bound(reader, limit, "effort", joint->name, is_elsewhere ? NULL : &no_effort);
    joint->velocity = read_bound(reader, limit, "velocity", joint->name, NULL);
}

static void read_dynamics(gmc_urdf_reader *reader, const gmc_xml_element *element,
                          gmc_urdf_joint *joint)
{
    static const char *const attributes[] = {"damping", "friction", NULL};
    static const gmc_urdf_grammar grammar = {none, none, none, attributes};
    const gmc_xml_element *dynamics = gmc_xml_child(element, "dynamics");
    if (!dynamics) return;
    gmc_urdf_words_check(reader, dynamics, &grammar);
    if (gmc_xml_find(dynamics, "damping"))
        (void)gmc_urdf_words_required(reader, dynamics, "damping", 0, 1e300, &joint->damping);
    if (gmc_xml_find(dynamics, "friction"))
        (void)gmc_urdf_words_required(reader, dynamics, "friction", 0, 1e300, &joint->friction);
}

static void read_joint(gmc_urdf_reader *reader, const gmc_xml_element *element,
                       gmc_urdf_joint *joint)
{
    static const char *const children[] = {"origin", "parent",   "child", "axis",
                                           "limit",  "dynamics", "mimic", NULL};
    static const char *const attributes[] = {"name", "type", NULL};
    static const gmc_urdf_grammar grammar = {children, none, none, attributes};
    *joint = (gmc_urdf_joint){.source = element->source,
                              .leader = -1,
                              .ratio = 1,
                              .lower = -INFINITY,
                              .upper = INFINITY,
                              .effort = INFINITY,
                              .velocity = INFINITY};
    gmc_urdf_words_check(reader, element, &grammar);
    const char *name = gmc_urdf_words_text(reader, element, "name");
    joint->name = name ? name : "";
    if (name) joint->source = gmc_xml_find(element, "name")->source;
    joint->X_pj = gmc_urdf_words_origin(reader, element);
    joint->parent = read_end(reader, element, "parent");
    joint->child = read_end(reader, element, "child");
    if (!read_kind(reader, element, &joint->kind)) return;
    read_axis(reader, element, joint);
    read_limit(reader, element, joint);
    if (is_single(joint)) read_dynamics(reader, element, joint);
}

// ---- mimic -------------------------------------------------------------------------------------

static const char *nearest_joint(const gmc_urdf *urdf, const char *name)
{
    const char *best = NULL;
    for (int i = 0; i < urdf->joint_count && !best; i++) {
        const char *const one[] = {urdf->joints[i].name, NULL};
        best = gmc_urdf_words_nearest(name, one);
    }
    return best;
}

static void read_mimic(gmc_urdf_reader *reader, const gmc_xml_element *mimic, int follower)
{
    static const char *const attributes[] = {"joint", "multiplier", "offset", NULL};
    static const gmc_urdf_grammar grammar = {none, none, none, attributes};
    gmc_urdf *urdf = reader->urdf;
    gmc_urdf_joint *joint = urdf->joints + follower;
    gmc_urdf_words_check(reader, mimic, &grammar);
    (void)gmc_urdf_words_numbers(reader, mimic, "multiplier", 1, &joint->ratio);
    (void)gmc_urdf_words_numbers(reader, mimic, "offset", 1, &joint->offset);
    if (joint->ratio == 0 || fabs(joint->ratio) > 1e6 || fabs(joint->offset) > 1e6)
        gmc_urdf_words_error(reader, mimic->source,
                             joint->ratio == 0 ? "make it a fixed joint" : NULL,
                             "joint `%s` follows with multiplier %g and offset %g", joint->name,
                             joint->ratio, joint->offset);
    const char *name = gmc_urdf_words_text(reader, mimic, "joint");
    if (!name) return;
    gmc_source place = gmc_xml_find(mimic, "joint")->source;
    int leader = gmc_urdf_find_joint(urdf, name);
    if (leader < 0) {
        char hint[96];
        const char *near = nearest_joint(urdf, name);
        if (near) snprintf(hint, sizeof hint, "did you mean `%.64s`?", near);
        gmc_urdf_words_error(reader, place, near ? hint : NULL,
                             "there is no joint `%.64s` to follow", name);
    } else if (leader == follower) {
        gmc_urdf_words_error(reader, place, NULL, "joint `%s` follows itself", joint->name);
    } else if (!is_single(joint) || !is_single(urdf->joints + leader)) {
        gmc_urdf_words_error(reader, place, NULL,
                             "joint `%s` follows `%.64s`: both must be revolute, continuous or "
                             "prismatic",
                             joint->name, name);
    } else {
        joint->leader = leader;
    }
}

// q = r q' + o and q' = r' q'' + o' make q = r r' q'' + (r o' + o): chains end at who moves on its
// own.
static void resolve_mimics(gmc_urdf_reader *reader)
{
    gmc_urdf *urdf = reader->urdf;
    for (int i = 0; i < urdf->joint_count; i++) {
        gmc_urdf_joint *joint = urdf->joints + i;
        for (int steps = 0; joint->leader >= 0 && urdf->joints[joint->leader].leader >= 0;
             steps++) {
            const gmc_urdf_joint *next = urdf->joints + joint->leader;
            if (steps >= urdf->joint_count) {
                gmc_urdf_words_error(reader, joint->source, "one joint must move on its own",
                                     "joint `%s` follows `%s`, which in the end follows it",
                                     joint->name, next->name);
                joint->leader = -1;
                break;
            }
            joint->offset += joint->ratio * next->offset;
            joint->ratio *= next->ratio;
            joint->leader = next->leader;
        }
    }
}

void gmc_urdf_joints_read(gmc_urdf_reader *reader, const gmc_xml_element *root)
{
    gmc_urdf *urdf = reader->urdf;
    int count = 0;
    for (const gmc_xml_element *e = gmc_xml_child(root, "joint"); e; e = gmc_xml_next(e))
        if (++count > GMC_URDF_PARTS_MAX) {
            gmc_urdf_words_error(reader, e->source, NULL, "more than %d joints",
                                 GMC_URDF_PARTS_MAX);
            return;
        }
    if (count == 0) return;
    urdf->joints = calloc((size_t)count, sizeof *urdf->joints);
    if (!urdf->joints) {
        reader->is_out_of_memory = true;
        return;
    }
    for (const gmc_xml_element *e = gmc_xml_child(root, "joint"); e; e = gmc_xml_next(e)) {
        gmc_urdf_joint *joint = urdf->joints + urdf->joint_count;
        read_joint(reader, e, joint);
        int twin = gmc_urdf_find_joint(urdf, joint->name);
        if (twin >= 0 && joint->name[0])
            gmc_urdf_words_error(reader, joint->source, NULL,
                                 "a second joint `%s`; the first stands in line %d", joint->name,
                                 urdf->joints[twin].source.line);
        urdf->joint_count++;
    }
    int at = 0;
    for (const gmc_xml_element *e = gmc_xml_child(root, "joint"); e; e = gmc_xml_next(e), at++) {
        const gmc_xml_element *mimic = gmc_xml_child(e, "mimic");
        if (mimic) read_mimic(reader, mimic, at);
    }
    resolve_mimics(reader);
}
