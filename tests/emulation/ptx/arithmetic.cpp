// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// add, sub, mul.lo, mad.lo, div, rem, min, max, neg, abs, sad, with carry; floats' names lead to floating.cpp.
#include <algorithm>
#include <limits>

#include "actions.hpp"
#include "floating.hpp"

namespace ptx_emulation {

namespace {

// Sums and products wrap: they are made of 64 unsigned bits.
template <class T>
std::uint64_t wide(T value) {
  return static_cast<std::uint64_t>(value);
}
struct plus {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(wide(a) + wide(b));
  }
};
struct minus {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(wide(a) - wide(b));
  }
};
// A division by zero gives all ones, as the hardware does; PTX leaves it open.
struct quotient {
  template <class T>
  T operator()(T a, T b) const {
    if (b == 0) return static_cast<T>(-1);
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return static_cast<T>(0 - wide(a));
    return static_cast<T>(a / b);
  }
};
struct remainder {
  template <class T>
  T operator()(T a, T b) const {
    if (b == 0) return a;
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return 0;
    return static_cast<T>(a % b);
  }
};
struct smaller {
  template <class T>
  T operator()(T a, T b) const {
    return std::min(a, b);
  }
};
struct larger {
  template <class T>
  T operator()(T a, T b) const {
    return std::max(a, b);
  }
};
struct negative {
  template <class T>
  T operator()(T a) const {
    return static_cast<T>(0 - wide(a));
  }
};
struct magnitude {
  template <class T>
  T operator()(T a) const {
    return a < 0 ? static_cast<T>(0 - wide(a)) : a;
  }
};
struct distance_plus {  // sad
  template <class T>
  T operator()(T a, T b, T c) const {
    return static_cast<T>(wide(c) + (a < b ? wide(b) - wide(a) : wide(a) - wide(b)));
  }
};

template <class Function>
void build_binary(function_compiler& names, spelled const& text, op& into) {
  if (text.type().is_floating()) return build_floating(names, text, into);
  text.expect({});
  take_operands(names, text, into, 2, text.type());
  into.run = for_integer(text, text.type(), []<class T>() -> action { return &binary<T, Function>; });
}
template <class Function>
void build_unary(function_compiler& names, spelled const& text, op& into) {
  if (text.type().is_floating()) return build_floating(names, text, into);
  text.expect({});
  take_operands(names, text, into, 1, text.type());
  into.run = for_integer(text, text.type(), []<class T>() -> action { return &unary<T, Function>; });
}

// Words with a carry, 32 or 64 bits. A subtraction adds the complement: its carry is a borrow turned around.
template <class T>
void add_with_carry(execution& x, op const& o, lane_mask lanes) {
  const_row const a = x.at(o.at[1]), b = x.at(o.at[2]);
  row const to = x.at(o.at[0]), carry = x.at({storage::frame, carry_row * warp_lanes});
  bool const is_difference = (o.variant & 1) != 0, reads = (o.variant & 2) != 0, writes = (o.variant & 4) != 0;
  for_lanes(lanes, [&](unsigned i) {
    T const first = as<T>(a[i]), second = is_difference ? static_cast<T>(~as<T>(b[i])) : as<T>(b[i]);
    T const in = reads ? static_cast<T>(is_difference ? carry[i] == 0 : carry[i] != 0) : T{is_difference};
    T const partial = static_cast<T>(first + second), sum = static_cast<T>(partial + in);
    bool const is_over = partial < first || sum < partial;
    if (writes) carry[i] = is_difference ? !is_over : is_over;
    to[i] = bits_of(sum);
  });
}
void build_carry(function_compiler& names, spelled const& text, op& into) {
  text.expect({"cc"});
  take_operands(names, text, into, 2, text.type());
  bool const is_difference = text.parts[0].starts_with("sub");
  into.variant = static_cast<std::uint8_t>((is_difference ? 1 : 0) + (text.parts[0].size() == 4 ? 2 : 0) +
                                           (text.has("cc") ? 4 : 0));
  if (text.type().bits != 32 && text.type().bits != 64) text.refuse("its type is not known");
  into.run = text.type().bits == 32 ? &add_with_carry<std::uint32_t> : &add_with_carry<std::uint64_t>;
}
template <class Function>
void build_sum(function_compiler& names, spelled const& text, op& into) {
  if (text.has("cc")) return build_carry(names, text, into);
  build_binary<Function>(names, text, into);
}

void build_sad(function_compiler& names, spelled const& text, op& into) {
  text.expect({});
  take_operands(names, text, into, 3, text.type());
  into.run = for_integer(text, text.type(), []<class T>() -> action { return &ternary<T, distance_plus>; });
}

}  // namespace

builders arithmetic_builders() {
  return {{"add", &build_sum<plus>},
          {"sub", &build_sum<minus>},
          {"addc", &build_carry},
          {"subc", &build_carry},
          {"div", &build_binary<quotient>},
          {"rem", &build_binary<remainder>},
          {"min", &build_binary<smaller>},
          {"max", &build_binary<larger>},
          {"neg", &build_unary<negative>},
          {"abs", &build_unary<magnitude>},
          {"sad", &build_sad}};
}

}  // namespace ptx_emulation
