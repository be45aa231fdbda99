// From a file to the typed scenario: text, tree, what `use:` and presets bring, `--set`, the checks of
// the schema, and the readers of blocks.
#include "sampling/scenario/scenario_read.h"

#include "engine/base/file.h"
#include "sampling/grasps/format.h"
#include "sampling/language/location.h"
#include "sampling/language/materials.h"
#include "sampling/language/merge.h"
#include "sampling/language/preset.h"
#include "sampling/language/schema.h"
#include "sampling/language/validate.h"
#include "sampling/language/yaml.h"
#include "sampling/scenario/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- use --------------------------------------------------------------------------------------

// Folder part of a name, "" if there is none.
static const char *folder_of(gmc_scenario *scenario, const char *name)
{
    const char *slash = strrchr(name, '/');
    size_t length = slash ? (size_t)(slash - name) : 0;
    if (slash == name) length = 1;
    char *folder = gmc_arena_take(scenario->arena, length + 1, 1);
    if (folder) memcpy(folder, name, length);
    return folder;
}

// A file of a scenario holds keys with values.
static gmc_status expect_map(const gmc_node *root, const char *file, gmc_diagnostics *report)
{
    if (root && root->kind == GMC_NODE_MAP) return GMC_OK;
    gmc_diagnostics_add(report, GMC_E_INPUT, (gmc_source){.file = file},
                        "a scenario starts with graspmc: 1",
                        root ? "expected keys with values" : "the file is empty");
    return GMC_E_INPUT;
}

// Meshes and tables must be what they are said to be; a YAML file may be anybody's settings, with
// passwords in it, and a scenario somebody else's. So `use:` stays where the scenario is.
static gmc_status check_reach(const gmc_scenario *scenario, const char *name, gmc_source source,
                              gmc_diagnostics *report)
{
    if (scenario->embedded || strcmp(name, gmc_materials_name) == 0) return GMC_OK;
    char *file = gmc_scenario_place(scenario, name);
    if (!file) return GMC_E_MEMORY;
    bool is_inside = gmc_location_is_inside(scenario->file, scenario->allow, file);
    char *real = is_inside ? NULL : gmc_location_real(file);
    free(file);
    if (is_inside) return GMC_OK;
    char hint[512];
    const char *slash = real ? strrchr(real, '/') : NULL;
    snprintf(hint, sizeof hint, "if you trust the scenario with it: --allow %.*s",
             slash && slash > real ? (int)(slash - real) : 1, real ? real : "/");
    gmc_diagnostics_add(report, GMC_E_INPUT, source, hint,
                        "use: %.200s leads out of the scenario's folder, to %.200s", name,
                        real ? real : "?");
    free(real);
    return GMC_E_INPUT;
}

// Read a file into a tree of its own.
static gmc_status parse(gmc_scenario *scenario, const char *name, gmc_source source,
                        gmc_diagnostics *report, gmc_node **base)
{
    GMC_TRY(check_reach(scenario, name, source, report));
    const gmc_asset *asset = gmc_scenario_load_asset(scenario, name, source, report);
    if (!asset) return gmc_diagnostics_status(report);
    scenario->assets[asset - scenario->assets].is_scenario = true;
    const char *file = asset->file, *folder = folder_of(scenario, name);
    if (!folder) return GMC_E_ARENA_FULL;
    GMC_TRY(gmc_yaml_parse(
        &(gmc_yaml_source){
            .text = asset->bytes, .bytes = asset->size, .file = file, .folder = folder},
        report, scenario->arena, base));
    return expect_map(*base, file, report);
}

// The file that a map's `use:` names, taken out of the map; NULL if there is none, or `use: ~`.
static gmc_status take_name(gmc_scenario *scenario, gmc_node *map, gmc_diagnostics *report,
                            gmc_node **use, const char **name)
{
    *name = NULL;
    *use = gmc_node_find(map, "use");
    if (!*use) return GMC_OK;
    gmc_node_remove(map, *use);
    if (gmc_node_is_empty(*use)) return GMC_OK;
    if ((*use)->kind != GMC_NODE_SCALAR || (*use)->text[0] == 0) {
        gmc_diagnostics_add(report, GMC_E_INPUT, (*use)->source, "use: base.yaml",
                            "use: expected a file name");
        return GMC_E_INPUT;
    }
    bool is_built_in = strcmp((*use)->text, gmc_materials_name) == 0;
    if (!is_built_in && strncmp((*use)->text, "graspmc/", 8) == 0 && strchr((*use)->text, '@')) {
        char hint[64];
        snprintf(hint, sizeof hint, "did you mean %s?", gmc_materials_name);
        gmc_diagnostics_add(report, GMC_E_MISSING, (*use)->source, hint,
                            "use: the program has no table %.120s", (*use)->text);
        return GMC_E_MISSING;
    }
    *name = is_built_in ? gmc_materials_name
                        : gmc_scenario_join(scenario, (*use)->folder, (*use)->text);
    return *name ? GMC_OK : GMC_E_ARENA_FULL;
}

