// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// ld, ldu, st, cp.async, and what only hints at accesses.
#include <cstring>

#include "addressing.hpp"

namespace ptx_emulation {

namespace {

template <class T>
std::uint64_t filled(T value, std::uint64_t mask) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(value)) & mask;
}

// Whether a whole warp may access all that lies between its lanes, and each at a multiple of its size.
bool is_in_one_allocation(execution& x, lane_mask lanes, std::uint64_t const (&addresses)[warp_lanes],
                          std::uint32_t bytes) {
  if (lanes != all_lanes) return false;
  std::uint64_t least = addresses[0], most = addresses[0], any = 0;
  for (std::uint64_t const each : addresses) least = std::min(least, each), most = std::max(most, each), any |= each;
  return (any & (bytes - 1)) == 0 && x.memory->has(least, most - least + bytes);
}

// at: elements, address. Signed values fill their register, which is o.from wide.
template <class T>
void load(execution& x, op const& o, lane_mask lanes) {
  std::uint64_t addresses[warp_lanes];
  make_addresses(x, o, o.at[o.count], addresses);
  tell(x, o, lanes, addresses);
  auto const bytes = static_cast<std::uint32_t>(sizeof(T) * o.count);
  std::uint64_t const mask =
      std::is_signed_v<T> && o.from.bits < 64 ? (std::uint64_t{1} << o.from.bits) - 1 : ~std::uint64_t{0};
  if (o.count == 1) {
    row const to = x.at(o.at[0]);
    if (o.space == space::global && is_in_one_allocation(x, lanes, addresses, bytes)) {
      return write_lanes(lanes, to, [&](unsigned i) {
        T value;
        std::memcpy(&value, reinterpret_cast<void const*>(addresses[i]), sizeof value);
        return filled(value, mask);
      });
    }
    for_lanes(lanes, [&](unsigned i) {
      T value;
      std::memcpy(&value, x.locate(o, o.space, addresses[i], bytes, i), sizeof value);
      to[i] = filled(value, mask);
    });
    return;
  }
  for_lanes(lanes, [&](unsigned i) {
    std::byte const* const from = x.locate(o, o.space, addresses[i], bytes, i);
    for (std::size_t n = 0; n < o.count; ++n) {
      T value;
      std::memcpy(&value, from + n * sizeof value, sizeof value);
      x.at(o.at[n])[i] = filled(value, mask);
    }
  });
}

bool is_left_out(place element) { return element.where == storage::frame && element.index == sink_row * warp_lanes; }

// at: address, elements
template <class T>
void store(execution& x, op const& o, lane_mask lanes) {
  std::uint64_t addresses[warp_lanes];
  make_addresses(x, o, o.at[0], addresses);
  tell(x, o, lanes, addresses);
  auto const bytes = static_cast<std::uint32_t>(sizeof(T) * o.count);
  for_lanes(lanes, [&](unsigned i) {
    std::byte* const to = x.locate(o, o.space, addresses[i], bytes, i);
    for (std::size_t n = 0; n < o.count; ++n) {
      if (is_left_out(o.at[n + 1])) continue;
      T const value = as<T>(x.at(o.at[n + 1])[i]);
      std::memcpy(to + n * sizeof value, &value, sizeof value);
    }
  });
}

void load_two_rows(execution& x, op const& o, lane_mask lanes) {
  std::uint64_t addresses[warp_lanes];
  make_addresses(x, o, o.at[1], addresses);
  tell(x, o, lanes, addresses);
  for_lanes(lanes, [&](unsigned i) {
    std::byte const* const from = x.locate(o, o.space, addresses[i], 16, i);
    std::memcpy(x.at(o.at[0]) + i, from, 8);
    std::memcpy(x.at(o.at[0]) + warp_lanes + i, from + 8, 8);
  });
}
void store_two_rows(execution& x, op const& o, lane_mask lanes) {
  std::uint64_t addresses[warp_lanes];
  make_addresses(x, o, o.at[0], addresses);
  tell(x, o, lanes, addresses);
  for_lanes(lanes, [&](unsigned i) {
    std::byte* const to = x.locate(o, o.space, addresses[i], 16, i);
    std::memcpy(to, x.at(o.at[1]) + i, 8);
    std::memcpy(to + 8, x.at(o.at[1]) + warp_lanes + i, 8);
  });
}

