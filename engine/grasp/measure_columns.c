// Names, units and meanings of what can be measured: the one place that parser, help, results and
// their format description read.
#include "engine/grasp/measure.h"

#include <stdio.h>
#include <string.h>

const gmc_measure_info gmc_measure_infos[GMC_MEASURE_KIND_COUNT] = {
    [GMC_MEASURE_LIFT] = {"lift", "m", "b", "height of the centre of mass above its start"},
    [GMC_MEASURE_SLIP] = {"slip", "m", "bb",
                          "way of the first's centre of mass in the frame of the second since the "
                          "last `close` ended, without one since the start"},
    [GMC_MEASURE_SLIP_ANGLE] = {"slip_angle", "rad", "bb",
                                "turn of the first in the frame of the second, likewise"},
    [GMC_MEASURE_MOVED] = {"moved", "m", "b", "distance of the centre of mass from its start"},
    [GMC_MEASURE_TURNED] = {"turned", "rad", "b", "angle of the body against its start"},
    [GMC_MEASURE_TILTED] = {"tilted", "rad", "b",
                            "angle between the body's z axis and where it pointed at the start"},
    [GMC_MEASURE_SPEED] = {"speed", "m/s", "b", "speed of the centre of mass"},
    [GMC_MEASURE_SPIN] = {"spin", "rad/s", "b", "angular speed"},
    [GMC_MEASURE_CONTACT] = {"contact", "1", "bb", "1 if the two touch with force, else 0"},
    [GMC_MEASURE_HELD_BY] = {"held_by", "1", "b",
                             "number of hand links that touch the body with force"},
    [GMC_MEASURE_FORCE] =
        {"force", "N", "bb",
         "sum of the normal forces between the two: their impulse over the last 8 ms, or "
         "over the last step where that is longer"},
    [GMC_MEASURE_HEIGHT] = {"height", "m", "b",
                            "height of the centre of mass over the world's origin"},
    [GMC_MEASURE_DISTANCE] = {"distance", "m", "bb", "distance between the frames of the two"},
    [GMC_MEASURE_LEANS] = {"leans", "rad", "b",
                           "angle between the body's z axis and the world's; in planar worlds "
                           "between their y axes"},
    [GMC_MEASURE_PLACE] =
        {"distance", "m", "bpf",
         "distance of the body's frame from a place, of the world or in the frame of b: "
         "`distance(object, [300 mm, 0 mm, 25 mm])`; in planar worlds `[x, y]`"},
    [GMC_MEASURE_ANGLE] =
        {"angle", "rad", "bxxf",
         "angle between an axis of the body and one of the world, or of b: `angle(object, x, -z)`"},
};

const char *gmc_measure_usage(const gmc_measure_info *info, const char *a, const char *b,
                              char text[GMC_MEASURE_USAGE_MAX])
{
    int body = 0, used = snprintf(text, GMC_MEASURE_USAGE_MAX, "%s(", info->name);
    for (int i = 0; info->takes[i]; i++) {
        const char *comma = i > 0 ? ", " : "", *word = "";
        switch ((gmc_measure_takes)info->takes[i]) {
        case GMC_TAKES_BODY:
        case GMC_TAKES_FRAME:
            word = body++ == 0 ? a : b;
            break;
        case GMC_TAKES_PLACE:
            word = "[x, y, z]";
            break;
        case GMC_TAKES_AXIS:
            word = "axis";
            break;
        case GMC_TAKES_NO_MORE:
            break;
        }
        used += snprintf(text + used, (size_t)(GMC_MEASURE_USAGE_MAX - used), "%s%s", comma, word);
    }
    snprintf(text + used, (size_t)(GMC_MEASURE_USAGE_MAX - used), ")");
    return text;
}

