// What nobody knows: `uncertain`, and `believed` with its `cameras`.
#include "sampling/design/csv.h"
#include "sampling/language/nearest.h"
#include "sampling/scenario/reader_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- cameras ----------------------------------------------------------------------------------

static void find_aim(gmc_reader *r, const gmc_node *node, gmc_camera_spec *camera)
{
    const gmc_scenario *s = r->scenario;
    if (strcmp(node->text, "object") == 0) {
        camera->aim = GMC_AIM_OBJECT;
        return;
    }
    gmc_nearest nearest = gmc_nearest_start(node->text);
    gmc_nearest_offer(&nearest, "object");
    for (int i = 0; i < s->scene_count; i++) {
        if (strcmp(s->scene[i].name, node->text) == 0) {
            camera->aim = GMC_AIM_SCENE;
            camera->scene = i;
            return;
        }
        gmc_nearest_offer(&nearest, s->scene[i].name);
    }
    char hint[120] = "object, a body of the scene, or [x, y, z]";
    if (nearest.best) snprintf(hint, sizeof hint, "did you mean %.80s?", nearest.best);
    gmc_diagnostics_add(r->report, GMC_E_INPUT, node->source, hint,
                        "cameras.%.60s.pose.look_at: there is no body %.60s", camera->name,
                        node->text);
}

static void read_camera(gmc_reader *r, const gmc_node *map, gmc_camera_spec *camera)
{
    const gmc_node *pose = gmc_node_find(map, "pose"), *aim = gmc_node_find(pose, "look_at");
    *camera = (gmc_camera_spec){.name = map->key, .source = map->key_source};
    const char *path = gmc_reader_join(r, gmc_reader_join(r, "cameras", map->key), "pose");
    gmc_reader_fields(r, pose, path, GMC_SCHEMA_VIEW, camera);
    if (aim && aim->kind == GMC_NODE_SCALAR && !aim->is_bad) find_aim(r, aim, camera);
    if (camera->point[2] >= 0) camera->aim = GMC_AIM_POINT;
    if (aim && (camera->roll >= 0 || camera->pitch >= 0 || camera->yaw >= 0))
        gmc_diagnostics_add(r->report, GMC_E_INPUT, aim->key_source, "keep one of the two",
                            "%.120s: look_at excludes roll, pitch and yaw", path);
}

static void read_cameras(gmc_reader *r, const gmc_node *map)
{
    gmc_scenario *s = r->scenario;
    if (!map || map->kind != GMC_NODE_MAP) return;
    s->cameras = gmc_reader_take(r, map->count, sizeof *s->cameras);
    if (!s->cameras) return;
    for (const gmc_node *n = map->first; n; n = n->next)
        if (n->kind == GMC_NODE_MAP) read_camera(r, n, &s->cameras[s->camera_count++]);
}

// Index of the camera that is named; -1: there is none, reported.
static int find_camera(gmc_reader *r, const gmc_node *seen_by)
{
    const gmc_scenario *s = r->scenario;
    if (!seen_by || seen_by->kind != GMC_NODE_SCALAR || seen_by->is_bad) return -1;
    gmc_nearest nearest = gmc_nearest_start(seen_by->text);
    for (int i = 0; i < s->camera_count; i++) {
        if (strcmp(s->cameras[i].name, seen_by->text) == 0) return i;
        gmc_nearest_offer(&nearest, s->cameras[i].name);
    }
    char hint[120] = "cameras: {head: {pose: {xyz: [0.6 m, 0 m, 0.7 m], look_at: object}}}";
    if (nearest.best) snprintf(hint, sizeof hint, "did you mean %.80s?", nearest.best);
    gmc_diagnostics_add(r->report, GMC_E_INPUT, seen_by->source, hint,
                        "believed.object.pose.seen_by: there is no camera %.60s", seen_by->text);
    return -1;
}

// ---- believed ---------------------------------------------------------------------------------

// What a camera errs by is chance like any
// other: one line for each component that has a deviation, behind those of `uncertain`, so that
// designs, samples, histograms and indices know them by their paths without a word about cameras.

static const char PATH[] = "believed.object.pose";
static const char *const COMPONENTS[GMC_SIGHT_COMPONENTS] = {"x", "y", "z", "roll", "pitch", "yaw"};

