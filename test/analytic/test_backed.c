// A driven hand comes on something that cannot give way, for a floor, a wall or another body that
// stands there is behind it: what it bears is that of the contacts' springs and dampers in series,
// at any speed, mass, stiffness and step. The oracle is that chain, in one dimension.

#include "test/support/near.h"
#include "test/support/stage.h"

enum { BODIES_MAX = 2 };

/// A hand, `count` bodies of `mass` and what stands still, with springs between them from the hand
/// on.
typedef struct chain {
    const char *name;
    int count;
    double mass, k[BODIES_MAX + 1], tau[BODIES_MAX + 1];
    double approach; ///< way until the last spring is touched, bodies and hand as one [m]
    double weight;   ///< towards what stands still [m/s²]
} chain;

typedef struct press {
    double v, depth, h, hold;
} press;

static const double SHORTEST = 62.5e-6; ///< step in which something strikes [s]
static const double REST = 0.15;        ///< in which what lies comes to rest [s]

/// Series springs, whatever lies between them.
static double chain_rest(const chain *c, const press *p)
{
    double compliance = 0;
    for (int i = 0; i <= c->count; i++)
        compliance += 1 / c->k[i];
    return p->depth / compliance;
}

/// Greatest force between hand and body [N].
static double chain_peak(const chain *c, const press *p)
{
    static const double AFTER = 0.02; // in which what moves comes to rest [s]
    const double moving = (c->approach + p->depth) / p->v;
    double dt = 2e-6;
    for (int i = 0; i <= c->count; i++) // of the fastest damper's time
        dt = fmin(dt, 0.2 * c->mass / (c->k[i] * c->tau[i]));
    double x[BODIES_MAX] = {0}, u[BODIES_MAX] = {0}, peak = 0, sunk = 0;
    for (int i = c->count; i-- > 0;) // at rest under its weight
        x[i] = sunk += (i + 1) * c->mass * c->weight / c->k[i + 1];
    double start = x[0];
    for (int i = 0; i < c->count; i++)
        u[i] = c->approach > 0 ? p->v : 0;
    for (double t = c->approach / p->v; t < moving + AFTER; t += dt) {
        double hand = fmin(p->v * t - c->approach, p->depth), f[BODIES_MAX + 1];
        double u_hand = t < moving ? p->v : 0;
        for (int i = 0; i <= c->count; i++) {
            double d = (i > 0 ? x[i - 1] : hand + start) - (i < c->count ? x[i] : 0);
            double rate = (i > 0 ? u[i - 1] : u_hand) - (i < c->count ? u[i] : 0);
            f[i] = d > 0 ? fmax(c->k[i] * (d + c->tau[i] * rate), 0) : 0;
        }
        for (int i = 0; i < c->count; i++) {
            u[i] += dt * ((f[i] - f[i + 1]) / c->mass + c->weight);
            x[i] += dt * u[i];
        }
        peak = fmax(peak, f[0]);
    }
    return peak;
}

/// As a rollout does it: steps in which something strikes are halved, down to 1/16 ms.
static double step(gmc_stage *s, double h, const press *p, double way, double *force)
{
    const gmc_body *hand = &s->model.bodies[gmc_stage_body(s, "hand")];
    double t = s->world.state.t - REST, from = s->q_driven[hand->q];
    for (;; h /= 2) {
        double to = fmin(p->v * fmax(t + h, 0), way);
        s->v_driven[hand->v] = (to - from) / h;
        s->q_driven[hand->q] = to;
        gmc_status status = gmc_stage_step(s, h);
        if (status == GMC_OK) break;
        assert_true(s->last.is_impact);
    }
    *force = 0;
    for (int i = 0; i < s->world.contacts.count; i++) {
        const gmc_contact *contact = &s->world.contacts.contacts[i];
        bool is_hand = contact->body_a == gmc_stage_body(s, "hand") ||
                       contact->body_b == gmc_stage_body(s, "hand");
        if (is_hand) *force += contact->impulse[0] / s->last.span;
    }
    return h;
}

/// Greatest force on the hand. @param last  out: that in the end [N]
static double play(gmc_stage *s, const chain *c, const press *p, double *last)
{
    double way = c->approach + p->depth, end = REST + way / p->v + p->hold, peak = 0;
    s->options.impact_step = SHORTEST;
    for (double t = 0; t < end;) {
        s->options.is_start = t == 0;
        t += step(s, fmin(p->h, t < REST ? REST - t + 1e-12 : p->h), p, way, last);
        if (t > REST) peak = fmax(peak, *last);
    }
    return peak;
}

/// Of a contact: its own relaxation, or what stops 1/mobility without throwing it back.
static double tau_of(double k, double mobility) { return fmax(2e-3, 6 / sqrt(k * mobility)); }

static gmc_shape ball(double radius)
{
    return (gmc_shape){.type = GMC_SHAPE_SPHERE, .radius = radius};
}

enum { ON_FLOOR, ON_WALL, SPHERE, STACK, SCENES };

