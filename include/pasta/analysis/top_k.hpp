// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_ANALYSIS_TOP_K_HPP
#define PASTA_ANALYSIS_TOP_K_HPP

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <pasta/config.hpp>

namespace pasta {

/// The keys that occur most often, with a count that is never too high. K * (sizeof(Key) rounded up to 8, + 8) + 16
/// bytes. For every key: count <= true count <= count + error_bound(); a key that is not among the entries has count 0.
/// error_bound() <= total() / (K + 1), so every key that occurs more often than that is among the entries; 0 while
/// there were at most K different keys, and the result is exact then. J. Misra, D. Gries, "Finding repeated elements"
/// (1982); merged as in P. Agarwal, G. Cormode, Z. Huang, J. Phillips, Z. Wei, K. Yi, "Mergeable summaries" (PODS
/// 2012), which keeps the bound. Above K keys, merging in another order may give other entries: each within the bound.
/// add() looks at up to K entries; keep K small in handlers.
template <std::size_t K, class Key = std::uint64_t>
class top_k {
  static_assert(K > 0, "pasta::top_k needs at least one entry");
  static_assert(std::is_trivially_copyable_v<Key> && std::totally_ordered<Key>,
                "pasta::top_k takes a trivially copyable key with == and <");

 public:
  struct entry {
    Key key = {};
    std::uint64_t count = 0;  ///< 0: a free place
    friend constexpr bool operator==(entry const&, entry const&) = default;
  };

  /// Adds n occurrences of the key.
  PASTA_DEVICE constexpr void add(Key const& key, std::uint64_t n = 1) {
    if (n == 0) return;
    total_ += n;
    std::size_t smallest = 0;
    for (std::size_t i = 0; i < K; ++i) {
      if (entries_[i].count != 0 && entries_[i].key == key) {
        entries_[i].count += n;
        return;
      }
      if (entries_[i].count < entries_[smallest].count) smallest = i;
    }
    // No entry and, unless the smallest is a free place, no room: take the same from the new key and from each entry,
    // until one of them is gone.
    std::uint64_t const cut = n < entries_[smallest].count ? n : entries_[smallest].count;
    if (cut != 0) {
      for (std::size_t i = 0; i < K; ++i) entries_[i].count -= cut;
      error_ += cut;
    }
    if (n > cut) {
      entries_[smallest].key = key;
      entries_[smallest].count = n - cut;
    }
  }

  /// All occurrences that were added, of any key.
  PASTA_DEVICE constexpr std::uint64_t total() const { return total_; }

  /// No key's true count is more than this above its count here.
  PASTA_DEVICE constexpr std::uint64_t error_bound() const { return error_; }

  /// The least number of occurrences of a key that is sure.
  PASTA_DEVICE constexpr std::uint64_t value(Key const& key) const {
    for (std::size_t i = 0; i < K; ++i) {
      if (entries_[i].count != 0 && entries_[i].key == key) return entries_[i].count;
    }
    return 0;
  }

  /// The entries, the most frequent key first; equal counts by key. Host only.
  std::vector<entry> entries() const {
    std::vector<entry> result;
    for (entry const& candidate : entries_) {
      if (candidate.count != 0) result.push_back(candidate);
    }
    std::sort(result.begin(), result.end(), [](entry const& a, entry const& b) { return is_before(a, b); });
    return result;
  }

  PASTA_DEVICE constexpr void merge(top_k const& other) {
    entry all[2 * K] = {};
    std::size_t count = 0;
    for (std::size_t i = 0; i < K; ++i) {
      if (entries_[i].count != 0) insert_sorted(all, count, entries_[i]);
    }
    for (std::size_t i = 0; i < K; ++i) {
      if (other.entries_[i].count == 0) continue;
      entry added = other.entries_[i];
      // A key of both: take it out, and put it back with the sum.
      for (std::size_t j = 0; j < count; ++j) {
        if (all[j].key == added.key) {
          added.count += all[j].count;
          for (std::size_t next = j + 1; next < count; ++next) all[next - 1] = all[next];
          --count;
          break;
        }
      }
      insert_sorted(all, count, added);
    }
    std::uint64_t const cut = count > K ? all[K].count : 0;  // the first one that finds no place
    for (std::size_t i = 0; i < K; ++i) {
      bool const stays = i < count && all[i].count > cut;
      entries_[i] = stays ? entry{all[i].key, all[i].count - cut} : entry{};
    }
    error_ += other.error_ + cut;
    total_ += other.total_;
  }

 private:
  PASTA_DEVICE static constexpr bool is_before(entry const& a, entry const& b) {
    return a.count != b.count ? a.count > b.count : a.key < b.key;
  }

  PASTA_DEVICE static constexpr void insert_sorted(entry* entries, std::size_t& count, entry const& added) {
    std::size_t place = count++;
    for (; place > 0 && is_before(added, entries[place - 1]); --place) entries[place] = entries[place - 1];
    entries[place] = added;
  }

  entry entries_[K] = {};
  std::uint64_t total_ = 0;
  std::uint64_t error_ = 0;
};

}  // namespace pasta
#endif
