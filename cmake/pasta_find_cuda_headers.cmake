# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
#
# PASTA_NVCC, and the folders of CUDA's headers PASTA_CUDA_INCLUDE_DIR (cuda.h) and PASTA_CUPTI_INCLUDE_DIR
# (cupti_callbacks.h), each where it is found: beside the nvcc, or where CUDA_HOME or CUDA_PATH say.
include_guard(GLOBAL)
find_program(PASTA_NVCC nvcc HINTS "${PROJECT_SOURCE_DIR}/build/cuda_tools/bin" /usr/local/cuda/bin
  DOC "CUDA's compiler")
set(pasta_hints "$ENV{CUDA_HOME}" "$ENV{CUDA_PATH}")
if(PASTA_NVCC)
  # It may be a script elsewhere: it says itself where its toolkit is.
  execute_process(COMMAND "${PASTA_NVCC}" --dryrun -x cu -E /dev/null OUTPUT_QUIET ERROR_VARIABLE pasta_words)
  if(pasta_words MATCHES "TOP=([^\n]+)")
    list(APPEND pasta_hints "${CMAKE_MATCH_1}")
  endif()
endif()
list(APPEND pasta_hints /usr/local/cuda)
find_path(PASTA_CUDA_INCLUDE_DIR cuda.h HINTS ${pasta_hints} PATH_SUFFIXES include targets/x86_64-linux/include)
find_path(PASTA_CUPTI_INCLUDE_DIR cupti_callbacks.h HINTS ${pasta_hints}
  PATH_SUFFIXES extras/CUPTI/include include targets/x86_64-linux/include)
mark_as_advanced(PASTA_CUDA_INCLUDE_DIR PASTA_CUPTI_INCLUDE_DIR)
unset(pasta_hints)
unset(pasta_words)
