# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
include_guard(GLOBAL)
include("${CMAKE_CURRENT_LIST_DIR}/pasta_find_sanitizer.cmake")

# pasta_add_patch(NAME HEADER): NAME.patch.fatbin in <build>/lib/pasta/tools, beside NAME.so: the tool's patches for each
# architecture that nvcc knows, and as PTX for later ones. Nothing where nvcc or the Compute Sanitizer's headers are
# missing.
#
# They are made with the include directories and definitions of the target pasta_tool_NAME_module.
function(pasta_add_patch name header)
  pasta_check_nvcc()
  if(NOT PASTA_NVCC OR NOT PASTA_NVCC_MAKES_HOOKS)
    return()
  endif()
  if(NOT PASTA_SANITIZER_INCLUDE_DIR)
    get_property(is_said GLOBAL PROPERTY PASTA_SAID_NO_PATCHES)
    if(NOT is_said)
      message(STATUS "PASTA: tools get no patches for the patch route, sanitizer.h was not found. To install it: "
        "scripts/sanitizer_tools build/sanitizer_tools, or the CUDA toolkit's compute-sanitizer")
      set_property(GLOBAL PROPERTY PASTA_SAID_NO_PATCHES ON)
    endif()
    return()
  endif()
  pasta_list_architectures()
  set(module pasta_tool_${name}_module)
  set(source "${CMAKE_CURRENT_BINARY_DIR}/${name}_patch.cu")
  configure_file("${CMAKE_CURRENT_FUNCTION_LIST_DIR}/pasta_patch.cu.in" "${source}" @ONLY)
  set(folders "$<REMOVE_DUPLICATES:$<TARGET_PROPERTY:${module},INCLUDE_DIRECTORIES>>")
  set(definitions "$<REMOVE_DUPLICATES:$<TARGET_PROPERTY:${module},COMPILE_DEFINITIONS>>")
  set(ptx "${CMAKE_CURRENT_BINARY_DIR}/${name}_patch.ptx")
  set(patch "${CMAKE_BINARY_DIR}/lib/pasta/tools/${name}.patch.fatbin")
  # In two steps: compiled as patches nvcc keeps every function of every header, here only those that are called.
  add_custom_command(OUTPUT "${patch}" BYPRODUCTS "${ptx}"
    COMMAND "${PASTA_NVCC}" -ptx -rdc=true -arch=compute_75 -std=c++20 -O3 -DFMT_USE_CONSTEXPR=1
      "$<$<BOOL:${folders}>:-I$<JOIN:${folders},;-I>>" "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>"
      "-I${PASTA_SANITIZER_INCLUDE_DIR}" -MD -MF "${ptx}.d" -MT "${patch}" "${source}" -o "${ptx}"
    COMMAND "${PASTA_NVCC}" --fatbin --compile-as-tools-patch ${PASTA_NVCC_PATCH_ARCHITECTURES} "${ptx}" -o "${patch}.new"
    COMMAND "${CMAKE_COMMAND}" -E rename "${patch}.new" "${patch}"
    DEPENDS "${source}"
    DEPFILE "${ptx}.d"
    COMMENT "Making the patches ${name}.patch.fatbin"
    COMMAND_EXPAND_LISTS VERBATIM)
  add_custom_target(pasta_tool_${name}_patch ALL DEPENDS "${patch}")
  set_property(TARGET ${module} PROPERTY PASTA_PATCH "${patch}")
endfunction()

# Asks nvcc once, and each time that it is another, which GPUs it knows.
function(pasta_list_architectures)
  if(PASTA_NVCC_LISTED STREQUAL PASTA_NVCC)
    return()
  endif()
  execute_process(COMMAND "${PASTA_NVCC}" --list-gpu-code OUTPUT_VARIABLE said ERROR_QUIET)
  string(REGEX MATCHALL "sm_[0-9]+" known "${said}")
  set(options -gencode arch=compute_75,code=compute_75)
  foreach(each IN LISTS known)
    string(SUBSTRING "${each}" 3 -1 number)
    if(number GREATER_EQUAL 75)
      list(APPEND options -gencode "arch=compute_75,code=${each}")
    endif()
  endforeach()
  set(PASTA_NVCC_LISTED "${PASTA_NVCC}" CACHE INTERNAL "")
  set(PASTA_NVCC_PATCH_ARCHITECTURES "${options}" CACHE INTERNAL "")
endfunction()
