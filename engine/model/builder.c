// Collects copies of what it is given, checks all of it at the end (builder_check.c), gives out
// indices and writes the model's flat arrays. Finishing changes nothing that was collected, so a
// caller whose arena was too small may grow it and finish again.
//
// Numbering: bodies, free velocities, driven velocities and coordinates each follow the order in
// which links were added, so a scenario that adds a body at the end renumbers nothing before it.

#include "engine/model/builder.h"

#include "engine/base/list.h"
#include "engine/model/builder_internal.h"
#include "engine/model/inertia.h"

#include <stdlib.h>
#include <string.h>

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

void *gmc_builder_add(gmc_builder *builder, gmc_builder_list *list, size_t size)
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

const char *gmc_builder_keep(gmc_builder *builder, const char *text)
{
    if (!text) return NULL;
    char **texts = builder->texts.items;
    int last = builder->texts.count - 1;
    if (last >= 0 && strcmp(texts[last], text) == 0) return texts[last]; // file names come in runs

    size_t bytes = strlen(text) + 1;
    char *copy = malloc(bytes);
    char **place = copy ? gmc_builder_add(builder, &builder->texts, sizeof(char *)) : NULL;
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
    source.file = gmc_builder_keep(builder, source.file);
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
    free(builder->frames.items);
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
    gmc_builder_link_entry *link = gmc_builder_add(builder, &builder->links, sizeof *link);
    if (!link) return;
    link->source = keep_source(builder, source);
    link->name = gmc_builder_keep(builder, name);
    link->parent_name = gmc_builder_keep(builder, parent);
    link->joint = joint ? *joint : (gmc_joint_spec){.X_pj = gmc_pose_identity()};
    link->joint.name = gmc_builder_keep(builder, joint && joint->name ? joint->name : name);
    link->joint.mimic_joint = gmc_builder_keep(builder, link->joint.mimic_joint);
    if (inertia) link->inertia = *inertia;
}

// Index of a surface, made known if it is not; -1 if there is no memory.
static int find_surface(gmc_builder *builder, const char *name)
{
    const char **names = builder->surfaces.items;
    for (int i = 0; i < builder->surfaces.count; i++)
        if (strcmp(names[i], name) == 0) return i;
    const char *copy = gmc_builder_keep(builder, name);
    const char **place = copy ? gmc_builder_add(builder, &builder->surfaces, sizeof *place) : NULL;
    if (!place) return -1;
    *place = copy;
    return builder->surfaces.count - 1;
}

void gmc_builder_surface(gmc_builder *builder, const char *name)
{
    (void)find_surface(builder, name);
}

void gmc_builder_geom(gmc_builder *builder, gmc_source source, const char *link, const char *name,
                      gmc_pose X_lg, gmc_shape shape, const char *surface, unsigned category,
                      unsigned mask)
{
    gmc_builder_geom_entry *geom = gmc_builder_add(builder, &builder->geoms, sizeof *geom);
    if (!geom) return;
    geom->source = keep_source(builder, source);
    geom->link_name = gmc_builder_keep(builder, link);
    geom->name = gmc_builder_keep(builder, name ? name : link);
    geom->X_lg = X_lg;
    geom->shape = shape;
    geom->surface = find_surface(builder, surface);
    geom->category = category;
    geom->mask = mask;
}

void gmc_builder_frame(gmc_builder *builder, gmc_source source, const char *link, const char *name,
                       gmc_pose X_lf)
{
    gmc_builder_frame_entry *frame = gmc_builder_add(builder, &builder->frames, sizeof *frame);
    if (!frame) return;
    frame->source = keep_source(builder, source);
    frame->link_name = gmc_builder_keep(builder, link);
    frame->name = gmc_builder_keep(builder, name);
    frame->X_lf = X_lf;
}

void gmc_builder_law(gmc_builder *builder, gmc_source source, const char *a, const char *b,
                     gmc_surface_law law)
{
    gmc_builder_law_entry *entry = gmc_builder_add(builder, &builder->laws, sizeof *entry);
    if (!entry) return;
    entry->source = keep_source(builder, source);
    entry->a = find_surface(builder, a);
    entry->b = find_surface(builder, b);
    entry->law = law;
    entry->law.is_given = true;
}

// Which body does each link belong to? Links fixed to another link share its body; links fixed to
// the world are bodies of their own, so that they can be told apart.
static int number_bodies(gmc_builder *builder)
{
    gmc_builder_link_entry *links = gmc_builder_links(builder);
    int count = 1;
    for (int i = 0; i < builder->links.count; i++) {
        gmc_builder_link_entry *link = links + i;
        if (link->joint.type == GMC_JOINT_FIXED && link->parent >= 0) {
            const gmc_builder_link_entry *parent = links + link->parent;
            link->body = parent->body;
            link->X_bl = gmc_pose_multiply(&parent->X_bl, &link->joint.X_pj);
        } else {
            link->body = count++;
            link->X_bl = gmc_pose_identity();
        }
    }
    return count;
}

