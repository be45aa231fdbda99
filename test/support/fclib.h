/// Frictional contact problems in files of the FCLIB layout (HDF5), local (W, q, mu) and global
/// (M, H, G, f, w, b, mu), read into the dual problem type. Source: [acary2014].
#ifndef GMC_TEST_SUPPORT_FCLIB_H
#define GMC_TEST_SUPPORT_FCLIB_H

#include "engine/complementarity/dual.h"

/// Bytes of an arena for a problem, or for a solver of it: more than any of 107 contacts takes.
/// What is not touched costs nothing.
enum { GMC_FCLIB_ROOM = 128 << 20 };

typedef struct gmc_fclib {
    gmc_arena memory; ///< what the rest points into
    gmc_dual dual;
    int contact_count;    ///< the first units; those behind are bilateral rows of a global problem
    gmc_dual_unit *units; ///< those of `dual`, for who wants other laws
    double *q;            ///< that of `dual`, likewise
    double *guess;        ///< (3 per unit) impulses of the step before, NULL if the file has none
} gmc_fclib;

/// Read one file.
/// @return GMC_OK, GMC_E_MISSING (cannot be opened), GMC_E_INPUT (no 3D problem of this layout in
///         it), GMC_E_MEMORY; nothing to free unless GMC_OK
GMC_MUST_CHECK gmc_status gmc_fclib_read(const char *path, gmc_fclib *file);

void gmc_fclib_free(gmc_fclib *file);

/// The residual of Siconos, for comparison with the literature (it depends on the units):
///
///   |r - P_K(r - u - mu |u_T| e_N)| / max(|q|, |r|, |u|),   u = W r + q,  P_K onto the cone
///
/// over the contacts. Source: [acary2018] §2; fc3d_compute_error of Siconos.
double gmc_fclib_residual(const gmc_dual *dual, const double *r);

#endif
