// Collects copies of what it is given, checks all of it at the end, gives out indices and writes
// the model's flat arrays. Finishing changes nothing that was collected, so a caller whose arena
// was too small may grow it and finish again.
//
// Numbering: bodies, free velocities, driven velocities and coordinates each follow the order in
// which links were added, so a scenario that adds a body at the end renumbers nothing before it.
#include "engine/model/builder.h"

#include "engine/base/list.h"
#include "engine/base/lookup.h"
#include "engine/model/inertia.h"
#include "engine/model/support.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct builder_link_entry {
    gmc_source source;
    const char *name, *parent_name; ///< parent NULL: the world
    gmc_joint_spec joint;           ///< its name is never NULL
    gmc_inertia inertia;
    int parent;    ///< index of the parent link, -1: the world
    int leader;    ///< link whose joint is mimicked, -1: none
    int body;      ///< body it belongs to, given out by finish
    gmc_pose X_bl; ///< in that body
    int mount;     ///< of the model, 0: none; given out by finish, too
} builder_link_entry;

typedef struct builder_geom_entry {
    gmc_source source;
    const char *link_name, *name;
    int link; ///< -1: the world
    gmc_pose X_lg;
    gmc_shape shape;
    int surface;
    unsigned category, mask;
} builder_geom_entry;

typedef struct builder_law_entry {
    gmc_source source;
    int a, b; ///< surfaces
    gmc_surface_law law;
} builder_law_entry;

typedef struct builder_support_entry {
    gmc_source source;
    const char *link_name;
    int link;
    gmc_support_spec spec; ///< points: NULL
    int point_first;       ///< in support_points
} builder_support_entry;

/// One growing array; `items` is typed at its use.
typedef struct builder_list {
    void *items;
    int count, capacity;
} builder_list;

struct gmc_builder {
    gmc_diagnostics *report;
    int mistake_count;     ///< of the last finish
    bool is_out_of_memory; ///< something could not be kept
    gmc_vec3 gravity;
    builder_list links, geoms, laws, surfaces, supports, support_points, texts;
};

static inline builder_link_entry *builder_links(const gmc_builder *builder)
{
    return builder->links.items;
}

/// Report a mistake and count it. `format` as in printf.
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
static void
builder_check_report(gmc_builder *builder, gmc_source source, const char *hint, const char *format,
                     ...);

// As stiff as contact is by default: a grip of 100 N goes 0.1 mm beyond a stop. With 1e5 N/m jaws
// held what their stops keep them from, 1 mm away. Implicit, so that it does not bound the step.
static const double DEFAULT_LIMIT_STIFFNESS = 1e6;

gmc_dof gmc_builder_default_dof(void)
{
    return (gmc_dof){.lower = -INFINITY,
                     .upper = INFINITY,
                     .limit_stiffness = DEFAULT_LIMIT_STIFFNESS,
                     .max_force = INFINITY,
                     .max_speed = INFINITY};
}

/// One more item of a list, zeroed; NULL if there is no memory (noted in the builder).
static void *builder_add(gmc_builder *builder, builder_list *list, size_t size)
{
    void *items = gmc_list_room(list->items, list->count, &list->capacity, size);
    if (!items) {
        builder->is_out_of_memory = true;
        return NULL;
    }
    list->items = items;
    void *item = (unsigned char *)list->items + (size_t)list->count++ * size;
    memset(item, 0, size);
    return item;
}

/// The builder's own copy of a text; NULL for NULL and if there is no memory.
static const char *builder_keep(gmc_builder *builder, const char *text)
{
    if (!text) return NULL;
    char **texts = builder->texts.items;
    int last = builder->texts.count - 1;
    if (last >= 0 && strcmp(texts[last], text) == 0) return texts[last]; // file names come in runs

    size_t bytes = strlen(text) + 1;
    char *copy = malloc(bytes);
    char **place = copy ? builder_add(builder, &builder->texts, sizeof(char *)) : NULL;
    if (!place) {
        free(copy);
        builder->is_out_of_memory = true;
        return NULL;
    }
    memcpy(copy, text, bytes);
    *place = copy;
    return copy;
}

static gmc_source keep_source(gmc_builder *builder, gmc_source source)
{
    source.file = builder_keep(builder, source.file);
    return source;
}

gmc_builder *gmc_builder_create(gmc_diagnostics *report)
{
    gmc_builder *builder = calloc(1, sizeof *builder);
    if (!builder) return NULL;
    builder->report = report;
    builder->gravity = (gmc_vec3){0, 0, -9.81};
    return builder;
}

void gmc_builder_free(gmc_builder *builder)
{
    if (!builder) return;
    char **texts = builder->texts.items;
    for (int i = 0; i < builder->texts.count; i++)
        free(texts[i]);
    free(builder->texts.items);
    free(builder->links.items);
    free(builder->geoms.items);
    free(builder->laws.items);
    free(builder->supports.items);
    free(builder->support_points.items);
    free(builder->surfaces.items);
    free(builder);
}

void gmc_builder_gravity(gmc_builder *builder, gmc_vec3 gravity) { builder->gravity = gravity; }

void gmc_builder_link(gmc_builder *builder, gmc_source source, const char *name, const char *parent,
                      const gmc_joint_spec *joint, const gmc_inertia *inertia)
{
    builder_link_entry *link = builder_add(builder, &builder->links, sizeof *link);
    if (!link) return;
    link->source = keep_source(builder, source);
    link->name = builder_keep(builder, name);
    link->parent_name = builder_keep(builder, parent);
    link->joint = joint ? *joint : (gmc_joint_spec){.X_pj = gmc_pose_identity()};
    link->joint.name = builder_keep(builder, joint && joint->name ? joint->name : name);
    link->joint.mimic_joint = builder_keep(builder, link->joint.mimic_joint);
    if (inertia) link->inertia = *inertia;
}

// Index of a surface, made known if it is not; -1 if there is no memory.
static int find_surface(gmc_builder *builder, const char *name)
{
    const char **names = builder->surfaces.items;
    for (int i = 0; i < builder->surfaces.count; i++)
        if (strcmp(names[i], name) == 0) return i;
    const char *copy = builder_keep(builder, name);
    const char **place = copy ? builder_add(builder, &builder->surfaces, sizeof *place) : NULL;
    if (!place) return -1;
    *place = copy;
    return builder->surfaces.count - 1;
}

void gmc_builder_surface(gmc_builder *builder, const char *name)
{
    (void)find_surface(builder, name);
}

