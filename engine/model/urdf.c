// Opening, asking and building. The steps of reading stand in urdf_links.c, urdf_joints.c,
// urdf_shapes.c, urdf_tree.c and urdf_masses.c; every step goes on behind a mistake as far as sense
// is to be made, so that one pass tells all of them.
#include "engine/model/urdf.h"

#include "engine/model/urdf_internal.h"

#include <stdlib.h>
#include <string.h>

// 1000 kg/m³: a gripper's links of aluminium, plastic, motors and the air between (the Barrett and
// the Allegro hand come to 700 ... 1400 over their collision shapes).
#define GMC_URDF_DENSITY 1000.0

gmc_urdf_options gmc_urdf_defaults(void)
{
    gmc_pieces_options convex = gmc_pieces_defaults();
    convex.is_hull = true;
    return (gmc_urdf_options){
        .inertials = GMC_URDF_AS_GIVEN, .density = GMC_URDF_DENSITY, .convex = convex};
}

static void read_robot(gmc_urdf_reader *reader, const gmc_xml_element *root)
{
    static const char *const children[] = {"link", "joint", NULL}, *const silent[] = {"material",
                                                                                      NULL};
    static const char *const attributes[] = {"name", "version", NULL};
    static const gmc_urdf_grammar grammar = {children, children, silent, attributes};
    if (!gmc_xml_is(root, "robot")) {
        gmc_urdf_words_error(reader, root->source,
                             gmc_xml_is(root, "mujoco") || gmc_xml_is(root, "sdf")
                                 ? "this is another format of robot files"
                                 : NULL,
                             "expected <robot>, found <%.64s>", root->name);
        return;
    }
    const gmc_xml_attribute *name = gmc_xml_find(root, "name");
    reader->urdf->name = name ? name->value : "";
    gmc_urdf_words_check(reader, root, &grammar);
    gmc_urdf_links_read(reader, root);
    if (reader->urdf->link_count > 0) gmc_urdf_joints_read(reader, root);
    int errors_of_parts = reader->report->error_count;
    gmc_urdf_tree_order(reader);
    // groups of links are known only in a tree; a sick part does not hide the masses of the others
    bool is_tree = reader->report->error_count == errors_of_parts;
    for (int i = 0; i < reader->urdf->joint_count; i++)
        is_tree =
            is_tree && reader->urdf->joints[i].parent >= 0 && reader->urdf->joints[i].child >= 0;
    if (is_tree && !reader->is_out_of_memory) gmc_urdf_masses_check(reader);
    gmc_urdf_links_warn_of_visuals(reader);
}

static gmc_status read_document(const gmc_file *bytes, const gmc_urdf_options *options,
                                gmc_diagnostics *report, gmc_urdf *urdf)
{
    gmc_urdf_reader reader = {.urdf = urdf, .options = options, .report = report};
    int errors_before = report->error_count;
    GMC_TRY(gmc_xml_parse(urdf->file, bytes->bytes, bytes->size, report, &urdf->keep->document));
    read_robot(&reader, gmc_xml_root(urdf->keep->document));
    free(reader.inertials);
    if (reader.is_out_of_memory) {
        gmc_diagnostics_add(report, GMC_ERROR, GMC_E_MEMORY, (gmc_source){.file = urdf->file}, NULL,
                            "no memory left for this URDF");
        return GMC_E_MEMORY;
    }
    return report->error_count > errors_before ? gmc_diagnostics_status(report) : GMC_OK;
}

static gmc_status start(const char *file, gmc_urdf *urdf)
{
    size_t bytes = strlen(file) + 1;
    *urdf = (gmc_urdf){.keep = calloc(1, sizeof *urdf->keep)};
    if (!urdf->keep) return GMC_E_MEMORY;
    urdf->file = urdf->keep->file = malloc(bytes);
    if (!urdf->file) return GMC_E_MEMORY;
    memcpy(urdf->keep->file, file, bytes);
    return GMC_OK;
}

gmc_status gmc_urdf_open(const char *file, const gmc_urdf_options *options, gmc_diagnostics *report,
                         gmc_urdf *urdf)
{
    gmc_file bytes = {0};
    gmc_status status = start(file, urdf);
    if (status == GMC_OK) status = gmc_file_load(options->files, file, &bytes);
    if (status != GMC_OK)
        gmc_diagnostics_add(report, GMC_ERROR, status, options->from, NULL,
                            "URDF %s cannot be read: %s", file, gmc_status_name(status));
    else
        status = read_document(&bytes, options, report, urdf);
    gmc_file_free(&bytes);
    if (status != GMC_OK) gmc_urdf_close(urdf);
    return status;
}

void gmc_urdf_close(gmc_urdf *urdf)
{
    struct gmc_urdf_keep *keep = urdf->keep;
    for (int i = 0; i < urdf->link_count; i++)
        free(urdf->links[i].shapes);
    free(urdf->links);
    free(urdf->joints);
    for (int i = 0; keep && i < keep->mesh_count; i++) {
        gmc_hull_pieces_free(&keep->meshes[i].pieces);
        free(keep->meshes[i].path);
    }
    if (keep) {
        gmc_xml_free(keep->document);
        free(keep->meshes);
        free(keep->file);
    }
    free(keep);
    *urdf = (gmc_urdf){0};
}

