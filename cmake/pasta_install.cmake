# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
#
# The package: find_package(pasta) from an install tree, or from this build tree with pasta_DIR set to it.
include(CMakePackageConfigHelpers)
set(pasta_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/pasta")

install(TARGETS pasta_headers pasta_cuda pasta_hip EXPORT pasta_targets
  FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(EXPORT pasta_targets NAMESPACE pasta:: FILE pasta-targets.cmake DESTINATION "${pasta_package_dir}")
export(EXPORT pasta_targets NAMESPACE pasta:: FILE "${PROJECT_BINARY_DIR}/pasta-targets.cmake")

get_property(pasta_exported_tools GLOBAL PROPERTY PASTA_TOOLS_OF_pasta_targets)
set(pasta_package_files pasta_add_tool.cmake pasta_device_hook.cmake pasta_device_hook.hip.in pasta_hook.cmake
  pasta_hook.cu.in pasta_lower_ptx_version.cmake pasta_instrument.cmake pasta_instrument_hip.cmake
  pasta_instrument_llvm.cmake pasta_instrument_ptx.cmake pasta_nearest_name.cmake pasta_tools.hpp.in pasta_tools.cpp.in
  pasta_add_hip_capture.cmake pasta_debian_hip_toolchain.cmake
  pasta_patch.cmake pasta_patch.cu.in pasta_find_sanitizer.cmake pasta_find_cuda_headers.cmake)
list(TRANSFORM pasta_package_files PREPEND "${PROJECT_SOURCE_DIR}/cmake/")

# One template, configured for each tree: only the folder of the CMake functions and the command's place differ.
set(pasta_functions_dir "${PROJECT_SOURCE_DIR}/cmake")
get_property(pasta_command GLOBAL PROPERTY PASTA_COMMAND)
configure_file("${PROJECT_SOURCE_DIR}/cmake/pasta-config.cmake.in" "${PROJECT_BINARY_DIR}/pasta-config.cmake" @ONLY)
set(pasta_functions_dir "\${CMAKE_CURRENT_LIST_DIR}")
if(pasta_command)
  file(RELATIVE_PATH pasta_command "${CMAKE_INSTALL_FULL_LIBDIR}/cmake/pasta" "${CMAKE_INSTALL_FULL_BINDIR}/pasta")
  string(PREPEND pasta_command "\${CMAKE_CURRENT_LIST_DIR}/")
endif()
configure_file("${PROJECT_SOURCE_DIR}/cmake/pasta-config.cmake.in"
  "${PROJECT_BINARY_DIR}/install/pasta-config.cmake" @ONLY)

write_basic_package_version_file("${PROJECT_BINARY_DIR}/pasta-config-version.cmake"
  COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES "${PROJECT_BINARY_DIR}/install/pasta-config.cmake" "${PROJECT_BINARY_DIR}/pasta-config-version.cmake"
  ${pasta_package_files} DESTINATION "${pasta_package_dir}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/cmake/pasta_debian_hip" DESTINATION "${pasta_package_dir}")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/pasta")
