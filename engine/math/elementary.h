/// sin, cos, exp, log, atan2, ...: in place of the C library's, and with the same bits everywhere.
///
/// The C library picks its code by the processor (fused multiply-add, AVX or not), and its last
/// bits with it. These are plain double arithmetic, compiled without contraction: the same bits on
/// every x86-64. sqrt, fabs, floor, fmin, fmax, copysign are exact by IEEE 754 and called directly.
///
/// Zeros, infinities, NaNs and signs are those of annex F of C17; errno and the floating-point
/// flags mean nothing. Rounding to nearest is assumed, and that subnormals are not flushed.
///
/// Largest errors in units in the last place of the result, for every finite argument unless said:
///
///   log, log1p                    0.51
///   exp                           0.51, a subnormal result 0.76
///   pow                           0.52, a subnormal result 0.77
///   expm1                         0.7
///   atan2                         0.8
///   sin, cos, asin, acos          0.9    (however large the argument)
///   erf                           1
///   erfc, tan                     1.2
///   lgamma                        2      for x > 0; below, 4 units of max(1, |lgamma(±x)|)
///
/// They are the bounds that test_elementary holds the functions to, on even, random and worst-case
/// arguments, a tenth above what millions of arguments have shown. exp, expm1, log, log1p, asin,
/// acos, erf and erfc have never been seen to turn back between neighbouring arguments.
///
/// Every constant is derived by scripts/elementary_constants.
#ifndef GMC_ENGINE_MATH_ELEMENTARY_H
#define GMC_ENGINE_MATH_ELEMENTARY_H

#include <math.h>

#define GMC_PI 3.14159265358979323846

double gmc_sin(double x);
double gmc_cos(double x);

/// Both at once, the same bits as gmc_sin and gmc_cos for little more than the price of one.
/// @param sine    out
/// @param cosine  out
void gmc_sin_cos(double x, double *sine, double *cosine);

double gmc_tan(double x);
double gmc_asin(double x);
double gmc_acos(double x);

/// Angle of the vector (x, y), in [−π, π].
double gmc_atan2(double y, double x);

double gmc_exp(double x);
double gmc_expm1(double x);
double gmc_log(double x);
double gmc_log1p(double x);
double gmc_pow(double x, double y);
double gmc_erf(double x);
double gmc_erfc(double x);

/// log |Γ(x)|; the sign of Γ is not told.
double gmc_lgamma(double x);

/// fmax and fmin without a call, for what every step asks for: one instruction. Of a NaN and b they
/// give b, of two zeros b.
static inline double gmc_max(double a, double b) { return a > b ? a : b; }
static inline double gmc_min(double a, double b) { return a < b ? a : b; }

#endif
