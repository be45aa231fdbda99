#include "sampling/writing/schema_format.h"

const char gmc_schema_format_presets[] =
    "\n"
    "## Presets\n"
    "\n"
    "`- preset: six_gravities@1` in a program stands for phases that others have tested grasps "
    "with. "
    "They take its place before anything\n"
    "else looks at the program: `check --expanded` and results show phases alone, and `--set`, "
    "`uncertain` and `study` name them by\n"
    "their numbers there (`program.3.hold.for`). A version never changes; without one a preset is "
    "refused.\n"
    "\n"
    "| preset | what it is, and where it is from |\n"
    "| --- | --- |\n";

const char gmc_schema_format_materials[] =
    "\n"
    "## Materials\n"
    "\n"
    "`use: graspmc/materials@1` takes friction and numbers of materials from a table that the "
    "program brings along, with no file: of pairs\n"
    "those whose surfaces something has, of numbers those that a formula names (`density: "
    "density.steel`, `modulus: modulus.steel` of a pad,\n"
    "`restitution: restitution.steel` of a pair). What the scenario says itself goes before it. "
    "Friction is that of clean, dry surfaces at rest;\n"
    "where a decision hangs on it, measure it, or say under `uncertain` how little is known. A "
    "version never changes.\n"
    "\n"
    "| in the table | source |\n"
    "| --- | --- |\n";
