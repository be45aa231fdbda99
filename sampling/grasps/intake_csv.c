// A table of parameters, read as design/csv.h reads tables of samples; what its paths mean only the
// scenario knows.
#include "sampling/design/csv.h"
#include "sampling/grasps/intake_internal.h"

#include <stdlib.h>
#include <string.h>

typedef struct named {
    const char *name;
    int line;
} named;

static int by_name(const void *a, const void *b)
{
    const named *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order != 0 ? order : (x->line > y->line) - (x->line < y->line);
}

// A name stands for one grasp.
static gmc_status check_names(const gmc_intake *r)
{
    const gmc_grasps *grasps = r->grasps;
    named *order = malloc(((size_t)grasps->count + 1) * sizeof *order);
    if (!order) return GMC_E_MEMORY;
    for (int i = 0; i < grasps->count; i++)
        order[i] = (named){grasps->list[i].name, grasps->list[i].line};
    qsort(order, (size_t)grasps->count, sizeof *order, by_name);
    gmc_status status = GMC_OK;
    for (int i = 1; i < grasps->count; i++) {
        if (strcmp(order[i - 1].name, order[i].name) != 0) continue;
        gmc_diagnostics_add(
            r->report, GMC_E_INPUT, (gmc_source){.file = r->file, .line = order[i].line}, NULL,
            "the name `%.80s` stands in line %d too", order[i].name, order[i - 1].line);
        status = GMC_E_INPUT;
    }
    free(order);
    return status;
}

static gmc_status take_rows(const gmc_csv *csv, gmc_grasps *grasps)
{
    for (int64_t row = 0; row < csv->row_count; row++) {
        int line = csv->lines[row];
        GMC_TRY(gmc_grasps_begin(grasps, csv->texts ? csv->texts[row] : NULL, line, 1));
        for (int c = 0; c < csv->column_count; c++) {
            double value = gmc_csv_value(csv, row, c);
            if (c == csv->text_column) continue;
            if (strcmp(csv->names[c], "confidence") == 0)
                grasps->list[grasps->count - 1].confidence = value;
            else
                GMC_TRY(gmc_grasps_enter(grasps, GMC_GRASP_PATH, csv->names[c], value, line, 0));
        }
    }
    // where the names stand, not their first numbers
    for (int i = 0; i < grasps->name_count; i++) {
        int column = gmc_csv_column(csv, grasps->names[i].text);
        grasps->names[i].line = csv->header_line;
        grasps->names[i].column = csv->name_column[column];
    }
    return GMC_OK;
}

static bool fits_text(const char *file, const unsigned char *bytes, size_t size)
{
    (void)file, (void)bytes, (void)size;
    return true;
}

static gmc_status read_csv(const char *file, const unsigned char *bytes, size_t size,
                           gmc_diagnostics *report, gmc_grasps *grasps)
{
    gmc_csv csv = {0};
    gmc_intake r = {.file = file, .grasps = grasps, .report = report};
    GMC_TRY(gmc_csv_parse_as(file, (const char *)bytes, size, &(gmc_csv_wanted){.texts = "name"},
                             &csv, report));
    gmc_status status = take_rows(&csv, grasps);
    if (status == GMC_OK && csv.texts) status = check_names(&r);
    gmc_csv_free(&csv);
    return gmc_intake_limit(&r, (gmc_source){.file = file}, status);
}

const gmc_grasps_format gmc_intake_csv = {
    .name = "csv",
    .about = "one grasp a row; columns are paths of parameters, `hand.target.x` or `hand.target.x "
             "[mm]`, "
             "`confidence` and `name`, a text",
    .fits = fits_text,
    .read = read_csv,
};
