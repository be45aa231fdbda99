// Links as they stand in the file: names, mass properties, shapes.
#include "engine/model/urdf_internal.h"

#include <stdlib.h>
#include <string.h>

static const char *const none[] = {NULL};

static void read_inertia_matrix(gmc_urdf_reader *reader, const gmc_xml_element *element,
                                gmc_mat3 *I, bool *is_broken)
{
    static const struct {
        const char *name;
        int at, mirrored;
        bool is_needed;
    } entries[] = {{"ixx", 0, 0, true},  {"iyy", 4, 4, true},  {"izz", 8, 8, true},
                   {"ixy", 1, 3, false}, {"ixz", 2, 6, false}, {"iyz", 5, 7, false}};
    for (int i = 0; i < GMC_COUNT(entries); i++) {
        double value = 0;
        bool is_there = gmc_xml_find(element, entries[i].name) != NULL;
        if (is_there || entries[i].is_needed)
            *is_broken |=
                !gmc_urdf_words_required(reader, element, entries[i].name, -1e9, 1e9, &value);
        I->m[entries[i].at] = I->m[entries[i].mirrored] = value;
    }
}

static void read_inertial(gmc_urdf_reader *reader, const gmc_xml_element *element,
                          gmc_urdf_inertial *inertial, gmc_urdf_link *link)
{
    static const char *const children[] = {"origin", "mass", "inertia", NULL};
    static const char *const mass_attributes[] = {"value", NULL};
    static const char *const inertia_attributes[] = {"ixx", "ixy", "ixz", "iyy",
                                                     "iyz", "izz", NULL};
    static const gmc_urdf_grammar grammar = {children, none, none, none},
                                  mass_grammar = {none, none, none, mass_attributes},
                                  inertia_grammar = {none, none, none, inertia_attributes};
    const gmc_xml_element *mass = gmc_xml_child(element, "mass");
    const gmc_xml_element *inertia = gmc_xml_child(element, "inertia");
    int errors_before = reader->report->error_count;
    gmc_urdf_words_check(reader, element, &grammar);
    gmc_pose X_lc = gmc_urdf_words_origin(reader, element);
    gmc_mat3 I = {{0}};
    inertial->element = element;
    link->has_inertial = true;

    if (!mass)
        gmc_urdf_words_error(reader, element->source, NULL,
                             "<inertial> needs <mass value=\"...\"/>");
    else {
        gmc_urdf_words_check(reader, mass, &mass_grammar);
        inertial->is_broken |=
            !gmc_urdf_words_required(reader, mass, "value", 0, 1e9, &link->inertia.mass);
    }
    if (inertia) {
        gmc_urdf_words_check(reader, inertia, &inertia_grammar);
        read_inertia_matrix(reader, inertia, &I, &inertial->is_broken);
    } else if (mass && link->inertia.mass > 0) {
        gmc_urdf_words_error(reader, element->source, NULL, "<inertial> needs <inertia .../>");
    }
    inertial->is_broken |= reader->report->error_count > errors_before;
    link->inertia.com = X_lc.p;
    link->inertia.I = gmc_mat3_rotate(&X_lc.R, &I);
}

static void read_link(gmc_urdf_reader *reader, const gmc_xml_element *element,
                      gmc_urdf_inertial *inertial, gmc_urdf_link *link)
{
    static const char *const children[] = {"inertial", "collision", NULL};
    static const char *const several[] = {"collision", NULL};
    static const char *const silent[] = {"visual", NULL};
    static const char *const attributes[] = {"name", NULL};
    static const gmc_urdf_grammar grammar = {children, several, silent, attributes};
    *link = (gmc_urdf_link){.source = element->source, .joint = -1};
    gmc_urdf_words_check(reader, element, &grammar);
    const char *name = gmc_urdf_words_text(reader, element, "name");
    link->name = name ? name : "";
    if (name) link->source = gmc_xml_find(element, "name")->source;
    const gmc_xml_element *masses = gmc_xml_child(element, "inertial");
    if (masses) read_inertial(reader, masses, inertial, link);
    gmc_urdf_shapes_read(reader, element, link);
    for (const gmc_xml_element *v = gmc_xml_child(element, "visual"); v; v = gmc_xml_next(v))
        link->visual_count++;
}

void gmc_urdf_links_read(gmc_urdf_reader *reader, const gmc_xml_element *root)
{
    gmc_urdf *urdf = reader->urdf;
    int count = 0;
    for (const gmc_xml_element *e = gmc_xml_child(root, "link"); e; e = gmc_xml_next(e))
        if (++count > GMC_URDF_PARTS_MAX) {
            gmc_urdf_words_error(reader, e->source, NULL, "more than %d links", GMC_URDF_PARTS_MAX);
            return;
        }
    if (count == 0) {
        gmc_urdf_words_error(reader, root->source, NULL, "a robot needs a <link>");
        return;
    }
    urdf->links = calloc((size_t)count, sizeof *urdf->links);
    reader->inertials = calloc((size_t)count, sizeof *reader->inertials);
    if (!urdf->links || !reader->inertials) {
        reader->is_out_of_memory = true;
        return;
    }
    for (const gmc_xml_element *e = gmc_xml_child(root, "link"); e; e = gmc_xml_next(e)) {
        int i = urdf->link_count;
        read_link(reader, e, reader->inertials + i, urdf->links + i);
        int twin = gmc_urdf_find_link(urdf, urdf->links[i].name);
        if (twin >= 0 && urdf->links[i].name[0])
            gmc_urdf_words_error(reader, urdf->links[i].source, NULL,
                                 "a second link `%s`; the first stands in line %d",
                                 urdf->links[i].name, urdf->links[twin].source.line);
        urdf->link_count++;
    }
}

void gmc_urdf_links_warn_of_visuals(gmc_urdf_reader *reader)
{
    static const gmc_urdf_warning unseen = {
        {"visual shapes alone, which touch nothing, for", "links"},
        "what touches needs a <collision>"};
    const gmc_urdf *urdf = reader->urdf;
    int shapes = 0, visuals = 0;
    for (int i = 0; i < urdf->link_count; i++) {
        shapes += urdf->links[i].shape_count;
        visuals += urdf->links[i].visual_count;
    }
    for (int i = 0; i < urdf->link_count && shapes > 0; i++) {
        const gmc_urdf_link *link = &urdf->links[i];
        if (link->shape_count == 0 && link->visual_count > 0)
            gmc_urdf_words_warn(reader, link->source, &unseen, link->name,
                                "link `%s` has visual shapes alone, which touch nothing",
                                link->name);
    }
    if (shapes == 0 && visuals > 0)
        gmc_urdf_words_warn(reader, (gmc_source){.file = urdf->file}, &unseen, urdf->name,
                            "no link has a <collision>: nothing can touch this robot");
}
