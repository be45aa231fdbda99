# cmake --install: program, libraries with headers as graspmc::engine, graspmc::sampling and
# graspmc::store, manual page, completion, scenarios, scripts, documents. The target `uninstall` takes
# away what was installed last.
include(CMakePackageConfigHelpers)

set(graspmc_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/graspmc)
set(graspmc_header_dir ${CMAKE_INSTALL_INCLUDEDIR}/graspmc)

foreach(room engine sampling store)
  set_target_properties(graspmc_${room} PROPERTIES EXPORT_NAME ${room})
  target_include_directories(graspmc_${room} INTERFACE $<INSTALL_INTERFACE:${graspmc_header_dir}>)
endforeach()
install(TARGETS graspmc_engine graspmc_sampling graspmc_store
  graspmc_flags graspmc_qhull graspmc_suitesparse graspmc_sundials graspmc_random123 graspmc_hdf5
  EXPORT graspmcTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT graspmcTargets NAMESPACE graspmc:: DESTINATION ${graspmc_package_dir})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/engine ${PROJECT_SOURCE_DIR}/sampling
  DESTINATION ${graspmc_header_dir}
  FILES_MATCHING PATTERN "*.h" PATTERN "*_internal.h" EXCLUDE)

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/graspmcConfig.cmake.in
  ${PROJECT_BINARY_DIR}/graspmcConfig.cmake INSTALL_DESTINATION ${graspmc_package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/graspmcConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
# what a controller in a library includes
install(FILES ${PROJECT_SOURCE_DIR}/engine/control/graspmc_controller.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_BINARY_DIR}/graspmcConfig.cmake
  ${PROJECT_BINARY_DIR}/graspmcConfigVersion.cmake DESTINATION ${graspmc_package_dir})

set(graspmc_scripts ${CMAKE_INSTALL_DATADIR}/graspmc/scripts)
foreach(script sweep_parallel sweep_slurm sweep_rounds sweep_gather plot_map plot_trial example_map.py)
  install(PROGRAMS scripts/${script} DESTINATION ${graspmc_scripts})
endforeach()
install(FILES scripts/sweep_common scripts/plotting.py scripts/README.md DESTINATION ${graspmc_scripts})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/scenarios DESTINATION ${CMAKE_INSTALL_DATADIR}/graspmc
  PATTERN "*.in" EXCLUDE)
install(FILES README.md CHANGELOG.md REFERENCES.md LICENSE CITATION.cff
  DESTINATION ${CMAKE_INSTALL_DOCDIR})

if(PROJECT_IS_TOP_LEVEL)
  add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -D MANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt
    -P ${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake VERBATIM)
endif()
