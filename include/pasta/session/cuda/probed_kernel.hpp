// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// The kernels that a GPU runs under tools, and which of them.
#ifndef PASTA_SESSION_CUDA_PROBED_KERNEL_HPP
#define PASTA_SESSION_CUDA_PROBED_KERNEL_HPP

#include <limits>
#include <pasta/session/cuda/executor.hpp>

namespace pasta::detail {

/// A kernel as it is passed to a GPU: without data, nothing is.
template <class Kernel>
struct kernel_source {
  Kernel kernel;
  PASTA_DEVICE Kernel const& get() const { return kernel; }
};
template <class Kernel>
requires(!is_passed_v<Kernel>) struct kernel_source<Kernel> {
  PASTA_DEVICE Kernel get() const { return {}; }
};

template <class ToolOrPack>
using setup_of = typename region_of<tools_of_t<ToolOrPack>>::setup;

template <class ToolOrPack, class Kernel, class... Parameters>
PASTA_DEVICE PASTA_ALWAYS_INLINE void run_thread(setup_of<ToolOrPack> const& given, bool is_small, Kernel const& kernel,
                                                 Parameters&... parameters) {
  using tables = thread_probe<tools_of_t<ToolOrPack>>;
  typename tables::counter_table counters;
  typename tables::request_table requests;
  typename tables::expectation_table expected;
  typename tables::site_table sites;
  tables mine(given, is_small, counters, requests, expected, sites);
  thread<probe<ToolOrPack>> t(simt::lane{}, &mine);
  probe<ToolOrPack>::begin_thread(&mine);
  kernel.template operator()<probe<ToolOrPack>>(t, to_kernel_argument<probe<ToolOrPack>>(parameters, &mine)...);
  probe<ToolOrPack>::end_thread(&mine);
}

// A kernel with few registers runs many threads side by side, and should under tools. What these add is seldom executed
// and may lack registers; what a kernel has without them it should keep.
#if CUDART_VERSION >= 12040
inline constexpr bool has_register_limits = true;
#define PASTA_DETAIL_AT_MOST(registers) __maxnreg__(registers)
#else
inline constexpr bool has_register_limits = false;
#define PASTA_DETAIL_AT_MOST(registers) __launch_bounds__(1024)
#endif
template <int Registers, bool IsSmall, class ToolOrPack, class Kernel, class... Parameters>
__global__ void PASTA_DETAIL_AT_MOST(Registers)
    run_probed_within(__grid_constant__ setup_of<ToolOrPack> const given, kernel_source<Kernel> source,
                      Parameters... parameters) {
  run_thread<ToolOrPack>(given, IsSmall, source.get(), parameters...);
}

// Any block size that a GPU has fits: a kernel that runs without a tool runs with it.
template <class ToolOrPack, class Kernel, class... Parameters>
__global__ void PASTA_DETAIL_AT_MOST(64) run_probed(__grid_constant__ setup_of<ToolOrPack> const given,
                                                    kernel_source<Kernel> source, Parameters... parameters) {
  run_thread<ToolOrPack>(given, false, source.get(), parameters...);
}

/// How many registers a kernel has without a tool; many where nobody tells.
template <class Kernel, class... Parameters>
int count_registers() {
  static int const count = [] {
    cudaFuncAttributes plain{};
    void const* function = nullptr;
    if constexpr (is_passed_v<Kernel>) {
      function = reinterpret_cast<void const*>(&run_plain_passed<Kernel, Parameters...>);
    } else {
      function = reinterpret_cast<void const*>(&run_plain<Kernel, Parameters...>);
    }
    if (cudaFuncGetAttributes(&plain, function) == cudaSuccess) return plain.numRegs;
    static_cast<void>(cudaGetLastError());  // the launch will say why
    return std::numeric_limits<int>::max() / 2;
  }();
  return count;
}

/// The instrumented kernel for as many registers as the kernel has, and those that tools need in its midst: none for
/// those that only count. The limits are those below which one more warp of each scheduler, or more, finds room.
template <class ToolOrPack, class Kernel, class... Parameters>
auto choose_probed() {
  if constexpr (has_register_limits) {
    int const own = count_registers<Kernel, Parameters...>();
    if constexpr (thread_probe<tools_of_t<ToolOrPack>>::has_handlers) {
      if (own <= 12) return &run_probed_within<32, true, ToolOrPack, Kernel, Parameters...>;
      if (own <= 20) return &run_probed_within<40, true, ToolOrPack, Kernel, Parameters...>;
    } else {
      if (own <= 20) return &run_probed_within<32, true, ToolOrPack, Kernel, Parameters...>;
      if (own <= 32) return &run_probed_within<32, false, ToolOrPack, Kernel, Parameters...>;
    }
  }
  return &run_probed<ToolOrPack, Kernel, Parameters...>;
}

/// Launches a kernel under tools. @throw vendor_error
template <class ToolOrPack, class Kernel, class... Parameters>
void launch_probed(setup_of<ToolOrPack> const& given, Kernel const& kernel, launch_shape const& shape,
                   std::uint64_t stream, Parameters const&... parameters) {
  kernel_source<Kernel> source{};
  if constexpr (is_passed_v<Kernel>) source = {kernel};
  launch_on_gpu(choose_probed<ToolOrPack, Kernel, Parameters...>(), kernel_name(kernel), shape, stream, given, source,
                parameters...);
}

}  // namespace pasta::detail
#endif
