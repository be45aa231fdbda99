// isaac_grasp, version 1.0. Two dialects are about: Isaac ROS calls the frames object_frame and
// gripper_frame, Isaac Sim's grasp editor object_frame_link and gripper_frame_link; some files have
// both. The names are for people: the scenario says which link and which frame are meant. Keys that
// neither specification has are what tools leave for themselves, and passed over.
#include "sampling/grasps/intake_internal.h"

#include <stdio.h>
#include <string.h>

typedef struct gmc_isaac {
    gmc_intake r;
    bool has_format, has_version, has_grasps;
} gmc_isaac;

// ---- one grasp --------------------------------------------------------------------------------

enum { CONFIDENCE = 1, POSITION = 2, ORIENTATION = 4, CLOSED = 8, OPEN = 16 };

static const struct {
    const char *key;
    int bit;
} KEYS[] = {{"confidence", CONFIDENCE},
            {"position", POSITION},
            {"orientation", ORIENTATION},
            {"cspace_position", CLOSED},
            {"pregrasp_cspace_position", OPEN}};

static gmc_grasp *current(const gmc_isaac *f) { return &f->r.grasps->list[f->r.grasps->count - 1]; }

static gmc_status read_orientation(gmc_isaac *f, const gmc_yaml_scan_item *item)
{
    static const gmc_intake_list xyz = {.what = "orientation.xyz", .count = 3};
    const gmc_intake *r = &f->r;
    bool is_good = false;
    double q[4] = {0, 0, 0, 0};
    bool has_w = false, has_xyz = false;
    GMC_TRY(gmc_intake_expect(r, item, GMC_YAML_SCAN_MAP, "orientation", &is_good));
    if (!is_good) return GMC_OK;
    for (;;) {
        gmc_yaml_scan_item key, value;
        GMC_TRY(gmc_yaml_scan_next(r->scan, &key));
        if (key.kind == GMC_YAML_SCAN_CLOSE) break;
        bool is_w = strcmp(key.text, "w") == 0, is_xyz = strcmp(key.text, "xyz") == 0;
        GMC_TRY(gmc_yaml_scan_next(r->scan, &value));
        if (is_w)
            GMC_TRY(gmc_intake_number(r, &value, "orientation.w", &q[0], &is_good));
        else if (is_xyz)
            GMC_TRY(gmc_intake_numbers(r, &value, &xyz, q + 1, &is_good));
        else
            GMC_TRY(gmc_yaml_scan_skip(r->scan, &value));
        has_w = has_w || is_w;
        has_xyz = has_xyz || is_xyz;
    }
    if (!has_w || !has_xyz)
        return gmc_intake_complain(r, item->source, "orientation: {w: 1, xyz: [0, 0, 0]}",
                                   "orientation: w and xyz are needed");
    if (is_good && !gmc_intake_is_full(r))
        (void)gmc_grasps_rotation(r->grasps, q, item->source, r->report);
    return GMC_OK;
}

static bool is_entered(const gmc_grasps *grasps, gmc_grasp_entry_kind kind, const char *joint)
{
    const gmc_grasp *grasp = &grasps->list[grasps->count - 1];
    for (int i = grasp->entry; i < grasp->entry + grasp->entry_count; i++)
        if (grasps->entries[i].kind == kind &&
            strcmp(grasps->names[grasps->entries[i].name].text, joint) == 0)
            return true;
    return false;
}

static gmc_status read_joints(gmc_isaac *f, const gmc_yaml_scan_item *item, const char *what,
                              gmc_grasp_entry_kind kind)
{
    const gmc_intake *r = &f->r;
    bool is_map = false;
    GMC_TRY(gmc_intake_expect(r, item, GMC_YAML_SCAN_MAP, what, &is_map));
    if (!is_map) return GMC_OK;
    for (;;) {
        gmc_yaml_scan_item key, value;
        char joint[GMC_GRASPS_TEXT_MAX];
        double position = 0;
        bool is_good = true;
        GMC_TRY(gmc_yaml_scan_next(r->scan, &key));
        if (key.kind == GMC_YAML_SCAN_CLOSE) return GMC_OK;
        bool is_long = strlen(key.text) >= sizeof joint;
        if (is_long || key.text[0] == 0)
            GMC_TRY(gmc_intake_complain(r, key.source, NULL, "expected the name of a joint"));
        snprintf(joint, sizeof joint, "%s", is_long ? "" : key.text);
        GMC_TRY(gmc_yaml_scan_next(r->scan, &value));
        GMC_TRY(gmc_intake_number(r, &value, what, &position, &is_good));
        if (joint[0] == 0 || !is_good) continue;
        if (is_entered(r->grasps, kind, joint)) {
            GMC_TRY(gmc_intake_complain(r, key.source, "remove one of the two",
                                        "this joint stands here a second time"));
            continue;
        }
        int names = r->grasps->name_count;
        gmc_status status = gmc_grasps_enter(r->grasps, kind, joint, position, value.source.line,
                                             value.source.column);
        GMC_TRY(gmc_intake_limit(r, key.source, status));
        if (r->grasps->name_count == names) continue;
        r->grasps->names[names].line = key.source.line; // of the name, not of its number
        r->grasps->names[names].column = key.source.column;
    }
}

