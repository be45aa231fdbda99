/// The only door through which the path of a trial reaches sin, cos, exp, ... (DESIGN: repeatable
/// bits).
///
/// sqrt, fabs, floor are exact by IEEE 754 and may be called directly. Everything here forwards to
/// the C library, whose last bit may change with the processor: results are repeatable on one type
/// of machine.
#ifndef GMC_ENGINE_MATH_ELEMENTARY_H
#define GMC_ENGINE_MATH_ELEMENTARY_H

#include <math.h>

#define GMC_PI 3.14159265358979323846

static inline double gmc_sin(double x) { return sin(x); }
static inline double gmc_cos(double x) { return cos(x); }
static inline double gmc_tan(double x) { return tan(x); }
static inline double gmc_asin(double x) { return asin(x); }
static inline double gmc_acos(double x) { return acos(x); }
static inline double gmc_atan2(double y, double x) { return atan2(y, x); }
static inline double gmc_exp(double x) { return exp(x); }
static inline double gmc_expm1(double x) { return expm1(x); }
static inline double gmc_log(double x) { return log(x); }
static inline double gmc_log1p(double x) { return log1p(x); }
static inline double gmc_pow(double x, double y) { return pow(x, y); }
static inline double gmc_erf(double x) { return erf(x); }
static inline double gmc_erfc(double x) { return erfc(x); }
static inline double gmc_lgamma(double x) { return lgamma(x); }

#endif
