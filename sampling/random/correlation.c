// The eigenvalues come first, by Jacobi's rotations [golub2013, §8.5]: Cholesky's own breakdown
// says that a matrix is impossible, but neither by how much nor which coefficient is to blame.
#include "sampling/random/correlation.h"

#include <math.h>
#include <string.h>

static const double LEAST = -1e-6;

// One rotation that makes A[p][q] zero.
static void rotate(int n, double *A, double *V, int p, int q)
{
    double apq = A[p * n + q];
    double theta = (A[q * n + q] - A[p * n + p]) / (2.0 * apq);
    double t = (theta >= 0.0 ? 1.0 : -1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
    double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    for (int k = 0; k < n; k++) {
        double akp = A[k * n + p], akq = A[k * n + q], vkp = V[k * n + p], vkq = V[k * n + q];
        A[k * n + p] = c * akp - s * akq;
        A[k * n + q] = s * akp + c * akq;
        V[k * n + p] = c * vkp - s * vkq;
        V[k * n + q] = s * vkp + c * vkq;
    }
    for (int k = 0; k < n; k++) {
        double apk = A[p * n + k], aqk = A[q * n + k];
        A[p * n + k] = c * apk - s * aqk;
        A[q * n + k] = s * apk + c * aqk;
    }
}

// Eigenvalues on A's diagonal, eigenvectors in V's columns.
static void diagonalise(int n, double *A, double *V)
{
    enum { SWEEPS = 50 }; // ten are the rule
    const double small = 1e-14;
    memset(V, 0, (size_t)n * (size_t)n * sizeof *V);
    for (int i = 0; i < n; i++)
        V[i * n + i] = 1.0;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double off = 0.0;
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) {
                off = fmax(off, fabs(A[p * n + q]));
                if (fabs(A[p * n + q]) > small) rotate(n, A, V, p, q);
            }
        if (off <= small) return;
    }
}

// vᵀ R v is the eigenvalue: which pair takes most away from it?
static void find_fault(int n, const double *R, const double *V, int column, double least,
                       gmc_correlation_fault *fault)
{
    double most = 0.0;
    *fault = (gmc_correlation_fault){.least = least, .a = 0, .b = n > 1 ? 1 : 0};
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            double part = R[i * n + j] * V[i * n + column] * V[j * n + column];
            if (part >= most) continue;
            most = part;
            fault->a = i;
            fault->b = j;
        }
}

gmc_status gmc_correlation_factor(int n, const double *R, double *L, double *scratch,
                                  gmc_correlation_fault *fault)
{
    double *A = scratch, *V = scratch + (size_t)n * (size_t)n;
    memcpy(A, R, (size_t)n * (size_t)n * sizeof *A);
    diagonalise(n, A, V);
    int worst = 0;
    for (int i = 1; i < n; i++)
        if (A[i * n + i] < A[worst * n + worst]) worst = i;
    if (!(A[worst * n + worst] >= LEAST)) {
        find_fault(n, R, V, worst, A[worst * n + worst], fault);
        return GMC_E_INPUT;
    }

    // Cholesky row by row; a pivot that is 0 but for rounding means that the row is made of those
    // above it, and its column stays empty
    const double no_pivot = 1e-6;
    for (int i = 0; i < n; i++) {
        double rest = 1.0, length = 0.0;
        for (int j = 0; j < n; j++)
            L[i * n + j] = 0.0;
        for (int j = 0; j < i; j++) {
            double sum = R[i * n + j];
            for (int k = 0; k < j; k++)
                sum -= L[i * n + k] * L[j * n + k];
            if (L[j * n + j] > 0.0) L[i * n + j] = sum / L[j * n + j];
            rest -= L[i * n + j] * L[i * n + j];
        }
        if (rest > no_pivot) L[i * n + i] = sqrt(rest);
        for (int j = 0; j <= i; j++)
            length += L[i * n + j] * L[i * n + j];
        for (int j = 0; j <= i; j++)
            L[i * n + j] /= sqrt(length); // a unit row, whatever was rounded
    }
    return GMC_OK;
}
