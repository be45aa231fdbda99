# Writes version.c with the commit of the sources as they are now; leaves the file alone if nothing
# changed, so that nothing is built again. Called by every build:
#   cmake -DFROM=version_configured.c -DTO=version.c -DSOURCES=dir -P version.cmake
set(GMC_COMMIT "unknown")
find_program(GIT git)
if(GIT)
  execute_process(COMMAND ${GIT} -C ${SOURCES} describe --always --dirty --abbrev=40 --exclude=*
    OUTPUT_VARIABLE commit ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed)
  # a build inside somebody else's repository must not show that one's commit
  execute_process(COMMAND ${GIT} -C ${SOURCES} rev-parse --show-prefix
    OUTPUT_VARIABLE prefix ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT failed AND NOT prefix)
    set(GMC_COMMIT "${commit}")
  endif()
endif()
# a copy of the sources without their history: whoever made it may say
if(GMC_COMMIT STREQUAL "unknown" AND DEFINED ENV{GRASPMC_COMMIT})
  set(GMC_COMMIT "$ENV{GRASPMC_COMMIT}")
endif()
configure_file(${FROM} ${TO} @ONLY)
