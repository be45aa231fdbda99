/// Limit analysis of Coulomb friction under uniform pressure by brute force, for tests: shares no
/// code with the engine.
#ifndef GMC_TEST_SUPPORT_SLIP_LIMIT_H
#define GMC_TEST_SUPPORT_SLIP_LIMIT_H

enum { SUPPORT_CELLS = 60, SUPPORT_CORNERS_MAX = 24 };

/// An area as equal cells.
typedef struct support_area {
    int count;
    double x[SUPPORT_CELLS * SUPPORT_CELLS], y[SUPPORT_CELLS * SUPPORT_CELLS]; ///< [m]
} support_area;

/// A convex polygon, counter-clockwise.
typedef struct support_polygon {
    int count;
    double x[SUPPORT_CORNERS_MAX], y[SUPPORT_CORNERS_MAX]; ///< [m]
} support_polygon;

/// What is common to two polygons; at most SUPPORT_CORNERS_MAX corners.
support_polygon support_polygon_clip(const support_polygon *a, const support_polygon *b);

/// Area [m²] and centroid.
double support_polygon_centroid(const support_polygon *polygon, double centroid[2]);

/// The cells of a grid over a polygon whose middles are in it.
void support_area_fill(support_area *area, const support_polygon *polygon);

/// Largest factor of a force and a moment about the origin that uniform pressure bears, over mu N:
/// the smallest over all motions of power over work, looked for on a sphere of motions, finer and
/// finer.
/// @param size  of the area, to weigh turning with [m]
/// @param load  f_x, f_y, m [-, -, m]
double support_slip_limit(const support_area *area, double size, const double load[3]);

#endif