int gmc_urdf_find_link(const gmc_urdf *urdf, const char *name)
{
    for (int i = 0; i < urdf->link_count; i++)
        if (strcmp(urdf->links[i].name, name) == 0) return i;
    return -1;
}

int gmc_urdf_find_joint(const gmc_urdf *urdf, const char *name)
{
    for (int i = 0; i < urdf->joint_count; i++)
        if (strcmp(urdf->joints[i].name, name) == 0) return i;
    return -1;
}

// ---- building ----------------------------------------------------------------------------------

static gmc_joint_type model_type(gmc_urdf_kind kind)
{
    switch (kind) {
    case GMC_URDF_FIXED:
        return GMC_JOINT_FIXED;
    case GMC_URDF_REVOLUTE:
    case GMC_URDF_CONTINUOUS:
        return GMC_JOINT_REVOLUTE;
    case GMC_URDF_PRISMATIC:
        return GMC_JOINT_PRISMATIC;
    case GMC_URDF_FLOATING:
        return GMC_JOINT_FREE;
    }
    return GMC_JOINT_FIXED;
}

gmc_joint_spec gmc_urdf_joint_spec(const gmc_urdf *urdf, int joint)
{
    const gmc_urdf_joint *from = urdf->joints + joint;
    gmc_joint_spec spec = {.name = from->name,
                           .type = model_type(from->kind),
                           .X_pj = from->X_pj,
                           .axis = from->axis,
                           .mimic_joint =
                               from->leader >= 0 ? urdf->joints[from->leader].name : NULL,
                           .ratio = from->ratio,
                           .offset = from->offset,
                           .dof = gmc_builder_default_dof()};
    if (from->kind == GMC_URDF_FIXED || from->kind == GMC_URDF_FLOATING) return spec;
    spec.dof.damping = from->damping;
    spec.dof.friction = from->friction;
    spec.dof.lower = from->lower;
    spec.dof.upper = from->upper;
    spec.dof.max_force = from->effort;
    spec.dof.max_speed = from->velocity;
    // the position nearest to 0 that the limits allow
    spec.q_start = fmin(fmax(0, from->lower), from->upper);
    return spec;
}

// Names with the prefix in front, in one growing buffer each.
typedef struct prefixed {
    char *text;
    size_t capacity;
} prefixed;

static const char *with_prefix(prefixed *buffer, const char *prefix, const char *name)
{
    size_t prefix_length = prefix ? strlen(prefix) : 0, bytes = prefix_length + strlen(name) + 1;
    if (!buffer->text || bytes > buffer->capacity) {
        char *text = realloc(buffer->text, bytes);
        if (!text) return NULL;
        buffer->text = text;
        buffer->capacity = bytes;
    }
    if (prefix_length > 0) memcpy(buffer->text, prefix, prefix_length);
    memcpy(buffer->text + prefix_length, name, bytes - prefix_length);
    return buffer->text;
}

typedef struct naming {
    prefixed link, parent, joint, leader;
} naming;

static void add_shapes(const gmc_urdf_link *link, const char *name, const gmc_urdf_placing *placing,
                       gmc_builder *builder)
{
    const char *surface = link->shape_count > 0 ? placing->surface(placing->context, link) : NULL;
    for (int i = 0; i < link->shape_count; i++)
        gmc_builder_geom(builder, link->shapes[i].source, name, NULL, link->shapes[i].X_lg,
                         link->shapes[i].shape, surface, placing->category, placing->mask);
}

static gmc_status add_link(const gmc_urdf *urdf, int i, const gmc_urdf_placing *placing,
                           naming *names, gmc_builder *builder)
{
    const gmc_urdf_link *link = urdf->links + i;
    const char *prefix = placing->prefix, *parent = placing->parent;
    const char *name = with_prefix(&names->link, prefix, link->name);
    gmc_joint_spec spec = placing->base;
    if (!name) return GMC_E_MEMORY;
    if (link->joint >= 0) {
        const gmc_urdf_joint *joint = urdf->joints + link->joint;
        spec = gmc_urdf_joint_spec(urdf, link->joint);
        if (placing->joint) placing->joint(placing->context, joint, &spec);
        parent = with_prefix(&names->parent, prefix, urdf->links[joint->parent].name);
        spec.name = with_prefix(&names->joint, prefix, joint->name);
        if (!parent || !spec.name) return GMC_E_MEMORY;
        if (spec.mimic_joint) {
            spec.mimic_joint =
                with_prefix(&names->leader, prefix, urdf->joints[joint->leader].name);
            if (!spec.mimic_joint) return GMC_E_MEMORY;
        }
    }
    gmc_inertia inertia = link->inertia;
    if (placing->link) placing->link(placing->context, link, &inertia);
    gmc_builder_link(builder, link->source, name, parent, &spec,
                     inertia.mass > 0 ? &inertia : NULL);
    add_shapes(link, name, placing, builder);
    return GMC_OK;
}

gmc_status gmc_urdf_build(const gmc_urdf *urdf, const gmc_urdf_placing *placing,
                          gmc_builder *builder)
{
    naming names = {0};
    gmc_status status = GMC_OK;
    for (int i = 0; i < urdf->link_count && status == GMC_OK; i++)
        status = add_link(urdf, i, placing, &names, builder);
    free(names.link.text);
    free(names.parent.text);
    free(names.joint.text);
    free(names.leader.text);
    return status;
}
