# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
include_guard(GLOBAL)

# What ROUTE llvm of pasta_instrument has beyond ROUTE probe: the target's C++ sources are compiled with the pass plugin
# for the compiler's LLVM, and with the tools' hooks.
function(pasta_instrument_llvm call target scope)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
    if("HIP" IN_LIST languages)
      set(hint " (HIP sources have to be the target's before it is instrumented)")
    endif()
    message(FATAL_ERROR " ${call}: ROUTE llvm needs clang; the C++ compiler is ${CMAKE_CXX_COMPILER_ID}'s: "
      "cmake -DCMAKE_CXX_COMPILER=clang++-19${hint}")
  endif()
  string(REGEX MATCH "^[0-9]+" version "${CMAKE_CXX_COMPILER_VERSION}")
  if(TARGET pasta_llvm_${version})
    add_dependencies(${target} pasta_llvm_${version})
    set(plugin "$<TARGET_FILE:pasta_llvm_${version}>")
  else()
    # Beside the command, in the build tree as in the install tree: bin/pasta, lib/pasta.
    get_property(command GLOBAL PROPERTY PASTA_COMMAND)
    get_filename_component(command "${command}" ABSOLUTE)
    get_filename_component(folder "${command}" DIRECTORY)
    get_filename_component(folder "${folder}/../lib/pasta" ABSOLUTE)
    set(plugin "${folder}/libpasta_llvm_${version}.so")
    if(NOT EXISTS "${plugin}")
      file(GLOB known RELATIVE "${folder}" "${folder}/libpasta_llvm_*.so")
      list(TRANSFORM known REPLACE "libpasta_llvm_([0-9]+).so" "\\1")
      list(JOIN known ", " known)
      if(NOT known)
        set(known "none")
      endif()
      message(FATAL_ERROR " ${call}: there is no pass plugin for LLVM ${version}, which is the C++ compiler's; there is one "
        "for: ${known}")
    endif()
  endif()
  target_compile_definitions(${target} ${scope} PASTA_LLVM_ROUTE=1)
  target_compile_options(${target} ${scope}
    "$<$<COMPILE_LANGUAGE:CXX>:-fpass-plugin=${plugin}>" "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-include pasta/llvm_hooks.hpp>")
endfunction()
