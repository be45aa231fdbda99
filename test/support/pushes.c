#include "test/support/pushes.h"

#include "engine/math/elementary.h"

#include <stdlib.h>
#include <string.h>

static const char PATH[] = "test/data/pushes/pushes.csv";

static const struct {
    const char *name;
    gmc_vec2 p[3]; ///< from the right-angled corner, which is at (-50 mm, -50 mm)
} TRIPODS[] = {{"3pts1", {{0.03, 0.03}, {0.06333, 0.04333}, {0.04333, 0.06333}}},
               {"3pts2", {{0.01, 0.01}, {0.13, 0.01}, {0.01, 0.13}}},
               {"3pts3", {{0.03, 0.03}, {0.09, 0.03}, {0.03, 0.09}}},
               {"3pts4", {{0.01, 0.01}, {0.09, 0.03}, {0.01, 0.13}}}};

FILE *gmc_pushes_open(void)
{
    char head[400];
    FILE *file = fopen(PATH, "r");
    if (file && fgets(head, sizeof head, file)) return file;
    if (file) (void)fclose(file);
    return NULL;
}

/// Is it on a tripod?
static bool read_line(const char *line, gmc_measured_push *push)
{
    char surface[16], support[16];
    int number;
    double force;
    if (sscanf(line, "%15[^,],%15[^,],%d,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf", surface,
               support, &number, &push->before.x, &push->before.y, &push->before.z, &push->after.x,
               &push->after.y, &push->after.z, &push->from.x, &push->from.y, &push->to.x,
               &push->to.y, &push->span, &force) != 15)
        return false;
    for (int k = 0; k < GMC_COUNT(TRIPODS); k++) {
        if (strcmp(support, TRIPODS[k].name) != 0) continue;
        for (int i = 0; i < 3; i++)
            push->points[i] =
                (gmc_support_point){{TRIPODS[k].p[i].x - 0.05, TRIPODS[k].p[i].y - 0.05},
                                    1,
                                    strcmp(surface, "plywood") == 0 ? 0.336 : 0.282};
        return true;
    }
    return false;
}

bool gmc_pushes_next(FILE *file, gmc_measured_push *push)
{
    char line[400];
    while (fgets(line, sizeof line, file))
        if (read_line(line, push)) return true;
    return false;
}

gmc_push_guess gmc_push_nominal(const gmc_measured_push *push)
{
    gmc_push_guess guess = {.friction = 0.5, .tip_radius = 1e-3};
    memcpy(guess.points, push->points, sizeof guess.points);
    return guess;
}

gmc_vec3 gmc_push_simulate(const gmc_measured_push *push, const gmc_push_guess *guess,
                           gmc_motion motion, double h)
{
    gmc_flat flat;
    gmc_flat_open(&flat, guess->friction, (gmc_vec3){0, 0, -9.81});
    gmc_polygon_pieces block = gmc_flat_polygon(&flat, GMC_PUSHED_BLOCK, 3);
    gmc_flat_body(&flat, "block", &block, 1.518, push->before);
    gmc_flat_support(&flat, "block", guess->points, 3);
    gmc_flat_pusher(&flat, gmc_vec2_add(push->from, guess->tip_off), guess->tip_radius);
    gmc_stage_ready(&flat.stage, 16);
    flat.stage.options.motion = motion;
    if (gmc_flat_push(&flat, gmc_vec2_sub(push->to, push->from), push->span, h) != GMC_OK) abort();
    gmc_vec3 end = gmc_flat_place(&flat, "block");
    gmc_flat_close(&flat);
    return end;
}

double gmc_push_turn_between(double a, double b)
{
    double off = a - b;
    return off - 2 * GMC_PI * floor(off / (2 * GMC_PI) + 0.5);
}
