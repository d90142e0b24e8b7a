// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_INSTRUMENT_PTX_DETAIL_LOOPS_INL
#define PASTA_INSTRUMENT_PTX_DETAIL_LOOPS_INL

#include <algorithm>
#include <pasta/instrument/ptx/loops.hpp>
#include <utility>

namespace pasta::ptx {

inline bool natural_loop::contains(std::size_t block) const {
  return std::binary_search(members.begin(), members.end(), block);
}

inline loops::loops(blocks const& parts) : parts_(&parts) {
  find_order();
  find_dominators();
  find_loops();
}

// Reverse postorder, without recursion: kernels have thousands of blocks.
inline void loops::find_order() {
  auto const& all = parts_->all();
  number_.assign(all.size(), none);
  before_.resize(all.size());
  if (all.empty()) return;
  std::vector<bool> is_seen(all.size(), false);
  std::vector<std::pair<std::size_t, std::size_t>> open{{0, 0}};  // block, its ways that were gone
  is_seen[0] = true;
  while (!open.empty()) {
    auto& [block, gone] = open.back();
    if (gone == all[block].next.size()) {
      order_.push_back(block);
      open.pop_back();
      continue;
    }
    std::size_t const to = all[block].next[gone++];
    if (!is_seen[to]) {
      is_seen[to] = true;
      open.emplace_back(to, 0);
    }
  }
  std::reverse(order_.begin(), order_.end());
  for (std::size_t i = 0; i < order_.size(); ++i) {
    number_[order_[i]] = i;
    for (std::size_t const to : all[order_[i]].next) before_[to].push_back(order_[i]);
  }
}

// Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm.
inline void loops::find_dominators() {
  dominator_.assign(parts_->all().size(), none);
  if (order_.empty()) return;
  dominator_[order_[0]] = order_[0];
  for (bool changes = true; changes;) {
    changes = false;
    for (std::size_t i = 1; i < order_.size(); ++i) {
      std::size_t found = none;
      for (std::size_t each : before_[order_[i]]) {
        if (dominator_[each] == none) continue;
        if (found == none) found = each;
        while (found != each) {
          while (number_[each] > number_[found]) each = dominator_[each];
          while (number_[found] > number_[each]) found = dominator_[found];
        }
      }
      changes |= dominator_[order_[i]] != found;
      dominator_[order_[i]] = found;
    }
  }
}

inline void loops::find_loops() {
  std::vector<bool> is_in(parts_->all().size());
  for (std::size_t const header : order_) {
    natural_loop made{header, {header}, {}};
    for (std::size_t const each : before_[header]) {
      if (dominates(header, each)) made.ways_back.push_back(each);
    }
    if (made.ways_back.empty()) continue;
    is_in.assign(is_in.size(), false);
    is_in[header] = true;
    std::vector<std::size_t> open = made.ways_back;
    while (!open.empty()) {
      std::size_t const block = open.back();
      open.pop_back();
      if (is_in[block]) continue;
      is_in[block] = true;
      made.members.push_back(block);
      open.insert(open.end(), before_[block].begin(), before_[block].end());
    }
    std::sort(made.members.begin(), made.members.end());
    loops_.push_back(std::move(made));
  }
}

inline bool loops::dominates(std::size_t first, std::size_t second) const {
  if (number_[first] == none || number_[second] == none) return false;
  while (number_[second] > number_[first]) second = dominator_[second];
  return first == second;
}

inline natural_loop const* loops::around(std::size_t block) const {
  natural_loop const* found = nullptr;
  for (natural_loop const& each : loops_) {
    if (each.contains(block) && (found == nullptr || each.members.size() < found->members.size())) found = &each;
  }
  return found;
}

inline bool loops::comes_to(natural_loop const& in, std::size_t from, std::size_t to) const {
  std::vector<bool> is_seen(parts_->all().size(), false);
  std::vector<std::size_t> open{from};
  while (!open.empty()) {
    std::size_t const block = open.back();
    open.pop_back();
    for (std::size_t const next : parts_->all()[block].next) {
      if (next == in.header || is_seen[next] || !in.contains(next)) continue;
      if (next == to) return true;
      is_seen[next] = true;
      open.push_back(next);
    }
  }
  return false;
}

}  // namespace pasta::ptx
#endif
