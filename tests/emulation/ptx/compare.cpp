// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// set, setp, selp, slct.
#include <cmath>

#include "actions.hpp"

namespace ptx_emulation {

namespace {

enum comparison : std::uint8_t { equal, unequal, less, less_equal, greater, greater_equal, number, nan, unknown };
comparison read_comparison(std::string_view word) {
  constexpr std::pair<std::string_view, comparison> all[] = {
      {"eq", equal},          {"ne", unequal},  {"lt", less},       {"le", less_equal},  {"gt", greater},
      {"ge", greater_equal},  {"lo", less},     {"ls", less_equal}, {"hi", greater},     {"hs", greater_equal},
      {"equ", equal},         {"neu", unequal}, {"ltu", less},      {"leu", less_equal}, {"gtu", greater},
      {"geu", greater_equal}, {"num", number},  {"nan", nan}};
  for (auto const& [known, meaning] : all) {
    if (known == word) return meaning;
  }
  return unknown;
}

enum joining : std::uint8_t { alone, with_and, with_or, with_xor };

// o.variant: the comparison, the joining and whether a comparison with what is no number is true.
template <class T>
bool compare(std::uint8_t variant, T a, T b) {
  auto const how = static_cast<comparison>(variant & 15);
  if constexpr (std::is_floating_point_v<T>) {
    bool const is_unordered = std::isnan(a) || std::isnan(b);
    if (how == number) return !is_unordered;
    if (how == nan) return is_unordered;
    if (is_unordered) return (variant & 64) != 0;
  }
  switch (how) {
    case equal:
      return a == b;
    case unequal:
      return a != b;
    case less:
      return a < b;
    case less_equal:
      return a <= b;
    case greater:
      return a > b;
    default:
      return a >= b;
  }
}
bool join(std::uint8_t variant, bool a, bool b) {
  switch (static_cast<joining>(variant >> 4 & 3)) {
    case with_and:
      return a && b;
    case with_or:
      return a || b;
    case with_xor:
      return a != b;
    default:
      return a;
  }
}

// at: p, q, a, b, c
template <class T>
void set_predicate(execution& x, op const& o, lane_mask lanes) {
  const_row const a = x.at(o.at[2]), b = x.at(o.at[3]), c = x.at(o.at[4]);
  row const p = x.at(o.at[0]), q = x.at(o.at[1]);
  for_lanes(lanes, [&](unsigned i) {
    bool const is_so = compare(o.variant, as<T>(a[i]), as<T>(b[i])), other = (c[i] != 0) != o.inverts[0];
    p[i] = join(o.variant, is_so, other);
    if (o.count == 2) q[i] = join(o.variant, !is_so, other);
  });
}
// The usual case: nothing is joined, and one result.
template <class T, std::uint8_t Variant>
void set_alone(execution& x, op const& o, lane_mask lanes) {
  const_row const a = x.at(o.at[2]), b = x.at(o.at[3]);
  write_lanes(lanes, x.at(o.at[0]),
              [&](unsigned i) -> std::uint64_t { return compare(Variant, as<T>(a[i]), as<T>(b[i])) ? 1 : 0; });
}
template <class T>
action choose_alone(comparison how) {
  constexpr action all[] = {&set_alone<T, equal>,      &set_alone<T, unequal>, &set_alone<T, less>,
                            &set_alone<T, less_equal>, &set_alone<T, greater>, &set_alone<T, greater_equal>};
  return all[how];
}
// set: all ones or zero, or 1.0
template <class T>
void set_value(execution& x, op const& o, lane_mask lanes) {
  const_row const a = x.at(o.at[2]), b = x.at(o.at[3]), c = x.at(o.at[4]);
  std::uint64_t const yes = o.type.is_floating() ? bits_of(1.0F) : UINT32_MAX;
  write_lanes(lanes, x.at(o.at[0]), [&](unsigned i) -> std::uint64_t {
    return join(o.variant, compare(o.variant, as<T>(a[i]), as<T>(b[i])), (c[i] != 0) != o.inverts[0]) ? yes : 0;
  });
}

void build_compare(function_compiler& names, spelled const& text, op& into) {
  bool const is_value = text.parts[0] == "set";
  if (text.parts.size() < 3) text.refuse("its comparison is not known");
  comparison const how = read_comparison(text.parts[1]);
  if (how == unknown) text.refuse("its comparison is not known");
  text.expect({text.parts[1], "and", "or", "xor", "ftz"});
  joining const joined = text.has("and") ? with_and : text.has("or") ? with_or : text.has("xor") ? with_xor : alone;
  scalar const type = text.type();
  bool const is_unordered = type.is_floating() && text.parts[1].size() == 3 && text.parts[1].back() == 'u';
  // For a float `ne` is false where one is no number, and `neu` true; integers have no such words.
  into.variant = static_cast<std::uint8_t>(how + (joined << 4) + (is_unordered ? 64 : 0));
  text.expect_operands(joined == alone ? 3 : 4);

  std::string_view const result = text.operand(0);
  std::size_t const bar = result.find('|');
  into.at[0] = names.destination(pasta::ptx::trim(result.substr(0, bar)));
  into.count = bar == std::string_view::npos ? 1 : 2;
  if (into.count == 2) into.at[1] = names.destination(pasta::ptx::trim(result.substr(bar + 1)));
  into.at[2] = names.source(text.operand(1), type);
  into.at[3] = names.source(text.operand(2), type);
  if (joined != alone) into.at[4] = names.predicate(text.operand(3), into.inverts[0]);
  into.type = is_value ? text.other_type() : type;
  bool const is_alone = !is_value && joined == alone && into.count == 1 && how <= greater_equal && !is_unordered;
  into.run = for_number(text, type, [&]<class T>() -> action {
    return is_alone ? choose_alone<T>(how) : is_value ? &set_value<T> : &set_predicate<T>;
  });
}

void select(execution& x, op const& o, lane_mask lanes) {
  const_row const a = x.at(o.at[1]), b = x.at(o.at[2]), c = x.at(o.at[3]);
  write_lanes(lanes, x.at(o.at[0]), [&](unsigned i) { return c[i] != 0 ? a[i] : b[i]; });
}
// slct: by the sign of c
template <class T>
void select_by_sign(execution& x, op const& o, lane_mask lanes) {
  const_row const a = x.at(o.at[1]), b = x.at(o.at[2]), c = x.at(o.at[3]);
  write_lanes(lanes, x.at(o.at[0]), [&](unsigned i) { return as<T>(c[i]) >= 0 ? a[i] : b[i]; });
}
void build_select(function_compiler& names, spelled const& text, op& into) {
  text.expect({"ftz"});
  text.expect_operands(4);
  bool const is_by_sign = text.parts[0] == "slct";
  scalar const type = is_by_sign ? text.other_type() : text.type();
  into.at[0] = names.destination(text.operand(0));
  for (std::size_t i = 1; i < 3; ++i) into.at[i] = names.source(text.operand(i), type);
  into.at[3] = names.source(text.operand(3), is_by_sign ? text.type() : scalar{kind::predicate, 1});
  into.run = !is_by_sign ? &select : text.type().is_floating() ? &select_by_sign<float> : &select_by_sign<std::int32_t>;
}

}  // namespace

builders compare_builders() {
  return {{"setp", &build_compare}, {"set", &build_compare}, {"selp", &build_select}, {"slct", &build_select}};
}

}  // namespace ptx_emulation
