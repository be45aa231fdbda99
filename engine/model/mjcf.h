/// MJCF files, MuJoCo's: the same checked description as of a URDF (urdf.h), in one pass with every
/// mistake at its line and column. Source of the format: [mujoco2022].
///
/// Read: compiler (angle, autolimits, eulerseq, meshdir, assetdir, strippath, inertiafromgeom,
/// inertiagrouprange), include, default classes and childclass, mesh assets with scale, body and
/// frame with every way to write an orientation, inertial, joint (hinge, slide, ball), geom (plane,
/// sphere, capsule, cylinder, box, mesh, fromto), contype and conaffinity, exclude, site, fixed
/// tendons, equality of joints, actuators (position, velocity, motor, general).
///
/// What becomes of it:
///
///   worldbody                link `mjcf_root`; its own shapes are scenery, not read (warning)
///   body                     link of that name, frame as in the file; hangs on its last joint
///   more joints of a body    a massless link `BODY:JOINT` for each before the last, and before the
///                            body itself where the joint has a `pos`
///   freejoint of the top     not read (warning): what carries the robot is the scenario's
///   site                     massless link of that name, welded to its body
///   geom                     shape, unless contype = conaffinity = 0; those weigh all the same
///   body without inertial    weighs what its geoms do, at `mass` or `density` (1000 kg/m³)
///   equality of joints       joint1 follows joint2, exactly: MuJoCo's soft coupling made rigid; so
///                            does a fixed tendon of two joints that an equality keeps constant
///   ref of a joint           where it starts, as MuJoCo's qpos0, or the limit that is next to it
///   position, general        stiffness and damping of the joint's servo, times gear²; forcerange
///   velocity                 damping of the joint's servo (warning)
///   motor                    the joint's largest force: forcerange, gear times ctrlrange
///   actuator of a tendon     of that tendon, for whoever drives sums of joints (warning)
///   joint without actuator   has no servo, if the file has actuators at all
///   defaults of actuators    one of a class, whichever word writes it, in the order of the file
///
/// `autolimits` is true where the file is silent, as since MuJoCo 2.3. Not read, named in one
/// warning: solver options, looks, sensors, keyframes, words of newer versions. Refused: what would
/// move otherwise here than there (springs, tendons along sites, muscles, constant forces of
/// actuators, ellipsoids that touch, connect and weld, fluid forces, ...), names close to a known
/// one.
///
/// Paths: meshes relative to `meshdir`, that and included files to the folder of the file; else as
/// in urdf.h.
#ifndef GMC_ENGINE_MODEL_MJCF_H
#define GMC_ENGINE_MODEL_MJCF_H

#include "engine/model/urdf.h"

/// Files that one may include.
enum { GMC_MJCF_INCLUDES_MAX = 64 };

/// Read and check a file with all it includes and all meshes that it needs.
/// @param     options  as for a URDF; its density is the file's
/// @param     report   every mistake and warning
/// @param     urdf     to be freed with gmc_urdf_close, after the models built from it; empty unless
///                     GMC_OK
/// @return GMC_OK, GMC_E_INPUT, GMC_E_MISSING, GMC_E_LIBRARY, GMC_E_LIMIT, GMC_E_IO, GMC_E_MEMORY;
///         all reported
GMC_MUST_CHECK gmc_status gmc_mjcf_open(const char *file, const gmc_urdf_options *options,
                                        gmc_diagnostics *report, gmc_urdf *urdf);

#endif
