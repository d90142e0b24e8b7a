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

/// How the lanes of a warp add up what they have.
enum class warp_sum : std::uint8_t {
  redux,   ///< `redux.sync`, from sm_80 on
  shuffle  ///< `shfl.sync`
};

/// Registers of a function that counts: declared once, behind its first `{`.
inline std::string counting_registers(std::size_t register_counters) {
  std::string text =
      "\n\t.reg .pred \t%pasta_first, %pasta_adds;\n"
      "\t.reg .b32 \t%pasta_lanes, %pasta_low, %pasta_high, %pasta_other;\n"
      "\t.reg .b64 \t%pasta_at, %pasta_word;\n";
  for (std::size_t i = 0; i < register_counters; ++i) text += fmt::format("\t.reg .b64 \t%pasta_count{};\n", i);
  for (std::size_t i = 0; i < register_counters; ++i) text += fmt::format("\tmov.b64 \t%pasta_count{}, 0;\n", i);
  return text;
}

/// Makes %pasta_at the address of the multiprocessor's shard, or 0 where nobody collects.
inline std::string shard_address(std::string_view state_name) {
  return fmt::format(
      "\tld.global.nc.v2.u64 \t{{%pasta_at, %pasta_word}}, [{}];\n"
      "\tmov.b64 \t{{%pasta_low, %pasta_high}}, %pasta_word;\n"
      "\tmov.u32 \t%pasta_lanes, %smid;\n"
      "\tand.b32 \t%pasta_low, %pasta_low, %pasta_lanes;\n"
      "\tsetp.ne.u64 \t%pasta_adds, %pasta_at, 0;\n"
      "\t@%pasta_adds mad.wide.u32 \t%pasta_at, %pasta_low, %pasta_high, %pasta_at;\n",
      state_name);
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

namespace detail {

// The sum of a whole warp's %pasta_low, and what of %pasta_high any of its lanes has.
inline std::string sum_up(warp_sum how) {
  if (how == warp_sum::redux) {
    return "\tredux.sync.or.b32 \t%pasta_high, %pasta_high, 0xffffffff;\n"
           "\tredux.sync.add.u32 \t%pasta_low, %pasta_low, 0xffffffff;\n"
           "\tsetp.ne.u32 \t%pasta_adds, %pasta_high, 0;\n";
  }
  std::string text =
      "\tsetp.ne.u32 \t%pasta_adds, %pasta_high, 0;\n"
      "\tvote.sync.any.pred \t%pasta_adds, %pasta_adds, 0xffffffff;\n";
  for (unsigned distance = 16; distance != 0; distance /= 2) {
    text += fmt::format(
        "\tshfl.sync.bfly.b32 \t%pasta_other, %pasta_low, {}, 0x1f, 0xffffffff;\n"
        "\tadd.u32 \t%pasta_low, %pasta_low, %pasta_other;\n",
        distance);
  }
  return text;
}

}  // namespace detail

/// A function's counter in a register.
struct register_counter {
  std::size_t number;     ///< of the register
  std::uint32_t counter;  ///< of the module
};

/// Behind shard_address: adds what the registers counted to their counters, for the lanes that are here, and sets them
/// to 0. A whole warp adds once; lanes of a part of one add each for itself, so that none waits for another.
/// @param label a number that no other fold of the module has
inline std::string fold(warp_sum how, std::span<register_counter const> counters, std::size_t label) {
  std::string text = fmt::format(
      "\tsetp.eq.u64 \t%pasta_adds, %pasta_at, 0;\n"
      "\t@%pasta_adds bra \t$pasta_folded{0};\n"
      "\tmov.u32 \t%pasta_low, %laneid;\n"
      "\tsetp.eq.u32 \t%pasta_first, %pasta_low, 0;\n"
      "\tactivemask.b32 \t%pasta_lanes;\n"
      "\tsetp.ne.u32 \t%pasta_adds, %pasta_lanes, -1;\n"
      "\t@%pasta_adds bra \t$pasta_apart{0};\n",
      label);
  for (auto const& [number, counter] : counters) {
    // The sum of 32 numbers below 2^27 fits in a word. Where one is larger each lane adds its own.
    text += fmt::format(
        "\tmov.b64 \t{{%pasta_low, %pasta_high}}, %pasta_count{0};\n"
        "\tshf.l.wrap.b32 \t%pasta_high, %pasta_low, %pasta_high, 5;\n"
        "{1}"
        "\tcvt.u64.u32 \t%pasta_word, %pasta_low;\n"
        "\tselp.b64 \t%pasta_word, %pasta_count{0}, %pasta_word, %pasta_adds;\n"
        "\tor.pred \t%pasta_adds, %pasta_adds, %pasta_first;\n"
        "\tsetp.ne.and.s64 \t%pasta_adds, %pasta_word, 0, %pasta_adds;\n"
        "\t@%pasta_adds red.global.add.u64 \t[%pasta_at+{2}], %pasta_word;\n",
        number, detail::sum_up(how), counter * counter_bytes);
  }
  text += fmt::format("\tbra \t$pasta_folded{0};\n$pasta_apart{0}:\n", label);
  for (auto const& [number, counter] : counters) {
    text += fmt::format(
        "\tsetp.ne.s64 \t%pasta_adds, %pasta_count{0}, 0;\n"
        "\t@%pasta_adds red.global.add.u64 \t[%pasta_at+{1}], %pasta_count{0};\n",
        number, counter * counter_bytes);
  }
  text += fmt::format("$pasta_folded{}:\n", label);
  for (auto const& each : counters) text += fmt::format("\tmov.b64 \t%pasta_count{}, 0;\n", each.number);
  return text;
}

}  // namespace pasta::ptx
#endif
