// A scenario, with a hand, a mesh, a table of samples and another scenario at hand: read, resolved,
// compiled. What is accepted can be stored, written out, read again, and put into the model of a
// trial.
#include "sampling/campaign/rollouts.h"
#include "sampling/store/describe.h"
#include "sampling/writing/expand.h"
#include "sampling/writing/fingerprint.h"
#include "sampling/writing/listing.h"
#include "test/fuzz/fuzz.h"
#include "test/fuzz/scene.h"

typedef struct reading {
    gmc_diagnostics report;
    gmc_prepared prepared;
    gmc_status status;
} reading;

static reading first, second;

static void read_text(const char *text, size_t size, reading *r)
{
    if (!r->prepared.arena.memory)
        FUZZ_REQUIRE(gmc_arena_create(&r->prepared.arena, GMC_SCENARIO_ARENA_BYTES) == GMC_OK);
    r->status = scene_prepare(text, size, &r->report, &r->prepared);
    // what a library gives up on is said, and is the scenario's
    if (r->status == GMC_E_LIBRARY) r->status = GMC_E_INPUT;
}

static void end(reading *r)
{
    fuzz_judge_report(r->status, &r->report);
    scene_free(&r->prepared);
}

/// Written out, it is the same scenario.
static void judge_expanded(const gmc_scenario *scenario)
{
    char *text, *again, *before, *after;
    FUZZ_REQUIRE(gmc_expand_yaml(scenario, &text) == GMC_OK);
    FUZZ_REQUIRE(gmc_fingerprint_text(scenario, &before) == GMC_OK);
    reading *other = &second;
    read_text(text, strlen(text), other);
    if (other->status != GMC_OK) gmc_diagnostics_print(&other->report, stderr);
    FUZZ_REQUIRE(other->status == GMC_OK);
    FUZZ_REQUIRE(gmc_expand_yaml(&other->prepared.scenario, &again) == GMC_OK);
    FUZZ_REQUIRE(gmc_fingerprint_text(&other->prepared.scenario, &after) == GMC_OK);
    FUZZ_REQUIRE(strcmp(text, again) == 0);
    FUZZ_REQUIRE(strcmp(before, after) == 0);
    end(other);
    free(again);
    free(after);
    free(before);
    free(text);
    FUZZ_REQUIRE(gmc_expand_json(scenario, &text) == GMC_OK);
    free(text);
    FUZZ_REQUIRE(gmc_listing_table(scenario, &text) == GMC_OK);
    free(text);
}

/// What would be stored of it. Histograms that cannot be made are said here.
static void judge_plan(gmc_scenario *scenario, const gmc_build *build)
{
    gmc_describe_options options = {.count = gmc_rollouts_total(scenario), .level = 0.95};
    gmc_diagnostics report = {0};
    gmc_description description;
    gmc_status status = gmc_describe_run(scenario, build, &options, &report, &description);
    if (status == GMC_OK) FUZZ_REQUIRE(description.plan.parameter_count == scenario->sampled_count);
    fuzz_judge_report(status, &report);
    gmc_description_free(&description);
}

/// The last trial's model.
static void judge_model(const gmc_scenario *scenario, const gmc_build *build)
{
    gmc_rollouts rollouts = {.scenario = scenario, .build = build};
    gmc_arena arena = {0};
    const gmc_model *model;
    gmc_status status =
        gmc_rollouts_model(&rollouts, gmc_rollouts_total(scenario) - 1, &arena, &model);
    FUZZ_REQUIRE(status == GMC_OK || status == GMC_E_INPUT || status == GMC_E_LIMIT);
    gmc_arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned char *text = fuzz_copy(data, size);
    reading *r = &first;
    read_text((const char *)text, size, r);
    if (r->status == GMC_OK) {
        judge_expanded(&r->prepared.scenario);
        judge_plan(&r->prepared.scenario, r->prepared.build);
        judge_model(&r->prepared.scenario, r->prepared.build);
    }
    end(r);
    free(text);
    return 0;
}
