/// What program this is: what every file written must say about its origin. Fixed when it was
/// built.
#ifndef GMC_SAMPLING_STORE_VERSION_H
#define GMC_SAMPLING_STORE_VERSION_H

/// "0.1.0"
const char *gmc_version_program(void);

/// Commit of the sources, with "-dirty" behind it if files were changed since; "unknown" outside of
/// a repository.
const char *gmc_version_commit(void);

/// "GNU 12.2.0 x86_64"
const char *gmc_version_compiler(void);

/// Build type and the flags that decide about numbers.
const char *gmc_version_flags(void);

/// Outside libraries with their versions, as found when it was built.
const char *gmc_version_libraries(void);

#endif
