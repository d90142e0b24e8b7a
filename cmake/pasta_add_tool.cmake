# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
include_guard(GLOBAL)
include("${CMAKE_CURRENT_LIST_DIR}/pasta_device_hook.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/pasta_hook.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/pasta_patch.cmake")

# pasta_add_tool(NAME [HEADER file] [EXPORT export_set] [NO_HOOK])
#
# Makes a tool out of a folder that holds NAME.hpp (the class NAME) and NAME.cpp (an include and PASTA_TOOL(NAME)):
#
#   pasta::tool::NAME  what pasta_instrument links; its include directory is the folder
#   NAME.so            the tool's shared library, in <build>/lib/pasta/tools, where `pasta` looks; installed likewise
#   NAME.hpp           the header, beside NAME.so, for `pasta clang++`
#   NAME.sm_75.ptx …   its handlers for the ptx route, beside NAME.so, where nvcc is found (PASTA_NVCC)
#   NAME.patch.fatbin  its handlers for the patch route, likewise, where the Compute Sanitizer's headers are found too
#                      (PASTA_SANITIZER_INCLUDE_DIR)
#   NAME.wave64.bc …   its handlers for the llvm route on AMD GPUs, beside NAME.so, where hipcc is found (PASTA_HIPCC)
#
# NO_HOOK: none of the last three, for a tool whose header the compilers of GPUs do not take.
#
# HEADER names another header than NAME.hpp, relative to the folder. EXPORT adds pasta::tool::NAME to the caller's own
# install(EXPORT ... NAMESPACE pasta::), so that other projects can instrument with it. With the variable
# PASTA_INSTALL_TOOLS set to OFF nothing is installed: for tools of tests.
function(pasta_add_tool name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "NO_HOOK" "HEADER;EXPORT" "")
  if(arg_UNPARSED_ARGUMENTS OR arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "pasta_add_tool(${name}): expected NAME [HEADER file] [EXPORT export_set] [NO_HOOK]; "
      "got '${arg_UNPARSED_ARGUMENTS}${arg_KEYWORDS_MISSING_VALUES}'")
  endif()
  # The name is a C++ class and part of lists separated by + and commas.
  if(NOT name MATCHES "^[A-Za-z_][A-Za-z0-9_]*$")
    message(FATAL_ERROR "pasta_add_tool(${name}): a tool's name is a C++ identifier")
  endif()
  if(TARGET pasta::tool::${name})
    message(FATAL_ERROR "pasta_add_tool(${name}): there is a tool of this name already")
  endif()
  if(NOT arg_HEADER)
    set(arg_HEADER "${name}.hpp")
  endif()
  foreach(file IN ITEMS "${arg_HEADER}" "${name}.cpp")
    if(NOT EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${file}")
      message(FATAL_ERROR "pasta_add_tool(${name}): ${CMAKE_CURRENT_SOURCE_DIR}/${file} does not exist")
    endif()
  endforeach()

  # The header's name is kept relative to the include directory: it stays right when the target is installed and moved.
  add_library(pasta_tool_${name} INTERFACE)
  add_library(pasta::tool::${name} ALIAS pasta_tool_${name})
  target_include_directories(pasta_tool_${name} INTERFACE
    "$<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}>" "$<INSTALL_INTERFACE:include/pasta_tools/${name}>")
  target_link_libraries(pasta_tool_${name} INTERFACE pasta::pasta)
  set_target_properties(pasta_tool_${name} PROPERTIES
    EXPORT_NAME tool::${name} PASTA_TOOL_HEADER "${arg_HEADER}" EXPORT_PROPERTIES PASTA_TOOL_HEADER)

  add_library(pasta_tool_${name}_module MODULE "${name}.cpp")
  target_link_libraries(pasta_tool_${name}_module PRIVATE pasta_tool_${name})
  # No definition: the tool's hooks are made with these.
  target_compile_options(pasta_tool_${name}_module PRIVATE -DPASTA_DETAIL_IS_TOOL_MODULE)
  # The library is code of the host's; to hipcc a .cpp is HIP.
  get_filename_component(compiler "${CMAKE_CXX_COMPILER}" NAME)
  if(compiler STREQUAL "hipcc")
    target_compile_options(pasta_tool_${name}_module PRIVATE "SHELL:-x c++")
  endif()
  set_target_properties(pasta_tool_${name}_module PROPERTIES
    PREFIX "" OUTPUT_NAME "${name}" SUFFIX ".so"
    # The $<1:> keeps multi-config generators from adding a folder for each configuration.
    LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib/pasta/tools$<1:>")

  file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/lib/pasta/tools/${name}.hpp" @ONLY CONTENT
    "// The tool's header, for `pasta clang++`.\n#include \"${CMAKE_CURRENT_SOURCE_DIR}/${arg_HEADER}\"\n")

  if(NOT arg_NO_HOOK)
    pasta_add_hook(${name} "${arg_HEADER}")
    pasta_add_patch(${name} "${arg_HEADER}")
    pasta_add_device_hook(${name} "${arg_HEADER}")
  endif()

  set_property(GLOBAL APPEND PROPERTY PASTA_KNOWN_TOOLS ${name})
  if(DEFINED PASTA_INSTALL_TOOLS AND NOT PASTA_INSTALL_TOOLS)
    return()
  endif()
  # Not CMAKE_INSTALL_LIBDIR: `pasta` looks beside itself, in ../lib/pasta/tools, whatever the distribution's layout.
  install(TARGETS pasta_tool_${name}_module LIBRARY DESTINATION lib/pasta/tools)
  install(FILES "${arg_HEADER}" DESTINATION lib/pasta/tools RENAME "${name}.hpp")
  foreach(property IN ITEMS PASTA_HOOKS PASTA_DEVICE_HOOKS PASTA_PATCH)
    get_target_property(files pasta_tool_${name}_module ${property})
    if(files)
      install(FILES ${files} DESTINATION lib/pasta/tools)
    endif()
  endforeach()
  if(arg_EXPORT)
    get_filename_component(folder "${arg_HEADER}" DIRECTORY)
    install(FILES "${arg_HEADER}" DESTINATION "include/pasta_tools/${name}/${folder}")
    install(TARGETS pasta_tool_${name} EXPORT ${arg_EXPORT})
    set_property(GLOBAL APPEND PROPERTY PASTA_TOOLS_OF_${arg_EXPORT} ${name})
  endif()
endfunction()
