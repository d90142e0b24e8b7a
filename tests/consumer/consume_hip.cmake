# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
#
# The part of consume.cmake for HIP: builds hip_project for gfx90a, by the language HIP or by hipcc, and looks into what
# was built; nothing runs on a GPU.
set(choice)
foreach(name IN ITEMS tools mistake)
  if(DEFINED ${name})
    list(APPEND choice "-DHIP_PROJECT_${name}=${${name}}")
  endif()
endforeach()
if(hip STREQUAL "language")
  set(toolchain "${source_dir}/cmake/pasta_debian_hip_toolchain.cmake")
  if(tree STREQUAL "install_tree")
    file(GLOB_RECURSE toolchain "${prefix}/*/pasta_debian_hip_toolchain.cmake")
  endif()
  list(APPEND choice "-DCMAKE_CXX_COMPILER=${cxx_compiler}" "-DCMAKE_TOOLCHAIN_FILE=${toolchain}"
    -DCMAKE_HIP_ARCHITECTURES=gfx90a)
else()
  list(APPEND choice "-DHIP_PROJECT_languages=CXX" "-DCMAKE_CXX_COMPILER=${hip}"
    -DCMAKE_CXX_FLAGS=--offload-arch=gfx90a)
endif()
if(DEFINED launcher)
  set(ENV{CCACHE_DIR} "${work_dir}/cache")
  list(APPEND choice "-DCMAKE_HIP_COMPILER_LAUNCHER=${launcher}")
endif()
set(capture interpose)
if(DEFINED rocprofiler)
  # As AMD's package would be found; its library is not needed to link a shared one.
  file(WRITE "${work_dir}/sdk/rocprofiler-sdk-config.cmake" "
add_library(rocprofiler-sdk::rocprofiler-sdk INTERFACE IMPORTED)
set_target_properties(rocprofiler-sdk::rocprofiler-sdk PROPERTIES INTERFACE_INCLUDE_DIRECTORIES \"${rocprofiler}\")\n")
  list(APPEND choice "-Drocprofiler-sdk_DIR=${work_dir}/sdk")
  set(capture rocprofiler)
endif()

run_step("configuring" "${CMAKE_COMMAND}" -S "${project_dir}/../hip_project" -B "${work_dir}/build" -G "${generator}"
  -DCMAKE_BUILD_TYPE=Release ${from} ${choice})
if(capture STREQUAL "interpose" AND NOT output MATCHES "rocprofiler-sdk was not found, so the HIP runtime's")
  message(FATAL_ERROR "configuring does not say what capturing falls back to:\n${output}")
endif()
run_step("building" "${CMAKE_COMMAND}" --build "${work_dir}/build" --target fill app plain watch
  pasta_tool_store_count_module)

# check_contents(FILE REGEX IS_THERE): whether a line of text in the file matches.
function(check_contents file regex is_there)
  file(STRINGS "${work_dir}/build/${file}" found REGEX "${regex}")
  if((found AND NOT is_there) OR (NOT found AND is_there))
    message(FATAL_ERROR "${file}: '${regex}' should be there: ${is_there}; found '${found}'")
  endif()
endfunction()
foreach(program IN ITEMS fill app plain)
  check_contents(${program} "amdgcn-amd-amdhsa--gfx90a" TRUE)
endforeach()
check_contents(app "pasta_state_" TRUE)
check_contents(plain "pasta_state_" FALSE)
if(capture STREQUAL "rocprofiler")
  check_contents(libwatch.so "^rocprofiler_configure$" TRUE)
  check_contents(libwatch.so "^hipLaunchKernel$" FALSE)
else()
  check_contents(libwatch.so "^rocprofiler_configure$" FALSE)
  check_contents(libwatch.so "^hipLaunchKernel$" TRUE)
endif()
run_step("pasta list" "${command}" list "${work_dir}/build/fill")
foreach(pack IN ITEMS access_count store_count access_count+store_count)
  string(FIND "\n${output}" "\n${pack} " position)
  if(position EQUAL -1)
    message(FATAL_ERROR "pasta list does not name ${pack}:\n${output}")
  endif()
endforeach()
message(STATUS "${tree}, HIP by ${hip}: the programs are instrumented")
