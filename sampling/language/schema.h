/// The one table of the scenario language: every key with its type, unit, range, default and
/// meaning. Validation, defaults, the expanded copy, help and scenarios/FORMAT.md are read off it.
///
/// Keys stand in groups; a row of type GROUP, NAMED or PHASES leads into another group, so that a
/// path such as `object.pose.x` is a walk from group to group, and a group used twice is written
/// once.
#ifndef GMC_SAMPLING_LANGUAGE_SCHEMA_H
#define GMC_SAMPLING_LANGUAGE_SCHEMA_H

#include "engine/base/status.h"
#include "sampling/language/units.h"

#include <stdbool.h>
#include <stddef.h>

/// Version of the language: what `graspmc:` must say.
enum { GMC_SCHEMA_VERSION = 1 };

typedef enum gmc_schema_group {
    GMC_SCHEMA_ROOT,
    GMC_SCHEMA_HAND,
    GMC_SCHEMA_ROBOT,
    GMC_SCHEMA_JOINT,
    GMC_SCHEMA_FOLLOWS,
    GMC_SCHEMA_DRIVE,
    GMC_SCHEMA_ITEM,
    GMC_SCHEMA_PART,
    GMC_SCHEMA_SPHERE,
    GMC_SCHEMA_ROUND,
    GMC_SCHEMA_PLANE,
    GMC_SCHEMA_ELLIPSE,
    GMC_SCHEMA_GEAR,
    GMC_SCHEMA_SUPPORT,
    GMC_SCHEMA_PATH,
    GMC_SCHEMA_PUSH,
    GMC_SCHEMA_SERVO,
    GMC_SCHEMA_TORQUE,
    GMC_SCHEMA_POSE,
    GMC_SCHEMA_GRASPS,
    GMC_SCHEMA_OFFSET,
    GMC_SCHEMA_CLUTTER,
    GMC_SCHEMA_KIND,
    GMC_SCHEMA_CAMERA,
    GMC_SCHEMA_VIEW,
    GMC_SCHEMA_BELIEVED,
    GMC_SCHEMA_SIGHT,
    GMC_SCHEMA_SPREAD,
    GMC_SCHEMA_GROWTH,
    GMC_SCHEMA_OUTLIERS,
    GMC_SCHEMA_SURFACE,
    GMC_SCHEMA_PAD,
    GMC_SCHEMA_FRICTION,
    GMC_SCHEMA_PHASE,
    GMC_SCHEMA_CLOSE,
    GMC_SCHEMA_OPEN,
    GMC_SCHEMA_LIFT,
    GMC_SCHEMA_MOVE,
    GMC_SCHEMA_TURN,
    GMC_SCHEMA_SHAKE,
    GMC_SCHEMA_MOVE_TO,
    GMC_SCHEMA_HOLD,
    GMC_SCHEMA_SET,
    GMC_SCHEMA_PULL,
    GMC_SCHEMA_CONTROL,
    GMC_SCHEMA_CONTROLLER,
    GMC_SCHEMA_SUCCESS,
    GMC_SCHEMA_FROM,
    GMC_SCHEMA_STUDY,
    GMC_SCHEMA_ROUNDS,
    GMC_SCHEMA_PLAN,
    GMC_SCHEMA_RANK,
    GMC_SCHEMA_OPTIMISE,
    GMC_SCHEMA_LEVEL,
    GMC_SCHEMA_SAMPLING,
    GMC_SCHEMA_SUBSET,
    GMC_SCHEMA_TWO_LEVEL,
    GMC_SCHEMA_SIMULATION,
    GMC_SCHEMA_EARLY,
    GMC_SCHEMA_OUTPUT,
    GMC_SCHEMA_HISTOGRAM,
    GMC_SCHEMA_GROUP_COUNT
} gmc_schema_group;

