// Lemke's method on problems of steps: a Barrett hand that closes on a handset, what is dropped,
// and chains of links that fall on each other. Each is solved again in another way.

#include "engine/complementarity/facets.h"
#include "engine/complementarity/polyhedral.h"
#include "engine/contact/rigid/anitescu_potra.h"
#include "engine/contact/rigid/stewart_trinkle.h"
#include "engine/model/inertia.h"
#include "sampling/build/prepare.h"
#include "sampling/campaign/rollouts.h"
#include "test/support/capability.h"
#include "test/support/near.h"
#include "test/support/stage.h"

#include <stdlib.h>
#include <string.h>

/// What solves the problems of one scene, and looks at every so many of them.
static struct recorder {
    int wanted, every, seen, looked_at, unsolved, unmatched;
    double worst, most_pivots; ///< difference of velocities [√J]; pivots per unknown
    gmc_arena arena;
} recorder;

// ---- another solver ----------------------------------------------------------------------------

/// L Lᵀ = W - give. @return false: it is not positive definite
static bool factor(const gmc_dual *normal, double give, double *L)
{
    size_t n = 3 * (size_t)normal->unit_count;
    for (int c = 0; c < normal->unit_count; c++)
        for (int k = normal->start[c]; k < normal->start[c + 1]; k++)
            for (size_t i = 0; i < 9; i++)
                L[(3 * (size_t)c + i / 3) * n + 3 * (size_t)normal->other[k] + i % 3] =
                    normal->W[9 * (size_t)k + i];
    for (size_t j = 0; j < n; j++) {
        for (size_t i = j; i < n; i++) {
            double sum = L[i * n + j] - (i == j ? give : 0);
            for (size_t k = 0; k < j; k++)
                sum -= L[i * n + k] * L[j * n + k];
            if (i == j && !(sum > 0)) return false;
            L[i * n + j] = i == j ? sqrt(sum) : sum / L[j * n + j];
        }
        for (size_t i = 0; i < j; i++)
            L[i * n + j] = 0;
    }
    return true;
}

/// By the facets, in velocities of which the impulses' answer is made: W = L Lᵀ + R, M = 1, J = L.
/// @param start  (3 per unit) impulses of the step before
/// @param w      (3 per unit) out: W r + q
static gmc_status solve_by_facets(const gmc_dual *normal, const double *start, double *w)
{
    gmc_arena *arena = &recorder.arena;
    size_t n = 3 * (size_t)normal->unit_count;
    double *L = GMC_NEW(arena, n * n, double), *M = GMC_NEW(arena, n * n, double);
    double *x = GMC_NEW(arena, 4 * n, double);
    int *columns = GMC_NEW(arena, n, int), block_start[2] = {0, (int)n}, contacts = 0;
    gmc_ncp_row *rows = GMC_NEW(arena, n, gmc_ncp_row);
    gmc_facets facets;
    gmc_facets_result result;
    if (!L || !M || !x || !columns || !rows) return GMC_E_ARENA_FULL;
    // of the compliance that contacts have (rigid.c), as much as leaves the rest a matrix of masses
    double give = 5e-9;
    while (!factor(normal, give, L)) {
        if ((give *= 0.5) < 1e-13) return GMC_E_NO_SOLUTION;
        memset(L, 0, n * n * sizeof *L);
    }
    while (contacts < normal->unit_count && !normal->units[contacts].is_box)
        contacts++;
    for (size_t i = 0; i < n; i++) {
        const gmc_dual_unit *unit = &normal->units[i / 3];
        M[i * n + i] = 1;
        columns[i] = (int)i;
        rows[i] = (gmc_ncp_row){.column_count = (int)n,
                                .columns = columns,
                                .J = L + i * n,
                                .bias = normal->q[i],
                                .compliance = give,
                                .lower = unit->lower[i % 3],
                                .upper = unit->upper[i % 3]};
    }
    const gmc_ncp ncp = {.dof_count = (int)n,
                         .mass = M,
                         .block_count = 1,
                         .block_start = block_start,
                         .momentum = x + 3 * n,
                         .row_count = (int)n,
                         .rows = rows};
    GMC_TRY(gmc_facets_create(&ncp, normal->units, contacts, arena, &facets));
    memcpy(x, start, n * sizeof *x);
    const gmc_facets_solution solution = {x, x + n, w};
    return gmc_facets_solve(&facets, 1e-9, &solution, arena, &result);
}

// ---- looking at a problem ----------------------------------------------------------------------

