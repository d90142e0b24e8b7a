// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// shfl, vote, match, redux, elect and bar.warp: what the lanes of a mask give to each other.
#include "actions.hpp"
#include "joining.hpp"

namespace ptx_emulation {

namespace {

/// What a lane gets from one that gives nothing; PTX leaves it open.
constexpr std::uint64_t undefined_value = 0xbadbadba;

enum shuffle_mode : std::uint8_t { up, down, butterfly, indexed };

// in: value, lane or distance, clamp and segment mask. out: value, whether its lane is in range
template <std::uint8_t Mode>
void shuffle(exchange& of, op const&) {
  for_lanes(of.lanes, [&](unsigned i) {
    auto const b = static_cast<unsigned>(of.in[1][i] & 31), c = static_cast<unsigned>(of.in[2][i]);
    unsigned const segment = c >> 8 & 31, clamp = c & 31;
    unsigned const most = (i & segment) | (clamp & ~segment & 31), least = i & segment;
    int from = 0;
    bool is_inside = false;
    switch (Mode) {
      case up:
        from = static_cast<int>(i) - static_cast<int>(b);
        is_inside = from >= static_cast<int>(most);
        break;
      case down:
        from = static_cast<int>(i + b);
        is_inside = from <= static_cast<int>(most);
        break;
      case butterfly:
        from = static_cast<int>(i ^ b);
        is_inside = from <= static_cast<int>(most);
        break;
      default:
        from = static_cast<int>(least | (b & ~segment));
        is_inside = from <= static_cast<int>(most);
        break;
    }
    auto const source = is_inside ? static_cast<unsigned>(from) : i;
    of.out[0][i] = (of.lanes >> source & 1) != 0 ? of.in[0][source] & UINT32_MAX : undefined_value;
    of.out[1][i] = is_inside;
  });
}

enum vote_mode : std::uint8_t { vote_all, vote_any, vote_uniform, vote_ballot };
template <std::uint8_t Mode>
void vote(exchange& of, op const& o) {
  lane_mask yes = 0;
  for_lanes(of.lanes, [&](unsigned i) { yes |= static_cast<lane_mask>((of.in[0][i] != 0) != o.inverts[0]) << i; });
  std::uint64_t const result = Mode == vote_all       ? yes == of.lanes
                               : Mode == vote_any     ? yes != 0
                               : Mode == vote_uniform ? yes == of.lanes || yes == 0
                                                      : yes;
  for_lanes(of.lanes, [&](unsigned i) { of.out[0][i] = result; });
}

void match_any(exchange& of, op const&) {
  for_lanes(of.lanes, [&](unsigned i) {
    lane_mask equal = 0;
    for_lanes(of.lanes, [&](unsigned j) { equal |= static_cast<lane_mask>(of.in[0][i] == of.in[0][j]) << j; });
    of.out[0][i] = equal;
  });
}
void match_all(exchange& of, op const&) {
  auto const first = static_cast<unsigned>(std::countr_zero(of.lanes));
  bool is_equal = true;
  for_lanes(of.lanes, [&](unsigned i) { is_equal = is_equal && of.in[0][i] == of.in[0][first]; });
  for_lanes(of.lanes, [&](unsigned i) {
    of.out[0][i] = is_equal ? of.lanes : 0;
    of.out[1][i] = is_equal;
  });
}

template <class T, class Function>
void reduce(exchange& of, op const&) {
  bool is_first = true;
  T all{};
  for_lanes(of.lanes, [&](unsigned i) {
    all = is_first ? as<T>(of.in[0][i]) : Function{}(all, as<T>(of.in[0][i]));
    is_first = false;
  });
  for_lanes(of.lanes, [&](unsigned i) { of.out[0][i] = bits_of(all); });
}
struct sum {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
  }
};

void elect(exchange& of, op const&) {
  auto const leader = static_cast<unsigned>(std::countr_zero(of.lanes));
  for_lanes(of.lanes, [&](unsigned i) {
    of.out[0][i] = leader;
    of.out[1][i] = i == leader;
  });
}
void meet(exchange&, op const&) {}

// `d|p`, sources, the mask last.
void take(function_compiler& names, spelled const& text, op& into, std::size_t sources, scalar type) {
  text.expect_operands(sources + 2);
  into.to = flow::exchange;
  into.type = type;
  std::string_view const result = text.operand(0);
  std::size_t const bar = result.find('|');
  into.at[0] = names.destination(pasta::ptx::trim(result.substr(0, bar)));
  into.at[1] = names.destination(bar == std::string_view::npos ? "_" : pasta::ptx::trim(result.substr(bar + 1)));
  for (std::size_t i = 0; i < sources; ++i)
    into.at[exchange_sources + i] = names.source(text.operand(i + 1), i == 0 ? type : scalar{kind::untyped, 32});
  for (std::size_t i = sources; i < exchange_source_count; ++i) into.at[exchange_sources + i] = names.constant(0);
  into.at[exchange_mask] = names.source(text.operand(sources + 1), {kind::untyped, 32});
}
void require_sync(spelled const& text) {
  if (!text.has("sync")) text.refuse("it is not .sync");
}

void build_shuffle(function_compiler& names, spelled const& text, op& into) {
  text.expect({"sync", "up", "down", "bfly", "idx"});
  require_sync(text);
  if (text.type().bits != 32) text.refuse("its type is not known");
  take(names, text, into, 3, text.type());
  into.exchange = text.has("up")     ? &shuffle<up>
                  : text.has("down") ? &shuffle<down>
                  : text.has("bfly") ? &shuffle<butterfly>
                                     : &shuffle<indexed>;
}
void build_vote(function_compiler& names, spelled const& text, op& into) {
  text.expect({"sync", "all", "any", "uni", "ballot"});
  require_sync(text);
  text.expect_operands(3);
  into.exchange = text.has("all")   ? &vote<vote_all>
                  : text.has("any") ? &vote<vote_any>
                  : text.has("uni") ? &vote<vote_uniform>
                                    : &vote<vote_ballot>;
  into.to = flow::exchange;
  into.at.fill(names.constant(0));
  into.at[0] = names.destination(text.operand(0));
  into.at[1] = names.destination("_");
  std::string_view const asked = text.operand(1);
  into.at[exchange_sources] =
      asked == "1" || asked == "0" ? names.constant(asked == "1" ? 1 : 0) : names.predicate(asked, into.inverts[0]);
  into.at[exchange_mask] = names.source(text.operand(2), {kind::untyped, 32});
}
void build_match(function_compiler& names, spelled const& text, op& into) {
  text.expect({"sync", "any", "all"});
  require_sync(text);
  take(names, text, into, 1, text.type());
  into.exchange = text.has("any") ? &match_any : &match_all;
}
void build_reduce(function_compiler& names, spelled const& text, op& into) {
  text.expect({"sync", "add", "min", "max", "and", "or", "xor"});
  require_sync(text);
  if (text.type().bits != 32 || text.type().is_floating()) text.refuse("its type is not known");
  take(names, text, into, 1, text.type());
  bool const is_signed = text.type().is_signed();
  into.exchange = text.has("add")   ? &reduce<std::uint32_t, sum>
                  : text.has("and") ? &reduce<std::uint32_t, both>
                  : text.has("or")  ? &reduce<std::uint32_t, either>
                  : text.has("xor") ? &reduce<std::uint32_t, different>
                  : text.has("min") ? (is_signed ? &reduce<std::int32_t, least> : &reduce<std::uint32_t, least>)
                                    : (is_signed ? &reduce<std::int32_t, most> : &reduce<std::uint32_t, most>);
}
void build_elect(function_compiler& names, spelled const& text, op& into) {
  text.expect({"sync"});
  require_sync(text);
  take(names, text, into, 0, {kind::untyped, 32});
  into.exchange = &elect;
}

void active_mask(execution& x, op const& o, lane_mask lanes) {
  write_lanes(lanes, x.at(o.at[0]), [&](unsigned) { return lanes; });
}
void build_active_mask(function_compiler& names, spelled const& text, op& into) {
  text.expect({});
  text.expect_operands(1);
  into.at[0] = names.destination(text.operand(0));
  into.run = &active_mask;
}

}  // namespace

void build_warp_barrier(function_compiler& names, spelled const& text, op& into) {
  text.expect({"warp", "sync"});
  text.expect_operands(1);
  into.to = flow::exchange;
  into.exchange = &meet;
  into.at.fill(names.constant(0));
  into.at[0] = into.at[1] = names.destination("_");
  into.at[exchange_mask] = names.source(text.operand(0), {kind::untyped, 32});
}

builders exchange_builders() {
  return {{"shfl", &build_shuffle}, {"vote", &build_vote},   {"match", &build_match},
          {"redux", &build_reduce}, {"elect", &build_elect}, {"activemask", &build_active_mask}};
}

}  // namespace ptx_emulation
