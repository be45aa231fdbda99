// Judges what was collected: all mistakes in one pass, each at its place. Names are resolved here,
// so a part whose name leads nowhere is reported once and then treated as if it hung on the world.

#include "engine/base/lookup.h"
#include "engine/model/builder_internal.h"
#include "engine/model/inertia.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Rotations come from quaternions and angles, good to rounding; files with six digits are readers'
// work.
static const double ROTATION_SLACK = 1e-9;

void gmc_builder_check_report(gmc_builder *builder, gmc_source source, const char *hint,
                              const char *format, ...)
{
    char text[640];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    gmc_diagnostics_add(builder->report, GMC_ERROR, GMC_E_INPUT, source, hint, "%s", text);
    builder->mistake_count++;
}

static bool is_same(const char *a, const char *b) { return a && b && strcmp(a, b) == 0; }

int gmc_builder_find_link(const gmc_builder *builder, const char *name, int count)
{
    const gmc_builder_link_entry *links = gmc_builder_links(builder);
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
        gmc_builder_check_report(builder, source, NULL,
                                 "the pose of %s '%s' is not a finite position and a rotation",
                                 what, name);
}

static void check_names(gmc_builder *builder, int i)
{
    const gmc_builder_link_entry *links = gmc_builder_links(builder), *link = links + i;
    if (!link->name || !link->name[0])
        gmc_builder_check_report(builder, link->source, NULL, "a link needs a name");
    else if (gmc_builder_find_link(builder, link->name, i) >= 0)
        gmc_builder_check_report(builder, link->source, NULL, "the link name '%s' is used twice",
                                 link->name);
    for (int k = 0; k < i; k++)
        if (!is_same(link->name, links[k].name) && is_same(link->joint.name, links[k].joint.name))
            gmc_builder_check_report(builder, link->source, NULL,
                                     "the joint name '%s' is used twice, by links '%s' and '%s'",
                                     link->joint.name, links[k].name, link->name);
}

static void check_parent(gmc_builder *builder, int i)
{
    gmc_builder_link_entry *link = gmc_builder_links(builder) + i;
    link->parent = link->parent_name ? gmc_builder_find_link(builder, link->parent_name, i) : -1;
    if (!link->parent_name || link->parent >= 0) return;
    bool comes_later = gmc_builder_find_link(builder, link->parent_name, builder->links.count) >= 0;
    gmc_builder_check_report(builder, link->source,
                             comes_later ? "a parent is added before its children" : NULL,
                             "the parent '%s' of link '%s' %s", link->parent_name, link->name,
                             comes_later ? "comes after it" : "does not exist");
}

static bool has_one_dof(const gmc_builder_link_entry *link)
{
    return link->joint.type == GMC_JOINT_REVOLUTE || link->joint.type == GMC_JOINT_PRISMATIC;
}

static void check_mimic(gmc_builder *builder, int i)
{
    gmc_builder_link_entry *links = gmc_builder_links(builder), *link = links + i;
    const gmc_joint_spec *joint = &link->joint;
    link->leader = -1;
    if (!joint->mimic_joint) return;
    for (int k = 0; k < builder->links.count; k++)
        if (is_same(links[k].joint.name, joint->mimic_joint)) link->leader = k;

    const gmc_builder_link_entry *leader = link->leader < 0 ? NULL : links + link->leader;
    if (!leader)
        gmc_builder_check_report(builder, link->source, NULL,
                                 "joint '%s' mimics '%s', which does not exist", joint->name,
                                 joint->mimic_joint);
    else if (link->leader == i)
        gmc_builder_check_report(builder, link->source, NULL, "joint '%s' mimics itself",
                                 joint->name);
    else if (leader->joint.mimic_joint)
        gmc_builder_check_report(builder, link->source, "name the joint that moves on its own",
                                 "joint '%s' mimics '%s', which is a mimic itself, of '%s'",
                                 joint->name, joint->mimic_joint, leader->joint.mimic_joint);
    else if (!has_one_dof(link) || !has_one_dof(leader))
        gmc_builder_check_report(builder, link->source, NULL,
                                 "joint '%s' mimics '%s': both must be revolute or prismatic",
                                 joint->name, joint->mimic_joint);
    else if (!isfinite(joint->ratio + joint->offset) || joint->ratio == 0)
        gmc_builder_check_report(builder, link->source,
                                 joint->ratio == 0 ? "write a fixed joint instead" : NULL,
                                 "the mimic of joint '%s' needs a finite ratio other than 0 and a "
                                 "finite offset, found %g and %g",
                                 joint->name, joint->ratio, joint->offset);
}

