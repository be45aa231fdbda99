#include "test/support/problem.h"

#include "engine/base/check.h"

#include <string.h>

static const double GRAVITY = 9.81;

gmc_problem_kind gmc_problem_default_kind(void)
{
    return (gmc_problem_kind){.step_min = 0.5e-3,
                              .step_max = 4e-3,
                              .stiffness_min = 1e5,
                              .stiffness_max = 1e7,
                              .friction_max = 1.2,
                              .finger_max = 4};
}

gmc_ncp_solution gmc_problem_solution(gmc_problem *problem)
{
    return (gmc_ncp_solution){problem->v, problem->r, problem->s};
}

static bool moves_as_before(const gmc_problem *p, int c)
{
    size_t columns = (size_t)p->column_count[c], general = (size_t)p->general_count[c];
    return c > 0 && p->column_count[c] == p->column_count[c - 1] &&
           p->general_count[c] == p->general_count[c - 1] &&
           memcmp(p->columns[c], p->columns[c - 1], columns * sizeof(int)) == 0 &&
           memcmp(p->S[c], p->S[c - 1], 6 * general * sizeof(double)) == 0;
}

static void bind_groups(gmc_problem *p)
{
    p->ncp.groups = p->groups;
    p->ncp.group_count = 0;
    for (int c = 0; c < p->ncp.contact_count; c++) {
        if (moves_as_before(p, c)) {
            p->groups[p->ncp.group_count - 1].contact_count++;
            continue;
        }
        p->groups[p->ncp.group_count++] = (gmc_ncp_group){.contact_first = c,
                                                          .contact_count = 1,
                                                          .column_count = p->column_count[c],
                                                          .general_count = p->general_count[c],
                                                          .columns = p->columns[c],
                                                          .S = p->S[c],
                                                          .sign = 1};
    }
}

const gmc_ncp_group *gmc_problem_group(const gmc_ncp *problem, int c)
{
    const gmc_ncp_group *group = problem->groups;
    while (c >= group->contact_first + group->contact_count)
        group++;
    return group;
}

void gmc_problem_rebind(gmc_problem *problem)
{
    gmc_ncp *ncp = &problem->ncp;
    ncp->mass = problem->mass;
    ncp->block_start = problem->block_start;
    ncp->momentum = problem->momentum;
    for (int i = 0; i < ncp->dof_count; i++) {
        problem->momentum[i] = 0;
        for (int j = 0; j < ncp->dof_count; j++)
            problem->momentum[i] += problem->mass[i * ncp->dof_count + j] * problem->v_free[j];
    }
    ncp->contacts = problem->contacts;
    ncp->rows = problem->rows;
    for (int i = 0; i < ncp->row_count; i++) {
        problem->rows[i].columns = &problem->row_columns[i];
        problem->rows[i].J = &problem->row_J[i];
    }
    bind_groups(problem);
}

void gmc_problem_permuted(const gmc_problem *from, const int *order, gmc_problem *to)
{
    *to = *from;
    for (int i = 0; i < from->ncp.contact_count; i++) {
        memcpy(to->columns[i], from->columns[order[i]], sizeof to->columns[i]);
        memcpy(to->S[i], from->S[order[i]], sizeof to->S[i]);
        to->column_count[i] = from->column_count[order[i]];
        to->general_count[i] = from->general_count[order[i]];
        to->contacts[i] = from->contacts[order[i]];
        memcpy(to->r + 3 * i, from->r + 3 * order[i], 3 * sizeof(double));
    }
    gmc_problem_rebind(to);
}

/// Hand: M = Σ_k m_k (wrist and finger directions)ᵀ(...) + diagonal; object: m 1 and a box's
/// inertia.
static void draw_mass(gmc_chance *chance, int hand, gmc_problem *p)
{
    int n = hand + 6;
    memset(p->mass, 0, sizeof p->mass);
    for (int link = 0; link < 2 * hand; link++) {
        double a[GMC_PROBLEM_DOFS], m = gmc_chance_log_uniform(chance, 0.02, 0.5);
        for (int i = 0; i < hand; i++)
            a[i] = gmc_chance_uniform(chance, -1, 1);
        for (int i = 0; i < hand; i++)
            for (int j = 0; j < hand; j++)
                p->mass[i * n + j] += m * a[i] * a[j] / hand;
    }
    for (int i = 0; i < hand; i++)
        p->mass[i * n + i] += gmc_chance_log_uniform(chance, 0.01, 0.3);
    double mass = gmc_chance_log_uniform(chance, 0.02, 1),
           size = gmc_chance_uniform(chance, 0.02, 0.08);
    for (int i = 0; i < 3; i++) {
        p->mass[(hand + i) * (n + 1)] = mass;
        p->mass[(hand + 3 + i) * (n + 1)] =
            mass * size * size * gmc_chance_uniform(chance, 0.15, 0.3);
    }
}

