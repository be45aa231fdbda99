#include "test/support/hollows.h"

#include "engine/math/elementary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 1 << 18, SECTORS = 32, ROUND = 12, HANDLE = 10 };

/// A corner of a profile: x or the distance from the axis, and height.
typedef struct corner {
    double r, z;
} corner;

/// An OBJ in the making.
typedef struct writer {
    char *text;
    size_t size;
    int vertices; ///< of the groups before
} writer;

static void put(writer *w, const char *text)
{
    w->size += (size_t)snprintf(w->text + w->size, TEXT_MAX - w->size, "%s", text);
}

static void put_vertex(writer *w, double x, double y, double z)
{
    w->size +=
        (size_t)snprintf(w->text + w->size, TEXT_MAX - w->size, "v %.17g %.17g %.17g\n", x, y, z);
}

static void put_face(writer *w, const int *corners, int count)
{
    put(w, "f");
    for (int i = 0; i < count; i++)
        w->size += (size_t)snprintf(w->text + w->size, TEXT_MAX - w->size, " %d",
                                    w->vertices + corners[i] + 1);
    put(w, "\n");
}

/// A polygon in x and z (counter-clockwise with x to the right and z up), drawn along y.
static void put_prism(writer *w, const corner *xz, int count, double half_length)
{
    int loop[2][2 * HANDLE];
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < count; i++) {
            put_vertex(w, xz[i].r, s ? half_length : -half_length, xz[i].z);
            loop[s][s ? count - 1 - i : i] = s * count + i;
        }
    put_face(w, loop[1], count);
    put_face(w, loop[0], count);
    for (int i = 0; i < count; i++) {
        int j = (i + 1) % count;
        int side[4] = {j, i, count + i, count + j};
        put_face(w, side, 4);
    }
    w->vertices += 2 * count;
}

/// A closed polygon of (r, z) around the z axis, counter-clockwise with r to the right and z up;
/// corners with r = 0 are on the axis.
static void put_turned(writer *w, const corner *rz, int count, int sectors)
{
    int ring[32], made = 0;
    for (int i = 0; i < count; i++) {
        ring[i] = made;
        int copies = rz[i].r == 0 ? 1 : sectors;
        for (int k = 0; k < copies; k++) {
            double a = 2 * GMC_PI * k / sectors;
            put_vertex(w, rz[i].r * gmc_cos(a), rz[i].r * gmc_sin(a), rz[i].z);
        }
        made += copies;
    }
    for (int i = 0; i < count; i++) {
        int j = (i + 1) % count;
        bool from_axis = rz[i].r == 0, to_axis = rz[j].r == 0;
        for (int k = 0; k < sectors && !(from_axis && to_axis); k++) {
            int l = (k + 1) % sectors;
            int a = ring[i] + (from_axis ? 0 : k), b = ring[i] + (from_axis ? 0 : l);
            int c = ring[j] + (to_axis ? 0 : l), d = ring[j] + (to_axis ? 0 : k);
            int face[4] = {a, b, c, d}, corners = 4;
            if (from_axis) face[1] = c, face[2] = d, corners = 3;
            if (to_axis) corners = 3;
            put_face(w, face, corners);
        }
    }
    w->vertices += made;
}

static const corner ELL[6] = {{0, 0},       {0.06, 0},    {0.06, 0.02},
                              {0.02, 0.02}, {0.02, 0.06}, {0, 0.06}};
static const corner CHANNEL[8] = {{-0.03, 0},   {0.03, 0},     {0.03, 0.04},  {0.02, 0.04},
                                  {0.02, 0.01}, {-0.02, 0.01}, {-0.02, 0.04}, {-0.03, 0.04}};
static const corner CUP[6] = {{0, 0},        {0.04, 0},      {0.04, 0.08},
                              {0.035, 0.08}, {0.035, 0.005}, {0, 0.005}};
static const double RING_MIDDLE = 0.04, RING_ROUND = 0.008;
static const double ELL_DEPTH = 0.015, CHANNEL_DEPTH = 0.04, HANDLE_DEPTH = 0.006;

static void ring_profile(corner rz[ROUND])
{
    for (int i = 0; i < ROUND; i++) {
        rz[i].r = RING_MIDDLE + RING_ROUND * gmc_cos(2 * GMC_PI * i / ROUND);
        rz[i].z = RING_ROUND * gmc_sin(2 * GMC_PI * i / ROUND);
    }
}

