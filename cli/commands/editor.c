// The scenario language as a JSON schema, read off the same table as everything else: editors that
// know YAML schemas complete keys, show what they mean, and underline what no scenario can say.
//
// It says less than `graspmc check`: units, paths, formulas, keys that exclude or need each other,
// and what a file named by `use` brings along, are not in it.
//
// Types without keys of their own are written out here; they and the groups of the table stand
// under `definitions`, numbered as in schema.h, and refer to each other. A value may always be
// null: `key: ~` takes away what `use` brought.
#include "cli/commands/manual.h"
#include "cli/process/json.h"
#include "sampling/language/schema.h"

#include <math.h>
#include <string.h>

#define LIST(items, count)                                                                         \
    "{\"type\":[\"array\",\"null\"],\"items\":" items ",\"minItems\":" count                       \
    ",\"maxItems\":" count "}"
#define SOME(items)  "{\"type\":[\"array\",\"null\"],\"items\":" items "}"
#define EITHER(a, b) "{\"anyOf\":[" a "," b "]}"
#define MAP(values)  "{\"type\":[\"object\",\"null\"],\"additionalProperties\":" values "}"
#define NUMBER       "{\"type\":[\"number\",\"string\",\"null\"]}" ///< SI, with unit, or a formula
#define WHOLE        "{\"type\":[\"integer\",\"string\",\"null\"]}"
#define TEXT         "{\"type\":[\"string\",\"number\",\"boolean\",\"null\"]}" ///< a name such as 7
#define TEXTS        SOME(TEXT)

/// Types that lead into no group.
static const char *const TYPES[GMC_TYPE_COUNT] = {
    [GMC_TYPE_NUMBER] = NUMBER,
    [GMC_TYPE_INTEGER] = WHOLE,
    [GMC_TYPE_VECTOR] = LIST(NUMBER, "3"),
    [GMC_TYPE_STEPS] = EITHER(NUMBER, LIST(NUMBER, "3")),
    [GMC_TYPE_AXIS] =
        EITHER("{\"enum\":[\"x\",\"y\",\"z\",\"-x\",\"-y\",\"-z\",null]}", LIST(NUMBER, "3")),
    [GMC_TYPE_AIM] = EITHER(TEXT, LIST(NUMBER, "3")),
    [GMC_TYPE_INERTIA] = LIST(NUMBER, "6"),
    [GMC_TYPE_POLYGON] = SOME(LIST(NUMBER, "2")),
    [GMC_TYPE_POINTS] = EITHER(TEXT, SOME(LIST(NUMBER, "2"))),
    [GMC_TYPE_KNOTS] = SOME(LIST(NUMBER, "2")),
    [GMC_TYPE_GOALS] = MAP(EITHER(NUMBER, SOME(LIST(NUMBER, "2")))),
    [GMC_TYPE_NUMBERS] = EITHER(NUMBER, SOME(NUMBER)),
    [GMC_TYPE_NAME] = TEXT,
    [GMC_TYPE_NAMES] = TEXTS,
    [GMC_TYPE_TEXT] = TEXT,
    [GMC_TYPE_FILE] = TEXT,
    [GMC_TYPE_FILES] = TEXTS,
    [GMC_TYPE_BOOL] = "{\"type\":[\"boolean\",\"null\"]}",
    [GMC_TYPE_SURFACES] = EITHER(TEXT, MAP(TEXT)),
    [GMC_TYPE_CRITERIA] = TEXTS,
    [GMC_TYPE_UNCERTAIN] = MAP(NUMBER),
    [GMC_TYPE_CORRELATED] = MAP(NUMBER),
    [GMC_TYPE_PARAMETERS] = MAP(NUMBER),
    [GMC_TYPE_ARGUMENTS] = MAP(NUMBER),
    [GMC_TYPE_SHARES] = MAP(NUMBER),
    [GMC_TYPE_AT_PHASES] = MAP(TEXTS),
    [GMC_TYPE_AXES] = EITHER(TEXTS, MAP(EITHER(NUMBER, SOME(NUMBER)))),
    [GMC_TYPE_DESIGN] = EITHER(TEXT, MAP(TEXT)),
    [GMC_TYPE_RECORD] = "{\"type\":[\"string\",\"null\"],\"pattern\":\"^(none|failures|all|(first|"
                        "every):[0-9]+)$\"}",
    [GMC_TYPE_PAIR] = LIST(TEXT, "2"),
    [GMC_TYPE_PATHS] = EITHER(TEXT, LIST(TEXT, "2")),
    [GMC_TYPE_COUNTS] = EITHER(WHOLE, LIST(WHOLE, "2")),
    [GMC_TYPE_RANGES] = SOME(EITHER(NUMBER, LIST(NUMBER, "2"))),
};

/// Types that lead into a group: its map itself, or a list or a map of such maps; and what may
/// stand in a map's place.
typedef struct keyed {
    bool leads;            ///< into a group
    const char *holder;    ///< "array", "object"; NULL: the map itself
    gmc_schema_type other; ///< GMC_TYPE_GROUP: nothing
} keyed;

