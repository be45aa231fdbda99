// Whatever is done to the text of a scenario, reading it ends, with a scenario or with a report,
// within the limits of yaml.h. Run under the sanitizers (preset dev) this is the fuzz test of the
// language; every change is a pure function of its number, so that a failure can be repeated.
#include "sampling/language/expression.h"
#include "sampling/scenario/resolve.h"
#include "sampling/scenario/scenario.h"
#include "sampling/scenario/scenario_read.h"
#include "sampling/scenario/uncertain.h"
#include "sampling/writing/expand.h"
#include "test/support/chance.h"
#include "test/support/cmocka.h"
#include "test/support/fingerprint_digest.h"
#include "test/support/reading.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 8192 };

static gmc_reading reading;
static gmc_chance generator;

// Everything that only planar worlds know.
static const char FLAT[] =
    "graspmc: 1\n"
    "world: planar-support\n"
    "parameters: {ell.x: ell.y / 2 + 1, ell.y: 4 m, ell.z: \"sin(30 deg) * max(ell.x, 1 m)\"}\n"
    "hand: {urdf: hand.urdf, surface: steel, target: {x: 1 mm, yaw: 5 deg}}\n"
    "object:\n"
    "  gear: {teeth: 4, diameter: 41 mm, root_diameter: 35 mm, tip_width: 3.5 mm}\n"
    "  thickness: 6 mm\n"
    "  density: 2700 kg/m3\n"
    "  surface: wood\n"
    "  parts: {nose: {super_ellipse: {x: 3 mm, y: 2 mm, exponent: 3}, pose: {y: 2 cm}}}\n"
    "  support: {points: [[10 mm, 0 mm], [-5 mm, 8 mm], [-5 mm, -8 mm]], friction: [1, 0.5, 0]}\n"
    "  push: {x: [[0 s, 0 N], [1 s, 2 N]], torque: [[0.5 s, 1 mN*m]]}\n"
    "scene:\n"
    "  ell: {polygon: [[0, 0], [3, 0], [3, 1], [1, 1], [1, ell.x], [0, 3]], surface: steel}\n"
    "  pusher: {circle: {diameter: ell.z / 100}, surface: steel, path: {yaw: [[1 s, 90 deg]]}}\n"
    "  loose:\n"
    "    {box: [1, 1, 1], mass: 1, free: true, surface: steel,\n"
    "     support: {disk: {radius: 1}, friction: 0.1, viscous: 1 N*s/m}}\n"
    "friction: {wood/steel: 0.3, steel/steel: 0.2}\n"
    "gravity: [1, 0, -9]\n"
    "program: [turn: {axis: z, by: 1 rad, in: 1 s}, shake: {axis: x, amplitude: 1 mm, frequency: "
    "2 Hz, for: 1 s}]\n"
    "success: {at_end: [moved(object) <= 1 mm]}\n"
    "study: {vary: {ell.y: \"between(3, 5)\"}, designs: 4, require: [ell.x < 3.4 m]}\n"
    "uncertain:\n"
    "  object.support.points: tripod(disk 15 mm)\n"
    "  object.push.x.1.time: uniform(0.5 s, 2 s)\n";

// What a camera sees, what varies together, and what files say.
static const char SEEN[] =
    "graspmc: 1\n"
    "hand: {urdf: hand.urdf, surface: steel}\n"
    "object: {box: [1 cm, 1 cm, 1 cm], mass: 1 kg, surface: steel}\n"
    "scene: {table: {plane: {}, surface: steel}}\n"
    "friction: {steel/steel: 0.2}\n"
    "cameras:\n"
    "  head: {pose: {xyz: [600 mm, 0 mm, 700 mm], look_at: object}}\n"
    "  side: {pose: {xyz: [0, 1, 1], look_at: [0, 0, 5 mm]}}\n"
    "  back: {pose: {xyz: [0, -1, 1], roll: 120 deg}}\n"
    "believed:\n"
    "  object.pose:\n"
    "    seen_by: head\n"
    "    x: 1 mm\n"
    "    sd: {x: 1.2 mm, z: 4 mm, pitch: 2.5 deg, yaw: 1.5 deg}\n"
    "    correlation: {z/pitch: 0.6, x / yaw: -0.3}\n"
    "    grows_with: {distance: 1 m, power: 2}\n"
    "    outliers: {share: 2 %, turn: 180 deg, about: object.z}\n"
    "program: [hold: {for: 1 s}]\n"
    "success: {at_end: [moved(object) <= 1 mm]}\n"
    "uncertain:\n"
    "  friction.steel/steel: fit(errors.csv, column z, family lognormal)\n"
    "  object.mass: fit(errors.csv, column x, family normal) in [0.1 kg, inf]\n"
    "  object.pose.x: samples(errors.csv, column x, unit mm)\n"
    "  object.pose.y: samples(errors.csv, column z, unit mm)\n"
    "  object.pose.yaw: uniform(0 deg, 5 deg)\n"
    "correlated: {object.mass / object.pose.yaw: 0.3, friction.steel/steel/object.mass: -0.2}\n"
    "sampling: {design: sobol, draws: 32}\n";

