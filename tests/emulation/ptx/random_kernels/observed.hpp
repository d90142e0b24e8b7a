// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TESTS_EMULATION_PTX_OBSERVED_HPP
#define PASTA_TESTS_EMULATION_PTX_OBSERVED_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "execution.hpp"

namespace pasta_test {

/// What the interpreter saw of one access. A request is one space and one size.
struct observed_requests {
  std::uint64_t lanes = 0, requests = 0, bytes = 0, highest = 0;
  std::uint32_t most_lanes = 0;
  std::array<std::uint64_t, 3> spaces{};  // requests of global, shared and local memory
  // Of global memory alone:
  std::uint64_t global_lanes = 0, sectors = 0, sectors_needed = 0;
};

/// Counts accesses by the line of their instruction, and their number in it.
class observed_accesses : public ptx_emulation::access_observer {
 public:
  static constexpr std::uint32_t sector_bytes = 32;

  void on_access(ptx_emulation::observed_access const& made) override {
    std::array<ptx_emulation::lane_mask, 3> in{};
    ptx_emulation::for_lanes(made.lanes, [&](unsigned i) {
      ptx_emulation::space const where = made.space == ptx_emulation::space::generic
                                             ? ptx_emulation::execution::space_of(made.addresses[i])
                                             : made.space;
      std::size_t const which = where == ptx_emulation::space::shared  ? 1
                                : where == ptx_emulation::space::local ? 2
                                                                       : 0;
      in[which] |= ptx_emulation::lane_mask{1} << i;
    });
    observed_requests& to = all_[{made.what->line, made.number}];
    for (std::size_t which = 0; which < in.size(); ++which) {
      if (in[which] != 0) add(to, made, in[which], which);
    }
  }
  observed_requests const& at(std::uint32_t line, std::uint32_t number) { return all_[{line, number}]; }
  std::uint64_t requests() const {
    std::uint64_t sum = 0;
    for (auto const& [where, each] : all_) sum += each.requests;
    return sum;
  }

 private:
  static void add(observed_requests& to, ptx_emulation::observed_access const& made, ptx_emulation::lane_mask lanes,
                  std::size_t space) {
    auto const count = static_cast<std::uint32_t>(std::popcount(lanes));
    to.lanes += count;
    to.bytes += std::uint64_t{count} * made.bytes;
    to.most_lanes = std::max(to.most_lanes, count);
    ++to.requests;
    ++to.spaces[space];
    std::set<std::uint64_t> sectors, touched;
    ptx_emulation::for_lanes(lanes, [&](unsigned i) {
      to.highest = std::max(to.highest, made.addresses[i]);
      for (std::uint64_t byte = made.addresses[i]; byte < made.addresses[i] + made.bytes; ++byte) {
        touched.insert(byte);
        sectors.insert(byte / sector_bytes);
      }
    });
    if (space != 0) return;
    to.global_lanes += count;
    to.sectors += sectors.size();
    to.sectors_needed += (touched.size() + sector_bytes - 1) / sector_bytes;
  }

  std::map<std::pair<std::uint32_t, std::uint32_t>, observed_requests> all_;
};

}  // namespace pasta_test
#endif
