// CVODE's objects have a fixed size: those of the size asked for last are kept, so that problems of
// one size, trial after trial, are re-initialised and not made anew. CVodeReInit forgets order,
// step and Jacobian; what it keeps are settings, which are the same for all problems. Nothing of
// SUNDIALS is printed: what it would say comes back as a status.

#include "engine/integrate/ode.h"

#include <cvode/cvode.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdlib.h>
#include <string.h>
#include <sundials/sundials_types.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

_Static_assert(sizeof(realtype) == sizeof(double), "SUNDIALS computes with another number");

/// A step that is no longer than this share of the time is none: some units in the last place.
static const double NO_STEP = 1e-15;

struct gmc_ode {
    SUNContext context;
    void *cvode;
    SUNMatrix matrix;
    SUNLinearSolver solver;
    N_Vector y, absolute, relative;
    gmc_ode_problem problem; ///< size 0: there are no objects
    gmc_status failure;      ///< of a function of the problem
    double t;                ///< where it stands
};

// ---- what CVODE calls --------------------------------------------------------------------------

/// 0: fine, > 0: try a shorter step, < 0: give up.
static int answer(gmc_ode *ode, gmc_status status)
{
    ode->failure = status;
    return status == GMC_OK ? 0 : status == GMC_E_DIVERGED ? 1 : -1;
}

static int call_rate(realtype t, N_Vector y, N_Vector rate, void *user)
{
    gmc_ode *ode = user;
    return answer(ode, ode->problem.rate(ode->problem.context, t, N_VGetArrayPointer(y),
                                         N_VGetArrayPointer(rate)));
}

static int call_roots(realtype t, N_Vector y, realtype *g, void *user)
{
    gmc_ode *ode = user;
    return answer(ode, ode->problem.roots(ode->problem.context, t, N_VGetArrayPointer(y), g));
}

static int weigh(N_Vector y, N_Vector weight, void *user)
{
    const gmc_ode *ode = user;
    const double *value = N_VGetArrayPointer(y), *absolute = N_VGetArrayPointer(ode->absolute);
    const double *relative = N_VGetArrayPointer(ode->relative);
    double *out = N_VGetArrayPointer(weight);
    for (int i = 0; i < ode->problem.size; i++)
        out[i] = 1 / (absolute[i] + relative[i] * fabs(value[i]));
    return 0;
}

static void keep_silent(int code, const char *module, const char *function, char *message,
                        void *user)
{
    (void)code, (void)module, (void)function, (void)message, (void)user;
}

// ---- objects -----------------------------------------------------------------------------------

gmc_status gmc_ode_create(gmc_ode **ode)
{
    gmc_ode *made = calloc(1, sizeof *made);
    if (!made) return GMC_E_MEMORY;
    if (SUNContext_Create(NULL, &made->context) != 0) {
        free(made);
        return GMC_E_MEMORY;
    }
    *ode = made;
    return GMC_OK;
}

static void free_objects(gmc_ode *ode)
{
    if (ode->cvode) CVodeFree(&ode->cvode);
    if (ode->solver) SUNLinSolFree(ode->solver);
    if (ode->matrix) SUNMatDestroy(ode->matrix);
    if (ode->y) N_VDestroy(ode->y);
    if (ode->absolute) N_VDestroy(ode->absolute);
    if (ode->relative) N_VDestroy(ode->relative);
    *ode = (gmc_ode){.context = ode->context};
}

void gmc_ode_free(gmc_ode *ode)
{
    if (!ode) return;
    free_objects(ode);
    SUNContext_Free(&ode->context);
    free(ode);
}

static gmc_status make_objects(gmc_ode *ode, int size)
{
    free_objects(ode);
    ode->y = N_VNew_Serial(size, ode->context);
    ode->absolute = N_VNew_Serial(size, ode->context);
    ode->relative = N_VNew_Serial(size, ode->context);
    ode->matrix = SUNDenseMatrix(size, size, ode->context);
    ode->cvode = CVodeCreate(CV_BDF, ode->context);
    if (!ode->y || !ode->absolute || !ode->relative || !ode->matrix || !ode->cvode)
        return GMC_E_MEMORY;
    ode->solver = SUNLinSol_Dense(ode->y, ode->matrix, ode->context);
    return ode->solver ? GMC_OK : GMC_E_MEMORY;
}

