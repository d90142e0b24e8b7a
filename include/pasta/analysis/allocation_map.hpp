// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Which allocation does an address lie in? Live allocations by address range. Host code.
#ifndef PASTA_ANALYSIS_ALLOCATION_MAP_HPP
#define PASTA_ANALYSIS_ALLOCATION_MAP_HPP

#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <vector>

namespace pasta {

/// One allocation of a program.
struct allocation_record {
  std::uint64_t number = 0;  ///< from 0, in the order of allocation; addresses come again, numbers do not
  std::uint64_t address = 0;
  std::uint64_t size_bytes = 0;
  std::uint64_t device = 0;
  std::uint64_t time_ns = 0;  ///< of its allocation; 0: not known

  /// Whether a byte of that address is its own.
  bool has(std::uint64_t of) const { return of - address < size_bytes; }
  friend bool operator==(allocation_record const&, allocation_record const&) = default;
};

/// Live allocations. They never overlap: one whose memory is allocated again has ended, seen or not. Addresses are of
/// one address space. Not thread-safe: its owner guards it.
class allocation_map {
 public:
  /// What an allocation brought about.
  struct added {
    allocation_record record;
    std::vector<allocation_record> ended;  ///< those whose memory it has, and whose release nobody saw
  };

  /// @param size_bytes not 0; a range that would pass the end of the address space is cut there
  added add(std::uint64_t address, std::uint64_t size_bytes, std::uint64_t device = 0, std::uint64_t time_ns = 0) {
    if (size_bytes > 0 - address && address != 0) size_bytes = 0 - address;
    added what{{next_number_++, address, size_bytes, device, time_ns}, {}};
    auto first = live_.upper_bound(address);
    if (first != live_.begin() && std::prev(first)->second.has(address)) --first;
    while (first != live_.end() && (first->first <= address || what.record.has(first->first))) {
      what.ended.push_back(first->second);
      first = live_.erase(first);
    }
    live_.emplace(address, what.record);
    return what;
  }

  /// @return the allocation that began there; empty if none does, as after a release of what was never seen
  std::optional<allocation_record> remove(std::uint64_t address) {
    auto const known = live_.find(address);
    if (known == live_.end()) return std::nullopt;
    allocation_record const ended = known->second;
    live_.erase(known);
    return ended;
  }

  /// The live allocation that has the address; null if none has.
  allocation_record const* find(std::uint64_t address) const {
    auto const behind = live_.upper_bound(address);
    if (behind == live_.begin()) return nullptr;
    allocation_record const& before = std::prev(behind)->second;
    return before.has(address) ? &before : nullptr;
  }

  /// Calls `f(allocation_record const&)` for each live allocation, by address.
  template <class Function>
  void for_each(Function&& f) const {
    for (auto const& [address, record] : live_) f(record);
  }
  std::size_t size() const { return live_.size(); }

 private:
  std::map<std::uint64_t, allocation_record> live_;  // [address]
  std::uint64_t next_number_ = 0;
};

}  // namespace pasta
#endif
