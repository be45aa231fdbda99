// Slip without a `close`: it counts from the start, of an object on what never moves, on a tray
// that a hand holds askew, and on one that it tilts.
#include "test/support/near.h"
#include "test/support/rolling.h"

#include <string.h>

static const char *const STEPS[] = {"0.5 ms", "4 ms"};
// Gravity along and across the slope [m/s²], friction, and for how long.
static const double ALONG = 3.5, ACROSS = 9.2, FRICTION = 0.3, SPAN = 0.4;

#define BLOCK                                                                                      \
    "graspmc: 1\n"                                                                                 \
    "object: {box: [60 mm, 60 mm, 10 mm], mass: 0.3 kg, surface: part, placed: as_given, pose: "   \
    "{z: 5 mm}}\n"
#define SLOPE                                                                                      \
    "gravity: [3.5 m/s2, 0 m/s2, -9.2 m/s2]\n"                                                     \
    "friction: {part/metal: 0.3}\n"
#define RAMP "scene: {ramp: {box: [2 m, 0.4 m, 20 mm], surface: metal, pose: {z: -10 mm}}}\n"
#define TRAY "hand: {urdf: tray.urdf, surface: metal, target: {z: -5 mm}}\n"
#define HOLD "program: [{hold: {for: 0.4 s}}]\n"

static const char TRAY_URDF[] =
    "<robot name='tray'><link name='tray'><inertial><mass value='1'/><inertia ixx='0.01' "
    "iyy='0.01' izz='0.02' ixy='0' ixz='0' iyz='0'/></inertial><collision><origin xyz='0 0 "
    "-0.005'/><geometry><box size='1 0.4 0.01'/></geometry></collision></link></robot>";

/// g (sin a - mu cos a) t²/2
static double slide(double t) { return (ALONG - FRICTION * ACROSS) * t * t / 2; }

static void play(gmc_rolling *r, const char *text, const char *success, const char *step)
{
    char all[2048], set[64];
    snprintf(all, sizeof all, "%ssuccess: {%s}\n", text, success);
    snprintf(set, sizeof set, "simulation.step=%s", step);
    gmc_scratch_text(&r->scratch, "tray.urdf", TRAY_URDF);
    gmc_rolling_play(r, all, (const char *[]){set, NULL});
}

// The slide of the closed form in the measure, in its largest value, and in the fixed columns; a
// bound a per cent above it holds, one below does not, and is broken when it is passed.
static void check_slide(gmc_rolling *r, const char *text, const char *pair, const char *step)
{
    char success[256], column[64];
    double whole = slide(SPAN);
    for (int k = -1; k <= 1; k += 2) {
        double bound = whole * (1 + 0.01 * k);
        snprintf(success, sizeof success, "at_end: [\"slip(%s) <= %.9f\"]", pair, bound);
        play(r, text, success, step);
        assert_int_equal(r->result.outcome, k > 0 ? GMC_OUTCOME_SUCCESS : GMC_OUTCOME_MISSED);
        // what it starts with: a friction spring and the weight that is not borne yet
        snprintf(column, sizeof column, "slip(%s)", pair);
        ASSERT_NEAR(gmc_rolling_value(r, column), whole, 2e-4 * whole);
        ASSERT_NEAR(gmc_rolling_value(r, "slip"), whole, 2e-4 * whole);
        ASSERT_NEAR(gmc_rolling_value(r, "slip_end"), whole, 2e-4 * whole);
        assert_true(isnan(gmc_rolling_value(r, "t_closed")));
    }
    double bound = slide(SPAN / 2);
    snprintf(success, sizeof success,
             "at_end: [lift(object) < 1 m], always: [\"slip(%s) <= %.9f\"]", pair, bound);
    for (int is_early = 0; is_early < 2; is_early++) {
        r->is_decided_early = is_early;
        play(r, text, success, step);
        assert_int_equal(r->result.outcome, GMC_OUTCOME_VIOLATED);
        ASSERT_NEAR(gmc_rolling_value(r, "t_violated"), SPAN / 2, 4e-3);
        assert_int_equal(gmc_rolling_value(r, "decided_by"), is_early ? GMC_DECISION_BROKEN : 0);
    }
    r->is_decided_early = false;
}