void gmc_builder_geom(gmc_builder *builder, const gmc_geom_spec *spec)
{
    builder_geom_entry *geom = builder_add(builder, &builder->geoms, sizeof *geom);
    if (!geom) return;
    geom->source = keep_source(builder, spec->source);
    geom->link_name = builder_keep(builder, spec->link);
    geom->name = builder_keep(builder, spec->name ? spec->name : spec->link);
    geom->X_lg = spec->X_lg;
    geom->shape = spec->shape;
    geom->surface = find_surface(builder, spec->surface);
    geom->category = spec->category;
    geom->mask = spec->mask;
}

void gmc_builder_law(gmc_builder *builder, gmc_source source, const char *a, const char *b,
                     gmc_surface_law law)
{
    builder_law_entry *entry = builder_add(builder, &builder->laws, sizeof *entry);
    if (!entry) return;
    entry->source = keep_source(builder, source);
    entry->a = find_surface(builder, a);
    entry->b = find_surface(builder, b);
    entry->law = law;
    entry->law.is_given = true;
}

// ---- judging link by link ----------------------------------------------------------------------
//
// Judges what was collected: all mistakes in one pass, each at its place. Names are resolved here,
// so a part whose name leads nowhere is reported once and then treated as if it hung on the world.

// Rotations come from quaternions and angles, good to rounding; files with six digits are readers'
// work.
static const double ROTATION_SLACK = 1e-9;

static void builder_check_report(gmc_builder *builder, gmc_source source, const char *hint,
                                 const char *format, ...)
{
    char text[640];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    gmc_diagnostics_add(builder->report, GMC_E_INPUT, source, hint, "%s", text);
    builder->mistake_count++;
}

static bool is_same(const char *a, const char *b) { return a && b && strcmp(a, b) == 0; }

/// Among the first `count` links; -1 if there is none.
static int builder_find_link(const gmc_builder *builder, const char *name, int count)
{
    const builder_link_entry *links = builder_links(builder);
    for (int i = 0; i < count; i++)
        if (is_same(links[i].name, name)) return i;
    return -1;
}

static bool is_rigid(const gmc_pose *X)
{
    if (!isfinite(X->p.x + X->p.y + X->p.z)) return false;
    gmc_mat3 Rt = gmc_mat3_transpose(&X->R), one = gmc_mat3_multiply(&Rt, &X->R);
    for (int i = 0; i < 9; i++)
        if (!(fabs(one.m[i] - (i % 4 == 0 ? 1 : 0)) <= ROTATION_SLACK)) return false;
    return gmc_mat3_determinant(&X->R) > 0;
}

static void check_pose(gmc_builder *builder, gmc_source source, const char *what, const char *name,
                       const gmc_pose *X)
{
    if (!is_rigid(X))
        builder_check_report(builder, source, NULL,
                             "the pose of %s '%s' is not a finite position and a rotation", what,
                             name);
}

static void check_names(gmc_builder *builder, int i)
{
    const builder_link_entry *links = builder_links(builder), *link = links + i;
    if (!link->name || !link->name[0])
        builder_check_report(builder, link->source, NULL, "a link needs a name");
    else if (builder_find_link(builder, link->name, i) >= 0)
        builder_check_report(builder, link->source, NULL, "the link name '%s' is used twice",
                             link->name);
    for (int k = 0; k < i; k++)
        if (!is_same(link->name, links[k].name) && is_same(link->joint.name, links[k].joint.name))
            builder_check_report(builder, link->source, NULL,
                                 "the joint name '%s' is used twice, by links '%s' and '%s'",
                                 link->joint.name, links[k].name, link->name);
}

static void check_parent(gmc_builder *builder, int i)
{
    builder_link_entry *link = builder_links(builder) + i;
    link->parent = link->parent_name ? builder_find_link(builder, link->parent_name, i) : -1;
    if (!link->parent_name || link->parent >= 0) return;
    bool comes_later = builder_find_link(builder, link->parent_name, builder->links.count) >= 0;
    builder_check_report(builder, link->source,
                         comes_later ? "a parent is added before its children" : NULL,
                         "the parent '%s' of link '%s' %s", link->parent_name, link->name,
                         comes_later ? "comes after it" : "does not exist");
}

static bool has_one_dof(const builder_link_entry *link)
{
    return link->joint.type == GMC_JOINT_REVOLUTE || link->joint.type == GMC_JOINT_PRISMATIC;
}

static void check_mimic(gmc_builder *builder, int i)
{
    builder_link_entry *links = builder_links(builder), *link = links + i;
    const gmc_joint_spec *joint = &link->joint;
    link->leader = -1;
    if (!joint->mimic_joint) return;
    for (int k = 0; k < builder->links.count; k++)
        if (is_same(links[k].joint.name, joint->mimic_joint)) link->leader = k;

    const builder_link_entry *leader = link->leader < 0 ? NULL : links + link->leader;
    if (!leader)
        builder_check_report(builder, link->source, NULL,
                             "joint '%s' mimics '%s', which does not exist", joint->name,
                             joint->mimic_joint);
    else if (link->leader == i)
        builder_check_report(builder, link->source, NULL, "joint '%s' mimics itself", joint->name);
    else if (leader->joint.mimic_joint)
        builder_check_report(builder, link->source, "name the joint that moves on its own",
                             "joint '%s' mimics '%s', which is a mimic itself, of '%s'",
                             joint->name, joint->mimic_joint, leader->joint.mimic_joint);
    else if (!has_one_dof(link) || !has_one_dof(leader))
        builder_check_report(builder, link->source, NULL,
                             "joint '%s' mimics '%s': both must be revolute or prismatic",
                             joint->name, joint->mimic_joint);
    else if (!isfinite(joint->ratio + joint->offset) || joint->ratio == 0)
        builder_check_report(builder, link->source,
                             joint->ratio == 0 ? "write a fixed joint instead" : NULL,
                             "the mimic of joint '%s' needs a finite ratio other than 0 and a "
                             "finite offset, found %g and %g",
                             joint->name, joint->ratio, joint->offset);
}

