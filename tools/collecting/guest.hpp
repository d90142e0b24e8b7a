// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Two collectors in one process: the ptx route's loads that of the patch route, for kernels of modules that have no
/// counters. The headers of CUPTI and of the Compute Sanitizer cannot stand in one library's source, so that each is a
/// library by itself; what they say to each other is here. The guest's library exports
///
///     extern "C" char const* pasta_guest_version();
///     extern "C" pasta::collecting::guest* pasta_start_guest(pasta::collecting::guest_host*, std::string* why_not);
///
/// C++ objects pass between the two, so the first is compared with guest_version() before the second is called.
#ifndef PASTA_TOOLS_COLLECTING_GUEST_HPP
#define PASTA_TOOLS_COLLECTING_GUEST_HPP

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <pasta/session/ptx/tool_exchange.hpp>
#include <pasta/session/settings.hpp>
#include <set>
#include <string>

#include "tool_library.hpp"

namespace pasta::collecting {

/// What the guest may ask. Never destroyed. Any thread; nothing here takes a lock while the driver is called.
class guest_host {
 public:
  virtual settings const& asked() const = 0;
  /// Loads the tools, once; the report is then the host's to write. @return why nothing is to be collected, or ""
  virtual std::string begin_once() = 0;
  /// From begin_once() on.
  virtual tool_library const& tool() const = 0;
  virtual ptx::shadow_need const& shadow_of_tool() const = 0;
  /// The annotated ranges of the calling thread.
  virtual std::string const& range() const = 0;
  /// Whether what the driver does now on the calling thread is the host's doing.
  virtual bool is_calling() const = 0;
  virtual bool has_ended() const = 0;
  /// Whether counters of instrumented modules are read. Where not, nobody else does.
  virtual bool reads_counters() const = 0;

 protected:
  ~guest_host() = default;
};

/// What a guest has for the report.
struct guest_results {
  ptx::collected rows;          ///< for the tool; views what the guest keeps
  std::set<std::string> notes;  ///< one sentence each
  std::string devices;          ///< names, joined by commas
};

/// A collector that was loaded by another. Never destroyed. Any thread.
class guest {
 public:
  /// The launches that the calling thread makes next have this number and those behind it.
  virtual void number_launches(std::uint64_t first) = 0;
  /// Whether what the driver does now on the calling thread is the guest's doing.
  virtual bool is_calling() const = 0;
  virtual void end_step() = 0;
  virtual void go_on() = 0;
  virtual void stop() = 0;
  /// Waits for all kernels, and brings what they did to the host.
  virtual void harvest() = 0;
  /// Calls f(results). Waits at most two seconds for others.
  virtual void look(std::function<void(guest_results&)> const& f) = 0;
  virtual std::uint64_t count_launches() = 0;

 protected:
  ~guest() = default;
};

/// Equal where both libraries are of one PASTA, and one standard library's layout.
inline std::string guest_version() {
  return fmt::format("guest 1, {}, sizes {} {} {}", ptx::exchange_version(), sizeof(settings), sizeof(guest_results),
                     sizeof(tool_library));
}

}  // namespace pasta::collecting
#endif