static void without_a_close_slip_counts_from_the_start(void **state)
{
    (void)state;
    gmc_rolling r;
    gmc_rolling_open(&r);
    for (int i = 0; i < GMC_COUNT(STEPS); i++) {
        check_slide(&r, BLOCK SLOPE RAMP HOLD, "object, ramp", STEPS[i]);
        check_slide(&r, BLOCK SLOPE TRAY HOLD, "object, hand", STEPS[i]);
    }
    gmc_rolling_close(&r);
}

// Gravity turns with the tray: tilted beyond the angle of friction, as on the slope that it comes
// to be; below, what is carried about is not what slips.
static void on_a_tray_that_tilts(void **state)
{
    (void)state;
    static const char *const TURNS[] = {"15 deg", "20 deg"}; // the angle of friction is 16.7 deg
    gmc_rolling r;
    gmc_rolling_open(&r);
    for (int i = 0; i < GMC_COUNT(STEPS); i++)
        for (int k = 0; k < 2; k++) {
            char text[1024];
            snprintf(text, sizeof text,
                     BLOCK TRAY
                     "friction: {part/metal: 0.3}\n"
                     "program: [{turn: {axis: y, by: %s, in: 1 s}}, {hold: {for: 0.3 s}}]\n",
                     TURNS[k]);
            play(&r, text, "at_end: [\"slip(object, hand) <= 1 mm\"]", STEPS[i]);
            assert_int_equal(r.result.outcome, k ? GMC_OUTCOME_MISSED : GMC_OUTCOME_SUCCESS);
            double slip = gmc_rolling_value(&r, "slip");
            if (!k) assert_true(slip < 1e-5);
            if (!k) assert_true(gmc_rolling_value(&r, "turned") > 0.26);
            ASSERT_BELOW(gmc_rolling_value(&r, "slip_angle"), 1e-4);
            if (!k) continue;
            // on the slope at the end: from what it had at the turn's end it goes on evenly
            int body = gmc_rolling_body(&r, "object"), tray = gmc_rolling_body(&r, "hand");
            double at[3];
            for (int n = 0; n < 3; n++) {
                int row = gmc_rolling_row(&r, 1.1 + 0.1 * n);
                gmc_pose X = gmc_rolling_pose(&r, row, body), T = gmc_rolling_pose(&r, row, tray);
                at[n] = gmc_pose_apply_inverse(&T, X.p).x;
            }
            double angle = 20 * GMC_PI / 180;
            double a = 9.81 * (sin(angle) - FRICTION * cos(angle));
            ASSERT_NEAR((at[2] - 2 * at[1] + at[0]) / 0.01, a, 1e-3 * a);
            ASSERT_NEAR(slip, at[2], 1e-5);
        }
    gmc_rolling_close(&r);
}

// Before the first closing, and until the last one is over, nothing slips.
static void with_a_close_slip_counts_from_its_end(void **state)
{
    (void)state;
    gmc_rolling r;
    gmc_rolling_open(&r);
    play(&r,
         "graspmc: 1\n"
         "hand: {urdf: jaw.urdf, frame: tcp, surface: metal, target: {z: 60 mm}}\n"
         "object: {box: [50 mm, 50 mm, 50 mm], mass: 0.2 kg, surface: part, placed: resting}\n"
         "scene: {ramp: {plane: {}, surface: wood}}\n"
         "gravity: [3.5 m/s2, 0 m/s2, -9.2 m/s2]\n"
         "friction: {part/metal: 0.3, part/wood: 0.3, metal/wood: 0.3}\n"
         "program: [{hold: {for: 0.2 s}}, {close: {force: 1 N, until: in_contact, at_most: 0.1 "
         "s}}, {hold: {for: 0.1 s}}]\n",
         "at_end: [\"slip(object, ramp) <= 1 m\"]", "2 ms");
    double closed = gmc_rolling_value(&r, "t_closed");
    ASSERT_NEAR(closed, 0.3, 1e-9);
    double way = slide(0.4) - slide(0.3);
    ASSERT_NEAR(gmc_rolling_value(&r, "slip(object, ramp)"), way, 1e-3 * way);
    ASSERT_NEAR(gmc_rolling_value(&r, "slip"), way, 1e-3 * way);
    gmc_rolling_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_close_slip_counts_from_the_start),
        cmocka_unit_test(on_a_tray_that_tilts),
        cmocka_unit_test(with_a_close_slip_counts_from_its_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
