// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PTX_RUNTIME_CALLBACKS_HPP
#define PASTA_TOOLS_PTX_RUNTIME_CALLBACKS_HPP

#include "cupti.hpp"

namespace pasta::ptx {

/// Follows the driver's calls: CUPTI calls it at the begin and the end of each of watched_calls.hpp, on the thread that
/// makes the call. Never throws.
void CUPTIAPI on_event(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, void const* data) noexcept;

}  // namespace pasta::ptx
#endif
