// The table of cases. Columns about grasps are there only where a study varies them, so that files
// of all other runs are what they were.
#include "sampling/store/layout.h"
#include "sampling/store/writer_internal.h"

#include <stdlib.h>
#include <string.h>

/// Sizes of the texts.
typedef struct widths {
    size_t object, grasp, file;
} widths;

static void widen(size_t *width, const char *text)
{
    if (text && strlen(text) > *width) *width = strlen(text);
}

static widths widths_of(const gmc_store_plan *plan)
{
    widths w = {1, 1, 1};
    for (int i = 0; i < plan->case_count; i++) {
        widen(&w.object, plan->cases[i].object);
        widen(&w.grasp, plan->cases[i].grasp);
        widen(&w.file, plan->cases[i].grasp_file);
    }
    return w;
}

static int name_fields(const gmc_store_plan *plan, const widths *w, gmc_h5_field *fields)
{
    int count = 0;
    fields[count++] = (gmc_h5_field){"case", GMC_H5_U32, 0};
    fields[count++] = (gmc_h5_field){"object", GMC_H5_TEXT, w->object};
    if (plan->case_count > 0 && plan->cases[0].grasp) {
        fields[count++] = (gmc_h5_field){"grasp", GMC_H5_TEXT, w->grasp};
        fields[count++] = (gmc_h5_field){"file", GMC_H5_TEXT, w->file};
        fields[count++] = (gmc_h5_field){"row", GMC_H5_U32, 0};
        fields[count++] = (gmc_h5_field){"confidence", GMC_H5_F64, 0};
    }
    for (int k = 0; k < plan->parameter_count; k++)
        if (plan->parameters[k].is_studied)
            fields[count++] = (gmc_h5_field){plan->parameters[k].name, GMC_H5_F64, 0};
    return count;
}

static void put_case(const gmc_store_plan *plan, int index, const widths *w, gmc_layout_row *row)
{
    const gmc_store_case *c = &plan->cases[index];
    gmc_layout_put_u32(row, (uint32_t)index);
    gmc_layout_put_text(row, c->object, w->object);
    if (plan->cases[0].grasp) {
        gmc_layout_put_text(row, c->grasp, w->grasp);
        gmc_layout_put_text(row, c->grasp_file, w->file);
        gmc_layout_put_u32(row, (uint32_t)c->grasp_row);
        gmc_layout_put_f64(row, c->grasp_confidence);
    }
    for (int k = 0; k < plan->parameter_count; k++)
        if (plan->parameters[k].is_studied) gmc_layout_put_f64(row, c->values[k]);
}

gmc_status gmc_writer_cases(gmc_h5 *h5, const gmc_store_plan *plan)
{
    enum { FIXED = 6 };
    widths w = widths_of(plan);
    gmc_h5_field *fields = calloc((size_t)plan->parameter_count + FIXED, sizeof *fields);
    if (!fields) return GMC_E_MEMORY;
    gmc_layout_table table;
    gmc_status status = gmc_layout_table_start(fields, name_fields(plan, &w, fields),
                                               (uint64_t)plan->case_count, &table);
    if (status == GMC_OK) {
        for (int i = 0; i < plan->case_count; i++)
            put_case(plan, i, &w, &table.rows);
        status = gmc_layout_table_write(&table, h5, "/cases");
    }
    free(fields);
    return status;
}