static void check_limits(gmc_builder *builder, const builder_link_entry *link)
{
    const gmc_joint_spec *joint = &link->joint;
    const gmc_dof *dof = &joint->dof;
    const char *name = joint->name;
    if (!has_one_dof(link)) {
        if (isfinite(dof->lower) || isfinite(dof->upper) || dof->friction != 0)
            builder_check_report(builder, link->source, NULL,
                                 "joint '%s' is free, planar or spherical: limits and friction "
                                 "are for revolute and prismatic joints",
                                 name);
        return;
    }
    if (!(dof->lower <= dof->upper))
        builder_check_report(builder, link->source, NULL,
                             "the limits of joint '%s' are crossed: lower %g, upper %g", name,
                             dof->lower, dof->upper);
    else if (!isfinite(joint->q_start))
        builder_check_report(builder, link->source, NULL,
                             "the start of joint '%s' must be finite, found %g", name,
                             joint->q_start);
    else if (!joint->mimic_joint && !(dof->lower <= joint->q_start && joint->q_start <= dof->upper))
        gmc_diagnostics_add(builder->report, GMC_OK, link->source,
                            "it starts at the nearer limit; give it a start within them",
                            "the start %g of joint '%s' lies outside its limits %g and %g",
                            joint->q_start, name, dof->lower, dof->upper);
}

static void check_dof(gmc_builder *builder, const builder_link_entry *link)
{
    const gmc_dof *dof = &link->joint.dof;
    const char *name = link->joint.name;
    const struct {
        const char *what;
        double value;
        bool must_be_finite, may_be_zero;
    } properties[] = {
        {"armature", dof->armature, true, true},
        {"damping", dof->damping, true, true},
        {"friction", dof->friction, true, true},
        {"limit stiffness", dof->limit_stiffness, true, false},
        {"largest force", dof->max_force, false, true},
        {"largest speed", dof->max_speed, false, true},
    };
    for (int i = 0; i < GMC_COUNT(properties); i++) {
        double value = properties[i].value;
        bool is_good = properties[i].may_be_zero ? value >= 0 : value > 0;
        if (!is_good || (properties[i].must_be_finite && !isfinite(value)))
            builder_check_report(builder, link->source, NULL,
                                 "the %s of joint '%s' must be %s0%s, found %g", properties[i].what,
                                 name, properties[i].may_be_zero ? ">= " : "> ",
                                 properties[i].must_be_finite ? " and finite" : "", value);
    }
    if (link->joint.type == GMC_JOINT_FREE && dof->armature != 0)
        builder_check_report(builder, link->source, NULL,
                             "joint '%s' is free: armature belongs to a motor, found %g", name,
                             dof->armature);
    check_limits(builder, link);
}

static bool is_on_moving_body(const gmc_builder *builder, const builder_link_entry *link)
{
    const builder_link_entry *links = builder_links(builder);
    for (int i = link->parent; i >= 0; i = links[i].parent)
        if (links[i].joint.type != GMC_JOINT_FIXED) return true;
    return false;
}

// The parent stands, so what its frames say of the plane holds for ever.
static void check_planar(gmc_builder *builder, const builder_link_entry *link)
{
    const builder_link_entry *links = builder_links(builder);
    if (is_on_moving_body(builder, link)) {
        builder_check_report(builder, link->source, "give it the world as its parent",
                             "joint '%s' is planar, so its parent '%s' must not move",
                             link->joint.name, link->parent_name);
        return;
    }
    gmc_vec3 z = gmc_mat3_column(&link->joint.X_pj.R, 2);
    for (int i = link->parent; i >= 0; i = links[i].parent)
        z = gmc_mat3_apply(&links[i].joint.X_pj.R, z);
    if (!(fabs(z.x) + fabs(z.y) <= ROTATION_SLACK && z.z > 0))
        builder_check_report(builder, link->source, NULL,
                             "joint '%s' is planar: the z axis of its frame must be the world's",
                             link->joint.name);
}

static void check_joint(gmc_builder *builder, const builder_link_entry *link)
{
    const gmc_joint_spec *joint = &link->joint;
    check_pose(builder, link->source, "joint", joint->name, &joint->X_pj);
    switch (joint->type) {
    case GMC_JOINT_REVOLUTE:
    case GMC_JOINT_PRISMATIC: {
        double length = gmc_vec3_norm(joint->axis);
        if (!(length > 0) || !isfinite(length))
            builder_check_report(builder, link->source, NULL,
                                 "the axis of joint '%s' must have a direction, found (%g, %g, %g)",
                                 joint->name, joint->axis.x, joint->axis.y, joint->axis.z);
        check_dof(builder, link);
        return;
    }
    case GMC_JOINT_FREE:
        if (is_on_moving_body(builder, link))
            builder_check_report(builder, link->source,
                                 "make the joint fixed, or leave the link out",
                                 "joint '%s' is floating (free), which is not supported here: "
                                 "its parent '%s' must not move",
                                 joint->name, link->parent_name);
        check_dof(builder, link);
        return;
    case GMC_JOINT_PLANAR:
        check_planar(builder, link);
        check_dof(builder, link);
        return;
    case GMC_JOINT_SPHERICAL:
        check_dof(builder, link);
        return;
    case GMC_JOINT_FIXED:
        if (joint->is_driven)
            builder_check_report(builder, link->source, NULL,
                                 "joint '%s' is fixed and cannot be driven", joint->name);
        return;
    case GMC_JOINT_COUNT:
        break;
    }
    builder_check_report(builder, link->source, NULL, "joint '%s' has no known type", joint->name);
}

// Limits of a mimic that leave its leader nothing to move are more likely wrong than meant.
static void check_mimic_limits(gmc_builder *builder, const builder_link_entry *link)
{
    if (link->leader < 0) return;
    const builder_link_entry *leader = builder_links(builder) + link->leader;
    const gmc_joint_spec *joint = &link->joint;
    double one = (joint->dof.lower - joint->offset) / joint->ratio;
    double other = (joint->dof.upper - joint->offset) / joint->ratio;
    double lower = fmax(leader->joint.dof.lower, fmin(one, other));
    double upper = fmin(leader->joint.dof.upper, fmax(one, other));
    if (!(lower < upper) && leader->joint.dof.lower < leader->joint.dof.upper)
        gmc_diagnostics_add(
            builder->report, GMC_OK, link->source,
            "they are not used; mend their sign, or the mimic's ratio",
            "the limits %g and %g of joint '%s' leave its leader '%s' no room to move",
            joint->dof.lower, joint->dof.upper, joint->name, leader->joint.name);
}

static void check_inertia(gmc_builder *builder, const builder_link_entry *link)
{
    char message[256];
    bool is_zero = link->inertia.mass == 0;
    for (int i = 0; i < 9; i++)
        is_zero = is_zero && link->inertia.I.m[i] == 0;
    if (is_zero || gmc_inertia_check(&link->inertia, message, sizeof message) == GMC_OK) return;
    builder_check_report(builder, link->source, NULL, "the inertia of link '%s': %s", link->name,
                         message);
}

