#include "engine/complementarity/newton_internal.h"
#include "engine/complementarity/rungs.h"
#include "test/support/chance.h"
#include "test/support/cmocka_all.h"
#include "test/support/near.h"

enum { CONTACTS = 5, COLUMNS = 4 };

typedef struct fixture {
    gmc_ncp_contact contacts[CONTACTS];
    gmc_newton_cone cones[CONTACTS];
    double S[6 * COLUMNS];
    int columns[COLUMNS + 6];
    gmc_ncp_group group;
} fixture;

/// p -= Jᵀ r
static void push(const fixture *fx, const double *r, double *p)
{
    double F[6];
    gmc_ncp_group_wrench(&fx->group, fx->contacts, r, F);
    gmc_ncp_group_push(&fx->group, F, p);
}

static double value(gmc_chance *chance) { return gmc_chance_uniform(chance, -1, 1); }

/// Contacts that stick, slide and are open, with slopes of any size; frames of any shape if scaled.
static void draw(gmc_chance *chance, bool has_slip, bool is_scaled, fixture *fx)
{
    for (int c = 0; c < CONTACTS; c++) {
        gmc_ncp_contact *contact = &fx->contacts[c];
        gmc_newton_cone *cone = &fx->cones[c];
        *contact = (gmc_ncp_contact){.friction = 1, .hints = {.is_rotation = !is_scaled}};
        *cone = (gmc_newton_cone){.is_open = c == 3};
        gmc_vec3 dir[3] = {gmc_chance_direction(chance)};
        gmc_vec3_tangents(dir[0], &dir[1], &dir[2]);
        if (!is_scaled && c % 3 == 2) { // shares its normal with the one before
            const double *n = contact[-1].frame;
            dir[0] = gmc_vec3_make(n[0], n[1], n[2]);
            gmc_vec3_tangents(dir[0], &dir[1], &dir[2]);
        }
        for (int i = 0; i < 9; i++)
            contact->frame[i] = is_scaled ? value(chance) : gmc_vec3_get(dir[i / 3], i % 3);
        for (int i = 0; i < 3; i++)
            contact->arm[i] = value(chance);
        for (int i = 0; i < 2; i++)
            contact->spun[i] = c % 3 == 1 ? value(chance) : 0;
        cone->is_sliding = has_slip && c % 2 == 0;
        cone->g_n = 1 + value(chance);
        cone->g_tt[0] = 1 + value(chance);
        cone->g_tt[2] = cone->is_sliding ? 1 + value(chance) : cone->g_tt[0];
        for (int i = 0; i < 2 && cone->is_sliding; i++)
            cone->g_tn[i] = value(chance);
        if (cone->is_sliding) cone->g_tt[1] = value(chance);
    }
    for (int i = 0; i < 6 * COLUMNS; i++)
        fx->S[i] = value(chance);
    for (int k = 0; k < COLUMNS + 6; k++)
        fx->columns[k] = k < COLUMNS ? 2 * k : 20 + k;
    fx->group = (gmc_ncp_group){.contact_count = CONTACTS,
                                .column_count = COLUMNS + 6,
                                .general_count = COLUMNS,
                                .columns = fx->columns,
                                .S = fx->S,
                                .sign = -1};
}

/// Σ J_cᵀ G J_c entry by entry, J_c from unit motions.
static void plain_sum(const fixture *fx, double K[36])
{
    for (int i = 0; i < 36; i++)
        K[i] = 0;
    for (int c = 0; c < CONTACTS; c++) {
        const gmc_newton_cone *cone = &fx->cones[c];
        double J[6][3];
        const double G[3][3] = {{cone->g_n, 0, 0},
                                {cone->g_tn[0], cone->g_tt[0], cone->g_tt[1]},
                                {cone->g_tn[1], cone->g_tt[1], cone->g_tt[2]}};
        if (cone->is_open) continue;
        for (int k = 0; k < 6; k++) {
            double V[6] = {0};
            V[k] = 1;
            gmc_ncp_contact_at(&fx->contacts[c], V, J[k]);
        }
        for (int i = 0; i < 36; i++)
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++)
                    K[i] += J[i / 6][a] * G[a][b] * J[i % 6][b];
    }
}

static void expect_near(const double *x, const double *y, int count)
{
    for (int i = 0; i < count; i++)
        if (!(fabs(x[i] - y[i]) < 1e-14 * 100)) // rounding of some hundred products of order 1
            fail_msg("entry %d: %.17g, expected %.17g", i, x[i], y[i]);
}

