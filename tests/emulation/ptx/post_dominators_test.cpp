// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "post_dominators.hpp"

#include <catch.hpp>

namespace {

using ptx_emulation::find_post_dominators;
using graph = std::vector<std::vector<std::uint32_t>>;
using nodes = std::vector<std::uint32_t>;
constexpr std::uint32_t none = UINT32_MAX;

TEST_CASE("A node's post-dominator is where its ways come together") {
  // 0 → 1, 2 → 3, then a loop 3 → 4 → 3 with the end behind 4
  CHECK(find_post_dominators(graph{{1, 2}, {3}, {3}, {4}, {3, 5}, {}}, 5) == nodes{3, 3, 3, 4, 5, none});
  CHECK(find_post_dominators(graph{{1, 2}, {2, 3}, {3}, {}}, 3) == nodes{3, 3, 3, none});
}

TEST_CASE("Ways that come to no end do not count") {
  CHECK(find_post_dominators(graph{{1, 2}, {}, {3}, {}}, 3) == nodes{2, none, 3, none});
  CHECK(find_post_dominators(graph{{1, 2}, {1}, {3}, {}}, 3) == nodes{2, none, 3, none});
}

}  // namespace
