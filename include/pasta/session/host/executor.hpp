// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_SESSION_HOST_EXECUTOR_HPP
#define PASTA_SESSION_HOST_EXECUTOR_HPP

#include <fmt/format.h>

#include <pasta/report/model.hpp>
#include <pasta/session/host/kernel_call.hpp>
#include <pasta/session/settings.hpp>

namespace pasta {

/// What runs kernels: on the host, an engine.
class executor {
 public:
  explicit executor(settings const& set) : engine_({.warp_width = set.warp_width, .threads = set.host_threads}) {}

  /// Runs a kernel without a tool, to its end.
  template <class Kernel, class... Arguments>
  void run(Kernel const& kernel, launch_shape const& shape, std::uint64_t, Arguments const&... arguments) {
    detail::kernel_call<no_probe, Kernel, Arguments...>(kernel, arguments...).run(engine_, shape);
  }

  std::uint64_t current_device() const { return 0; }
  std::uint64_t current_context() const { return 0; }

  /// Waits until all launches have ended: those of the host engine have when run() returns.
  void synchronize() {}
  /// Says in the report what ran the kernels.
  void fill(report_header& header) const {
    auto const& engine = engine_.settings();
    header.vendor = PASTA_VENDOR_NAME;
    header.device = fmt::format("CPU engine, {} thread{}, warp width {}", engine.threads,
                                engine.threads == 1 ? "" : "s", engine.warp_width);
  }

  simt::engine& engine() { return engine_; }
  std::uint32_t warp_width() const { return engine_.settings().warp_width; }

 private:
  simt::engine engine_;
};

}  // namespace pasta
#endif
