// Run a solver over folders of FCLIB files and say, family by family, how many problems it solved
// and in what time.
//
//   bench_fclib FOLDER [--solver NAME|all] [--tol T] [--warm] [--each] [--repeat N]
//
// A problem is solved if the residual of Siconos (fclib.h) is at most T. The solvers do not know
// that residual: they get T for their own, and if the other misses it a hundredth of it from where
// they stand, until it fits; all of that is timed, reading the file is not. Cold starts, unless
// --warm takes the guess of the file. The time of a problem is the median of N runs (one if it
// takes longer than 50 ms), on one thread.
//
// `lemke` solves the pyramid with 8 directions and is judged by the residual of its own LCP: no
// exact cone can be expected of it.
#define _POSIX_C_SOURCE 200809L
#include "engine/complementarity/lemke.h"
#include "engine/complementarity/polyhedral.h"
#include "engine/complementarity/solver.h"
#include "test/support/fclib.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REPEATS_MAX = 25, PATH_BYTES = 1024, DIRECTIONS = 8, TIGHTENINGS = 5 };
static const double LONG_RUN = 0.05; ///< [s]
static const double TIGHTER = 0.01;

/// Median time of Siconos' proximal solver at 1e-8, SOLVERS.md Table 1a [µs]: another machine's
/// figure, printed for orientation.
static const struct {
    const char *family;
    double prox_us;
} SICONOS[] = {{"siconos-tests", 91},   {"ForceGrasp", 94},        {"BoxesStack", 670},
               {"KaplasTower", 2900},   {"Capsules", 976},         {"PrimitiveSoup", 3500},
               {"Gripper-rigid", 608},  {"ThreeFinger-rigid", 58}, {"Gripper-k1e6", 43},
               {"ThreeFinger-k1e6", 39}};

typedef struct settings {
    const char *folder, *solver;
    double tolerance;
    bool is_warm, list_each;
    int repeats;
} settings;

/// One run on one problem.
typedef struct run {
    double seconds, siconos, scaled;
    int rung, iterations;
    const char *note;
    bool is_solved;
} run;

typedef struct tally {
    double *seconds;
    int count, capacity, solved;
    int rungs[16];
} tally;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *need(void *memory)
{
    if (!memory) {
        fprintf(stderr, "bench_fclib: out of memory\n");
        exit(70);
    }
    return memory;
}

// ---- one problem ------------------------------------------------------------------------------

static run run_lemke(const gmc_fclib *file, double tolerance, gmc_arena *arena)
{
    run out = {.rung = 1};
    double from = now();
    gmc_dual_scales scales;
    gmc_dual normal;
    gmc_lcp lcp;
    gmc_lemke_result result;
    if (gmc_dual_scale(&file->dual, arena, &scales) != GMC_OK ||
        gmc_dual_normalise(&file->dual, &scales, arena, &normal) != GMC_OK ||
        gmc_polyhedral_lcp(&normal, DIRECTIONS, arena, &lcp) != GMC_OK)
        return out;
    gmc_lemke_options options = gmc_lemke_defaults(lcp.size);
    options.residual_max = tolerance;
    options.regularise = true;
    double *z = gmc_arena_doubles(arena, (size_t)lcp.size);
    double *r = gmc_arena_doubles(arena, 3 * (size_t)normal.unit_count);
    if (!z || !r) return out;
    out.is_solved = gmc_lemke_solve(&lcp, &options, z, arena, &result) == GMC_OK;
    gmc_polyhedral_impulses(&normal, DIRECTIONS, z, r);
    for (int i = 0; i < 3 * normal.unit_count; i++)
        r[i] *= scales.size / sqrt(scales.weight[i]);
    out.seconds = now() - from;
    out.iterations = result.pivots;
    out.scaled = result.residual;
    out.siconos = gmc_fclib_residual(&file->dual, r);
    out.note = result.regularisation > 0 ? "regularised" : gmc_lemke_end_name(result.end);
    return out;
}