// NULL if the sizes are good, else what they must be.
static const char *judge_shape(const gmc_shape *shape)
{
    switch (shape->type) {
    case GMC_SHAPE_SPHERE:
        return shape->radius > 0 && isfinite(shape->radius) ? NULL : "needs a radius > 0";
    case GMC_SHAPE_CAPSULE:
    case GMC_SHAPE_CYLINDER:
        return shape->radius > 0 && shape->half_length > 0 &&
                       isfinite(shape->radius + shape->half_length)
                   ? NULL
                   : "needs a radius > 0 and a length > 0";
    case GMC_SHAPE_BOX:
        return shape->half.x > 0 && shape->half.y > 0 && shape->half.z > 0 &&
                       isfinite(shape->half.x + shape->half.y + shape->half.z)
                   ? NULL
                   : "needs three sizes > 0";
    case GMC_SHAPE_POLYTOPE:
        return shape->polytope && shape->scale > 0 && isfinite(shape->scale)
                   ? NULL
                   : "needs a polytope and a scale > 0";
    case GMC_SHAPE_POLYGON:
        return shape->polygon && shape->scale > 0 && shape->half_length > 0 &&
                       isfinite(shape->scale + shape->half_length)
                   ? NULL
                   : "needs a polygon, a scale > 0 and a thickness > 0";
    case GMC_SHAPE_CIRCLE:
        return shape->radius > 0 && shape->half_length > 0 &&
                       isfinite(shape->radius + shape->half_length)
                   ? NULL
                   : "needs a radius > 0 and a thickness > 0";
    case GMC_SHAPE_SUPER_ELLIPSE:
        return shape->half.x > 0 && shape->half.y > 0 && shape->half_length > 0 &&
                       shape->exponent > 1 &&
                       isfinite(shape->half.x + shape->half.y + shape->half_length +
                                shape->exponent)
                   ? NULL
                   : "needs two half axes > 0, an exponent > 1 and a thickness > 0";
    case GMC_SHAPE_PLANE:
        return NULL;
    case GMC_SHAPE_COUNT:
        break;
    }
    return "has no known type";
}

static bool moves_freely(const gmc_builder *builder, int link)
{
    const builder_link_entry *links = builder_links(builder);
    for (int i = link; i >= 0; i = links[i].parent) {
        const builder_link_entry *leader = links + (links[i].leader < 0 ? i : links[i].leader);
        if (leader->joint.type != GMC_JOINT_FIXED && !leader->joint.is_driven) return true;
    }
    return false;
}

// Index of the link that a part hangs on; -1 for the world.
static int resolve_link(gmc_builder *builder, gmc_source source, const char *name,
                        const char *link_name)
{
    if (!link_name) return -1;
    int link = builder_find_link(builder, link_name, builder->links.count);
    if (link < 0)
        builder_check_report(builder, source, NULL, "the link '%s' of shape '%s' does not exist",
                             link_name, name);
    return link;
}

static void check_geoms(gmc_builder *builder)
{
    builder_geom_entry *geoms = builder->geoms.items;
    for (int i = 0; i < builder->geoms.count; i++) {
        builder_geom_entry *geom = geoms + i;
        const char *name = geom->name ? geom->name : "world";
        geom->link = resolve_link(builder, geom->source, name, geom->link_name);
        check_pose(builder, geom->source, "shape", name, &geom->X_lg);
        const char *flaw = judge_shape(&geom->shape);
        if (flaw) builder_check_report(builder, geom->source, NULL, "shape '%s' %s", name, flaw);
        if (geom->shape.type == GMC_SHAPE_PLANE && moves_freely(builder, geom->link))
            builder_check_report(builder, geom->source, "take a box, or fix the body",
                                 "shape '%s' is a plane, which has no end: link '%s' must not "
                                 "move freely",
                                 name, geom->link_name);
    }
}

static void check_laws(gmc_builder *builder)
{
    const builder_law_entry *laws = builder->laws.items;
    const char *const *names = builder->surfaces.items;
    gmc_lookup known = {0};
    for (int i = 0; i < builder->laws.count; i++) {
        const gmc_surface_law *law = &laws[i].law;
        const char *a = names[laws[i].a], *b = names[laws[i].b];
        bool is_given_before = false;
        uint32_t hash = gmc_lookup_hash_whole(0, (uint64_t)(laws[i].a + laws[i].b));
        hash = gmc_lookup_hash_whole(hash, (uint64_t)abs(laws[i].a - laws[i].b));
        for (int at = 0, k; (k = gmc_lookup_next(&known, hash, &at)) >= 0;)
            is_given_before = is_given_before ||
                              (laws[k].a == laws[i].a && laws[k].b == laws[i].b) ||
                              (laws[k].a == laws[i].b && laws[k].b == laws[i].a);
        if (gmc_lookup_add(&known, hash, i) != GMC_OK) builder->is_out_of_memory = true;
        if (is_given_before)
            builder_check_report(builder, laws[i].source, NULL,
                                 "the law of surfaces '%s' and '%s' is given twice", a, b);
        double sum = law->friction + law->stiffness + law->relaxation + law->tangential_ratio;
        if (!isfinite(sum) || law->friction < 0 || law->stiffness <= 0 || law->relaxation < 0 ||
            law->tangential_ratio <= 0)
            builder_check_report(builder, laws[i].source, NULL,
                                 "surfaces '%s' and '%s' need friction >= 0, stiffness > 0, "
                                 "relaxation >= 0 and tangential ratio > 0, found %g, %g, %g, %g",
                                 a, b, law->friction, law->stiffness, law->relaxation,
                                 law->tangential_ratio);
    }
    gmc_lookup_free(&known);
}

/// Resolve names and judge everything that can be judged link by link.
static void builder_check_parts(gmc_builder *builder)
{
    builder_link_entry *links = builder_links(builder);
    for (int i = 0; i < builder->links.count; i++) {
        check_names(builder, i);
        check_parent(builder, i);
        check_joint(builder, links + i);
        check_mimic(builder, i);
        check_inertia(builder, links + i);
    }
    check_geoms(builder);
    check_laws(builder);
    if (!isfinite(builder->gravity.x + builder->gravity.y + builder->gravity.z))
        builder_check_report(builder, (gmc_source){0}, NULL, "gravity must be finite");
    if (builder->mistake_count > 0) return; // ratios and limits are good from here on
    for (int i = 0; i < builder->links.count; i++)
        check_mimic_limits(builder, links + i);
}

