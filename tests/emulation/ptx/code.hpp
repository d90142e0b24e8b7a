// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// A function in the form that is executed: names are resolved to rows, labels to numbers of instructions.
#ifndef PASTA_TESTS_EMULATION_PTX_CODE_HPP
#define PASTA_TESTS_EMULATION_PTX_CODE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lanes.hpp"
#include "scalar.hpp"

namespace ptx_emulation {

/// Where a row lies.
enum class storage : std::uint8_t {
  frame,      // a register of the function
  constants,  // numbers and addresses of the module
  warp        // special registers
};
struct place {
  storage where = storage::frame;
  std::uint32_t index = 0;  // of its first value
};

/// Rows of each frame that are no register of the program.
enum frame_row : std::uint32_t { sink_row, carry_row, first_register_row };
enum warp_row : std::uint32_t {
  tid_row,  // x, y, z
  ntid_row = tid_row + 3,
  ctaid_row = ntid_row + 3,
  nctaid_row = ctaid_row + 3,
  laneid_row = nctaid_row + 3,
  warpid_row,
  nwarpid_row,
  smid_row,
  nsmid_row,
  gridid_row,
  lanemask_eq_row,
  lanemask_lt_row,
  lanemask_le_row,
  lanemask_gt_row,
  lanemask_ge_row,
  dynamic_smem_size_row,
  total_smem_size_row,
  dynamic_begin_row,  // of dynamic shared memory
  zero_row,
  warp_row_count
};

enum class space : std::uint8_t { generic, global, constant, shared, local, parameter, kernel_parameter };

class execution;
struct op;
struct exchange;
using action = void (*)(execution&, op const&, lane_mask);
using exchange_action = void (*)(exchange&, op const&);

enum class flow : std::uint8_t {
  next,
  jump,
  indexed_jump,
  call,
  indirect_call,
  to_caller,
  exit,
  trap,
  exchange,  // waits for the lanes of a mask
  barrier,   // waits for the block
  pause      // nanosleep
};
enum class barrier_kind : std::uint8_t { sync, arrive, any, all, count };

/// No instruction.
inline constexpr std::uint32_t nowhere = UINT32_MAX;

struct call_plan;

struct op {
  action run = nullptr;
  exchange_action exchange = nullptr;
  flow to = flow::next;
  bool has_guard = false, is_negated = false;
  ptx_emulation::space space = ptx_emulation::space::generic;
  std::uint8_t count = 1;    // elements of a vector
  std::uint8_t variant = 0;  // what it means the action says
  bool inverts[3] = {};      // sources that are `!p`
  scalar type, from;         // from: a conversion's source
  place guard;
  std::array<place, 11> at{};          // results first
  std::vector<place> more;             // registers of a product of matrices
  std::int64_t value = 0;              // offset of an address, or a number of the action's
  std::uint32_t target = nowhere;      // of a jump
  std::uint32_t meeting = nowhere;     // where lanes that a jump parts meet again
  std::vector<std::uint32_t> targets;  // of an indexed jump
  std::shared_ptr<call_plan const> call;
  std::uint32_t line = 0;
  std::string_view text;
};

struct code;
/// What a call hands over: from a parameter or a register to a parameter or a register.
struct call_argument {
  bool is_parameter = false;
  place value;               // of a register or number
  std::uint32_t offset = 0;  // in the frame's parameters [bytes]
  std::uint32_t bytes = 0;
};
struct call_plan {
  code const* callee = nullptr;  // null: by its address, at[0]
  std::vector<call_argument> arguments, results;
};

struct local_variable {
  std::uint32_t row, offset;  // its address in local memory is the frame's begin + offset
};
struct code {
  std::string_view name;
  bool is_entry = false, is_defined = false;
  std::vector<op> ops;
  std::vector<std::uint64_t> constants;  // rows
  std::uint32_t rows = first_register_row;
  std::uint32_t parameter_bytes = 0;  // of the frame: its own parameters, and those that it hands over
  std::uint32_t local_bytes = 0;
  std::vector<local_variable> locals;
  std::vector<call_argument> parameters, results;
  std::vector<std::uint32_t> parameter_sizes;  // for a launch [bytes]
};

}  // namespace ptx_emulation
#endif
