/// The words of `graspmc new`: is the hand a URDF, the object a mesh or a shape with sizes that are
/// meant, the material in the table? All that is wrong with them is told in one line each, before
/// anything is read in full.
#ifndef GMC_CLI_NEW_NEW_INPUTS_H
#define GMC_CLI_NEW_NEW_INPUTS_H

#include "cli/options/args.h"
#include "engine/base/source.h"

typedef struct gmc_new_inputs {
    const char *hand;   ///< file
    const char *mesh;   ///< file of the object; NULL: it is a shape
    char shape[256];    ///< as a scenario has it: "box: [60 mm, 40 mm, 100 mm]"; empty of a mesh
    const char *object; ///< the word
} gmc_new_inputs;

/// @return GMC_OK, GMC_E_INPUT (reported)
GMC_MUST_CHECK gmc_status gmc_new_inputs_read(const gmc_args *args, gmc_diagnostics *messages,
                                              gmc_new_inputs *inputs);

/// A file of the command line as another file names it that lies elsewhere: relative to the folder
/// of `from`; as it is if it is absolute, or `from` is in the current folder.
/// @param from  a file that need not be there; NULL: in the current folder
/// @return to be freed; NULL: no memory
char *gmc_new_inputs_path(const char *file, const char *from);

#endif
