// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Where in shadow memory the lines and pages of each allocation stand.
#ifndef PASTA_SESSION_SHADOW_LAYOUT_HPP
#define PASTA_SESSION_SHADOW_LAYOUT_HPP

#include <pasta/analysis/shadow_bits.hpp>
#include <pasta/analysis/touched_memory.hpp>

namespace pasta::detail {

/// Numbers from 0, given in runs; what is given back is given again.
class number_runs {
 public:
  std::uint64_t take(std::uint64_t count) {
    for (auto run = free_.begin(); run != free_.end(); ++run) {
      if (run->second < count) continue;
      auto const [first, length] = *run;
      free_.erase(run);
      if (length > count) free_.emplace(first + count, length - count);
      return first;
    }
    std::uint64_t first = end_;
    if (auto const last = free_.empty() ? free_.end() : std::prev(free_.end());
        last != free_.end() && last->first + last->second == end_) {
      first = last->first;
      free_.erase(last);
    }
    end_ = first + count;
    return first;
  }
  void give_back(std::uint64_t first, std::uint64_t count) {
    auto const after = free_.lower_bound(first);
    if (after != free_.end() && after->first == first + count) {
      count += after->second;
      free_.erase(after);
    }
    auto const behind = free_.lower_bound(first);
    if (behind != free_.begin()) {
      auto const before = std::prev(behind);
      if (before->first + before->second == first) {
        before->second += count;
        return;
      }
    }
    free_.emplace(first, count);
  }
  /// One more than the largest that was ever given.
  std::uint64_t end() const { return end_; }

 private:
  std::map<std::uint64_t, std::uint64_t> free_;  // [first] count; no two touch
  std::uint64_t end_ = 0;
};

/// Each allocation has lines and pages of its own, also where two share a line of memory.
class shadow_layout {
 public:
  struct slot {
    allocation_record allocation;
    shadow_range range;
    std::uint32_t line_count = 0, page_count = 0;
  };

  shadow_layout(std::uint32_t line_shift, std::uint32_t page_shift)
      : line_shift_(line_shift), page_shift_(page_shift) {}

  /// @param each does not overlap another one
  void add(allocation_record const& each) {
    slots_.emplace(each.address, place(each));
    tracked_bytes_ += each.size_bytes;
    ++version_;
  }
  /// @return where it was; empty if it is not here
  std::optional<slot> remove(std::uint64_t address) {
    auto const known = slots_.find(address);
    if (known == slots_.end()) return std::nullopt;
    slot const removed = known->second;
    give_back(removed);
    slots_.erase(known);
    tracked_bytes_ -= removed.allocation.size_bytes;
    ++version_;
    return removed;
  }
  /// As remove(), but its places stay its own until give_back_retired(): kernels may be running that write to them.
  void retire(std::uint64_t address) {
    auto const known = slots_.find(address);
    if (known == slots_.end()) return;
    retired_.push_back(known->second);
    tracked_bytes_ -= known->second.allocation.size_bytes;
    slots_.erase(known);
    ++version_;
  }
  std::vector<slot> const& retired() const { return retired_; }
  void give_back_retired() {
    for (slot const& each : retired_) give_back(each);
    retired_.clear();
  }
  /// Lines of twice as many bytes, and place_again().
  void lengthen_lines() {
    ++line_shift_;
    place_again();
  }
  /// Other places, side by side. What was collected by the old ones must have been read.
  void place_again() {
    lines_ = {}, pages_ = {};
    retired_.clear();
    for (auto& [address, each] : slots_) each = place(each.allocation);
    ++version_;
    ++epoch_;
  }
  bool can_lengthen_lines() const { return line_shift_ < page_shift_; }

  std::vector<shadow_range> ranges() const {
    std::vector<shadow_range> all;
    for (auto const& [address, each] : slots_) all.push_back(each.range);
    return all;
  }
  std::map<std::uint64_t, slot> const& slots() const { return slots_; }
  std::uint32_t line_shift() const { return line_shift_; }
  std::uint32_t page_shift() const { return page_shift_; }
  /// How many lines and pages an array has that is large enough for all allocations so far.
  std::uint64_t line_end() const { return lines_.end(); }
  std::uint64_t page_end() const { return pages_.end(); }
  /// Whether places can be numbered by 32 bits.
  bool fits() const { return lines_.end() < 0xffffffff && pages_.end() < 0xffffffff; }
  std::uint64_t tracked_bytes() const { return tracked_bytes_; }
  std::uint64_t version() const { return version_; }  ///< another one after each change
  std::uint64_t epoch() const { return epoch_; }      ///< another one after allocations have got other places

 private:
  // Allocations share no word, so that one can be read and cleared alone.
  static std::uint64_t words_of(std::uint64_t lines) { return (lines + 31) / 32 * 32; }

  void give_back(slot const& each) {
    lines_.give_back(each.range.first_line, words_of(each.line_count));
    pages_.give_back(each.range.first_page, each.page_count);
  }
  slot place(allocation_record const& each) {
    std::uint64_t const last = each.address + each.size_bytes - 1;
    slot made{each, {each.address, each.size_bytes, 0, 0}, 0, 0};
    std::uint64_t const line_count = (last >> line_shift_) - (each.address >> line_shift_) + 1;
    std::uint64_t const page_count = (last >> page_shift_) - (each.address >> page_shift_) + 1;
    made.line_count = static_cast<std::uint32_t>(line_count);
    made.page_count = static_cast<std::uint32_t>(page_count);
    made.range.first_line = static_cast<std::uint32_t>(lines_.take(words_of(line_count)));
    made.range.first_page = static_cast<std::uint32_t>(pages_.take(page_count));
    return made;
  }

  std::uint32_t line_shift_, page_shift_;
  std::map<std::uint64_t, slot> slots_;  // [address]
  std::vector<slot> retired_;
  number_runs lines_, pages_;
  std::uint64_t tracked_bytes_ = 0, version_ = 0, epoch_ = 0;
};

}  // namespace pasta::detail
#endif