struct by_size {
  action of_8, of_8_signed, of_16, of_16_signed, of_32, of_32_signed, of_64;
};
action choose(by_size const& all, spelled const& text, scalar type) {
  bool const is_signed = type.is_signed();
  switch (type.bits) {
    case 8:
      return is_signed ? all.of_8_signed : all.of_8;
    case 16:
      return is_signed ? all.of_16_signed : all.of_16;
    case 32:
      return is_signed ? all.of_32_signed : all.of_32;
    case 64:
      return all.of_64;
    default:
      text.refuse("its type is not known");
  }
}
constexpr by_size loads{&load<std::uint8_t>,  &load<std::int8_t>,  &load<std::uint16_t>, &load<std::int16_t>,
                        &load<std::uint32_t>, &load<std::int32_t>, &load<std::uint64_t>};
constexpr by_size stores{&store<std::uint8_t>,  &store<std::uint8_t>,  &store<std::uint16_t>, &store<std::uint16_t>,
                         &store<std::uint32_t>, &store<std::uint32_t>, &store<std::uint64_t>};

// The elements of an access, checked against the opcode's .v2 and so on. @return how many
std::uint8_t read_vector(spelled const& text, std::vector<std::string_view> const& elements) {
  std::size_t const expected = text.has("v2") ? 2 : text.has("v4") ? 4 : text.has("v8") ? 8 : 1;
  if (elements.size() != expected) text.refuse("its vector has another number of elements");
  return static_cast<std::uint8_t>(expected);
}
void expect_access(spelled const& text) {
  text.expect({"global", "const", "shared", "shared::cta", "local", "param", "param::entry", "param::func", "v2", "v4",
               "v8", "L2::cache_hint"},
              true);
  text.expect_operands(text.has("L2::cache_hint") ? 3 : 2);
}

void build_load(function_compiler& names, spelled const& text, op& into) {
  expect_access(text);
  into.type = text.type();
  std::vector<std::string_view> const elements = pasta::ptx::read_elements(text.operand(0));
  into.count = read_vector(text, elements);
  for (std::size_t i = 0; i < elements.size(); ++i) into.at[i] = names.destination(elements[i]);
  into.from = {kind::untyped, std::max(names.register_bits(elements[0]), into.type.bits)};
  take_address(names, text, text.operand(1), into.at[into.count], into);
  bool const is_wide = into.type.bits == 128;
  if (is_wide && into.count != 1) text.refuse("its type is not known");
  into.run = is_wide ? &load_two_rows : choose(loads, text, into.type);
}
void build_store(function_compiler& names, spelled const& text, op& into) {
  expect_access(text);
  into.type = text.type();
  std::vector<std::string_view> const elements = pasta::ptx::read_elements(text.operand(1));
  into.count = read_vector(text, elements);
  for (std::size_t i = 0; i < elements.size(); ++i)
    into.at[i + 1] = elements[i] == "_" ? names.destination("_") : names.source(elements[i], into.type);
  take_address(names, text, text.operand(0), into.at[0], into);
  bool const is_wide = into.type.bits == 128;
  if (is_wide && into.count != 1) text.refuse("its type is not known");
  into.run = is_wide ? &store_two_rows : choose(stores, text, into.type);
}

// How many bytes each lane of a copy reads: at most its size, none where it is told to ignore them.
void make_lengths(execution const& x, op const& o, std::uint64_t (&lengths)[warp_lanes]) {
  const_row const limit = x.at(o.at[2]), is_ignored = x.at(o.at[3]);
  for (unsigned i = 0; i < warp_lanes; ++i)
    lengths[i] = is_ignored[i] != 0 ? 0 : std::min<std::uint64_t>(limit[i] & UINT32_MAX, o.count);
}
// Lanes that read as much are told of together, those that read nothing are not.
void tell_of_copy(execution const& x, op const& o, lane_mask lanes, std::uint64_t const (&from)[warp_lanes],
                  std::uint64_t const (&to)[warp_lanes], std::uint64_t const (&lengths)[warp_lanes]) {
  if (x.observer == nullptr) return;
  for (std::uint32_t bytes = 1; bytes <= o.count; ++bytes) {
    lane_mask equal = 0;
    for_lanes(lanes, [&](unsigned i) { equal |= static_cast<lane_mask>(lengths[i] == bytes) << i; });
    if (equal != 0) x.observer->on_access({&o, equal, from, space::global, bytes, 0});
  }
  x.observer->on_access({&o, lanes, to, space::shared, o.count, 1});
}