// ---- judging planes ----------------------------------------------------------------------------
//
// What is planar must stay in its plane: planar shapes lie parallel to z = 0 of the world, and
// every joint above them keeps them so. Their contacts look at x and y alone and would not notice.

// As for rotations: good to the rounding of angles and quaternions.
static const double SLACK = 1e-9;

// Does the joint of body b move things within the plane only, given its pose at the start?
static bool keeps_plane(const gmc_body *body, const gmc_mat3 *R_wb)
{
    gmc_vec3 axis = gmc_mat3_apply(R_wb, body->axis); // its own joint leaves it where it is
    switch (body->joint) {
    case GMC_JOINT_FIXED:
    case GMC_JOINT_PLANAR:
        return true;
    case GMC_JOINT_REVOLUTE:
        return fabs(axis.x) + fabs(axis.y) <= SLACK;
    case GMC_JOINT_PRISMATIC:
        return fabs(axis.z) <= SLACK;
    case GMC_JOINT_SPHERICAL:
    case GMC_JOINT_FREE:
    case GMC_JOINT_COUNT:
        break;
    }
    return false;
}

/// Judge whether planar shapes stay in their plane.
/// @param X_wb  (body_count) poses at the start
static void builder_plane_check(gmc_builder *builder, const gmc_model *m, const gmc_pose *X_wb)
{
    const builder_geom_entry *entries = builder->geoms.items;
    for (int i = 0; i < m->geom_count; i++) {
        const gmc_geom *geom = &m->geoms[i];
        if (!gmc_shape_is_planar(geom->shape.type)) continue;
        gmc_pose X_wg = gmc_pose_multiply(&X_wb[geom->body], &geom->X_bg);
        gmc_vec3 z = gmc_mat3_column(&X_wg.R, 2);
        const char *name = geom->name ? geom->name : "world";
        if (!(fabs(z.x) + fabs(z.y) <= SLACK && z.z > 0)) {
            builder_check_report(builder, entries[i].source, NULL,
                                 "shape '%s' is planar: its z axis must be the world's", name);
            continue;
        }
        for (int b = geom->body; b > 0; b = m->bodies[b].parent)
            if (!keeps_plane(&m->bodies[b], &X_wb[b].R)) {
                builder_check_report(
                    builder, entries[i].source,
                    "planar joints, hinges about z and sliders along the plane keep it there",
                    "shape '%s' is planar, and the joint of '%s' takes it out of its plane", name,
                    m->bodies[b].name);
                break;
            }
    }
}

// ---- judging masses ----------------------------------------------------------------------------
//
// Judges what needs the whole tree: a joint that is free to move must move inertia, its own body's
// or that of what hangs on it, at the start. Composites are gathered from the leaves to the root.

// A joint moves something if its inertia exceeds this share of what the mass gives at its own
// distance.
static const double INERTIA_FLOOR = 1e-12;

// The tensor about a point; the mass stays where it is.
static gmc_mat3 tensor_about(const gmc_inertia *inertia, gmc_vec3 point)
{
    gmc_vec3 d = gmc_vec3_sub(inertia->com, point);
    gmc_mat3 D = gmc_mat3_cross(d), Dt = gmc_mat3_transpose(&D), shift = gmc_mat3_multiply(&D, &Dt);
    return gmc_mat3_add_scaled(&inertia->I, inertia->mass, &shift);
}

// Does the joint of body i move inertia, given the composite of all that hangs on it?
static bool moves_inertia(const gmc_model *m, int i, const gmc_pose *X_wb,
                          const gmc_inertia *composite)
{
    const gmc_body *body = m->bodies + i;
    const gmc_inertia *all = composite + i;
    bool is_free = body->joint == GMC_JOINT_FREE || body->joint == GMC_JOINT_PLANAR;
    gmc_mat3 I = tensor_about(all, is_free ? all->com : X_wb[i].p);
    double least = INERTIA_FLOOR * (I.m[0] + I.m[4] + I.m[8]);
    double armature = m->dofs[body->v].armature, principal[3];
    switch (body->joint) {
    case GMC_JOINT_PRISMATIC:
        return all->mass + armature > 0;
    case GMC_JOINT_REVOLUTE: {
        // the joint's own rotation leaves its axis where it is
        gmc_vec3 axis = gmc_mat3_apply(&X_wb[i].R, body->axis);
        double about = gmc_vec3_dot(axis, gmc_mat3_apply(&I, axis)) + armature;
        return about > least && about > 0;
    }
    case GMC_JOINT_SPHERICAL:
    case GMC_JOINT_FREE:
        gmc_inertia_principal(&I, principal);
        return principal[0] + armature > least && principal[0] + armature > 0 &&
               (!is_free || all->mass > 0);
    case GMC_JOINT_PLANAR: // both z axes are the world's
        return all->mass > 0 && I.m[8] + armature > least;
    case GMC_JOINT_FIXED:
    case GMC_JOINT_COUNT:
        break;
    }
    return true;
}

// A dof moves what its own joint moves and what its mimics move.
static bool dof_moves_inertia(const gmc_model *m, int leader, const gmc_pose *X_wb,
                              const gmc_inertia *composite)
{
    for (int i = 1; i < m->body_count; i++)
        if (m->bodies[i].joint != GMC_JOINT_FIXED && m->bodies[i].v == m->bodies[leader].v &&
            moves_inertia(m, i, X_wb, composite))
            return true;
    return false;
}

/// Judge what needs the whole tree: every joint that is free to move has inertia to move.
/// @param m          the model, its names still the builder's
/// @param X_wb       (body_count) room
/// @param composite  (body_count) room
static void builder_mass_check(gmc_builder *builder, const gmc_model *m, gmc_pose *X_wb,
                               gmc_inertia *composite)
{
    const builder_link_entry *links = builder_links(builder);
    X_wb[0] = gmc_pose_identity();
    for (int i = 1; i < m->body_count; i++) {
        const gmc_body *body = m->bodies + i;
        gmc_pose X_jb = gmc_model_joint_pose(body, m->q_start);
        gmc_pose X_wj = gmc_pose_multiply(X_wb + body->parent, &body->X_pj);
        X_wb[i] = gmc_pose_multiply(&X_wj, &X_jb);
        composite[i] = gmc_inertia_move(X_wb + i, &body->inertia);
    }
    for (int i = m->body_count - 1; i > 0; i--) {
        int parent = m->bodies[i].parent;
        if (parent > 0) composite[parent] = gmc_inertia_combine(composite + parent, composite + i);
    }
    for (int k = 0; k < builder->links.count; k++) {
        const gmc_body *body = m->bodies + links[k].body;
        bool is_first = body->name == links[k].name;
        if (!is_first || body->joint == GMC_JOINT_FIXED || body->is_driven || body->is_mimic)
            continue;
        if (!dof_moves_inertia(m, links[k].body, X_wb, composite))
            builder_check_report(
                builder, links[k].source, "give the link, or what hangs on it, a mass",
                "joint '%s' of link '%s' moves no mass", links[k].joint.name, body->name);
    }
}

