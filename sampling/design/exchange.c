#include "sampling/design/exchange.h"

int gmc_exchange_rows(int inputs) { return 2 * inputs + 2; }

bool gmc_exchange_is_other(int row, int input)
{
    bool is_of_b = row % 2 == 1;
    if (row < 2) return is_of_b;
    return is_of_b != ((row - 2) / 2 == input);
}

double gmc_exchange_uniform(int line, uint64_t point, bool is_other, gmc_stream coins_a,
                            gmc_stream coins_b)
{
    return gmc_sobol_uniform(2 * line + (is_other ? 1 : 0), point, is_other ? coins_b : coins_a);
}
