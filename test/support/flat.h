/// Planar worlds for tests: bodies on planar joints, things that stand, pushers on driven sliders.
/// What pieces are made of lives until gmc_flat_close.
#ifndef GMC_TEST_SUPPORT_FLAT_H
#define GMC_TEST_SUPPORT_FLAT_H

#include "engine/model/polygon.h"
#include "test/support/stage.h"

/// Block of the measured pushes (pushes.h): legs of 0.15 m, about its mass centre [m].
extern const gmc_vec2 GMC_PUSHED_BLOCK[3];

typedef struct gmc_flat {
    gmc_stage stage;
    gmc_arena shapes;
} gmc_flat;

/// As gmc_stage_open; gravity as given.
void gmc_flat_open(gmc_flat *flat, double friction, gmc_vec3 gravity);
void gmc_flat_close(gmc_flat *flat);

/// A polygon (counter-clockwise, simple), cut into pieces; aborts if it is not good.
gmc_polygon_pieces gmc_flat_polygon(gmc_flat *flat, const gmc_vec2 *vertices, int count);
gmc_polygon_pieces gmc_flat_rectangle(gmc_flat *flat, double half_x, double half_y);

gmc_shape gmc_flat_circle(double radius);

/// A body on a planar joint, of pieces of a polygon; its frame starts at (x, y, angle).
void gmc_flat_body(gmc_flat *flat, const char *name, const gmc_polygon_pieces *pieces, double mass,
                   gmc_vec3 start);

/// The same of one shape.
void gmc_flat_round(gmc_flat *flat, const char *name, gmc_shape shape, double mass, gmc_vec3 start);

/// What stands.
void gmc_flat_fixed(gmc_flat *flat, const char *name, const gmc_polygon_pieces *pieces,
                    gmc_vec3 place);

/// A shape on a slider along `along` (NULL shape: none), of mass 1 kg.
void gmc_flat_slider(gmc_flat *flat, const char *name, const char *parent, gmc_vec2 along,
                     gmc_vec3 start, const gmc_shape *shape, bool is_driven);

/// Points on which a body stands.
void gmc_flat_support(gmc_flat *flat, const char *name, const gmc_support_point *points, int count);

/// A round pusher on two driven sliders, from `from` on.
void gmc_flat_pusher(gmc_flat *flat, gmc_vec2 from, double radius);

/// Move it by `way` in `span` seconds of equal steps near h; a step without a solution is halved as
/// the rollout does, up to three times.
/// @return GMC_OK, or what the step said that failed
gmc_status gmc_flat_push(gmc_flat *flat, gmc_vec2 way, double span, double h);

/// x, y, angle of a body on a planar joint.
gmc_vec3 gmc_flat_place(const gmc_flat *flat, const char *name);

#endif
