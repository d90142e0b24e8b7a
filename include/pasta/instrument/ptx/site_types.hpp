// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// PTX's words for where memory is and what lies in it.
#ifndef PASTA_INSTRUMENT_PTX_SITE_TYPES_HPP
#define PASTA_INSTRUMENT_PTX_SITE_TYPES_HPP

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <pasta/event.hpp>
#include <string_view>

namespace pasta::ptx {

enum class state_space : std::uint8_t {
  generic,  ///< the address tells, at run time
  global,
  shared,          ///< of the block itself
  shared_cluster,  ///< of any block of the cluster
  local,
  constant,
  texture,
  surface,
  tensor_memory  ///< of tcgen05; pointers do not reach it
};

constexpr std::string_view to_string(state_space space) {
  constexpr std::string_view names[] = {"generic",  "global",  "shared",  "shared::cluster", "local",
                                        "constant", "texture", "surface", "tensor memory"};
  return names[static_cast<std::size_t>(space)];
}

/// The events' word for a space; none where only the address tells, and where the events have no word.
constexpr std::optional<memory_space> to_memory_space(state_space space) {
  switch (space) {
    case state_space::global:
      return memory_space::global;
    case state_space::shared:
    case state_space::shared_cluster:
      return memory_space::shared;
    case state_space::local:
      return memory_space::local;
    default:
      return std::nullopt;
  }
}

/// Bits of a value in memory: `f32` 32, `bf16x2` 32, `e4m3x4` 32, `b128` 128, `s4` 4. 0 if it is not a type.
constexpr std::uint32_t bits_of(std::string_view type) {
  struct row {
    std::string_view name;
    std::uint32_t bits;
  };
  // A vector of floats of 6 bits has each in a byte.
  constexpr std::array rows = {
      row{"b32", 32},    row{"b64", 64},     row{"b16", 16},    row{"b8", 8},      row{"b128", 128},
      row{"u32", 32},    row{"u64", 64},     row{"u16", 16},    row{"u8", 8},      row{"s32", 32},
      row{"s64", 64},    row{"s16", 16},     row{"s8", 8},      row{"f32", 32},    row{"f64", 64},
      row{"f16", 16},    row{"bf16", 16},    row{"tf32", 32},   row{"f16x2", 32},  row{"bf16x2", 32},
      row{"f32x2", 64},  row{"b16x2", 32},   row{"u16x2", 32},  row{"s16x2", 32},  row{"u8x4", 32},
      row{"s8x4", 32},   row{"u4", 4},       row{"s4", 4},      row{"b1", 1},      row{"e4m3", 8},
      row{"e5m2", 8},    row{"e3m2", 6},     row{"e2m3", 6},    row{"e2m1", 4},    row{"ue8m0", 8},
      row{"ue4m3", 8},   row{"e4m3x2", 16},  row{"e5m2x2", 16}, row{"e4m3x4", 32}, row{"e5m2x4", 32},
      row{"e3m2x2", 16}, row{"e2m3x2", 16},  row{"e3m2x4", 32}, row{"e2m3x4", 32}, row{"e2m1x2", 8},
      row{"e2m1x4", 16}, row{"ue8m0x2", 16}, row{"s2f6x2", 16}};
  auto const found = std::find_if(rows.begin(), rows.end(), [&](row const& each) { return each.name == type; });
  return found == rows.end() ? 0 : found->bits;
}

/// The events' word for an element type: e4m3 and e5m2 are f8, u8 is s8. None for the floats of 4 and 6 bits.
constexpr std::optional<element_type> to_element_type(std::string_view type) {
  if (type == "f64") return element_type::f64;
  if (type == "f32") return element_type::f32;
  if (type == "tf32") return element_type::tf32;
  if (type == "f16") return element_type::f16;
  if (type == "bf16") return element_type::bf16;
  if (type == "e4m3" || type == "e5m2") return element_type::f8;
  if (type == "s8" || type == "u8") return element_type::s8;
  if (type == "s4" || type == "u4") return element_type::s4;
  if (type == "s32") return element_type::s32;
  if (type == "b1") return element_type::b1;
  return std::nullopt;
}

}  // namespace pasta::ptx
#endif
