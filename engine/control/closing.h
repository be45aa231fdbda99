/// Which way a joint of a hand closes, and which joints are those that close: from the hand's
/// geometry alone, every joint in the middle of its range.
///
/// The palm is the last link that all fingers hang on; a link that carries one finger alone is
/// none. A link stands for its surface with the middle of the box around its shapes. The middle of
/// the hand lies half way between the palm's and the mean of the fingers'. A joint closes in the
/// direction in which the links that it moves (joints that mimic it move theirs with it) come
/// nearer to it; of a turning joint that counts alone which way a link lies in the plane that it
/// turns in. Of a sliding joint the tool point, if one is given, and the surfaces of the hand that
/// face its links along its axis are asked as well, and the majority of the three has it. Where it
/// brings one finger nearer as another that mimics it goes away, neither is closing.
#ifndef GMC_ENGINE_CONTROL_CLOSING_H
#define GMC_ENGINE_CONTROL_CLOSING_H

#include "engine/base/arena.h"
#include "engine/model/model.h"

/// Why a direction cannot be told.
typedef enum gmc_closing_doubt {
    GMC_CLOSING_TOLD,     ///< it can
    GMC_CLOSING_CARRIES,  ///< the joint carries the palm with all fingers
    GMC_CLOSING_NOTHING,  ///< what it moves has no shapes
    GMC_CLOSING_SIDEWAYS, ///< what it moves comes hardly nearer in either direction
    GMC_CLOSING_DISPUTED, ///< of a sliding joint: the middle of the hand, the tool point and facing
                          ///< surfaces tell different directions, or surfaces of the palm face it
                          ///< on both sides and no tool point is given
    GMC_CLOSING_AT_ODDS   ///< one of the links that it moves comes nearer as another, which mimics
                          ///< it, goes away
} gmc_closing_doubt;

typedef struct gmc_closing {
    double sign; ///< of the joint's motion that closes: +1, -1; 0: it cannot be told
    gmc_closing_doubt doubt;
    bool is_flexion; ///< it bends a finger: its axis is within 30 degrees parallel to that of the
                     ///< last joint of a finger on it, and it does not carry the palm
} gmc_closing;

typedef struct gmc_closing_hand {
    int base_body;
    int tool_frame; ///< where a direction is looked for that the hand alone does not tell or that
                    ///< a sliding joint has, and which link the palm is where there is one
                    ///< finger; -1: the base, which is asked only where the hand does not tell
} gmc_closing_hand;

/// @param model   its limits give the middles; a joint without a limit stands at 0, one with one
///                limit there if that is beyond 0
/// @param of_dof  (dof_count) out; dofs of other bodies get sign 0
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_closing_find(const gmc_model *model, const gmc_closing_hand *hand,
                                           gmc_arena *scratch, gmc_closing *of_dof);

#endif
