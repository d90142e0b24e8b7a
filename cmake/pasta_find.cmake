# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
#
# find_package with one line that says what to install. Both are macros: what find_package sets must reach the caller.
include_guard(GLOBAL)
list(APPEND CMAKE_MODULE_PATH "${CMAKE_CURRENT_LIST_DIR}")

# pasta_require(PACKAGE DEBIAN_PACKAGE [find_package arguments...]): nothing works without it.
macro(pasta_require package debian_package)
  find_package(${package} QUIET ${ARGN})
  if(NOT ${package}_FOUND)
    message(FATAL_ERROR "PASTA needs ${package}, which was not found. On Debian: apt-get install ${debian_package}")
  endif()
endmacro()

# pasta_find_optional(PACKAGE DEBIAN_PACKAGE FEATURE [find_package arguments...]): without it FEATURE is off.
macro(pasta_find_optional package debian_package feature)
  find_package(${package} QUIET ${ARGN})
  if(NOT ${package}_FOUND)
    message(STATUS "PASTA: ${feature} is off, ${package} was not found. On Debian: apt-get install ${debian_package}")
  endif()
endmacro()
