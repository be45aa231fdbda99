/// What the files of the URDF reader share.
#ifndef GMC_ENGINE_MODEL_URDF_INTERNAL_H
#define GMC_ENGINE_MODEL_URDF_INTERNAL_H

#include "engine/model/hull.h"
#include "engine/model/urdf.h"
#include "engine/model/xml.h"

/// Convex pieces of one mesh file at one scale, made once.
typedef struct gmc_urdf_mesh {
    char *path;
    gmc_vec3 scale;
    gmc_hull_pieces pieces;
    gmc_status status;
} gmc_urdf_mesh;

struct gmc_urdf_keep {
    gmc_xml *document;
    gmc_urdf_mesh *meshes;
    int mesh_count, mesh_capacity;
    char *file;
};

/// The <inertial> of a link as it stands in the file.
typedef struct gmc_urdf_inertial {
    const gmc_xml_element *element; ///< NULL: none
    bool is_broken;                 ///< reported; nothing more is to be said about it
} gmc_urdf_inertial;

/// One reading.
typedef struct gmc_urdf_reader {
    gmc_urdf *urdf;
    const gmc_urdf_options *options;
    gmc_diagnostics *report;
    gmc_urdf_inertial *inertials; ///< (link_count)
    const char *unread[64];       ///< names that were warned of
    int unread_count;
    bool is_out_of_memory;
} gmc_urdf_reader;

// ---- words (urdf_words.c) ----------------------------------------------------------------------

#if defined(__GNUC__)
#define GMC_URDF_PRINTF __attribute__((format(printf, 4, 5)))
#else
#define GMC_URDF_PRINTF
#endif
void gmc_urdf_words_error(gmc_urdf_reader *reader, gmc_source source, const char *hint,
                          const char *format, ...) GMC_URDF_PRINTF;

/// A kind of warning, with how to mend it; NULL: nothing to say.
typedef struct gmc_urdf_warning {
    gmc_diagnostic_kind kind;
    const char *hint;
} gmc_urdf_warning;

/// Told together with the others of its kind; `about` must outlive the report.
/// @param subject  name of the link or joint
#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
void gmc_urdf_words_warn(gmc_urdf_reader *reader, gmc_source source, const gmc_urdf_warning *about,
                         const char *subject, const char *format, ...);

/// Which children and attributes an element may have; lists end with NULL.
typedef struct gmc_urdf_grammar {
    const char *const *children; ///< read
    const char *const *several;  ///< of these, those that may stand more than once
    const char *const *silent;   ///< known, and not read without a word
    const char *const *attributes;
} gmc_urdf_grammar;

/// Report children and attributes outside of the grammar: close to a known name an error, else a
/// warning once per name; and children given twice.
void gmc_urdf_words_check(gmc_urdf_reader *reader, const gmc_xml_element *element,
                          const gmc_urdf_grammar *grammar);

/// Closest of `names` (ended by NULL) within two letters, NULL if none is.
const char *gmc_urdf_words_nearest(const char *name, const char *const *names);

/// `count` numbers of an attribute. False if the attribute is not there (or broken: reported).
bool gmc_urdf_words_numbers(gmc_urdf_reader *reader, const gmc_xml_element *element,
                            const char *attribute, int count, double *values);

/// One number that must be there and lie in [least, most]; reports.
bool gmc_urdf_words_required(gmc_urdf_reader *reader, const gmc_xml_element *element,
                             const char *attribute, double least, double most, double *value);

/// <origin xyz rpy> of an element, identity if there is none.
gmc_pose gmc_urdf_words_origin(gmc_urdf_reader *reader, const gmc_xml_element *element);

/// The attribute's value; reports if it is missing or empty, then NULL.
const char *gmc_urdf_words_text(gmc_urdf_reader *reader, const gmc_xml_element *element,
                                const char *attribute);

// ---- parts -------------------------------------------------------------------------------------

/// Fill links (names, inertials as written, shapes).
void gmc_urdf_links_read(gmc_urdf_reader *reader, const gmc_xml_element *root);

/// Links that are seen and never felt.
void gmc_urdf_links_warn_of_visuals(gmc_urdf_reader *reader);

/// Fill joints; links are resolved by name.
void gmc_urdf_joints_read(gmc_urdf_reader *reader, const gmc_xml_element *root);

/// Shapes of all <collision> elements of a link.
void gmc_urdf_shapes_read(gmc_urdf_reader *reader, const gmc_xml_element *element,
                          gmc_urdf_link *link);

/// One tree, parents first, mimics resolved to their leaders.
void gmc_urdf_tree_order(gmc_urdf_reader *reader);

/// Mass properties: checked, compared with the shapes, completed. Needs the tree.
void gmc_urdf_masses_check(gmc_urdf_reader *reader);

#endif
