#include "engine/base/status.h"
#include "sampling/random/distribution.h"

#include <stdio.h>

int main(void)
{
    gmc_distribution d = {.type = GMC_DISTRIBUTION_UNIFORM, .p = {1.0, 3.0}};
    printf("%s %g\n", gmc_status_name(GMC_OK), gmc_distribution_quantile(&d, 0.5));
    return 0;
}