typedef enum gmc_schema_type {
    GMC_TYPE_NUMBER,     ///< number with unit; becomes a parameter
    GMC_TYPE_INTEGER,    ///< whole number; no parameter
    GMC_TYPE_VECTOR,     ///< [x, y, z] of numbers; parameters .x .y .z
    GMC_TYPE_STEPS,      ///< one number, or [x, y, z]
    GMC_TYPE_AXIS,       ///< x, y, z, -x, -y, -z or [x, y, z]
    GMC_TYPE_AIM,        ///< name of a body, or [x, y, z] of numbers
    GMC_TYPE_INERTIA,    ///< [xx, yy, zz, xy, xz, yz]
    GMC_TYPE_POLYGON,    ///< list of [x, y]; no parameters
    GMC_TYPE_POINTS,     ///< list of three [x, y] or more; parameters .0.x .0.y ...
    GMC_TYPE_KNOTS,      ///< list of [time, number]; parameters .0.time .0.value ...
    GMC_TYPE_MOMENT,     ///< in the plane KNOTS, in space map with the keys of `child`
    GMC_TYPE_GOALS,      ///< map: joint -> number, or list of [time, number]; parameters
    GMC_TYPE_NUMBERS,    ///< one number, or a list of them; parameters .0 .1 ...
    GMC_TYPE_WORD,       ///< one of `words`
    GMC_TYPE_NAME,       ///< a name given by the user or a file
    GMC_TYPE_NAMES,      ///< list of names
    GMC_TYPE_TEXT,       ///< free text
    GMC_TYPE_FILE,       ///< file name, relative to the scenario that names it
    GMC_TYPE_FILES,      ///< list of file or folder names
    GMC_TYPE_BOOL,       ///< true or false
    GMC_TYPE_GROUP,      ///< map with the keys of `child`
    GMC_TYPE_NAMED,      ///< map: any name -> map with the keys of `child`
    GMC_TYPE_PAIRS,      ///< map: surface/surface -> number, or map with the keys of `child`
    GMC_TYPE_PHASES,     ///< list of maps with one key of `child` each
    GMC_TYPE_SURFACES,   ///< one surface, or map: link -> surface
    GMC_TYPE_CRITERIA,   ///< list of criteria
    GMC_TYPE_UNCERTAIN,  ///< map: path -> distribution expression
    GMC_TYPE_CORRELATED, ///< map: name/name -> number; no parameters
    GMC_TYPE_PARAMETERS, ///< map: path -> number of any dimension
    GMC_TYPE_AXES,       ///< map: path -> values; or list of names
    GMC_TYPE_ROUNDS,     ///< whole number, or map with the keys of `child`
    GMC_TYPE_GRASPS,     ///< file name, or map with the keys of `child`
    GMC_TYPE_LAW,        ///< word, or map with the keys of `child`
    GMC_TYPE_ARGUMENTS,  ///< map: name -> number of any dimension; parameters .name
    GMC_TYPE_MAPS,       ///< list of maps with the keys of `child`
    GMC_TYPE_SHARES,     ///< map: joint -> number; parameters .joint
    GMC_TYPE_AT_PHASES,  ///< map: phase -> list of criteria
    GMC_TYPE_LADDER,     ///< list of words, or of maps with the keys of `child`
    GMC_TYPE_DESIGN,     ///< random, or {csv: file}
    GMC_TYPE_RECORD,     ///< none, failures, first:K, every:K, all
    GMC_TYPE_HISTOGRAMS, ///< list of names, pairs of names, or maps
    GMC_TYPE_PAIR,       ///< [name, name]
    GMC_TYPE_PATHS,      ///< name, or [name, name]
    GMC_TYPE_COUNTS,     ///< whole number, or list of one or two
    GMC_TYPE_RANGES,     ///< [lower, upper], or list of two of these
    GMC_TYPE_COUNT
} gmc_schema_type;

/// In which worlds a key means something.
typedef enum gmc_schema_worlds {
    GMC_SCHEMA_ALL,
    GMC_SCHEMA_SOLID, ///< `world: spatial`
    GMC_SCHEMA_FLAT   ///< `world: planar`, `world: planar-support`
} gmc_schema_worlds;

/// What the reader makes of a plain value: the field of the struct that a group is read into.
typedef enum gmc_schema_store {
    GMC_STORE_NONE,   ///< nothing: whoever reads the group has more to do with it
    GMC_STORE_TABLE,  ///< of NUMBER: no field, a parameter that its user finds by the path
    GMC_STORE_INT,    ///< of NUMBER, VECTOR, AXIS, INERTIA: parameters (gmc_param); of WORD: which
                      ///< one; of INTEGER: the number
    GMC_STORE_INT64,  ///< INTEGER
    GMC_STORE_DOUBLE, ///< NUMBER that is no parameter [SI]
    GMC_STORE_BOOL,   ///< BOOL; of WORD: is it `meant`?
    GMC_STORE_TEXT    ///< as written
} gmc_schema_store;