static run run_once(const gmc_fclib *file, const settings *set, const gmc_solver *solver,
                    gmc_arena *arena)
{
    gmc_arena_reset(arena, 0);
    if (!solver) return run_lemke(file, set->tolerance, arena);
    run out = {.note = ""};
    size_t size = 3 * (size_t)file->dual.unit_count;
    double *r = need(gmc_arena_doubles(arena, size));
    if (set->is_warm && file->guess) memcpy(r, file->guess, size * sizeof(double));
    double tolerance = set->tolerance;
    for (int k = 0; k < TIGHTENINGS && !out.is_solved; k++, tolerance *= TIGHTER) {
        gmc_solver_report report;
        double from = now();
        gmc_status status = gmc_solver_solve(solver, &file->dual, tolerance, r, arena, &report);
        out.seconds += now() - from;
        if (status == GMC_E_ARENA_FULL) need(NULL);
        out.iterations += report.iterations;
        if (report.rung > out.rung || k == 0) out.rung = report.rung;
        out.scaled = report.residual;
        out.siconos = gmc_fclib_residual(&file->dual, r);
        out.is_solved = out.siconos <= set->tolerance;
        if (status != GMC_OK) break;
    }
    return out;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static run run_problem(const gmc_fclib *file, const settings *set, const gmc_solver *solver,
                       gmc_arena *arena)
{
    double seconds[REPEATS_MAX];
    run out = run_once(file, set, solver, arena);
    int count = 1;
    for (seconds[0] = out.seconds; count < set->repeats && out.seconds < LONG_RUN; count++)
        seconds[count] = run_once(file, set, solver, arena).seconds;
    qsort(seconds, (size_t)count, sizeof *seconds, by_size);
    out.seconds = seconds[count / 2];
    return out;
}

// ---- a folder ---------------------------------------------------------------------------------

static void add(tally *t, const run *r)
{
    if (t->count == t->capacity) {
        t->capacity = 2 * t->capacity + 64;
        t->seconds = need(realloc(t->seconds, (size_t)t->capacity * sizeof(double)));
    }
    t->seconds[t->count++] = r->seconds;
    if (r->is_solved) t->solved++;
    if (r->is_solved && r->rung < GMC_COUNT(t->rungs)) t->rungs[r->rung]++;
}

static int is_problem(const struct dirent *entry)
{
    const char *end = strrchr(entry->d_name, '.');
    return end && strcmp(end, ".hdf5") == 0;
}

static int is_folder_name(const struct dirent *entry) { return entry->d_name[0] != '.'; }

static void run_file(const char *folder, const char *name, const settings *set,
                     const gmc_solver *solver, tally *t)
{
    char path[PATH_BYTES];
    gmc_fclib file;
    gmc_arena arena;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    gmc_status status = gmc_fclib_read(path, &file);
    if (status != GMC_OK) {
        fprintf(stderr, "%s: %s\n", path, gmc_status_name(status));
        return;
    }
    int units = file.dual.unit_count;
    size_t bytes = 3 * (size_t)units * sizeof(double) + 64;
    if (solver) {
        bytes += gmc_solver_bytes(solver, units, file.dual.start[units]);
    } else {
        bytes += gmc_dual_normal_bytes(units, file.dual.start[units]) +
                 gmc_polyhedral_bytes(&file.dual, DIRECTIONS);
        int size = gmc_polyhedral_size(&file.dual, DIRECTIONS);
        bytes += gmc_lemke_bytes(size) + (size_t)size * sizeof(double) + 64;
    }
    if (gmc_arena_create(&arena, bytes) != GMC_OK) need(NULL);
    run out = run_problem(&file, set, solver, &arena);
    add(t, &out);
    if (set->list_each)
        printf("%s contacts %d %s residual %.2e scaled %.2e us %.1f iterations %d rung %d %s\n",
               path, file.contact_count, out.is_solved ? "solved" : "FAILED", out.siconos,
               out.scaled, 1e6 * out.seconds, out.iterations, out.rung, out.note);
    gmc_arena_free(&arena);
    gmc_fclib_free(&file);
}

static double prox_of(const char *family)
{
    for (int i = 0; i < GMC_COUNT(SICONOS); i++)
        if (strcmp(family, SICONOS[i].family) == 0) return SICONOS[i].prox_us;
    return 0;
}

static void print_tally(const char *family, const char *solver, const settings *set, tally *t)
{
    if (t->count == 0) return;
    qsort(t->seconds, (size_t)t->count, sizeof(double), by_size);
    double median = 1e6 * t->seconds[t->count / 2], prox = prox_of(family);
    printf("%-18s %-9s %7.0e %5d/%-4d %10.1f %10.1f %10.1f", family, solver, set->tolerance,
           t->solved, t->count, median, 1e6 * t->seconds[t->count * 9 / 10],
           1e6 * t->seconds[t->count - 1]);
    if (prox > 0)
        printf(" %10.0f %8.1f", prox, prox / median);
    else
        printf(" %10s %8s", "-", "-");
    printf("   ");
    for (int i = 1; i < GMC_COUNT(t->rungs); i++)
        if (t->rungs[i] > 0) printf(" %d:%d", i, t->rungs[i]);
    printf("\n");
    fflush(stdout);
}

/// Problems of one folder; returns how many files there were.
static int run_folder(const char *folder, const char *family, const settings *set,
                      const gmc_solver *solver, const char *name, int *solved)
{
    struct dirent **entries;
    tally t = {0};
    int count = scandir(folder, &entries, is_problem, alphasort);
    for (int i = 0; i < count; i++) {
        run_file(folder, entries[i]->d_name, set, solver, &t);
        free(entries[i]);
    }
    if (count >= 0) free(entries);
    print_tally(family, name, set, &t);
    int total = t.count;
    *solved += t.solved;
    free(t.seconds);
    return total;
}

static int run_solver(const settings *set, const char *name)
{
    const gmc_solver *solver = gmc_solver_find(name);
    if (!solver && strcmp(name, "lemke") != 0) {
        fprintf(stderr, "bench_fclib: no solver %s; there are:\n", name);
        for (int i = 0; gmc_solvers[i]; i++)
            fprintf(stderr, "  %-9s %s\n", gmc_solvers[i]->name, gmc_solvers[i]->about);
        fprintf(stderr, "  %-9s pyramids of %d directions, lexicographic pivoting\n", "lemke",
                DIRECTIONS);
        return 64;
    }
    struct dirent **entries;
    int solved = 0, total = 0, count = scandir(set->folder, &entries, is_folder_name, alphasort);
    if (count < 0) {
        fprintf(stderr, "bench_fclib: no folder %s\n", set->folder);
        return 66;
    }
    const char *slash = strrchr(set->folder, '/');
    total += run_folder(set->folder, slash ? slash + 1 : set->folder, set, solver, name, &solved);
    for (int i = 0; i < count; i++) {
        char path[PATH_BYTES];
        snprintf(path, sizeof path, "%s/%s", set->folder, entries[i]->d_name);
        total += run_folder(path, entries[i]->d_name, set, solver, name, &solved);
        free(entries[i]);
    }
    free(entries);
    printf("%-18s %-9s %7.0e %5d/%-4d %.2f %%\n", "all", name, set->tolerance, solved, total,
           total > 0 ? 100.0 * solved / total : 0);
    return total > 0 ? 0 : 66;
}

static bool parse(int argc, char **argv, settings *set)
{
    *set = (settings){.solver = gmc_solvers[0]->name, .tolerance = 1e-8, .repeats = 5};
    for (int i = 1; i < argc; i++) {
        bool has_value = i + 1 < argc;
        if (strcmp(argv[i], "--warm") == 0)
            set->is_warm = true;
        else if (strcmp(argv[i], "--each") == 0)
            set->list_each = true;
        else if (strcmp(argv[i], "--solver") == 0 && has_value)
            set->solver = argv[++i];
        else if (strcmp(argv[i], "--tol") == 0 && has_value)
            set->tolerance = strtod(argv[++i], NULL);
        else if (strcmp(argv[i], "--repeat") == 0 && has_value)
            set->repeats = atoi(argv[++i]);
        else if (argv[i][0] != '-' && !set->folder)
            set->folder = argv[i];
        else
            return false;
    }
    return set->folder && set->tolerance > 0 && set->repeats > 0 && set->repeats <= REPEATS_MAX;
}

int main(int argc, char **argv)
{
    settings set;
    if (!parse(argc, argv, &set)) {
        fprintf(stderr, "usage: bench_fclib FOLDER [--solver NAME|all] [--tol T] [--warm] [--each]"
                        " [--repeat N]\n");
        return 64;
    }
    printf("%-18s %-9s %7s %10s %10s %10s %10s %10s %8s    %s\n", "family", "solver", "tol",
           "solved", "median_us", "p90_us", "max_us", "prox_us", "faster", "rung:problems");
    if (strcmp(set.solver, "all") != 0) return run_solver(&set, set.solver);
    for (int i = 0; gmc_solvers[i]; i++) {
        int code = run_solver(&set, gmc_solvers[i]->name);
        if (code != 0) return code;
    }
    return run_solver(&set, "lemke");
}
