// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_INSTRUMENT_PTX_DETAIL_STRIDES_INL
#define PASTA_INSTRUMENT_PTX_DETAIL_STRIDES_INL

#include <algorithm>
#include <pasta/instrument/ptx/strides.hpp>

namespace pasta::ptx {

inline strides::strides(module const& from, function const& body, loops const& all)
    : from_(&from), body_(&body), loops_(&all) {
  for (std::size_t i = body.begin; i < body.end; ++i) registers_.pass(from.statements[i]);
}

inline std::size_t strides::block_of(std::size_t statement) const {
  auto const& all = loops_->all_blocks().all();
  auto const behind = std::upper_bound(all.begin(), all.end(), statement,
                                       [](std::size_t place, block const& each) { return place < each.begin; });
  return static_cast<std::size_t>(behind - all.begin()) - 1;
}

inline std::optional<stride> strides::find(std::size_t statement, std::string_view base) {
  std::size_t const block = block_of(statement);
  natural_loop const* const in = loops_->around(block);
  if (in == nullptr || loops_->comes_to(*in, block, block)) return std::nullopt;
  if (loops_->all_blocks().scope_of(statement) != body_->begin) return std::nullopt;
  if (std::uint32_t const bits = registers_.bits_of(base); bits != 0 && bits != 64) return std::nullopt;
  auto const values = values_.try_emplace(in, *from_, *body_, *loops_, *in, registers_).first;
  std::vector<narrow_step> narrow;
  detail::turn_step const found = values->second.find_step(base, statement, block, narrow);
  if (!found.is_regular()) return std::nullopt;
  stride made{std::nullopt, find_breaks(*in, block), std::move(narrow)};
  if (found.is == detail::turn_step::kind::known) made.step = found.bytes;
  return made;
}

inline std::vector<run_break> strides::find_breaks(natural_loop const& in, std::size_t block) const {
  auto const& all = loops_->all_blocks().all();
  std::vector<run_break> found;
  auto const add = [&](std::size_t from, std::size_t to) {
    // A block's last statement may lead to the next block in two ways.
    statement const& last = from_->statements[all[from].end - 1];
    bool const jumps =
        last.kind == statement_kind::instruction && (control_of(read_instruction(last.text)) == control::jump ||
                                                     control_of(read_instruction(last.text)) == control::indexed_jump);
    bool const falls = last.kind != statement_kind::instruction || falls_through(read_instruction(last.text));
    auto const add_break = [&](run_break const& one) {
      if (std::find(found.begin(), found.end(), one) == found.end()) found.push_back(one);
    };
    bool const is_next = from + 1 == to && falls;
    if (is_next) add_break({all[to].begin, run_break::place::before});
    std::size_t const ways = static_cast<std::size_t>(std::count(all[from].next.begin(), all[from].next.end(), to));
    if (!jumps || ways == (is_next ? 1U : 0U)) return;
    std::size_t const jump = all[from].end - 1;
    bool const is_plain =
        control_of(read_instruction(last.text)) == control::jump && loops_->all_blocks().scope_of(jump) == body_->begin;
    add_break({jump, is_plain ? run_break::place::jump : run_break::place::before});
  };
  for (std::size_t const from : loops_->before(in.header)) {
    if (!in.contains(from)) add(from, in.header);
  }
  if (block == in.header) return found;
  // Blocks from which a thread may come to the access in this turn.
  std::vector<std::size_t> coming;
  std::vector<std::size_t> open{block};
  while (!open.empty()) {
    std::size_t const to = open.back();
    open.pop_back();
    for (std::size_t const from : loops_->before(to)) {
      if (!in.contains(from) || std::find(coming.begin(), coming.end(), from) != coming.end()) continue;
      coming.push_back(from);
      if (from != in.header) open.push_back(from);
    }
  }
  std::sort(coming.begin(), coming.end());
  for (std::size_t const from : coming) {
    for (std::size_t const to : all[from].next) {
      if (!in.contains(to) || to == block) continue;
      if (to == in.header || !std::binary_search(coming.begin(), coming.end(), to)) add(from, to);
    }
  }
  return found;
}

}  // namespace pasta::ptx
#endif