static int find_component(const char *name, size_t length)
{
    for (int i = 0; i < GMC_SIGHT_COMPONENTS; i++)
        if (strlen(COMPONENTS[i]) == length && strncmp(COMPONENTS[i], name, length) == 0) return i;
    return -1;
}

static const char *component_path(gmc_reader *r, int component)
{
    return gmc_reader_join(r, PATH, COMPONENTS[component]);
}

// ---- lines of chance --------------------------------------------------------------------------

// The line's law as text, for results and listings; or what is to be read as one.
static gmc_node *make_text(gmc_reader *r, const gmc_node *at, const char *text)
{
    gmc_arena *arena = r->scenario->arena;
    gmc_node *node = gmc_node_create(arena, GMC_NODE_SCALAR, at->source);
    if (node) {
        node->text = gmc_arena_text(arena, text);
        node->folder = "";
    }
    if (!node || !node->text) r->is_arena_full = true;
    return node && node->text ? node : NULL;
}

// A component varies: its line, at the end of all.
static gmc_uncertain *add_line(gmc_reader *r, const char *path, const gmc_node *at,
                               const char *text)
{
    gmc_scenario *s = r->scenario;
    gmc_node *node = make_text(r, at, text);
    if (!node) return NULL;
    for (int i = 0; i < s->uncertain_count; i++) // two lines of a name would draw the same number
        if (strcmp(s->uncertain[i].path, path) == 0)
            gmc_diagnostics_add(r->report, GMC_E_INPUT, s->uncertain[i].source,
                                "keep one of the two", "uncertain: %.120s is drawn by believed",
                                path);
    gmc_uncertain *line = &s->uncertain[s->uncertain_count++];
    *line =
        (gmc_uncertain){.path = path, .source = at->source, .node = node, .change = GMC_CHANGE_ADD};
    return line;
}

// Normal with a deviation that is a parameter itself.
static void add_deviation(gmc_reader *r, int component, gmc_param deviation, const gmc_node *at)
{
    char text[160];
    if (deviation < 0) return;
    snprintf(text, sizeof text, "nominal + normal(0, %s.sd.%s)", PATH, COMPONENTS[component]);
    gmc_uncertain *line = add_line(r, component_path(r, component), at, text);
    if (!line) return;
    line->distribution = (gmc_distribution){.type = GMC_DISTRIBUTION_NORMAL, .p = {0, 1}};
    line->relation = GMC_RELATION_SCALED;
    line->by = deviation;
}

static int line_of(const gmc_scenario *s, const char *path)
{
    for (int i = s->uncertain_count - 1; i >= 0; i--)
        if (strcmp(s->uncertain[i].path, path) == 0 &&
            s->uncertain[i].relation == GMC_RELATION_SCALED)
            return i;
    return -1;
}

static void correlate(gmc_reader *r, int a, int b, double coefficient, gmc_source source)
{
    gmc_scenario *s = r->scenario;
    gmc_correlation *c = &s->correlations[s->correlation_count++];
    *c = (gmc_correlation){.coefficient = coefficient, .source = source};
    c->lines[0] = line_of(s, component_path(r, a));
    c->lines[1] = line_of(s, component_path(r, b));
}

// ---- deviations and their correlation ---------------------------------------------------------

static void read_deviations(gmc_reader *r, const gmc_node *map)
{
    const char *path = gmc_reader_join(r, PATH, "sd");
    for (int i = 0; i < GMC_SIGHT_COMPONENTS; i++) {
        const gmc_node *node = gmc_node_find(map, COMPONENTS[i]);
        if (node) add_deviation(r, i, gmc_reader_number(r, map, path, COMPONENTS[i]), node);
    }
}

static void report_pair(gmc_reader *r, const gmc_node *pair, const char *hint, const char *what)
{
    gmc_diagnostics_add(r->report, GMC_E_INPUT, pair->key_source, hint, "%s.correlation: %.40s: %s",
                        PATH, pair->key, what);
}

