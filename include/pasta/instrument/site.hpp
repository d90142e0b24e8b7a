// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What names an instrumented operation. docs/architecture.md says how sites are numbered and where the table lives.
#ifndef PASTA_INSTRUMENT_SITE_HPP
#define PASTA_INSTRUMENT_SITE_HPP

#include <compare>
#include <pasta/event.hpp>
#include <pasta/instrument/matrix_shape.hpp>
#include <string>
#include <string_view>

namespace pasta {

/// A place in the source, as default arguments give it. `file` is a string literal.
struct place {
  char const* file;
  std::uint32_t line, column;  ///< from 1; column 0 where the compiler does not tell
};

/// Where in an array an element is, as the kernel said it: for a probe that compares what threads access.
struct array_position {
  bool is_known = false;
  void const* origin = nullptr;  // an address that all threads of the kernel have for the array, or null
  void const* first = nullptr;   // element 0
  std::ptrdiff_t index = 0;
};

/// What is done at a site.
enum class operation : std::uint8_t { load, store, atomic, copy, barrier, branch, matrix, call, warp };

constexpr std::string_view to_string(operation what) {
  constexpr std::string_view names[] = {"load",   "store",  "atomic", "copy", "barrier",
                                        "branch", "matrix", "call",   "warp"};
  return names[static_cast<std::size_t>(what)];
}
constexpr std::string_view to_string(memory_space space) {
  constexpr std::string_view names[] = {"global",   "shared",  "local",   "generic",
                                        "constant", "texture", "surface", "tensor"};
  return names[static_cast<std::size_t>(space)];
}
constexpr std::string_view to_string(element_type type) {
  constexpr std::string_view names[] = {"f64", "f32", "tf32", "f16", "bf16", "f8", "s8", "s4", "s32", "b1"};
  return names[static_cast<std::size_t>(type)];
}
PASTA_DEVICE constexpr operation to_operation(access_kind kind) { return static_cast<operation>(kind); }

/// A site's identity within a kernel: two words, made of constants where the operation is inlined.
struct site_key {
  char const* file = nullptr;
  // line 20 | operation 4 | column 14 | space 2 | size 24, of a matrix operation its shape
  std::uint64_t packed = 0;

  static constexpr std::uint64_t max_line = (1u << 20) - 1, max_column = (1u << 14) - 1, max_size = (1u << 24) - 1;

  PASTA_DEVICE static constexpr site_key of(place const& where, operation what, memory_space space,
                                            std::uint64_t size_bytes) {
    return {where.file, at_most(where.line, max_line) << 44 | std::uint64_t{static_cast<std::uint8_t>(what)} << 40 |
                            at_most(where.column, max_column) << 26 |
                            std::uint64_t{static_cast<std::uint8_t>(space)} << 24 | at_most(size_bytes, max_size)};
  }
  PASTA_DEVICE static constexpr site_key of(place const& where, matrix_shape const& shape) {
    site_key key = of(where, operation::matrix, memory_space::global, 0);
    key.packed |= shape.packed();
    return key;
  }
  constexpr place where() const {
    return {file, static_cast<std::uint32_t>(packed >> 44), static_cast<std::uint32_t>(packed >> 26 & max_column)};
  }
  PASTA_DEVICE constexpr operation what() const { return static_cast<operation>(packed >> 40 & 15); }
  PASTA_DEVICE constexpr memory_space space() const { return static_cast<memory_space>(packed >> 24 & 3); }
  PASTA_DEVICE constexpr std::uint32_t size_bytes() const { return what() == operation::matrix ? 0 : size_of_access(); }
  /// The same of what is known to be an access.
  PASTA_DEVICE constexpr std::uint32_t size_of_access() const { return static_cast<std::uint32_t>(packed & max_size); }
  /// Of a matrix operation.
  PASTA_DEVICE constexpr matrix_shape shape() const {
    return matrix_shape(static_cast<std::uint32_t>(packed & max_size));
  }

  /// Where lanes wait: lowest line first; on a line loads before stores (a statement's right side is
  /// evaluated before its left), then by column. Equal means the same site (up to a
  /// collision of 26-bit hashes between files).
  PASTA_DEVICE std::uint64_t order() const {
    constexpr std::uint64_t hashed = (1u << 26) - 1;
    return ((packed & ~hashed) | (hash() >> 38)) + 1;
  }
  PASTA_DEVICE std::uint64_t hash() const {
    return (reinterpret_cast<std::uintptr_t>(file) ^ packed * 0x9e3779b97f4a7c15u) * 0xd6e8feb86659fd93u;
  }
  friend constexpr bool operator==(site_key const&, site_key const&) = default;

 private:
  PASTA_DEVICE static constexpr std::uint64_t at_most(std::uint64_t value, std::uint64_t limit) {
    return value < limit ? value : limit;
  }
};

/// What one matrix instruction multiplies, as reports show it: D[m][n] = A[m][k] * B[k][n] + C[m][n].
struct matrix_tile {
  std::uint32_t m = 0, n = 0, k = 0;  ///< of one product; k counts what a sparse factor leaves out; 0: not known
  std::uint32_t products = 1;         ///< that one instruction makes
  std::uint32_t lanes = 0;            ///< that execute one instruction together; 0: the site is no matrix operation
  std::string a, b, d;                ///< element types as PTX names them; empty: not known

  friend bool operator==(matrix_tile const&, matrix_tile const&) = default;
  // NOLINTNEXTLINE(modernize-use-nullptr)
  friend auto operator<=>(matrix_tile const&, matrix_tile const&) = default;
};

/// A site as reports show it.
struct site_info {
  std::string file;
  std::uint32_t line = 0, column = 0;
  operation what = operation::load;
  memory_space space = memory_space::global;
  std::uint32_t size_bytes = 0;  ///< of one lane's access; 0 where the operation moves no memory
  matrix_tile tile = {};         ///< of a matrix operation

  friend bool operator==(site_info const&, site_info const&) = default;
  // The 0 that it is compared with is no pointer. NOLINTNEXTLINE(modernize-use-nullptr)
  friend auto operator<=>(site_info const&, site_info const&) = default;
};

/// @param warp_width lanes of a warp where the kernel ran
inline site_info describe(site_key const& key, std::uint32_t warp_width) {
  site_info site{key.file, key.where().line, key.where().column, key.what(), key.space(), key.size_bytes(), {}};
  if (key.what() != operation::matrix) return site;
  site.tile.lanes = warp_width;
  if (matrix_shape const shape = key.shape(); shape.is_known()) {
    std::string const input(to_string(shape.input())), accumulator(to_string(shape.accumulator()));
    site.tile = {shape.m(), shape.n(), shape.k(), shape.products(), warp_width, input, input, accumulator};
  }
  return site;
}

}  // namespace pasta
#endif