/// @return did all of it go well?
static bool set_up(gmc_ode *ode, double t)
{
    // the error handler first: what follows would print
    return CVodeSetErrHandlerFn(ode->cvode, keep_silent, NULL) == CV_SUCCESS &&
           CVodeInit(ode->cvode, call_rate, t, ode->y) == CV_SUCCESS &&
           CVodeSetUserData(ode->cvode, ode) == CV_SUCCESS &&
           CVodeWFtolerances(ode->cvode, weigh) == CV_SUCCESS &&
           CVodeSetLinearSolver(ode->cvode, ode->solver, ode->matrix) == CV_SUCCESS &&
           CVodeSetNoInactiveRootWarn(ode->cvode) == CV_SUCCESS &&
           CVodeSetMaxHnilWarns(ode->cvode, -1) == CV_SUCCESS;
}

gmc_status gmc_ode_start(gmc_ode *ode, const gmc_ode_problem *problem, double t, const double *y)
{
    size_t bytes = (size_t)problem->size * sizeof(double);
    bool is_new = problem->size != ode->problem.size;
    if (is_new) {
        gmc_status status = make_objects(ode, problem->size);
        if (status != GMC_OK) {
            free_objects(ode);
            return status;
        }
    }
    ode->problem = *problem;
    ode->problem.directions = NULL; // the caller's, copied
    ode->problem.absolute = ode->problem.relative = NULL;
    ode->t = t;
    memcpy(N_VGetArrayPointer(ode->y), y, bytes);
    memcpy(N_VGetArrayPointer(ode->absolute), problem->absolute, bytes);
    memcpy(N_VGetArrayPointer(ode->relative), problem->relative, bytes);
    bool is_good = is_new ? set_up(ode, t) : CVodeReInit(ode->cvode, t, ode->y) == CV_SUCCESS;
    is_good = is_good && CVodeRootInit(ode->cvode, problem->root_count, call_roots) == CV_SUCCESS;
    if (problem->root_count > 0)
        is_good = is_good && CVodeSetRootDirection(ode->cvode, problem->directions) == CV_SUCCESS;
    if (is_good) return GMC_OK;
    free_objects(ode);
    return GMC_E_LIBRARY;
}

gmc_status gmc_ode_refresh(gmc_ode *ode, bool is_always)
{
    // CVODE's own, 20 and 51 (0 restores them)
    long every = is_always ? 1 : 0;
    bool is_good = CVodeSetLSetupFrequency(ode->cvode, every) == CV_SUCCESS &&
                   CVodeSetJacEvalFrequency(ode->cvode, every) == CV_SUCCESS;
    return is_good ? GMC_OK : GMC_E_LIBRARY;
}

gmc_status gmc_ode_step(gmc_ode *ode, double t_end, double *t, double *y, bool *is_root)
{
    ode->failure = GMC_OK;
    if (CVodeSetStopTime(ode->cvode, t_end) != CV_SUCCESS) return GMC_E_LIBRARY;
    int code = CVode(ode->cvode, t_end, ode->y, t, CV_ONE_STEP);
    if (code < 0) {
        bool is_ours = ode->failure != GMC_OK && ode->failure != GMC_E_DIVERGED;
        return is_ours ? ode->failure : GMC_E_INTEGRATOR;
    }
    // before what no step gets over, steps become as short as time can tell, but do not fail
    bool is_stuck = code == CV_SUCCESS && !(*t - ode->t > NO_STEP * fabs(*t));
    if (is_stuck) return GMC_E_INTEGRATOR;
    ode->t = *t;
    memcpy(y, N_VGetArrayPointer(ode->y), (size_t)ode->problem.size * sizeof *y);
    *is_root = code == CV_ROOT_RETURN;
    return GMC_OK;
}

gmc_ode_counts gmc_ode_counted(const gmc_ode *ode)
{
    gmc_ode_counts counts = {0};
    if (!ode->cvode) return counts;
    (void)CVodeGetNumSteps(ode->cvode, &counts.steps);
    (void)CVodeGetNumNonlinSolvIters(ode->cvode, &counts.iterations);
    (void)CVodeGetLastStep(ode->cvode, &counts.last_step);
    return counts;
}
