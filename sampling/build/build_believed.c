// Where the robot sees the object: the true pose and a camera's error. With the true pose X_wo and
// the camera's axes R_wc,
//
//   place      p = p_wo + R_wc e          e  x, y, z of the error [m]
//   direction  R = exp([R_wc r]) R_wo T   r  roll, pitch, yaw: a rotation vector [rad]
//
// T turns about an axis of the object where the trial is an outlier. The turn is about the object's
// origin: errors of place and direction are those of the pose that a hand's target hangs on.
//
// Rejected: errors of roll, pitch and yaw as Euler angles in the camera. Their covariance is that
// of no rotation, and an estimator that reports one reports a rotation vector.
#include "engine/math/elementary.h"
#include "sampling/build/build_internal.h"

#include <math.h>

/// Nearer to the vertical than this a camera has no upright picture of its own [rad].
static const double VERTICAL = 1e-6;

/// Nearer than this a camera looks at nothing [m].
static const double NEAREST = 1e-9;

// Axes of an upright picture of `at`, seen from `from`.
static gmc_status axes_of_view(gmc_vec3 from, gmc_vec3 at, gmc_mat3 *R_wc)
{
    gmc_vec3 way = gmc_vec3_sub(at, from);
    if (!(gmc_vec3_norm(way) > NEAREST)) return GMC_E_INPUT;
    gmc_vec3 z = gmc_vec3_unit(way), x = gmc_vec3_cross(z, (gmc_vec3){0, 0, 1});
    if (gmc_vec3_norm(x) < VERTICAL) x = gmc_vec3_cross(z, (gmc_vec3){0, 1, 0});
    x = gmc_vec3_unit(x);
    gmc_vec3 y = gmc_vec3_cross(z, x);
    *R_wc = (gmc_mat3){{x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z}};
    return GMC_OK;
}

static gmc_vec3 vector_of(const double *values, const gmc_param xyz[3])
{
    return (gmc_vec3){gmc_build_value(values, xyz[0], 0), gmc_build_value(values, xyz[1], 0),
                      gmc_build_value(values, xyz[2], 0)};
}

// The camera's axes. Where it was pointed is nominal, where it stands is true.
static gmc_status axes_of(const gmc_build *build, const gmc_believed_in *in,
                          const gmc_camera_spec *camera, gmc_mat3 *R_wc)
{
    gmc_vec3 from = vector_of(in->values, camera->xyz), at = in->nominal.p;
    switch (camera->aim) {
    case GMC_AIM_NONE: {
        gmc_pose_spec turned = {-1, -1, -1, camera->roll, camera->pitch, camera->yaw};
        *R_wc = gmc_build_pose(in->values, &turned).R;
        return GMC_OK;
    }
    case GMC_AIM_OBJECT:
        break;
    case GMC_AIM_SCENE:
        at = gmc_build_place(build, in->nominal_model, &build->scene[camera->scene],
                             in->nominal_values)
                 .p;
        break;
    case GMC_AIM_POINT:
        at = vector_of(in->values, camera->point);
        break;
    }
    return axes_of_view(from, at, R_wc);
}

gmc_status gmc_build_believed(const gmc_build *build, const gmc_believed_in *in, gmc_pose *seen)
{
    const gmc_sight_spec *sight = &build->scenario->sight;
    gmc_mat3 R_wc = gmc_mat3_identity();
    double growth = 1;
    if (sight->camera >= 0) {
        const gmc_camera_spec *camera = &build->scenario->cameras[sight->camera];
        GMC_TRY(axes_of(build, in, camera, &R_wc));
        gmc_vec3 way = gmc_vec3_sub(in->truth.p, vector_of(in->values, camera->xyz));
        if (sight->distance >= 0)
            growth = gmc_pow(gmc_vec3_norm(way) / in->values[sight->distance],
                             gmc_build_value(in->values, sight->power, 1));
    }
    gmc_vec3 place = gmc_vec3_scale(growth, vector_of(in->values, sight->error));
    gmc_vec3 turn = gmc_vec3_scale(growth, vector_of(in->values, sight->error + 3));
    gmc_mat3 err = gmc_quat_matrix(gmc_quat_exp(gmc_mat3_apply(&R_wc, turn)));
    seen->p = gmc_vec3_add(in->truth.p, gmc_mat3_apply(&R_wc, place));
    seen->R = gmc_mat3_multiply(&err, &in->truth.R);
    if (gmc_build_value(in->values, sight->outlier, 0) > 0.5) {
        double by = gmc_build_value(in->values, sight->turn, 0);
        gmc_vec3 about = {sight->about == 0 ? by : 0, sight->about == 1 ? by : 0,
                          sight->about == 2 ? by : 0};
        gmc_mat3 T = gmc_quat_matrix(gmc_quat_exp(about));
        seen->R = gmc_mat3_multiply(&seen->R, &T);
    }
    return GMC_OK;
}
