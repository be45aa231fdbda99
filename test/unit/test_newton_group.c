#include "engine/complementarity/newton_group.h"
#include "test/support/chance.h"
#include "test/support/cmocka_all.h"

enum { CONTACTS = 5, COLUMNS = 4 };

typedef struct fixture {
    gmc_ncp_contact contacts[CONTACTS];
    gmc_newton_cone cones[CONTACTS];
    double S[6 * COLUMNS];
    int columns[COLUMNS + 6];
    gmc_ncp_group group;
} fixture;

static double value(gmc_chance *chance) { return gmc_chance_uniform(chance, -1, 1); }

/// Contacts that stick, slide and are open, with slopes of any size; frames of any shape if scaled.
static void draw(gmc_chance *chance, bool has_slip, bool is_scaled, fixture *fx)
{
    for (int c = 0; c < CONTACTS; c++) {
        gmc_ncp_contact *contact = &fx->contacts[c];
        gmc_newton_cone *cone = &fx->cones[c];
        *contact = (gmc_ncp_contact){.friction = 1, .is_scaled = is_scaled};
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
        gmc_ncp_push(1, &fx.group, fx.contacts, r, p);
        expect_near(u, sum, 3);
        expect_near(p, expected, 40);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sum_is_the_plain_one),
        cmocka_unit_test(open_contacts_add_nothing),
        cmocka_unit_test(products_with_S_are_the_plain_ones),
        cmocka_unit_test(velocity_columns_and_push_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
