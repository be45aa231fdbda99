/// Which laws there are: the one place that names them. A law adds its header, its name and, where
/// it has them, its settings, solvers and levels (ARCHITECTURE.md, How to add).
#ifndef GMC_ENGINE_CONTACT_LAWS_H
#define GMC_ENGINE_CONTACT_LAWS_H

#include "engine/contact/coulomb/coulomb.h"
#include "engine/contact/rigid/anitescu_potra.h"
#include "engine/contact/rigid/stewart_trinkle.h"
#include "engine/contact/visco_elastic/song_pang_kumar.h"

/// Steppers by name: of gmc_coulomb_stepper and of what coulomb.h calls GMC_COULOMB_...
#define GMC_DEFAULT_STEPPER(L) L(coulomb, COULOMB)
#define GMC_OTHER_STEPPERS(L)                                                                      \
    L(stewart_trinkle, STEWART_TRINKLE)                                                            \
    L(anitescu_potra, ANITESCU_POTRA)                                                              \
    L(song_pang_kumar, SONG_PANG_KUMAR)

/// Settings, each list once, though several laws may share it.
#define GMC_STEPPER_SETTINGS(NUMBER, WHOLE, WORD)                                                  \
    GMC_RIGID_SETTINGS(NUMBER, WHOLE, WORD)                                                        \
    GMC_SONG_PANG_KUMAR_SETTINGS(NUMBER, WHOLE, WORD)

/// Names of solvers, each once.
#define GMC_STEPPER_SOLVERS(separator)                                                             \
    GMC_COULOMB_SOLVERS(separator)                                                                 \
    separator GMC_RIGID_SOLVERS(separator)                                                         \
    separator GMC_SONG_PANG_KUMAR_SOLVERS(separator)

/// Words of `study.ladder` that mean a law, LEVEL(word, stepper, motion): of those cheaper than
/// what the scenario says, and of those dearer.
#define GMC_STEPPER_CHEAP_LEVELS(LEVEL) GMC_STEWART_TRINKLE_LEVELS(LEVEL)
#define GMC_STEPPER_DEAR_LEVELS(LEVEL)  GMC_SONG_PANG_KUMAR_LEVELS(LEVEL)

#endif
