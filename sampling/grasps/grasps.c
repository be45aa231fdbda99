// Lists that grow with malloc: grasps are read at set-up only. Texts stand in blocks that are
// never moved, so that pointers to them hold while more are added.
#include "sampling/grasps/grasps.h"

#include "engine/base/list.h"
#include "engine/math/pose.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Files written with three or four digits, or as single precision, are meant as rotations; what is
// farther off is another thing (degrees, a scaled matrix, quaternion parts in the wrong place).
static const double RIGID_WITHIN = 1e-3;

struct gmc_grasps_block {
    struct gmc_grasps_block *next;
    size_t used, capacity;
    char bytes[];
};

void gmc_grasps_free(gmc_grasps *grasps)
{
    for (struct gmc_grasps_block *b = grasps->texts, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    free(grasps->list);
    free(grasps->entries);
    free(grasps->names);
    *grasps = (gmc_grasps){0};
}

const char *gmc_grasps_text(gmc_grasps *grasps, const char *text)
{
    enum { BLOCK = 1 << 16 };
    size_t bytes = strlen(text) + 1;
    struct gmc_grasps_block *block = grasps->texts;
    if (!block || block->capacity - block->used < bytes) {
        size_t capacity = bytes > BLOCK ? bytes : BLOCK;
        block = malloc(sizeof *block + capacity);
        if (!block) return NULL;
        *block = (struct gmc_grasps_block){.next = grasps->texts, .capacity = capacity};
        grasps->texts = block;
    }
    char *copy = block->bytes + block->used;
    memcpy(copy, text, bytes);
    block->used += bytes;
    return copy;
}

gmc_status gmc_grasps_begin(gmc_grasps *grasps, const char *name, int line, int column)
{
    if (grasps->count == GMC_GRASPS_MAX) return GMC_E_LIMIT;
    gmc_grasp *list =
        gmc_list_room(grasps->list, grasps->count, &grasps->capacity, sizeof *grasps->list);
    if (!list) return GMC_E_MEMORY;
    grasps->list = list;
    char number[32];
    snprintf(number, sizeof number, "grasp_%d", grasps->count);
    const char *copy = gmc_grasps_text(grasps, name ? name : number);
    if (!copy) return GMC_E_MEMORY;
    list[grasps->count++] = (gmc_grasp){.name = copy,
                                        .line = line,
                                        .column = column,
                                        .rotation = {1, 0, 0, 0},
                                        .confidence = NAN,
                                        .entry = grasps->entry_count};
    return GMC_OK;
}

// Where a file has the same joints in every grasp, the name wanted is as a rule the one behind the
// name of the entry before.
static int find_name(const gmc_grasps *grasps, const char *name)
{
    int last = grasps->entry_count > 0 ? grasps->entries[grasps->entry_count - 1].name : -1;
    for (int i = 0; i < grasps->name_count; i++) {
        int k = (last + 1 + i) % grasps->name_count;
        if (strcmp(grasps->names[k].text, name) == 0) return k;
    }
    return -1;
}

gmc_status gmc_grasps_enter(gmc_grasps *grasps, gmc_grasp_entry_kind kind, const char *name,
                            double value, int line, int column)
{
    int index = find_name(grasps, name);
    if (index < 0) {
        if (grasps->name_count == GMC_GRASPS_NAMES_MAX) return GMC_E_LIMIT;
        gmc_grasp_name *names = gmc_list_room(grasps->names, grasps->name_count,
                                              &grasps->name_capacity, sizeof *grasps->names);
        if (!names) return GMC_E_MEMORY;
        grasps->names = names;
        const char *copy = gmc_grasps_text(grasps, name);
        if (!copy) return GMC_E_MEMORY;
        index = grasps->name_count++;
        names[index] = (gmc_grasp_name){.text = copy, .line = line, .column = column};
    }
    gmc_grasp_entry *entries = gmc_list_room(grasps->entries, grasps->entry_count,
                                             &grasps->entry_capacity, sizeof *grasps->entries);
    if (!entries) return GMC_E_MEMORY;
    grasps->entries = entries;
    entries[grasps->entry_count++] = (gmc_grasp_entry){
        .name = index, .kind = kind, .line = line, .column = column, .value = value};
    grasps->list[grasps->count - 1].entry_count++;
    return GMC_OK;
}

bool gmc_grasps_rotation(gmc_grasps *grasps, const double q[4], gmc_source source,
                         gmc_diagnostics *report)
{
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(fabs(length - 1) <= RIGID_WITHIN)) {
        gmc_diagnostics_add(report, GMC_E_INPUT, source,
                            "w, x, y, z with w^2 + x^2 + y^2 + z^2 = 1",
                            "the quaternion of %.60s has length %.6g, not 1",
                            grasps->list[grasps->count - 1].name, length);
        return false;
    }
    for (int i = 0; i < 4; i++)
        grasps->list[grasps->count - 1].rotation[i] = q[i] / length;
    return true;
}

static bool report_matrix(const gmc_grasp *grasp, gmc_source source, const char *what,
                          gmc_diagnostics *report)
{
    gmc_diagnostics_add(report, GMC_E_INPUT, source,
                        "4 x 4, row by row: a rotation, the position in the last column, 0 0 0 1",
                        "the matrix of %.60s %s", grasp->name, what);
    return false;
}

