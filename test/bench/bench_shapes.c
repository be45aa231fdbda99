// scripts/bench shapes: random drops and pinches of every pair of shapes, and a cube as a box and
// as a mesh. One row a call, so that a shell can spread them over processors:
//
//   bench_shapes head                         names of the columns
//   bench_shapes rows                         names of all rows
//   bench_shapes row NAME N                   one line of the table
//   bench_shapes one NAME INDEX [EVERY]       a single trial, every EVERY-th step printed
//
// Exit 1 if a row misses its bar: nothing unsolved or restless, drift at rest <= 1e-9 m, no energy
// from nowhere; the two cubes agree on every outcome.
#include "engine/model/hull.h"
#include "test/support/shape_pairs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/// Bars: issue of a body at rest; energy by the steps' own account, rounding only.
static const double DRIFT_MAX = 1e-9, GAIN_MAX = 1e-9;
static const gmc_shape_type SOLIDS[] = {GMC_SHAPE_SPHERE, GMC_SHAPE_CAPSULE, GMC_SHAPE_BOX,
                                        GMC_SHAPE_CYLINDER, GMC_SHAPE_POLYTOPE};
static int trace_every;

typedef struct row {
    char kind[8], object[16], other[16];
} row;

static int shape_of(const char *name)
{
    for (int s = 0; s < GMC_PAIRS_SUPPORT_COUNT; s++)
        if (strcmp(name, gmc_shape_pairs_shape_name(s)) == 0) return s;
    fprintf(stderr, "bench_shapes: no shape '%s'\n", name);
    exit(64);
}

static void print_rows(void)
{
    for (int i = 0; i < GMC_COUNT(SOLIDS); i++)
        for (int s = 0; s < GMC_PAIRS_SUPPORT_COUNT; s++)
            printf("drop,%s,%s\n", gmc_shape_pairs_shape_name((int)SOLIDS[i]),
                   gmc_shape_pairs_shape_name(s));
    for (int i = 0; i < GMC_COUNT(SOLIDS); i++)
        for (int k = 0; k < GMC_COUNT(SOLIDS); k++)
            printf("pinch,%s,%s\n", gmc_shape_pairs_shape_name((int)SOLIDS[i]),
                   gmc_shape_pairs_shape_name((int)SOLIDS[k]));
    printf("cube,box,mesh\n");
}

static gmc_shape_pairs_outcome trial(const row *r, int index, const gmc_shape_pairs_hulls *hulls,
                                     gmc_shape_pairs_trace *trace)
{
    int object = shape_of(r->object), other = shape_of(r->other);
    if (strcmp(r->kind, "drop") == 0)
        return gmc_shape_pairs_drop((gmc_shape_type)object, other, index, hulls, trace);
    return gmc_shape_pairs_pinch((gmc_shape_type)object, (gmc_shape_type)other, index, hulls,
                                 trace);
}

static bool is_wrong(const gmc_shape_pairs_outcome *o)
{
    return o->end == GMC_PAIRS_UNSOLVED || o->end == GMC_PAIRS_RESTLESS ||
           (o->end == GMC_PAIRS_REST && !(o->drift <= DRIFT_MAX)) || !(o->gain <= GAIN_MAX);
}

static void describe(FILE *out, const row *r, int index, const gmc_shape_pairs_outcome *o)
{
    fprintf(
        out,
        "%s,%s,%s %d: %s (%s) h %g ms, t %.2f s, drift %.2g m, gain %.2g, speed %.2g m/s, slide "
        "%.2g m/s\n",
        r->kind, r->object, r->other, index, gmc_shape_pairs_end_name(o->end),
        gmc_status_name(o->status), 1e3 * o->h, o->t, o->drift, o->gain, o->speed, o->slide);
}

static int run_row(const row *r, int count, const gmc_shape_pairs_hulls *hulls)
{
    int ends[GMC_PAIRS_END_COUNT] = {0}, wrong = 0;
    double drift = 0, gain = 0;
    long steps = 0, contacts = 0, iterations = 0, hard = 0;
    clock_t start = clock();
    for (int i = 0; i < count; i++) {
        gmc_shape_pairs_outcome o = trial(r, i, hulls, NULL);
        ends[o.end]++;
        if (o.end == GMC_PAIRS_REST && !(o.drift <= drift)) drift = o.drift;
        if (!(o.gain <= gain)) gain = o.gain;
        steps += o.steps, contacts += o.contacts, iterations += o.iterations, hard += o.hard;
        if (!is_wrong(&o)) continue;
        wrong++;
        describe(stderr, r, i, &o);
    }
    double us = 1e6 * (double)(clock() - start) / CLOCKS_PER_SEC, n = (double)steps;
    printf("%s,%s,%s,%d,%d,%d,%d,%d,%d,%.1e,%.1e,%.2f,%.2f,%.2f,%.1e,%s\n", r->kind, r->object,
           r->other, count, ends[GMC_PAIRS_UNSOLVED], ends[GMC_PAIRS_RESTLESS],
           ends[GMC_PAIRS_ROLLING], ends[GMC_PAIRS_GONE], ends[GMC_PAIRS_REST], drift, gain, us / n,
           (double)contacts / n, (double)iterations / n, (double)hard / n, wrong ? "FAIL" : "ok");
    return wrong;
}

