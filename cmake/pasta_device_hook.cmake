# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
include_guard(GLOBAL)

# Where hipcc is, so that tools get hooks for the llvm route on AMD GPUs. Empty: none.
find_program(PASTA_HIPCC hipcc HINTS "${PROJECT_SOURCE_DIR}/build/hip_tools" ENV ROCM_PATH PATHS /opt/rocm
  PATH_SUFFIXES bin DOC "HIP's compiler, which makes the tools' hooks for AMD GPUs; without it tools have none")

# pasta_add_device_hook(NAME HEADER): NAME.wave64.bc and NAME.wave32.bc in <build>/lib/pasta/tools, beside NAME.so: the
# tool's handlers as bitcode, which the pass plugin (tools/llvm) puts into code of AMD GPUs.
#
# They are made with the include directories and definitions of the target pasta_tool_NAME_module.
function(pasta_add_device_hook name header)
  pasta_check_hipcc()
  if(NOT PASTA_HIPCC OR NOT PASTA_HIPCC_MAKES_HOOKS)
    return()
  endif()
  set(source "${CMAKE_CURRENT_BINARY_DIR}/${name}_hook.hip")
  configure_file("${CMAKE_CURRENT_FUNCTION_LIST_DIR}/pasta_device_hook.hip.in" "${source}" @ONLY)
  # Of each width any GPU does: a hook has no instruction that others lack.
  pasta_compile_device_hook(${name} wave64 "${source}" ${PASTA_HIPCC_WORDS} --offload-arch=gfx90a)
  pasta_compile_device_hook(${name} wave32 "${source}" ${PASTA_HIPCC_WORDS} --offload-arch=gfx1030)
endfunction()

# HIP_PLATFORM: with nvcc in PATH hipcc would call that. What hipcc adds for the linker is not used, which is no news.
set(PASTA_HIPCC_WORDS "${CMAKE_COMMAND}" -E env HIP_PLATFORM=amd "${PASTA_HIPCC}" -x hip -O2 --cuda-device-only
  -Wno-unused-command-line-argument)

# pasta_compile_device_hook(NAME KIND SOURCE COMMAND…): NAME.KIND.bc
function(pasta_compile_device_hook name kind source)
  set(module pasta_tool_${name}_module)
  set(folders "$<REMOVE_DUPLICATES:$<TARGET_PROPERTY:${module},INCLUDE_DIRECTORIES>>")
  set(definitions "$<REMOVE_DUPLICATES:$<TARGET_PROPERTY:${module},COMPILE_DEFINITIONS>>")
  set(hook "${CMAKE_BINARY_DIR}/lib/pasta/tools/${name}.${kind}.bc")
  set(dependencies "${CMAKE_CURRENT_BINARY_DIR}/${name}_hook.${kind}.d")
  add_custom_command(OUTPUT "${hook}"
    COMMAND ${ARGN} -std=c++20 -emit-llvm -c -DFMT_USE_CONSTEXPR=1
      "$<$<BOOL:${folders}>:-I$<JOIN:${folders},;-I>>" "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>"
      -MD -MF "${dependencies}" -MT "${hook}" "${source}" -o "${hook}"
    DEPENDS "${source}"
    DEPFILE "${dependencies}"
    COMMENT "Making the hook ${name}.${kind}.bc"
    COMMAND_EXPAND_LISTS VERBATIM)
  add_custom_target(pasta_tool_${name}_${kind} ALL DEPENDS "${hook}")
  set_property(TARGET ${module} APPEND PROPERTY PASTA_DEVICE_HOOKS "${hook}")
endfunction()

# Asks hipcc once, and each time that it is another, whether it makes hooks.
function(pasta_check_hipcc)
  if(NOT PASTA_HIPCC OR PASTA_HIPCC_CHECKED STREQUAL PASTA_HIPCC)
    return()
  endif()
  set(source "${CMAKE_BINARY_DIR}/CMakeFiles/pasta_check_hipcc.hip")
  file(WRITE "${source}" "#include <hip/hip_runtime.h>\n#include <concepts>\n"
    "__global__ void checked(int* a) { *a = std::same_as<int, int>; }\n")
  execute_process(COMMAND ${PASTA_HIPCC_WORDS} --offload-arch=gfx90a -std=c++20 -emit-llvm -c "${source}" -o "${source}.bc"
    RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE said)
  set(makes ON)
  if(NOT status EQUAL 0)
    string(REGEX REPLACE "\n.*" "" said "${said}")
    message(STATUS "PASTA: ${PASTA_HIPCC} makes no hooks of tools, the llvm route instruments no code of AMD GPUs: ${said}")
    set(makes OFF)
  endif()
  set(PASTA_HIPCC_CHECKED "${PASTA_HIPCC}" CACHE INTERNAL "")
  set(PASTA_HIPCC_MAKES_HOOKS ${makes} CACHE INTERNAL "")
endfunction()