/// Cubes of 40 mm under a ball, by their middle; a ball under a plate.
static chain scene(gmc_stage *s, int kind, double mass, double k)
{
    const double a = 0.02;
    chain c = {.name = kind == ON_FLOOR  ? "floor"
                       : kind == ON_WALL ? "wall"
                       : kind == SPHERE  ? "sphere"
                                         : "stack",
               .count = kind == STACK ? 2 : 1,
               .mass = mass,
               .approach = kind == ON_WALL ? 5.3e-3 : 0,
               .weight = kind == ON_WALL ? 0 : 9.81};
    gmc_stage_open(s, 0.3);
    gmc_stage_fixed(s, "floor", gmc_stage_plane(), gmc_pose_identity());
    for (int i = 0; i < c.count; i++) {
        double z = c.approach + (2 * (c.count - 1 - i) + 1) * a;
        gmc_shape shape = kind == SPHERE ? ball(a) : gmc_stage_box(a, a, a);
        gmc_stage_free(s, i ? "under" : "body", shape, mass, (gmc_vec3){0, 0, z});
    }
    double top = c.approach + 2 * a * c.count, half = 0.01;
    gmc_shape hand = kind == SPHERE ? gmc_stage_box(0.03, 0.03, half) : ball(half);
    // what lies sinks in by its weight before the hand comes there: so it has to start
    double sunk = 0;
    for (int i = 0; i <= c.count; i++) {
        bool is_first = i == 0, is_between = i > 0 && i < c.count;
        int points = is_first || kind == SPHERE ? 1 : 4;
        // a corner of a cube: 1/m + 3/m
        double mobility = (is_first || kind == SPHERE ? 1 : is_between ? 8 : 4) / mass;
        c.k[i] = points * k;
        c.tau[i] = tau_of(k, mobility);
        if (i > 0) sunk += i * mass * c.weight / c.k[i];
    }
    gmc_stage_slider(s, "hand", NULL, (gmc_vec3){0, 0, -1}, (gmc_vec3){0, 0, top + half - sunk},
                     hand, 1, gmc_builder_default_dof(), true);
    gmc_stage_ready(s, 64);
    if (c.weight == 0) s->model.gravity = (gmc_vec3){0, 0, 0};
    for (int i = 0; i < s->model.surface_count * s->model.surface_count; i++)
        s->model.laws[i].stiffness = k;
    return c;
}

static void springs_bear_what_cannot_give_way(void **state)
{
    (void)state;
    const double speeds[] = {2e-3, 0.02, 0.2, 0.5}, masses[] = {0.02, 0.4, 5};
    const double stiffness[] = {1e5, 1e6, 1e7}, steps[] = {0.25e-3, 1e-3, 4e-3};
    for (int kind = 0; kind < SCENES; kind++) {
        double worst = -HUGE_VAL, off = 0;
        const char *name = "";
        for (int n = 0; n < 108; n++) {
            gmc_stage s;
            press p = {speeds[n % 4], 0.2e-3, steps[n / 4 % 3], 0.2};
            double mass = masses[n / 12 % 3], k = stiffness[n / 36], end = 0;
            chain c = scene(&s, kind, mass, k);
            name = c.name;
            double rest = chain_rest(&c, &p), most = chain_peak(&c, &p);
            double found = play(&s, &c, &p, &end);
            // forces are those of the end of a step, which is as much further
            double explained = most + k * p.v * p.h;
            // what comes to the wall has its own momentum, which a shortest step may take, and then
            // the hand's damper has all of the speed
            if (c.approach > 0) explained += mass * p.v / SHORTEST + c.k[0] * c.tau[0] * p.v;
            if (!(found <= 1.02 * explained && fabs(end - rest) <= 0.02 * rest))
                print_message(
                    "%s, %g m/s, %g kg, %g N/m, %g ms: %.4g N of %.4g, at rest %.4g of %.4g\n",
                    name, p.v, mass, k, 1e3 * p.h, found, explained, end, rest);
            worst = fmax(worst, found / explained - 1);
            off = fmax(off, fabs(end - rest) / rest);
            gmc_stage_close(&s);
        }
        print_message("%s: beyond the chain's peak by %.1e at most; at rest off by %.1e\n", name,
                      worst, off);
        assert_true(worst <= 0.02); // the chain's corners move alike, and lag by half a step
        assert_true(off <= 0.02);   // exp(-0.2 s / tau): 0.06 s of 5 kg on 1e5 N/m
    }
}

/// What lands elsewhere meanwhile is stopped as ever: it does not sink in on its spring.
static void blows_elsewhere_are_stopped(void **state)
{
    (void)state;
    double deepest = 0;
    for (int n = 0; n < 60; n++) {
        gmc_stage s;
        const press p = {0.02, 0.2e-3, 1e-3, 0.05};
        double force = 0, r = 0.02, k = 1e5, at = REST + 62.5e-6 * (n - 25);
        gmc_stage_open(&s, 0.3);
        gmc_stage_fixed(&s, "floor", gmc_stage_plane(), gmc_pose_identity());
        gmc_stage_free(&s, "body", gmc_stage_box(r, r, r), 0.4, (gmc_vec3){0, 0, r});
        gmc_stage_free(&s, "ball", ball(r), 2, (gmc_vec3){0.2, 0, r + 9.81 * at * at / 2});
        gmc_stage_slider(&s, "hand", NULL, (gmc_vec3){0, 0, -1},
                         (gmc_vec3){0, 0, 2 * r + 0.01 - 0.4 * 9.81 / (4 * k)}, ball(0.01), 1,
                         gmc_builder_default_dof(), true);
        gmc_stage_ready(&s, 64);
        for (int i = 0; i < s.model.surface_count * s.model.surface_count; i++)
            s.model.laws[i].stiffness = k;
        s.options.impact_step = SHORTEST;
        for (double t = 0; t < REST + p.hold;) {
            s.options.is_start = t == 0;
            t += step(&s, p.h, &p, p.depth, &force);
            deepest = fmax(deepest, r - gmc_stage_place(&s, "ball").z);
        }
        gmc_stage_close(&s);
    }
    print_message("a ball elsewhere sinks in by %.1e m\n", deepest);
    // a shortest step at 1.5 m/s, and its weight; on its spring v sqrt(m/k)/e/3 and more
    assert_true(deepest <= 1.5 * SHORTEST + 2 * 9.81 / 1e5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(springs_bear_what_cannot_give_way),
        cmocka_unit_test(blows_elsewhere_are_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
