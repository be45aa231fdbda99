/// Worlds for tests and benches: a model put together in a few lines, a world of the default
/// stepper on it, a control to fill in, and what all steps needed.
#ifndef GMC_TEST_SUPPORT_STAGE_H
#define GMC_TEST_SUPPORT_STAGE_H

#include "engine/contact/stepper.h"
#include "engine/model/builder.h"
#include "test/support/chance.h"

enum { GMC_STAGE_RUNGS = 5 };

typedef struct gmc_stage {
    gmc_arena models, trial, scratch;
    gmc_diagnostics report;
    gmc_builder *builder; ///< between open and ready
    gmc_model model;
    gmc_world world;
    gmc_control control; ///< points to the arrays below
    double *force, *stiffness, *damping, *q_ref, *v_ref, *force_limit, *v_driven, *q_driven;
    gmc_ode *ode;               ///< of steppers that are integrated
    const gmc_stepper *stepper; ///< set before ready; NULL: the default
    gmc_step_options options;
    gmc_step_report last;
    // sums over all steps since ready
    long steps, iterations, rungs[GMC_STAGE_RUNGS + 1], unsolved, contacts;
    double max_residual, max_penetration;
} gmc_stage;

/// Start a model: surface "any" with itself has `friction`, k 1e6 N/m, relaxation 2 ms, k_T/k 0.8.
void gmc_stage_open(gmc_stage *stage, double friction);

/// A free solid with one geom of its shape at p, uniform density.
void gmc_stage_free(gmc_stage *stage, const char *name, gmc_shape shape, double mass, gmc_vec3 p);

/// The same of several shapes in the body's frame, mass by their volumes, turned by R.
void gmc_stage_compound(gmc_stage *stage, const char *name, const gmc_shape *shapes, int count,
                        double mass, gmc_pose X);

/// A geom of the world; for planes: z is the normal.
void gmc_stage_fixed(gmc_stage *stage, const char *name, gmc_shape shape, gmc_pose X_wg);

/// A solid on a prismatic joint of `parent` (NULL: world) along `axis`, at p in the parent's frame;
/// a zero-size shape gives a link without geom.
void gmc_stage_slider(gmc_stage *stage, const char *name, const char *parent, gmc_vec3 axis,
                      gmc_vec3 p, gmc_shape shape, double mass, gmc_dof dof, bool is_driven);

/// A bare link (1 kg) on a revolute joint of `parent` about `axis` through p.
void gmc_stage_hinge(gmc_stage *stage, const char *name, const char *parent, gmc_vec3 axis,
                     gmc_vec3 p, bool is_driven);

/// Finish the model, create world and control (no servos, no forces). Aborts with the reports on a
/// mistake: scenes of tests are right.
void gmc_stage_ready(gmc_stage *stage, int contact_max);

/// Back to q_start at rest, without memory.
void gmc_stage_restart(gmc_stage *stage);

/// One step; driven joints' q_driven from v_driven is the caller's. Counts.
gmc_status gmc_stage_step(gmc_stage *stage, double h);

/// Steps until world time t + span; stops at the first failure.
gmc_status gmc_stage_run(gmc_stage *stage, double h, double span);

void gmc_stage_friction(gmc_stage *stage, double friction); ///< of "any" with itself, from now on
/// What friction of "any" with itself has beyond its coefficient, from now on; the caller's.
void gmc_stage_extra(gmc_stage *stage, const gmc_surface_extra *extra);
int gmc_stage_body(const gmc_stage *stage, const char *name);
int gmc_stage_dof(const gmc_stage *stage, const char *name);
gmc_vec3 gmc_stage_place(const gmc_stage *stage, const char *name);    ///< of the body frame [m]
gmc_vec3 gmc_stage_velocity(const gmc_stage *stage, const char *name); ///< of its mass centre [m/s]
double gmc_stage_energy(const gmc_stage *stage);                       ///< of motion and weight [J]
void gmc_stage_close(gmc_stage *stage);

gmc_shape gmc_stage_box(double x, double y, double z); ///< half sizes
gmc_shape gmc_stage_plane(void);
gmc_shape gmc_stage_draw(gmc_chance *chance); ///< box, ball or capsule of 10 to 80 mm

// ---- scenes used by several tests ---------------------------------------------------------------

/// The gripper of the comparison with other engines: wrist y, z (1 kg, servos kp 20000, kd 320),
/// fingers fl, fr (0.05 kg, 20 N·s/m, boxes 10 x 20 x 30 mm), cube "obj" of 50 mm, 0.2 kg on a
/// table; 10 dofs. The object is a sphere of the same width if asked.
void gmc_stage_pinch(gmc_stage *stage, double friction, bool is_sphere);

/// That cube with friction 0.3 in another stepper's world, lifted by 10 N of each finger, shaken,
/// and then held for `span` [s] at 2 ms steps.
/// @return how far it moved while it was held [m]; NaN: a step failed, or it was not lifted
double gmc_stage_pinch_held(gmc_stage *stage, const gmc_stepper *stepper, double span);

/// The same with any object [kg] in place of the cube, its frame where the cube's was.
void gmc_stage_pinch_of(gmc_stage *stage, double friction, gmc_shape object, double mass);

/// The same with an object of several shapes, its frame at X.
void gmc_stage_pinch_compound(gmc_stage *stage, double friction, const gmc_shape *shapes, int count,
                              double mass, gmc_pose X);

/// The schedule of that gripper at time t: grip force, wrist references. Shake along y if asked.
void gmc_stage_pinch_control(gmc_stage *stage, double t, double grip, bool shake);

#endif
