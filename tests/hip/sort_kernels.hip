// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// pasta::sort and its like by rocPRIM, for each kind of key: what compiles, for a look at whether it does.
#include <cstdint>
#include <pasta/analysis/hip/sort.hpp>

namespace {

/// Ordered by the first field: the second shows whether the order is stable.
struct wide_key {
  std::uint64_t high, low;
  PASTA_DEVICE friend bool operator<(wide_key const& a, wide_key const& b) { return a.high < b.high; }
  PASTA_DEVICE friend bool operator==(wide_key const& a, wide_key const& b) { return a.high == b.high; }
};

template <class Key>
std::size_t use(std::span<Key> keys, std::span<std::uint32_t> values) {
  pasta::sort<pasta::vendor::hip>(keys);
  pasta::sort_by_key<pasta::vendor::hip>(keys, values);
  auto const sums = pasta::reduce_by_key<pasta::vendor::hip>(keys, values);
  return pasta::unique<pasta::vendor::hip>(keys) + sums.keys.size();
}

}  // namespace

int main() {
  std::span<std::uint32_t> const values;
  return static_cast<int>(use<std::uint64_t>({}, values) + use<float>({}, values) + use<wide_key>({}, values));
}
