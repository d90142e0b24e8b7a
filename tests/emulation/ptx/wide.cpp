// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// mul and mad in their widths: .lo, .hi and .wide, and the products of 24 bits.
#include "actions.hpp"
#include "floating.hpp"

namespace ptx_emulation {

namespace {

__extension__ typedef __int128 long_integer;
__extension__ typedef unsigned __int128 long_unsigned;

struct low_product {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  }
};
struct high_product {
  template <class T>
  T operator()(T a, T b) const {
    using wide = std::conditional_t<std::is_signed_v<T>, long_integer, long_unsigned>;
    return static_cast<T>(static_cast<wide>(a) * static_cast<wide>(b) >> (8 * sizeof(T)));
  }
};
template <class Product>
struct product_plus {
  template <class T>
  T operator()(T a, T b, T c) const {
    return static_cast<T>(static_cast<std::uint64_t>(Product{}(a, b)) + static_cast<std::uint64_t>(c));
  }
};

// Twice as wide a result.
template <class T>
using twice = std::conditional_t<std::is_signed_v<T>, std::conditional_t<sizeof(T) == 2, std::int32_t, std::int64_t>,
                                 std::conditional_t<sizeof(T) == 2, std::uint32_t, std::uint64_t>>;
template <class T>
void multiply_wide(execution& x, op const& o, lane_mask lanes) {
  const_row const a = x.at(o.at[1]), b = x.at(o.at[2]), c = x.at(o.at[3]);
  bool const adds = o.count == 3;
  write_lanes(lanes, x.at(o.at[0]), [&](unsigned i) {
    auto const product =
        static_cast<std::uint64_t>(static_cast<std::int64_t>(as<T>(a[i])) * static_cast<std::int64_t>(as<T>(b[i])));
    return bits_of(static_cast<twice<T>>(product + (adds ? c[i] : 0)));
  });
}
template <>
void multiply_wide<std::uint32_t>(execution& x, op const& o, lane_mask lanes) {
  const_row const a = x.at(o.at[1]), b = x.at(o.at[2]), c = x.at(o.at[3]);
  bool const adds = o.count == 3;
  write_lanes(lanes, x.at(o.at[0]),
              [&](unsigned i) { return (a[i] & UINT32_MAX) * (b[i] & UINT32_MAX) + (adds ? c[i] : 0); });
}

void build_product(function_compiler& names, spelled const& text, op& into) {
  scalar const type = text.type();
  if (type.is_floating()) return build_floating(names, text, into);
  text.expect({"lo", "hi", "wide"});
  bool const adds = text.parts[0] == "mad";
  std::size_t const sources = adds ? 3 : 2;
  take_operands(names, text, into, sources, type);
  if (text.has("wide")) {
    into.count = static_cast<std::uint8_t>(sources);
    if (adds) into.at[3] = names.source(text.operand(3), {type.kind, type.bits * 2});
    if (type.bits != 16 && type.bits != 32) text.refuse("its type is not known");
    if (type.bits == 16) {
      into.run = type.is_signed() ? &multiply_wide<std::int16_t> : &multiply_wide<std::uint16_t>;
    } else {
      into.run = type.is_signed() ? &multiply_wide<std::int32_t> : &multiply_wide<std::uint32_t>;
    }
    return;
  }
  bool const is_high = text.has("hi");
  if (!is_high && !text.has("lo")) text.refuse("which half it has is not said");
  into.run = for_integer(text, type, [&]<class T>() -> action {
    if (adds) return is_high ? &ternary<T, product_plus<high_product>> : &ternary<T, product_plus<low_product>>;
    return is_high ? &binary<T, high_product> : &binary<T, low_product>;
  });
}

// Products of the low 24 bits: the low 32 bits of the 48.
template <class T>
T low_24(T value) {
  return static_cast<T>(static_cast<T>(static_cast<std::uint32_t>(value) << 8) >> 8);
}
struct product_24 {
  template <class T>
  T operator()(T a, T b) const {
    return low_product{}(low_24(a), low_24(b));
  }
};
void build_product_24(function_compiler& names, spelled const& text, op& into) {
  text.expect({"lo"});
  if (text.type().bits != 32 || !text.has("lo")) text.refuse("its form is not known");
  bool const adds = text.parts[0] == "mad24";
  take_operands(names, text, into, adds ? 3 : 2, text.type());
  into.run = for_integer(text, text.type(), [&]<class T>() -> action {
    if constexpr (sizeof(T) == 4) {
      return adds ? &ternary<T, product_plus<product_24>> : &binary<T, product_24>;
    } else {
      return nullptr;  // refused before
    }
  });
}

}  // namespace

builders wide_builders() {
  return {{"mul", &build_product}, {"mad", &build_product}, {"mul24", &build_product_24}, {"mad24", &build_product_24}};
}

}  // namespace ptx_emulation
