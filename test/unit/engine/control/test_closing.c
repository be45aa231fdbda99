// Which way small hands close: what each word of the rule in closing.h does.

#include "engine/control/closing.h"
#include "test/support/near.h"
#include "test/support/stage.h"

/// @param of_dof  (dofs of the stage's model)
static void look(gmc_stage *s, const char *base, gmc_closing *of_dof)
{
    gmc_stage_ready(s, 8);
    const gmc_closing_hand hand = {gmc_stage_body(s, base), -1};
    assert_int_equal(gmc_closing_find(&s->model, &hand, &s->scratch, of_dof), GMC_OK);
}

static gmc_dof range(double lower, double upper)
{
    gmc_dof dof = gmc_builder_default_dof();
    dof.lower = lower;
    dof.upper = upper;
    return dof;
}

/// A palm on a rail, and two plates on it that slide along y.
static void jaw(gmc_stage *s, double sign)
{
    gmc_vec3 y = {0, 1, 0}, back = {0, -sign, 0};
    gmc_stage_open(s, 0.5);
    gmc_stage_slider(s, "palm", NULL, (gmc_vec3){0, 0, 1}, (gmc_vec3){0, 0, 0},
                     gmc_stage_box(0.05, 0.1, 0.02), 1, range(-1, 1), false);
    gmc_stage_slider(s, "left", "palm", y, (gmc_vec3){0, 0.02, 0.1},
                     gmc_stage_box(0.01, 0.005, 0.05), 0.1, range(0, 0.04), false);
    gmc_stage_slider(s, "right", "palm", back, (gmc_vec3){0, -0.02, 0.1},
                     gmc_stage_box(0.01, 0.005, 0.05), 0.1, range(0, 0.04), false);
}

static void plates_close_towards_each_other(void **state)
{
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2) {
        gmc_stage s;
        gmc_closing found[8];
        jaw(&s, sign);
        look(&s, "palm", found);
        const gmc_closing *left = &found[gmc_stage_dof(&s, "left")];
        const gmc_closing *right = &found[gmc_stage_dof(&s, "right")];
        assert_true(left->sign == -1);
        assert_true(left->is_flexion);
        assert_true(right->sign == -sign);
        assert_true(right->is_flexion);
        assert_int_equal(right->doubt, GMC_CLOSING_TOLD);
        gmc_stage_close(&s);
    }
}

static void what_carries_the_palm_does_not_close(void **state)
{
    (void)state;
    gmc_stage s;
    gmc_closing found[8];
    jaw(&s, 1);
    look(&s, "palm", found);
    const gmc_closing *palm = &found[gmc_stage_dof(&s, "palm")];
    assert_true(palm->sign == 0);
    assert_true(!palm->is_flexion);
    assert_int_equal(palm->doubt, GMC_CLOSING_CARRIES);
    gmc_stage_close(&s);
}

static void starts_change_nothing(void **state)
{
    (void)state;
    for (int i = 0; i <= 4; i++) {
        gmc_stage s;
        gmc_closing found[8];
        jaw(&s, 1);
        gmc_stage_ready(&s, 8);
        for (int k = 1; k < 3; k++)
            s.model.q_start[k] = 0.01 * i;
        const gmc_closing_hand hand = {gmc_stage_body(&s, "palm"), -1};
        assert_int_equal(gmc_closing_find(&s.model, &hand, &s.scratch, found), GMC_OK);
        assert_true(found[gmc_stage_dof(&s, "left")].sign == -1);
        gmc_stage_close(&s);
    }
}

static void links_without_shapes_tell_nothing(void **state)
{
    (void)state;
    gmc_stage s;
    gmc_closing found[8];
    jaw(&s, 1);
    gmc_stage_hinge(&s, "bare", "palm", (gmc_vec3){1, 0, 0}, (gmc_vec3){0, 0, 0.1}, false);
    look(&s, "palm", found);
    const gmc_closing *bare = &found[gmc_stage_dof(&s, "bare")];
    assert_true(bare->sign == 0);
    assert_int_equal(bare->doubt, GMC_CLOSING_NOTHING);
    gmc_stage_close(&s);
}

static void sideways_is_a_doubt(void **state)
{
    (void)state;
    gmc_stage s;
    gmc_closing found[8];
    jaw(&s, 1);
    gmc_stage_slider(&s, "aside", "palm", (gmc_vec3){1, 0, 0}, (gmc_vec3){-0.02, 0, 0.1},
                     gmc_stage_box(0.01, 0.005, 0.05), 0.1, range(0, 0.04), false);
    look(&s, "palm", found);
    const gmc_closing *aside = &found[gmc_stage_dof(&s, "aside")];
    assert_true(aside->sign == 0);
    assert_int_equal(aside->doubt, GMC_CLOSING_SIDEWAYS);
    gmc_stage_close(&s);
}

int test_closing(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(plates_close_towards_each_other),
                                       cmocka_unit_test(what_carries_the_palm_does_not_close),
                                       cmocka_unit_test(starts_change_nothing),
                                       cmocka_unit_test(links_without_shapes_tell_nothing),
                                       cmocka_unit_test(sideways_is_a_doubt)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
