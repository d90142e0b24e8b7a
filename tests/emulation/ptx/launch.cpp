// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "launch.hpp"

#include <algorithm>
#include <list>
#include <memory>
#include <stdexcept>
#include <vector>

#include "block.hpp"

namespace ptx_emulation {

std::uint64_t launch(program const& from, code const& kernel, launch_shape const& shape,
                     std::span<std::byte const> parameters, device_memory& memory, launch_options const& options) {
  launch_state state{&from, &options, std::minstd_rand(static_cast<std::uint32_t>(options.seed % 2147483646 + 1)), 0};
  for (int i = 0; i < 8; ++i) state.random();  // the first numbers of near seeds are near

  std::uint64_t const count = std::uint64_t{shape.grid[0]} * shape.grid[1] * shape.grid[2];
  std::uint64_t next = 0;
  std::vector<std::unique_ptr<block>> resident(std::size_t{options.multiprocessors} * options.blocks_each);
  for (;;) {
    bool has_run = false, has_any = false;
    for (std::size_t slot = 0; slot < resident.size(); ++slot) {
      if (!resident[slot] && next < count) {
        std::array<std::uint32_t, 3> const index{static_cast<std::uint32_t>(next % shape.grid[0]),
                                                 static_cast<std::uint32_t>(next / shape.grid[0] % shape.grid[1]),
                                                 static_cast<std::uint32_t>(next / shape.grid[0] / shape.grid[1])};
        ++next;
        resident[slot] =
            std::make_unique<block>(state, kernel, shape, index,
                                    static_cast<std::uint32_t>(slot % options.multiprocessors), parameters, memory);
      }
      if (!resident[slot]) continue;
      has_any = true;
      has_run = resident[slot]->run() || has_run;
      if (resident[slot]->is_done()) resident[slot].reset();
    }
    if (!has_any) return state.instructions;
    for (auto const& each : resident) {
      if (!has_run && each) has_run = each->go_on_alone();
    }
    if (has_run) continue;
    std::string text = "deadlock: nothing can go on";
    for (auto const& each : resident) {
      if (each) each->describe(text);
    }
    throw kernel_fault(fault_kind::deadlock, text);
  }
}

}  // namespace ptx_emulation
