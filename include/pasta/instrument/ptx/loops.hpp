// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// The loops of a function that have one way in.
#ifndef PASTA_INSTRUMENT_PTX_LOOPS_HPP
#define PASTA_INSTRUMENT_PTX_LOOPS_HPP

#include <cstddef>
#include <pasta/instrument/ptx/blocks.hpp>
#include <vector>

namespace pasta::ptx {

/// A natural loop. Threads come into it through its header alone, and each way around it leads through the header.
struct natural_loop {
  std::size_t header = 0;              ///< number of the block
  std::vector<std::size_t> members;    ///< blocks of the loop with its header, in order
  std::vector<std::size_t> ways_back;  ///< members from which control may go to the header

  bool contains(std::size_t block) const;
};

class loops {
 public:
  /// @param parts must outlive this
  explicit loops(blocks const& parts);

  blocks const& all_blocks() const { return *parts_; }
  /// Whether each way from the function's begin to the second block leads through the first. Blocks that no way leads
  /// to dominate nothing, and nothing dominates them.
  bool dominates(std::size_t first, std::size_t second) const;
  /// The innermost natural loop with a block; null if there is none.
  natural_loop const* around(std::size_t block) const;
  /// Whether a thread may come from the begin of one member to that of another before it comes to the header (again).
  /// A member comes to itself only by a way around.
  bool comes_to(natural_loop const& in, std::size_t from, std::size_t to) const;
  /// Blocks before a block, those that no way leads to left out.
  std::vector<std::size_t> const& before(std::size_t block) const { return before_[block]; }

 private:
  void find_order();
  void find_dominators();
  void find_loops();

  static constexpr std::size_t none = SIZE_MAX;
  blocks const* parts_;
  std::vector<std::size_t> order_;      // blocks that threads come to, each behind what dominates it
  std::vector<std::size_t> number_;     // of each block in that order; none: no way leads to it
  std::vector<std::size_t> dominator_;  // of each block, the nearest
  std::vector<std::vector<std::size_t>> before_;
  std::vector<natural_loop> loops_;
};

}  // namespace pasta::ptx

#include <pasta/instrument/ptx/detail/loops.inl>
#endif