static int open_reading(void **state)
{
    (void)state;
    gmc_reading_open(&reading);
    gmc_reading_rich_files(&reading);
    return 0;
}

static int close_reading(void **state)
{
    (void)state;
    gmc_reading_close(&reading);
    return 0;
}

static uint64_t chance(int below) { return (uint64_t)gmc_chance_integer(&generator, 0, below - 1); }

// Read bytes as a scenario from memory, with the files of the folder at hand; judge the outcome.
// Was it accepted?
static bool judge(const char *bytes, size_t size)
{
    static const char urdf[] = "<robot name='hand'/>", csv[] = "rho\n900\n1100\n",
                      errors[] = "x,z\n1,3\n2,1\n1.5,2\n", obj[] = "v 0 0 0\n";
    gmc_asset assets[] = {
        {.name = "hand.urdf", .bytes = (void *)(size_t)urdf, .size = sizeof urdf - 1},
        {.name = "sub/data.csv", .bytes = (void *)(size_t)csv, .size = sizeof csv - 1},
        {.name = "errors.csv", .bytes = (void *)(size_t)errors, .size = sizeof errors - 1},
        {.name = "sub/part.obj", .bytes = (void *)(size_t)obj, .size = sizeof obj - 1},
    };
    gmc_diagnostics report = {0};
    gmc_scenario scenario;
    gmc_arena_reset(&reading.arena, 0);
    gmc_status status =
        gmc_scenario_read_embedded(&(gmc_embedded){.file = "hostile",
                                                   .text = bytes,
                                                   .bytes = size,
                                                   .assets = assets,
                                                   .asset_count = GMC_COUNT(assets)},
                                   &report, &reading.arena, &scenario);
    gmc_status resolved = GMC_OK;
    if (scenario.tree && status != GMC_E_ARENA_FULL)
        resolved = gmc_resolve_scenario(&scenario, &report);
    if (status == GMC_OK || resolved == GMC_E_ARENA_FULL) status = resolved;
    if (status != GMC_OK && status != GMC_E_INPUT && status != GMC_E_MISSING)
        fail_msg("status %s for\n%.*s", gmc_status_name(status), (int)size, bytes);
    if ((status == GMC_OK) != (report.error_count == 0))
        fail_msg("%s, but %d mistakes in\n%.*s", gmc_status_name(status), report.error_count,
                 (int)size, bytes);
    if (status == GMC_OK) {
        // what is accepted can be written out and read again
        char *text = NULL;
        gmc_digest before, after;
        assert_int_equal(gmc_expand_yaml(&scenario, &text), GMC_OK);
        before = fingerprint_digest(&scenario);
        gmc_scenario_free(&scenario);
        gmc_arena_reset(&reading.arena, 0);
        status = gmc_scenario_read_embedded(&(gmc_embedded){.file = "expanded",
                                                            .text = text,
                                                            .bytes = strlen(text),
                                                            .assets = assets,
                                                            .asset_count = GMC_COUNT(assets)},
                                            &report, &reading.arena, &scenario);
        if (status == GMC_OK) status = gmc_resolve_scenario(&scenario, &report);
        if (status != GMC_OK) {
            gmc_diagnostics_print(&report, stderr);
            fail_msg("accepted:\n%.*s\nbut not as\n%s", (int)size, bytes, text);
        }
        after = fingerprint_digest(&scenario);
        if (strcmp(before.hex, after.hex) != 0)
            fail_msg("another digest for\n%.*s\nexpanded\n%s", (int)size, bytes, text);
        free(text);
    }
    gmc_scenario_free(&scenario);
    gmc_diagnostics_free(&report);
    return status == GMC_OK;
}

static void test_the_whole_text(void **state)
{
    (void)state;
    assert_true(judge(gmc_reading_rich, strlen(gmc_reading_rich)));
    assert_true(judge(gmc_reading_demo, strlen(gmc_reading_demo)));
    assert_true(judge(FLAT, strlen(FLAT)));
    assert_true(judge(SEEN, strlen(SEEN)));
}