// ---- what bodies stand on ----------------------------------------------------------------------
//
// Collected, judged once the bodies have their masses, and copied.

void gmc_builder_support(gmc_builder *builder, gmc_source source, const char *link,
                         const gmc_support_spec *spec)
{
    builder_support_entry *entry = builder_add(builder, &builder->supports, sizeof *entry);
    if (!entry) return;
    entry->source = source;
    entry->source.file = builder_keep(builder, source.file);
    entry->link_name = builder_keep(builder, link);
    entry->link = builder_find_link(builder, link, builder->links.count);
    entry->spec = *spec;
    entry->spec.points = NULL;
    entry->point_first = builder->support_points.count;
    for (int i = 0; i < spec->point_count; i++) {
        gmc_support_point *point = builder_add(builder, &builder->support_points, sizeof *point);
        if (!point) return;
        *point = spec->points[i];
    }
}

static const gmc_support_point *points_of(const gmc_builder *builder,
                                          const builder_support_entry *entry)
{
    const gmc_support_point *all = builder->support_points.items;
    return all + entry->point_first;
}

static void report(gmc_builder *builder, const builder_support_entry *entry, const char *hint,
                   const char *flaw)
{
    builder_check_report(builder, entry->source, hint, "the support of link '%s' %s",
                         entry->link_name ? entry->link_name : "", flaw);
}

static const char *judge_numbers(const gmc_builder *builder, const builder_support_entry *entry)
{
    const gmc_support_spec *spec = &entry->spec;
    const gmc_support_point *points = points_of(builder, entry);
    if (spec->point_count < 3) return "needs three points or more";
    if (!(spec->damping >= 0 && isfinite(spec->damping))) return "needs a damping >= 0";
    if (!(spec->stiffness > 0 && isfinite(spec->stiffness))) return "needs a stiffness > 0";
    if (!(spec->relaxation >= 0 && isfinite(spec->relaxation))) return "needs a relaxation >= 0";
    for (int i = 0; i < spec->point_count; i++) {
        if (!isfinite(points[i].p.x + points[i].p.y)) return "has a point that is not finite";
        if (!(points[i].share > 0 && isfinite(points[i].share))) return "needs shares > 0";
        if (!(points[i].friction >= 0 && isfinite(points[i].friction)))
            return "needs friction >= 0";
    }
    return NULL;
}

/// Judge what bodies stand on; after builder_check_parts.
static void builder_support_check(gmc_builder *builder, const gmc_model *model)
{
    const builder_support_entry *entries = builder->supports.items;
    for (int i = 0; i < builder->supports.count; i++) {
        const builder_support_entry *entry = &entries[i];
        const char *flaw = judge_numbers(builder, entry);
        int body = entry->link < 0 ? -1 : builder_links(builder)[entry->link].body;
        bool is_planar = body >= 0 && model->bodies[body].joint == GMC_JOINT_PLANAR &&
                         !model->bodies[body].is_driven;
        bool is_again = false;
        for (int k = 0; k < i; k++)
            is_again |=
                entries[k].link >= 0 && builder_links(builder)[entries[k].link].body == body;
        if (flaw)
            report(builder, entry, NULL, flaw);
        else if (body < 0)
            report(builder, entry, NULL, "names a link that does not exist");
        else if (!is_planar)
            report(builder, entry, NULL, "needs a link on a planar joint that is not driven");
        else if (is_again)
            report(builder, entry, "give all points at once", "is given twice");
        else if (gmc_support_forces(model, &model->supports[i], NULL) != GMC_OK)
            report(builder, entry,
                   "move the points until the mass centre lies well within their hull",
                   "cannot carry it: its points stand in a line, or not around the mass centre");
    }
}

/// Put the supports into the model, whose bodies are numbered.
/// @return GMC_OK, GMC_E_ARENA_FULL
static gmc_status builder_support_fill(const gmc_builder *builder, gmc_arena *arena,
                                       gmc_model *model)
{
    const builder_support_entry *entries = builder->supports.items;
    size_t count = (size_t)builder->supports.count;
    size_t point_count = (size_t)builder->support_points.count;
    model->support_count = (int)count;
    model->support_point_count = (int)point_count;
    model->supports = GMC_NEW(arena, count, gmc_support);
    model->support_points = GMC_NEW(arena, point_count, gmc_support_point);
    if (!model->supports || !model->support_points) return GMC_E_ARENA_FULL;
    for (size_t i = 0; i < count; i++) {
        const builder_support_entry *entry = &entries[i];
        const builder_link_entry *link =
            entry->link < 0 ? NULL : builder_links(builder) + entry->link;
        gmc_pose X_bl = link ? link->X_bl : gmc_pose_identity();
        model->supports[i] = (gmc_support){.body = link ? link->body : 0,
                                           .point_first = entry->point_first,
                                           .point_count = entry->spec.point_count,
                                           .damping = entry->spec.damping,
                                           .stiffness = entry->spec.stiffness,
                                           .relaxation = entry->spec.relaxation};
        for (int k = 0; k < entry->spec.point_count; k++) {
            gmc_support_point *point = &model->support_points[entry->point_first + k];
            *point = points_of(builder, entry)[k];
            gmc_vec3 p = gmc_pose_apply(&X_bl, (gmc_vec3){point->p.x, point->p.y, 0});
            point->p = (gmc_vec2){p.x, p.y};
        }
    }
    return GMC_OK;
}

// ---- numbering and filling ---------------------------------------------------------------------

