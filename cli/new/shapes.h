/// Shapes of a model for those who draw it: scripts/plot_trial reads them.
#ifndef GMC_CLI_NEW_SHAPES_H
#define GMC_CLI_NEW_SHAPES_H

#include "cli/process/json.h"
#include "engine/model/model.h"

/// Two keys of an object, described in sampling/store/FORMAT.md, "Shapes of a trial": `shapes`, one
/// element per geom, and `supports`, one per body that lies on points.
void gmc_shapes_print(gmc_json *json, const gmc_model *model);

/// What is done with each of the points whose hull, grown by `radius`, is a shape.
typedef void gmc_shapes_taker(void *context, gmc_vec3 point, double radius);

/// The points of all shapes of a body but planes, in the body's frame.
void gmc_shapes_of_body(const gmc_model *model, int body, gmc_shapes_taker *take, void *context);

/// Box around them. @return false: there are none, and the box is inside out
bool gmc_shapes_box(const gmc_model *model, int body, gmc_vec3 *low, gmc_vec3 *high);

#endif
