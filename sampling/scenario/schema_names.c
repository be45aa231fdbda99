// What messages and FORMAT.md call types and groups.
#include "sampling/scenario/schema.h"

const char *gmc_schema_type_name(gmc_schema_type type)
{
    switch (type) {
    case GMC_TYPE_NUMBER:
        return "number";
    case GMC_TYPE_INTEGER:
        return "whole number";
    case GMC_TYPE_VECTOR:
        return "[x, y, z]";
    case GMC_TYPE_STEPS:
        return "number or [x, y, z]";
    case GMC_TYPE_AXIS:
        return "axis";
    case GMC_TYPE_AIM:
        return "name, or [x, y, z]";
    case GMC_TYPE_INERTIA:
        return "six numbers";
    case GMC_TYPE_POLYGON:
    case GMC_TYPE_POINTS:
        return "list of [x, y]";
    case GMC_TYPE_KNOTS:
        return "list of [time, number]";
    case GMC_TYPE_NUMBERS:
        return "number, or list of numbers";
    case GMC_TYPE_WORD:
        return "word";
    case GMC_TYPE_NAME:
        return "name";
    case GMC_TYPE_NAMES:
        return "list of names";
    case GMC_TYPE_TEXT:
        return "text";
    case GMC_TYPE_FILE:
        return "file name";
    case GMC_TYPE_FILES:
        return "list of folders";
    case GMC_TYPE_BOOL:
        return "true or false";
    case GMC_TYPE_GROUP:
        return "map";
    case GMC_TYPE_NAMED:
        return "map by name";
    case GMC_TYPE_PAIRS:
        return "map by pair: number, or map";
    case GMC_TYPE_PHASES:
        return "list of phases";
    case GMC_TYPE_SURFACES:
        return "name, or map by link";
    case GMC_TYPE_CRITERIA:
        return "list of criteria";
    case GMC_TYPE_UNCERTAIN:
    case GMC_TYPE_PARAMETERS:
        return "map by path";
    case GMC_TYPE_CORRELATED:
        return "map by pair";
    case GMC_TYPE_AXES:
        return "map by path, or list";
    case GMC_TYPE_ROUNDS:
        return "whole number, or map";
    case GMC_TYPE_GRASPS:
        return "file name, or map";
    case GMC_TYPE_LADDER:
        return "list of levels";
    case GMC_TYPE_DESIGN:
        return "design";
    case GMC_TYPE_RECORD:
        return "choice of trials";
    case GMC_TYPE_HISTOGRAMS:
        return "list of histograms";
    case GMC_TYPE_PAIR:
        return "[path, path]";
    case GMC_TYPE_PATHS:
        return "path, or [path, path]";
    case GMC_TYPE_COUNTS:
        return "whole number, or list of two";
    case GMC_TYPE_RANGES:
        return "[lower, upper], or list of two";
    case GMC_TYPE_COUNT:
        break;
    }
    return "unknown";
}

const char *gmc_schema_group_name(gmc_schema_group group)
{
    static const char *const NAMES[GMC_SCHEMA_GROUP_COUNT] = {
        [GMC_SCHEMA_ROOT] = "the scenario",
        [GMC_SCHEMA_HAND] = "hand",
        [GMC_SCHEMA_JOINT] = "a joint of the hand",
        [GMC_SCHEMA_ITEM] = "an object or body of the scene",
        [GMC_SCHEMA_PART] = "a part of a body",
        [GMC_SCHEMA_SPHERE] = "sphere, circle or disk",
        [GMC_SCHEMA_ROUND] = "capsule or cylinder",
        [GMC_SCHEMA_PLANE] = "plane",
        [GMC_SCHEMA_ELLIPSE] = "super_ellipse",
        [GMC_SCHEMA_GEAR] = "gear",
        [GMC_SCHEMA_SUPPORT] = "support",
        [GMC_SCHEMA_PATH] = "path",
        [GMC_SCHEMA_PUSH] = "push",
        [GMC_SCHEMA_POSE] = "a pose",
        [GMC_SCHEMA_GRASPS] = "grasps of an object",
        [GMC_SCHEMA_OFFSET] = "a frame of grasps",
        [GMC_SCHEMA_CLUTTER] = "clutter",
        [GMC_SCHEMA_KIND] = "a kind of clutter",
        [GMC_SCHEMA_CAMERA] = "a camera",
        [GMC_SCHEMA_VIEW] = "a camera's pose",
        [GMC_SCHEMA_BELIEVED] = "believed",
        [GMC_SCHEMA_SIGHT] = "believed.object.pose",
        [GMC_SCHEMA_SPREAD] = "sd",
        [GMC_SCHEMA_GROWTH] = "grows_with",
        [GMC_SCHEMA_OUTLIERS] = "outliers",
        [GMC_SCHEMA_SURFACE] = "a surface",
        [GMC_SCHEMA_PAD] = "pad",
        [GMC_SCHEMA_FRICTION] = "friction of a pair",
        [GMC_SCHEMA_PHASE] = "program",
        [GMC_SCHEMA_CLOSE] = "close",
        [GMC_SCHEMA_OPEN] = "open",
        [GMC_SCHEMA_LIFT] = "lift",
        [GMC_SCHEMA_MOVE] = "move",
        [GMC_SCHEMA_TURN] = "turn",
        [GMC_SCHEMA_SHAKE] = "shake",
        [GMC_SCHEMA_HOLD] = "hold",
        [GMC_SCHEMA_SET] = "set",
        [GMC_SCHEMA_SUCCESS] = "success",
        [GMC_SCHEMA_STUDY] = "study",
        [GMC_SCHEMA_ROUNDS] = "study.draws",
        [GMC_SCHEMA_RANK] = "study.rank",
        [GMC_SCHEMA_LEVEL] = "a level of study.ladder",
        [GMC_SCHEMA_SAMPLING] = "sampling",
        [GMC_SCHEMA_SUBSET] = "sampling.subset",
        [GMC_SCHEMA_TWO_LEVEL] = "sampling.two_level",
        [GMC_SCHEMA_SIMULATION] = "simulation",
        [GMC_SCHEMA_EARLY] = "simulation.early",
        [GMC_SCHEMA_OUTPUT] = "output",
        [GMC_SCHEMA_HISTOGRAM] = "a histogram",
    };
    return NAMES[group];
}
