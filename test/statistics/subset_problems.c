#include "test/statistics/subset_problems.h"

#include "test/support/near.h"

double subset_along(const double *z, int dimensions)
{
    double sum = 0;
    for (int i = 0; i < dimensions; i++)
        sum += z[i];
    return sum / sqrt(dimensions);
}

double subset_plane(const double *z, int dimensions, double cut)
{
    return cut - subset_along(z, dimensions);
}

double subset_circle(const double *z, int dimensions, double cut)
{
    double sum = 0;
    for (int i = 0; i < dimensions; i++)
        sum += z[i] * z[i];
    return cut - sqrt(sum);
}

double subset_sides(const double *z, int dimensions, double cut)
{
    (void)dimensions;
    return cut - fabs(z[0]);
}

gmc_subset_answer subset_problem_run(const subset_problem *p, gmc_subset_plan plan)
{
    gmc_subset *s;
    gmc_subset_stage stage;
    plan.dimensions = p->dimensions;
    assert_int_equal(gmc_subset_create(&plan, &s), GMC_OK);
    assert_int_equal(gmc_subset_next(s, &stage), GMC_OK);
    while (stage.count > 0) {
        for (uint64_t i = 0; i < stage.count; i++) {
            double z[SUBSET_DIMENSIONS_MAX];
            assert_true(gmc_subset_point(s, stage.trials[i], z));
            gmc_subset_put(s, stage.trials[i], p->margin(z, p->dimensions, p->cut));
        }
        assert_int_equal(gmc_subset_next(s, &stage), GMC_OK);
    }
    gmc_subset_answer answer = gmc_subset_answer_of(s, 0.95);
    gmc_subset_free(s);
    return answer;
}

subset_record subset_problem_repeat(const subset_problem *p, gmc_subset_plan plan, uint64_t first,
                                    int count)
{
    subset_record all = {.count = count};
    double scale = p->probability > 0 ? p->probability : p->worst;
    for (int k = 0; k < count; k++) {
        plan.seed = first + (uint64_t)k;
        gmc_subset_answer a = subset_problem_run(p, plan);
        gmc_interval i = a.failure.interval;
        double off = (a.failure.p - p->probability) / scale;
        all.covered += i.lower <= p->probability && p->probability <= i.upper;
        all.too_low += i.upper < p->probability;
        all.worst_covered += i.upper >= p->worst;
        all.refused += a.is_contradictory;
        all.bias += off / count;
        all.rms += off * off / count;
        all.unsolved += a.unsolved / count;
        all.width += (i.upper - i.lower) / 2 / scale / count;
        all.trials = fmax(all.trials, (double)a.trials);
    }
    all.rms = sqrt(all.rms);
    printf("%-30s %d runs of %d: bias %+.1f %%, rms %.1f %%, half width %.0f %%, covers %d of %d "
           "(%d too low), refused %d, at most %.0f trials",
           p->name, plan.runs, plan.per_level, 100 * all.bias, 100 * all.rms, 100 * all.width,
           all.covered, count, all.too_low, all.refused, all.trials);
    if (p->worst > 0)
        printf(", unsolved %.3g of %.3g, reaches it %d", all.unsolved, p->worst - p->probability,
               all.worst_covered);
    printf("\n");
    return all;
}
