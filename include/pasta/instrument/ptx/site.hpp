// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What an instruction does, as far as its text tells: which events one execution of it is, of which size and where the
/// address stands. ptx/classify.hpp makes one.
#ifndef PASTA_INSTRUMENT_PTX_SITE_HPP
#define PASTA_INSTRUMENT_PTX_SITE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <pasta/event.hpp>
#include <pasta/instrument/ptx/site_types.hpp>
#include <span>
#include <string_view>

namespace pasta::ptx {

/// What an instruction is, beside its accesses.
enum class site_kind : std::uint8_t {
  none,       ///< nothing that PASTA reports: arithmetic, fences, votes, shuffles
  access,     ///< reads or writes memory, and nothing else
  copy,       ///< starts an asynchronous copy: its read and its write are accesses, and come in this order
  barrier,    ///< a barrier; what it does to its object in shared memory is not an access
  branch,     ///< lanes decide whether or where control goes on: a guarded bra, ret or exit, any brx
  call,       ///< calls a function
  matrix,     ///< multiplies matrices
  parameter,  ///< moves a parameter: no access, a kernel's lie in a constant bank, a function's mostly in registers
  mention,    ///< names memory, but neither reads nor writes data: a prefetch, a query, a fence on an address
  unknown     ///< has an address operand, and this version does not know the instruction: something may be missed
};

/// Why an event is not known in full before the program runs.
enum class obstacle : std::uint8_t {
  none,
  tensor_map,     ///< address and size stand in a tensor map
  descriptor,     ///< the address stands in a matrix descriptor, which the program packs
  coordinates,    ///< a texture or surface is read or written by coordinates
  tensor_memory,  ///< tensor memory has rows and columns, no addresses
  tile,           ///< rows lie a run-time stride apart: the address is that of the first
  object,         ///< part of an object whose layout is the driver's
  several,        ///< more than two ways to go on
  unknown_type,   ///< the opcode's shape or type is unknown, thus the size
  no_address      ///< no operand in brackets
};
/// Half a line for a report: `address and size stand in a tensor map`. Empty for none.
constexpr std::string_view explain(obstacle why) {
  constexpr std::string_view texts[] = {"",
                                        "address and size stand in a tensor map",
                                        "the address stands in a matrix descriptor",
                                        "a texture or surface is named by coordinates, not by an address",
                                        "tensor memory has no addresses",
                                        "a tile of rows that lie a stride apart",
                                        "part of an object whose layout is the driver's",
                                        "more than two ways to go on",
                                        "the shape or type is unknown to this version",
                                        "no operand in brackets"};
  return texts[static_cast<std::size_t>(why)];
}

/// Who makes an access when a warp executes the instruction.
enum class share : std::uint8_t {
  lane,       ///< each lane its own
  rows,       ///< of a warp that executes together the first access::lanes lanes one each, with their own addresses
  warp,       ///< the warp one, with the address that all its lanes hold
  warp_group  ///< four warps one
};

constexpr std::string_view to_string(share made_by) {
  constexpr std::string_view names[] = {"lane", "rows", "warp", "warp_group"};
  return names[static_cast<std::size_t>(made_by)];
}

enum class size_source : std::uint8_t {
  text,     ///< access::size_bytes
  operand,  ///< access::size_operand holds it [bytes]
  unknown   ///< access::why says the reason
};

/// What may make an access smaller than its size.
enum class limit : std::uint8_t {
  none,
  bytes,               ///< access::limit_operand says how many bytes are read; at 0 none, and there is no access
  predicate,           ///< nothing is read where the predicate in access::limit_operand holds
  bytes_or_predicate,  ///< either: a register, and where it is declared tells. See decide_limit()
  mask                 ///< some bytes in between are left out
};

inline constexpr std::uint8_t no_operand = UINT8_MAX;

/// One read or write.
struct access {
  access_kind kind = access_kind::load;
  state_space space = state_space::generic;
  ptx::share share = ptx::share::lane;
  size_source size = size_source::text;
  ptx::limit limit = ptx::limit::none;
  obstacle why = obstacle::none;
  bool is_multicast = false;                  ///< happens in several blocks or devices at once, counted once
  std::uint8_t lanes = 0;                     ///< with share::rows
  std::uint8_t address_operand = no_operand;  ///< these four: indices in instruction::operands
  std::uint8_t size_operand = no_operand;
  std::uint8_t limit_operand = no_operand;
  std::uint32_t size_bytes = 0;  ///< of what access::share says: a lane's own, a row, or the whole tile of the warp
  bool operator==(access const&) const = default;
};

enum class barrier_role : std::uint8_t {
  synchronize,  ///< arrives and waits
  arrive,
  arrive_later,  ///< has the hardware arrive when copies or products are done
  wait,          ///< waits, or asks: may run any number of times for one phase
  maintain       ///< makes or changes the barrier: init, inval, expect_tx, complete_tx
};

/// D[m][n] = A[m][k] * B[k][n] + C[m][n]. Types as PTX spells them, without a dot: `bf16`, `u8`, `e4m3`.
struct matrix_product {
  std::uint16_t m = 0, n = 0, k = 0;  ///< 0 where they stand in an instruction descriptor
  std::uint8_t count = 1;             ///< products that one execution makes: four for the m8n8k4 of f16
  std::uint8_t lanes = 32;            ///< that execute it together: a warp's, those of four warps, or one
  bool is_sparse = false;             ///< half of A is zero and left out; k counts it
  std::string_view a, b, d;           ///< element types; empty where they stand in an instruction descriptor
  bool operator==(matrix_product const&) const = default;
};

struct site {
  static constexpr std::size_t max_accesses = 6;

  site_kind kind = site_kind::none;
  obstacle why = obstacle::none;                  ///< of the event that is not an access
  barrier_scope scope = barrier_scope::block;     ///< barrier
  barrier_role role = barrier_role::synchronize;  ///< barrier
  bool is_indirect = false;                       ///< call: through a register
  std::uint8_t operand = no_operand;              ///< barrier: its object's address; call: the callee
  matrix_product product;                         ///< matrix

  std::uint8_t access_count = 0;
  std::array<access, max_accesses> all;
  std::span<access const> accesses() const { return {all.data(), access_count}; }
  void add(access const& what) {
    if (access_count < max_accesses) all[access_count++] = what;
  }
};

/// Whether lanes arrive at a barrier here, which is what the event `barrier` means.
constexpr bool is_arrival(site const& where) {
  return where.kind == site_kind::barrier &&
         (where.role == barrier_role::synchronize || where.role == barrier_role::arrive);
}

/// Settles limit::bytes_or_predicate. @param type of the register as it is declared: `.pred`, `.b32`.
constexpr void decide_limit(site& where, std::string_view type) {
  for (access& each : where.all) {
    if (each.limit == limit::bytes_or_predicate) each.limit = type == ".pred" ? limit::predicate : limit::bytes;
  }
}

}  // namespace pasta::ptx
#endif
