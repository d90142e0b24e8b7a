// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Logic, shifts, fields of bits, bytes.
#include "actions.hpp"
#include "joining.hpp"

namespace ptx_emulation {

namespace {

struct inverse {
  template <class T>
  T operator()(T a) const {
    if constexpr (std::is_same_v<T, bool>) {
      return !a;
    } else {
      return static_cast<T>(~a);
    }
  }
};
struct is_zero {
  template <class T>
  T operator()(T a) const {
    return a == 0;
  }
};

scalar untyped(spelled const& text) {
  text.expect({});
  return text.type();
}
template <class Function>
void build_logic(function_compiler& names, spelled const& text, op& into) {
  scalar const type = untyped(text);
  take_operands(names, text, into, 2, type);
  into.run = type.is_predicate() ? &binary<bool, Function>
                                 : for_integer(text, type, []<class T>() -> action { return &binary<T, Function>; });
}
void build_not(function_compiler& names, spelled const& text, op& into) {
  scalar const type = untyped(text);
  take_operands(names, text, into, 1, type);
  into.run = type.is_predicate() ? &unary<bool, inverse>
                                 : for_integer(text, type, []<class T>() -> action { return &unary<T, inverse>; });
}
void build_cnot(function_compiler& names, spelled const& text, op& into) {
  take_operands(names, text, into, 1, untyped(text));
  into.run = for_integer(text, text.type(), []<class T>() -> action { return &unary<T, is_zero>; });
}

// The amount has 32 bits; more than the width shifts all out.
template <class T>
void shift_left(execution& x, op const& o, lane_mask lanes) {
  const_row const a = x.at(o.at[1]), b = x.at(o.at[2]);
  write_lanes(lanes, x.at(o.at[0]), [&](unsigned i) {
    std::uint64_t const amount = b[i] & UINT32_MAX;
    return amount >= 8 * sizeof(T) ? 0 : bits_of(static_cast<T>(a[i] << amount));
  });
}
template <class T>
void shift_right(execution& x, op const& o, lane_mask lanes) {
  const_row const a = x.at(o.at[1]), b = x.at(o.at[2]);
  write_lanes(lanes, x.at(o.at[0]), [&](unsigned i) {
    std::uint64_t const amount = b[i] & UINT32_MAX;
    T const value = as<T>(a[i]);
    if (amount >= 8 * sizeof(T)) return bits_of(static_cast<T>(value < 0 ? -1 : 0));
    return bits_of(static_cast<T>(value >> amount));
  });
}
void build_shift(function_compiler& names, spelled const& text, op& into) {
  scalar const type = untyped(text);
  take_operands(names, text, into, 2, type);
  into.at[2] = names.source(text.operand(2), {kind::unsigned_integer, 32});
  bool const is_left = text.parts[0] == "shl";
  into.run = for_integer(text, type, [&]<class T>() -> action { return is_left ? &shift_left<T> : &shift_right<T>; });
}

// shf: of the 64 bits b:a the high word of a shift to the left, the low word of one to the right.
void funnel(execution& x, op const& o, lane_mask lanes) {
  const_row const a = x.at(o.at[1]), b = x.at(o.at[2]), c = x.at(o.at[3]);
  bool const is_left = (o.variant & 1) != 0, clamps = (o.variant & 2) != 0;
  write_lanes(lanes, x.at(o.at[0]), [&](unsigned i) {
    std::uint64_t const both_words = (b[i] & UINT32_MAX) << 32 | (a[i] & UINT32_MAX);
    std::uint64_t amount = c[i] & UINT32_MAX;
    amount = clamps ? std::min<std::uint64_t>(amount, 32) : amount & 31;
    return (is_left ? both_words << amount >> 32 : both_words >> amount) & UINT32_MAX;
  });
}
void build_funnel(function_compiler& names, spelled const& text, op& into) {
  text.expect({"l", "r", "wrap", "clamp"});
  if (text.type().bits != 32) text.refuse("its type is not known");
  take_operands(names, text, into, 3, text.type());
  into.variant = static_cast<std::uint8_t>((text.has("l") ? 1 : 0) + (text.has("clamp") ? 2 : 0));
  into.run = &funnel;
}

// bfe: a field of bits, with the sign that its highest bit has.
template <class T>
void extract(execution& x, op const& o, lane_mask lanes) {
  const_row const a = x.at(o.at[1]), b = x.at(o.at[2]), c = x.at(o.at[3]);
  constexpr unsigned width = 8 * sizeof(T);
  write_lanes(lanes, x.at(o.at[0]), [&](unsigned i) -> std::uint64_t {
    unsigned const begin = b[i] & 0xff, length = c[i] & 0xff;
    if (length == 0) return 0;
    using word = std::make_unsigned_t<T>;
    word const value = as<word>(a[i]);
    bool const is_negative = std::is_signed_v<T> && (value >> std::min(begin + length - 1, width - 1) & 1) != 0;
    word found = 0;
    for (unsigned bit = 0; bit < width; ++bit) {
      bool const is_inside = bit < length && begin + bit < width;
      bool const is_set = is_inside ? (value >> (begin + bit) & 1) != 0 : is_negative;
      if (is_set) found = static_cast<word>(found | word{1} << bit);
    }
    return found;
  });
}
void build_extract(function_compiler& names, spelled const& text, op& into) {
  scalar const type = untyped(text);
  take_operands(names, text, into, 3, type);
  into.run = for_integer(text, type, []<class T>() -> action { return &extract<T>; });
}
// bfi: puts the low bits of a into b.
template <class T>
void insert(execution& x, op const& o, lane_mask lanes) {
  const_row const a = x.at(o.at[1]), b = x.at(o.at[2]), c = x.at(o.at[3]), d = x.at(o.at[4]);
  constexpr unsigned width = 8 * sizeof(T);
  write_lanes(lanes, x.at(o.at[0]), [&](unsigned i) -> std::uint64_t {
    unsigned const begin = c[i] & 0xff, length = d[i] & 0xff;
    std::uint64_t into = b[i];
    for (unsigned bit = 0; bit < length && begin + bit < width; ++bit) {
      std::uint64_t const mask = std::uint64_t{1} << (begin + bit);
      into = (a[i] >> bit & 1) != 0 ? into | mask : into & ~mask;
    }
    return bits_of(as<T>(into));
  });
}
void build_insert(function_compiler& names, spelled const& text, op& into) {
  scalar const type = untyped(text);
  take_operands(names, text, into, 4, type);
  into.run = for_integer(text, type, []<class T>() -> action { return &insert<std::make_unsigned_t<T>>; });
}

// bfind: the highest bit that differs from the sign; or how far it is from the top.
template <class T>
void find_highest(execution& x, op const& o, lane_mask lanes) {
  const_row const a = x.at(o.at[1]);
  write_lanes(lanes, x.at(o.at[0]), [&](unsigned i) -> std::uint64_t {
    T const value = as<T>(a[i]);
    auto const word = static_cast<std::make_unsigned_t<T>>(value < 0 ? ~value : value);
    if (word == 0) return UINT32_MAX;
    auto const zeros = static_cast<unsigned>(std::countl_zero(word));
    return o.variant != 0 ? zeros : static_cast<unsigned>(8 * sizeof(T)) - 1 - zeros;
  });
}
void build_find(function_compiler& names, spelled const& text, op& into) {
  text.expect({"shiftamt"});
  take_operands(names, text, into, 1, text.type());
  into.variant = text.has("shiftamt");
  into.run = for_integer(text, text.type(), []<class T>() -> action { return &find_highest<T>; });
}

template <class T>
void count_ones(execution& x, op const& o, lane_mask lanes) {
  const_row const a = x.at(o.at[1]);
  write_lanes(lanes, x.at(o.at[0]), [&](unsigned i) { return static_cast<unsigned>(std::popcount(as<T>(a[i]))); });
}
template <class T>
void count_zeros(execution& x, op const& o, lane_mask lanes) {
  const_row const a = x.at(o.at[1]);
  write_lanes(lanes, x.at(o.at[0]), [&](unsigned i) { return static_cast<unsigned>(std::countl_zero(as<T>(a[i]))); });
}
template <class T>
void reverse(execution& x, op const& o, lane_mask lanes) {
  const_row const a = x.at(o.at[1]);
  constexpr unsigned width = 8 * sizeof(T);
  write_lanes(lanes, x.at(o.at[0]), [&](unsigned i) {
    std::uint64_t made = 0;
    for (unsigned bit = 0; bit < width; ++bit) made |= (a[i] >> bit & 1) << (width - 1 - bit);
    return made;
  });
}
void build_count(function_compiler& names, spelled const& text, op& into) {
  scalar const type = untyped(text);
  take_operands(names, text, into, 1, type);
  std::string_view const name = text.parts[0];
  into.run = for_integer(text, type, [&]<class T>() -> action {
    using word = std::make_unsigned_t<T>;
    return name == "popc" ? &count_ones<word> : name == "clz" ? &count_zeros<word> : &reverse<word>;
  });
}

// prmt: four bytes of the eight of b:a, the highest bit of each repeated where the selector says so.
void permute(execution& x, op const& o, lane_mask lanes) {
  const_row const a = x.at(o.at[1]), b = x.at(o.at[2]), c = x.at(o.at[3]);
  write_lanes(lanes, x.at(o.at[0]), [&](unsigned i) {
    std::uint64_t const bytes = (b[i] & UINT32_MAX) << 32 | (a[i] & UINT32_MAX);
    std::uint64_t made = 0;
    for (unsigned n = 0; n < 4; ++n) {
      std::uint64_t const selector = c[i] >> (4 * n) & 0xf;
      std::uint64_t byte = bytes >> (8 * (selector & 7)) & 0xff;
      if ((selector & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;
      made |= byte << (8 * n);
    }
    return made;
  });
}
void build_permute(function_compiler& names, spelled const& text, op& into) {
  take_operands(names, text, into, 3, untyped(text));
  into.run = &permute;
}

// lop3: a table of eight bits says the result of three.
void look_up(execution& x, op const& o, lane_mask lanes) {
  const_row const a = x.at(o.at[1]), b = x.at(o.at[2]), c = x.at(o.at[3]);
  auto const table = static_cast<std::uint64_t>(o.value);
  write_lanes(lanes, x.at(o.at[0]), [&](unsigned i) {
    std::uint64_t made = 0;
    for (unsigned n = 0; n < 8; ++n) {
      if ((table >> n & 1) == 0) continue;
      made |= ((n & 4) != 0 ? a[i] : ~a[i]) & ((n & 2) != 0 ? b[i] : ~b[i]) & ((n & 1) != 0 ? c[i] : ~c[i]);
    }
    return made & UINT32_MAX;
  });
}
void build_look_up(function_compiler& names, spelled const& text, op& into) {
  text.expect_operands(5);
  into.at[0] = names.destination(text.operand(0));
  for (std::size_t i = 1; i < 4; ++i) into.at[i] = names.source(text.operand(i), untyped(text));
  into.value = static_cast<std::int64_t>(read_number(text.operand(4), {kind::unsigned_integer, 32}));
  into.run = &look_up;
}

}  // namespace

builders bit_builders() {
  return {{"and", &build_logic<both>}, {"or", &build_logic<either>}, {"xor", &build_logic<different>},
          {"not", &build_not},         {"cnot", &build_cnot},        {"shl", &build_shift},
          {"shr", &build_shift},       {"shf", &build_funnel},       {"bfe", &build_extract},
          {"bfi", &build_insert},      {"bfind", &build_find},       {"popc", &build_count},
          {"clz", &build_count},       {"brev", &build_count},       {"prmt", &build_permute},
          {"lop3", &build_look_up}};
}

}  // namespace ptx_emulation
