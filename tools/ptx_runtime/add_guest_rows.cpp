// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "add_guest_rows.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace pasta::ptx {

namespace {

/// Allocations that the host's kernels touched.
class known_allocations {
 public:
  explicit known_allocations(collected const& of) {
    for (collected_kernel const& kernel : of.kernels) {
      for (touched_allocation const& each : kernel.touched.allocations) {
        std::uint64_t const number = each.allocation.number;
        first_free_ = std::max(first_free_, number + 1);
        auto const [known, is_new] =
            numbers_.try_emplace({each.allocation.address, each.allocation.size_bytes}, number);
        if (!is_new && known->second != number) known->second.reset();  // an address that came again
      }
    }
  }
  std::uint64_t number_of(allocation_record const& allocation) const {
    auto const known = numbers_.find({allocation.address, allocation.size_bytes});
    if (known != numbers_.end() && known->second) return *known->second;
    return first_free_ + allocation.number;
  }

 private:
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::optional<std::uint64_t>> numbers_;  // [address, bytes]
  std::uint64_t first_free_ = 0;
};

bool is_any_analysed(loss const& of) { return of.launches_delivered + of.launches_lost + of.launches_sampled_out > 0; }

}  // namespace

launches_by_name count_launches(collected const& of) {
  launches_by_name counts;
  for (collected_kernel const& kernel : of.kernels) counts[kernel.name] += kernel.losses.launches_seen;
  return counts;
}

void add_guest_rows(collected const& from, collected& to) {
  known_allocations const known(to);
  for (collected_kernel& each : to.kernels) {
    each.route = each.losses.launches_seen > 0 && !is_any_analysed(each.losses) ? "" : "ptx";
  }
  for (collected_kernel const& each : from.kernels) {
    collected_kernel& made = to.kernels.emplace_back(each);
    made.route = "patch";
    made.touched.allocations.clear();
    for (touched_allocation touched : each.touched.allocations) {
      touched.allocation.number = known.number_of(touched.allocation);
      made.touched.merge(touched);
    }
  }
}

}  // namespace pasta::ptx