// Put the block of another file under that of this one, as the blocks of two scenarios are merged.
static gmc_status merge_block(gmc_scenario *scenario, gmc_node *root, gmc_node *block,
                              gmc_node *base)
{
    gmc_node *under = gmc_node_create(scenario->arena, GMC_NODE_MAP, base->source);
    gmc_node *over = gmc_node_create(scenario->arena, GMC_NODE_MAP, block->source);
    gmc_node *copy = gmc_node_copy(block, scenario->arena);
    if (!under || !over || !copy) return GMC_E_ARENA_FULL;
    gmc_node_append(under, block->key, block->key_source, base);
    gmc_node_append(over, block->key, block->key_source, copy);
    GMC_TRY(gmc_merge_trees(GMC_SCHEMA_ROOT, under, over, scenario->arena));
    gmc_node_replace(root, block, gmc_node_find(under, block->key));
    return GMC_OK;
}

// `use:` inside of `believed`, `cameras`, `uncertain` and `correlated`: the file holds keys of that
// block, what stands beside `use:` overrides them.
static gmc_status use_blocks(gmc_scenario *scenario, gmc_diagnostics *report, gmc_node *root)
{
    for (int i = 0; i < GMC_MERGE_BLOCKS; i++) {
        gmc_node *block = gmc_node_find(root, gmc_merge_blocks[i]), *use = NULL, *base = NULL;
        const char *name = NULL;
        if (!block || block->kind != GMC_NODE_MAP) continue;
        GMC_TRY(take_name(scenario, block, report, &use, &name));
        if (!name) continue;
        GMC_TRY(parse(scenario, name, use->source, report, &base));
        if (base) GMC_TRY(merge_block(scenario, root, block, base));
    }
    return GMC_OK;
}

static gmc_status follow(gmc_scenario *scenario, gmc_diagnostics *report, const char **names,
                         int depth, gmc_node **root)
{
    gmc_node *use = NULL, *base = NULL;
    const char *name = NULL;
    GMC_TRY(take_name(scenario, *root, report, &use, &name));
    if (!name) return GMC_OK;
    bool is_cycle = false;
    for (int i = 0; i < depth; i++)
        is_cycle = is_cycle || strcmp(names[i], name) == 0;
    if (is_cycle || depth == GMC_MERGE_USE_MAX) {
        gmc_diagnostics_add(report, GMC_E_INPUT, use->source, NULL, "use: %.200s: %s", name,
                            is_cycle ? "is being read already: the files use each other in a circle"
                                     : "the chain of files is too long");
        return GMC_E_INPUT;
    }
    names[depth] = name;
    GMC_TRY(parse(scenario, name, use->source, report, &base));
    GMC_TRY(use_blocks(scenario, report, base));
    GMC_TRY(follow(scenario, report, names, depth + 1, &base));
    GMC_TRY(gmc_merge_trees(GMC_SCHEMA_ROOT, base, *root, scenario->arena));
    *root = base;
    return GMC_OK;
}

// Put the file named by `use:` under the tree, and so on down the chain; the blocks of each file
// first.
// @param name  of the scenario itself, so that a circle is seen
// @param root  in: as parsed; out: merged
static gmc_status follow_use(gmc_scenario *scenario, const char *name, gmc_diagnostics *report,
                             gmc_node **root)
{
    const char *names[GMC_MERGE_USE_MAX + 1] = {name};
    GMC_TRY(use_blocks(scenario, report, *root));
    return follow(scenario, report, names, 1, root);
}

// ---- reading ----------------------------------------------------------------------------------

static const char *last_part(const char *file)
{
    const char *slash = strrchr(file, '/');
    return slash ? slash + 1 : file;
}

