// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Requests that are alike to the tools: of the same lanes, with the same layout, as far behind a multiple of the
/// address period. A kernel counts them; settle.hpp handles one of each kind. Device code.
#ifndef PASTA_INSTRUMENT_CUDA_ALIKE_REQUESTS_HPP
#define PASTA_INSTRUMENT_CUDA_ALIKE_REQUESTS_HPP

#include <pasta/analysis/bits.hpp>
#include <pasta/instrument/cuda/find_by_hash.hpp>

namespace pasta::detail {

/// Where a request begins counts modulo this [bytes]: of the address periods that tools ask for, those that divide it
/// are served.
inline constexpr std::uint32_t alike_period = 32;

/// Which lanes a request has and how they lie to the first of them. Layout 0 is that of most requests: all lanes,
/// element after element.
inline constexpr std::uint32_t layout_count = 64, most_layout_tries = 8;

/// A thread's latest requests of one site, in a word: 0 if it has none.
struct request_word {
  static constexpr std::uint32_t layout_shift = 5, count_shift = 12;
  static constexpr std::uint32_t one = 1u << count_shift;  // more of the same are added to it
  static constexpr std::uint32_t unnamed = 127;            // a layout that was seen once and has no number
  // A word with this bit is looked at before anything is added to it.
  static constexpr std::uint32_t stop = 1u << 31, first_seen = stop | unnamed << layout_shift;
  static_assert(alike_period == 1u << layout_shift && layout_count < unnamed);

  PASTA_DEVICE static constexpr std::uint32_t first_byte(std::uint32_t word) { return word % alike_period; }
  PASTA_DEVICE static constexpr std::uint32_t layout(std::uint32_t word) { return word >> layout_shift & 127; }
  PASTA_DEVICE static constexpr std::uint32_t count(std::uint32_t word) {
    return layout(word) == unnamed ? 0 : word >> count_shift;
  }
  // Whether a request that begins there cannot just be added to the word.
  PASTA_DEVICE static constexpr bool differs(std::uint32_t word, std::uint32_t first_byte) {
    return ((word ^ first_byte) & (stop | (alike_period - 1))) != 0;
  }
};

/// A site's first request, in a byte: 0 if it has none. Straight code has no more of them, and four lie in a register.
struct first_request {
  static constexpr std::uint32_t in_order = 0x80, apart = 0x40;  // with where it begins, and already handled

  PASTA_DEVICE static constexpr std::uint32_t shift(std::uint32_t slot) { return slot % 4 * 8; }
  PASTA_DEVICE static constexpr std::uint32_t get(std::uint32_t four, std::uint32_t slot) {
    return four >> shift(slot) & 0xff;
  }
  /// The same as a request_word.
  PASTA_DEVICE static constexpr std::uint32_t word(std::uint32_t first) {
    return (first & in_order) != 0 ? request_word::one | first % alike_period
           : first != 0            ? request_word::first_seen
                                   : 0;
  }
};

struct request_layout {
  std::uint32_t row, first_byte;
  lane_mask lanes;
  std::int32_t offsets[32];  // [lane], from the first of the lanes [bytes]
};
/// The layouts that sites of a kernel have, but for layout 0; number 1 lies at index 0.
struct layout_table {
  device_word hashes[layout_count];  // 0: free
  request_layout layouts[layout_count];
};

// A layout that was not in the table. Called by its lanes.
PASTA_DEVICE PASTA_NEVER_INLINE inline std::uint32_t enter_layout(layout_table* table, device_word hash,
                                                                  std::uint32_t row, lane_mask lanes,
                                                                  std::uint32_t first_byte, std::int32_t offset) {
  std::uint32_t number = home_of(hash, layout_count), is_new = 0;
#pragma unroll 1
  for (std::uint32_t tries = 0; tries < most_layout_tries; ++tries) {
    // By all lanes: one that went alone would part from the others.
    if (try_entry(table->hashes, number, hash, is_new)) {
      if (warp::any(lanes, is_new != 0)) {
        request_layout& layout = table->layouts[number];
        layout.offsets[warp::lane()] = offset;
        layout.row = row;
        layout.first_byte = first_byte;
        layout.lanes = lanes;
      }
      return number + 1;
    }
    number = (number + 1) % layout_count;
  }
  return request_word::unnamed;
}
/// The number of a layout, by its hash; new ones are entered while there is room. Called by its lanes.
/// @return request_word::unnamed if there is none
PASTA_DEVICE PASTA_ALWAYS_INLINE std::uint32_t number_layout(layout_table* table, device_word hash, std::uint32_t row,
                                                             lane_mask lanes, std::uint32_t first_byte,
                                                             std::int32_t offset) {
  // Most are there. No atomic operation and no volatile access in this loop: the compiler would let lanes go on that
  // wait for these.
  std::uint32_t number = home_of(hash, layout_count), tries = 0;
#pragma unroll 1
  for (; tries < most_layout_tries; ++tries) {
    device_word const seen = read_now(&table->hashes[number]);  // an old value can only be 0
    if (warp::all(lanes, seen == hash)) return number + 1;
    if (warp::any(lanes, seen == 0 || seen == hash)) break;
    number = (number + 1) % layout_count;
  }
  if (tries == most_layout_tries) return request_word::unnamed;
  return enter_layout(table, hash, row, lanes, first_byte, offset);
}

/// The same for any layout.
PASTA_DEVICE PASTA_NEVER_INLINE inline std::uint32_t find_layout(layout_table* table, std::uint32_t row,
                                                                 lane_mask lanes, std::uint32_t first_byte,
                                                                 std::int32_t offset) {
  std::uint64_t const part = mix(std::uint64_t{warp::lane()} << 56 | std::uint64_t{row} << 48 |
                                 std::uint64_t{first_byte} << 40 | static_cast<std::uint32_t>(offset));
  return number_layout(table, warp::reduce_add(lanes, part), row, lanes, first_byte, offset);
}
/// The same for neighbouring lanes, element after element: few instructions.
PASTA_DEVICE PASTA_ALWAYS_INLINE std::uint32_t find_run(layout_table* table, std::uint32_t row, lane_mask lanes,
                                                        std::uint32_t first_byte, std::int32_t offset) {
  return number_layout(table, mix(std::uint64_t{row} << 48 | std::uint64_t{first_byte} << 40 | lanes), row, lanes,
                       first_byte, offset);
}

}  // namespace pasta::detail
#endif
