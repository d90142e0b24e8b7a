// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "occupancy.hpp"

#include <algorithm>
#include <array>

#include "lines.hpp"

namespace pasta::ptxas {

namespace {

constexpr std::uint32_t registers_per_part = 16384, parts = 4, lanes = 32;

/// Slots of a multiprocessor.
struct slots {
  std::uint32_t architecture, warps, blocks;
};
constexpr slots most_roomy{0, 64, 32};
constexpr std::array<slots, 11> known{{{75, 32, 16},
                                       {80, 64, 32},
                                       {86, 48, 16},
                                       {87, 48, 16},
                                       {89, 48, 24},
                                       {90, 64, 32},
                                       {100, 64, 32},
                                       {103, 64, 32},
                                       {110, 48, 24},
                                       {120, 48, 24},
                                       {121, 48, 24}}};

slots slots_of(std::string_view target) {
  std::uint32_t number = 0;
  if (!take(target, "sm_") || !take_number(target, number)) return most_roomy;
  auto const found = std::find_if(known.begin(), known.end(), [&](slots const& s) { return s.architecture == number; });
  return found == known.end() ? most_roomy : *found;
}

std::uint32_t blocks_in(slots const& there, std::uint32_t registers, std::uint32_t warps) {
  registers = std::max(registers, 1U);
  std::uint32_t const of_a_warp = (registers + register_step - 1) / register_step * register_step * lanes;
  std::uint32_t const warps_in_whole_parts = (warps + parts - 1) / parts * parts;  // as a launch is checked
  if (of_a_warp * warps_in_whole_parts > registers_per_part * parts) return 0;
  std::uint32_t const by_registers = registers_per_part / of_a_warp * parts / warps;
  return std::min({by_registers, there.warps / warps, there.blocks});
}

}  // namespace

std::uint32_t blocks_per_multiprocessor(std::string_view target, std::uint32_t registers, std::uint32_t warps) {
  return blocks_in(slots_of(target), registers, warps);
}

std::uint32_t rounded_registers(std::uint32_t registers) {
  return std::min((registers + register_step - 1) / register_step * register_step, most_registers);
}

std::uint32_t most_registers_as_roomy_as(std::string_view target, std::uint32_t registers, block_sizes sizes) {
  slots const there = slots_of(target);
  auto const is_as_roomy = [&](std::uint32_t more) {
    for (std::uint32_t warps = sizes.least_warps; warps <= sizes.most_warps; ++warps) {
      if (blocks_in(there, more, warps) < blocks_in(there, registers, warps)) return false;
    }
    return true;
  };
  std::uint32_t most = rounded_registers(registers);
  while (most < most_registers) {
    std::uint32_t const next = rounded_registers(most + 1);
    if (!is_as_roomy(next)) break;
    most = next;
  }
  return most;
}

}  // namespace pasta::ptxas
