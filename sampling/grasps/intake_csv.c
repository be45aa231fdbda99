// A table of parameters, read as design/csv.h reads tables of samples; what its paths mean only the
// scenario knows.
#include "sampling/design/csv.h"
#include "sampling/grasps/intake_internal.h"

#include <string.h>

static gmc_status take_rows(const gmc_csv *csv, gmc_grasps *grasps)
{
    for (int64_t row = 0; row < csv->row_count; row++) {
        int line = csv->lines[row];
        GMC_TRY(gmc_grasps_begin(grasps, NULL, line, 1));
        for (int c = 0; c < csv->column_count; c++) {
            double value = gmc_csv_value(csv, row, c);
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

gmc_status gmc_intake_csv(const char *file, const unsigned char *bytes, size_t size,
                          gmc_diagnostics *report, gmc_grasps *grasps)
{
    gmc_csv csv = {0};
    gmc_intake r = {.file = file, .grasps = grasps, .report = report};
    GMC_TRY(gmc_csv_parse(file, (const char *)bytes, size, &csv, report));
    gmc_status status = take_rows(&csv, grasps);
    gmc_csv_free(&csv);
    return gmc_intake_limit(&r, (gmc_source){.file = file}, status);
}