static void test_cut_at_every_byte(void **state)
{
    (void)state;
    for (size_t size = 0; size < strlen(gmc_reading_rich); size++)
        (void)judge(gmc_reading_rich, size);
    for (size_t size = 0; size < strlen(FLAT); size++)
        (void)judge(FLAT, size);
    for (size_t size = 0; size < strlen(SEEN); size++)
        (void)judge(SEEN, size);
}

static void test_bytes_changed(void **state)
{
    (void)state;
    char text[TEXT_MAX];
    for (int round = 0; round < 2800; round++) {
        const char *from = round < 1200 ? gmc_reading_rich : round < 2000 ? FLAT : SEEN;
        size_t size = strlen(from);
        generator.state = (uint64_t)round;
        memcpy(text, from, size);
        for (uint64_t i = 0, changes = 1 + chance(3); i < changes; i++) {
            // single bits, and the letters that mean something to YAML
            static const char LETTERS[] = "{}[]:,#&*!|>'\"%@`-? \n\t0e.\\";
            size_t at = (size_t)chance((int)size);
            if (chance(2))
                text[at] = (char)(text[at] ^ (1 << chance(8)));
            else
                text[at] = LETTERS[chance((int)sizeof LETTERS - 1)];
        }
        (void)judge(text, size);
    }
}

// Lines left out, doubled, swapped, or their values exchanged.
static void test_lines_moved(void **state)
{
    (void)state;
    char text[TEXT_MAX];
    const char *lines[128];
    int count = 0;
    for (const char *p = gmc_reading_rich; *p && count < GMC_COUNT(lines); p = strchr(p, '\n') + 1)
        lines[count++] = p;
    for (int round = 0; round < 800; round++) {
        generator.state = 77 + (uint64_t)round;
        size_t used = 0;
        int odd = (int)chance(count), other = (int)chance(count);
        uint64_t kind = chance(4);
        for (int i = 0; i < count && used < TEXT_MAX - 1024; i++) {
            const char *line = kind == 2 && i == odd ? lines[other] : lines[i];
            size_t length = strcspn(line, "\n") + 1;
            if (kind == 0 && i == odd) continue;
            memcpy(text + used, line, length);
            used += length;
            if (kind == 1 && i == odd) {
                memcpy(text + used, line, length);
                used += length;
            }
            const char *colon = kind == 3 && i == odd ? strstr(line, ": ") : NULL;
            const char *value = strstr(lines[other], ": ");
            if (colon && colon < line + length && value &&
                value < lines[other] + strcspn(lines[other], "\n")) {
                used -= (size_t)(line + length - colon);
                size_t rest = strcspn(value, "\n") + 1;
                memcpy(text + used, value, rest);
                used += rest;
            }
        }
        (void)judge(text, used);
    }
}

static gmc_node scalar(const char *text)
{
    return (gmc_node){.kind = GMC_NODE_SCALAR,
                      .text = text,
                      .is_plain = true,
                      .folder = "",
                      .source = {"t", 1, 1, (int)strlen(text)}};
}

