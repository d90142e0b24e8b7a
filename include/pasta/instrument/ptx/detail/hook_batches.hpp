// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_INSTRUMENT_PTX_DETAIL_HOOK_BATCHES_HPP
#define PASTA_INSTRUMENT_PTX_DETAIL_HOOK_BATCHES_HPP

#include <algorithm>
#include <cstddef>
#include <pasta/instrument/ptx/control.hpp>
#include <pasta/instrument/ptx/counters.hpp>
#include <pasta/instrument/ptx/hooked_access.hpp>
#include <pasta/instrument/ptx/instruction.hpp>
#include <vector>

namespace pasta::ptx::detail {

/// What is put together.
enum class batch_kind : std::uint8_t {
  in_order,  ///< accesses of one size that are tested for order
  run        ///< accesses that go on by steps
};

/// Puts accesses of a basic block together that follow each other without an instruction at which lanes meet.
class batches {
 public:
  /// @param steps of each access, whether it goes on by steps
  batches(std::vector<hooked_access>& all, batch_kind kind, std::vector<bool> const& steps)
      : all_(&all), kind_(kind), steps_(&steps) {}

  /// The next access in the order of the text.
  void add(std::size_t index) {
    constexpr std::size_t most = 8;
    hooked_access const& each = (*all_)[index];
    bool const is_run = kind_ == batch_kind::run;
    bool const may_join = each.why.empty() && each.in_order != no_counts && !each.keeps() && !each.base.empty() &&
                          (!is_run || (*steps_)[index]);
    bool const is_like_first = is_run || index == begin_ || each.size.text == (*all_)[begin_].size.text;
    if (!may_join || !is_like_first || index - begin_ == most) close();
    end_ = index + 1;
    if (!may_join) begin_ = end_;
  }
  /// An instruction, behind its own accesses.
  void pass(instruction const& what) {
    bool ends = control_of(what) != control::next || what.has("sync") || what.name == "bar" || what.name == "barrier" ||
                what.name == "activemask";
    for (std::size_t i = begin_; i < end_ && !ends; ++i) {
      hooked_access const& each = (*all_)[i];
      ends = writes(what, each.base) || std::any_of(each.conditions.begin(), each.conditions.end(),
                                                    [&](std::string_view one) { return writes(what, one); });
    }
    if (ends) close();
  }
  void close() {
    if (end_ - begin_ > 1) {
      for (std::size_t i = begin_; i < end_; ++i) (*all_)[i].batch = (*all_)[end_ - 1].statement;
    }
    begin_ = end_;
  }

 private:
  // What is written stands first, if anything is.
  static bool writes(instruction const& what, std::string_view name) {
    if (what.operands.empty() || what.operands.front().starts_with('[')) return false;
    instruction first = what;
    first.operands.resize(1);
    return may_write(first, name);
  }

  std::vector<hooked_access>* all_;
  batch_kind kind_;
  std::vector<bool> const* steps_;
  std::size_t begin_ = 0, end_ = 0;
};

}  // namespace pasta::ptx::detail
#endif