// Which body does each link belong to? Links fixed to another link share its body; links fixed to
// the world are bodies of their own, so that they can be told apart.
static int number_bodies(gmc_builder *builder, int *mount_count)
{
    builder_link_entry *links = builder_links(builder);
    int count = 1;
    *mount_count = 0;
    for (int i = 0; i < builder->links.count; i++) {
        builder_link_entry *link = links + i;
        if (link->joint.type == GMC_JOINT_FIXED && link->parent >= 0) {
            const builder_link_entry *parent = links + link->parent;
            link->body = parent->body;
            link->X_bl = gmc_pose_multiply(&parent->X_bl, &link->joint.X_pj);
            link->mount = link->joint.is_mount ? ++*mount_count : parent->mount;
        } else {
            link->mount = 0;
            link->body = count++;
            link->X_bl = gmc_pose_identity();
        }
    }
    return count;
}

// A link that starts a body is the one whose joint moves it.
static bool is_first_of_body(const builder_link_entry *link)
{
    return link->joint.type != GMC_JOINT_FIXED || link->parent < 0;
}

static bool is_driven(const builder_link_entry *links, const builder_link_entry *link)
{
    return link->leader >= 0 ? links[link->leader].joint.is_driven : link->joint.is_driven;
}

// First coordinates and velocities of every body: free joints, then driven ones, then the mimics,
// which share what their leaders got.
static void number_coordinates(const gmc_builder *builder, gmc_model *m)
{
    const builder_link_entry *links = builder_links(builder);
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < builder->links.count; i++) {
            const builder_link_entry *link = links + i;
            if (!is_first_of_body(link) || link->leader >= 0) continue;
            gmc_body *body = m->bodies + link->body;
            if (pass == 0) {
                body->q = m->q_count;
                m->q_count += gmc_joint_q_count(body->joint);
            }
            if (body->is_driven != (pass == 1)) continue;
            body->v = m->dof_count;
            m->dof_count += gmc_joint_v_count(body->joint);
        }
        if (pass == 0) m->free_count = m->dof_count;
    }
    for (int i = 0; i < builder->links.count; i++) {
        if (links[i].leader < 0) continue;
        m->bodies[links[i].body].q = m->bodies[links[links[i].leader].body].q;
        m->bodies[links[i].body].v = m->bodies[links[links[i].leader].body].v;
    }
}

static void fill_bodies(const gmc_builder *builder, gmc_model *m)
{
    const builder_link_entry *links = builder_links(builder);
    m->bodies[0] =
        (gmc_body){.name = "world", .parent = -1, .X_pj = gmc_pose_identity(), .ratio = 1};
    for (int i = 0; i < builder->links.count; i++) {
        const builder_link_entry *link = links + i;
        gmc_body *body = m->bodies + link->body;
        if (is_first_of_body(link)) {
            gmc_pose X_bp = link->parent < 0 ? gmc_pose_identity() : links[link->parent].X_bl;
            *body = (gmc_body){.name = link->name,
                               .parent = link->parent < 0 ? 0 : links[link->parent].body,
                               .joint = link->joint.type,
                               .is_driven = is_driven(links, link),
                               .is_mimic = link->leader >= 0,
                               .X_pj = gmc_pose_multiply(&X_bp, &link->joint.X_pj),
                               .axis = gmc_vec3_unit(link->joint.axis),
                               .ratio = link->leader >= 0 ? link->joint.ratio : 1,
                               .offset = link->leader >= 0 ? link->joint.offset : 0,
                               .mount = link->parent < 0 ? 0 : links[link->parent].mount,
                               .inertia = link->inertia};
        } else {
            gmc_inertia part = gmc_inertia_move(&link->X_bl, &link->inertia);
            body->inertia = gmc_inertia_combine(&body->inertia, &part);
        }
    }
    for (int i = 1; i < m->body_count; i++) {
        gmc_body *body = m->bodies + i;
        body->is_isolated = body->joint == GMC_JOINT_FREE && !body->is_driven;
        m->bodies[body->parent].is_isolated = false;
    }
}

// Puts a copy of *text in its place; NULL stays NULL.
static bool copy_text(gmc_arena *arena, const char **text)
{
    if (!*text) return true;
    *text = gmc_arena_text(arena, *text);
    return *text != NULL;
}

// What is mounted on bodies, and what of them is their own. Links come behind those they hang on.
static gmc_status fill_mounts(const gmc_builder *builder, gmc_arena *arena, gmc_model *m)
{
    const builder_link_entry *links = builder_links(builder);
    size_t bodies = (size_t)m->body_count;
    gmc_mount *mounts = GMC_NEW(arena, m->mount_count + 1, gmc_mount);
    gmc_inertia *own = GMC_NEW(arena, m->mount_count > 0 ? bodies : 0, gmc_inertia);
    if (!mounts || !own) return GMC_E_ARENA_FULL;
    for (int i = 0; m->mount_count > 0 && i < builder->links.count; i++) {
        const builder_link_entry *link = links + i;
        gmc_inertia part = gmc_inertia_move(&link->X_bl, &link->inertia);
        gmc_inertia *sum = link->mount > 0 ? &mounts[link->mount].inertia : &own[link->body];
        const char *name = link->name;
        if (!copy_text(arena, &name)) return GMC_E_ARENA_FULL;
        if (link->mount > 0 && link->joint.is_mount)
            mounts[link->mount] = (gmc_mount){.name = name,
                                              .body = link->body,
                                              .base = links[link->parent].mount,
                                              .p = link->X_bl.p};
        *sum = gmc_inertia_combine(sum, &part);
    }
    for (int i = 1; i <= m->mount_count; i++)
        mounts[i].own = own[mounts[i].body];
    m->mounts = mounts;
    return GMC_OK;
}

// What a mimic's joint adds to its leader's dof: seen at the leader, its speed is `ratio` times as
// large. Its stops bound the leader too, unless that would leave nothing to move (then they were
// reported).
static void add_mimic(gmc_dof *dof, const gmc_joint_spec *joint)
{
    double r = joint->ratio;
    double one = (joint->dof.lower - joint->offset) / r,
           other = (joint->dof.upper - joint->offset) / r;
    double lower = fmax(dof->lower, fmin(one, other)), upper = fmin(dof->upper, fmax(one, other));
    dof->armature += r * r * joint->dof.armature;
    dof->damping += r * r * joint->dof.damping;
    dof->friction += fabs(r) * joint->dof.friction;
    if (!(lower < upper)) return;
    dof->lower = lower;
    dof->upper = upper;
}

