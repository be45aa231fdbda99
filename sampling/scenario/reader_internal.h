// Shared by the files that read the blocks of a scenario: reader.c (root, and the small steps
// below), reader_item.c (objects, scene), reader_hand.c, reader_surfaces.c, reader_friction.c,
// reader_planar.c (what has to stay in the plane), reader_program.c (phases), reader_output.c
// (success, study, sampling, simulation, output), and others that are named below.
#ifndef GMC_SAMPLING_SCENARIO_READER_INTERNAL_H
#define GMC_SAMPLING_SCENARIO_READER_INTERNAL_H

#include "sampling/language/schema.h"
#include "sampling/scenario/reader.h"

typedef struct gmc_reader {
    gmc_scenario *scenario;
    gmc_diagnostics *report;
    bool is_arena_full; // looked at once at the end: what is taken after that is zero or NULL
    int mended;         // mistakes after which reading went on as if they were not there
} gmc_reader;

// `count` zeroed elements; NULL with is_arena_full set.
void *gmc_reader_take(gmc_reader *r, int count, size_t size);

// "a.b" in the arena.
const char *gmc_reader_join(gmc_reader *r, const char *a, const char *b);

// Enter the number of map[key] as "path.key"; -1 if it is not written or wrong.
gmc_param gmc_reader_number(gmc_reader *r, const gmc_node *map, const char *path, const char *key);

// Enter a node that holds a number.
gmc_param gmc_reader_enter(gmc_reader *r, const gmc_node *node, const char *path);

// [x, y, z] under map[key] as "path.key.x" ...; axes by word too. All -1 if not written.
void gmc_reader_vector(gmc_reader *r, const gmc_node *map, const char *path, const char *key,
                       gmc_param out[3]);

// Plain values of a group into the struct that its rows name, each as the row says: numbers as
// parameters "path.key", in the order of the struct's fields. What is not written, or wrong, is as
// gmc_reader_defaults leaves it.
void gmc_reader_fields(gmc_reader *r, const gmc_node *map, const char *path, gmc_schema_group group,
                       void *out);

// Parameters -1, the others as the rows have it.
void gmc_reader_defaults(gmc_schema_group group, void *out);

// Text of map[key], NULL if not written.
const char *gmc_reader_text(const gmc_node *map, const char *key);

bool gmc_reader_bool(const gmc_node *map, const char *key);

// A pose under map[key] as "path.key.x" ...
gmc_pose_spec gmc_reader_pose(gmc_reader *r, const gmc_node *map, const char *path,
                              const char *key);

// Every map below map as an item "prefix.name"; in the arena.
void gmc_reader_items(gmc_reader *r, gmc_node *map, const char *prefix, bool is_object,
                      gmc_item_spec **items, int *count);

// Vertices of a checked polygon; NULL if it is not good (reported) or the arena is full.
const gmc_vec2 *gmc_reader_vertices(gmc_reader *r, const gmc_node *list, int *count);

// Coordinates of points, each a parameter "path.0.x", "path.0.y", "path.1.x" ...; NULL if they are
// not good (reported) or the arena is full.
const gmc_param *gmc_reader_points(gmc_reader *r, const gmc_node *list, const char *path,
                                   int *count);

// Functions of time under map[key] of a body; NULL if it says nothing.
const gmc_course_spec *gmc_reader_course(gmc_reader *r, const gmc_node *map, const char *path,
                                         const char *key, const char *const names[3]);

// What a body lies on; NULL if it says nothing.
const gmc_footing_spec *gmc_reader_footing(gmc_reader *r, const gmc_node *map, const char *path);

// study.rank, after gmc_reader_ladder.
void gmc_reader_rank(gmc_reader *r, const gmc_node *study);

// study.optimise.
void gmc_reader_optimise(gmc_reader *r, const gmc_node *study);

// After everything else: what leaves the plane of a planar world, and what only makes sense there.
void gmc_reader_planar(gmc_reader *r, const gmc_node *root);

// Name of a file relative to the scenario; the node is rewritten so, for the expanded text. NULL if
// there is none.
const char *gmc_reader_file_name(gmc_reader *r, gmc_node *node);

// Take a named file in; the place on disk, or NULL if it is not there (reported).
const char *gmc_reader_load(gmc_reader *r, const char *name, gmc_source source);

// Where a file that was taken in was found.
const char *gmc_reader_asset_file(const gmc_reader *r, const char *name);

// Lines that `believed` may add to those of `uncertain`.
enum { GMC_READER_SIGHT_LINES = GMC_SIGHT_COMPONENTS + 1 };

// `cameras`, and the index of one that is named; -1: there is none, reported (reader_cameras.c).
void gmc_reader_cameras(gmc_reader *r, const gmc_node *map);
int gmc_reader_cameras_find(gmc_reader *r, const gmc_node *seen_by);

// `cameras` and `believed`, behind `uncertain`; room for what `correlated` holds
// (reader_believed.c).
void gmc_reader_believed(gmc_reader *r, const gmc_node *root);
// Candidate grasps under map["grasps"] of an object; NULL if it says nothing.
struct gmc_grasp_set *gmc_reader_grasps(gmc_reader *r, const gmc_node *map, const char *path,
                                        bool is_object);

// Blocks of the root; each is passed over if it is not there.
void gmc_reader_objects(gmc_reader *r, gmc_node *root);
void gmc_reader_hand(gmc_reader *r, gmc_node *map);
// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_reader_surfaces(gmc_reader *r, gmc_node *root);
void gmc_reader_clutter(gmc_reader *r, gmc_node *map);
void gmc_reader_friction(gmc_reader *r, const gmc_node *map);
void gmc_reader_program(gmc_reader *r, const gmc_node *list);
void gmc_reader_output_success(gmc_reader *r, const gmc_node *map);
void gmc_reader_output_uncertain(gmc_reader *r, const gmc_node *map);
void gmc_reader_output_study(gmc_reader *r, const gmc_node *map);
// sampling.two_level (reader_ladder.c).
void gmc_reader_two_level(gmc_reader *r, const gmc_node *sampling);

// sampling.subset (reader_subset.c).
void gmc_reader_subset(gmc_reader *r, const gmc_node *sampling);

// Levels and rounds of a study with a ladder (reader_ladder.c).
void gmc_reader_ladder(gmc_reader *r, const gmc_node *study);
void gmc_reader_output_sampling(gmc_reader *r, const gmc_node *root);
void gmc_reader_output_simulation(gmc_reader *r, const gmc_node *map);
void gmc_reader_output(gmc_reader *r, const gmc_node *map);

#endif
