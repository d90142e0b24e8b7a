// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// The kernels of examples/targets in two forms: on a probe, and as HIP has them, for the pass plugin to put tools into.
//
//   plain_targets probe|plain [PROGRAM SIZE]...
#include <cstdio>
#include <cstdlib>
#include <string>

#include <pasta/pasta.hpp>

#include "plain_forms.hpp"

namespace {

template <class T>
T* raw(pasta::buffer<T> const& buffer) {
  return buffer.device_pointer();
}
template <class T>
T raw(T const& value) {
  return value;
}

bool is_plain = false;

template <class... Parameters, class... Arguments>
void launch_plain(void (*kernel)(Parameters...), pasta::launch_config const& config, Arguments const&... arguments) {
  dim3 const grid(config.grid.x, config.grid.y, config.grid.z), block(config.block.x, config.block.y, config.block.z);
  hipLaunchKernelGGL(kernel, grid, block, config.shared_bytes, nullptr, static_cast<Parameters>(raw(arguments))...);
}

template <class Problem>
bool run(std::size_t size) {
  Problem problem(size);
  problem.run([](auto const& kernel, auto const& config, auto const&... arguments) {
    if (is_plain) {
      launch_plain(plain_form(kernel), config, arguments...);
    } else {
      pasta::launch(kernel, config, arguments...);
    }
  });
  pasta::synchronize();
  std::string const difference = problem.check();
  if (!difference.empty()) std::printf("%s\n", difference.c_str());
  return difference.empty();
}

bool run_named(std::string const& name, std::size_t size) {
  if (name == "vector_add") return run<targets::vector_add_problem>(size);
  if (name == "csr_spmv") return run<targets::csr_spmv_problem>(size);
  if (name == "histogram") return run<targets::histogram_problem>(size);
  if (name == "misaligned_copy") return run<targets::misaligned_copy_problem>(size);
  if (name == "stencil") return run<targets::stencil_problem>(size);
  if (name == "naive_transpose") return run<targets::transpose_problem<naive_transpose>>(size);
  if (name == "tiled_transpose") return run<targets::transpose_problem<tiled_transpose>>(size);
  return name == "tiled_product" && run<targets::tiled_product_problem>(size);
}

}  // namespace

int main(int argc, char** argv) {
  is_plain = argc > 1 && std::string(argv[1]) == "plain";
  for (int i = 2; i + 1 < argc; i += 2) {
    if (!run_named(argv[i], std::strtoul(argv[i + 1], nullptr, 10))) return 1;
  }
  return 0;
}
