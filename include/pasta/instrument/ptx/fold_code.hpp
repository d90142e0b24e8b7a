// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// The PTX that adds what a function's registers counted to the counters in memory.
#ifndef PASTA_INSTRUMENT_PTX_FOLD_CODE_HPP
#define PASTA_INSTRUMENT_PTX_FOLD_CODE_HPP

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <pasta/instrument/ptx/counting_code.hpp>
#include <span>
#include <string>

namespace pasta::ptx {

/// How the lanes of a warp add up what they have.
enum class warp_sum : std::uint8_t {
  redux,   ///< `redux.sync`, from sm_80 on
  shuffle  ///< `shfl.sync`
};

/// A function's counter in a register. Those of one function are counters of the module that follow each other.
struct register_counter {
  std::size_t number;     ///< of the register
  std::uint32_t counter;  ///< of the module
};

/// Its counters in bits: those of %pasta_once0, of %pasta_once1 behind them, …
struct once_counters {
  std::size_t registers = 0;
  std::size_t counters = 0;
  std::uint32_t first = 0;  ///< counter of the module: that of the lowest bit of %pasta_once0
};

namespace detail {

// Makes %pasta_low its sum over a whole warp.
inline std::string sum_up(warp_sum how) {
  if (how == warp_sum::redux) return "\tredux.sync.add.u32 \t%pasta_low, %pasta_low, 0xffffffff;\n";
  std::string text;
  for (unsigned distance = 16; distance != 0; distance /= 2) {
    text += fmt::format(
        "\tshfl.sync.bfly.b32 \t%pasta_other, %pasta_low, {}, 0x1f, 0xffffffff;\n"
        "\tadd.u32 \t%pasta_low, %pasta_low, %pasta_other;\n",
        distance);
  }
  return text;
}

// Of a whole warp: leads to where each lane adds its own if a counter of any is 2^27 or more. The sum of 32 numbers
// below fits in a word.
inline std::string test_counters(std::span<register_counter const> counters, std::size_t label) {
  if (counters.empty()) return {};
  std::string text = "\tmov.b32 \t%pasta_other, 0;\n";
  for (auto const& each : counters) {
    text += fmt::format(
        "\tmov.b64 \t{{%pasta_low, %pasta_high}}, %pasta_count{};\n"
        "\tshf.l.wrap.b32 \t%pasta_high, %pasta_low, %pasta_high, 5;\n"
        "\tor.b32 \t%pasta_other, %pasta_other, %pasta_high;\n",
        each.number);
  }
  return text + fmt::format(
                    "\tsetp.ne.u32 \t%pasta_adds, %pasta_other, 0;\n"
                    "\tvote.sync.any.pred \t%pasta_adds, %pasta_adds, 0xffffffff;\n"
                    "\t@%pasta_adds bra \t$pasta_apart{};\n",
                    label);
}
// Of a whole warp, behind that: lane i adds the sum of the i-th counter. They lie side by side.
inline std::string fold_counters(warp_sum how, std::span<register_counter const> counters) {
  if (counters.empty()) return {};
  std::string text = "\tmov.u32 \t%pasta_high, %laneid;\n\tmov.b32 \t%pasta_lanes, 0;\n";
  for (std::size_t i = 0; i < counters.size(); ++i) {
    text += fmt::format(
        "\tmov.b64 \t{{%pasta_low, %pasta_other}}, %pasta_count{};\n"
        "{}"
        "\tsetp.eq.u32 \t%pasta_adds, %pasta_high, {};\n"
        "\tselp.b32 \t%pasta_lanes, %pasta_low, %pasta_lanes, %pasta_adds;\n",
        counters[i].number, sum_up(how), i);
  }
  return text + fmt::format(
                    "\tsetp.ne.u32 \t%pasta_adds, %pasta_lanes, 0;\n"
                    "\tcvt.u64.u32 \t%pasta_word, %pasta_lanes;\n"
                    "\tmad.wide.u32 \t%pasta_mine, %pasta_high, {}, %pasta_at;\n"
                    "\t@%pasta_adds red.global.add.u64 \t[%pasta_mine+{}], %pasta_word;\n",
                    counter_bytes, counters.front().counter * counter_bytes);
}

// Of a whole warp, for few counters: five of them are summed up at once, six bits for each, and lane i adds the i-th.
inline std::string fold_few(once_counters const& once) {
  constexpr std::size_t in_sum = 5, bits = 6;
  std::string text =
      "\tmov.u32 \t%pasta_low, %laneid;\n"
      "\tmad.wide.u32 \t%pasta_mine, %pasta_low, 8, %pasta_at;\n"
      "\tmov.b32 \t%pasta_other, 0;\n";
  for (std::size_t first = 0; first < once.counters; first += in_sum) {
    // Bit i comes to 5 * i + i.
    text += fmt::format(
        "\tbfe.u32 \t%pasta_high, %pasta_once0, {0}, {1};\n"
        "\tmul.lo.u32 \t%pasta_high, %pasta_high, {2:#x};\n"
        "\tand.b32 \t%pasta_high, %pasta_high, {3:#x};\n"
        "\tredux.sync.add.u32 \t%pasta_high, %pasta_high, 0xffffffff;\n",
        first, in_sum, 0x00108421, 0x01041041);
    if (first > 0) {
      text += fmt::format(
          "\tsetp.ge.u32 \t%pasta_adds, %pasta_low, {0};\n"
          "\t@%pasta_adds mov.b32 \t%pasta_lanes, %pasta_high;\n"
          "\t@%pasta_adds sub.u32 \t%pasta_other, %pasta_low, {0};\n",
          first);
    } else {
      text += "\tmov.b32 \t%pasta_lanes, %pasta_high;\n\tmov.b32 \t%pasta_other, %pasta_low;\n";
    }
  }
  return text + fmt::format(
                    "\tmul.lo.u32 \t%pasta_other, %pasta_other, {0};\n"
                    "\tbfe.u32 \t%pasta_low, %pasta_lanes, %pasta_other, {0};\n"
                    "\tsetp.ne.u32 \t%pasta_adds, %pasta_low, 0;\n"
                    "\tcvt.u64.u32 \t%pasta_word, %pasta_low;\n"
                    "\t@%pasta_adds red.global.add.u64 \t[%pasta_mine+{1}], %pasta_word;\n",
                    bits, once.first * counter_bytes);
}

// Of a whole warp: in five steps lane i comes to have bit i of all lanes, and adds how many are set.
inline std::string fold_once(warp_sum how, once_counters const& once) {
  if (once.registers == 0) return {};
  constexpr std::size_t few = 15;
  if (how == warp_sum::redux && once.counters <= few) return fold_few(once);
  std::string text =
      "\tmov.u32 \t%pasta_low, %laneid;\n"
      "\tmad.wide.u32 \t%pasta_mine, %pasta_low, 8, %pasta_at;\n";
  for (std::uint32_t distance = 16, kept = 0x0000ffff; distance != 0; distance /= 2, kept ^= kept << distance) {
    text += fmt::format(
        "\tand.b32 \t%pasta_high, %pasta_low, {0};\n"
        "\tsetp.ne.u32 \t%pasta_adds, %pasta_high, 0;\n"
        "\tselp.b32 \t%pasta_high, {1}, {0}, %pasta_adds;\n"
        "\tselp.b32 \t%pasta_lanes, {2:#x}, {3:#x}, %pasta_adds;\n",
        distance, bits_of_once - distance, ~kept, kept);
    for (std::size_t i = 0; i < once.registers; ++i) {
      text += fmt::format(
          "\tshfl.sync.bfly.b32 \t%pasta_other, %pasta_once{0}, {1}, 0x1f, 0xffffffff;\n"
          "\tshf.l.wrap.b32 \t%pasta_other, %pasta_other, %pasta_other, %pasta_high;\n"
          "\tlop3.b32 \t%pasta_once{0}, %pasta_once{0}, %pasta_other, %pasta_lanes, 0xe4;\n",  // third ? first : second
          i, distance);
    }
  }
  for (std::size_t i = 0; i < once.registers; ++i) {
    text += fmt::format(
        "\tpopc.b32 \t%pasta_low, %pasta_once{0};\n"
        "\tsetp.ne.u32 \t%pasta_adds, %pasta_low, 0;\n"
        "\tcvt.u64.u32 \t%pasta_word, %pasta_low;\n"
        "\t@%pasta_adds red.global.add.u64 \t[%pasta_mine+{1}], %pasta_word;\n",
        i, (once.first + i * bits_of_once) * counter_bytes);
  }
  return text;
}

// Of lanes of a part of a warp, each for itself.
inline std::string add_apart(std::span<register_counter const> counters, once_counters const& once, std::size_t label) {
  std::string text;
  for (auto const& [number, counter] : counters) {
    text += fmt::format(
        "\tsetp.ne.s64 \t%pasta_adds, %pasta_count{0}, 0;\n"
        "\t@%pasta_adds red.global.add.u64 \t[%pasta_at+{1}], %pasta_count{0};\n",
        number, counter * counter_bytes);
  }
  for (std::size_t i = 0; i < once.registers; ++i) {
    text += fmt::format(
        "$pasta_bit{0}_{1}:\n"
        "\tsetp.eq.u32 \t%pasta_adds, %pasta_once{1}, 0;\n"
        "\t@%pasta_adds bra \t$pasta_bits{0}_{1};\n"
        "\tbfind.u32 \t%pasta_low, %pasta_once{1};\n"
        "\tmad.wide.u32 \t%pasta_mine, %pasta_low, 8, %pasta_at;\n"
        "\tred.global.add.u64 \t[%pasta_mine+{2}], 1;\n"
        "\tmov.b32 \t%pasta_high, 1;\n"
        "\tshl.b32 \t%pasta_high, %pasta_high, %pasta_low;\n"
        "\txor.b32 \t%pasta_once{1}, %pasta_once{1}, %pasta_high;\n"
        "\tbra \t$pasta_bit{0}_{1};\n"
        "$pasta_bits{0}_{1}:\n",
        label, i, (once.first + i * bits_of_once) * counter_bytes);
  }
  return text;
}

}  // namespace detail

/// Behind shard_address: adds what the registers counted to their counters, for the lanes that are here, and sets them
/// to 0. A whole warp adds once; lanes of a part of one add each for itself, so that none waits for another.
/// @param label a number that no other fold of the module has
inline std::string fold(warp_sum how, std::span<register_counter const> counters, once_counters const& once,
                        std::size_t label) {
  std::string text = fmt::format(
      "\tsetp.eq.u64 \t%pasta_adds, %pasta_at, 0;\n"
      "\t@%pasta_adds bra \t$pasta_folded{0};\n"
      "\tactivemask.b32 \t%pasta_lanes;\n"
      "\tsetp.ne.u32 \t%pasta_adds, %pasta_lanes, -1;\n"
      "\t@%pasta_adds bra \t$pasta_apart{0};\n"
      "{1}{2}{3}"
      "\tbra \t$pasta_folded{0};\n"
      "$pasta_apart{0}:\n"
      "{4}"
      "$pasta_folded{0}:\n",
      label, detail::test_counters(counters, label), detail::fold_counters(how, counters), detail::fold_once(how, once),
      detail::add_apart(counters, once, label));
  for (auto const& each : counters) text += fmt::format("\tmov.b64 \t%pasta_count{}, 0;\n", each.number);
  for (std::size_t i = 0; i < once.registers; ++i) text += fmt::format("\tmov.b32 \t%pasta_once{}, 0;\n", i);
  return text;
}

}  // namespace pasta::ptx
#endif
