# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
#
# One consumer test, as a script: takes PASTA from a tree, configures and builds tests/consumer/project in work_dir (a
# path with a space and an apostrophe), and runs its program under `pasta run`. With nvcc it is ptx_project instead,
# which is built and looked at: see consume_ptx.cmake. With hip it is hip_project: see consume_hip.cmake.
cmake_minimum_required(VERSION 3.25)

# run_step(WHAT command...): output holds what it printed; ends the test if it fails.
macro(run_step what)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY "${work_dir}" RESULT_VARIABLE status
    OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${what} ended with ${status}:\n${output}\n${errors}")
  endif()
endmacro()

file(REMOVE_RECURSE "${work_dir}")
file(MAKE_DIRECTORY "${work_dir}")
set(pasta_build_dir "${build_dir}")
if(tree STREQUAL "install_tree")
  set(prefix "${work_dir}/prefix")
  run_step("installing" "${CMAKE_COMMAND}" --install "${build_dir}" --config "${config}" --prefix "${work_dir}/installed")
  # What is installed can be moved.
  file(RENAME "${work_dir}/installed" "${prefix}")
  set(from "-DCMAKE_PREFIX_PATH=${prefix}")
  set(command "${prefix}/bin/pasta")
elseif(tree STREQUAL "subdirectory")
  set(from "-DPASTA_SUBDIRECTORY=${source_dir}" -DPASTA_BUILD_TOOLS=ON)
  set(command "${build_dir}/bin/pasta")  # the same sources: not built once more
else()
  set(from "-Dpasta_DIR=${build_dir}")
  set(command "${build_dir}/bin/pasta")
endif()

if(DEFINED nvcc)
  include("${CMAKE_CURRENT_LIST_DIR}/consume_ptx.cmake")
  return()
endif()

if(DEFINED hip)
  include("${CMAKE_CURRENT_LIST_DIR}/consume_hip.cmake")
  return()
endif()

set(choice)
if(DEFINED tools)
  string(STRIP "${tools}" tools)
  list(APPEND choice "-DSTORE_COUNT_TOOLS=${tools}")
endif()
if(DEFINED route)
  list(APPEND choice "-DSTORE_COUNT_ROUTE=${route}")
endif()

run_step("configuring" "${CMAKE_COMMAND}" -S "${project_dir}" -B "${work_dir}/build" -G "${generator}"
  "-DCMAKE_CXX_COMPILER=${cxx_compiler}" -DCMAKE_BUILD_TYPE=Debug ${from} ${choice})
run_step("building" "${CMAKE_COMMAND}" --build "${work_dir}/build" --config Debug
  --target fill pasta_tool_store_count_module)

# The program without PASTA attached, and what it says it was built with.
find_program(fill fill PATHS "${work_dir}/build" "${work_dir}/build/Debug" NO_DEFAULT_PATH REQUIRED)
run_step("the program alone" "${fill}")
if(NOT output STREQUAL "filled\n")
  message(FATAL_ERROR "the program alone printed '${output}'")
endif()
run_step("pasta list" "${command}" list "${fill}")
foreach(pack IN ITEMS access_count store_count access_count+store_count)
  string(FIND "\n${output}" "\n${pack} " position)
  if(position EQUAL -1)
    message(FATAL_ERROR "pasta list does not name ${pack}:\n${output}")
  endif()
endforeach()

# The tool of this project and the one of the package watch one run.
set(ENV{PASTA_TOOL_PATH} "${work_dir}/build/lib/pasta/tools")
run_step("pasta run" "${command}" run access_count,store_count --output "${work_dir}/report.json" -- "${fill}")
if(NOT output STREQUAL "filled\n")
  message(FATAL_ERROR "the program under pasta run printed '${output}'")
endif()
file(READ "${work_dir}/report.json" report)
string(JSON tool GET "${report}" tools 1 tool)
string(JSON stores GET "${report}" tools 1 kernels 0 tables 0 rows 0 0)
string(JSON version GET "${report}" header pasta_version)
file(STRINGS "${source_dir}/include/pasta/config.hpp" expected_version REGEX "^#define PASTA_VERSION \"")
if(NOT tool STREQUAL "store_count" OR NOT stores EQUAL 1000)
  message(FATAL_ERROR "expected store_count with 1000 stores, got ${tool} with ${stores}:\n${report}")
endif()
if(NOT expected_version MATCHES "\"${version}\"$")
  message(FATAL_ERROR "the report's version is ${version}")
endif()
message(STATUS "${tree}: ${tool} counted ${stores} stores")
