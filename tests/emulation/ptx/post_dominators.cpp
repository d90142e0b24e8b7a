// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "post_dominators.hpp"

#include <algorithm>
#include <utility>

namespace ptx_emulation {

// Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001), on the graph turned around.
std::vector<std::uint32_t> find_post_dominators(std::vector<std::vector<std::uint32_t>> const& next,
                                                std::uint32_t end) {
  constexpr std::uint32_t none = UINT32_MAX;
  std::vector<std::vector<std::uint32_t>> before(next.size());
  for (std::uint32_t node = 0; node < next.size(); ++node) {
    for (std::uint32_t const to : next[node]) before[to].push_back(node);
  }

  // Nodes that come to the end, each behind all that it is reached from in a depth-first search.
  std::vector<std::uint32_t> order, place(next.size(), none);
  std::vector<std::pair<std::uint32_t, std::size_t>> stack{{end, 0}};
  std::vector<bool> is_seen(next.size());
  is_seen[end] = true;
  while (!stack.empty()) {
    auto& [node, done] = stack.back();
    if (done < before[node].size()) {
      std::uint32_t const from = before[node][done++];
      if (!is_seen[from]) {
        is_seen[from] = true;
        stack.emplace_back(from, 0);
      }
      continue;
    }
    place[node] = static_cast<std::uint32_t>(order.size());
    order.push_back(node);
    stack.pop_back();
  }

  std::vector<std::uint32_t> found(next.size(), none);
  found[end] = end;
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (std::size_t i = order.size() - 1; i-- > 0;) {  // the last is the end
      std::uint32_t const node = order[i];
      std::uint32_t joined = none;
      for (std::uint32_t to : next[node]) {
        if (place[to] == none || found[to] == none) continue;
        if (joined == none) {
          joined = to;
          continue;
        }
        while (to != joined) {
          while (place[to] < place[joined]) to = found[to];
          while (place[joined] < place[to]) joined = found[joined];
        }
      }
      has_changed |= found[node] != joined;
      found[node] = joined;
    }
  }
  found[end] = none;
  return found;
}

}  // namespace ptx_emulation