/// A half circle of rectangular section, both ends inside the cup's wall.
static void handle_profile(corner xz[2 * HANDLE])
{
    for (int i = 0; i < HANDLE; i++) {
        double a = GMC_PI * (i / (HANDLE - 1.0) - 0.5), outer = 0.037, inner = 0.028;
        corner *out = &xz[i], *in = &xz[2 * HANDLE - 1 - i];
        out->r = 0.038 + outer * gmc_cos(a), out->z = 0.04 + outer * gmc_sin(a);
        in->r = 0.038 + inner * gmc_cos(a), in->z = 0.04 + inner * gmc_sin(a);
    }
}

const char *gmc_hollow_name(gmc_hollow which)
{
    static const char *const NAMES[] = {"ell", "channel", "ring", "cup", "mug"};
    return NAMES[which];
}

static double area(const corner *p, int count, double *moment)
{
    double sum = 0;
    *moment = 0; // of r over the area (Pappus)
    for (int i = 0; i < count; i++) {
        corner a = p[i], b = p[(i + 1) % count];
        double cross = a.r * b.z - b.r * a.z;
        sum += cross / 2;
        *moment += (a.r + b.r) * cross / 6;
    }
    return sum;
}

/// Turned in sectors: the area's moment times the polygon's sum of sines in place of 2 pi.
static double turned(const corner *rz, int count)
{
    double moment;
    (void)area(rz, count, &moment);
    return moment * SECTORS * gmc_sin(2 * GMC_PI / SECTORS);
}

double gmc_hollow_volume(gmc_hollow which)
{
    corner rz[ROUND], xz[2 * HANDLE];
    double moment;
    switch (which) {
    case GMC_HOLLOW_ELL:
        return 2 * ELL_DEPTH * area(ELL, 6, &moment);
    case GMC_HOLLOW_CHANNEL:
        return 2 * CHANNEL_DEPTH * area(CHANNEL, 8, &moment);
    case GMC_HOLLOW_RING:
        ring_profile(rz);
        return turned(rz, ROUND);
    case GMC_HOLLOW_CUP:
        return turned(CUP, 6);
    case GMC_HOLLOW_MUG:
        handle_profile(xz);
        return turned(CUP, 6) + 2 * HANDLE_DEPTH * area(xz, 2 * HANDLE, &moment);
    case GMC_HOLLOW_COUNT:
        break;
    }
    return 0;
}

static void write_mesh(gmc_hollow which, writer *w)
{
    corner rz[ROUND], xz[2 * HANDLE];
    switch (which) {
    case GMC_HOLLOW_ELL:
        put_prism(w, ELL, 6, ELL_DEPTH);
        break;
    case GMC_HOLLOW_CHANNEL:
        put_prism(w, CHANNEL, 8, CHANNEL_DEPTH);
        break;
    case GMC_HOLLOW_RING:
        ring_profile(rz);
        put_turned(w, rz, ROUND, SECTORS);
        break;
    case GMC_HOLLOW_MUG:
        put(w, "o handle\n");
        handle_profile(xz);
        put_prism(w, xz, 2 * HANDLE, HANDLE_DEPTH);
        put(w, "o cup\n");
        put_turned(w, CUP, 6, SECTORS);
        break;
    case GMC_HOLLOW_CUP:
        put_turned(w, CUP, 6, SECTORS);
        break;
    case GMC_HOLLOW_COUNT:
        break;
    }
}

static void stop(const gmc_diagnostics *report)
{
    gmc_diagnostics_print(report, stderr);
    abort();
}

gmc_mesh gmc_hollow_mesh(gmc_hollow which)
{
    writer w = {.text = calloc(TEXT_MAX, 1)};
    gmc_diagnostics report = {0};
    gmc_mesh mesh;
    gmc_mesh_options options = gmc_mesh_defaults();
    if (!w.text) abort();
    write_mesh(which, &w);
    if (gmc_mesh_parse(gmc_hollow_name(which), (const unsigned char *)w.text, w.size, &options,
                       &report, &mesh) != GMC_OK ||
        report.count > 0)
        stop(&report);
    free(w.text);
    return mesh;
}

gmc_hull_pieces gmc_hollow_pieces(gmc_hollow which)
{
    gmc_mesh mesh = gmc_hollow_mesh(which);
    gmc_diagnostics report = {0};
    gmc_hull_pieces pieces;
    gmc_pieces_options options = gmc_pieces_defaults();
    if (gmc_pieces_of_mesh(&mesh, &options, (gmc_source){0}, &report, &pieces) != GMC_OK)
        stop(&report);
    gmc_diagnostics_free(&report);
    gmc_mesh_free(&mesh);
    return pieces;
}
