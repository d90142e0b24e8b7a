// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// mma and wgmma.mma_async of f16, bf16 and f64. Products are added up in order, which is exact for small whole numbers.
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include "actions.hpp"

namespace ptx_emulation {

namespace {

enum class element : std::uint8_t { f16, bf16 };

float to_float(std::uint16_t bits, element type) {
  if (type == element::bf16) return as<float>(std::uint64_t{bits} << 16);
  unsigned const exponent = bits >> 10 & 31, fraction = bits & 1023;
  float const sign = (bits & 0x8000) != 0 ? -1.0F : 1.0F;
  if (exponent == 31) return fraction != 0 ? NAN : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(fraction), -24);
  return sign * std::ldexp(static_cast<float>(fraction + 1024), static_cast<int>(exponent) - 25);
}

/// A matrix of the product, by row and column.
template <std::size_t Rows, std::size_t Columns, class T = float>
using matrix = std::array<std::array<T, Columns>, Rows>;

void require_warp(exchange const& of, op const& o) {
  if (of.lanes != all_lanes) of.of->fail(fault_kind::illegal_instruction, o, "not all lanes of the warp are there");
}

// One of the two values in a register of 32 bits.
float half_of(execution const& x, place at, unsigned lane, unsigned which, element type) {
  return to_float(static_cast<std::uint16_t>(x.at(at)[lane] >> (16 * which)), type);
}

// Where the value is that a lane has as number n of a 16 by 8 tile of the result.
constexpr std::pair<unsigned, unsigned> place_in_result(unsigned lane, unsigned n) {
  return {lane / 4 + (n / 2 % 2) * 8, lane % 4 * 2 + n % 2};
}

// A of 16 rows in registers: two columns each, then 8 rows further, then 8 columns.
template <std::size_t K>
matrix<16, K> read_factor(execution const& x, place const* registers, element type) {
  matrix<16, K> a{};
  for (unsigned lane = 0; lane < warp_lanes; ++lane) {
    for (unsigned n = 0; n < K / 4; ++n) {
      for (unsigned half = 0; half < 2; ++half)
        a[lane / 4 + n % 2 * 8][lane % 4 * 2 + half + n / 2 * 8] = half_of(x, registers[n], lane, half, type);
    }
  }
  return a;
}

// op::more: D (4), A (K / 4), B (K / 8), C (4)
template <std::size_t K>
void multiply_16x8(exchange& of, op const& o) {
  require_warp(of, o);
  execution const& x = *of.of;
  auto const type = static_cast<element>(o.variant);
  place const *const d = o.more.data(), *const a_registers = d + 4, *const b_registers = a_registers + K / 4,
                     *const c = b_registers + K / 8;
  matrix<16, K> const a = read_factor<K>(x, a_registers, type);
  matrix<K, 8> b{};
  for (unsigned lane = 0; lane < warp_lanes; ++lane) {
    for (unsigned n = 0; n < K / 8; ++n) {
      for (unsigned half = 0; half < 2; ++half)
        b[lane % 4 * 2 + half + n * 8][lane / 4] = half_of(x, b_registers[n], lane, half, type);
    }
  }
  float sums[4][warp_lanes];
  for (unsigned lane = 0; lane < warp_lanes; ++lane) {
    for (unsigned n = 0; n < 4; ++n) {
      auto const [row, column] = place_in_result(lane, n);
      float sum = as<float>(x.at(c[n])[lane]);
      for (std::size_t k = 0; k < K; ++k) sum += a[row][k] * b[k][column];
      sums[n][lane] = sum;
    }
  }
  for (unsigned n = 0; n < 4; ++n) write_lanes(all_lanes, x.at(d[n]), [&](unsigned i) { return bits_of(sums[n][i]); });
}

// Four products: lanes 0 to 3 and 16 to 19 make the first. op::more: D (8), A (2), B (2), C (8)
void multiply_four_8x8x4(exchange& of, op const& o) {
  require_warp(of, o);
  execution const& x = *of.of;
  place const *const d = o.more.data(), *const a_registers = d + 8, *const b_registers = d + 10, *const c = d + 12;
  matrix<8, 4> a[4]{};
  matrix<4, 8> b[4]{};
  for (unsigned lane = 0; lane < warp_lanes; ++lane) {
    unsigned const product = lane % 16 / 4, at = lane % 4 + (lane < 16 ? 0 : 4);
    for (unsigned k = 0; k < 4; ++k) {
      a[product][at][k] = half_of(x, a_registers[k / 2], lane, k % 2, element::f16);
      b[product][k][at] = half_of(x, b_registers[k / 2], lane, k % 2, element::f16);
    }
  }
  float sums[8][warp_lanes];
  for (unsigned lane = 0; lane < warp_lanes; ++lane) {
    for (unsigned n = 0; n < 8; ++n) {
      unsigned const row = (lane & 1) + (n & 2) + (lane < 16 ? 0 : 4), column = (n & 4) + (lane & 2) + (n & 1);
      float sum = as<float>(x.at(c[n])[lane]);
      for (unsigned k = 0; k < 4; ++k) sum += a[lane % 16 / 4][row][k] * b[lane % 16 / 4][k][column];
      sums[n][lane] = sum;
    }
  }
  for (unsigned n = 0; n < 8; ++n) write_lanes(all_lanes, x.at(d[n]), [&](unsigned i) { return bits_of(sums[n][i]); });
}

// op::more: D (2), A, B, C (2)
void multiply_doubles(exchange& of, op const& o) {
  require_warp(of, o);
  execution const& x = *of.of;
  const_row const a = x.at(o.more[2]), b = x.at(o.more[3]);
  double sums[2][warp_lanes];
  for (unsigned lane = 0; lane < warp_lanes; ++lane) {
    for (unsigned n = 0; n < 2; ++n) {
      double sum = as<double>(x.at(o.more[4 + n])[lane]);
      unsigned const row = lane / 4, column = lane % 4 * 2 + n;
      for (unsigned k = 0; k < 4; ++k) sum += as<double>(a[row * 4 + k]) * as<double>(b[column * 4 + k]);
      sums[n][lane] = sum;
    }
  }
  for (unsigned n = 0; n < 2; ++n)
    write_lanes(all_lanes, x.at(o.more[n]), [&](unsigned i) { return bits_of(sums[n][i]); });
}

/// A matrix in shared memory without a swizzle, K contiguous: tiles of 8 rows of 16 bytes, one after the other.
struct described {
  explicit described(std::uint64_t word)
      : begin((word & 0x3fff) * 16), along_k((word >> 16 & 0x3fff) * 16), along_rows((word >> 32 & 0x3fff) * 16) {}
  std::uint64_t address(unsigned row, unsigned k) const {
    return begin + row / 8 * along_rows + k / 8 * along_k + row % 8 * 16 + k % 8 * 2;
  }
  std::uint64_t begin, along_k, along_rows;  // [bytes]
};

float read_shared(execution& x, op const& o, std::uint64_t address, element type) {
  std::uint16_t bits = 0;
  std::memcpy(&bits, x.locate(o, space::shared, address, 2, 0), sizeof bits);
  return to_float(bits, type);
}

// A warp's quarter of the rows. op::more: B's descriptor, whether D is added to, A (a descriptor or 4 registers),
// D (N / 2). op::count is 4 where A is in registers.
void multiply_quarter(exchange& of, op const& o) {
  require_warp(of, o);
  execution& x = *of.of;
  auto const type = static_cast<element>(o.variant);
  auto const descriptor = [&](place at) {
    std::uint64_t const word = x.at(at)[0];
    if (word >> 62 != 0) x.fail(fault_kind::illegal_instruction, o, "a descriptor with a swizzle is not known");
    return described(word);
  };
  matrix<16, 16> a{};
  if (o.count == 4) {
    a = read_factor<16>(x, &o.more[2], type);
  } else {
    described const from = descriptor(o.more[2]);
    unsigned const first = x.warp_index % 4 * 16;
    for (unsigned row = 0; row < 16; ++row) {
      for (unsigned k = 0; k < 16; ++k) a[row][k] = read_shared(x, o, from.address(first + row, k), type);
    }
  }
  described const b = descriptor(o.more[0]);
  bool const adds = (x.at(o.more[1])[0] != 0) != o.inverts[0];
  for (std::size_t n = 0; n < o.more.size() - 2 - o.count; ++n) {
    row const d = x.at(o.more[2 + o.count + n]);
    for (unsigned lane = 0; lane < warp_lanes; ++lane) {
      auto const [row, column] = place_in_result(lane, static_cast<unsigned>(n % 4));
      float sum = adds ? as<float>(d[lane]) : 0.0F;
      for (unsigned k = 0; k < 16; ++k)
        sum += a[row][k] * read_shared(x, o, b.address(static_cast<unsigned>(n / 4) * 8 + column, k), type);
      d[lane] = bits_of(sum);
    }
  }
}

void meet(exchange&, op const&) {}

void wait_for_warp(function_compiler& names, op& into) {
  into.to = flow::exchange;
  into.at.fill(names.constant(0));
  into.at[0] = into.at[1] = names.destination("_");
  into.at[exchange_mask] = names.constant(all_lanes);
}
void take_list(function_compiler& names, std::string_view operand, scalar type, std::size_t count, spelled const& text,
               op& into, bool is_written = false) {
  std::vector<std::string_view> const all =
      operand.starts_with('{') ? pasta::ptx::read_elements(operand) : std::vector<std::string_view>{operand};
  if (all.size() != count) text.refuse("a factor or sum has another number of registers");
  for (std::string_view const each : all)
    into.more.push_back(is_written ? names.destination(each) : names.source(each, type));
}

void build_product(function_compiler& names, spelled const& text, op& into) {
  text.expect({"sync", "aligned", "row", "col", "m16n8k8", "m16n8k16", "m8n8k4", "bf16"});
  text.expect_operands(4);
  if (text.parts.size() < 5) text.refuse("its type is not known");
  wait_for_warp(names, into);
  std::string_view const a = text.parts[text.parts.size() - 3], b = text.parts[text.parts.size() - 2];
  std::string_view const d = text.parts[text.parts.size() - 4], c = text.parts.back();
  bool const is_bf16 = a == "bf16" && b == "bf16", is_f16 = a == "f16" && b == "f16";
  into.variant = static_cast<std::uint8_t>(is_bf16 ? element::bf16 : element::f16);
  scalar const word{kind::untyped, 32}, of_a = text.has("m8n8k4") && a == "f64" ? scalar{kind::floating, 64} : word;
  scalar const sum = read_scalar(d);
  auto const take = [&](std::size_t sums, std::size_t of_first, std::size_t of_second, exchange_action action) {
    take_list(names, text.operand(0), sum, sums, text, into, true);
    take_list(names, text.operand(1), of_a, of_first, text, into);
    take_list(names, text.operand(2), of_a, of_second, text, into);
    take_list(names, text.operand(3), sum, sums, text, into);
    into.exchange = action;
  };
  if (d == "f32" && c == "f32" && text.has("m16n8k16") && (is_bf16 || is_f16)) return take(4, 4, 2, &multiply_16x8<16>);
  if (d == "f32" && c == "f32" && text.has("m16n8k8") && (is_bf16 || is_f16)) return take(4, 2, 1, &multiply_16x8<8>);
  if (d == "f32" && c == "f32" && text.has("m8n8k4") && is_f16) return take(8, 2, 2, &multiply_four_8x8x4);
  if (d == "f64" && c == "f64" && text.has("m8n8k4") && a == "f64" && b == "f64")
    return take(2, 1, 1, &multiply_doubles);
  text.refuse("its shape with these types is not known");
}

std::size_t columns_of(spelled const& text) {
  for (std::string_view const part : text.parts) {
    if (!part.starts_with("m64n") || !part.ends_with("k16")) continue;
    std::size_t columns = 0;
    for (char const digit : part.substr(4, part.size() - 7))
      columns = 10 * columns + static_cast<std::size_t>(digit - '0');
    if (columns % 8 == 0 && columns >= 8 && columns <= 256) return columns;
  }
  text.refuse("its shape is not known");
}

// D, A, B, whether D is added to, factors of A and B, whether A (in shared memory) and B lie the other way.
void build_warp_group_product(function_compiler& names, spelled const& text, op& into) {
  wait_for_warp(names, into);
  if (!text.has("mma_async")) {  // fence, commit_group, wait_group: here products are made in order
    into.exchange = &meet;
    return;
  }
  bool const is_in_registers = text.operand(1).starts_with('{');
  text.expect_operands(is_in_registers ? 7 : 8);
  for (std::size_t i = 4; i < text.what.operands.size(); ++i) {
    if (text.operand(i) != (i < 6 ? "1" : "0")) text.refuse("its factors are not 1, or a matrix lies the other way");
  }
  std::size_t const count = text.parts.size();
  std::string_view const a = text.parts[count - 2], b = text.parts[count - 1];
  if (text.parts[count - 3] != "f32" || a != b || (a != "f16" && a != "bf16")) text.refuse("its types are not known");
  into.variant = static_cast<std::uint8_t>(a == "bf16" ? element::bf16 : element::f16);
  into.count = is_in_registers ? 4 : 1;
  into.more.push_back(names.source(text.operand(2), {kind::untyped, 64}));
  into.more.push_back(names.predicate(text.operand(3), into.inverts[0]));
  take_list(names, text.operand(1), {kind::untyped, is_in_registers ? 32U : 64U}, into.count, text, into);
  take_list(names, text.operand(0), {kind::floating, 32}, columns_of(text) / 2, text, into, true);
  into.exchange = &multiply_quarter;
}

}  // namespace

builders matrix_builders() { return {{"mma", &build_product}, {"wgmma", &build_warp_group_product}}; }

}  // namespace ptx_emulation
