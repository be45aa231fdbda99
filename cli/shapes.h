/// Shapes of a model for those who draw it: scripts/plot_trial reads them.
#ifndef GMC_CLI_SHAPES_H
#define GMC_CLI_SHAPES_H

#include "cli/json.h"
#include "engine/model/model.h"

/// Two keys of an object, described in sampling/store/FORMAT.md, "Shapes of a trial": `shapes`, one
/// element per geom, and `supports`, one per body that lies on points.
void gmc_shapes_print(gmc_json *json, const gmc_model *model);

#endif
