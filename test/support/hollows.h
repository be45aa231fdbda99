/// Closed meshes that are not convex, for tests: profiles drawn straight or around an axis, so that
/// volume and distance have closed forms.
#ifndef GMC_TEST_SUPPORT_HOLLOWS_H
#define GMC_TEST_SUPPORT_HOLLOWS_H

#include "engine/model/pieces.h"

typedef enum gmc_hollow {
    GMC_HOLLOW_ELL,     ///< two 60 x 20 mm legs, 30 mm deep
    GMC_HOLLOW_CHANNEL, ///< U of 60 x 40 mm, walls 10 mm, 80 mm long, open to +z
    GMC_HOLLOW_RING,    ///< torus, 40 mm to the middle of an 8 mm thick rim, lying
    GMC_HOLLOW_CUP,     ///< 80 mm wide and high, walls 5 mm, open to +z
    GMC_HOLLOW_MUG,     ///< the cup with a handle towards +x, which reaches 35 mm out: two parts
    GMC_HOLLOW_COUNT
} gmc_hollow;

const char *gmc_hollow_name(gmc_hollow which);

/// Its volume as the mesh encloses it [m³]; the parts of a mug added up.
double gmc_hollow_volume(gmc_hollow which);

/// The mesh; aborts without memory. To be freed with gmc_mesh_free.
gmc_mesh gmc_hollow_mesh(gmc_hollow which);

/// Its pieces with default options; aborts on failure. To be freed with gmc_hull_pieces_free.
gmc_hull_pieces gmc_hollow_pieces(gmc_hollow which);

#endif
