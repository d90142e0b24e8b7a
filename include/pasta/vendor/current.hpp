// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// The vendor that this translation unit is compiled for.
#ifndef PASTA_VENDOR_CURRENT_HPP
#define PASTA_VENDOR_CURRENT_HPP

#include <pasta/config.hpp>

#include PASTA_VENDOR_HEADER

namespace pasta {
static_assert(complete_vendor<vendor::current>);
}
#endif
