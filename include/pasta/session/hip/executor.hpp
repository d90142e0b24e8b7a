// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_SESSION_HIP_EXECUTOR_HPP
#define PASTA_SESSION_HIP_EXECUTOR_HPP

#include <fmt/format.h>

#include <pasta/instrument/gpu/thread_probe.hpp>
#include <pasta/report/model.hpp>
#include <pasta/session/gpu/kernel_source.hpp>
#include <pasta/session/kernel_name.hpp>
#include <pasta/session/tool_options.hpp>

namespace pasta {

namespace detail {

template <class Kernel, class... Parameters>
__global__ void run_plain(kernel_source<Kernel> source, Parameters... parameters) {
  thread<no_probe> t{simt::lane{}};
  source.get().template operator()<no_probe>(t, to_kernel_argument<no_probe>(parameters, no_handle{})...);
}
// Pointers are parameters of their own: within a structure the compiler does not see that they are to global memory.
template <class ToolOrPack, class Kernel, class... Parameters>
__global__ void run_probed(typename region_of<tools_of_t<ToolOrPack>>::head* first,
                           typename region_of<tools_of_t<ToolOrPack>>::shard* shards, std::uint32_t shard_mask,
                           typename states_of<tools_of_t<ToolOrPack>>::options options,
                           launch_shadow<any_shadow_v<tools_of_t<ToolOrPack>>> shadow, kernel_source<Kernel> source,
                           Parameters... parameters) {
  using probe_type = probe<ToolOrPack>;
  typename region_of<tools_of_t<ToolOrPack>>::setup const given{first, shards, shard_mask, options, shadow};
  thread_probe<tools_of_t<ToolOrPack>> mine(given);
  thread<probe_type> t(simt::lane{}, &mine);
  probe_type::begin_thread(&mine);
  source.get().template operator()<probe_type>(t, to_kernel_argument<probe_type>(parameters, &mine)...);
  probe_type::end_thread(&mine);
}

/// @throw vendor_error
template <class... Parameters>
void launch_on_gpu(void (*function)(Parameters...), std::string const& name, launch_shape const& shape,
                   std::uint64_t stream, std::type_identity_t<Parameters>... parameters) {
  simt::check(simt::start(function, shape, reinterpret_cast<hipStream_t>(stream), parameters...),
              fmt::format("cannot launch {}", name));
}

}  // namespace detail

/// What runs kernels: the current AMD GPU, in the caller's streams.
class executor {
 public:
  explicit executor(settings const&) {}

  /// Launches a kernel without a tool. @throw vendor_error
  template <class Kernel, class... Arguments>
  void run(Kernel const& kernel, launch_shape const& shape, std::uint64_t stream, Arguments const&... arguments) {
    detail::launch_on_gpu(&detail::run_plain<Kernel, detail::parameter_t<Arguments>...>, detail::kernel_name(kernel),
                          shape, stream, detail::kernel_source<Kernel>::of(kernel), detail::to_parameter(arguments)...);
  }

  /// Lanes of a warp of the current GPU: 64 or 32.
  std::uint32_t warp_width() const {
    return simt::runtime::attribute(hipDeviceAttributeWarpSize, simt::runtime::device(), 64);
  }

  /// Waits for all launches on the current GPU. @throw vendor_error also for a kernel that went wrong
  void synchronize() { simt::check(hipDeviceSynchronize(), "a kernel went wrong"); }

  std::uint64_t current_device() const { return static_cast<std::uint64_t>(simt::runtime::device()); }
  std::uint64_t current_context() const { return current_device(); }  // a device has one, that of its first use

  /// Says in the report what ran the kernels.
  void fill(report_header& header) const {
    header.vendor = PASTA_VENDOR_NAME;
    hipDeviceProp_t properties{};
    int count = 0, device = 0, runtime = 0;
    if (hipGetDeviceCount(&count) != hipSuccess || hipGetDevice(&device) != hipSuccess ||
        hipGetDeviceProperties(&properties, device) != hipSuccess) {
      static_cast<void>(hipGetLastError());
      header.device = "no AMD GPU";
      return;
    }
    static_cast<void>(hipRuntimeGetVersion(&runtime));
    header.device =
        fmt::format("{} ({}, {} compute units){}, HIP runtime {}.{}", properties.name, properties.gcnArchName,
                    properties.multiProcessorCount, count > 1 ? fmt::format(" and {} more", count - 1) : "",
                    runtime / 10'000'000, runtime / 100'000 % 100);
  }
};

}  // namespace pasta
#endif
