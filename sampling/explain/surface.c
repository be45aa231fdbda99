// All weights and spreads come from one matrix, factored once the lengths are known:
//
//   A = K + noise,   mean(x) = k(x)ᵀ A⁻¹ y,   cov(x, x') = k(x, x') − k(x)ᵀ A⁻¹ k(x')
//
// A search by gradients was left out: the likelihood of a hundred binomials is flat, a grid of
// lengths a factor of 1.8 apart loses nothing that can be seen, and gives the same bits everywhere.
#include "sampling/explain/surface.h"

#include "engine/math/dense.h"
#include "engine/math/elementary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTHS = 8, SPREADS = 4, SHARES = 4, ROUGHS = 4, SWEEPS = 12 };

static const double LENGTH[LENGTHS] = {0.1, 0.18, 0.32, 0.56, 1, 1.8, 3.2, 5.6};
static const double SPREAD[SPREADS] = {0.25, 0.5, 1, 2}; // f is in [0, π]
static const double SHARE[SHARES] = {0, 0.3, 0.6, 0.9};
static const double ROUGH[ROUGHS] = {0, 0.03, 0.06, 0.12};
static const double LEVEL_VARIANCE = 10;                   // c²
static const double LENGTH_USUAL = 0.8, LENGTH_LOG_SD = 1; // prior: a box has one hill or a few
static const double HALF_TURN = 3.14159265358979323846;

/// Where the search stands: places in the grids; lengths first.
typedef struct settings {
    int length[GMC_SURFACE_INPUTS_MAX];
    int spread, share, rough;
} settings;

struct gmc_surface {
    gmc_surface_rows rows;
    double rate[GMC_SURFACE_INPUTS_MAX]; ///< 1/(2 l²); 0: idle
    bool is_idle[GMC_SURFACE_INPUTS_MAX];
    settings at;
    double *y, *w;     ///< (count) measured less the middle; A⁻¹ y
    gmc_mat A;         ///< factored
    int *last;         ///< (count)
    double *inverse_d; ///< (count)
};

struct gmc_surface_cloud {
    const gmc_surface *surface;
    const double *x;
    int count, taken, room;
    double *mean, *variance; ///< (count)
    double *k;               ///< (count, rows) of the points with the rows
    double *row;             ///< (rows)
    double *steps;           ///< (room, count) what measured points had in common with all
};

double gmc_surface_share(double f)
{
    double half = gmc_min(gmc_max(f, 0), HALF_TURN) / 2, s = gmc_sin(half);
    return s * s;
}

static void apply(gmc_surface *s)
{
    for (int j = 0; j < s->rows.inputs; j++) {
        double l = LENGTH[s->at.length[j]];
        s->rate[j] = s->is_idle[j] ? 0 : 1 / (2 * l * l);
    }
}

/// cov(f(a), f(b)) before anything is measured.
static double prior(const gmc_surface *s, const double *a, const double *b)
{
    double sum = 0;
    for (int j = 0; j < s->rows.inputs; j++) {
        double d = a[j] - b[j];
        sum += s->rate[j] * d * d;
    }
    double spread = SPREAD[s->at.spread];
    return LEVEL_VARIANCE + spread * spread * gmc_exp(-sum);
}

static const double *row_of(const gmc_surface *s, int i)
{
    return s->rows.x + (size_t)i * (size_t)s->rows.inputs;
}

/// Factor A for the settings and find w. @return log likelihood with the prior of lengths
static double fit(gmc_surface *s)
{
    int n = s->rows.count;
    double share = SHARE[s->at.share], rough = ROUGH[s->at.rough];
    apply(s);
    for (int i = 0; i < n; i++) {
        double *row = s->A.x + (size_t)i * (size_t)s->A.stride;
        for (int k = i; k < n; k++) {
            double runs = gmc_max(s->rows.runs[i], s->rows.runs[k]);
            row[k] = prior(s, row_of(s, i), row_of(s, k));
            if (s->rows.round[i] == s->rows.round[k]) row[k] += share / runs;
        }
        row[i] += (1 - share) / s->rows.runs[i] + rough * rough;
    }
    if (!gmc_mat_ldlt_factor(s->A, s->last, s->inverse_d)) return -HUGE_VAL;
    memcpy(s->w, s->y, (size_t)n * sizeof *s->w);
    gmc_mat_ldlt_solve(s->A, s->last, s->inverse_d, s->w);
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += gmc_log(s->inverse_d[i]) - s->y[i] * s->w[i];
    for (int j = 0; j < s->rows.inputs; j++) {
        double off = gmc_log(LENGTH[s->at.length[j]] / LENGTH_USUAL) / LENGTH_LOG_SD;
        if (!s->is_idle[j]) sum -= off * off;
    }
    return sum / 2;
}

