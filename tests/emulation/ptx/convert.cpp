// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// cvt and cvta, isspacep.
#include <cfenv>
#include <cmath>
#include <limits>

#include "actions.hpp"
#include "spaces.hpp"

namespace ptx_emulation {

namespace {

// A value's bits as a 64-bit integer with its sign.
std::uint64_t extended(std::uint64_t bits, scalar type) {
  if (type.bits < 64) bits &= (std::uint64_t{1} << type.bits) - 1;
  if (type.is_signed() && type.bits < 64 && (bits >> (type.bits - 1) & 1) != 0) bits |= ~std::uint64_t{0} << type.bits;
  return bits;
}
std::uint64_t shortened(std::uint64_t bits, scalar type) {
  return type.bits < 64 ? bits & ((std::uint64_t{1} << type.bits) - 1) : bits;
}
// A register is as wide as its declaration: a signed value that is shorter fills it.
std::uint64_t filled(std::uint64_t bits, scalar type, std::uint32_t register_bits) {
  return shortened(extended(bits, type), {kind::untyped, std::max(register_bits, type.bits)});
}

enum rounding : std::uint8_t { nearest, to_zero, down, up };

double to_double(std::uint64_t bits, scalar type) {
  return type.bits == 32 ? double{as<float>(bits)} : as<double>(bits);
}
std::uint64_t from_double(double value, scalar type) {
  return type.bits == 32 ? bits_of(static_cast<float>(value)) : bits_of(value);
}
double rounded(double value, std::uint8_t how) {
  switch (how) {
    case to_zero:
      return std::trunc(value);
    case down:
      return std::floor(value);
    case up:
      return std::ceil(value);
    default:
      return std::nearbyint(value);
  }
}

void convert_integer(execution& x, op const& o, lane_mask lanes) {
  const_row const a = x.at(o.at[1]);
  auto const register_bits = static_cast<std::uint32_t>(o.value);
  write_lanes(lanes, x.at(o.at[0]), [&](unsigned i) {
    std::uint64_t value = extended(a[i], o.from);
    if (o.count == 2) {  // .sat
      auto const number = static_cast<std::int64_t>(value);
      bool const is_negative = o.from.is_signed() && number < 0;
      std::uint64_t const most = ~std::uint64_t{0} >> (64 - o.type.bits + (o.type.is_signed() ? 1 : 0));
      if (is_negative) {
        auto const least = o.type.is_signed() ? -static_cast<std::int64_t>(most) - 1 : std::int64_t{0};
        if (number < least) value = static_cast<std::uint64_t>(least);
      } else if (value > most) {
        value = most;
      }
    }
    return filled(value, o.type, register_bits);
  });
}
void convert_to_float(execution& x, op const& o, lane_mask lanes) {
  const_row const a = x.at(o.at[1]);
  write_lanes(lanes, x.at(o.at[0]), [&](unsigned i) {
    std::uint64_t const value = extended(a[i], o.from);
    if (o.type.bits == 32) {
      return o.from.is_signed() ? bits_of(static_cast<float>(static_cast<std::int64_t>(value)))
                                : bits_of(static_cast<float>(value));
    }
    return o.from.is_signed() ? bits_of(static_cast<double>(static_cast<std::int64_t>(value)))
                              : bits_of(static_cast<double>(value));
  });
}
// Beyond the type's range its limit; 0 for what is no number.
void convert_to_integer(execution& x, op const& o, lane_mask lanes) {
  const_row const a = x.at(o.at[1]);
  write_lanes(lanes, x.at(o.at[0]), [&](unsigned i) -> std::uint64_t {
    double const value = rounded(to_double(a[i], o.from), o.variant);
    if (std::isnan(value)) return 0;
    double const high = std::ldexp(1.0, static_cast<int>(o.type.bits) - (o.type.is_signed() ? 1 : 0));
    double const low = o.type.is_signed() ? -high : 0;
    std::uint64_t const most = ~std::uint64_t{0} >> (64 - o.type.bits + (o.type.is_signed() ? 1 : 0));
    if (value >= high) return most;
    if (value <= low) return o.type.is_signed() ? most + 1 : 0;
    return shortened(
        value < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value)) : static_cast<std::uint64_t>(value),
        o.type);
  });
}
void convert_float(execution& x, op const& o, lane_mask lanes) {
  const_row const a = x.at(o.at[1]);
  bool const is_integral = o.count == 2;
  write_lanes(lanes, x.at(o.at[0]), [&](unsigned i) {
    double const value = to_double(a[i], o.from);
    return from_double(is_integral ? rounded(value, o.variant) : value, o.type);
  });
}

