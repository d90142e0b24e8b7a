// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// The PTX that counts. Its registers and labels begin with `pasta_`; those of a function are its own.
#ifndef PASTA_INSTRUMENT_PTX_COUNTING_CODE_HPP
#define PASTA_INSTRUMENT_PTX_COUNTING_CODE_HPP

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <pasta/instrument/ptx/instruction.hpp>
#include <pasta/instrument/ptx/module_state.hpp>
#include <span>
#include <string>
#include <string_view>

namespace pasta::ptx {

/// Counters in each %pasta_once.
inline constexpr std::size_t bits_of_once = 32;

/// What a function counts with in registers.
struct counting_registers {
  std::size_t counters = 0;  ///< %pasta_count0, …: 64 bits, each a counter
  std::size_t once = 0;      ///< %pasta_once0, …: 32 bits, each a counter of what a thread comes to at most once
  std::size_t once_counters = 0;

  explicit operator bool() const { return counters + once > 0; }
};

/// Declared once, behind the function's first `{`.
inline std::string declare(counting_registers const& which) {
  std::string text =
      "\n\t.reg .pred \t%pasta_first, %pasta_adds;\n"
      "\t.reg .b32 \t%pasta_lanes, %pasta_low, %pasta_high, %pasta_other;\n"
      "\t.reg .b64 \t%pasta_at, %pasta_word;\n";
  for (std::size_t i = 0; i < which.counters; ++i) text += fmt::format("\t.reg .b64 \t%pasta_count{};\n", i);
  for (std::size_t i = 0; i < which.once; ++i) text += fmt::format("\t.reg .b32 \t%pasta_once{};\n", i);
  if (which) text += "\t.reg .b64 \t%pasta_mine;\n";
  for (std::size_t i = 0; i < which.counters; ++i) text += fmt::format("\tmov.b64 \t%pasta_count{}, 0;\n", i);
  for (std::size_t i = 0; i < which.once; ++i) text += fmt::format("\tmov.b32 \t%pasta_once{}, 0;\n", i);
  return text;
}

/// When the shard's address is wanted: at once, or at the function's end. The assembler would put off a load by the
/// path that is read-only until then, and the thread would wait for it.
enum class address_use : std::uint8_t { at_once, at_end };

/// Makes %pasta_at the address of the multiprocessor's shard, or 0 where nobody collects.
inline std::string shard_address(std::string_view state_name, address_use when = address_use::at_once) {
  return fmt::format(
      "\tld.global{}.v2.u64 \t{{%pasta_at, %pasta_word}}, [{}];\n"
      "\tmov.b64 \t{{%pasta_low, %pasta_high}}, %pasta_word;\n"
      "\tmov.u32 \t%pasta_lanes, %smid;\n"
      "\tand.b32 \t%pasta_low, %pasta_low, %pasta_lanes;\n"
      "\tsetp.ne.u64 \t%pasta_adds, %pasta_at, 0;\n"
      "\t@%pasta_adds mad.wide.u32 \t%pasta_at, %pasta_low, %pasta_high, %pasta_at;\n",
      when == address_use::at_once ? ".nc" : "", state_name);
}

/// Behind shard_address: counts the lanes that are here and for which the guard holds.
inline std::string count_in_memory(guard const& which, std::uint32_t counter) {
  std::string text = "\tsetp.ne.u64 \t%pasta_adds, %pasta_at, 0;\n";
  if (which) {
    text = fmt::format("\tsetp.ne.and.u64 \t%pasta_adds, %pasta_at, 0, {}{};\n", which.is_negated ? "!" : "",
                       which.predicate);
  }
  return text + fmt::format("\t@%pasta_adds red.global.add.u64 \t[%pasta_at+{}], 1;\n", counter * counter_bytes);
}

/// Counts in a register of the function.
inline std::string count_in_register(guard const& which, std::size_t number) {
  return fmt::format("\t{}add.s64 \t%pasta_count{}, %pasta_count{}, 1;\n",
                     which ? fmt::format("@{}{} ", which.is_negated ? "!" : "", which.predicate) : "", number, number);
}

/// Counts what a thread comes to at most once until the next fold.
/// @param number of the counter among those, 32 in each register
inline std::string count_once(guard const& which, std::size_t number) {
  return fmt::format("\t{0}or.b32 \t%pasta_once{1}, %pasta_once{1}, {2:#x};\n",
                     which ? fmt::format("@{}{} ", which.is_negated ? "!" : "", which.predicate) : "",
                     number / bits_of_once, std::uint32_t{1} << number % bits_of_once);
}

}  // namespace pasta::ptx
#endif
