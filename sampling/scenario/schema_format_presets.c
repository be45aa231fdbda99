#include "sampling/scenario/schema_format.h"

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
