// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PTX_RUNTIME_PATCH_GUEST_HPP
#define PASTA_TOOLS_PTX_RUNTIME_PATCH_GUEST_HPP

#include <string>

#include "guest.hpp"

namespace pasta::ptx {

/// The patch route's collector, which lies in libpasta_patch.so beside this library, at work for the host. It loads the
/// Compute Sanitizer. Once in a process.
/// @param why_not half a line, where there is none @return null: there is none
collecting::guest* start_patch_guest(collecting::guest_host& host, std::string& why_not);

}  // namespace pasta::ptx
#endif
