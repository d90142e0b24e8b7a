// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// mov: values, addresses, clocks; words put together and taken apart.
#include "actions.hpp"

namespace ptx_emulation {

namespace {

void copy(execution& x, op const& o, lane_mask lanes) {
  const_row const a = x.at(o.at[1]);
  write_lanes(lanes, x.at(o.at[0]), [&](unsigned i) { return a[i]; });
}
void copy_two(execution& x, op const& o, lane_mask lanes) {
  copy(x, o, lanes);
  const_row const a = x.at(o.at[1]) + warp_lanes;
  write_lanes(lanes, x.at(o.at[0]) + warp_lanes, [&](unsigned i) { return a[i]; });
}

// o.value: bits of an element. A value of 128 bits has two rows.
void put_together(execution& x, op const& o, lane_mask lanes) {
  auto const bits = static_cast<unsigned>(o.value);
  row const to = x.at(o.at[0]);
  for_lanes(lanes, [&](unsigned i) {
    std::uint64_t words[2] = {0, 0};
    for (unsigned n = 0; n < o.count; ++n) {
      std::uint64_t const mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
      words[n * bits / 64] |= (x.at(o.at[n + 1])[i] & mask) << (n * bits % 64);
    }
    to[i] = words[0];
    if (o.type.bits == 128) to[warp_lanes + i] = words[1];
  });
}
void take_apart(execution& x, op const& o, lane_mask lanes) {
  auto const bits = static_cast<unsigned>(o.value);
  const_row const from = x.at(o.at[o.count]);
  for_lanes(lanes, [&](unsigned i) {
    std::uint64_t const words[2] = {from[i], o.type.bits == 128 ? from[warp_lanes + i] : 0};
    for (unsigned n = 0; n < o.count; ++n) {
      std::uint64_t const mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
      x.at(o.at[n])[i] = words[n * bits / 64] >> (n * bits % 64) & mask;
    }
  });
}

// One instruction is one tick and one nanosecond.
void read_clock(execution& x, op const& o, lane_mask lanes) {
  std::uint64_t const now = *x.clock >> o.value;
  std::uint64_t const value = o.type.bits == 32 ? now & UINT32_MAX : now;
  write_lanes(lanes, x.at(o.at[0]), [&](unsigned) { return value; });
}
bool is_clock(std::string_view name) {
  return name == "%clock" || name == "%clock64" || name == "%clock_hi" || name.starts_with("%globaltimer");
}

void build_move(function_compiler& names, spelled const& text, op& into) {
  text.expect({});
  text.expect_operands(2);
  into.type = text.type();
  std::string_view const to = text.operand(0), from = text.operand(1);
  std::vector<std::string_view> const targets = pasta::ptx::read_elements(to),
                                      sources = pasta::ptx::read_elements(from);
  if (from.starts_with('{')) {
    if (sources.size() < 2 || sources.size() > 8) text.refuse("its vector is not known");
    into.count = static_cast<std::uint8_t>(sources.size());
    into.value = into.type.bits / into.count;
    into.at[0] = names.destination(to);
    for (std::size_t i = 0; i < sources.size(); ++i) into.at[i + 1] = names.source(sources[i], into.type);
    into.run = &put_together;
  } else if (to.starts_with('{')) {
    if (targets.size() < 2 || targets.size() > 8) text.refuse("its vector is not known");
    into.count = static_cast<std::uint8_t>(targets.size());
    into.value = into.type.bits / into.count;
    for (std::size_t i = 0; i < targets.size(); ++i) into.at[i] = names.destination(targets[i]);
    into.at[into.count] = names.source(from, into.type);
    into.run = &take_apart;
  } else if (is_clock(from)) {
    into.at[0] = names.destination(to);
    into.value = from.ends_with("_hi") ? 32 : 0;
    into.run = &read_clock;
  } else {
    into.at[0] = names.destination(to);
    if (into.type.is_predicate() && (from == "1" || from == "0" || from == "-1")) {
      into.at[1] = names.constant(from == "0" ? 0 : 1);
    } else {
      into.at[1] = names.source(from, into.type);
    }
    into.run = into.type.bits == 128 ? &copy_two : &copy;
  }
}

}  // namespace

builders move_builders() { return {{"mov", &build_move}}; }

}  // namespace ptx_emulation
