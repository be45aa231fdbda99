// Run a solver over folders of FCLIB files and say, family by family, how many problems it solved
// and in what time.
//
//   bench_fclib FOLDER [--solver NAME|all] [--tol T] [--warm] [--each] [--repeat N]
//               [--perturb N]
//
// A problem is solved if the residual of Siconos (fclib.h) is at most T. The solvers do not know
// that residual: they get T for their own, and if the other misses it a hundredth of it from where
// they stand, until it fits; all of that is timed, reading the file is not. Cold starts, unless
// --warm takes the guess of the file. The time of a problem is the median of N runs (one if it
// takes longer than 50 ms), on one thread.
//
// --perturb puts N copies in the place of each problem, every q_i drawn within 5 % of the file's
// and every friction within 20 %: problems of the same families that no setting was chosen on.
//
// `lemke` solves pyramids of 8 facets instead of cones and is judged by its own residual.
#define _POSIX_C_SOURCE 200809L
#include "engine/complementarity/solver.h"
#include "test/support/chance.h"
#include "test/support/fclib.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REPEATS_MAX = 25, PATH_BYTES = 1024, FACETS = 8, TIGHTENINGS = 5 };
static const double LONG_RUN = 0.05; ///< [s]
static const double TIGHTER = 0.01;

/// Median time of Siconos' proximal solver at 1e-8 (4.4.0, called from Python, which is 15 to 25 of
/// it) [µs]: another machine's figure, printed for orientation.
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
    int repeats, copies;
} settings;

/// One run on one problem.
typedef struct run {
    double seconds, siconos, scaled;
    int rung, iterations;
    double regularisation;
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

static run run_once(const gmc_fclib *file, const settings *set, const gmc_solver *solver,
                    gmc_arena *arena)
{
    gmc_arena_reset(arena, 0);
    run out = {0};
    size_t size = 3 * (size_t)file->dual.unit_count;
    double *r = need(GMC_NEW(arena, size, double));
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
        out.regularisation = report.regularisation;
        out.siconos = gmc_fclib_residual(&file->dual, r);
        out.is_solved = (solver->is_polyhedral ? out.scaled : out.siconos) <= set->tolerance;
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

static void make_pyramids(gmc_fclib *file)
{
    for (int c = 0; c < file->dual.unit_count; c++)
        if (!file->units[c].is_box) file->units[c].facet_count = FACETS;
}

static void perturb(gmc_fclib *file, gmc_chance *chance)
{
    for (int i = 0; i < 3 * file->dual.unit_count; i++)
        file->q[i] *= gmc_chance_uniform(chance, 0.95, 1.05);
    for (int c = 0; c < file->dual.unit_count; c++)
        file->units[c].friction *= gmc_chance_uniform(chance, 0.8, 1.2);
}

/// One problem, or copy number `copy` of it (from 1).
static void run_file(const char *path, int copy, const settings *set, const gmc_solver *solver,
                     tally *t)
{
    gmc_fclib file;
    gmc_arena arena;
    gmc_status status = gmc_fclib_read(path, &file);
    if (status != GMC_OK) {
        fprintf(stderr, "%s: %s\n", path, gmc_status_name(status));
        return;
    }
    gmc_chance chance = {(uint64_t)copy};
    if (copy > 0) perturb(&file, &chance);
    if (solver->is_polyhedral) make_pyramids(&file);
    if (gmc_arena_create(&arena, GMC_FCLIB_ROOM) != GMC_OK) need(NULL);
    run out = run_problem(&file, set, solver, &arena);
    add(t, &out);
    if (set->list_each)
        printf("%s copy %d contacts %d %s residual %.2e scaled %.2e us %.1f iterations %d rung %d"
               " regularised %.0e\n",
               path, copy, file.contact_count, out.is_solved ? "solved" : "FAILED", out.siconos,
               out.scaled, 1e6 * out.seconds, out.iterations, out.rung, out.regularisation);
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
        char path[PATH_BYTES];
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        for (int copy = set->copies > 0; copy <= set->copies; copy++)
            run_file(path, copy, set, solver, &t);
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
    if (!solver) {
        fprintf(stderr, "bench_fclib: no solver %s; there are:\n", name);
        for (int i = 0; gmc_solvers[i]; i++)
            fprintf(stderr, "  %-9s %s\n", gmc_solvers[i]->name, gmc_solvers[i]->about);
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
        else if (strcmp(argv[i], "--perturb") == 0 && has_value)
            set->copies = atoi(argv[++i]);
        else if (argv[i][0] != '-' && !set->folder)
            set->folder = argv[i];
        else
            return false;
    }
    return set->folder && set->tolerance > 0 && set->repeats > 0 && set->repeats <= REPEATS_MAX &&
           set->copies >= 0;
}

int main(int argc, char **argv)
{
    settings set;
    if (!parse(argc, argv, &set)) {
        fprintf(stderr, "usage: bench_fclib FOLDER [--solver NAME|all] [--tol T] [--warm] [--each]"
                        " [--repeat N] [--perturb N]\n");
        return 64;
    }
    printf("%-18s %-9s %7s %10s %10s %10s %10s %10s %8s    %s\n", "family", "solver", "tol",
           "solved", "median_us", "p90_us", "max_us", "prox_us", "faster", "rung:problems");
    if (strcmp(set.solver, "all") != 0) return run_solver(&set, set.solver);
    for (int i = 0; gmc_solvers[i]; i++) {
        int code = run_solver(&set, gmc_solvers[i]->name);
        if (code != 0) return code;
    }
    return 0;
}
