// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// The parts of an opcode by what they say. Their order differs between instructions and between versions of PTX, so
/// each is looked for wherever it stands.
#ifndef PASTA_INSTRUMENT_PTX_DETAIL_OPCODE_PARTS_HPP
#define PASTA_INSTRUMENT_PTX_DETAIL_OPCODE_PARTS_HPP

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <pasta/instrument/ptx/site_types.hpp>
#include <string_view>

namespace pasta::ptx::detail {

/// The parts behind the name, one after the other.
class opcode_parts {
 public:
  explicit opcode_parts(std::string_view opcode) : rest_(opcode) { next(); }
  /// Empty at the end.
  std::string_view next() {
    std::size_t const dot = rest_.find('.');
    std::string_view const part = rest_.substr(0, dot);
    rest_ = dot == std::string_view::npos ? std::string_view() : rest_.substr(dot + 1);
    return part;
  }

 private:
  std::string_view rest_;
};

/// The first thing that `read`, a function from a part to an optional, makes of a part.
template <class Read>
auto first_of(std::string_view opcode, Read read) -> decltype(read(opcode)) {
  opcode_parts parts(opcode);
  for (std::string_view part = parts.next(); !part.empty(); part = parts.next()) {
    if (auto found = read(part)) return found;
  }
  return std::nullopt;
}

inline bool is_parameter_space(std::string_view part) { return part == "param" || part.starts_with("param::"); }

inline std::optional<state_space> read_space(std::string_view part) {
  if (part == "global") return state_space::global;
  if (part == "shared" || part == "shared::cta") return state_space::shared;
  if (part == "shared::cluster") return state_space::shared_cluster;
  if (part == "local") return state_space::local;
  if (part == "const" || part.starts_with("const[")) return state_space::constant;
  return std::nullopt;
}

/// Spaces in the order of the opcode: a copy names the destination's first.
struct space_pair {
  std::optional<state_space> first, second;
};
inline space_pair read_spaces(std::string_view opcode) {
  space_pair found;
  opcode_parts parts(opcode);
  for (std::string_view part = parts.next(); !part.empty(); part = parts.next()) {
    auto const space = read_space(part);
    if (!space) continue;
    (found.first ? found.second : found.first) = space;
    if (found.second) break;
  }
  return found;
}
inline state_space space_of(std::string_view opcode) {
  return first_of(opcode, read_space).value_or(state_space::generic);
}

/// A count in an opcode: more than any of PTX's is none, so that products of them stay in 32 bits.
inline std::optional<std::uint32_t> read_number(std::string_view digits, int base = 10) {
  constexpr std::uint32_t most = 4095;
  std::uint32_t value = 0;
  auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (error != std::errc() || end != digits.data() + digits.size() || value > most) return std::nullopt;
  return value;
}

/// An integer as PTX spells it: `16`, `0x10`, `0b10000`, `020`, `16U`.
inline std::optional<std::uint32_t> read_literal(std::string_view text) {
  if (text.ends_with('U')) text.remove_suffix(1);
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    text.remove_prefix(2);
  } else if (text.starts_with("0b") || text.starts_with("0B")) {
    base = 2;
    text.remove_prefix(2);
  } else if (text.size() > 1 && text.starts_with('0')) {
    base = 8;
    text.remove_prefix(1);
  }
  return read_number(text, base);
}

/// `v4`: how many elements; 1 where there is no such part, 0 where it is not understood.
inline std::uint32_t elements_of(std::string_view opcode) {
  return first_of(opcode,
                  [](std::string_view part) -> std::optional<std::uint32_t> {
                    bool const counts = part.size() > 1 && part[0] == 'v' && part[1] >= '0' && part[1] <= '9';
                    return counts ? std::optional(read_number(part.substr(1)).value_or(0)) : std::nullopt;
                  })
      .value_or(1);
}

/// `x4`: how many times a shape.
inline std::optional<std::uint32_t> repetitions_of(std::string_view opcode) {
  return first_of(opcode, [](std::string_view part) -> std::optional<std::uint32_t> {
    return part.starts_with('x') ? read_number(part.substr(1)) : std::nullopt;
  });
}

inline std::optional<std::string_view> read_type(std::string_view part) {
  return bits_of(part) != 0 ? std::optional(part) : std::nullopt;
}

/// Bytes of a value with its vector's elements: `v4.f32` 16. 0 if the opcode has no type or vector that is known.
inline std::uint32_t value_bytes(std::string_view opcode) {
  auto const type = first_of(opcode, read_type);
  return type ? bits_of(*type) * elements_of(opcode) / 8 : 0;
}

/// `m16n8k16`, also `m8n8` (k is 0 then).
struct matrix_shape {
  std::uint32_t m = 0, n = 0, k = 0;
};
inline std::optional<matrix_shape> read_shape(std::string_view part) {
  std::size_t const at_n = part.find('n');
  if (!part.starts_with('m') || at_n == std::string_view::npos) return std::nullopt;
  std::size_t const at_k = std::min(part.find('k', at_n), part.size());
  auto const m = read_number(part.substr(1, at_n - 1));
  auto const n = read_number(part.substr(at_n + 1, at_k - at_n - 1));
  auto const k = at_k == part.size() ? std::optional(0u) : read_number(part.substr(at_k + 1));
  if (!m || !n || !k) return std::nullopt;
  return matrix_shape{*m, *n, *k};
}

/// `32x128b`, `16x32bx2`: bits of all rows. None if the part is not such a shape.
inline std::optional<std::uint32_t> read_row_bits(std::string_view part) {
  std::size_t const by = part.find('x'), bits = part.find('b');
  if (by == std::string_view::npos || bits == std::string_view::npos || bits < by) return std::nullopt;
  auto const rows = read_number(part.substr(0, by)), width = read_number(part.substr(by + 1, bits - by - 1));
  if (!rows || !width) return std::nullopt;
  std::string_view const behind = part.substr(bits + 1);
  if (behind.empty()) return *rows * *width;
  auto const halves = behind.starts_with('x') ? read_number(behind.substr(1)) : std::nullopt;
  if (!halves) return std::nullopt;
  return *rows * *width * *halves;
}

}  // namespace pasta::ptx::detail
#endif
