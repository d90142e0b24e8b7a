# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
#
# Projects with HIP sources.
find_program(PASTA_HIPCC hipcc HINTS "${PROJECT_SOURCE_DIR}/build/hip_tools/bin" NO_DEFAULT_PATH
  DOC "HIP's compiler, for the tests with the label hip")
if(NOT PASTA_HIPCC)
  message(STATUS "PASTA: the consumer tests of HIP are off, hipcc was not found. To install it: "
    "scripts/hip_tools build/hip_tools")
  return()
endif()

# pasta_add_hip_consumer_test(NAME TREE HIP [-D...]): HIP is `language` or the hipcc.
function(pasta_add_hip_consumer_test name tree hip)
  pasta_add_consumer_test(${name} -D "tree=${tree}" -D "hip=${hip}" ${ARGN})
  set_tests_properties(consumer.${name} PROPERTIES LABELS "consumer;hip")
endfunction()
function(pasta_add_hip_consumer_mistake name message)
  pasta_add_hip_consumer_test(${name} build_tree language ${ARGN})
  set_tests_properties(consumer.${name} PROPERTIES PASS_REGULAR_EXPRESSION "${message}")
endfunction()

set(stand_in "${PROJECT_SOURCE_DIR}/tests/emulation/hip/stand_in")
pasta_add_hip_consumer_test(hip_hipcc build_tree "${PASTA_HIPCC}")
if(TARGET pasta_llvm_15)  # the clang of the toolchain file
  pasta_add_hip_consumer_test(hip_build_tree build_tree language)
  pasta_add_hip_consumer_test(hip_install_tree install_tree language -D "rocprofiler=${stand_in}")
  pasta_add_hip_consumer_test(hip_makefiles build_tree language -D "generator=Unix Makefiles")
  pasta_add_hip_consumer_mistake(hip_misspelt_tool "unknown tool 'acess_count'. did you mean 'access_count'"
    -D "tools=acess_count")
  pasta_add_hip_consumer_mistake(hip_interface_library "needs HIP sources to compile. headers is an interface library"
    -D "mistake=interface_library")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    pasta_add_hip_consumer_mistake(hip_no_sources_yet "HIP sources have to be the target's before it is instrumented"
      -D "mistake=no_sources_yet")
  endif()
  pasta_add_hip_consumer_mistake(hip_launcher "is the target's HIP_COMPILER_LAUNCHER already" -D "mistake=launcher")
endif()
