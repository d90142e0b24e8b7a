// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PATCH_RUNTIME_CALLBACKS_HPP
#define PASTA_TOOLS_PATCH_RUNTIME_CALLBACKS_HPP

#include "sanitizer.hpp"

namespace pasta::patch {

/// What the Compute Sanitizer calls, on the program's threads. Never throws into the program.
void SANITIZERAPI on_event(void* user_data, Sanitizer_CallbackDomain domain, Sanitizer_CallbackId id,
                           void const* data) noexcept;

}  // namespace pasta::patch
#endif