static gmc_status read_value(gmc_isaac *f, int bit, const gmc_yaml_scan_item *value)
{
    static const gmc_intake_list position = {.what = "position", .count = 3};
    bool is_good = true;
    double confidence = 0;
    switch (bit) {
    case CONFIDENCE:
        GMC_TRY(gmc_intake_number(&f->r, value, "confidence", &confidence, &is_good));
        if (is_good) current(f)->confidence = confidence;
        return GMC_OK;
    case POSITION:
        return gmc_intake_numbers(&f->r, value, &position, current(f)->position, &is_good);
    case ORIENTATION:
        return read_orientation(f, value);
    case CLOSED:
        return read_joints(f, value, "cspace_position", GMC_GRASP_CLOSED);
    case OPEN:
        return read_joints(f, value, "pregrasp_cspace_position", GMC_GRASP_OPEN);
    default:
        return gmc_yaml_scan_skip(f->r.scan, value);
    }
}

static gmc_status read_grasp(gmc_isaac *f, const gmc_yaml_scan_item *name)
{
    const gmc_intake *r = &f->r;
    gmc_source source = name->source;
    char text[GMC_GRASPS_TEXT_MAX];
    bool is_map = false, is_long = strlen(name->text) >= sizeof text;
    if (is_long || name->text[0] == 0)
        GMC_TRY(gmc_intake_complain(r, source, NULL, "expected the name of a grasp"));
    snprintf(text, sizeof text, "%s", is_long ? "" : name->text);
    gmc_status status =
        gmc_grasps_begin(r->grasps, text[0] ? text : NULL, source.line, source.column);
    GMC_TRY(gmc_intake_limit(r, source, status));
    gmc_yaml_scan_item item, value;
    GMC_TRY(gmc_yaml_scan_next(r->scan, &item));
    GMC_TRY(gmc_intake_expect(r, &item, GMC_YAML_SCAN_MAP, text, &is_map));
    for (int seen = 0; is_map;) {
        GMC_TRY(gmc_yaml_scan_next(r->scan, &item));
        if (item.kind == GMC_YAML_SCAN_CLOSE) {
            if (!(seen & POSITION) || !(seen & ORIENTATION))
                return gmc_intake_complain(r, source, NULL,
                                           "a grasp needs position and orientation");
            break;
        }
        int bit = 0;
        for (int i = 0; i < GMC_COUNT(KEYS); i++)
            if (strcmp(KEYS[i].key, item.text) == 0) bit = KEYS[i].bit;
        if (seen & bit)
            GMC_TRY(gmc_intake_complain(r, item.source, "remove one of the two",
                                        "this key stands here a second time"));
        seen |= bit;
        GMC_TRY(gmc_yaml_scan_next(r->scan, &value));
        GMC_TRY(read_value(f, bit, &value));
    }
    return GMC_OK;
}

// ---- the file ---------------------------------------------------------------------------------

static gmc_status read_grasps(gmc_isaac *f, const gmc_yaml_scan_item *item)
{
    bool is_map = false;
    if (f->has_grasps)
        GMC_TRY(gmc_intake_complain(&f->r, item->source, NULL, "grasps stand here a second time"));
    f->has_grasps = true;
    GMC_TRY(gmc_intake_expect(&f->r, item, GMC_YAML_SCAN_MAP, "grasps", &is_map));
    while (is_map && !gmc_intake_is_full(&f->r)) {
        gmc_yaml_scan_item name;
        GMC_TRY(gmc_yaml_scan_next(f->r.scan, &name));
        if (name.kind == GMC_YAML_SCAN_CLOSE) break;
        GMC_TRY(read_grasp(f, &name));
    }
    return GMC_OK;
}

// A frame of either dialect; both may be there if they agree.
static gmc_status read_frame(gmc_isaac *f, const gmc_yaml_scan_item *item, const char *key,
                             const char **frame, const char **frame_key)
{
    bool is_text = false;
    GMC_TRY(gmc_intake_expect(&f->r, item, GMC_YAML_SCAN_TEXT, "name of a frame", &is_text));
    if (!is_text) return GMC_OK;
    if (*frame && strcmp(*frame, item->text) != 0)
        return gmc_intake_complain(&f->r, item->source,
                                   "object_frame and object_frame_link are the same in two "
                                   "dialects, and so for the gripper",
                                   "the file names two different frames");
    // with both the shorter one, which all dialects but Isaac Sim's editor have
    if (!*frame_key || strlen(key) < strlen(*frame_key)) *frame_key = key;
    *frame = gmc_grasps_text(f->r.grasps, item->text);
    return *frame ? GMC_OK : GMC_E_MEMORY;
}

static gmc_status read_format(gmc_isaac *f, const gmc_yaml_scan_item *item)
{
    f->has_format = true;
    if (item->kind == GMC_YAML_SCAN_TEXT && strcmp(item->text, "isaac_grasp") == 0) return GMC_OK;
    GMC_TRY(gmc_intake_complain(&f->r, item->source, "format: isaac_grasp",
                                "another format than isaac_grasp"));
    return gmc_yaml_scan_skip(f->r.scan, item);
}

