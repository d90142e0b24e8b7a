// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// The basic blocks of a function: what is executed as often.
#ifndef PASTA_INSTRUMENT_PTX_BLOCKS_HPP
#define PASTA_INSTRUMENT_PTX_BLOCKS_HPP

#include <cstddef>
#include <cstdint>
#include <pasta/instrument/ptx/control.hpp>
#include <pasta/instrument/ptx/module.hpp>
#include <stdexcept>
#include <vector>

namespace pasta::ptx {

/// what() is half a line: `the label $L3 of line 12 is missing`.
struct unknown_label : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Statements that follow each other, of which a thread that comes to the first comes to all. A call ends a block, as
/// the callee may end the thread; so does what leads a guarded way out.
struct block {
  std::size_t begin = 0, end = 0;  ///< numbers in module::statements, the end not included
  std::uint32_t loop_depth = 0;    ///< loops around it; at least 1 wherever a thread may come more than once
  /// Blocks that a thread may come to next, by number, in no order; one may be there more than once.
  std::vector<std::size_t> next = {};
};

/// The blocks of one function's body, in the order of its text.
class blocks {
 public:
  /// @param body a definition of the module. @throws unknown_label if a jump names a label that the function lacks
  blocks(module const& from, function const& body);

  std::vector<block> const& all() const { return all_; }
  /// The innermost `{` around a statement of the body: its number in module::statements. Names that are declared in
  /// different scopes are different, however they are spelt.
  std::size_t scope_of(std::size_t statement) const { return scopes_[statement - begin_]; }

 private:
  std::size_t begin_;
  std::vector<block> all_;
  std::vector<std::size_t> scopes_;
};

}  // namespace pasta::ptx

#include <pasta/instrument/ptx/detail/blocks.inl>
#endif