static void the_sum_is_the_plain_one(void **state)
{
    (void)state;
    gmc_chance chance = {3};
    for (int i = 0; i < 200; i++) {
        static fixture fx;
        gmc_newton_stiffness made;
        double plain[36];
        draw(&chance, i % 2, i % 4 > 1, &fx);
        plain_sum(&fx, plain);
        gmc_newton_group_sum(&fx.group, fx.contacts, fx.cones, &made);
        assert_true(made.is_pressed);
        expect_near(made.K, plain, 36);
    }
}

static void open_contacts_add_nothing(void **state)
{
    (void)state;
    static fixture fx;
    gmc_newton_stiffness made;
    gmc_chance chance = {4};
    draw(&chance, false, true, &fx);
    for (int c = 0; c < CONTACTS; c++)
        fx.cones[c].is_open = true;
    gmc_newton_group_sum(&fx.group, fx.contacts, fx.cones, &made);
    assert_false(made.is_pressed);
}

static void products_with_S_are_the_plain_ones(void **state)
{
    (void)state;
    static fixture fx;
    double K[36], T[2][6 * COLUMNS], plain[2][6 * COLUMNS] = {{0}};
    gmc_chance chance = {5};
    draw(&chance, true, true, &fx);
    plain_sum(&fx, K);
    for (int k = 0; k < COLUMNS; k++)
        for (int i = 0; i < 36; i++) {
            plain[0][6 * k + i / 6] += K[i] * fx.S[6 * k + i % 6];
            plain[1][6 * k + i % 6] += K[i] * fx.S[6 * k + i / 6];
        }
    for (int t = 0; t < 2; t++) {
        gmc_newton_group_multiply(&fx.group, K, t == 1, T[t]);
        expect_near(T[t], plain[t], 6 * COLUMNS);
    }
}

/// One J in three ways: the group's motion, column by column, and what an impulse is to the dofs.
static void velocity_columns_and_push_agree(void **state)
{
    (void)state;
    gmc_chance chance = {6};
    for (int i = 0; i < 50; i++) {
        static fixture fx;
        double v[40], p[40] = {0}, expected[40] = {0}, r[3], u[3], sum[3] = {0};
        draw(&chance, false, true, &fx);
        fx.group.contact_count = 1;
        for (int k = 0; k < 40; k++)
            v[k] = value(&chance);
        for (int k = 0; k < 3; k++)
            r[k] = value(&chance);
        gmc_ncp_contact_velocity(&fx.group, fx.contacts, v, u);
        for (int k = 0; k < fx.group.column_count; k++) {
            double J[3];
            gmc_ncp_contact_column(&fx.group, fx.contacts, k, J);
            for (int a = 0; a < 3; a++) {
                sum[a] += J[a] * v[fx.columns[k]];
                expected[fx.columns[k]] -= J[a] * r[a];
            }
        }
        push(&fx, r, p);
        expect_near(u, sum, 3);
        expect_near(p, expected, 40);
    }
}

/// The columns that turn nothing, told and not told.
static void slides_are_columns_like_others(void **state)
{
    (void)state;
    gmc_chance chance = {7};
    for (int i = 0; i < 50; i++) {
        static fixture fx;
        double v[40], F[6], K[36], T[2][6 * COLUMNS], V[2][6], p[2][40] = {{0}};
        draw(&chance, true, true, &fx);
        plain_sum(&fx, K);
        int slides = 1 + i % COLUMNS;
        for (int k = 0; k < 6 * slides; k++)
            if (k % 6 >= 3) fx.S[k] = 0;
        for (int k = 0; k < 40; k++)
            v[k] = value(&chance);
        for (int k = 0; k < 6; k++)
            F[k] = value(&chance);
        for (int transposed = 0; transposed < 2; transposed++) {
            for (int t = 0; t < 2; t++) {
                fx.group.hints.slide_count = t * slides;
                gmc_ncp_group_velocity(&fx.group, v, V[t]);
                gmc_newton_group_multiply(&fx.group, K, transposed == 1, T[t]);
            }
            expect_near(T[0], T[1], 6 * COLUMNS);
        }
        for (int t = 0; t < 2; t++) {
            fx.group.hints.slide_count = t * slides;
            gmc_ncp_group_push(&fx.group, F, p[t]);
        }
        expect_near(V[0], V[1], 6);
        expect_near(p[0], p[1], 40);
    }
}

/// A group of contacts in two faces and one apart, on 30 dofs of unit mass.
typedef struct pressed {
    fixture fx;
    double mass[30 * 30], momentum[30], v[30], r[3 * CONTACTS], s[1];
    int block_start[2];
    gmc_ncp ncp;
    gmc_rungs_report report;
} pressed;

