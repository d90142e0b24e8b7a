// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What an instruction sees of the warp that executes it.
#ifndef PASTA_TESTS_EMULATION_PTX_EXECUTION_HPP
#define PASTA_TESTS_EMULATION_PTX_EXECUTION_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "code.hpp"
#include "fault.hpp"
#include "memory.hpp"

namespace ptx_emulation {

/// One execution of an access of global, shared or local memory, by the lanes that make it together.
struct observed_access {
  op const* what;
  lane_mask lanes;
  const_row addresses;         // of the 32 lanes, as the instruction has them, with its offset
  ptx_emulation::space space;  // generic where the instruction names none
  std::uint32_t bytes;         // of each lane
  std::uint32_t number;        // 1: what a copy writes; else 0
};

/// Sees each access before it is made.
class access_observer {
 public:
  virtual ~access_observer() = default;
  virtual void on_access(observed_access const& made) = 0;
};

class execution {
 public:
  row at(place where) const { return bases[static_cast<std::size_t>(where.where)] + where.index; }

  /// The host's memory behind an address. @param bytes a power of two @throws kernel_fault
  std::byte* locate(op const& what, space where, std::uint64_t address, std::uint32_t bytes, unsigned lane) {
    if ((address & (bytes - 1)) != 0) fail(fault_kind::misaligned_address, what, lane, address);
    if (where == space::generic) where = space_of(address);
    std::uint64_t room = 0;
    std::byte* begin = nullptr;
    switch (where) {
      case space::shared:
        begin = shared, room = shared_bytes;
        break;
      case space::local:
        begin = local + lane * local_stride, room = local_stride;
        break;
      case space::parameter:
        begin = parameters + lane * parameter_bytes, room = parameter_bytes;
        break;
      case space::kernel_parameter:
        begin = kernel_parameters, room = kernel_parameter_bytes;
        break;
      default:
        if (!memory->has(address, bytes)) fail(fault_kind::illegal_address, what, lane, address);
        return reinterpret_cast<std::byte*>(address);
    }
    address &= UINT32_MAX;  // of a generic address its place in the window
    if (address + bytes > room) fail(fault_kind::illegal_address, what, lane, address);
    return begin + address;
  }
  static space space_of(std::uint64_t generic);
  [[noreturn]] void fail(fault_kind kind, op const& what, unsigned lane, std::uint64_t address) const;
  [[noreturn]] void fail(fault_kind kind, op const& what, std::string_view why) const;

  /// Of frame, constants and warp.
  std::array<row, 3> bases{};
  device_memory* memory = nullptr;
  std::byte *shared = nullptr, *local = nullptr, *parameters = nullptr, *kernel_parameters = nullptr;
  std::uint64_t shared_bytes = 0, local_stride = 0, parameter_bytes = 0, kernel_parameter_bytes = 0;
  access_observer* observer = nullptr;
  std::uint64_t const* clock = nullptr;  // instructions that the launch has executed
  std::array<std::uint32_t, 3> block_index{};
  std::uint32_t warp_index = 0;
};

/// What lanes give to each other: they may come from different places.
struct exchange {
  execution* of;
  lane_mask members;  // the mask that all of them named
  lane_mask lanes;    // of them those that are there
  std::uint64_t in[4][warp_lanes], out[2][warp_lanes];
};
/// Places in op::at of an exchange: results, sources, and the mask.
inline constexpr std::size_t exchange_sources = 2, exchange_source_count = 4, exchange_mask = 6;

}  // namespace ptx_emulation
#endif
