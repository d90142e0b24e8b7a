// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Where CUPTI may be: for the collector and for `pasta doctor`.
#ifndef PASTA_TOOLS_PTX_RUNTIME_FIND_CUPTI_HPP
#define PASTA_TOOLS_PTX_RUNTIME_FIND_CUPTI_HPP

#include <pasta/session/find_cupti.hpp>

namespace pasta::ptx {
using pasta::cupti_candidates;
using pasta::open_cupti;
using pasta::opened_cupti;
}  // namespace pasta::ptx
#endif