/// Lemke's method alone, from nothing; where it fails a little is added to the matrix (lemke.h).
/// @param w  (3 per unit) out
static gmc_status pivot(const gmc_dual *normal, double *w)
{
    gmc_lcp lcp;
    gmc_lemke_result result;
    GMC_TRY(gmc_polyhedral_lcp(normal, &recorder.arena, &lcp));
    gmc_lemke_options options = gmc_lemke_defaults(lcp.size);
    double *z = GMC_NEW(&recorder.arena, lcp.size, double);
    double *r = GMC_NEW(&recorder.arena, 3 * normal->unit_count, double);
    if (!z || !r) return GMC_E_ARENA_FULL;
    options.residual_max = 1e-9; // as polyhedral.c asks where 1e-8 is wanted
    options.regularise = true;
    GMC_TRY(gmc_lemke_solve(&lcp, &options, z, &recorder.arena, &result));
    recorder.most_pivots = fmax(recorder.most_pivots, result.pivots / (double)lcp.size);
    gmc_polyhedral_impulses(normal, z, r);
    gmc_dual_answer(normal, r, w);
    return result.residual <= 1e-8 ? GMC_OK : GMC_E_RESIDUAL;
}

static void look_at(const gmc_dual *normal, const double *start)
{
    gmc_arena_reset(&recorder.arena, 0);
    int size = 3 * normal->unit_count;
    double *w = GMC_NEW(&recorder.arena, size, double), off = 0;
    double *other = GMC_NEW(&recorder.arena, size, double);
    assert_true(w && other);
    recorder.looked_at++;
    gmc_status status = pivot(normal, w), second = solve_by_facets(normal, start, other);
    assert_true(status != GMC_E_ARENA_FULL && second != GMC_E_ARENA_FULL);
    recorder.unsolved += status != GMC_OK;
    recorder.unmatched += second != GMC_OK;
    for (int i = 0; i < size && status == GMC_OK && second == GMC_OK; i++)
        off = fmax(off, fabs(w[i] - other[i]));
    recorder.worst = fmax(recorder.worst, off);
}

/// The product's own solver goes on; the problem is looked at on the way.
static gmc_status record(const gmc_dual *normal, double tolerance, double *x, gmc_arena *scratch,
                         gmc_solver_report *report)
{
    bool has_contacts = normal->unit_count > 0 && !normal->units[0].is_box;
    if (has_contacts && recorder.seen++ % recorder.every == 0 &&
        recorder.looked_at < recorder.wanted)
        look_at(normal, x);
    return gmc_polyhedral_solver.run(normal, tolerance, x, scratch, report);
}

static const gmc_solver RECORDING = {
    .name = "recording", .about = "for this test", .is_polyhedral = true, .run = record};

// ---- scenes ------------------------------------------------------------------------------------

static void play_handset(const char *formulation, double step, int every)
{
    char formulated[64], length[64];
    snprintf(formulated, sizeof formulated, "simulation.formulation=%s", formulation);
    snprintf(length, sizeof length, "simulation.step=%g ms", step * 1e3);
    const char *sets[] = {"simulation.stepper=anitescu_potra", formulated, length, NULL};
    gmc_diagnostics report = {0};
    gmc_prepared prepared;
    gmc_arena trial, scratch;
    gmc_rollout_input input;
    gmc_rollout_result result = {0};
    assert_int_equal(
        gmc_prepare("scenarios/barrett_handset.yaml", sets, NULL, NULL, &report, &prepared),
        GMC_OK);
    const gmc_scenario *scenario = &prepared.scenario;
    double *values = calloc((size_t)scenario->parameter_count, sizeof *values);
    assert_non_null(values);
    for (int i = 0; i < scenario->parameter_count; i++)
        values[i] = scenario->parameters[i].nominal;
    assert_int_equal(gmc_arena_create(&trial, 64 << 20), GMC_OK);
    assert_int_equal(gmc_arena_create(&scratch, 64 << 20), GMC_OK);
    assert_int_equal(gmc_build_instantiate(prepared.build, 0, values, values, &trial, &input),
                     GMC_OK);
    result.values =
        calloc((size_t)gmc_build_measures(prepared.build)->column_count, sizeof(double));
    recorder.every = every;
    input.options.step_options.solver = &RECORDING;
    assert_int_equal(gmc_rollout_run(&input, NULL, &trial, &scratch, &result), GMC_OK);
    free(result.values);
    free(values);
    gmc_arena_free(&trial);
    gmc_arena_free(&scratch);
    gmc_prepared_free(&prepared);
    gmc_diagnostics_free(&report);
}

static void step_stage(gmc_stage *stage, int every, double span)
{
    recorder.every = every;
    stage->options.solver = &RECORDING;
    assert_int_equal(gmc_stage_run(stage, 2e-3, span), GMC_OK);
    gmc_stage_close(stage);
}

