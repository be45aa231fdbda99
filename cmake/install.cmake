# cmake --install: program, libraries with headers as graspmc::engine, graspmc::sampling and
# graspmc::store, manual page, completion, scenarios, documents.
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
install(FILES ${PROJECT_BINARY_DIR}/graspmcConfig.cmake
  ${PROJECT_BINARY_DIR}/graspmcConfigVersion.cmake DESTINATION ${graspmc_package_dir})

set(graspmc_sweeps ${PROJECT_SOURCE_DIR}/scripts)
install(PROGRAMS ${graspmc_sweeps}/sweep_parallel ${graspmc_sweeps}/sweep_slurm
  ${graspmc_sweeps}/sweep_rounds ${graspmc_sweeps}/sweep_gather DESTINATION ${CMAKE_INSTALL_DATADIR}/graspmc/scripts)
install(FILES ${graspmc_sweeps}/sweep_common ${graspmc_sweeps}/README.md
  DESTINATION ${CMAKE_INSTALL_DATADIR}/graspmc/scripts)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/scenarios DESTINATION ${CMAKE_INSTALL_DATADIR}/graspmc)
install(FILES README.md CHANGELOG.md REFERENCES.md LICENSE CITATION.cff
  DESTINATION ${CMAKE_INSTALL_DOCDIR})