typedef struct gmc_schema_row {
    gmc_schema_group group;
    const char *key;
    gmc_schema_type type;
    gmc_dimension dimension; ///< of numbers
    gmc_schema_group child;  ///< GROUP, NAMED, PAIRS, PHASES
    double lower, upper;     ///< of numbers
    bool is_above;           ///< `lower` itself is not allowed
    bool is_required;        ///< must be written; with a rival: one of the rivals must
    char rival;              ///< keys of a group with the same letter exclude each other; 0: none
    bool is_settled;         ///< a number that set-up needs: it stands as written, no formula
    bool is_set;             ///< a number of `set`, which takes no formula either
    const char *needs; ///< key of the same group without which this one means nothing; NULL: none
    gmc_schema_worlds worlds;
    const char *fallback; ///< default as one would write it; NULL: none
    const char *words;    ///< WORD: "resting|as_given"
    const char *about;
    size_t at;              ///< offset of the field
    gmc_schema_store store; ///< what the field is
    int first_choice;       ///< WORD in an int: value of the first word, the next one's is one more
    const char *meant;      ///< WORD in a bool: the word for true
} gmc_schema_row;

/// All rows, in the order in which FORMAT.md and the expanded copy give them; groups are
/// contiguous. They stand in scenario/schema_rows.c, beside the structs that they fill.
extern const gmc_schema_row gmc_schema_rows[];
extern const int gmc_schema_row_count;

/// Row of a key; NULL if the group has no such key.
const gmc_schema_row *gmc_schema_find(gmc_schema_group group, const char *key);

/// Length of the first key of a path below `group`: up to its first dot, but a key of the table may
/// hold one itself (`object.pose` of `believed`).
size_t gmc_schema_key_length(gmc_schema_group group, const char *path);

/// Rows of a group.
/// @param count  out
const gmc_schema_row *gmc_schema_group_rows(gmc_schema_group group, int *count);

/// The key of `group` that a misspelt one most likely meant; NULL if none is near.
const char *gmc_schema_nearest(gmc_schema_group group, const char *key);

/// Which `world: ...` is of; ALL: it is misspelt, and nothing is known of it.
gmc_schema_worlds gmc_schema_worlds_of(const char *world);

/// Does the row mean something in these worlds? ALL: in one of them at least.
static inline bool gmc_schema_is_of_world(const gmc_schema_row *row, gmc_schema_worlds worlds)
{
    return row->worlds == GMC_SCHEMA_ALL || worlds == GMC_SCHEMA_ALL || row->worlds == worlds;
}

/// What may be done about `key`, which the group does not have: the key that it most likely meant,
/// or all keys of the group that mean something in `worlds`.
/// @param hint  out; what does not fit is counted at its end
void gmc_schema_hint(gmc_schema_group group, gmc_schema_worlds worlds, const char *key, char *hint,
                     size_t size);

/// Where a group stands, for messages and FORMAT.md: "scenario", "hand", "a phase `close`".
const char *gmc_schema_group_name(gmc_schema_group group);

/// Where the draws lie. The names of gmc_design_name are stored in files.
typedef enum gmc_design {
    GMC_DESIGN_RANDOM,
    GMC_DESIGN_CSV,
    GMC_DESIGN_SOBOL, ///< scrambled Sobol' points: draw d is point d / R of randomisation d mod R
    GMC_DESIGN_LATIN_HYPERCUBE, ///< R hypercubes of draws / R points
    GMC_DESIGN_SENSITIVITY,     ///< blocks of draws: design/exchange.h; block b is point b / R of
                                ///< randomisation b mod R
    GMC_DESIGN_MORRIS           ///< trajectories, one a block: design/morris.h
} gmc_design;

/// "random", "csv", "sobol", "latin_hypercube", "sensitivity", "morris".
const char *gmc_design_name(gmc_design design);

/// The words of `study.ladder`: what each says of the simulation at its level.
typedef struct gmc_ladder_word {
    const char *name, *stepper, *motion; ///< NULL: the scenario's own
    bool is_geometric;
} gmc_ladder_word;

extern const gmc_ladder_word gmc_ladder_words[];
extern const int gmc_ladder_word_count;

#endif
