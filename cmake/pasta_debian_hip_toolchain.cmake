# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
#
# CMake's language HIP with Debian's packages, whose places CMake does not know:
#
#   cmake -B build -DCMAKE_TOOLCHAIN_FILE=…/pasta_debian_hip_toolchain.cmake -DCMAKE_HIP_ARCHITECTURES=gfx90a
#
# CMAKE_HIP_COMPILER          a clang++, not hipcc, which CMake refuses for this language; default clang++-15, then 19
# PASTA_HIP_DEVICE_LIBRARIES  the folder of ockl.bc, where it is not that of Debian's rocm-device-libs:
#                             scripts/hip_tools makes one that also has gfx942
#
# On Debian: apt-get install clang-15 clang-tools-15 lld-15 libamdhip64-dev rocm-device-libs
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES CMAKE_HIP_COMPILER PASTA_HIP_DEVICE_LIBRARIES)
if(NOT CMAKE_HIP_COMPILER)
  find_program(CMAKE_HIP_COMPILER NAMES clang++-15 clang++-19 DOC "clang++, which compiles HIP")
endif()
if(NOT CMAKE_HIP_COMPILER)
  message(FATAL_ERROR " The language HIP needs clang, which was not found. On Debian: apt-get install clang-15 "
    "clang-tools-15 lld-15 libamdhip64-dev rocm-device-libs")
endif()
if(NOT CMAKE_HIP_COMPILER_ROCM_ROOT)
  set(CMAKE_HIP_COMPILER_ROCM_ROOT "${CMAKE_CURRENT_LIST_DIR}/pasta_debian_hip")
endif()
if(NOT PASTA_HIP_DEVICE_LIBRARIES)
  file(GLOB PASTA_HIP_DEVICE_LIBRARIES "/usr/lib/*-linux-gnu/amdgcn/bitcode")
endif()

# CMake reads this file several times, and parts flags at blanks.
if("${PASTA_HIP_DEVICE_LIBRARIES}" MATCHES "[ ;]" OR NOT EXISTS "${PASTA_HIP_DEVICE_LIBRARIES}/ockl.bc")
  message(FATAL_ERROR " PASTA_HIP_DEVICE_LIBRARIES is '${PASTA_HIP_DEVICE_LIBRARIES}', which must be a folder with "
    "ockl.bc and have no blank in its name. On Debian: apt-get install rocm-device-libs")
endif()
# The linker and the bundler of the same LLVM stand beside what /usr/bin/clang++-15 is a link to; clang itself takes
# those that come first in PATH.
file(REAL_PATH "${CMAKE_HIP_COMPILER}" pasta_compiler)
get_filename_component(pasta_folder "${pasta_compiler}" DIRECTORY)
set(CMAKE_HIP_FLAGS_INIT
  "--rocm-path=/usr --rocm-device-lib-path=${PASTA_HIP_DEVICE_LIBRARIES} -B${pasta_folder}")
unset(pasta_compiler)
unset(pasta_folder)
