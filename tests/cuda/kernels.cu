// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Kernels as plain CUDA and the same kernels through pasta::launch, for a look at the code that nvcc makes of them.
#include "gather.hpp"
#include "native_kernels.cuh"
#include "stencil.hpp"
#include "tiled_product.hpp"
#include "vector_add.hpp"

template <class Problem>
void launch(std::size_t size) {
  Problem(size).run([](auto const&... what) { pasta::launch(what...); });
}

void launch_all() {
  launch<targets::vector_add_problem>(1);
  launch<targets::stencil_problem>(1);
  launch<targets::tiled_product_problem>(1);
  launch<targets::gather_problem>(1);
}
