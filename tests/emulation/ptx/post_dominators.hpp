// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Where lanes that a branch parts meet again.
#ifndef PASTA_TESTS_EMULATION_PTX_POST_DOMINATORS_HPP
#define PASTA_TESTS_EMULATION_PTX_POST_DOMINATORS_HPP

#include <cstdint>
#include <vector>

namespace ptx_emulation {

/// The immediate post-dominator of each node: the first that all ways from it to the end come through. Ways that come
/// to no end (lanes that exit, endless loops) do not count; a node with no other way has none.
/// @param next the successors of each node @param end the node where all others are to come to
/// @return numbers of nodes, UINT32_MAX for none
std::vector<std::uint32_t> find_post_dominators(std::vector<std::vector<std::uint32_t>> const& next, std::uint32_t end);

}  // namespace ptx_emulation
#endif
