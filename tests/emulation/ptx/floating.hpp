// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TESTS_EMULATION_PTX_FLOATING_HPP
#define PASTA_TESTS_EMULATION_PTX_FLOATING_HPP

#include "compiler.hpp"

namespace ptx_emulation {

/// An instruction on `.f32` or `.f64`, rounded to the nearest. @throws unknown_code for other roundings and types
void build_floating(function_compiler& names, spelled const& text, op& into);

}  // namespace ptx_emulation
#endif
