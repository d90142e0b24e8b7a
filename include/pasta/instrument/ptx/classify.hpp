// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_INSTRUMENT_PTX_CLASSIFY_HPP
#define PASTA_INSTRUMENT_PTX_CLASSIFY_HPP

#include <pasta/instrument/ptx/instruction.hpp>
#include <pasta/instrument/ptx/site.hpp>

namespace pasta::ptx {

/// Which events one execution of the instruction is, by the PTX ISA 6.0 to 9.3. Nothing is looked up outside of the
/// instruction; its guard matters only to a jump. What is not known is of kind `unknown` if it has an operand in
/// brackets, else of kind `none`. The result has views of the instruction's text.
site classify(instruction const& what) noexcept;

}  // namespace pasta::ptx

#include <pasta/instrument/ptx/detail/classify.inl>
#endif