static int run_cube(int count)
{
    gmc_polytope *cube = gmc_shape_pairs_hull_of_obj(GMC_PAIRS_CUBE_OBJ);
    int agree = 0, success = 0, unsolved = 0;
    double lift = 0, slip = 0;
    for (int i = 0; i < count; i++) {
        gmc_shape_pairs_lift box = gmc_shape_pairs_cube(i, NULL),
                             mesh = gmc_shape_pairs_cube(i, cube);
        bool same = box.is_success == mesh.is_success;
        agree += same;
        success += box.is_success;
        unsolved += (box.status != GMC_OK) + (mesh.status != GMC_OK);
        if (box.is_success && same) { // one that is lost tumbles: what is chaotic cannot agree
            lift = fmax(lift, fabs(box.lift - mesh.lift));
            slip = fmax(slip, fabs(box.slip - mesh.slip));
        }
        if (!same)
            fprintf(stderr, "cube %d: box lift %g slip %g, mesh lift %g slip %g\n", i, box.lift,
                    box.slip, mesh.lift, mesh.slip);
    }
    gmc_hull_free(cube);
    fprintf(stderr,
            "cube as box and as mesh: %d of %d outcomes agree, %d successes, %d unsolved, largest "
            "difference of lift %.1e m, of slip %.1e m\n",
            agree, count, success, unsolved, lift, slip);
    return agree == count && unsolved == 0 ? 0 : 1;
}

static void trace(const gmc_stage *stage, double h)
{
    const gmc_world *world = &stage->world;
    if (stage->steps % trace_every != 0) return;
    int body = gmc_stage_body(stage, "object");
    gmc_vec3 p = gmc_stage_place(stage, "object"), v = gmc_stage_velocity(stage, "object"),
             w = world->kin.V[body].w;
    printf("t %.3f p %.9f %.9f %.9f v %.2e %.2e %.2e w %.2e %.2e %.2e rung %d res %.1e\n",
           world->state.t, p.x, p.y, p.z, v.x, v.y, v.z, w.x, w.y, w.z, stage->last.rung,
           stage->last.residual);
    for (int c = 0; c < world->contacts.count; c++) {
        const gmc_contact *k = &world->contacts.contacts[c];
        printf("    %d-%d %08x gap %10.3e n %7.4f %7.4f %7.4f p %8.5f %8.5f %8.5f f %9.2e %9.2e "
               "%9.2e mode %d d %.2e %.2e\n",
               k->point.geom_a, k->point.geom_b, k->point.feature, k->point.gap, k->point.n.x,
               k->point.n.y, k->point.n.z, k->point.p.x, k->point.p.y, k->point.p.z,
               k->impulse[0] / h, k->impulse[1] / h, k->impulse[2] / h, (int)k->mode,
               k->deflection[0], k->deflection[1]);
    }
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "head") == 0) {
        puts("trial,object,other,trials,unsolved,restless,rolling,gone,rest,drift_m,gain,us_per_"
             "step,"
             "contacts,iterations,hard,verdict");
        return 0;
    }
    if (argc == 2 && strcmp(argv[1], "rows") == 0) {
        print_rows();
        return 0;
    }
    row r = {0};
    if (argc < 4 || sscanf(argv[2], "%7[^,],%15[^,],%15s", r.kind, r.object, r.other) != 3) {
        fprintf(stderr, "usage: bench_shapes head | rows | row NAME N | one NAME INDEX [EVERY]\n");
        return 64;
    }
    int number = (int)strtol(argv[3], NULL, 10);
    if (strcmp(r.kind, "cube") == 0) return run_cube(number);
    gmc_shape_pairs_hulls hulls;
    gmc_shape_pairs_hulls_create(&hulls);
    int wrong;
    if (strcmp(argv[1], "one") == 0) {
        trace_every = argc > 4 ? (int)strtol(argv[4], NULL, 10) : 0;
        gmc_shape_pairs_outcome o = trial(&r, number, &hulls, trace_every > 0 ? trace : NULL);
        describe(stdout, &r, number, &o);
        wrong = is_wrong(&o);
    } else {
        wrong = run_row(&r, number, &hulls);
    }
    gmc_shape_pairs_hulls_free(&hulls);
    return wrong ? 1 : 0;
}