/// Move one place of a grid up or down, as long as that helps. @return it did
static bool climb(gmc_surface *s, int *place, int places, double *best)
{
    bool has_moved = false;
    for (int step = -1; step <= 1; step += 2) {
        for (bool helps = true; helps;) {
            if (*place + step < 0 || *place + step >= places) break;
            *place += step;
            double now = fit(s);
            helps = now > *best + 1e-9; // rounding is no reason to move
            if (helps) {
                *best = now;
                has_moved = true;
            } else {
                *place -= step;
            }
        }
    }
    return has_moved;
}

/// The same with the lengths of all inputs together.
static bool climb_all(gmc_surface *s, double *best)
{
    bool has_moved = false;
    for (int step = -1; step <= 1; step += 2) {
        for (bool helps = true; helps;) {
            settings before = s->at;
            helps = false;
            for (int j = 0; j < s->rows.inputs; j++) {
                int to = s->at.length[j] + step;
                if (to < 0 || to >= LENGTHS) continue;
                s->at.length[j] = to;
                helps = true;
            }
            double now = helps ? fit(s) : -HUGE_VAL;
            helps = now > *best + 1e-9;
            if (helps)
                *best = now;
            else
                s->at = before;
            has_moved = has_moved || helps;
        }
    }
    return has_moved;
}

static void search(gmc_surface *s)
{
    for (int j = 0; j < s->rows.inputs; j++)
        s->at.length[j] = 4;
    s->at.spread = 2;
    s->at.share = 1;
    double best = fit(s);
    (void)climb_all(s, &best); // one length for all: alone, none of them can leave its place
    bool has_moved = true;
    for (int sweep = 0; sweep < SWEEPS && has_moved; sweep++) {
        has_moved = false;
        for (int j = 0; j < s->rows.inputs; j++)
            if (!s->is_idle[j] && climb(s, &s->at.length[j], LENGTHS, &best)) has_moved = true;
        if (climb(s, &s->at.spread, SPREADS, &best)) has_moved = true;
        if (climb(s, &s->at.share, SHARES, &best)) has_moved = true;
        if (climb(s, &s->at.rough, ROUGHS, &best)) has_moved = true;
    }
    (void)fit(s); // the last one tried need not be the best
}

gmc_status gmc_surface_create(const gmc_surface_rows *rows, gmc_surface **surface)
{
    *surface = NULL;
    gmc_surface *s = calloc(1, sizeof *s);
    if (!s) return GMC_E_MEMORY;
    size_t n = (size_t)rows->count;
    s->rows = *rows;
    for (int j = 0; j < rows->inputs; j++)
        s->is_idle[j] = rows->is_idle && rows->is_idle[j];
    s->A = (gmc_mat){
        .rows = rows->count, .columns = rows->count, .stride = gmc_mat_stride(rows->count)};
    s->A.x = calloc(n * (size_t)s->A.stride, sizeof *s->A.x);
    s->y = calloc(n, sizeof *s->y);
    s->w = calloc(n, sizeof *s->w);
    s->last = calloc(n, sizeof *s->last);
    s->inverse_d = calloc(n, sizeof *s->inverse_d);
    if (!s->A.x || !s->y || !s->w || !s->last || !s->inverse_d) {
        gmc_surface_free(s);
        return GMC_E_MEMORY;
    }
    for (int i = 0; i < rows->count; i++) {
        double p = (rows->wins[i] + 0.375) / (rows->runs[i] + 0.75);
        s->y[i] = 2 * gmc_asin(sqrt(p)) - HALF_TURN / 2;
    }
    search(s);
    *surface = s;
    return GMC_OK;
}

void gmc_surface_free(gmc_surface *surface)
{
    if (!surface) return;
    free(surface->A.x);
    free(surface->y);
    free(surface->w);
    free(surface->last);
    free(surface->inverse_d);
    free(surface);
}

