// A table of samples.
#include "sampling/design/csv.h"
#include "test/fuzz/fuzz.h"

#include <math.h>

static void judge(const gmc_csv *csv)
{
    FUZZ_REQUIRE(csv->column_count > 0 && csv->row_count >= 0);
    for (int c = 0; c < csv->column_count; c++) {
        FUZZ_REQUIRE(csv->names[c][0]);
        FUZZ_REQUIRE(gmc_csv_column(csv, csv->names[c]) == c); // no name twice
        for (int64_t r = 0; r < csv->row_count; r++)
            FUZZ_REQUIRE(isfinite(gmc_csv_value(csv, r, c)));
    }
    for (int64_t r = 0; r < csv->row_count; r++)
        FUZZ_REQUIRE(csv->lines[r] > (r > 0 ? csv->lines[r - 1] : csv->header_line));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned char *text = fuzz_copy(data, size);
    gmc_diagnostics report = {0};
    gmc_csv csv;
    gmc_status status = gmc_csv_parse("fuzz.csv", (const char *)text, size, &csv, &report);
    if (status == GMC_OK) judge(&csv);
    if (status != GMC_OK) FUZZ_REQUIRE(csv.row_count == 0 && !csv.values);
    gmc_csv_free(&csv);
    fuzz_judge_report(status, &report);
    free(text);
    return 0;
}
