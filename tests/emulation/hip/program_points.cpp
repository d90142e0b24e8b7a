// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "program_points.hpp"

#include <algorithm>
#include <stdexcept>

namespace hip_emulation {

void read_call_path(call_path& path, void const* innermost, void const* base) {
  constexpr std::size_t most_frames = 1000;
  path.clear();
  auto const* frame = static_cast<std::uintptr_t const*>(innermost);
  // A frame begins with the caller's frame and the address where the caller goes on; callers lie higher.
  while (frame != base) {
    auto const* const caller = reinterpret_cast<std::uintptr_t const*>(frame[0]);
    if (caller <= frame || caller > base || path.size() == most_frames) {
      throw std::logic_error("the emulated kernel keeps no frame pointers: compile it with -fno-omit-frame-pointer");
    }
    path.push_back(frame[1]);
    frame = caller;
  }
  std::reverse(path.begin(), path.end());
}

std::uint64_t program_points::number_of(call_path const& path) {
  constexpr std::uint64_t step = std::uint64_t{1} << 44;
  auto const next = numbers_.lower_bound(path);
  if (next != numbers_.end() && next->first == path) return next->second;
  std::uint64_t const before = next == numbers_.begin() ? 0 : std::prev(next)->second;
  // Near the one before: paths are most often found in their order.
  std::uint64_t const room = next == numbers_.end() ? 16 * step : next->second - before;
  std::uint64_t const number = before + (room < 16 ? room / 2 : room / 16);
  if (number == before || number + step < number) throw std::length_error("an emulated kernel has too many points");
  numbers_.emplace_hint(next, path, number);
  return number;
}

}  // namespace hip_emulation
