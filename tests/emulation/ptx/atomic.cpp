// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// atom and red: the lanes one after the other, in their order.
#include <cstring>

#include "addressing.hpp"
#include "joining.hpp"

namespace ptx_emulation {

namespace {

struct sum {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>) {
      return a + b;
    } else {
      return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    }
  }
};
struct exchanged {
  template <class T>
  T operator()(T, T b) const {
    return b;
  }
};
struct counted_up {
  template <class T>
  T operator()(T a, T b) const {
    return a >= b ? T{0} : static_cast<T>(a + 1);
  }
};
struct counted_down {
  template <class T>
  T operator()(T a, T b) const {
    return a == 0 || a > b ? b : static_cast<T>(a - 1);
  }
};

// at: results, address, operands; each of o.count elements. A red has no results: its sink.
template <class T, class Function>
void update(execution& x, op const& o, lane_mask lanes) {
  std::uint64_t addresses[warp_lanes];
  std::size_t const count = o.count;
  make_addresses(x, o, o.at[count], addresses);
  tell(x, o, lanes, addresses);
  for_lanes(lanes, [&](unsigned i) {
    std::byte* const where = x.locate(o, o.space, addresses[i], static_cast<std::uint32_t>(sizeof(T) * count), i);
    for (std::size_t n = 0; n < count; ++n) {
      T old;
      std::memcpy(&old, where + n * sizeof old, sizeof old);
      T const made = Function{}(old, as<T>(x.at(o.at[count + 1 + n])[i]));
      std::memcpy(where + n * sizeof made, &made, sizeof made);
      x.at(o.at[n])[i] = bits_of(old);
    }
  });
}
template <class T>
void compare_and_swap(execution& x, op const& o, lane_mask lanes) {
  std::uint64_t addresses[warp_lanes];
  make_addresses(x, o, o.at[1], addresses);
  tell(x, o, lanes, addresses);
  const_row const expected = x.at(o.at[2]), wanted = x.at(o.at[3]);
  row const to = x.at(o.at[0]);
  for_lanes(lanes, [&](unsigned i) {
    std::byte* const where = x.locate(o, o.space, addresses[i], sizeof(T), i);
    T old;
    std::memcpy(&old, where, sizeof old);
    if (old == as<T>(expected[i])) {
      T const made = as<T>(wanted[i]);
      std::memcpy(where, &made, sizeof made);
    }
    to[i] = bits_of(old);
  });
}

template <class Function>
action of_integer(spelled const& text, scalar type) {
  return for_integer(text, type, []<class T>() -> action { return &update<T, Function>; });
}
action choose(spelled const& text, scalar type) {
  if (text.has("add") && type.is_floating())
    return type.bits == 32 ? &update<float, sum> : type.bits == 64 ? &update<double, sum> : nullptr;
  if (type.is_floating()) return nullptr;
  if (text.has("add")) return of_integer<sum>(text, type);
  if (text.has("min")) return of_integer<least>(text, type);
  if (text.has("max")) return of_integer<most>(text, type);
  if (text.has("and")) return of_integer<both>(text, type);
  if (text.has("or")) return of_integer<either>(text, type);
  if (text.has("xor")) return of_integer<different>(text, type);
  if (text.has("exch")) return of_integer<exchanged>(text, type);
  if (text.has("inc")) return of_integer<counted_up>(text, type);
  if (text.has("dec")) return of_integer<counted_down>(text, type);
  return nullptr;
}

void build_atomic(function_compiler& names, spelled const& text, op& into) {
  text.expect({"global", "shared", "shared::cta", "add", "min", "max", "and", "or", "xor", "exch", "inc", "dec", "cas",
               "v2", "v4", "L2::cache_hint"},
              true);
  into.type = text.type();
  bool const has_result = text.parts[0] == "atom", swaps = text.has("cas");
  std::size_t const first = has_result ? 1 : 0, count = text.has("v2") ? 2 : text.has("v4") ? 4 : 1;
  text.expect_operands(first + (swaps ? 3 : 2) + (text.has("L2::cache_hint") ? 1 : 0));
  into.count = static_cast<std::uint8_t>(count);
  auto const read_vector = [&](std::string_view operand) {
    std::vector<std::string_view> const elements = pasta::ptx::read_elements(operand);
    if (elements.size() != count) text.refuse("its vector has another number of elements");
    return elements;
  };
  for (std::size_t n = 0; n < count; ++n)
    into.at[n] = names.destination(has_result ? read_vector(text.operand(0))[n] : "_");
  take_address(names, text, text.operand(first), into.at[count], into);
  if (swaps) {
    if (count != 1 || !has_result) text.refuse("its form is not known");
    into.at[2] = names.source(text.operand(2), into.type);
    into.at[3] = names.source(text.operand(3), into.type);
    into.run = for_integer(text, into.type, []<class T>() -> action { return &compare_and_swap<T>; });
    return;
  }
  std::vector<std::string_view> const operands = read_vector(text.operand(first + 1));
  for (std::size_t n = 0; n < count; ++n) into.at[count + 1 + n] = names.source(operands[n], into.type);
  into.run = choose(text, into.type);
  if (into.run == nullptr) text.refuse("its operation is not known");
}

}  // namespace

builders atomic_builders() { return {{"atom", &build_atomic}, {"red", &build_atomic}}; }

}  // namespace ptx_emulation
