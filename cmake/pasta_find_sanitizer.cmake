# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
#
# PASTA_SANITIZER_INCLUDE_DIR, the folder of sanitizer.h of NVIDIA's Compute Sanitizer API, where it is found: in the
# toolkit of nvcc, of CUDA_HOME or CUDA_PATH, or where scripts/sanitizer_tools put it.
include_guard(GLOBAL)
include("${CMAKE_CURRENT_LIST_DIR}/pasta_find_cuda_headers.cmake")
find_path(PASTA_SANITIZER_INCLUDE_DIR sanitizer.h
  HINTS "${PROJECT_SOURCE_DIR}/build/sanitizer_tools" "${PASTA_CUDA_INCLUDE_DIR}/../compute-sanitizer"
    "${PASTA_CUDA_INCLUDE_DIR}/../../../compute-sanitizer" "${PASTA_CUDA_INCLUDE_DIR}/.." ENV CUDA_HOME ENV CUDA_PATH
    /usr/local/cuda
  PATH_SUFFIXES include compute-sanitizer/include extras/Sanitizer/include
  DOC "The folder of sanitizer.h, for the patch route; without it the route is off")
mark_as_advanced(PASTA_SANITIZER_INCLUDE_DIR)