double gmc_surface_length(const gmc_surface *surface, int input)
{
    return surface->is_idle[input] ? HUGE_VAL : LENGTH[surface->at.length[input]];
}

double gmc_surface_mean(const gmc_surface *surface, const double *x)
{
    double sum = HALF_TURN / 2;
    for (int i = 0; i < surface->rows.count; i++)
        sum += surface->w[i] * prior(surface, row_of(surface, i), x);
    return sum;
}

// --- together ---

static const double *point_of(const gmc_surface_cloud *c, int i)
{
    return c->x + (size_t)i * (size_t)c->surface->rows.inputs;
}

gmc_status gmc_surface_look(const gmc_surface *surface, const double *x, int count,
                            gmc_surface_cloud **cloud)
{
    *cloud = NULL;
    gmc_surface_cloud *c = calloc(1, sizeof *c);
    if (!c) return GMC_E_MEMORY;
    size_t n = (size_t)surface->rows.count, points = (size_t)count;
    *c = (gmc_surface_cloud){.surface = surface, .x = x, .count = count};
    c->mean = calloc(points, sizeof *c->mean);
    c->variance = calloc(points, sizeof *c->variance);
    c->k = calloc(points * n, sizeof *c->k);
    c->row = calloc(n, sizeof *c->row);
    if (!c->mean || !c->variance || !c->k || !c->row) {
        gmc_surface_cloud_free(c);
        return GMC_E_MEMORY;
    }
    for (int p = 0; p < count; p++) {
        double *k = c->k + (size_t)p * n;
        for (int i = 0; i < surface->rows.count; i++)
            k[i] = prior(surface, row_of(surface, i), point_of(c, p));
        memcpy(c->row, k, n * sizeof *k);
        gmc_mat_ldlt_solve(surface->A, surface->last, surface->inverse_d, c->row);
        c->mean[p] = HALF_TURN / 2 + gmc_mat_dot(k, surface->w, surface->rows.count);
        c->variance[p] = gmc_max(0, prior(surface, point_of(c, p), point_of(c, p)) -
                                        gmc_mat_dot(k, c->row, (int)n));
    }
    *cloud = c;
    return GMC_OK;
}

void gmc_surface_cloud_free(gmc_surface_cloud *cloud)
{
    if (!cloud) return;
    free(cloud->mean);
    free(cloud->variance);
    free(cloud->k);
    free(cloud->row);
    free(cloud->steps);
    free(cloud);
}

double gmc_surface_cloud_mean(const gmc_surface_cloud *cloud, int point)
{
    return cloud->mean[point];
}

double gmc_surface_cloud_variance(const gmc_surface_cloud *cloud, int point)
{
    return cloud->variance[point];
}

gmc_status gmc_surface_cloud_measure(gmc_surface_cloud *c, int point, double variance)
{
    const gmc_surface *s = c->surface;
    int n = s->rows.count;
    size_t points = (size_t)c->count;
    if (c->taken == c->room) {
        int room = c->room > 0 ? 2 * c->room : 16;
        double *steps = realloc(c->steps, (size_t)room * points * sizeof *steps);
        if (!steps) return GMC_E_MEMORY;
        c->steps = steps;
        c->room = room;
    }
    double *step = c->steps + (size_t)c->taken * points;
    memcpy(c->row, c->k + (size_t)point * (size_t)n, (size_t)n * sizeof *c->row);
    gmc_mat_ldlt_solve(s->A, s->last, s->inverse_d, c->row);
    // what rounding leaves of a variance of 0 must not become large
    double scale = sqrt(gmc_max(c->variance[point] + variance, 1e-12));
    for (int p = 0; p < c->count; p++) {
        double shared = prior(s, point_of(c, p), point_of(c, point)) -
                        gmc_mat_dot(c->k + (size_t)p * (size_t)n, c->row, n);
        for (int t = 0; t < c->taken; t++)
            shared -= c->steps[(size_t)t * points + (size_t)p] *
                      c->steps[(size_t)t * points + (size_t)point];
        step[p] = shared / scale;
    }
    for (int p = 0; p < c->count; p++)
        c->variance[p] = gmc_max(0, c->variance[p] - step[p] * step[p]);
    c->taken++;
    return GMC_OK;
}