// cp.async: at: shared address, global address, size that is read, whether it is not. o.value, o.target: offsets.
// Here the copy is made at once.
void copy(execution& x, op const& o, lane_mask lanes) {
  std::uint64_t to[warp_lanes], from[warp_lanes], lengths[warp_lanes];
  for (unsigned i = 0; i < warp_lanes; ++i) {
    to[i] = (x.at(o.at[0])[i] + static_cast<std::uint64_t>(o.value)) & UINT32_MAX;
    from[i] = x.at(o.at[1])[i] + o.target;
  }
  make_lengths(x, o, lengths);
  tell_of_copy(x, o, lanes, from, to, lengths);
  for_lanes(lanes, [&](unsigned i) {
    std::byte bytes[16] = {};
    if (lengths[i] > 0) {
      if (from[i] % o.count != 0) x.fail(fault_kind::misaligned_address, o, i, from[i]);
      if (!x.memory->has(from[i], lengths[i])) x.fail(fault_kind::illegal_address, o, i, from[i]);
      std::memcpy(bytes, reinterpret_cast<void const*>(from[i]), lengths[i]);
    }
    std::memcpy(x.locate(o, space::shared, to[i], o.count, i), bytes, o.count);
  });
}
void no_action(execution&, op const&, lane_mask) {}

void build_copy(function_compiler& names, spelled const& text, op& into) {
  into.run = &no_action;
  if (text.has("commit_group") || text.has("wait_group") || text.has("wait_all")) {
    text.expect({"async", "commit_group", "wait_group", "wait_all"});
    return;
  }
  text.expect(
      {"async", "ca", "cg", "shared", "shared::cta", "global", "L2::cache_hint", "L2::64B", "L2::128B", "L2::256B"});
  if (!text.has("async") || text.has("bulk") || !text.has("shared") == !text.has("shared::cta"))
    text.refuse("its form is not known");
  text.expect_operands(text.has("L2::cache_hint") ? 4 : 3, text.has("L2::cache_hint") ? 5 : 4);
  space where = space::shared, other = space::global;
  std::int64_t offset = 0;
  into.at[0] = names.address(text.operand(0), into.value, where);
  into.at[1] = names.address(text.operand(1), offset, other);
  into.target = static_cast<std::uint32_t>(offset);
  if (offset < 0 || offset > INT32_MAX) text.refuse("its offset is not known");
  std::uint64_t const bytes = read_number(text.operand(2), {});
  if (bytes != 4 && bytes != 8 && bytes != 16) text.refuse("its size is not known");
  into.count = static_cast<std::uint8_t>(bytes);
  into.at[2] = names.constant(bytes);
  into.at[3] = names.constant(0);
  std::size_t const has_limit = text.has("L2::cache_hint") ? 5 : 4;
  if (text.what.operands.size() == has_limit) {
    bool const is_predicate = names.register_bits(text.operand(3)) == 1;
    into.at[is_predicate ? 3 : 2] = names.source(text.operand(3), {kind::unsigned_integer, 32});
  }
  into.run = &copy;
}

// Memory is named, nothing moves.
void build_nothing(function_compiler&, spelled const&, op& into) { into.run = &no_action; }

}  // namespace

builders memory_builders() {
  return {{"ld", &build_load},          {"ldu", &build_load},
          {"st", &build_store},         {"cp", &build_copy},
          {"prefetch", &build_nothing}, {"prefetchu", &build_nothing},
          {"membar", &build_nothing},   {"fence", &build_nothing},
          {"pmevent", &build_nothing},  {"applypriority", &build_nothing},
          {"discard", &build_nothing}};
}

}  // namespace ptx_emulation