/// One contact of the object against a finger (finger >= 0) or the table. Dofs of a finger move its
/// point along axes of their own, or as the contact before it.
static void draw_contact(gmc_chance *chance, gmc_problem *p, int hand, int wrist, int finger,
                         int joints, double half)
{
    int c = p->ncp.contact_count++, count = 0;
    gmc_vec3 n = finger < 0 ? (gmc_vec3){0, 0, 1} : gmc_chance_direction(chance), t1, t2;
    gmc_vec3_tangents(n, &t1, &t2);
    gmc_vec3 arm;
    if (finger < 0)
        arm = gmc_vec3_make(c % 2 ? half : -half, c / 2 % 2 ? half : -half, -half);
    else
        arm = gmc_vec3_add_scaled(gmc_vec3_scale(-half, n), gmc_chance_uniform(chance, -half, half),
                                  t1);
    memset(p->S[c], 0, sizeof p->S[c]);
    for (int k = 0; finger >= 0 && k < hand; k++) {
        if (k >= wrist && (k < wrist + finger * joints || k >= wrist + (finger + 1) * joints))
            continue;
        gmc_vec3 axis =
            gmc_vec3_scale(gmc_chance_uniform(chance, -1, 1), gmc_chance_direction(chance));
        for (int i = 0; i < 3; i++)
            p->S[c][6 * count + i] = -gmc_vec3_get(axis, i);
        p->columns[c][count++] = k;
    }
    p->general_count[c] = count;
    for (int k = 0; k < 6; k++)
        p->columns[c][count++] = hand + k;
    p->column_count[c] = count;
    p->contacts[c] = (gmc_ncp_contact){.hints = {.is_rotation = true},
                                       .frame = {n.x, n.y, n.z, t1.x, t1.y, t1.z, t2.x, t2.y, t2.z},
                                       .arm = {arm.x, arm.y, arm.z}};
}

/// Contacts first.. of a finger move as its first one, which gets a spin about the object's centre.
static void make_rigid(gmc_chance *chance, gmc_problem *p, int first)
{
    for (int k = 0; first < p->ncp.contact_count && k < p->general_count[first]; k++)
        for (int i = 0; i < 3; i++) // 0.03 m away as fast as the velocity
            p->S[first][6 * k + 3 + i] = gmc_chance_uniform(chance, -30, 30);
    for (int c = first + 1; c < p->ncp.contact_count; c++)
        memcpy(p->S[c], p->S[first], sizeof p->S[c]);
}

static void draw_law(gmc_chance *chance, const gmc_problem_kind *kind, double h, double k,
                     gmc_ncp_contact *contact)
{
    double ratio = 0.8;
    contact->compliance_n = 1 / (h * h * k);
    contact->compliance_t = 1 / (h * h * ratio * k);
    contact->friction = gmc_chance_uniform(chance, 0, 1) < 0.05
                            ? 0
                            : gmc_chance_uniform(chance, 0.05, kind->friction_max);
    // most points touch; some are a little apart
    double load = gmc_chance_log_uniform(chance, 0.05, 50);
    double gap =
        gmc_chance_uniform(chance, 0, 1) < 0.8 ? -load / k : gmc_chance_uniform(chance, 0, 5e-4);
    contact->bias[0] = gap / h;
    for (int i = 1; i < 3; i++)
        contact->bias[i] = gap > 0 ? 0
                                   : gmc_chance_uniform(chance, -1, 1) * 0.7 * contact->friction *
                                         load / (ratio * k) / h;
}

static void draw_row(gmc_chance *chance, int dof, double h, gmc_problem *p)
{
    int i = p->ncp.row_count++, what = gmc_chance_integer(chance, 0, 2);
    gmc_ncp_row *row = &p->rows[i];
    double k = gmc_chance_log_uniform(chance, 1e2, 1e6);
    p->row_columns[i] = dof;
    p->row_J[i] = what == 2 ? -1 : 1;
    row->column_count = 1;
    row->compliance = 1 / (h * h * k);
    row->bias = gmc_chance_uniform(chance, -0.5, 0.5) * 1e-3 / h;
    double bound = h * gmc_chance_log_uniform(chance, 0.1, 20);
    row->lower = what == 0 ? 0 : -bound;
    row->upper = what == 0 ? HUGE_VAL : bound;
}

void gmc_problem_grasp(gmc_chance *chance, const gmc_problem_kind *kind, gmc_problem *p)
{
    double h = gmc_chance_log_uniform(chance, kind->step_min, kind->step_max);
    double k = gmc_chance_log_uniform(chance, kind->stiffness_min, kind->stiffness_max);
    int wrist = gmc_chance_integer(chance, 0, 6);
    int fingers = gmc_chance_integer(chance, 2, kind->finger_max);
    int joints = gmc_chance_integer(chance, 1, 3), hand = wrist + fingers * joints;
    p->ncp = (gmc_ncp){.dof_count = hand + 6, .block_count = 2};
    p->block_start[0] = 0;
    p->block_start[1] = hand;
    p->block_start[2] = hand + 6;
    draw_mass(chance, hand, p);
    for (int i = 0; i < hand + 6; i++)
        p->v_free[i] =
            gmc_chance_uniform(chance, -1, 1) * gmc_chance_log_uniform(chance, 1e-3, 0.3);
    p->v_free[hand + 2] -= h * GRAVITY;

    double half = gmc_chance_uniform(chance, 0.01, 0.04);
    if (gmc_chance_uniform(chance, 0, 1) < 0.6)
        for (int i = 0; i < 4; i++)
            draw_contact(chance, p, hand, wrist, -1, joints, half);
    for (int finger = 0; finger < fingers; finger++) {
        int first = p->ncp.contact_count;
        for (int i = gmc_chance_integer(chance, 0, 4); i > 0; i--)
            draw_contact(chance, p, hand, wrist, finger, joints, half);
        if (kind->has_rigid_fingers) make_rigid(chance, p, first);
    }
    for (int c = 0; c < p->ncp.contact_count; c++)
        draw_law(chance, kind, h, k, &p->contacts[c]);
    for (int dof = 0; dof < hand && p->ncp.row_count < GMC_PROBLEM_ROWS; dof++)
        if (gmc_chance_uniform(chance, 0, 1) < 0.3) draw_row(chance, dof, h, p);
    GMC_ASSERT(p->ncp.contact_count <= GMC_PROBLEM_CONTACTS);
    gmc_problem_rebind(p);
    memset(p->v, 0, sizeof p->v);
    memset(p->r, 0, sizeof p->r);
    memset(p->s, 0, sizeof p->s);
}
