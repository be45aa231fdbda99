/// Factorisations of dense matrices on views, tuned for the sizes of a mechanism (4 to about 60).
///
///   LDLᵀ  symmetric positive definite, no pivoting: A = Uᵀ D⁻¹ U with the rows of U scaled by D
///   LU    any regular matrix, partial pivoting with weighted rows
///
/// Both work in place, row by row outwards, and skip what is zero: every row knows where its last
/// entry stands, so that bodies that do not touch each other, and chains of bodies that touch only
/// their neighbours, cost what a banded solver would. Source: [golub2013] §3.2, §3.4, §4.1.
///
/// The bits of a result depend on the matrix alone.
#ifndef GMC_ENGINE_MATH_DENSE_H
#define GMC_ENGINE_MATH_DENSE_H

#include <stdbool.h>

/// Σ a_i b_i, in the order of i.
static inline double gmc_dense_dot(const double *a, const double *b, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/// Row-major view of somebody else's numbers. Rows start at multiples of `stride`.
typedef struct gmc_mat {
    double *x;
    int rows, columns;
    int stride; ///< even, >= columns; what lies between columns and stride is scratch
} gmc_mat;

/// Smallest stride that gmc_mat accepts for n columns.
static inline int gmc_mat_stride(int n) { return (n + 1) & ~1; }

/// Factor the upper triangle of the square A in place; what stands below it is destroyed.
/// @param last       (rows) out: for gmc_mat_ldlt_solve
/// @param inverse_d  (rows) out: reciprocal pivots
/// @return false if A is not positive definite (or not finite); A is then destroyed
bool gmc_mat_ldlt_factor(gmc_mat A, int *last, double *inverse_d);

/// x := A⁻¹ x with the factors of gmc_mat_ldlt_factor.
void gmc_mat_ldlt_solve(gmc_mat A, const int *last, const double *inverse_d, double *x);

/// Factor the square A in place.
/// @param weight     (rows) > 0: pivots are compared as |a_ik| weight_i, so that rows of different
///                   units compete fairly; it is permuted along with the rows
/// @param pivot      (rows) out: the row that was exchanged with row k
/// @param last       (rows) out: last column with an entry, per row
/// @param inverse_d  (rows) out: reciprocal pivots
/// @return false if A is singular to working precision or not finite; A is then destroyed
bool gmc_mat_lu_factor(gmc_mat A, double *weight, int *pivot, int *last, double *inverse_d);

/// x := A⁻¹ x with the factors of gmc_mat_lu_factor.
void gmc_mat_lu_solve(gmc_mat A, const int *pivot, const int *last, const double *inverse_d,
                      double *x);

/// Σ a_i b_i over n entries, added up from the first on.
static inline double gmc_mat_dot(const double *a, const double *b, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/// Largest matrix that gmc_mat_eliminate takes.
enum { GMC_MAT_SMALL = 16 };

/// x := A⁻¹ x of a small A, factor and solve in one go; A is destroyed. No rows are exchanged,
/// which is a third of the work: right for a matrix that is not far from a positive definite one.
/// @param A  rows <= GMC_MAT_SMALL; what lies between columns and stride must be finite
/// @return false if a pivot is not positive, not finite or above GMC_MAT_GROWTH times the diagonal
///         entry that it came from; x is then destroyed as well: gmc_mat_lu_factor is for that
bool gmc_mat_eliminate(gmc_mat A, double *x);

/// Pivots of a positive definite matrix are below its diagonal. One that has outgrown it by so much
/// says that the matrix is none, and that rounding may grow likewise.
#define GMC_MAT_GROWTH 4.0

#endif
