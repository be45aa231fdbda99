/// Where files lie on the disk: what a scenario calls its files, and which of them lie outside of
/// its folder. The scenario's folder is that of its name as given; where a link to a scenario
/// leads means nothing, as files are looked for beside the link.
#ifndef GMC_SAMPLING_LANGUAGE_LOCATION_H
#define GMC_SAMPLING_LANGUAGE_LOCATION_H

#include <stdbool.h>

/// The part of an absolute name behind the folder of `scenario`; all of it if it lies elsewhere.
/// Folders are told by what they are: the folder may have been reached by a link, or be named in
/// another way. What stands behind it is not resolved, so that the names of a scenario's files do
/// not depend on where links lead.
/// @param scenario  name of the scenario's file, as given
/// @param name      absolute, without "." and ".."; changed while the function runs
/// @return a place in `name`
char *gmc_location_below(const char *scenario, char *name);

/// Does a file, wherever links lead, lie in the folder of `scenario` or below it, or in one of the
/// folders `allow`?
/// @param allow  names of folders ended by NULL, or NULL
/// @return true too if there is no such file, or no memory to find out: to read it will tell
bool gmc_location_is_inside(const char *scenario, const char *const *allow, const char *file);

/// The name of a file without links, "." and ".."; free() it. NULL if there is none, or no memory.
char *gmc_location_real(const char *file);

#endif