void build_convert(function_compiler& names, spelled const& text, op& into) {
  text.expect({"rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi", "sat", "ftz"});
  text.expect_operands(2);
  into.from = text.type();
  into.type = text.other_type();
  if (into.from.bits == 128 || into.type.bits == 128 || (into.from.is_floating() && into.from.bits < 32) ||
      (into.type.is_floating() && into.type.bits < 32))
    text.refuse("its type is not known");
  into.at[0] = names.destination(text.operand(0));
  into.at[1] = names.source(text.operand(1), into.from);
  into.value = names.register_bits(text.operand(0));
  bool const is_integral = text.has("rni") || text.has("rzi") || text.has("rmi") || text.has("rpi");
  into.variant = text.has("rz") || text.has("rzi")   ? to_zero
                 : text.has("rm") || text.has("rmi") ? down
                 : text.has("rp") || text.has("rpi") ? up
                                                     : nearest;
  bool const is_exact = into.from.is_floating() && into.type.is_floating() && !is_integral;
  if ((text.has("sat") || text.has("ftz")) && (into.from.is_floating() || into.type.is_floating()))
    text.refuse("its saturation is not known");
  bool const narrows = is_exact ? into.type.bits < into.from.bits : into.type.is_floating();
  if (narrows && into.variant != nearest && !is_integral) text.refuse("its rounding is not known");
  if (into.from.is_floating()) {
    if (into.type.is_floating()) {
      into.count = is_integral ? 2 : 1;
      into.run = &convert_float;
    } else {
      into.run = &convert_to_integer;
    }
  } else {
    into.count = text.has("sat") ? 2 : 1;
    into.run = into.type.is_floating() ? &convert_to_float : &convert_integer;
  }
}

std::uint64_t window_of(spelled const& text, op& into) {
  if (text.has("shared") || text.has("shared::cta") || text.has("shared::cluster")) {
    into.space = space::shared;
    return shared_window;
  }
  if (text.has("local")) {
    into.space = space::local;
    return local_window;
  }
  if (text.has("param") || text.has("param::entry")) {
    into.space = space::kernel_parameter;
    return parameter_window;
  }
  into.space = text.has("const") ? space::constant : space::global;
  return 0;
}

void add_window(execution& x, op const& o, lane_mask lanes) {
  const_row const a = x.at(o.at[1]);
  auto const by = static_cast<std::uint64_t>(o.value);
  write_lanes(lanes, x.at(o.at[0]), [&](unsigned i) { return a[i] + by; });
}
void build_window(function_compiler& names, spelled const& text, op& into) {
  text.expect({"to", "global", "const", "shared", "shared::cta", "shared::cluster", "local", "param", "param::entry"});
  if (text.type().bits != 64) text.refuse("its type is not known");
  take_operands(names, text, into, 1, text.type());
  auto const window = static_cast<std::int64_t>(window_of(text, into));
  into.value = text.has("to") ? -window : window;
  into.run = &add_window;
}

void is_in_space(execution& x, op const& o, lane_mask lanes) {
  const_row const a = x.at(o.at[1]);
  write_lanes(lanes, x.at(o.at[0]), [&](unsigned i) -> std::uint64_t { return execution::space_of(a[i]) == o.space; });
}
void build_is_in_space(function_compiler& names, spelled const& text, op& into) {
  text.expect({"global", "shared", "shared::cta", "shared::cluster", "local", "param", "param::entry"});
  text.expect_operands(2);
  window_of(text, into);
  into.at[0] = names.destination(text.operand(0));
  into.at[1] = names.source(text.operand(1), {kind::unsigned_integer, 64});
  into.run = &is_in_space;
}

}  // namespace

builders convert_builders() {
  return {{"cvt", &build_convert}, {"cvta", &build_window}, {"isspacep", &build_is_in_space}};
}

}  // namespace ptx_emulation