// Everything after the text of the main file is at hand.
static gmc_status read_text(const char *const *sets, size_t bytes, gmc_diagnostics *report,
                            gmc_scenario *scenario)
{
    gmc_arena *arena = scenario->arena;
    gmc_node *root = NULL;
    gmc_status status = gmc_yaml_parse(
        &(gmc_yaml_source){
            .text = scenario->text, .bytes = bytes, .file = scenario->file, .folder = ""},
        report, arena, &root);
    if (status != GMC_OK && !(status == GMC_E_INPUT && root)) return status; // duplicates: go on
    GMC_TRY(expect_map(root, scenario->file, report));
    GMC_TRY(follow_use(scenario, last_part(scenario->file), report, &root));
    GMC_TRY(gmc_preset_expand(root, report, arena)); // --set names phases
    for (int i = 0; sets && sets[i]; i++)
        GMC_TRY(gmc_merge_set(root, sets[i], report, arena));
    if (sets) GMC_TRY(use_blocks(scenario, report, root));
    if (sets) GMC_TRY(gmc_preset_expand(root, report, arena));

    gmc_materials_prune(root);
    GMC_TRY(gmc_validate_tree(root, report, arena));
    GMC_TRY(gmc_reader_fill(root, report, scenario));
    return gmc_diagnostics_status(report);
}

// A file of another kind than scenarios are, told by its first bytes.
static bool is_foreign(const char *file, const gmc_file *content, gmc_diagnostics *report)
{
    const char *text = (const char *)content->bytes, *what = NULL, *hint = NULL;
    const char *start = text + strspn(text, " \t\r\n");
    if (gmc_grasps_format_is_hdf5(content->bytes, content->size)) {
        what = "this is a result, not a scenario";
        hint = "graspmc show or replay read it; run SCENARIO -o RESULT --resume goes on with it";
    } else if (*start == '<' && strstr(text, "<robot")) {
        what = "this is a URDF, not a scenario";
        hint = "a scenario names it:  hand: {urdf: FILE}";
    } else if (*start == '<') {
        what = "this is XML, not a scenario";
        hint = "a scenario is YAML and starts with graspmc: 1";
    }
    if (what)
        gmc_diagnostics_add(report, GMC_E_INPUT, (gmc_source){.file = file}, hint, "%s", what);
    return what != NULL;
}

gmc_status gmc_scenario_read(const char *file, const char *const *sets, const char *const *allow,
                             gmc_diagnostics *report, gmc_arena *arena, gmc_scenario *scenario)
{
    *scenario = (gmc_scenario){.file = file, .allow = allow, .arena = arena, .case_count = 1};
    gmc_file content = {0};
    gmc_status status = gmc_file_read(file, &content);
    if (status != GMC_OK) {
        gmc_scenario_report_file(report, status, (gmc_source){.file = NULL}, file);
        return status;
    }
    if (is_foreign(file, &content, report)) {
        gmc_file_free(&content);
        return GMC_E_INPUT;
    }
    size_t bytes = content.size;
    char *copy = gmc_arena_take(arena, bytes + 1, 1);
    if (copy) memcpy(copy, content.bytes, bytes);
    gmc_file_free(&content);
    if (!copy) return GMC_E_ARENA_FULL;
    scenario->text = copy;
    return read_text(sets, bytes, report, scenario);
}

gmc_status gmc_scenario_read_text(const char *file, const char *text, gmc_diagnostics *report,
                                  gmc_arena *arena, gmc_scenario *scenario)
{
    *scenario = (gmc_scenario){.file = file, .arena = arena, .case_count = 1};
    scenario->text = gmc_arena_text(arena, text);
    return scenario->text ? read_text(NULL, strlen(text), report, scenario) : GMC_E_ARENA_FULL;
}

gmc_status gmc_scenario_read_embedded(const gmc_embedded *from, gmc_diagnostics *report,
                                      gmc_arena *arena, gmc_scenario *scenario)
{
    static const gmc_asset none = {0};
    *scenario = (gmc_scenario){.file = from->file,
                               .arena = arena,
                               .case_count = 1,
                               .embedded = from->assets ? from->assets : &none,
                               .embedded_count = from->asset_count};
    char *copy = gmc_arena_take(arena, from->bytes + 1, 1);
    if (!copy) return GMC_E_ARENA_FULL;
    memcpy(copy, from->text, from->bytes);
    scenario->text = copy;
    return read_text(NULL, from->bytes, report, scenario);
}
