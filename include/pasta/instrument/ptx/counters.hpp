// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Which counters tell how often each site of a function was executed: one for each basic block and guard.
#ifndef PASTA_INSTRUMENT_PTX_COUNTERS_HPP
#define PASTA_INSTRUMENT_PTX_COUNTERS_HPP

#include <cstddef>
#include <cstdint>
#include <pasta/instrument/ptx/instruction.hpp>
#include <pasta/instrument/ptx/module.hpp>
#include <vector>

namespace pasta::ptx {

struct counter {
  std::size_t statement;     ///< it is added to just before this one: its first site
  ptx::guard guard;          ///< lanes for which it holds are counted
  std::uint32_t loop_depth;  ///< 0: a thread comes at most once each time the function is called
};
struct counted_site {
  std::size_t statement;
  std::size_t counter;  ///< index in counter_plan::counters
};
struct counter_plan {
  std::vector<ptx::counter> counters;  ///< in the order of the text
  std::vector<counted_site> sites;     ///< likewise
};

/// @param body a definition of the module
/// @param is_counted whether a statement is a site: bool(instruction const&)
/// @throws unknown_label
template <class IsCounted>
counter_plan plan_counters(module const& from, function const& body, IsCounted&& is_counted);

}  // namespace pasta::ptx

#include <pasta/instrument/ptx/detail/counters.inl>
#endif
