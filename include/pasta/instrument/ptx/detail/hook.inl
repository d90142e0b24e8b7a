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

// The thread's state is a parameter and the result; of memory_access without a state it is a word.
inline std::string hook::function(std::string_view name, hook_function which) const {
  auto const [count, bytes] = pasta::detail::parameters_of(which);
  std::vector<hook_operand> operands;
  operands.reserve(count);
  std::string head, loads, stores, result;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t const bits = 8 * bytes[i];
    fmt::format_to(std::back_inserter(head), "{}.param .b{} pasta_q{}", i == 0 ? "" : ", ", bits, i);
    fmt::format_to(std::back_inserter(loads),
                   "\t.reg .b{0} \t%pasta_q{1};\n\tld.param.b{0} \t%pasta_q{1}, [pasta_q{1}];\n", bits, i);
    operands.push_back({fmt::format("%pasta_q{}", i), false});
  }
  if (has_state()) {
    result = fmt::format("(.param .align 4 .b8 pasta_result[{}]) ", 4 * state_words());
    fmt::format_to(std::back_inserter(head), "{}.param .align 4 .b8 pasta_state[{}]", count == 0 ? "" : ", ",
                   4 * state_words());
    fmt::format_to(std::back_inserter(loads), "\t.reg .b32 \t{}<{}>;\n", state_register(), state_words());
    for (std::uint32_t i = 0; i < state_words(); ++i) {
      fmt::format_to(std::back_inserter(loads), "\tld.param.b32 \t{}{}, [pasta_state+{}];\n", state_register(), i,
                     4 * i);
      fmt::format_to(std::back_inserter(stores), "\tst.param.b32 \t[pasta_result+{}], {}{};\n", 4 * i, state_register(),
                     i);
    }
  } else if (which == hook_function::memory_access) {
    result = "(.param .b64 pasta_result) ";
    loads = "\t.reg .b64 \t%pasta_kept;\n\tmov.b64 \t%pasta_kept, 0;\n" + loads;
    stores = "\tst.param.b64 \t[pasta_result], %pasta_kept;\n";
  }
  return fmt::format(".func {}{}({})\n{{\n{}{}{}\tret;\n}}\n", result, name, head, loads, body(operands, 0, which),
                     stores);
}

inline std::string hook::call(std::string_view name, std::span<hook_operand const> operands,
                              hook_function which) const {
  auto const [count, bytes] = pasta::detail::parameters_of(which);
  std::string declared, stores, names, loads, result;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t const bits = 8 * bytes[i];
    fmt::format_to(std::back_inserter(declared), "\t.param .b{} \tpasta_q{};\n", bits, i);
    fmt::format_to(std::back_inserter(stores), "\tst.param.b{} \t[pasta_q{}], {};\n", bits, i, operands[i].text);
    fmt::format_to(std::back_inserter(names), "{}pasta_q{}", i == 0 ? "" : ", ", i);
  }
  if (has_state()) {
    fmt::format_to(std::back_inserter(declared),
                   "\t.param .align 4 .b8 \tpasta_state[{0}];\n\t.param .align 4 .b8 \tpasta_result[{0}];\n",
                   4 * state_words());
    for (std::uint32_t i = 0; i < state_words(); ++i) {
      fmt::format_to(std::back_inserter(stores), "\tst.param.b32 \t[pasta_state+{}], {}{};\n", 4 * i, state_register(),
                     i);
      fmt::format_to(std::back_inserter(loads), "\tld.param.b32 \t{}{}, [pasta_result+{}];\n", state_register(), i,
                     4 * i);
    }
    names += count == 0 ? "pasta_state" : ", pasta_state";
    result = "(pasta_result), ";
  } else if (which == hook_function::memory_access) {
    declared += "\t.param .b64 \tpasta_result;\n";
    loads = "\tld.param.b64 \t%pasta_kept, [pasta_result];\n";
    result = "(pasta_result), ";
  }
  return fmt::format("\t{{\n{}{}\tcall \t{}{}, ({});\n{}\t}}\n", declared, stores, result, name, names, loads);
}

}  // namespace pasta::ptx
#endif
