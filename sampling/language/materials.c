// Numbers stand here only where a public source could be looked at, which of clean rubber is a
// secondary one; a pair that is missing is one nobody was found to have measured. Restitution is
// that of a ball dropped on a hard floor.
#include "sampling/language/materials.h"

#include "sampling/language/text.h"

#include <stdio.h>
#include <string.h>

const char gmc_materials_name[] = "graspmc/materials@1";

// the code itself could not be looked at: what a page about it says of its annex
#define CLEAN_RUBBER                                                                               \
    "[ctu2014] CTU Code, annex 7: rubber against other materials, both clean; as a secondary "     \
    "source quotes it"

const gmc_material_pair gmc_material_pairs[] = {
    {"rubber", "rubber", 0.6, CLEAN_RUBBER},
    {"rubber", "wood", 0.6, CLEAN_RUBBER},
    {"rubber", "cardboard", 0.6, CLEAN_RUBBER},
    {"rubber", "plastic", 0.6, CLEAN_RUBBER},
    {"rubber", "steel", 0.6, CLEAN_RUBBER},
    {"rubber", "aluminium", 0.6, CLEAN_RUBBER},
    {"rubber", "glass", 0.6, CLEAN_RUBBER},
    {"rubber", "ceramic", 0.6, CLEAN_RUBBER},
    {"rubber", "concrete", 1.0,
     "[openstax2016] University Physics, table 6.1: rubber on dry concrete"},
    {"wood", "wood", 0.45, "[ctu2014] CTU Code, annex 7: sawn timber against plywood"},
    {"wood", "cardboard", 0.5, "[ctu2014] CTU Code, annex 7: cardboard against a wooden pallet"},
    {"wood", "plastic", 0.2, "[ctu2014] CTU Code, annex 7: plastic pallet against plywood"},
    {"wood", "steel", 0.45, "[ctu2014] CTU Code, annex 7: steel crate against plywood"},
    {"wood", "aluminium", 0.4,
     "[ctu2014] CTU Code, annex 7: sawn timber against grooved aluminium"},
    {"cardboard", "cardboard", 0.5,
     "[ctu2014] CTU Code, annex 7: cardboard against cardboard, untreated"},
    {"plastic", "steel", 0.15,
     "[ctu2014] CTU Code, annex 7: plastic pallet against stainless steel sheet"},
    {"plastic", "aluminium", 0.15,
     "[ctu2014] CTU Code, annex 7: plastic pallet against grooved aluminium"},
    {"steel", "steel", 0.6, "[openstax2016] University Physics, table 6.1: steel on steel, dry"},
    {"steel", "aluminium", 0.61,
     "[ecampus2023] Physics Fundamentals, appendix A: aluminium on mild steel, clean and dry"},
    {"steel", "ptfe", 0.04, "[openstax2016] University Physics, table 6.1: Teflon on steel"},
};
const int gmc_material_pair_count = sizeof gmc_material_pairs / sizeof gmc_material_pairs[0];

#define ELASTIC "[halliday1997] table of elastic properties"
#define DROPPED "[elert2006] ball on a hard floor"

const gmc_material_number gmc_material_numbers[] = {
    {"modulus.steel", "200 GPa", ELASTIC},
    {"modulus.aluminium", "70 GPa", ELASTIC},
    {"modulus.glass", "65 GPa", ELASTIC},
    {"modulus.concrete", "30 GPa", ELASTIC},
    {"modulus.wood", "13 GPa", ELASTIC ", Douglas fir"},
    {"modulus.polystyrene", "3 GPa", ELASTIC},
    {"density.steel", "7860 kg/m3", ELASTIC},
    {"density.aluminium", "2710 kg/m3", ELASTIC},
    {"density.glass", "2190 kg/m3", ELASTIC},
    {"density.concrete", "2320 kg/m3", ELASTIC},
    {"density.wood", "525 kg/m3", ELASTIC ", Douglas fir"},
    {"density.polystyrene", "1050 kg/m3", ELASTIC},
    {"restitution.steel", "0.6", DROPPED ", ball bearing"},
    {"restitution.glass", "0.66", DROPPED ", marble"},
    {"restitution.wood", "0.6", DROPPED},
    {"restitution.plastic", "0.69", DROPPED ", hollow, hard"},
};
const int gmc_material_number_count = sizeof gmc_material_numbers / sizeof gmc_material_numbers[0];
gmc_status gmc_materials_text(char **text)
{
    gmc_text out = {0};
    gmc_text_add(&out, "friction:\n");
    for (int i = 0; i < gmc_material_pair_count; i++) {
        const gmc_material_pair *pair = &gmc_material_pairs[i];
        gmc_text_add(&out, "  %s/%s: %g\n", pair->a, pair->b, pair->friction);
    }
    gmc_text_add(&out, "parameters:\n");
    for (int i = 0; i < gmc_material_number_count; i++)
        gmc_text_add(&out, "  %s: %s\n", gmc_material_numbers[i].path,
                     gmc_material_numbers[i].value);
    return gmc_text_take(&out, text);
}

static bool is_ours(const gmc_node *node)
{
    return node->key_source.file && strcmp(node->key_source.file, gmc_materials_name) == 0;
}

// Is a word the text of a scalar, or part of the text of one or of a key, outside of the table?
static bool is_named(const gmc_node *node, const char *word, bool is_whole)
{
    if (node->kind == GMC_NODE_SCALAR && is_ours(node)) return false;
    if (!is_whole && node->key && strstr(node->key, word)) return true;
    if (node->kind == GMC_NODE_SCALAR)
        return is_whole ? strcmp(node->text, word) == 0 : strstr(node->text, word) != NULL;
    for (const gmc_node *n = node->first; n; n = n->next)
        if (is_named(n, word, is_whole)) return true;
    return false;
}

// Does something have both surfaces of a pair, and is it not given the other way round?
static bool is_needed_pair(const gmc_node *root, const gmc_node *map, const char *pair)
{
    char first[32], swapped[64];
    const char *slash = strchr(pair, '/');
    snprintf(first, sizeof first, "%.*s", (int)(slash - pair), pair);
    snprintf(swapped, sizeof swapped, "%s/%s", slash + 1, first);
    bool is_same = strcmp(first, slash + 1) == 0;
    return is_named(root, first, true) && is_named(root, slash + 1, true) &&
           (is_same || !gmc_node_find(map, swapped));
}

static void prune_block(gmc_node *root, const char *block, bool is_pairs)
{
    gmc_node *map = gmc_node_find(root, block);
    gmc_node *next = map && map->kind == GMC_NODE_MAP ? map->first : NULL;
    for (gmc_node *n = next; n; n = next) {
        next = n->next;
        if (!is_ours(n)) continue;
        bool is_needed =
            is_pairs ? is_needed_pair(root, map, n->key) : is_named(root, n->key, false);
        if (!is_needed) gmc_node_remove(map, n);
    }
    if (map && map->kind == GMC_NODE_MAP && map->count == 0) gmc_node_remove(root, map);
}

void gmc_materials_prune(gmc_node *root)
{
    prune_block(root, "friction", true);
    prune_block(root, "parameters", false);
}
