// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TESTS_ROUTE_AUTO_GPU_PLAIN_HPP
#define PASTA_TESTS_ROUTE_AUTO_GPU_PLAIN_HPP

#include <cuda_runtime.h>

/// Two kernels that no tool was built into.
void launch_plain(int* from, int* to, int n, cudaStream_t stream);

#endif
