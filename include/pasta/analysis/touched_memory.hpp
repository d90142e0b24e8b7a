// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What a kernel's shadow bits say, by allocation. Host code.
#ifndef PASTA_ANALYSIS_TOUCHED_MEMORY_HPP
#define PASTA_ANALYSIS_TOUCHED_MEMORY_HPP

#include <algorithm>
#include <pasta/analysis/allocation_map.hpp>

namespace pasta {

/// What was touched of one allocation. Lines and pages begin at multiples of their size, not of the allocation's begin.
struct touched_allocation {
  allocation_record allocation;
  std::uint32_t line_shift = 0, page_shift = 0;  ///< log2 of a line's and a page's bytes
  std::vector<std::uint32_t> lines;              ///< a bit for each line, 32 in a word, the lowest first
  std::vector<std::uint64_t> page_accesses;      ///< [page] lanes' accesses whose first byte is in the page

  std::uint64_t line_bytes() const { return std::uint64_t{1} << line_shift; }
  std::uint64_t page_bytes() const { return std::uint64_t{1} << page_shift; }
  /// The first byte of a page that belongs to the allocation.
  std::uint64_t page_address(std::size_t page) const {
    return std::max(((allocation.address >> page_shift) + page) << page_shift, allocation.address);
  }
  /// Bytes of the allocation in lines that were touched, and in pages that have such a line.
  std::uint64_t line_grain_bytes() const { return bytes_in_units(line_shift); }
  std::uint64_t page_grain_bytes() const { return bytes_in_units(page_shift); }
  /// Lines of a page that were touched.
  std::uint64_t lines_in_page(std::size_t page) const {
    std::uint64_t count = 0;
    for_each_line([&](std::uint64_t line) { count += page_of_line(line) == page ? 1 : 0; });
    return count;
  }
  std::uint64_t accesses() const {
    std::uint64_t all = 0;
    for (std::uint64_t const of : page_accesses) all += of;
    return all;
  }
  bool is_touched() const {
    return std::any_of(lines.begin(), lines.end(), [](std::uint32_t word) { return word != 0; });
  }

  /// Calls `f(line)` for each line that was touched, in order; line 0 has the allocation's first byte.
  template <class Function>
  void for_each_line(Function&& f) const {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      for (std::uint32_t word = lines[i]; word != 0; word &= word - 1) {
        f(std::uint64_t{i} * 32 + static_cast<std::uint32_t>(__builtin_ctz(word)));
      }
    }
  }
  std::size_t page_of_line(std::uint64_t line) const {
    return ((((allocation.address >> line_shift) + line) << line_shift) >> page_shift) -
           (allocation.address >> page_shift);
  }

  /// Both are of one allocation. Where lines differ in length, the longer ones hold.
  void merge(touched_allocation const& other) {
    if (other.line_shift > line_shift) lengthen_lines(other.line_shift);
    if (other.line_shift < line_shift) {
      touched_allocation longer = other;
      longer.lengthen_lines(line_shift);
      return merge(longer);
    }
    if (lines.size() < other.lines.size()) lines.resize(other.lines.size());
    for (std::size_t i = 0; i < other.lines.size(); ++i) lines[i] |= other.lines[i];
    if (page_accesses.size() < other.page_accesses.size()) page_accesses.resize(other.page_accesses.size());
    for (std::size_t i = 0; i < other.page_accesses.size(); ++i) page_accesses[i] += other.page_accesses[i];
  }

 private:
  void lengthen_lines(std::uint32_t shift) {
    touched_allocation longer{allocation, shift, page_shift, {}, {}};
    for_each_line([&](std::uint64_t line) {
      std::uint64_t const at =
          (((allocation.address >> line_shift) + line) >> (shift - line_shift)) - (allocation.address >> shift);
      if (longer.lines.size() <= at / 32) longer.lines.resize(at / 32 + 1);
      longer.lines[at / 32] |= 1u << at % 32;
    });
    lines = std::move(longer.lines);
    line_shift = shift;
  }
  std::uint64_t bytes_in_units(std::uint32_t unit_shift) const {
    std::uint64_t bytes = 0, last = 0;
    bool has_last = false;
    for_each_line([&](std::uint64_t line) {
      std::uint64_t const address = ((allocation.address >> line_shift) + line) << line_shift;
      std::uint64_t const unit = address >> unit_shift;
      if (has_last && unit == last) return;
      has_last = true;
      last = unit;
      std::uint64_t const begin = std::max(unit << unit_shift, allocation.address);
      std::uint64_t const end = std::min((unit + 1) << unit_shift, allocation.address + allocation.size_bytes);
      bytes += end - begin;
    });
    return bytes;
  }
};

/// What a kernel touched.
struct touched_memory {
  std::vector<touched_allocation> allocations;  ///< by their number; those that it touched
  std::uint64_t unknown_accesses = 0;           ///< lanes' accesses with a byte in no allocation that PASTA knew

  void merge(touched_allocation const& other) {
    auto const at = std::lower_bound(
        allocations.begin(), allocations.end(), other.allocation.number,
        [](touched_allocation const& known, std::uint64_t number) { return known.allocation.number < number; });
    if (at != allocations.end() && at->allocation.number == other.allocation.number) return at->merge(other);
    allocations.insert(at, other);
  }
  void merge(touched_memory const& other) {
    for (auto const& each : other.allocations) merge(each);
    unknown_accesses += other.unknown_accesses;
  }
};

}  // namespace pasta
#endif