/// Boxes, balls and capsules one above the other.
static void drop(uint64_t seed, const gmc_stepper *law)
{
    gmc_stage stage;
    gmc_chance chance = {seed};
    gmc_stage_open(&stage, 0.4);
    gmc_stage_fixed(&stage, "floor", gmc_stage_plane(), gmc_pose_identity());
    for (int i = 0; i < 4; i++) {
        char name[16];
        snprintf(name, sizeof name, "thing%d", i);
        gmc_vec3 at = {gmc_chance_uniform(&chance, -0.02, 0.02),
                       gmc_chance_uniform(&chance, -0.02, 0.02), 0.09 + 0.18 * i};
        gmc_stage_free(&stage, name, gmc_stage_draw(&chance), 0.2, at);
    }
    stage.stepper = law;
    gmc_stage_ready(&stage, 256);
    step_stage(&stage, 4, 0.8);
}

/// Six links of 0.1 m, capsules about their length, hinged in turn about x and y, let go level over
/// a floor.
static void fall_chain(const gmc_stepper *law)
{
    gmc_stage stage;
    gmc_shape capsule = {.type = GMC_SHAPE_CAPSULE, .radius = 0.01, .half_length = 0.035};
    gmc_inertia inertia = gmc_inertia_of_shape_mass(&capsule, 0.1);
    gmc_stage_open(&stage, 0.4);
    gmc_stage_fixed(&stage, "floor", gmc_stage_plane(), gmc_pose_identity());
    for (int i = 0; i < 6; i++) {
        char name[16], parent[16];
        snprintf(name, sizeof name, "link%d", i);
        snprintf(parent, sizeof parent, "link%d", i - 1);
        gmc_joint_spec joint = {.type = GMC_JOINT_REVOLUTE,
                                .X_pj = {gmc_mat3_identity(), {0, 0, i == 0 ? 0 : 0.1}},
                                .axis = {i % 2, (i + 1) % 2, 0},
                                .dof = gmc_builder_default_dof()};
        if (i == 0)
            joint.X_pj = gmc_pose_make(gmc_quat_from_rpy(0, GMC_PI / 2, 0), (gmc_vec3){0, 0, 0.15});
        gmc_pose middle = {gmc_mat3_identity(), {0, 0, 0.05}};
        gmc_inertia own = gmc_inertia_move(&middle, &inertia);
        gmc_builder_link(stage.builder, (gmc_source){0}, name, i == 0 ? NULL : parent, &joint,
                         &own);
        gmc_geom_spec geom = {.link = name,
                              .X_lg = middle,
                              .shape = capsule,
                              .surface = "any",
                              .category = 1,
                              .mask = ~0u};
        gmc_builder_geom(stage.builder, &geom);
    }
    stage.stepper = law;
    gmc_stage_ready(&stage, 256);
    step_stage(&stage, 2, 1);
}

// ---- all of it ---------------------------------------------------------------------------------

static void begin(int wanted)
{
    recorder.wanted = wanted;
    recorder.seen = recorder.looked_at = recorder.unsolved = recorder.unmatched = 0;
    recorder.worst = recorder.most_pivots = 0;
}

static void end(void)
{
    printf("%d of %d problems, %d unsolved, %d without a second solution, off by %.3g, %.3g pivots "
           "per unknown\n",
           recorder.looked_at, recorder.seen, recorder.unsolved, recorder.unmatched, recorder.worst,
           recorder.most_pivots);
    assert_int_equal(recorder.looked_at, recorder.wanted);
    capability_at_most(27, recorder.unsolved, 0);
    capability_at_most(27, recorder.most_pivots, 25);
    assert_true(recorder.worst <= 1e-6);
    assert_int_equal(recorder.unmatched, 0);
}

static void a_hand_that_closes(void **unused)
{
    (void)unused;
    begin(200);
    play_handset("generalised", 2.5e-3, 4);
    end();
    begin(200);
    play_handset("maximal", 2.5e-3, 4);
    end();
}

static const gmc_stepper *const LAWS[] = {&gmc_anitescu_potra_stepper,
                                          &gmc_stewart_trinkle_stepper};

static void what_is_dropped(void **unused)
{
    (void)unused;
    begin(300);
    for (uint64_t seed = 1; seed <= 4; seed++)
        drop(seed, LAWS[seed % 2]);
    end();
}

static void chains_that_fall(void **unused)
{
    (void)unused;
    begin(300);
    fall_chain(LAWS[0]);
    fall_chain(LAWS[1]);
    end();
}

static int set_up(void **unused)
{
    (void)unused;
    return gmc_arena_create(&recorder.arena, 64 << 20) == GMC_OK ? 0 : -1;
}

static int tear_down(void **unused)
{
    (void)unused;
    gmc_arena_free(&recorder.arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hand_that_closes),
        cmocka_unit_test(what_is_dropped),
        cmocka_unit_test(chains_that_fall),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
