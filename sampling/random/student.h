/// Student's t distribution: intervals on means of few numbers.
#ifndef GMC_SAMPLING_RANDOM_STUDENT_H
#define GMC_SAMPLING_RANDOM_STUDENT_H

/// t > 0 with P(T > t) = tail for `freedom` > 0 degrees of freedom, 0 < tail <= 1/2.
/// Relative error < 1e-11. Source: [dlmf, §8.17] through t² = ν x/(1 − x), x of a beta law.
double gmc_student_quantile(double freedom, double tail);

/// P(T > t) for any t that is no NaN, freedom <= 1e6. Relative error < 1e-11.
double gmc_student_tail(double freedom, double t);

#endif