static void check_limits(gmc_builder *builder, const gmc_builder_link_entry *link)
{
    const gmc_joint_spec *joint = &link->joint;
    const gmc_dof *dof = &joint->dof;
    const char *name = joint->name;
    if (!has_one_dof(link)) {
        if (isfinite(dof->lower) || isfinite(dof->upper) || dof->friction != 0)
            gmc_builder_check_report(builder, link->source, NULL,
                                     "joint '%s' is free, planar or spherical: limits and friction "
                                     "are for revolute and prismatic joints",
                                     name);
        return;
    }
    if (!(dof->lower <= dof->upper))
        gmc_builder_check_report(builder, link->source, NULL,
                                 "the limits of joint '%s' are crossed: lower %g, upper %g", name,
                                 dof->lower, dof->upper);
    else if (!isfinite(joint->q_start))
        gmc_builder_check_report(builder, link->source, NULL,
                                 "the start of joint '%s' must be finite, found %g", name,
                                 joint->q_start);
    else if (!joint->mimic_joint && !(dof->lower <= joint->q_start && joint->q_start <= dof->upper))
        gmc_diagnostics_add(builder->report, GMC_WARNING, GMC_OK, link->source,
                            "it starts at the nearer limit; give it a start within them",
                            "the start %g of joint '%s' lies outside its limits %g and %g",
                            joint->q_start, name, dof->lower, dof->upper);
}

static void check_dof(gmc_builder *builder, const gmc_builder_link_entry *link)
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
            gmc_builder_check_report(
                builder, link->source, NULL, "the %s of joint '%s' must be %s0%s, found %g",
                properties[i].what, name, properties[i].may_be_zero ? ">= " : "> ",
                properties[i].must_be_finite ? " and finite" : "", value);
    }
    if (link->joint.type == GMC_JOINT_FREE && dof->armature != 0)
        gmc_builder_check_report(builder, link->source, NULL,
                                 "joint '%s' is free: armature belongs to a motor, found %g", name,
                                 dof->armature);
    check_limits(builder, link);
}

static bool is_on_moving_body(const gmc_builder *builder, const gmc_builder_link_entry *link)
{
    const gmc_builder_link_entry *links = gmc_builder_links(builder);
    for (int i = link->parent; i >= 0; i = links[i].parent)
        if (links[i].joint.type != GMC_JOINT_FIXED) return true;
    return false;
}

// The parent stands, so what its frames say of the plane holds for ever.
static void check_planar(gmc_builder *builder, const gmc_builder_link_entry *link)
{
    const gmc_builder_link_entry *links = gmc_builder_links(builder);
    if (is_on_moving_body(builder, link)) {
        gmc_builder_check_report(builder, link->source, "give it the world as its parent",
                                 "joint '%s' is planar, so its parent '%s' must not move",
                                 link->joint.name, link->parent_name);
        return;
    }
    gmc_vec3 z = gmc_mat3_column(&link->joint.X_pj.R, 2);
    for (int i = link->parent; i >= 0; i = links[i].parent)
        z = gmc_mat3_apply(&links[i].joint.X_pj.R, z);
    if (!(fabs(z.x) + fabs(z.y) <= ROTATION_SLACK && z.z > 0))
        gmc_builder_check_report(
            builder, link->source, NULL,
            "joint '%s' is planar: the z axis of its frame must be the world's", link->joint.name);
}