// "z/pitch"
static void read_pair(gmc_reader *r, const gmc_node *pair, bool is_seen[6][6])
{
    const char *slash = strchr(pair->key, '/');
    size_t first = slash ? (size_t)(slash - pair->key) : 0, second = slash ? strlen(slash + 1) : 0;
    while (first > 0 && pair->key[first - 1] == ' ')
        first--;
    const char *next = slash ? slash + 1 : "";
    for (; *next == ' '; second--)
        next++;
    int a = slash ? find_component(pair->key, first) : -1;
    int b = slash ? find_component(next, second) : -1;
    if (a < 0 || b < 0 || a == b) {
        report_pair(r, pair, "two of x, y, z, roll, pitch and yaw, such as z/pitch",
                    "expected two components with / between them");
    } else if (line_of(r->scenario, component_path(r, a)) < 0 ||
               line_of(r->scenario, component_path(r, b)) < 0) {
        report_pair(r, pair, "give it one under sd", "one of them has no deviation");
    } else if (is_seen[a][b]) {
        report_pair(r, pair, "a pair has no order: keep one of the two", "it was given before");
    } else {
        is_seen[a][b] = is_seen[b][a] = true;
        correlate(r, a, b, pair->number, pair->key_source);
    }
}

static void read_correlation(gmc_reader *r, const gmc_node *map)
{
    bool is_seen[6][6] = {{false}};
    if (!map || map->kind != GMC_NODE_MAP) return;
    for (const gmc_node *n = map->first; n; n = n->next)
        if (n->is_number && fabs(n->number) <= 1) read_pair(r, n, is_seen);
}

// ---- files ------------------------------------------------------------------------------------

// The table that a key names; false: reported.
static bool open_table(gmc_reader *r, gmc_node *node, gmc_csv *csv)
{
    *csv = (gmc_csv){0};
    const char *name = gmc_reader_file_name(r, node);
    if (!name) return false;
    const gmc_asset *asset = gmc_scenario_load_asset(r->scenario, name, node->source, r->report);
    if (!asset) return false;
    gmc_status status = gmc_csv_parse(asset->file, asset->bytes, asset->size, csv, r->report);
    if (status == GMC_E_MEMORY) r->is_arena_full = true;
    return status == GMC_OK;
}

// Which component each column is; false: reported.
static bool find_columns(gmc_reader *r, const gmc_node *node, const gmc_csv *csv, bool has_units,
                         int *column_of)
{
    bool is_fine = true, is_flat = r->scenario->world != GMC_WORLD_SPATIAL;
    for (int i = 0; i < GMC_SIGHT_COMPONENTS; i++)
        column_of[i] = -1;
    for (int c = 0; c < csv->column_count; c++) {
        size_t length = strlen(csv->names[c]);
        if (has_units) length = strcspn(csv->names[c], " [");
        int component = find_component(csv->names[c], length);
        bool is_known = component >= 0 && column_of[component] < 0;
        if (is_known && !(is_flat && component >= 2 && component <= 4)) {
            column_of[component] = c;
            continue;
        }
        is_fine = false;
        gmc_diagnostics_add(r->report, GMC_E_INPUT,
                            (gmc_source){.file = gmc_reader_asset_file(r, node->text),
                                         .line = csv->header_line,
                                         .column = csv->name_column[c]},
                            is_flat ? "x, y and yaw, in the first line"
                                    : "x, y, z, roll, pitch and yaw, in the first line",
                            is_known ? "column %.60s leaves the plane"
                                     : "column %.60s is no component, or there twice",
                            csv->names[c]);
    }
    return is_fine;
}

// The plane of a covariance file: each number where it stands.
typedef struct table {
    gmc_reader *r;
    const gmc_node *node;
    const gmc_csv *csv;
    bool is_fine;
} table;

static void report_row(table *t, int row, const char *hint, const char *what, double value)
{
    t->is_fine = false;
    gmc_diagnostics_add(t->r->report, GMC_E_INPUT,
                        (gmc_source){.file = gmc_reader_asset_file(t->r, t->node->text),
                                     .line = t->csv->lines[row]},
                        hint, "%s, found %.17g", what, value);
}

