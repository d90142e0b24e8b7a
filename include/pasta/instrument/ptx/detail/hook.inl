// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_INSTRUMENT_PTX_DETAIL_HOOK_INL
#define PASTA_INSTRUMENT_PTX_DETAIL_HOOK_INL

#include <fmt/format.h>

#include <bit>
#include <pasta/instrument/ptx/detail/hook_reader.inl>
#include <pasta/instrument/ptx/hook.hpp>

namespace pasta::ptx {

inline hook hook::counting(std::string tool) {
  hook made;
  made.tool_ = std::move(tool);
  made.words_[pasta::detail::abi_version] = pasta::detail::hook_abi_version;
  made.words_[pasta::detail::abi_events] = 2;
  return made;
}

inline hook::hook(std::string tool, std::string_view text) : tool_(std::move(tool)), source_(text) {
  hook_reader(*this).read();
}

inline bool hook::has_code() const {
  std::uint32_t handled = 0;
  for (std::size_t i = 0; i < pasta::detail::hook_event_count; ++i)
    handled |= pasta::detail::handled_bit(static_cast<hook_function>(i));
  return (events() & handled) != 0;
}

inline hook hook::silent() const {
  hook made = counting(tool_);
  made.words_[pasta::detail::abi_events] = 0;
  for (std::size_t i = 0; i < pasta::detail::hook_event_count; ++i)
    made.words_[pasta::detail::abi_events] |= events() & pasta::detail::counted_bit(static_cast<hook_function>(i));
  return made;
}

inline std::string hook::state_register() const { return fmt::format("%pasta_state_{}_", tool_); }

inline bool hook::watches(access_kind kind, state_space space, std::uint32_t size_bytes) const {
  if (!handles_accesses()) return false;
  if (!std::has_single_bit(size_bytes) || size_bytes >> pasta::detail::watched_sizes != 0) return true;
  std::uint64_t const bits =
      std::uint64_t{words_[pasta::detail::abi_watched_high]} << 32 | words_[pasta::detail::abi_watched_low];
  auto const watches_in = [&](memory_space where) {
    return (bits >> pasta::detail::watched_bit(static_cast<std::uint32_t>(kind), static_cast<std::uint32_t>(where),
                                               static_cast<std::uint32_t>(std::countr_zero(size_bytes))) &
            1) != 0;
  };
  if (space == state_space::generic) {
    return watches_in(memory_space::global) || watches_in(memory_space::shared) || watches_in(memory_space::local);
  }
  auto const where = to_memory_space(space);
  return where && watches_in(*where);
}

inline std::string hook::body(std::span<hook_operand const> operands, std::size_t number, hook_function which) const {
  std::string text = "\t{\n";
  for (piece const& each : pieces_[static_cast<std::size_t>(which)]) {
    text += each.text;
    switch (each.what) {
      case piece::tail::nothing:
        break;
      case piece::tail::number:
        fmt::format_to(std::back_inserter(text), "{}", number);
        break;
      case piece::tail::read:
        text +=
            detail::move_operand(operands[each.parameter], pasta::detail::parameters_of(which).bytes[each.parameter],
                                 each.type, each.into, each.bits);
        break;
    }
  }
  fmt::format_to(std::back_inserter(text), "\t}}\n$pasta_h{}_end:\n", number);
  return text;
}

}  // namespace pasta::ptx
#endif
