// Mass properties. The files on offer are full of impossible, copied and forgotten ones, so each is
// held against what the link's own shapes would have. Links joined by fixed joints move as one:
// what one of them does not weigh, another may.
#include "engine/math/elementary.h"
#include "engine/model/inertia.h"
#include "engine/model/urdf_internal.h"

#include <stdlib.h>

// Uniform solid of the link's shapes (where they overlap, counted twice). Mass 0 without shapes.
static gmc_inertia of_shapes(const gmc_urdf_link *link, double density)
{
    gmc_inertia sum = {0};
    for (int i = 0; i < link->shape_count; i++) {
        gmc_inertia part = gmc_inertia_of_shape(&link->shapes[i].shape, density);
        part = gmc_inertia_move(&link->shapes[i].X_lg, &part);
        sum = gmc_inertia_combine(&sum, &part);
    }
    return sum;
}

// The link whose joint moves the group of fixed links that `link` belongs to; the root for its
// group.
static int head_of(const gmc_urdf *urdf, int link)
{
    for (;;) {
        int joint = urdf->links[link].joint;
        if (joint < 0 || urdf->joints[joint].kind != GMC_URDF_FIXED) return link;
        link = urdf->joints[joint].parent;
    }
}

static bool is_moved(const gmc_urdf *urdf, int link)
{
    int joint = urdf->links[link].joint;
    return joint >= 0 && urdf->joints[joint].kind != GMC_URDF_FIXED;
}

// What is rounding beside the rest is written as 0.
static double clean(double value, double beside) { return fabs(value) > 1e-6 * beside ? value : 0; }

// What is to stand in place of mass properties that no body can have.
typedef struct mend {
    gmc_inertia inertia;
    gmc_urdf_weighed by;
    const char *said;                ///< "what they are"
    const gmc_urdf_warning *warning; ///< of all links that are mended so
} mend;

// A solid ball: 2/5 m r².
static gmc_inertia ball(const gmc_inertia *given, double density)
{
    double r = gmc_pow(3 * given->mass / (4 * GMC_PI * density), 1.0 / 3);
    double moment = 0.4 * given->mass * r * r;
    return (gmc_inertia){given->mass, given->com, gmc_mat3_diagonal(moment, moment, moment)};
}

static mend mend_of(const gmc_urdf_reader *reader, const gmc_inertia *given,
                    const gmc_inertia *shapes)
{
    static const gmc_urdf_warning nearest = {
        {"impossible inertia replaced by the nearest possible for", "links"}, NULL};
    static const gmc_urdf_warning spread = {
        {"impossible inertia replaced by that of the shapes for", "links"}, NULL};
    static const gmc_urdf_warning round = {
        {"impossible inertia replaced by that of a ball for", "links"}, "write its <inertia>"};
    char message[512];
    mend m = {.by = GMC_URDF_BY_FILE_MENDED, .said = "the nearest possible", .warning = &nearest};
    bool has_shapes = shapes->mass > 0, has_nearest = gmc_inertia_nearest(given, &m.inertia);
    bool is_wanted = reader->options->inertials != GMC_URDF_REPLACED || !has_shapes;
    if (has_nearest && is_wanted &&
        !(has_shapes && gmc_inertia_contradicts(&m.inertia, shapes, message, sizeof message)))
        return m;
    if (has_shapes)
        return (mend){gmc_inertia_with_mass(shapes, given->mass), GMC_URDF_BY_SHAPES_AT_MASS,
                      "that of its shapes", &spread};
    return (mend){ball(given, reader->options->density), GMC_URDF_BY_BALL,
                  "that of a ball of its mass", &round};
}

static void hint_of(const mend *m, char *hint, size_t bytes)
{
    const double *I = m->inertia.I.m;
    const gmc_vec3 *com = &m->inertia.com;
    double size = I[0] + I[4] + I[8], far = gmc_vec3_norm(*com);
    snprintf(hint, bytes,
             "%s: <origin xyz=\"%.6g %.6g %.6g\"/> <inertia ixx=\"%.6g\" ixy=\"%.6g\" "
             "ixz=\"%.6g\" iyy=\"%.6g\" iyz=\"%.6g\" izz=\"%.6g\"/>",
             m->said, clean(com->x, far), clean(com->y, far), clean(com->z, far), I[0],
             clean(I[1], size), clean(I[2], size), I[4], clean(I[5], size), I[8]);
}

