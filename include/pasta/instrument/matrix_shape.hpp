// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_INSTRUMENT_MATRIX_SHAPE_HPP
#define PASTA_INSTRUMENT_MATRIX_SHAPE_HPP

#include <pasta/event.hpp>

namespace pasta {

namespace detail {
// Not constexpr: their names stand in the compiler's message.
void m_and_k_of_a_matrix_shape_are_powers_of_two_up_to_128_and_32768();
void n_of_a_matrix_shape_is_1_2_4_or_a_multiple_of_8_up_to_256();
void products_of_a_matrix_shape_are_a_power_of_two_up_to_128();

/// A shape in the 24 bits that a site_key has for a size: m 3 | n 6 | k 4 | products 3 | input 4 | accumulator 4.
struct packed_matrix_shape {
  static constexpr std::uint32_t unknown = 15;  // as input: an event that no constant shape describes

  PASTA_DEVICE static constexpr bool is_power_of_two(std::uint32_t value, std::uint32_t most) {
    return value != 0 && value <= most && (value & (value - 1)) == 0;
  }
  PASTA_DEVICE static constexpr std::uint32_t log2_of(std::uint32_t value) {
    std::uint32_t exponent = 0;
    while (value > 1) value >>= 1, ++exponent;
    return exponent;
  }
  PASTA_DEVICE static constexpr std::uint32_t of(std::uint32_t m, std::uint32_t n, std::uint32_t k,
                                                 std::uint32_t products, element_type input, element_type accumulator) {
    return log2_of(m) << 21 | packed_n(n) << 15 | log2_of(k) << 11 | log2_of(products) << 8 |
           std::uint32_t{static_cast<std::uint8_t>(input)} << 4 | std::uint32_t{static_cast<std::uint8_t>(accumulator)};
  }
  // 1, 2, 4, 8, 16, 24, 32, ...: 0, 1, 2, 3, 4, 5, 6, ...
  PASTA_DEVICE static constexpr bool is_n(std::uint32_t n) { return is_power_of_two(n, 4) || is_eights(n); }
  PASTA_DEVICE static constexpr bool is_eights(std::uint32_t n) { return n >= 8 && n <= 256 && n % 8 == 0; }
  PASTA_DEVICE static constexpr std::uint32_t packed_n(std::uint32_t n) { return n < 8 ? n / 2 : n / 8 + 2; }
  PASTA_DEVICE static constexpr std::uint32_t unpacked_n(std::uint32_t bits) {
    return bits < 3 ? 1u << bits : (bits - 2) * 8;
  }
  PASTA_DEVICE static constexpr bool fits(std::uint32_t m, std::uint32_t n, std::uint32_t k) {
    return is_power_of_two(m, 128) && is_n(n) && is_power_of_two(k, 32768);
  }
};
}  // namespace detail

/// What one matrix instruction of a warp multiplies, for thread::matrix_operation(): D[m][n] = A[m][k] * B[k][n] +
/// C[m][n]. Made of constants; a shape that no GPU's instruction has is a compile error.
class matrix_shape {
 public:
  /// @param m, k powers of two, up to 128 and 32768 @param n 1, 2, 4 or a multiple of 8, up to 256
  /// @param input of A and B @param accumulator of C and D
  /// @param products that the instruction makes side by side (the blocks of an MFMA), a power of two: the warp's lanes
  /// are in so many groups, lane after lane
  consteval matrix_shape(std::uint16_t m, std::uint16_t n, std::uint16_t k, element_type input,
                         element_type accumulator, std::uint16_t products = 1)
      : packed_(detail::packed_matrix_shape::of(m, n, k, products, input, accumulator)) {
    using packed = detail::packed_matrix_shape;
    if (!packed::is_power_of_two(m, 128) || !packed::is_power_of_two(k, 32768))
      detail::m_and_k_of_a_matrix_shape_are_powers_of_two_up_to_128_and_32768();
    if (!packed::is_n(n)) detail::n_of_a_matrix_shape_is_1_2_4_or_a_multiple_of_8_up_to_256();
    if (!packed::is_power_of_two(products, 128)) detail::products_of_a_matrix_shape_are_a_power_of_two_up_to_128();
  }

  PASTA_DEVICE constexpr std::uint16_t m() const { return static_cast<std::uint16_t>(1u << (packed_ >> 21 & 7)); }
  PASTA_DEVICE constexpr std::uint16_t n() const {
    return static_cast<std::uint16_t>(detail::packed_matrix_shape::unpacked_n(packed_ >> 15 & 63));
  }
  PASTA_DEVICE constexpr std::uint16_t k() const { return static_cast<std::uint16_t>(1u << (packed_ >> 11 & 15)); }
  PASTA_DEVICE constexpr std::uint16_t products() const { return static_cast<std::uint16_t>(1u << (packed_ >> 8 & 7)); }
  PASTA_DEVICE constexpr element_type input() const { return static_cast<element_type>(packed_ >> 4 & 15); }
  PASTA_DEVICE constexpr element_type accumulator() const { return static_cast<element_type>(packed_ & 15); }

  /// Of the lanes of a warp those that make the calling lane's product.
  PASTA_DEVICE constexpr lane_mask lanes_of(lane_mask warp, std::uint32_t lane, std::uint32_t warp_width) const {
    if (products() == 1 || products() > warp_width) return warp;
    std::uint32_t const group = warp_width / products();
    return warp & (((lane_mask{1} << (group - 1)) << 1) - 1) << (lane / group * group);
  }

  // ---- For site_key.
  PASTA_DEVICE constexpr explicit matrix_shape(std::uint32_t packed) : packed_(packed) {}
  /// The shape of an event, whose numbers may be no constants: one that says "not known" where it cannot be packed.
  PASTA_DEVICE static constexpr matrix_shape of(matrix_operation const& event) {
    using packed = detail::packed_matrix_shape;
    return matrix_shape(packed::fits(event.m, event.n, event.k)
                            ? packed::of(event.m, event.n, event.k, 1, event.input, event.accumulator)
                            : packed::unknown << 4);
  }
  PASTA_DEVICE constexpr bool is_known() const { return (packed_ >> 4 & 15) != detail::packed_matrix_shape::unknown; }
  PASTA_DEVICE constexpr std::uint32_t packed() const { return packed_; }

 private:
  std::uint32_t packed_;
};

}  // namespace pasta
#endif