static void check_covariance(table *t)
{
    // six digits of a number that was printed
    const double printed = 1e-6;
    int n = t->csv->column_count;
    for (int i = 0; i < n; i++) {
        double own = gmc_csv_value(t->csv, i, i);
        if (own < 0) report_row(t, i, NULL, "a variance must be >= 0", own);
    }
    for (int i = 0; i < n && t->is_fine; i++)
        for (int j = 0; j < i; j++) {
            char what[160];
            double a = gmc_csv_value(t->csv, i, j), b = gmc_csv_value(t->csv, j, i);
            double size = sqrt(gmc_csv_value(t->csv, i, i) * gmc_csv_value(t->csv, j, j));
            snprintf(what, sizeof what,
                     "the covariance of %.20s and %.20s must be %.9g as that of "
                     "%.20s and %.20s",
                     t->csv->names[i], t->csv->names[j], b, t->csv->names[j], t->csv->names[i]);
            if (fabs(a - b) > printed * size)
                report_row(t, i, "a covariance is symmetric", what, a);
            snprintf(what, sizeof what, "the covariance of %.20s and %.20s must be within +-%.9g",
                     t->csv->names[i], t->csv->names[j], size);
            if (t->is_fine && fabs(a) > (1 + printed) * size)
                report_row(t, i, "at most the product of the two deviations", what, a);
        }
}

static void take_covariance(table *t, const int *column_of)
{
    gmc_reader *r = t->r;
    const char *path = gmc_reader_join(r, PATH, "sd");
    for (int i = 0; i < GMC_SIGHT_COMPONENTS; i++) {
        int c = column_of[i];
        double variance = c < 0 ? 0 : gmc_csv_value(t->csv, c, c);
        if (!(variance > 0)) continue;
        gmc_param deviation =
            gmc_reader_add(r, &(gmc_parameter){.path = gmc_reader_join(r, path, COMPONENTS[i]),
                                               .dimension = i < 3 ? GMC_DIM_LENGTH : GMC_DIM_ANGLE,
                                               .nominal = sqrt(variance),
                                               .upper = HUGE_VAL,
                                               .source = t->node->source});
        add_deviation(r, i, deviation, t->node);
        for (int j = 0; j < i; j++) {
            double other = column_of[j] < 0 ? 0 : gmc_csv_value(t->csv, column_of[j], column_of[j]);
            if (!(other > 0)) continue;
            double shared = gmc_csv_value(t->csv, c, column_of[j]) / sqrt(variance * other);
            if (shared != 0) correlate(r, j, i, fmin(fmax(shared, -1), 1), t->node->source);
        }
    }
}

static void read_covariance(gmc_reader *r, gmc_node *node)
{
    gmc_csv csv;
    int column_of[GMC_SIGHT_COMPONENTS];
    bool is_open = open_table(r, node, &csv) && find_columns(r, node, &csv, false, column_of);
    table t = {.r = r, .node = node, .csv = &csv, .is_fine = true};
    if (is_open && csv.row_count != csv.column_count)
        gmc_diagnostics_add(r->report, GMC_E_INPUT, node->source,
                            "a header such as x,y,z,roll,pitch,yaw, then a row for each of them",
                            "%.80s: %d columns need as many rows, found %lld", node->text,
                            csv.column_count, (long long)csv.row_count);
    else if (is_open)
        check_covariance(&t);
    if (is_open && csv.row_count == csv.column_count && t.is_fine) take_covariance(&t, column_of);
    gmc_csv_free(&csv);
}

// Each column is `samples(...)` as one would write it; columns of one file are drawn row by row.
static void read_samples(gmc_reader *r, gmc_node *node)
{
    gmc_csv csv;
    int column_of[GMC_SIGHT_COMPONENTS];
    bool is_fine = open_table(r, node, &csv) && find_columns(r, node, &csv, true, column_of);
    for (int i = 0; is_fine && i < GMC_SIGHT_COMPONENTS; i++) {
        if (column_of[i] < 0) continue;
        const char *name = csv.names[column_of[i]], *unit = strchr(name, '[');
        int length = unit ? (int)strcspn(unit + 1, "]") : 0;
        char text[640];
        snprintf(text, sizeof text, "nominal + samples(%.250s, column %.120s%s%.*s)", node->text,
                 name, unit ? ", unit " : "", length < 30 ? length : 30, unit ? unit + 1 : "");
        (void)add_line(r, component_path(r, i), node, text);
    }
    gmc_csv_free(&csv);
}

// ---- the block --------------------------------------------------------------------------------

static void read_growth(gmc_reader *r, const gmc_node *map)
{
    const char *path = gmc_reader_join(r, PATH, "grows_with");
    gmc_reader_fields(r, map, path, GMC_SCHEMA_GROWTH, &r->scenario->sight);
}