const gmc_column gmc_fixed_columns[GMC_COLUMN_FIXED_COUNT] = {
    [GMC_COLUMN_LIFT] = {"lift", "m",
                         "height of the object's centre of mass above its start, at the end",
                         GMC_COLUMN_REAL},
    [GMC_COLUMN_SLIP] = {"slip", "m",
                         "largest displacement of the object in the hand (without a hand: in the "
                         "world) since the last `close` ended, without one since the start",
                         GMC_COLUMN_REAL},
    [GMC_COLUMN_SLIP_END] = {"slip_end", "m",
                             "displacement of the object in the hand at the end, counted as `slip`",
                             GMC_COLUMN_REAL},
    [GMC_COLUMN_SLIP_ANGLE] = {"slip_angle", "rad",
                               "largest turn of the object in the hand (without a hand: in the "
                               "world) since the last `close` ended, without one since the start",
                               GMC_COLUMN_REAL},
    [GMC_COLUMN_MOVED] = {"moved", "m", "distance of the object from its start, at the end",
                          GMC_COLUMN_REAL},
    [GMC_COLUMN_TURNED] = {"turned", "rad", "angle of the object against its start, at the end",
                           GMC_COLUMN_REAL},
    [GMC_COLUMN_MAX_PENETRATION] = {"max_penetration", "m", "deepest overlap of any contact",
                                    GMC_COLUMN_REAL},
    [GMC_COLUMN_MAX_FORCE] =
        {"max_force", "N",
         "largest normal force between two bodies: impulse over 8 ms, or over a "
         "longer step",
         GMC_COLUMN_REAL},
    [GMC_COLUMN_MAX_SPEED] = {"max_speed", "m/s", "fastest speed of the object", GMC_COLUMN_REAL},
    [GMC_COLUMN_MAX_JOINT_SPEED] = {"max_joint_speed", "1",
                                    "largest speed of a joint of the hand over its `max_speed`; "
                                    "joints without one do not count",
                                    GMC_COLUMN_REAL},
    [GMC_COLUMN_MAX_JOINT_EFFORT] = {"max_joint_effort", "1",
                                     "largest force of a joint's drive over its `max_force`; "
                                     "joints without one do not count",
                                     GMC_COLUMN_REAL},
    [GMC_COLUMN_HELD_BY] = {"held_by", "1",
                            "hand links that touch the object with force, at the end",
                            GMC_COLUMN_INTEGER},
    [GMC_COLUMN_T_SETTLED] = {"t_settled", "s",
                              "last time at which the object moved faster than 1 mm/s in the hand "
                              "(without a hand: in the world)",
                              GMC_COLUMN_REAL},
    [GMC_COLUMN_T_VIOLATED] = {"t_violated", "s",
                               "when an `always` criterion was first broken; NaN: never",
                               GMC_COLUMN_REAL},
    [GMC_COLUMN_MAX_RESIDUAL] = {"max_residual", "1", "worst scaled residual of an accepted step",
                                 GMC_COLUMN_REAL},
    [GMC_COLUMN_STEPS] = {"steps", "1", "steps taken", GMC_COLUMN_INTEGER},
    [GMC_COLUMN_RETRIES] = {"retries", "1", "steps repeated as two of half the length",
                            GMC_COLUMN_INTEGER},
    [GMC_COLUMN_ITERATIONS] = {"iterations", "1", "solver iterations", GMC_COLUMN_INTEGER},
    [GMC_COLUMN_HARD_STEPS] = {"hard_steps", "1",
                               "steps that the first rung of the solver's ladder did not solve",
                               GMC_COLUMN_INTEGER},
    [GMC_COLUMN_MAX_CONTACTS] = {"max_contacts", "1", "most contact points in one step",
                                 GMC_COLUMN_INTEGER},
    [GMC_COLUMN_T_CLOSED] = {"t_closed", "s", "when the last `close` ended; NaN: never",
                             GMC_COLUMN_REAL},
    [GMC_COLUMN_DECIDED_BY] = {"decided_by", "1",
                               "rule that decided the trial before its end: 0 none, 1 broken, "
                               "2 falling, 3 rest, 4 borne",
                               GMC_COLUMN_INTEGER},
    [GMC_COLUMN_T_DECIDED] = {"t_decided", "s",
                              "when the verdict was certain; NaN: not before the end",
                              GMC_COLUMN_REAL},
    [GMC_COLUMN_AUDIT] = {"audit", "1",
                          "was the early verdict held against the end? 0 no, 1 it was right, "
                          "2 it was wrong",
                          GMC_COLUMN_INTEGER},
    [GMC_COLUMN_HALF_STEP] = {"half_step", "1",
                              "was the trial repeated at half the step? 0 no, 1 the same verdict, "
                              "2 another one, 3 none, although the trial has one, 4 the same, but "
                              "its distance from the limit changed by more than half",
                              GMC_COLUMN_INTEGER},
    [GMC_COLUMN_START_PENETRATION] = {"start_penetration", "m",
                                      "deepest overlap of any contact as the trial began; it is "
                                      "given back slowly",
                                      GMC_COLUMN_REAL},
    [GMC_COLUMN_ENERGY_BALANCE] =
        {"energy_balance", "1",
         "work of drives and gravity less losses, what the scheme took and the change of energy, "
         "relative to the largest of: work of drives in absolute value, change of potential "
         "energy, peak kinetic energy, 1e-6 J; NaN: motion without inertia, other steppers",
         GMC_COLUMN_REAL},
    [GMC_COLUMN_ENERGY_SCHEME] =
        {"energy_scheme", "1",
         "energy that contacts and joints took beyond what their laws lose and store, relative to "
         "the same; < 0: they gave it",
         GMC_COLUMN_REAL},
    [GMC_COLUMN_ENERGY_SIZE] = {"energy_size", "J",
                                "what energy_balance and energy_scheme are relative to",
                                GMC_COLUMN_REAL},
    [GMC_COLUMN_IS_WHOLE] = {"is_whole", "1",
                             "are the measures those of the whole trial? 0: of its beginning, it "
                             "was cut short as broken or falling, or is unsolved",
                             GMC_COLUMN_FLAG},
    [GMC_COLUMN_HARD_PENETRATION] = {"hard_penetration", "m",
                                     "deepest overlap of any contact without a pad",
                                     GMC_COLUMN_REAL},
    [GMC_COLUMN_ENERGY_OBJECT] =
        {"energy_object", "J",
         "what the object exchanged: the largest of the change of its potential energy and its "
         "peak kinetic energy",
         GMC_COLUMN_REAL},
    [GMC_COLUMN_PAD_PRESS] = {"pad_press", "1",
                              "deepest that a pad was pressed, over its thickness; from 0.8 on its "
                              "bottom bears; 0: no pad was, or the stepper knows none",
                              GMC_COLUMN_REAL},
    [GMC_COLUMN_HALF_STEP_CHANCE] = {"half_step_chance", "1",
                                     "chance with which it was chosen for a repetition at half "
                                     "the step; 0: it could not be",
                                     GMC_COLUMN_REAL},
};

int gmc_column_find(const gmc_column *columns, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(columns[i].name, name) == 0) return i;
    return -1;
}