// The rotation nearest to a matrix within RIGID_WITHIN of one, by Newton's iteration for the polar
// factor, R <- (R + R^-T)/2; its error is squared each time, so three leave rounding alone.
static gmc_mat3 nearest_rotation(gmc_mat3 R)
{
    for (int step = 0; step < 4; step++) {
        gmc_vec3 x = {R.m[0], R.m[3], R.m[6]}, y = {R.m[1], R.m[4], R.m[7]};
        gmc_vec3 z = {R.m[2], R.m[5], R.m[8]};
        const gmc_vec3 c[3] = {gmc_vec3_cross(y, z), gmc_vec3_cross(z, x), gmc_vec3_cross(x, y)};
        double half = 0.5 / gmc_vec3_dot(x, c[0]);
        for (int k = 0; k < 3; k++) {
            R.m[k] = R.m[k] / 2 + half * c[k].x;
            R.m[3 + k] = R.m[3 + k] / 2 + half * c[k].y;
            R.m[6 + k] = R.m[6 + k] / 2 + half * c[k].z;
        }
    }
    return R;
}

bool gmc_grasps_matrix(gmc_grasps *grasps, const double m[16], gmc_source source,
                       gmc_diagnostics *report)
{
    gmc_grasp *grasp = &grasps->list[grasps->count - 1];
    gmc_mat3 R = {{m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10]}};
    for (int i = 0; i < 4; i++)
        if (!(fabs(m[12 + i] - (i == 3)) <= RIGID_WITHIN))
            return report_matrix(grasp, source, "does not end with the row 0 0 0 1", report);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            double dot = 0;
            for (int j = 0; j < 3; j++)
                dot += R.m[3 * j + i] * R.m[3 * j + k];
            if (!(fabs(dot - (i == k)) <= RIGID_WITHIN))
                return report_matrix(grasp, source,
                                     "is no rotation: its columns are not unit "
                                     "vectors at right angles",
                                     report);
        }
    gmc_vec3 x = {R.m[0], R.m[3], R.m[6]}, y = {R.m[1], R.m[4], R.m[7]};
    gmc_vec3 z = {R.m[2], R.m[5], R.m[8]};
    if (!(gmc_vec3_dot(gmc_vec3_cross(x, y), z) > 0))
        return report_matrix(grasp, source, "is a mirror image, not a rotation", report);
    R = nearest_rotation(R);
    gmc_quat q = gmc_quat_normalise(gmc_quat_from_matrix(&R));
    const double rotation[4] = {q.w, q.x, q.y, q.z};
    memcpy(grasp->rotation, rotation, sizeof rotation);
    for (int i = 0; i < 3; i++)
        grasp->position[i] = m[4 * i + 3];
    return true;
}

// ---- names ------------------------------------------------------------------------------------

static int by_name(const void *a, const void *b)
{
    const gmc_grasp *first = *(const gmc_grasp *const *)a, *second = *(const gmc_grasp *const *)b;
    int order = strcmp(first->name, second->name);
    return order != 0 ? order : first < second ? -1 : first > second;
}

// Report names that stand twice, a file without grasps.
// @param file  for messages
// @return GMC_OK, GMC_E_INPUT (reported), GMC_E_MEMORY
static gmc_status grasps_check(const gmc_grasps *grasps, const char *file, gmc_diagnostics *report)
{
    if (grasps->count == 0) {
        gmc_diagnostics_add(report, GMC_E_INPUT, (gmc_source){.file = file}, NULL,
                            "no grasps in this file");
        return GMC_E_INPUT;
    }
    const gmc_grasp **sorted = malloc((size_t)grasps->count * sizeof(gmc_grasp *));
    if (!sorted) return GMC_E_MEMORY;
    for (int i = 0; i < grasps->count; i++)
        sorted[i] = &grasps->list[i];
    qsort(sorted, (size_t)grasps->count, sizeof(gmc_grasp *), by_name);
    gmc_status status = GMC_OK;
    for (int i = 1; i < grasps->count; i++) {
        if (strcmp(sorted[i - 1]->name, sorted[i]->name) != 0) continue;
        gmc_source source = {.file = file, .line = sorted[i]->line, .column = sorted[i]->column};
        gmc_diagnostics_add(report, GMC_E_INPUT, source, "give one of them another name",
                            "two grasps are called %.80s; the first in line %d", sorted[i]->name,
                            sorted[i - 1]->line);
        status = GMC_E_INPUT;
    }
    free((void *)sorted);
    return status;
}

// ---- formats -----------------------------------------------------------------------------------

bool gmc_grasps_format_is_hdf5(const unsigned char *bytes, size_t size)
{
    static const char SIGNATURE[] = "\x89HDF\r\n\x1a\n";
    const size_t length = sizeof SIGNATURE - 1;
    for (size_t at = 0; at <= size && size - at >= length; at = at > 0 ? 2 * at : 512)
        if (memcmp(bytes + at, SIGNATURE, length) == 0) return true;
    return false;
}

const gmc_grasps_format *const gmc_grasps_formats[] = {&gmc_intake_acronym, &gmc_intake_isaac,
                                                       &gmc_intake_graspgen, &gmc_intake_csv};

const int gmc_grasps_format_count = GMC_COUNT(gmc_grasps_formats);
gmc_status gmc_grasps_format_read(const gmc_grasps_format *format, const char *file,
                                  const unsigned char *bytes, size_t size, gmc_diagnostics *report,
                                  gmc_grasps *grasps)
{
    *grasps = (gmc_grasps){0};
    for (int i = 0; !format; i++)
        if (gmc_grasps_formats[i]->fits(file, bytes, size)) format = gmc_grasps_formats[i];
    grasps->format = format->name;
    grasps->object_scale = NAN;
    GMC_TRY(format->read(file, bytes, size, report, grasps));
    return grasps_check(grasps, file, report);
}