static void read_outliers(gmc_reader *r, const gmc_node *map)
{
    gmc_scenario *s = r->scenario;
    gmc_sight_spec *sight = &s->sight;
    const char *path = gmc_reader_join(r, PATH, "outliers");
    const gmc_node *about = gmc_node_find(map, "about");
    if (!map || map->kind != GMC_NODE_MAP) return;
    gmc_param share = gmc_reader_number(r, map, path, "share");
    gmc_reader_fields(r, map, path, GMC_SCHEMA_OUTLIERS, sight);
    if (about && sight->about != 2 && s->world != GMC_WORLD_SPATIAL)
        gmc_diagnostics_add(r->report, GMC_E_INPUT, about->source, "object.z",
                            "%s.outliers.about: that turn leaves the plane", PATH);
    if (share < 0 || sight->turn < 0) return; // reported
    sight->outlier = gmc_reader_add(r, &(gmc_parameter){.path = gmc_reader_join(r, PATH, "outlier"),
                                                        .upper = 1,
                                                        .source = map->key_source,
                                                        .is_default = true});
    gmc_uncertain *line = add_line(r, gmc_reader_join(r, PATH, "outlier"), map,
                                   "uniform(0, 1) < believed.object.pose.outliers.share");
    if (!line) return;
    line->change = GMC_CHANGE_ABSOLUTE;
    line->distribution = (gmc_distribution){.type = GMC_DISTRIBUTION_UNIFORM, .p = {0, 1}};
    line->relation = GMC_RELATION_BELOW;
    line->by = share;
}

void gmc_reader_believed(gmc_reader *r, const gmc_node *root)
{
    gmc_scenario *s = r->scenario;
    gmc_sight_spec *sight = &s->sight;
    *sight = (gmc_sight_spec){
        .camera = -1, .distance = -1, .power = -1, .outlier = -1, .turn = -1, .about = 2};
    read_cameras(r, gmc_node_find(root, "cameras"));
    const gmc_node *map = gmc_node_find(gmc_node_find(root, "believed"), "object.pose");
    const gmc_node *correlated = gmc_node_find(root, "correlated");
    // those of `correlated` come when paths are resolved
    int room = GMC_SIGHT_COMPONENTS * (GMC_SIGHT_COMPONENTS - 1) / 2 +
               (correlated && correlated->kind == GMC_NODE_MAP ? correlated->count : 0);
    s->correlations = gmc_reader_take(r, room, sizeof *s->correlations);
    if (!map || map->kind != GMC_NODE_MAP || !s->correlations || !s->uncertain) return;

    sight->is_given = true;
    sight->source = map->key_source;
    sight->camera = find_camera(r, gmc_node_find(map, "seen_by"));
    gmc_reader_fields(r, map, PATH, GMC_SCHEMA_SIGHT, sight);
    gmc_node *sd = gmc_node_find(map, "sd"), *covariance = gmc_node_find(map, "covariance");
    gmc_node *samples = gmc_node_find(map, "samples");
    if (sd) // of several the first; that they exclude each other was reported
        read_deviations(r, sd);
    else if (covariance)
        read_covariance(r, covariance);
    else if (samples)
        read_samples(r, samples);
    read_correlation(r, gmc_node_find(map, "correlation"));
    read_growth(r, gmc_node_find(map, "grows_with"));
    read_outliers(r, gmc_node_find(map, "outliers"));
}

// ---- uncertain --------------------------------------------------------------------------------

void gmc_reader_uncertain(gmc_reader *r, const gmc_node *map)
{
    gmc_scenario *s = r->scenario;
    bool is_map = map && map->kind == GMC_NODE_MAP;
    s->uncertain = gmc_reader_take(r, (is_map ? map->count : 0) + GMC_READER_SIGHT_LINES,
                                   sizeof *s->uncertain);
    if (!s->uncertain || !is_map) return;
    for (gmc_node *n = map->first; n; n = n->next)
        if (n->kind == GMC_NODE_SCALAR && !n->is_bad)
            s->uncertain[s->uncertain_count++] =
                (gmc_uncertain){.path = n->key, .source = n->key_source, .node = n};
}
