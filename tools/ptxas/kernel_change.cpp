// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "kernel_change.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include <pasta/config.hpp>
#include <pasta/report/visible.hpp>
#include "occupancy.hpp"

namespace pasta::ptxas {

namespace {

constexpr std::uint32_t lanes = 32;

/// What is said of a kernel's blocks: of the size that it states, else of three sizes.
std::vector<std::uint32_t> shown_threads(kernel_change const& change) {
  if (change.bounds.threads != 0) return {change.bounds.threads};
  return {128, 256, 1024};
}

auto by_name(std::string_view name) {
  return [name](auto const& each) { return each.name == name; };
}

}  // namespace

bool kernel_change::is_changed() const {
  if (!is_assembled()) return limit != 0;
  return native.registers != instrumented.registers || native.spill_bytes != instrumented.spill_bytes || limit != 0 ||
         !why_unlimited.empty();
}

std::uint64_t kernel_change::added_spill_bytes() const {
  return instrumented.spill_bytes - std::min(instrumented.spill_bytes, native.spill_bytes);
}

std::pair<std::uint32_t, std::uint32_t> kernel_change::blocks(std::uint32_t threads) const {
  std::uint32_t const warps = std::clamp((threads + lanes - 1) / lanes, 1U, most_warps_in_block);
  return {blocks_per_multiprocessor(native.target, native.registers, warps),
          blocks_per_multiprocessor(instrumented.target, instrumented.registers, warps)};
}

bool kernel_change::keeps_launches() const {
  block_sizes const sizes = bounds.sizes();
  for (std::uint32_t warps = sizes.least_warps; is_assembled() && warps <= sizes.most_warps; ++warps) {
    auto const [before, after] = blocks(warps * lanes);
    if (before > 0 && after == 0) return false;
  }
  return true;
}

std::optional<std::uint32_t> kernel_change::crowded_threads() const {
  if (!is_assembled()) return std::nullopt;
  auto const is_crowded = [&](std::uint32_t threads) {
    auto const [before, after] = blocks(threads);
    return after < before;
  };
  for (std::uint32_t const threads : shown_threads(*this)) {
    if (is_crowded(threads)) return threads;
  }
  block_sizes const sizes = bounds.sizes();
  for (std::uint32_t warps = sizes.most_warps; warps >= sizes.least_warps; --warps) {
    if (is_crowded(warps * lanes)) return warps * lanes;
  }
  return std::nullopt;
}

std::vector<kernel_change> list_changes(std::span<kernel_figures const> native, std::span<kernel_bounds const> bounds) {
  std::vector<kernel_change> changes;
  changes.reserve(native.size());
  for (kernel_figures const& before : native) {
    kernel_change& change = changes.emplace_back();
    change.native = before;
    auto const bound = std::find_if(bounds.begin(), bounds.end(), by_name(before.name));
    if (bound != bounds.end()) change.bounds = *bound;
  }
  return changes;
}

std::map<std::string, std::uint32_t> choose_limits(std::span<kernel_change> changes, register_policy wanted,
                                                   linking how) {
  std::map<std::string, std::uint32_t> limits;
  if (wanted == register_policy::free) return limits;
  for (kernel_change& change : changes) {
    kernel_figures const& native = change.native;
    std::uint32_t const limit =
        wanted == register_policy::native
            ? rounded_registers(native.registers)
            : most_registers_as_roomy_as(native.target, native.registers, change.bounds.sizes());
    std::uint32_t const taken =
        change.is_assembled() ? change.instrumented.registers : native.registers + change.bounds.added_registers;
    if (taken <= limit || change.limit != 0) continue;
    if (change.bounds.changes_registers) {
      if (change.is_assembled()) change.why_unlimited = "setmaxnreg governs its registers";
    } else if (how == linking::relocatable && change.bounds.calls_functions) {
      if (change.is_assembled()) change.why_unlimited = "its registers are known only when it is linked";
    } else {
      change.limit = limit;
      limits[native.name] = limit;
    }
  }
  return limits;
}

std::string describe(kernel_change const& change) {
  if (!change.is_assembled()) {
    return fmt::format("{}: {} registers natively on {}, limit {}", visible(change.native.name),
                       change.native.registers, visible(change.native.target), change.limit);
  }
  std::string line = fmt::format("{} ({}): registers {} to {}", visible(change.native.name),
                                 visible(change.native.target), change.native.registers, change.instrumented.registers);
  if (change.limit != 0) line += fmt::format(" (limit {})", change.limit);
  if (!change.why_unlimited.empty()) line += fmt::format(" (no limit: {})", change.why_unlimited);
  line += fmt::format(", spills {} to {} bytes", change.native.spill_bytes, change.instrumented.spill_bytes);
  for (std::uint32_t const threads : shown_threads(change)) {
    auto const [before, after] = change.blocks(threads);
    line += fmt::format(", blocks of {} threads {} to {}", threads, before, after);
  }
  return line;
}

std::string warn(std::span<kernel_change const> changes) {
  std::vector<std::string> parts;
  auto const count = [&](auto const& is_worse) { return std::count_if(changes.begin(), changes.end(), is_worse); };
  auto const worst = std::max_element(changes.begin(), changes.end(), [](auto const& a, auto const& b) {
    return a.added_spill_bytes() < b.added_spill_bytes();
  });
  if (worst != changes.end() && worst->added_spill_bytes() > 0) {
    auto const kernels = count([](kernel_change const& each) { return each.added_spill_bytes() > 0; });
    parts.push_back(fmt::format("{} {} more spills than natively, {} most: {} to {} bytes", kernels,
                                kernels == 1 ? "kernel has" : "kernels have", visible(worst->native.name),
                                worst->native.spill_bytes, worst->instrumented.spill_bytes));
  }
  auto const crowded = std::find_if(changes.begin(), changes.end(),
                                    [](kernel_change const& each) { return each.crowded_threads().has_value(); });
  if (crowded != changes.end()) {
    auto const kernels = count([](kernel_change const& each) { return each.crowded_threads().has_value(); });
    std::uint32_t const threads = crowded->crowded_threads().value();
    auto const [before, after] = crowded->blocks(threads);
    parts.push_back(fmt::format("{} {} room for fewer blocks at once, {}: {} to {} of {} threads", kernels,
                                kernels == 1 ? "kernel has" : "kernels have", visible(crowded->native.name), before,
                                after, threads));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string to_json_lines(std::span<kernel_change const> changes, std::string_view module, std::string_view input) {
  using json = nlohmann::ordered_json;
  std::string lines;
  for (kernel_change const& change : changes) {
    if (!change.is_assembled()) continue;
    auto const pair = [&](auto const kernel_figures::*member) {
      return json::array({change.native.*member, change.instrumented.*member});
    };
    json line{{"schema", "pasta.ptx.kernels/1"},
              {"pasta", PASTA_VERSION},
              {"module", module},
              {"input", input},
              {"kernel", change.native.name},
              {"target", change.native.target},
              {"registers", pair(&kernel_figures::registers)},
              {"register_limit", change.limit == 0 ? json() : json(change.limit)},
              {"why_unlimited", change.why_unlimited},
              {"spill_bytes", pair(&kernel_figures::spill_bytes)},
              {"stack_bytes", pair(&kernel_figures::stack_bytes)},
              {"static_shared_bytes", pair(&kernel_figures::static_shared)},
              {"block_threads", change.bounds.threads == 0 ? json() : json(change.bounds.threads)},
              {"blocks_per_multiprocessor", json::object()}};
    for (std::uint32_t const threads : shown_threads(change)) {
      auto const [before, after] = change.blocks(threads);
      line["blocks_per_multiprocessor"][std::to_string(threads)] = {before, after};
    }
    lines += line.dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
  }
  return lines;
}

}  // namespace pasta::ptxas
