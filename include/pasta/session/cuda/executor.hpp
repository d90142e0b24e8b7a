// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_SESSION_CUDA_EXECUTOR_HPP
#define PASTA_SESSION_CUDA_EXECUTOR_HPP

#include <fmt/format.h>

#include <pasta/report/model.hpp>
#include <pasta/session/cuda/kernel_activity.hpp>
#include <pasta/session/kernel_argument.hpp>
#include <pasta/session/kernel_name.hpp>
#include <pasta/session/tool_options.hpp>
#include <pasta/vendor/cuda.hpp>

namespace pasta {

namespace detail {

// A kernel without data is not passed: its parameters are then those of a plain CUDA kernel, at the same places.
template <class Kernel>
inline constexpr bool is_passed_v = !(std::is_empty_v<Kernel> && std::is_default_constructible_v<Kernel>);

template <class Kernel, class... Parameters>
__global__ void run_plain(Parameters... parameters) {
  thread<no_probe> t{simt::lane{}};
  Kernel{}.template operator()<no_probe>(t, to_kernel_argument<no_probe>(parameters, no_handle{})...);
}
template <class Kernel, class... Parameters>
__global__ void run_plain_passed(Kernel kernel, Parameters... parameters) {
  thread<no_probe> t{simt::lane{}};
  kernel.template operator()<no_probe>(t, to_kernel_argument<no_probe>(parameters, no_handle{})...);
}

/// @throw vendor_error
template <class... Parameters>
void launch_on_gpu(void (*function)(Parameters...), std::string const& name, launch_shape const& shape,
                   std::uint64_t stream, std::type_identity_t<Parameters>... parameters) {
  constexpr std::size_t usual_shared_bytes = 48 * 1024;  // above it a kernel must be told
  auto const require = [&](cudaError_t error) { simt::check(error, fmt::format("cannot launch {}", name)); };
  if (shape.shared_bytes > usual_shared_bytes) {
    require(cudaFuncSetAttribute(reinterpret_cast<void const*>(function), cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 static_cast<int>(shape.shared_bytes)));
  }
  void* all[] = {static_cast<void*>(&parameters)..., nullptr};
  require(cudaLaunchKernel(reinterpret_cast<void const*>(function), ::dim3(shape.grid.x, shape.grid.y, shape.grid.z),
                           ::dim3(shape.block.x, shape.block.y, shape.block.z), all, shape.shared_bytes,
                           reinterpret_cast<cudaStream_t>(stream)));
}

}  // namespace detail

/// What runs kernels: the current NVIDIA GPU, in the caller's streams.
class executor {
 public:
  explicit executor(settings const& given) {
    if (given.times != time_source::cupti) return;
    detail::kernel_activity& cupti = detail::kernel_activity::instance();
    if (cupti.start()) {
      activity_ = &cupti;
    } else {
      time_problem_ = cupti.problem();
    }
  }

  /// Launches a kernel without a tool. @throw vendor_error
  template <class Kernel, class... Arguments>
  void run(Kernel const& kernel, launch_shape const& shape, std::uint64_t stream, Arguments const&... arguments) {
    std::string const name = detail::kernel_name(kernel);
    if constexpr (detail::is_passed_v<Kernel>) {
      detail::launch_on_gpu(&detail::run_plain_passed<Kernel, detail::parameter_t<Arguments>...>, name, shape, stream,
                            kernel, detail::to_parameter(arguments)...);
    } else {
      detail::launch_on_gpu(&detail::run_plain<Kernel, detail::parameter_t<Arguments>...>, name, shape, stream,
                            detail::to_parameter(arguments)...);
    }
  }

  std::uint32_t warp_width() const { return 32; }

  /// What tells when kernels began and ended; null for events alone.
  detail::kernel_activity* activity() const { return activity_; }
  /// Why there is none although it was asked for; "" if it was not.
  std::string const& time_problem() const { return time_problem_; }

  /// Waits for all launches on the current GPU. @throw vendor_error also for a kernel that went wrong
  void synchronize() { simt::check(cudaDeviceSynchronize(), "a kernel went wrong"); }

  std::uint64_t current_device() const {
    int device = 0;
    static_cast<void>(cudaGetDevice(&device));
    return static_cast<std::uint64_t>(device);
  }
  /// Unique in the process; another one after a device reset. 0 where the driver does not tell.
  std::uint64_t current_context() const { return simt::current_context(); }

  /// Says in the report what ran the kernels.
  void fill(report_header& header) const {
    header.vendor = PASTA_VENDOR_NAME;
    cudaDeviceProp properties{};
    int count = 0, device = 0, driver = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess || cudaGetDevice(&device) != cudaSuccess ||
        cudaGetDeviceProperties(&properties, device) != cudaSuccess) {
      static_cast<void>(cudaGetLastError());
      header.device = "no NVIDIA GPU";
      return;
    }
    static_cast<void>(cudaDriverGetVersion(&driver));
    header.device =
        fmt::format("{} (sm_{}{}, {} multiprocessors){}, CUDA driver {}.{}", properties.name, properties.major,
                    properties.minor, properties.multiProcessorCount,
                    count > 1 ? fmt::format(" and {} more", count - 1) : "", driver / 1000, driver % 1000 / 10);
  }

 private:
  detail::kernel_activity* activity_ = nullptr;
  std::string time_problem_;
};

}  // namespace pasta
#endif
