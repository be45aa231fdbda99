# Repeatable bits need every product rounded before it is added to. -ffp-contract=off asks for that,
# but gcc 12 forms vfmaddsub all the same where vectorised code adds in one lane and subtracts in the
# next, once -march allows it. What a compiler does is therefore read off its assembly of
# probe_bits.c, and the mildest set of flags that leaves no fused multiply-add in it is added.
# scripts/check_contraction holds the finished program to the same.

# Mildest first, the flags of one with commas between them. AVX-512 has fused instructions of its own, which -mno-fma does not switch off.
set(GRASPMC_CONTRACTION_REMEDIES
  "" "-mno-fma" "-fno-tree-slp-vectorize" "-fno-tree-vectorize,-fno-tree-slp-vectorize")

# Names of fused multiply-adds in the assembly of x86-64, aarch64, riscv64 and ppc64.
set(GRASPMC_FUSED "[ \t](v?fn?m(add|sub|la|ls)|fcmla|x[sv]n?m(add|sub))")

# gmc_stop_contraction(OUT flags...): OUT is the list of flags to add to those given, empty if none is
# needed. Where no remedy helps, configuring ends with what the compiler said of the last one.
function(gmc_stop_contraction out)
  string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
  separate_arguments(given UNIX_COMMAND
    "${CMAKE_C_COMPILER_ARG1} ${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${build_type}}")
  if(CMAKE_C_COMPILER_TARGET)
    list(APPEND given "--target=${CMAKE_C_COMPILER_TARGET}")
  endif()
  if(CMAKE_SYSROOT)
    list(APPEND given "--sysroot=${CMAKE_SYSROOT}")
  endif()
  foreach(remedy IN LISTS GRASPMC_CONTRACTION_REMEDIES)
    string(REPLACE "," ";" remedy "${remedy}")
    execute_process(
      COMMAND ${CMAKE_C_COMPILER} ${given} -std=c17 ${ARGN} ${remedy} -fno-lto -S
              ${PROJECT_SOURCE_DIR}/cmake/probe_bits.c -o -
      OUTPUT_VARIABLE assembly ERROR_VARIABLE complaint RESULT_VARIABLE failed)
    if(NOT failed AND NOT assembly MATCHES "${GRASPMC_FUSED}")
      if(remedy)
        message(STATUS "Fused multiply-adds are switched off by ${remedy}")
      endif()
      set(${out} "${remedy}" PARENT_SCOPE)
      return()
    endif()
    if(NOT remedy)
      set(why "${complaint}")
    endif()
  endforeach()
  message(FATAL_ERROR "Results would not have the bits that other builds give: with CMAKE_C_FLAGS = "
    "'${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${build_type}}' the compiler fuses products and sums, or computes "
    "otherwise than in double, and none of ${GRASPMC_CONTRACTION_REMEDIES} stops it.\n${why}\n"
    "Take the flag that asks for it (-march=..., -ffast-math, -mfpmath=...) out of CMAKE_C_FLAGS.")
endfunction()
