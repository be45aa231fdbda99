// Shared by the files that read the blocks of a scenario: reader.c (root, and the small steps below),
// reader_bodies.c (what there is), reader_program.c (phases and success), reader_believed.c (what is
// uncertain), reader_study.c (study, sampling, simulation, output), reader_planar.c (what has to stay
// in the plane).
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

// Enter a parameter; -1 with is_arena_full set.
gmc_param gmc_reader_add(gmc_reader *r, const gmc_parameter *given);

// Enter the number of map[key] as "path.key"; -1 if it is not written or wrong.
gmc_param gmc_reader_number(gmc_reader *r, const gmc_node *map, const char *path, const char *key);

// Enter a node that holds a number.
gmc_param gmc_reader_enter(gmc_reader *r, const gmc_node *node, const char *path);

// [x, y, z] under map[key] as "path.key.x" ...; axes by word too. All -1 if not written.
void gmc_reader_vector(gmc_reader *r, const gmc_node *map, const char *path, const char *key,
                       gmc_param out[3]);

// Plain values of a group into the struct that its rows name, each as the row says: numbers as
// parameters "path.key", in the order of the struct's fields (rows without a field: of the table). What is not written, or wrong, is as
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

// Name of a file relative to the scenario; the node is rewritten so, for the expanded text. NULL if
// there is none.
const char *gmc_reader_file_name(gmc_reader *r, gmc_node *node);

// Take a named file in; the place on disk, or NULL if it is not there (reported).
const char *gmc_reader_load(gmc_reader *r, const char *name, gmc_source source);

// Where a file that was taken in was found.
const char *gmc_reader_asset_file(const gmc_reader *r, const char *name);

// Lines that `believed` may add to those of `uncertain`.
enum { GMC_READER_SIGHT_LINES = GMC_SIGHT_COMPONENTS + 1 };

// Blocks of the root, in the order in which they are read; each is passed over if it is not there.
// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_reader_bodies(gmc_reader *r, gmc_node *root);
void gmc_reader_program(gmc_reader *r, const gmc_node *list);
void gmc_reader_success(gmc_reader *r, const gmc_node *map);
void gmc_reader_uncertain(gmc_reader *r, const gmc_node *map);

// `cameras` and `believed`, behind `uncertain`; room for what `correlated` holds.
void gmc_reader_believed(gmc_reader *r, const gmc_node *root);

// `study`, `sampling`, `simulation` and `output`.
void gmc_reader_study(gmc_reader *r, const gmc_node *root);

// After everything else: what leaves the plane of a planar world, and what only makes sense there.
void gmc_reader_planar(gmc_reader *r, const gmc_node *root);

#endif