static gmc_status read_version(gmc_isaac *f, const gmc_yaml_scan_item *item)
{
    f->has_version = true;
    if (item->kind == GMC_YAML_SCAN_TEXT &&
        (strcmp(item->text, "1.0") == 0 || strcmp(item->text, "1") == 0))
        return GMC_OK;
    GMC_TRY(gmc_intake_complain(&f->r, item->source, "format_version: 1.0",
                                "a version of isaac_grasp that is not known here"));
    return gmc_yaml_scan_skip(f->r.scan, item);
}

static gmc_status read_key(gmc_isaac *f, const char *key)
{
    enum { FORMAT, VERSION, OBJECT, OBJECT_LINK, GRIPPER, GRIPPER_LINK, SCALE, GRASPS, OTHER };
    static const char *const NAMES[] = {
        "format",        "format_version",     "object_frame", "object_frame_link",
        "gripper_frame", "gripper_frame_link", "object_scale", "grasps"};
    int which = 0;
    while (which < OTHER && strcmp(NAMES[which], key) != 0)
        which++;
    gmc_yaml_scan_item value;
    GMC_TRY(gmc_yaml_scan_next(f->r.scan, &value));
    switch (which) {
    case FORMAT:
        return read_format(f, &value);
    case VERSION:
        return read_version(f, &value);
    case OBJECT:
    case OBJECT_LINK:
        return read_frame(f, &value, NAMES[which], &f->r.grasps->object_frame,
                          &f->r.grasps->object_key);
    case GRIPPER:
    case GRIPPER_LINK:
        return read_frame(f, &value, NAMES[which], &f->r.grasps->gripper_frame,
                          &f->r.grasps->gripper_key);
    case SCALE:
        return gmc_intake_scale(&f->r, &value, "object_scale", &f->r.grasps->object_scale);
    case GRASPS:
        return read_grasps(f, &value);
    default:
        return gmc_yaml_scan_skip(f->r.scan, &value);
    }
}

static gmc_status read_file(gmc_isaac *f)
{
    bool is_map = false;
    gmc_yaml_scan_item item;
    GMC_TRY(gmc_yaml_scan_next(f->r.scan, &item));
    gmc_source start = {.file = f->r.file, .line = item.source.line};
    if (item.kind == GMC_YAML_SCAN_END)
        return gmc_intake_complain(&f->r, (gmc_source){.file = f->r.file},
                                   "a file of grasps starts with format: isaac_grasp",
                                   "the file is empty");
    GMC_TRY(gmc_intake_expect(&f->r, &item, GMC_YAML_SCAN_MAP, "file of grasps", &is_map));
    if (!is_map) return GMC_OK;
    while (!gmc_intake_is_full(&f->r)) {
        GMC_TRY(gmc_yaml_scan_next(f->r.scan, &item));
        if (item.kind != GMC_YAML_SCAN_TEXT) break;
        GMC_TRY(read_key(f, item.text));
    }
    if (gmc_intake_is_full(&f->r)) return GMC_OK;
    if (item.kind == GMC_YAML_SCAN_CLOSE) GMC_TRY(gmc_yaml_scan_next(f->r.scan, &item));
    if (!f->has_format)
        GMC_TRY(gmc_intake_complain(&f->r, start, "format: isaac_grasp",
                                    "the file does not say what format it has"));
    if (!f->has_version)
        GMC_TRY(gmc_intake_complain(&f->r, start, "format_version: 1.0",
                                    "the file does not say which version it has"));
    if (!f->has_grasps)
        GMC_TRY(gmc_intake_complain(&f->r, start, NULL, "the key grasps is missing"));
    return GMC_OK;
}

// Is a word within the first few lines?
static bool begins_with_word(const unsigned char *bytes, size_t size, const char *word)
{
    enum { LOOKED_AT = 4096 };
    size_t length = strlen(word), end = size < LOOKED_AT ? size : LOOKED_AT;
    for (size_t i = 0; i + length <= end; i++)
        if (memcmp(bytes + i, word, length) == 0) return true;
    return false;
}

static bool fits_isaac(const char *file, const unsigned char *bytes, size_t size)
{
    return begins_with_word(bytes, size, "isaac_grasp") || gmc_intake_ends_with(file, ".yaml") ||
           gmc_intake_ends_with(file, ".yml");
}

static gmc_status read_isaac(const char *file, const unsigned char *bytes, size_t size,
                             gmc_diagnostics *report, gmc_grasps *grasps)
{
    gmc_isaac f = {0};
    GMC_TRY(gmc_intake_open(file, bytes, size, report, grasps, &f.r));
    grasps->has_poses = true;
    return gmc_intake_close(&f.r, read_file(&f));
}

const gmc_grasps_format gmc_intake_isaac = {
    .name = "isaac_grasp",
    .about =
        "YAML of Isaac Sim and Isaac ROS, version 1.0: a pose for each name, of gripper_frame in "
        "object_frame (or gripper_frame_link, object_frame_link), confidence, joint positions",
    .fits = fits_isaac,
    .read = read_isaac,
};