// A link that starts a body is the one whose joint moves it.
static bool is_first_of_body(const gmc_builder_link_entry *link)
{
    return link->joint.type != GMC_JOINT_FIXED || link->parent < 0;
}

static bool is_driven(const gmc_builder_link_entry *links, const gmc_builder_link_entry *link)
{
    return link->leader >= 0 ? links[link->leader].joint.is_driven : link->joint.is_driven;
}

// First coordinates and velocities of every body: free joints, then driven ones, then the mimics,
// which share what their leaders got.
static void number_coordinates(const gmc_builder *builder, gmc_model *m)
{
    const gmc_builder_link_entry *links = gmc_builder_links(builder);
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < builder->links.count; i++) {
            const gmc_builder_link_entry *link = links + i;
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
    const gmc_builder_link_entry *links = gmc_builder_links(builder);
    m->bodies[0] =
        (gmc_body){.name = "world", .parent = -1, .X_pj = gmc_pose_identity(), .ratio = 1};
    for (int i = 0; i < builder->links.count; i++) {
        const gmc_builder_link_entry *link = links + i;
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
    const gmc_builder_link_entry *links = gmc_builder_links(builder);
    for (int i = 0; i < builder->links.count; i++) {
        const gmc_builder_link_entry *link = links + i;
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

// Frames: one per link, then the named ones. Geoms refer to the frame of their link.
static void fill_places(const gmc_builder *builder, gmc_model *m)
{
    const gmc_builder_link_entry *links = gmc_builder_links(builder);
    const gmc_builder_frame_entry *frames = builder->frames.items;
    const gmc_builder_geom_entry *geoms = builder->geoms.items;
    gmc_pose identity = gmc_pose_identity();
    int link_count = builder->links.count;
    for (int i = 0; i < link_count; i++)
        m->frames[i] = (gmc_frame){links[i].name, links[i].body, links[i].X_bl};
    for (int i = 0; i < builder->frames.count; i++) {
        const gmc_builder_link_entry *link = frames[i].link < 0 ? NULL : links + frames[i].link;
        m->frames[link_count + i] =
            (gmc_frame){frames[i].name, link ? link->body : 0,
                        gmc_pose_multiply(link ? &link->X_bl : &identity, &frames[i].X_lf)};
    }
    for (int i = 0; i < m->geom_count; i++) {
        const gmc_builder_link_entry *link = geoms[i].link < 0 ? NULL : links + geoms[i].link;
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
    const gmc_builder_law_entry *laws = builder->laws.items;
    for (int i = 0; i < builder->laws.count; i++) {
        m->laws[laws[i].a * m->surface_count + laws[i].b] = laws[i].law;
        m->laws[laws[i].b * m->surface_count + laws[i].a] = laws[i].law;
    }
}

// Puts a copy of *text in its place; NULL stays NULL.
static bool copy_text(gmc_arena *arena, const char **text)
{
    if (!*text) return true;
    *text = gmc_arena_text(arena, *text);
    return *text != NULL;
}

// The model's texts must outlive the builder.
static gmc_status copy_texts(const gmc_builder *builder, gmc_arena *arena, gmc_model *m)
{
    const char *const *from = builder->surfaces.items;
    const char **surfaces = gmc_arena_take(arena, (size_t)m->surface_count, sizeof *surfaces);
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
    *m = (gmc_model){.body_count = number_bodies(builder),
                     .geom_count = builder->geoms.count,
                     .frame_count = builder->links.count + builder->frames.count,
                     .surface_count = builder->surfaces.count,
                     .gravity = builder->gravity};
    m->bodies = gmc_arena_take(arena, (size_t)m->body_count, sizeof *m->bodies);
    m->geoms = gmc_arena_take(arena, (size_t)m->geom_count, sizeof *m->geoms);
    m->frames = gmc_arena_take(arena, (size_t)m->frame_count, sizeof *m->frames);
    m->laws =
        gmc_arena_take(arena, (size_t)m->surface_count * (size_t)m->surface_count, sizeof *m->laws);
    if (!m->bodies || !m->geoms || !m->frames || !m->laws) return GMC_E_ARENA_FULL;
    fill_bodies(builder, m);
    number_coordinates(builder, m);

    m->dofs = gmc_arena_take(arena, (size_t)m->dof_count, sizeof *m->dofs);
    m->q_start = gmc_arena_doubles(arena, (size_t)m->q_count);
    if (!m->dofs || !m->q_start) return GMC_E_ARENA_FULL;
    fill_dofs(builder, m);
    fill_places(builder, m);
    fill_laws(builder, m);
    return gmc_builder_support_fill(builder, arena, m);
}

static gmc_status check_masses(gmc_builder *builder, const gmc_model *m)
{
    gmc_pose *X_wb = malloc((size_t)m->body_count * sizeof *X_wb);
    gmc_inertia *composite = malloc((size_t)m->body_count * sizeof *composite);
    if (X_wb && composite) {
        gmc_builder_mass_check(builder, m, X_wb, composite);
        gmc_builder_plane_check(builder, m, X_wb);
    }
    gmc_builder_support_check(builder, m);
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
    gmc_builder_check_parts(builder);
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