static const keyed KEYED[GMC_TYPE_COUNT] = {
    [GMC_TYPE_GROUP] = {true, NULL, GMC_TYPE_GROUP},
    [GMC_TYPE_NAMED] = {true, "object", GMC_TYPE_GROUP},
    [GMC_TYPE_PAIRS] = {true, "object", GMC_TYPE_NUMBER},
    [GMC_TYPE_PHASES] = {true, "array", GMC_TYPE_GROUP},
    [GMC_TYPE_ROUNDS] = {true, NULL, GMC_TYPE_INTEGER},
    [GMC_TYPE_GRASPS] = {true, NULL, GMC_TYPE_FILE},
    [GMC_TYPE_MOMENT] = {true, NULL, GMC_TYPE_KNOTS},
    [GMC_TYPE_LAW] = {true, NULL, GMC_TYPE_NAME},
    [GMC_TYPE_MAPS] = {true, "array", GMC_TYPE_GROUP},
    [GMC_TYPE_LADDER] = {true, "array", GMC_TYPE_NAME},
    [GMC_TYPE_HISTOGRAMS] = {true, "array", GMC_TYPE_PATHS},
};

static void refer(gmc_json *json, const char *name, const char *kind, int number)
{
    char target[64];
    snprintf(target, sizeof target, "#/definitions/%s-%d", kind, number);
    gmc_json_open(json, name, '{');
    gmc_json_text(json, "$ref", target);
    gmc_json_close(json, '}');
}

/// The map of a group, or what may stand in its place; inside an object of the schema.
static void map_of(gmc_json *json, gmc_schema_group group, gmc_schema_type other)
{
    gmc_json_open(json, "anyOf", '[');
    refer(json, NULL, "group", (int)group);
    if (other != GMC_TYPE_GROUP) refer(json, NULL, "type", (int)other);
    gmc_json_close(json, ']');
}

static void words_of(gmc_json *json, const char *words)
{
    gmc_json_open(json, "enum", '[');
    for (const char *word = words; *word;) {
        size_t length = strcspn(word, "|");
        char text[64];
        snprintf(text, sizeof text, "%.*s", (int)length, word);
        gmc_json_text(json, NULL, text);
        word += length + (word[length] == '|');
    }
    gmc_json_text(json, NULL, NULL);
    gmc_json_close(json, ']');
}

/// Bounds of numbers; what has a unit or is a formula is a text, which they do not concern.
static void bounds(gmc_json *json, const gmc_schema_row *row)
{
    if (row->type != GMC_TYPE_NUMBER && row->type != GMC_TYPE_INTEGER) return;
    if (isfinite(row->lower))
        gmc_json_real(json, row->is_above ? "exclusiveMinimum" : "minimum", row->lower);
    if (isfinite(row->upper)) gmc_json_real(json, "maximum", row->upper);
}

static void value_of(gmc_json *json, const gmc_schema_row *row)
{
    const keyed *k = &KEYED[row->type];
    gmc_json_open(json, row->key, '{');
    gmc_json_text(json, "description", row->about);
    if (row->fallback) gmc_json_text(json, "default", row->fallback);
    if (row->type == GMC_TYPE_WORD) {
        words_of(json, row->words);
    } else if (!k->leads) {
        gmc_json_open(json, "allOf", '[');
        refer(json, NULL, "type", (int)row->type);
        gmc_json_close(json, ']');
        bounds(json, row);
    } else if (k->holder) {
        gmc_json_open(json, "type", '[');
        gmc_json_text(json, NULL, k->holder);
        gmc_json_text(json, NULL, "null");
        gmc_json_close(json, ']');
        gmc_json_open(json, k->holder[0] == 'a' ? "items" : "additionalProperties", '{');
        map_of(json, row->type == GMC_TYPE_HISTOGRAMS ? GMC_SCHEMA_HISTOGRAM : row->child,
               k->other);
        gmc_json_close(json, '}');
    } else {
        map_of(json, row->child, k->other);
    }
    gmc_json_close(json, '}');
}

static void group_of(gmc_json *json, gmc_schema_group group)
{
    int count;
    const gmc_schema_row *rows = gmc_schema_group_rows(group, &count);
    char name[32];
    snprintf(name, sizeof name, "group-%d", (int)group);
    gmc_json_open(json, name, '{');
    gmc_json_text(json, "title", gmc_schema_group_name(group));
    gmc_json_open(json, "type", '[');
    gmc_json_text(json, NULL, "object");
    gmc_json_text(json, NULL, "null");
    gmc_json_close(json, ']');
    gmc_json_open(json, "properties", '{');
    for (int i = 0; i < count; i++)
        value_of(json, &rows[i]);
    gmc_json_close(json, '}');
    if (group == GMC_SCHEMA_SET) { // sets what has a path
        gmc_json_open(json, "patternProperties", '{');
        refer(json, "[.]", "type", GMC_TYPE_NUMBER);
        gmc_json_close(json, '}');
    }
    gmc_json_flag(json, "additionalProperties", false);
    gmc_json_close(json, '}');
}

void gmc_editor_schema(FILE *out)
{
    gmc_json json = {.out = out};
    gmc_json_open(&json, NULL, '{');
    gmc_json_text(&json, "$schema", "http://json-schema.org/draft-07/schema#");
    gmc_json_text(&json, "title", "a scenario of graspmc");
    gmc_json_open(&json, "allOf", '[');
    refer(&json, NULL, "group", GMC_SCHEMA_ROOT);
    gmc_json_close(&json, ']');
    gmc_json_open(&json, "definitions", '{');
    for (int i = 0; i < GMC_SCHEMA_GROUP_COUNT; i++)
        group_of(&json, (gmc_schema_group)i);
    for (int i = 0; i < GMC_TYPE_COUNT; i++)
        if (TYPES[i]) fprintf(out, ", \"type-%d\": %s", i, TYPES[i]);
    gmc_json_close(&json, '}');
    gmc_json_close(&json, '}');
    fputc('\n', out);
}
