// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PATCH_RUNTIME_CALLBACKS_HPP
#define PASTA_TOOLS_PATCH_RUNTIME_CALLBACKS_HPP

#include "sanitizer.hpp"

namespace pasta::patch {

class collector;

/// Whom the Compute Sanitizer tells what it sees. Any thread.
class event_target {
 public:
  virtual patch::collector& collector() = 0;
  /// False in a forked child, which has no GPU, and once nothing is to be collected any more.
  virtual bool is_following() const = 0;
  /// Whether another collector that works in the process makes the driver do what it does on the calling thread.
  virtual bool is_hosts_call() const { return false; }
  virtual void give_up(char const* why) noexcept = 0;

 protected:
  ~event_target() = default;
};

/// What the Compute Sanitizer calls, on the program's threads. Never throws into the program.
/// @param target an event_target
void SANITIZERAPI on_event(void* target, Sanitizer_CallbackDomain domain, Sanitizer_CallbackId id,
                           void const* data) noexcept;

}  // namespace pasta::patch
#endif
