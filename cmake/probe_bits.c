// Compiled to assembly by same_bits.cmake, never linked: code that compilers like to contract.
// What it would compute does not matter; whether a multiply-add appears in it does.
#include <float.h>

#if defined(__FAST_MATH__)
#error "-ffast-math changes values"
#endif
#if FLT_EVAL_METHOD != 0
#error "double is computed wider than it is stored (x87): use SSE"
#endif

double gmc_probe_plain(double a, double b, double c);
double gmc_probe_negated(double a, double b, double c);
double gmc_probe_dot(const double *a, const double *b, int count);
void gmc_probe_pair(const double *restrict a, const double *restrict b, double *restrict out);
void gmc_probe_pairs(const double *restrict a, const double *restrict b, double *restrict out,
                     int count);
void gmc_probe_axpy(double a, const double *restrict x, double *restrict y, int count);

double gmc_probe_plain(double a, double b, double c) { return a * b + c; }

double gmc_probe_negated(double a, double b, double c) { return c - a * b; }

double gmc_probe_dot(const double *a, const double *b, int count)
{
    double sum = 0;
    for (int i = 0; i < count; ++i)
        sum += a[i] * b[i];
    return sum;
}

// one lane subtracts what the next one adds: gcc 12 makes vfmaddsub of it in spite of
// -ffp-contract=off, in straight code and in loops
void gmc_probe_pair(const double *restrict a, const double *restrict b, double *restrict out)
{
    out[0] = a[0] * b[0] - a[1] * b[1];
    out[1] = a[0] * b[1] + a[1] * b[0];
}

void gmc_probe_pairs(const double *restrict a, const double *restrict b, double *restrict out,
                     int count)
{
    for (int i = 0; i < count; ++i) {
        out[2 * i] = a[2 * i] * b[2 * i] - a[2 * i + 1] * b[2 * i + 1];
        out[2 * i + 1] = a[2 * i] * b[2 * i + 1] + a[2 * i + 1] * b[2 * i];
    }
}

void gmc_probe_axpy(double a, const double *restrict x, double *restrict y, int count)
{
    for (int i = 0; i < count; ++i)
        y[i] += a * x[i];
}
