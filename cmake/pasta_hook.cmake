# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
include_guard(GLOBAL)

# Where nvcc is, so that tools get hooks for the ptx route; a view or launcher of nvcc does as well. Empty: none.
find_program(PASTA_NVCC nvcc HINTS "${PROJECT_SOURCE_DIR}/build/cuda_tools" ENV CUDA_HOME ENV CUDA_PATH
  PATHS /usr/local/cuda PATH_SUFFIXES bin
  DOC "nvcc, which makes the tools' hooks for the ptx route; without it tools have none")

# pasta_add_hook(NAME HEADER): NAME.sm_75.ptx and NAME.sm_80.ptx in <build>/lib/pasta/tools, beside NAME.so.
#
# They are made with the include directories and definitions of the target pasta_tool_NAME_module.
function(pasta_add_hook name header)
  pasta_check_nvcc()
  if(NOT PASTA_NVCC OR NOT PASTA_NVCC_MAKES_HOOKS)
    return()
  endif()
  set(module pasta_tool_${name}_module)
  set(source "${CMAKE_CURRENT_BINARY_DIR}/${name}_hook.cu")
  configure_file("${CMAKE_CURRENT_FUNCTION_LIST_DIR}/pasta_hook.cu.in" "${source}" @ONLY)
  set(folders "$<REMOVE_DUPLICATES:$<TARGET_PROPERTY:${module},INCLUDE_DIRECTORIES>>")
  set(definitions "$<REMOVE_DUPLICATES:$<TARGET_PROPERTY:${module},COMPILE_DEFINITIONS>>")
  set(hooks)
  foreach(architecture IN ITEMS 75 80)
    set(hook "${CMAKE_BINARY_DIR}/lib/pasta/tools/${name}.sm_${architecture}.ptx")
    set(dependencies "${CMAKE_CURRENT_BINARY_DIR}/${name}_hook.sm_${architecture}.d")
    add_custom_command(OUTPUT "${hook}"
      COMMAND "${PASTA_NVCC}" -ptx -rdc=true -arch=sm_${architecture} -std=c++20 -O3 -DFMT_USE_CONSTEXPR=1
        "$<$<BOOL:${folders}>:-I$<JOIN:${folders},;-I>>" "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>"
        -MD -MF "${dependencies}" -MT "${hook}" "${source}" -o "${hook}.new"
      COMMAND "${CMAKE_COMMAND}" "-Dhook=${hook}.new" "-Doutput=${hook}" "-Dnvcc=${PASTA_NVCC}"
        -Darchitecture=${architecture} -P "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/pasta_lower_ptx_version.cmake"
      DEPENDS "${source}" "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/pasta_lower_ptx_version.cmake"
      DEPFILE "${dependencies}"
      COMMENT "Making the hook ${name}.sm_${architecture}.ptx"
      COMMAND_EXPAND_LISTS VERBATIM)
    list(APPEND hooks "${hook}")
  endforeach()
  add_custom_target(pasta_tool_${name}_hook ALL DEPENDS ${hooks})
  set_property(TARGET ${module} PROPERTY PASTA_HOOKS "${hooks}")
endfunction()

# Asks nvcc once, and each time that it is another, whether it makes hooks.
function(pasta_check_nvcc)
  if(NOT PASTA_NVCC OR PASTA_NVCC_CHECKED STREQUAL PASTA_NVCC)
    return()
  endif()
  set(source "${CMAKE_BINARY_DIR}/CMakeFiles/pasta_check_nvcc.cu")
  file(WRITE "${source}" "#include <concepts>\n__device__ int checked = std::same_as<int, int>;\n")
  set(makes ON)
  foreach(architecture IN ITEMS 75 80)
    execute_process(COMMAND "${PASTA_NVCC}" -ptx -rdc=true -arch=sm_${architecture} -std=c++20 "${source}" -o "${source}.ptx"
      RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE said)
    if(NOT status EQUAL 0)
      string(REGEX REPLACE "\n.*" "" said "${said}")
      message(STATUS "PASTA: ${PASTA_NVCC} makes no hooks of tools, the ptx route has access_count alone: ${said}")
      set(makes OFF)
      break()
    endif()
  endforeach()
  set(PASTA_NVCC_CHECKED "${PASTA_NVCC}" CACHE INTERNAL "")
  set(PASTA_NVCC_MAKES_HOOKS ${makes} CACHE INTERNAL "")
endfunction()
