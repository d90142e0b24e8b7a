// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// A tool's state over addresses: which lines of memory a kernel touched, and how often each page.
#ifndef PASTA_ANALYSIS_SHADOW_BITS_HPP
#define PASTA_ANALYSIS_SHADOW_BITS_HPP

#include <bit>
#include <pasta/vendor/current.hpp>

namespace pasta {

namespace detail {

/// Where the lines and pages of one allocation stand in the arrays of a shadow_view. A sector of memory.
struct alignas(32) shadow_range {
  std::uint64_t address = 0, size_bytes = 0;
  std::uint32_t first_line = 0, first_page = 0;
};

/// Shadow memory of one kernel as the kernel gets it. PASTA sizes the arrays by the ranges before a launch.
struct alignas(64) shadow_view {
  shadow_range const* ranges = nullptr;    // shape [range_count], by address; they do not overlap; at least one
  std::uint32_t* lines = nullptr;          // a bit for each line of each range
  std::uint64_t* page_accesses = nullptr;  // lanes' accesses, by the page of their first byte
  std::uint64_t* unknown_accesses = nullptr;
  std::uint32_t range_count = 0;
  std::uint32_t line_shift = 0, page_shift = 0;  // log2 of their bytes
};

/// Shadow memory of a launch among a kernel's parameters: nothing where no tool has any.
template <bool HasAny>
struct launch_shadow {
  shadow_view all;
  PASTA_DEVICE constexpr shadow_view const* view() const { return &all; }
};
template <>
struct launch_shadow<false> {
  PASTA_DEVICE constexpr shadow_view const* view() const { return nullptr; }
};

/// The last range that begins at or before the address, else the first: if none has the address, not this one either.
/// The steps are as many for all addresses.
PASTA_DEVICE PASTA_ALWAYS_INLINE shadow_range const* nearest_range(shadow_view const& in, std::uint64_t address) {
  shadow_range const* low = in.ranges;
  PASTA_NO_UNROLL
  for (std::uint32_t left = in.range_count; left > 1;) {
    std::uint32_t const half = left / 2;
    if (low[half].address <= address) low += half;
    left -= half;
  }
  return low;
}

/// The numbers of the line and of the page that an address of a range is in.
PASTA_DEVICE constexpr std::uint32_t line_of(shadow_view const& in, shadow_range const& range, std::uint64_t address) {
  return range.first_line + static_cast<std::uint32_t>((address >> in.line_shift) - (range.address >> in.line_shift));
}
PASTA_DEVICE constexpr std::uint32_t page_of(shadow_view const& in, shadow_range const& range, std::uint64_t address) {
  return range.first_page + static_cast<std::uint32_t>((address >> in.page_shift) - (range.address >> in.page_shift));
}

/// Past a cache that would go on answering with an old word. The vendor's.
PASTA_DEVICE inline std::uint32_t load_word(std::uint32_t const& word);

/// Sets a line's bit. Most often it is set: then it is only read.
PASTA_DEVICE PASTA_ALWAYS_INLINE void set_line(shadow_view const& in, std::uint32_t line) {
  std::uint32_t& word = in.lines[line / 32];
  std::uint32_t const bit = 1u << line % 32;
  if ((load_word(word) & bit) == 0) simt::atomic_or(word, bit);
}

/// One request to a view with ranges, by all its lanes: analysis/gpu/shadow_request.hpp.
PASTA_DEVICE inline void update_shadow_of(shadow_view const& in, lane_mask lanes, std::uint64_t address,
                                          std::uint64_t size_bytes);

/// One request, by all its lanes; nothing for a view without ranges. The vendor's.
PASTA_DEVICE inline void update_shadow(shadow_view const& in, lane_mask lanes, std::uint64_t address,
                                       std::uint64_t size_bytes);

}  // namespace detail

/// What a tool has as `using shadow = pasta::shadow_bits<128>;` and reaches by `at.shadow()`: a bit for each line of
/// all memory that the program has allocated, and a count for each page of 64 KiB. PASTA allocates it beside the
/// program's memory, one for each kernel (or launch kept apart), and the report says how large it is. Where it would
/// pass its limit, lines are made longer. Device code.
/// @tparam BytesPerBit a line [bytes], a power of two from 32 to 4096
template <std::uint32_t BytesPerBit>
class shadow_bits {
 public:
  static_assert(std::has_single_bit(BytesPerBit) && BytesPerBit >= 32 && BytesPerBit <= 4096,
                "a line of shadow_bits is a power of two of bytes, from 32 to 4096");
  static constexpr std::uint32_t bytes_per_bit = BytesPerBit;

  shadow_bits() = default;
  /// @param view null: nothing is kept
  PASTA_DEVICE constexpr explicit shadow_bits(detail::shadow_view const* view) : view_(view) {}

  /// The calling lane accesses size_bytes from that address. All lanes of `lanes` call it together. Bytes in no
  /// allocation are counted as such, once for each access, and belong to no neighbour.
  PASTA_DEVICE void set(lane_mask lanes, std::uint64_t address, std::uint64_t size_bytes) const;

 private:
  detail::shadow_view const* view_ = nullptr;
};

}  // namespace pasta

#include PASTA_ANALYSIS_OF_VENDOR(shadow_update)

namespace pasta {

template <std::uint32_t BytesPerBit>
PASTA_DEVICE PASTA_ALWAYS_INLINE void shadow_bits<BytesPerBit>::set(lane_mask lanes, std::uint64_t address,
                                                                    std::uint64_t size_bytes) const {
  if (view_ != nullptr && size_bytes > 0) detail::update_shadow(*view_, lanes, address, size_bytes);
}

}  // namespace pasta
#endif
