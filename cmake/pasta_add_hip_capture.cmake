# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
include_guard(GLOBAL)

# pasta_add_hip_capture(NAME source...)
#
# Makes the shared library NAME, which is loaded with a HIP program that knows nothing of PASTA (LD_PRELOAD) and is told
# of its launches and of the GPU memory that it allocates and frees. One of the sources installs a pasta::event_sink,
# and includes the hooks:
#
#   #include PASTA_HIP_CAPTURE_HEADER   // <pasta/vendor/hip/rocprofiler.hpp> where rocprofiler-sdk is found, which is
#                                       // linked then, else <pasta/vendor/hip/interpose.hpp>
#
# Any C++ compiler; needs the headers of the HIP runtime, which are looked for in ROCM_PATH, /opt/rocm and the usual
# folders.
function(pasta_add_hip_capture name)
  if(NOT ARGN)
    message(FATAL_ERROR " pasta_add_hip_capture(${name}): expected NAME source...")
  endif()
  find_path(PASTA_HIP_INCLUDE_DIR hip/hip_runtime_api.h HINTS ENV ROCM_PATH PATHS /opt/rocm PATH_SUFFIXES include
    DOC "Folder of hip/hip_runtime_api.h")
  mark_as_advanced(PASTA_HIP_INCLUDE_DIR)
  if(NOT PASTA_HIP_INCLUDE_DIR)
    message(FATAL_ERROR " pasta_add_hip_capture(${name}): hip/hip_runtime_api.h was not found. On Debian: "
      "apt-get install libamdhip64-dev")
  endif()
  add_library(${name} SHARED ${ARGN})
  target_link_libraries(${name} PRIVATE pasta::pasta)
  target_link_options(${name} PRIVATE LINKER:--as-needed)  # a program gets no library that the hooks do not need
  target_include_directories(${name} SYSTEM PRIVATE "${PASTA_HIP_INCLUDE_DIR}")
  target_compile_definitions(${name} PRIVATE __HIP_PLATFORM_AMD__)
  find_package(rocprofiler-sdk QUIET HINTS "$ENV{ROCM_PATH}" /opt/rocm)
  if(rocprofiler-sdk_FOUND)
    target_link_libraries(${name} PRIVATE rocprofiler-sdk::rocprofiler-sdk)
    target_compile_definitions(${name} PRIVATE "PASTA_HIP_CAPTURE_HEADER=<pasta/vendor/hip/rocprofiler.hpp>")
  else()
    message(STATUS "pasta_add_hip_capture(${name}): rocprofiler-sdk was not found, so the HIP runtime's functions are "
      "interposed. From AMD's package repository: apt-get install rocprofiler-sdk")
    target_compile_definitions(${name} PRIVATE "PASTA_HIP_CAPTURE_HEADER=<pasta/vendor/hip/interpose.hpp>")
  endif()
endfunction()
