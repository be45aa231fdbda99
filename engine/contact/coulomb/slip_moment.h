/// The moment about the normal at which a flat contact begins to slip that bears a force already:
/// limit analysis of Coulomb friction under a known pressure.
///
/// What turns with unit speed about a point q of the contact plane slides at x with |x - q|. A
/// force f and a moment m about the origin, both per mu N, are borne as long as no motion takes
/// more power from them than friction, so the largest moment is
///
///   m(f) = min over q of  E|x - q| - f x q,      f x q = f_x q_y - f_y q_x
///
/// where E is the mean over the pressure. It is convex in q; from |f| = 1 on nothing is left.
///
/// Goyal, Ruina, Papadopoulos, Planar sliding with dry friction, part 1, Wear 143 (1991) 307-330:
/// limit surfaces of areas and of points.
#ifndef GMC_ENGINE_CONTACT_COULOMB_SLIP_MOMENT_H
#define GMC_ENGINE_CONTACT_COULOMB_SLIP_MOMENT_H

/// Forces are taken to be at most this large, per mu N: beyond it motions are all but straight.
#define GMC_SLIP_FORCE_MAX 0.995

/// A point of a contact plane and the share of the pressure that it bears.
typedef struct gmc_slip_point {
    double x, y;   ///< from the middle of the pressure [m]
    double weight; ///< >= 0, all of them sum to 1
} gmc_slip_point;

/// Of a rectangle of uniform pressure about the origin.
/// @param half    half sides along x and y, >= 0, one of them > 0 [m]
/// @param force   per mu N
/// @param centre  out: q of the motion that begins, a guess for others [m]
/// @return the largest moment about the normal, > 0 [m], to 1e-4 of the longer one where the other
///         is 0, else to 1e-7
double gmc_slip_moment_of_rectangle(const double half[2], const double force[2], double centre[2]);

/// Of points.
/// @param centre  a guess of q [m]
/// @return >= 0 [m], as above
double gmc_slip_moment_of_points(const gmc_slip_point *points, int count, const double force[2],
                                 const double centre[2]);

#endif
