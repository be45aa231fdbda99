/// What the rigid steppers say of themselves in common: their settings, of which stewart_trinkle
/// knows the first three alone, and their solvers. What they compute in common: rigid_internal.h.
#ifndef GMC_ENGINE_CONTACT_RIGID_RIGID_H
#define GMC_ENGINE_CONTACT_RIGID_RIGID_H

#include "engine/contact/law.h"

/// Settings (law.h). Off a corner 8 directions understate friction by up to 8 % (pyramid.h); shell,
/// correction and bisection are [miller2003]'s, §3.2 and §4, steps 10 and 3.
#define GMC_RIGID_SETTINGS(NUMBER, WHOLE, WORD)                                                    \
    WHOLE(GMC_RIGID_DIRECTIONS, "friction_directions", 4, 64, 8,                                   \
          "directions come in opposite pairs", "friction pyramids of rigid steppers",              \
          "directions of friction at a contact, even, with rigid steppers",                        \
          ". With motion dynamic one of them is where the contact slides: friction is Coulomb's "  \
          "in all directions. With the others they stand still and understate it between two, by " \
          "8 % at most with 8, 29 % with 4")                                                       \
    WORD(GMC_RIGID_FORMULATION, "formulation", "generalised|maximal", generalised,                 \
         "rigid steppers", "with rigid steppers, what joints are",                                 \
         ". generalised: the coordinates of the mechanism; maximal: rows between links that are "  \
         "free bodies, for a check of the one by the other; what is `mounted_on` a link that "     \
         "moves is one, too. A step takes 2 times as long with a gripper of two fingers, 30 "      \
         "times with a hand on an arm: 2.4 ms in place of 0.08. Joints come apart by little, a "   \
         "fifth of which is taken back in each step (`drift_correction`). Motion is dynamic")      \
    NUMBER(GMC_RIGID_CORRECTION, "drift_correction", NONE, 0, 1, 0.2, "", 1,                       \
           "the stepper anitescu_potra, and to rigid steppers with formulation: maximal",          \
           "with anitescu_potra, and with formulation: maximal, the share of an error that is "    \
           "made up for in one step",                                                              \
           ": of how far joints have come apart, and of what is missing to half the shell, that "  \
           "in 2 ms where steps are shorter, and at 40 mm/s at most; what is missing as a trial "  \
           "begins is made up for slowly, at 20 of it a second")                                   \
    WORD(GMC_RIGID_TIME_OF_CONTACT, "time_of_contact", "bisect|none", bisect,                      \
         "the stepper anitescu_potra",                                                             \
         "with anitescu_potra, what happens where bodies would overlap within a step",             \
         ". bisect: the step is cut where they are nearer than `shell`, and where a joint is "     \
         "nearer than 0.1 deg or 0.1 mm to the limit that it goes to; none: they overlap and are " \
         "driven apart later")                                                                     \
    NUMBER(GMC_RIGID_SHELL, "shell", LENGTH, 1e-6, 1e-2, 0.1, " mm", 1e-3,                         \
           "the stepper anitescu_potra",                                                           \
           "with anitescu_potra, the distance at which bodies touch", "")

enum {
    GMC_RIGID_SETTINGS(GMC_SETTING_INDEX, GMC_SETTING_INDEX, GMC_SETTING_INDEX)
        GMC_RIGID_SETTING_COUNT
};

extern const gmc_setting gmc_rigid_settings[];

#define GMC_RIGID_SOLVERS(separator) "lemke"

enum { GMC_RIGID_CAN = GMC_CAN_KINETIC | GMC_CAN_GRAIN | GMC_CAN_TORSION };

#endif