static void press(gmc_chance *chance, pressed *x)
{
    draw(chance, false, false, &x->fx);
    for (int i = 0; i < 900; i++)
        x->mass[i] = i % 31 == 0;
    for (int i = 0; i < 30; i++) {
        x->momentum[i] = value(chance);
        x->v[i] = 0;
    }
    for (int c = 0; c < CONTACTS; c++) {
        gmc_ncp_contact *contact = &x->fx.contacts[c];
        int first = c < 3 ? 0 : 3;
        for (int i = 0; i < 9; i++)
            contact->frame[i] = x->fx.contacts[first].frame[i];
        for (int i = 0; i < 3; i++) {
            const double *D = contact->frame + 3 * i;
            contact->bias[i] = value(chance) - (i == 0);
            contact->hints.turned_arm[i] =
                D[0] * contact->arm[0] + D[1] * contact->arm[1] + D[2] * contact->arm[2];
            x->r[3 * c + i] = value(chance) + (i == 0);
        }
        contact->hints.turned_arm[3] = contact->hints.turned_arm[1] + contact->spun[1];
        contact->hints.turned_arm[4] = contact->hints.turned_arm[2] - contact->spun[0];
        contact->compliance_n = contact->compliance_t = 0.1;
        contact->friction = 0.5;
    }
    x->block_start[0] = 0;
    x->block_start[1] = 30;
    x->ncp = (gmc_ncp){.dof_count = 30,
                       .mass = x->mass,
                       .block_count = 1,
                       .block_start = x->block_start,
                       .momentum = x->momentum,
                       .contact_count = CONTACTS,
                       .contacts = x->fx.contacts,
                       .group_count = 1,
                       .groups = &x->fx.group};
}

/// Judged, pushed and solved with the faces told and not told.
static void faces_are_contacts_like_others(void **state)
{
    (void)state;
    gmc_chance chance = {8};
    gmc_arena arena;
    assert_int_equal(gmc_arena_create(&arena, 1 << 20), GMC_OK);
    for (int i = 0; i < 50; i++) {
        static pressed x[2];
        double residual[2], p[2][30] = {{0}};
        press(&chance, &x[0]);
        x[1] = x[0];
        x[1].fx.contacts[0].hints.face_count = 3;
        x[1].fx.contacts[3].hints.face_count = i % 3; // one apart, alone, or a face of two
        for (int t = 0; t < 2; t++) {
            gmc_ncp *ncp = &x[t].ncp;
            gmc_ncp_scales scales;
            gmc_ncp_solution solution = {x[t].v, x[t].r, x[t].s};
            gmc_rungs_options options = gmc_rungs_defaults();
            if (t == 1) x[t].fx.contacts[4].hints.face_count = i % 3 == 1; // none is of two faces
            x[t].fx.group.columns = x[t].fx.columns;
            x[t].fx.group.S = x[t].fx.S;
            ncp->contacts = x[t].fx.contacts;
            ncp->groups = &x[t].fx.group;
            ncp->mass = x[t].mass;
            ncp->momentum = x[t].momentum;
            ncp->block_start = x[t].block_start;
            gmc_arena_reset(&arena, 0);
            assert_int_equal(gmc_ncp_scale(ncp, &arena, &scales), GMC_OK);
            residual[t] = gmc_ncp_judge_scaled(ncp, &scales, x[t].v, x[t].r, x[t].s);
            push(&x[t].fx, x[t].r, p[t]);
            assert_int_equal(gmc_rungs_solve(ncp, &options, &solution, &arena, &x[t].report),
                             GMC_OK);
        }
        assert_int_equal(x[0].report.rung, x[1].report.rung);
        expect_near(&residual[0], &residual[1], 1);
        expect_near(p[0], p[1], 30);
        for (int k = 0; k < 30; k++) // both solved to 1e-11 of the problem's size, a few √J
            ASSERT_BELOW(fabs(x[0].v[k] - x[1].v[k]), 1e-9);
    }
    gmc_arena_free(&arena);
}

int test_newton_group(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sum_is_the_plain_one),
        cmocka_unit_test(open_contacts_add_nothing),
        cmocka_unit_test(products_with_S_are_the_plain_ones),
        cmocka_unit_test(velocity_columns_and_push_agree),
        cmocka_unit_test(slides_are_columns_like_others),
        cmocka_unit_test(faces_are_contacts_like_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