static void check_joint(gmc_builder *builder, const gmc_builder_link_entry *link)
{
    const gmc_joint_spec *joint = &link->joint;
    check_pose(builder, link->source, "joint", joint->name, &joint->X_pj);
    switch (joint->type) {
    case GMC_JOINT_REVOLUTE:
    case GMC_JOINT_PRISMATIC: {
        double length = gmc_vec3_norm(joint->axis);
        if (!(length > 0) || !isfinite(length))
            gmc_builder_check_report(
                builder, link->source, NULL,
                "the axis of joint '%s' must have a direction, found (%g, %g, %g)", joint->name,
                joint->axis.x, joint->axis.y, joint->axis.z);
        check_dof(builder, link);
        return;
    }
    case GMC_JOINT_FREE:
        if (is_on_moving_body(builder, link))
            gmc_builder_check_report(builder, link->source,
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
            gmc_builder_check_report(builder, link->source, NULL,
                                     "joint '%s' is fixed and cannot be driven", joint->name);
        return;
    case GMC_JOINT_COUNT:
        break;
    }
    gmc_builder_check_report(builder, link->source, NULL, "joint '%s' has no known type",
                             joint->name);
}

// Limits of a mimic that leave its leader nothing to move are more likely wrong than meant.
static void check_mimic_limits(gmc_builder *builder, const gmc_builder_link_entry *link)
{
    if (link->leader < 0) return;
    const gmc_builder_link_entry *leader = gmc_builder_links(builder) + link->leader;
    const gmc_joint_spec *joint = &link->joint;
    double one = (joint->dof.lower - joint->offset) / joint->ratio;
    double other = (joint->dof.upper - joint->offset) / joint->ratio;
    double lower = fmax(leader->joint.dof.lower, fmin(one, other));
    double upper = fmin(leader->joint.dof.upper, fmax(one, other));
    if (!(lower < upper) && leader->joint.dof.lower < leader->joint.dof.upper)
        gmc_diagnostics_add(
            builder->report, GMC_WARNING, GMC_OK, link->source,
            "they are not used; mend their sign, or the mimic's ratio",
            "the limits %g and %g of joint '%s' leave its leader '%s' no room to move",
            joint->dof.lower, joint->dof.upper, joint->name, leader->joint.name);
}

static void check_inertia(gmc_builder *builder, const gmc_builder_link_entry *link)
{
    char message[256];
    bool is_zero = link->inertia.mass == 0;
    for (int i = 0; i < 9; i++)
        is_zero = is_zero && link->inertia.I.m[i] == 0;
    if (is_zero || gmc_inertia_check(&link->inertia, message, sizeof message) == GMC_OK) return;
    gmc_builder_check_report(builder, link->source, NULL, "the inertia of link '%s': %s",
                             link->name, message);
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
    const gmc_builder_link_entry *links = gmc_builder_links(builder);
    for (int i = link; i >= 0; i = links[i].parent) {
        const gmc_builder_link_entry *leader = links + (links[i].leader < 0 ? i : links[i].leader);
        if (leader->joint.type != GMC_JOINT_FIXED && !leader->joint.is_driven) return true;
    }
    return false;
}

// Index of the link that a part hangs on; -1 for the world.
static int resolve_link(gmc_builder *builder, gmc_source source, const char *what, const char *name,
                        const char *link_name)
{
    if (!link_name) return -1;
    int link = gmc_builder_find_link(builder, link_name, builder->links.count);
    if (link < 0)
        gmc_builder_check_report(builder, source, NULL, "the link '%s' of %s '%s' does not exist",
                                 link_name, what, name ? name : "");
    return link;
}

static void check_geoms(gmc_builder *builder)
{
    gmc_builder_geom_entry *geoms = builder->geoms.items;
    for (int i = 0; i < builder->geoms.count; i++) {
        gmc_builder_geom_entry *geom = geoms + i;
        const char *name = geom->name ? geom->name : "world";
        geom->link = resolve_link(builder, geom->source, "shape", name, geom->link_name);
        check_pose(builder, geom->source, "shape", name, &geom->X_lg);
        const char *flaw = judge_shape(&geom->shape);
        if (flaw)
            gmc_builder_check_report(builder, geom->source, NULL, "shape '%s' %s", name, flaw);
        if (geom->shape.type == GMC_SHAPE_PLANE && moves_freely(builder, geom->link))
            gmc_builder_check_report(builder, geom->source, "take a box, or fix the body",
                                     "shape '%s' is a plane, which has no end: link '%s' must not "
                                     "move freely",
                                     name, geom->link_name);
    }
}

static void check_frames(gmc_builder *builder)
{
    gmc_builder_frame_entry *frames = builder->frames.items;
    for (int i = 0; i < builder->frames.count; i++) {
        gmc_builder_frame_entry *frame = frames + i;
        frame->link = resolve_link(builder, frame->source, "frame", frame->name, frame->link_name);
        if (!frame->name || !frame->name[0]) {
            gmc_builder_check_report(builder, frame->source, NULL, "a frame needs a name");
            continue;
        }
        check_pose(builder, frame->source, "frame", frame->name, &frame->X_lf);
        bool is_taken = gmc_builder_find_link(builder, frame->name, builder->links.count) >= 0;
        for (int k = 0; k < i; k++)
            is_taken = is_taken || is_same(frame->name, frames[k].name);
        if (is_taken)
            gmc_builder_check_report(builder, frame->source, "links are frames too",
                                     "the frame name '%s' is used twice", frame->name);
    }
}

static void check_laws(gmc_builder *builder)
{
    const gmc_builder_law_entry *laws = builder->laws.items;
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
            gmc_builder_check_report(builder, laws[i].source, NULL,
                                     "the law of surfaces '%s' and '%s' is given twice", a, b);
        double sum = law->friction + law->stiffness + law->relaxation + law->tangential_ratio;
        if (!isfinite(sum) || law->friction < 0 || law->stiffness <= 0 || law->relaxation < 0 ||
            law->tangential_ratio <= 0)
            gmc_builder_check_report(
                builder, laws[i].source, NULL,
                "surfaces '%s' and '%s' need friction >= 0, stiffness > 0, "
                "relaxation >= 0 and tangential ratio > 0, found %g, %g, %g, %g",
                a, b, law->friction, law->stiffness, law->relaxation, law->tangential_ratio);
    }
    gmc_lookup_free(&known);
}

void gmc_builder_check_parts(gmc_builder *builder)
{
    gmc_builder_link_entry *links = gmc_builder_links(builder);
    for (int i = 0; i < builder->links.count; i++) {
        check_names(builder, i);
        check_parent(builder, i);
        check_joint(builder, links + i);
        check_mimic(builder, i);
        check_inertia(builder, links + i);
    }
    check_geoms(builder);
    check_frames(builder);
    check_laws(builder);
    if (!isfinite(builder->gravity.x + builder->gravity.y + builder->gravity.z))
        gmc_builder_check_report(builder, (gmc_source){0}, NULL, "gravity must be finite");
    if (builder->mistake_count > 0) return; // ratios and limits are good from here on
    for (int i = 0; i < builder->links.count; i++)
        check_mimic_limits(builder, links + i);
}