// Words of the language in any order.
static void test_expressions_of_random_words(void **state)
{
    (void)state;
    static const char *const WORDS[] = {"lift",   "object",
                                        "hand",   "(",
                                        ")",      "(",
                                        ")",      ",",
                                        "and",    "or",
                                        "not",    "80 mm",
                                        "3",      "5 deg",
                                        ">=",     "<",
                                        "+",      "-",
                                        "*",      "/",
                                        "slip",   "nominal",
                                        "normal", "uniform",
                                        "one_of", "samples",
                                        ";",      "weights",
                                        "in",     "[",
                                        "]",      "inf",
                                        "grid",   "step",
                                        "column", "unit",
                                        "rho",    "sub/data.csv",
                                        "1e9",    "8 %",
                                        "table",  "contact",
                                        "=="};
    gmc_reading_try(&reading, gmc_reading_rich, NULL);
    assert_int_equal(reading.status, GMC_OK);
    size_t mark = gmc_arena_mark(&reading.arena);
    for (int round = 0; round < 8000; round++) {
        char text[512] = "";
        generator.state = 1000 + (uint64_t)round;
        for (uint64_t i = 0, count = 1 + chance(16); i < count; i++) {
            strcat(text, WORDS[chance(GMC_COUNT(WORDS))]);
            if (chance(4)) strcat(text, " ");
        }
        gmc_node node = scalar(text);
        gmc_diagnostics report = {0};
        gmc_arena_reset(&reading.arena, mark);
        const gmc_expression *root = NULL;
        gmc_expression_bodies bodies = {0};
        assert_int_equal(gmc_scenario_bodies(&reading.scenario, &bodies), GMC_OK);
        gmc_status status = gmc_expression_parse(&node, &bodies, &reading.arena, &report, &root);
        assert_true(status == GMC_OK || status == GMC_E_INPUT);
        assert_int_equal(status == GMC_OK, report.error_count == 0);
        if (root) assert_true(root->stack <= GMC_CRITERION_DEPTH);

        gmc_uncertain_context context = {.scenario = &reading.scenario,
                                         .report = &report,
                                         .path = "x",
                                         .dimension = GMC_DIM_LENGTH,
                                         .is_known = true};
        gmc_uncertain line = {0};
        int before = report.error_count;
        status = gmc_uncertain_line(&context, &node, &line);
        assert_true(status == GMC_OK || status == GMC_E_INPUT || status == GMC_E_MISSING);
        // equal reports are kept once: the same mistake may have been said of the criterion
        assert_true(status != GMC_OK || report.error_count == before);

        node = scalar(text);
        double *values = NULL;
        int count = 0;
        status = gmc_uncertain_values(&context, &node, &values, &count);
        assert_true(status == GMC_OK || status == GMC_E_INPUT);
        gmc_diagnostics_free(&report);
    }
}

static void test_sets_of_random_words(void **state)
{
    (void)state;
    static const char *const PIECES[] = {
        "object",     "objects",    "hand",   "ball",     "mass",      "pose",    "x",
        "program",    "0",          "3",      "close",    "set",       "gravity", "friction",
        "rubber/abs", "abs/rubber", "study",  "vary",     "uncertain", "joints",  "left",
        "surfaces",   "success",    "at_end", "sampling", "",          "="};
    static const char *const VALUES[] = {"1", "1 mm",          "~", "", "[1, 2, 3]", "{a: 1}",
                                         "x", "uniform(0, 1)", "{"};
    for (int round = 0; round < 800; round++) {
        char text[256] = "";
        generator.state = 5000 + (uint64_t)round;
        for (uint64_t i = 0, count = 1 + chance(5); i < count; i++) {
            if (i > 0) strcat(text, ".");
            strcat(text, PIECES[chance(GMC_COUNT(PIECES))]);
        }
        if (chance(10)) strcat(text, "=");
        strcat(text, VALUES[chance(GMC_COUNT(VALUES))]);
        const char *const sets[] = {text, NULL};
        gmc_reading_try(&reading, gmc_reading_rich, sets);
        bool is_judged = reading.status == GMC_OK || reading.status == GMC_E_INPUT ||
                         reading.status == GMC_E_MISSING;
        if (!is_judged || (reading.status == GMC_OK) != (reading.report.error_count == 0))
            fail_msg("--set %s: %s\n%s", text, gmc_status_name(reading.status), reading.said);
    }
}

static void test_small_arenas_are_said_and_nothing_else(void **state)
{
    (void)state;
    gmc_reading_try(&reading, gmc_reading_rich, NULL);
    size_t enough = reading.arena.used;
    // an arena is rounded up to whole 64 bytes
    for (size_t size = 64; size + 64 <= enough; size += enough / 300) {
        gmc_arena arena;
        gmc_diagnostics report = {0};
        gmc_scenario scenario;
        assert_int_equal(gmc_arena_create(&arena, size), GMC_OK);
        gmc_status status = gmc_scenario_read(reading.path, NULL, NULL, &report, &arena, &scenario);
        if (status == GMC_OK) status = gmc_resolve_scenario(&scenario, &report);
        if (status != GMC_E_ARENA_FULL && status != GMC_E_MEMORY)
            fail_msg("%s with %zu of %zu bytes", gmc_status_name(status), size, enough);
        gmc_scenario_free(&scenario);
        gmc_diagnostics_free(&report);
        gmc_arena_free(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_whole_text),
        cmocka_unit_test(test_cut_at_every_byte),
        cmocka_unit_test(test_bytes_changed),
        cmocka_unit_test(test_lines_moved),
        cmocka_unit_test(test_expressions_of_random_words),
        cmocka_unit_test(test_sets_of_random_words),
        cmocka_unit_test(test_small_arenas_are_said_and_nothing_else),
    };
    return cmocka_run_group_tests(tests, open_reading, close_reading);
}
