#include "cli/commands/check_grasps.h"

#include "cli/answer/overlaps.h"
#include "cli/process/terminal.h"
#include "sampling/scenario/grasp_set.h"
#include "sampling/scenario/study.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/// The gaps of one object.
typedef struct spread {
    int64_t count, overlapping, far;
    int64_t elsewhere; // overlaps, but hand and object do not
    double least, median, largest;
} spread;

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/// @param sorted  (count) scratch
static spread spread_of(const gmc_scenario *scenario, int object, const gmc_nominal_start *starts,
                        int64_t count, double accepted, double *sorted)
{
    spread s = {0};
    for (int64_t c = 0; c < count; c++) {
        if (gmc_study_object(scenario, c) != object || isnan(starts[c].gap.gap)) continue;
        sorted[s.count++] = starts[c].gap.gap;
        s.overlapping += starts[c].gap.gap < -accepted;
        s.far += starts[c].gap.outside > 0;
        s.elsewhere += starts[c].worst.depth > 0 && !(starts[c].gap.gap < -accepted);
    }
    if (s.count == 0) return s;
    qsort(sorted, (size_t)s.count, sizeof *sorted, by_size);
    s.least = sorted[0];
    s.median = (sorted[(s.count - 1) / 2] + sorted[s.count / 2]) / 2;
    s.largest = sorted[s.count - 1];
    return s;
}

void gmc_check_grasps_print(const gmc_scenario *scenario, const gmc_nominal_start *starts,
                            int64_t count, double accepted, FILE *out)
{
    double *sorted = malloc((size_t)count * sizeof *sorted + 1);
    bool is_first = true;
    for (int o = 0; sorted && o < scenario->object_count; o++) {
        const gmc_grasp_set *set = scenario->objects[o].grasps;
        if (!set) continue;
        spread s = spread_of(scenario, o, starts, count, accepted, sorted);
        gmc_terminal_print(out, "%-10s%-16s %s (%s): %d of %d", is_first ? "grasps" : "",
                           scenario->objects[o].name, set->file, set->grasps.format, set->count,
                           set->grasps.count);
        is_first = false;
        if (s.count > 0)
            fprintf(out, "; gap to the hand %.3g ... %.3g mm, median %.3g mm", 1e3 * s.least,
                    1e3 * s.largest, 1e3 * s.median);
        if (s.overlapping > 0) fprintf(out, "; %" PRId64 " overlap", s.overlapping);
        if (s.elsewhere > 0) fprintf(out, "; %" PRId64 " overlap elsewhere", s.elsewhere);
        if (s.far > 0) fprintf(out, "; %" PRId64 " beside the hand", s.far);
        fputc('\n', out);
    }
    free(sorted);
}

/// The grasp of a case.
static const gmc_grasp *grasp_of(const gmc_scenario *scenario, int64_t c, int *row)
{
    int index = 0;
    const gmc_grasp_set *set = gmc_study_grasp_set(scenario, c, &index);
    *row = set->rows[index];
    return &set->grasps.list[*row];
}

void gmc_check_grasps_list(const gmc_scenario *scenario, const gmc_nominal_start *starts,
                           int64_t count, FILE *out)
{
    gmc_terminal_print(out, "%7s  %-12s  %-20s %7s  %10s  %9s  %10s  %s\n", "case", "object",
                       "grasp", "row", "confidence", "gap [mm]", "scene [mm]", "deepest overlap");
    for (int64_t c = 0; c < count; c++) {
        int row = 0;
        const gmc_grasp *grasp = grasp_of(scenario, c, &row);
        const char *object = scenario->objects[gmc_study_object(scenario, c)].name;
        gmc_terminal_print(out, "%7" PRId64 "  %-12s  %-20s %7d  ", c, object, grasp->name, row);
        if (isnan(grasp->confidence))
            gmc_terminal_print(out, "%10s", "");
        else
            fprintf(out, "%10.4g", grasp->confidence);
        fprintf(out, "  %9.3f  ", 1e3 * starts[c].gap.gap);
        if (isinf(starts[c].scene_gap.gap))
            gmc_terminal_print(out, "%10s", "");
        else
            fprintf(out, "%10.3f", 1e3 * starts[c].scene_gap.gap);
        const gmc_build_overlap *worst = &starts[c].worst;
        if (worst->depth > 0)
            gmc_terminal_print(out, "  %s / %s %.1f mm", worst->a, worst->b, 1e3 * worst->depth);
        fputs(starts[c].gap.outside > 0 ? "  beside\n" : "\n", out);
    }
}

/// `overlap`: who overlaps most at the start, the hand and the object or others; null: nobody by
/// more than a trial accepts.
static void put_overlap(gmc_json *json, const gmc_build_overlap *worst)
{
    if (!(worst->depth > 0)) {
        gmc_json_text(json, "overlap", NULL);
        return;
    }
    gmc_json_open(json, "overlap", '{');
    gmc_overlaps_put(json, worst);
    gmc_json_close(json, '}');
}

void gmc_check_grasps_json(const gmc_scenario *scenario, const gmc_nominal_start *starts,
                           int64_t count, gmc_json *json)
{
    gmc_json_open(json, "grasps", '[');
    for (int64_t c = 0; c < count; c++) {
        int row = 0;
        const gmc_grasp *grasp = grasp_of(scenario, c, &row);
        gmc_json_open(json, NULL, '{');
        gmc_json_whole(json, "case", (uint64_t)c);
        gmc_json_text(json, "object", scenario->objects[gmc_study_object(scenario, c)].name);
        gmc_json_text(json, "grasp", grasp->name);
        gmc_json_whole(json, "row", (uint64_t)row);
        gmc_json_real(json, "confidence", grasp->confidence);
        gmc_json_real(json, "gap_m", starts[c].gap.gap);
        gmc_json_real(json, "outside_m", starts[c].gap.outside);
        gmc_json_real(json, "scene_gap_m", starts[c].scene_gap.gap);
        put_overlap(json, &starts[c].worst);
        gmc_json_close(json, '}');
    }
    gmc_json_close(json, ']');
}

void gmc_check_grasps_warn(const gmc_scenario *scenario, const gmc_nominal_start *starts,
                           int64_t count, double accepted, gmc_diagnostics *messages)
{
    double *sorted = malloc((size_t)count * sizeof *sorted + 1);
    for (int o = 0; sorted && o < scenario->object_count; o++) {
        const gmc_grasp_set *set = scenario->objects[o].grasps;
        if (!set) continue;
        spread s = spread_of(scenario, o, starts, count, accepted, sorted);
        bool do_overlap = 2 * s.overlapping > s.count, are_far = 2 * s.far > s.count;
        if (!do_overlap && !are_far) continue;
        gmc_diagnostics_add(messages, GMC_WARNING, GMC_E_INPUT, set->source,
                            "is it another link of the hand that the file places (frame, gripper), "
                            "or another frame "
                            "of the object (object, scale)?",
                            "%s: in %" PRId64 " of %" PRId64
                            " grasps the hand %s the object; median gap %.3g mm",
                            set->path, do_overlap ? s.overlapping : s.far, s.count,
                            do_overlap ? "overlaps" : "is wholly beside", 1e3 * s.median);
    }
    free(sorted);
}