// Only moments can be mended: of finite, symmetric ones, with a mass.
static bool is_mendable(const gmc_inertia *inertia)
{
    double sum = inertia->mass + inertia->com.x + inertia->com.y + inertia->com.z;
    for (int i = 0; i < 9; i++)
        sum += inertia->I.m[i];
    return isfinite(sum) && inertia->mass > 0; // six numbers of a file are symmetric
}

static void judge_impossible(gmc_urdf_reader *reader, int i, const gmc_inertia *shapes,
                             const char *message)
{
    gmc_urdf_link *link = reader->urdf->links + i;
    const gmc_xml_element *element = reader->inertials[i].element;
    const gmc_xml_element *inertia = gmc_xml_child(element, "inertia");
    gmc_source place = inertia ? inertia->source : element->source;
    char hint[400];
    if (!is_mendable(&link->inertia)) {
        gmc_urdf_words_error(reader, place, NULL, "link `%s`: %s", link->name, message);
        return;
    }
    mend m = mend_of(reader, &link->inertia, shapes);
    hint_of(&m, hint, sizeof hint);
    if (reader->options->inertials == GMC_URDF_AS_GIVEN) {
        gmc_urdf_words_error(reader, place, hint, "link `%s`: %s", link->name, message);
        return;
    }
    gmc_urdf_words_warn(reader, place, m.warning, link->name, "link `%s`: %s; %s is taken",
                        link->name, message, m.said);
    link->inertia = m.inertia;
    link->weighed = m.by;
}

static void replace(gmc_urdf_link *link, const gmc_inertia *shapes)
{
    link->inertia = gmc_inertia_with_mass(shapes, link->inertia.mass);
    link->weighed = GMC_URDF_BY_SHAPES_AT_MASS;
}

static void compare_with_shapes(gmc_urdf_reader *reader, int i, const gmc_inertia *shapes)
{
    gmc_urdf_link *link = reader->urdf->links + i;
    static const gmc_urdf_warning contradicts = {
        {"inertia kept that contradicts the collision shapes for", "links"}, NULL};
    char message[512];
    if (!(shapes->mass > 0)) return;
    if (reader->options->inertials == GMC_URDF_REPLACED)
        replace(link, shapes);
    else if (gmc_inertia_contradicts(&link->inertia, shapes, message, sizeof message))
        gmc_urdf_words_warn(reader, reader->inertials[i].element->source, &contradicts, link->name,
                            "link `%s`: %s (from its collision shapes); the given one is kept",
                            link->name, message);
}

static void check_given(gmc_urdf_reader *reader, int i)
{
    gmc_urdf_link *link = reader->urdf->links + i;
    gmc_inertia shapes = of_shapes(link, reader->options->density);
    char message[512];
    if (link->inertia.mass == 0 && !is_moved(reader->urdf, i)) {
        link->inertia = (gmc_inertia){0}; // a frame that someone gave a mass of nothing
        return;
    }
    if (gmc_inertia_check(&link->inertia, message, sizeof message) != GMC_OK)
        judge_impossible(reader, i, &shapes, message);
    else
        compare_with_shapes(reader, i, &shapes);
}

// A group that some joint moves, with shapes but nothing that weighs: the shapes weigh.
static void weigh_shapes(gmc_urdf_reader *reader, int head)
{
    static const gmc_urdf_warning weighed = {{"no <inertial>, weighed by the shapes, for", "links"},
                                             "write its <inertial>"};
    gmc_urdf *urdf = reader->urdf;
    bool has_mass = false;
    for (int i = head; i < urdf->link_count; i++)
        has_mass = has_mass || (urdf->links[i].has_inertial && head_of(urdf, i) == head);
    for (int i = head; i < urdf->link_count && !has_mass; i++) {
        gmc_urdf_link *link = urdf->links + i;
        if (head_of(urdf, i) != head) continue;
        gmc_inertia shapes = of_shapes(link, reader->options->density);
        if (!(shapes.mass > 0)) continue;
        link->inertia = shapes;
        link->weighed = GMC_URDF_BY_SHAPES_AT_DENSITY;
        gmc_urdf_words_warn(
            reader, link->source, &weighed, link->name,
            "link `%s` moves but has no <inertial>: its shapes at %g kg/m3 are taken, "
            "%.4g kg",
            link->name, reader->options->density, shapes.mass);
    }
}

void gmc_urdf_masses_check(gmc_urdf_reader *reader)
{
    const gmc_urdf *urdf = reader->urdf;
    for (int i = 0; i < urdf->link_count; i++)
        if (urdf->links[i].has_inertial && !reader->inertials[i].is_broken) check_given(reader, i);
    for (int i = 0; i < urdf->link_count; i++)
        if (is_moved(urdf, i)) weigh_shapes(reader, i);
}
