# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
include_guard(GLOBAL)
include("${CMAKE_CURRENT_LIST_DIR}/pasta_nearest_name.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/pasta_instrument_hip.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/pasta_instrument_llvm.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/pasta_instrument_ptx.cmake")

# pasta_instrument(TARGET ROUTE route TOOLS tool... [tool+tool...])
#
# Compiles tools into TARGET, to be chosen when the program is started: `pasta run coalescing -- ./program`.
# `pasta list ./program` shows what a program was built with. A target has one route.
#
# ROUTE probe: kernels that are written on a probe. `a+b` is a pack: both tools watch one run. A tool is known by its
# target pasta::tool::<name>, made by pasta_add_tool in this project or in one found by find_package.
#
# ROUTE llvm: plain kernels of the host engine, which know nothing of probes; the C++ compiler is clang. Packs as in
# ROUTE probe. Of a target with HIP sources (language HIP, or hipcc as C++ compiler) the code of AMD GPUs: they are
# compiled through `pasta hipcc --tools`, which builds all tools named in together.
#
# ROUTE ptx: any CUDA sources, compiled by nvcc. All tools named are built in together. `pasta nvcc --list-tools` shows
# which there are.
function(pasta_instrument target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "ROUTE" "TOOLS")
  set(call "pasta_instrument(${target})")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_ROUTE OR NOT arg_TOOLS)
    message(FATAL_ERROR "${call}: expected TARGET ROUTE route TOOLS tool...; "
      "got '${arg_UNPARSED_ARGUMENTS}', ROUTE '${arg_ROUTE}', TOOLS '${arg_TOOLS}'")
  endif()
  if(NOT TARGET ${target})
    message(FATAL_ERROR "${call}: there is no target ${target}")
  endif()
  set(known_routes probe ptx llvm)  # what can be compiled into a program
  if(NOT arg_ROUTE IN_LIST known_routes)
    pasta_fail_with_nearest("${call}" "route" "${arg_ROUTE}" "${known_routes}")
  endif()
  get_target_property(earlier ${target} PASTA_PACKS)
  get_target_property(earlier_route ${target} PASTA_ROUTE)
  if(earlier AND NOT earlier_route STREQUAL arg_ROUTE)
    message(FATAL_ERROR " ${call}: ROUTE ${arg_ROUTE} beside ROUTE ${earlier_route}: a target has one route")
  endif()
  if(earlier)
    message(FATAL_ERROR "${call}: instrumented already, with ${earlier}; name all tools in one call")
  endif()

  set(distinct ${arg_TOOLS})
  list(REMOVE_DUPLICATES distinct)
  if(NOT distinct STREQUAL arg_TOOLS)
    message(FATAL_ERROR "${call}: TOOLS names the same tool or pack twice")
  endif()
  set_target_properties(${target} PROPERTIES PASTA_PACKS "${arg_TOOLS}" PASTA_ROUTE "${arg_ROUTE}")
  if(arg_ROUTE STREQUAL "ptx")
    pasta_instrument_ptx("${call}" ${target} "${arg_TOOLS}")
    return()
  endif()
  pasta_find_hip_languages(${target} hip_languages)
  if(arg_ROUTE STREQUAL "llvm" AND hip_languages)
    pasta_instrument_hip("${call}" ${target} "${arg_TOOLS}" "${hip_languages}")
    return()
  endif()

  set(tools)         # each tool once: a b
  set(pack_types)    # the C++ type of each pack: a, b, pasta::tool_pack<a, b>
  set(table)         # the entries of the ELF section, see docs/architecture.md
  get_property(version GLOBAL PROPERTY PASTA_PACKAGE_VERSION)
  foreach(pack IN LISTS arg_TOOLS)
    string(REPLACE "+" ";" members "${pack}")
    foreach(member IN LISTS members)
      pasta_check_tool_name("${call}" "${member}")
    endforeach()
    set(distinct ${members})
    list(REMOVE_DUPLICATES distinct)
    if(NOT distinct STREQUAL members)
      message(FATAL_ERROR "${call}: the pack ${pack} names a tool twice")
    endif()
    list(APPEND tools ${members})
    list(JOIN members ", " joined)
    if(pack MATCHES "\\+")
      list(APPEND pack_types "pasta::tool_pack<${joined}>")
    else()
      list(APPEND pack_types "${joined}")
    endif()
    string(APPEND table "\n    \"${arg_ROUTE}\\t${pack}\\t${version}\\0\"")
  endforeach()
  string(REGEX REPLACE "\\\\0\"$" "\"" table "${table}")  # the array ends with a NUL of its own
  list(REMOVE_DUPLICATES tools)

  set(includes)
  set(declarations)
  foreach(tool IN LISTS tools)
    pasta_tool_header("${call}" ${tool} header)
    string(APPEND declarations "struct ${tool};\n")
    string(APPEND includes "#include \"${header}\"\n")
  endforeach()
  list(JOIN pack_types ", " pack_types)

  # A library of kernels without code of its own passes the instrumentation on to the programs that use it. So does the
  # table of a static library: nothing refers to it, and the linker would leave its object file out.
  get_target_property(type ${target} TYPE)
  set(scope PRIVATE)
  set(table_scope PRIVATE)
  if(type STREQUAL "INTERFACE_LIBRARY")
    set(scope INTERFACE)
  endif()
  if(type MATCHES "^(INTERFACE|STATIC)_LIBRARY$")
    set(table_scope INTERFACE)
  endif()

  set(tools_header "${CMAKE_CURRENT_BINARY_DIR}/${target}_pasta_tools.hpp")
  set(tools_table "${CMAKE_CURRENT_BINARY_DIR}/${target}_pasta_tools.cpp")
  configure_file("${CMAKE_CURRENT_FUNCTION_LIST_DIR}/pasta_tools.hpp.in" "${tools_header}" @ONLY)
  configure_file("${CMAKE_CURRENT_FUNCTION_LIST_DIR}/pasta_tools.cpp.in" "${tools_table}" @ONLY)

  list(TRANSFORM tools PREPEND "pasta::tool::" OUTPUT_VARIABLE tool_targets)
  target_link_libraries(${target} ${scope} ${tool_targets})
  target_sources(${target} ${table_scope} "${tools_table}")
  set(flags "${CMAKE_CXX_FLAGS} $<$<CONFIG:Debug>:${CMAKE_CXX_FLAGS_DEBUG}>$<$<CONFIG:Release>:${CMAKE_CXX_FLAGS_RELEASE}>")
  string(APPEND flags "$<$<CONFIG:RelWithDebInfo>:${CMAKE_CXX_FLAGS_RELWITHDEBINFO}>")
  string(APPEND flags "$<$<CONFIG:MinSizeRel>:${CMAKE_CXX_FLAGS_MINSIZEREL}>")
  string(REPLACE "\\" "\\\\" flags "${flags}")
  string(REPLACE "\"" "\\\"" flags "${flags}")
  string(STRIP "${flags}" flags)
  target_compile_definitions(${target} ${scope}
    "PASTA_PROBE_TOOLS_HEADER=\"${tools_header}\"" "PASTA_COMPILER_FLAGS=\"${flags}\"")
  if(arg_ROUTE STREQUAL "llvm")
    pasta_instrument_llvm("${call}" ${target} ${scope})
  endif()
endfunction()

function(pasta_check_tool_name call name)
  if(name MATCHES "^[A-Za-z_][A-Za-z0-9_]*$" AND TARGET pasta::tool::${name})
    return()
  endif()
  get_property(known GLOBAL PROPERTY PASTA_KNOWN_TOOLS)
  pasta_fail_with_nearest("${call}" "tool" "${name}" "${known}")
endfunction()

# The absolute path of a tool's header: in the tool's folder, or where the package that brought the tool installed it.
function(pasta_tool_header call name out)
  set(tool pasta::tool::${name})
  get_target_property(file ${tool} PASTA_TOOL_HEADER)
  get_target_property(is_imported ${tool} IMPORTED)
  if(is_imported)
    get_target_property(folders ${tool} INTERFACE_INCLUDE_DIRECTORIES)
  else()
    get_target_property(folders ${tool} SOURCE_DIR)
  endif()
  foreach(folder IN LISTS folders)
    if(file AND EXISTS "${folder}/${file}")
      set(${out} "${folder}/${file}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "${call}: the header of the tool ${name} is in none of: ${folders}")
endfunction()
