// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// CUPTI, NVIDIA's library that tells of driver calls: found when the program runs, nothing is linked.
#ifndef PASTA_TOOLS_PTX_RUNTIME_CUPTI_HPP
#define PASTA_TOOLS_PTX_RUNTIME_CUPTI_HPP

#include <cupti_callbacks.h>
#include <cupti_driver_cbid.h>
#include <cupti_runtime_cbid.h>

#include <string>

namespace pasta::ptx {

/// What is called back. @param data as CUPTI gives it for the domain
using cupti_callback = void(CUPTIAPI*)(void*, CUpti_CallbackDomain, CUpti_CallbackId, void const* data);

/// Loads CUPTI and subscribes to the calls that the collector follows. Once.
/// @return "" or half a line: why not
std::string subscribe(cupti_callback callback);

}  // namespace pasta::ptx
#endif