static void fill_dofs(const gmc_builder *builder, gmc_model *m)
{
    const builder_link_entry *links = builder_links(builder);
    for (int i = 0; i < builder->links.count; i++) {
        const builder_link_entry *link = links + i;
        if (!is_first_of_body(link) || link->leader >= 0) continue;
        const gmc_body *body = m->bodies + link->body;
        for (int k = 0; k < gmc_joint_v_count(body->joint); k++) {
            m->dofs[body->v + k] = link->joint.dof;
            m->dofs[body->v + k].name = link->joint.name;
        }
        if (body->joint == GMC_JOINT_SPHERICAL) m->q_start[body->q] = 1;
        if (body->joint == GMC_JOINT_FREE) m->q_start[body->q + 3] = 1;
    }
    for (int i = 0; i < builder->links.count; i++)
        if (links[i].leader >= 0) add_mimic(m->dofs + m->bodies[links[i].body].v, &links[i].joint);
    for (int i = 0; i < builder->links.count; i++) {
        const gmc_body *body = m->bodies + links[i].body;
        bool is_single = body->joint == GMC_JOINT_REVOLUTE || body->joint == GMC_JOINT_PRISMATIC;
        if (!is_first_of_body(links + i) || links[i].leader >= 0 || !is_single) continue;
        const gmc_dof *dof = m->dofs + body->v;
        m->q_start[body->q] = fmin(fmax(links[i].joint.q_start, dof->lower), dof->upper);
    }
}

// Frames: one per link. Geoms refer to the frame of their link.
static void fill_places(const gmc_builder *builder, gmc_model *m)
{
    const builder_link_entry *links = builder_links(builder);
    const builder_geom_entry *geoms = builder->geoms.items;
    gmc_pose identity = gmc_pose_identity();
    int link_count = builder->links.count;
    for (int i = 0; i < link_count; i++)
        m->frames[i] = (gmc_frame){links[i].name, links[i].body, links[i].X_bl, links[i].mount};
    for (int i = 0; i < m->geom_count; i++) {
        const builder_link_entry *link = geoms[i].link < 0 ? NULL : links + geoms[i].link;
        m->geoms[i] =
            (gmc_geom){.name = geoms[i].name,
                       .body = link ? link->body : 0,
                       .frame = geoms[i].link,
                       .X_bg = gmc_pose_multiply(link ? &link->X_bl : &identity, &geoms[i].X_lg),
                       .shape = geoms[i].shape,
                       .surface = geoms[i].surface,
                       .category = geoms[i].category,
                       .mask = geoms[i].mask};
    }
}

static void fill_laws(const gmc_builder *builder, gmc_model *m)
{
    const builder_law_entry *laws = builder->laws.items;
    for (int i = 0; i < builder->laws.count; i++) {
        m->laws[laws[i].a * m->surface_count + laws[i].b] = laws[i].law;
        m->laws[laws[i].b * m->surface_count + laws[i].a] = laws[i].law;
    }
}

// The model's texts must outlive the builder.
static gmc_status copy_texts(const gmc_builder *builder, gmc_arena *arena, gmc_model *m)
{
    const char *const *from = builder->surfaces.items;
    const char **surfaces = GMC_NEW(arena, m->surface_count, const char *);
    bool is_copied = surfaces != NULL;
    for (int i = 0; is_copied && i < m->surface_count; i++) {
        surfaces[i] = from[i];
        is_copied = copy_text(arena, surfaces + i);
    }
    for (int i = 0; i < m->body_count; i++)
        is_copied &= copy_text(arena, &m->bodies[i].name);
    for (int i = 0; i < m->frame_count; i++)
        is_copied &= copy_text(arena, &m->frames[i].name);
    for (int i = 0; i < m->geom_count; i++)
        is_copied &= copy_text(arena, &m->geoms[i].name);
    for (int i = 0; i < m->dof_count; i++)
        is_copied &= copy_text(arena, &m->dofs[i].name);
    m->surfaces = surfaces;
    return is_copied ? GMC_OK : GMC_E_ARENA_FULL;
}

static gmc_status fill_model(gmc_builder *builder, gmc_arena *arena, gmc_model *m)
{
    int mount_count, body_count = number_bodies(builder, &mount_count);
    *m = (gmc_model){.body_count = body_count,
                     .mount_count = mount_count,
                     .geom_count = builder->geoms.count,
                     .frame_count = builder->links.count,
                     .surface_count = builder->surfaces.count,
                     .gravity = builder->gravity};
    m->bodies = GMC_NEW(arena, m->body_count, gmc_body);
    m->geoms = GMC_NEW(arena, m->geom_count, gmc_geom);
    m->frames = GMC_NEW(arena, m->frame_count, gmc_frame);
    m->laws = GMC_NEW(arena, (size_t)m->surface_count * (size_t)m->surface_count, gmc_surface_law);
    if (!m->bodies || !m->geoms || !m->frames || !m->laws) return GMC_E_ARENA_FULL;
    fill_bodies(builder, m);
    number_coordinates(builder, m);
    GMC_TRY(fill_mounts(builder, arena, m));

    m->dofs = GMC_NEW(arena, m->dof_count, gmc_dof);
    m->q_start = GMC_NEW(arena, m->q_count, double);
    if (!m->dofs || !m->q_start) return GMC_E_ARENA_FULL;
    fill_dofs(builder, m);
    fill_places(builder, m);
    fill_laws(builder, m);
    return builder_support_fill(builder, arena, m);
}

static gmc_status check_masses(gmc_builder *builder, const gmc_model *m)
{
    gmc_pose *X_wb = malloc((size_t)m->body_count * sizeof *X_wb);
    gmc_inertia *composite = malloc((size_t)m->body_count * sizeof *composite);
    if (X_wb && composite) {
        builder_mass_check(builder, m, X_wb, composite);
        builder_plane_check(builder, m, X_wb);
    }
    builder_support_check(builder, m);
    gmc_status status = X_wb && composite ? GMC_OK : GMC_E_MEMORY;
    free(X_wb);
    free(composite);
    if (status == GMC_OK && builder->mistake_count > 0) return GMC_E_INPUT;
    return status;
}

gmc_status gmc_builder_finish(gmc_builder *builder, gmc_arena *arena, gmc_model *model)
{
    if (builder->is_out_of_memory) return GMC_E_MEMORY;
    builder->mistake_count = 0;
    builder_check_parts(builder);
    if (builder->mistake_count > 0) return GMC_E_INPUT;

    gmc_model m;
    size_t mark = gmc_arena_mark(arena);
    gmc_status status = fill_model(builder, arena, &m);
    if (status == GMC_OK) status = check_masses(builder, &m);
    if (status == GMC_OK) status = copy_texts(builder, arena, &m);
    if (status == GMC_OK)
        *model = m;
    else
        gmc_arena_reset(arena, mark);
    return status;
}
