// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Accesses whose address goes on by the same step in each turn of their loop.
#ifndef PASTA_INSTRUMENT_PTX_STRIDES_HPP
#define PASTA_INSTRUMENT_PTX_STRIDES_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <pasta/instrument/ptx/detail/loop_values.hpp>
#include <pasta/instrument/ptx/loops.hpp>
#include <pasta/instrument/ptx/module.hpp>
#include <pasta/instrument/ptx/narrow_step.hpp>
#include <pasta/instrument/ptx/register_scopes.hpp>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace pasta::ptx {

/// Where a thread goes through a turn of the loop without the access, or comes to the loop anew. It may be more often:
/// a break too many changes nothing that is said of strides.
struct run_break {
  enum class place : std::uint8_t {
    before,  ///< before the statement, where no label leads to it
    jump     ///< on the way that the jump takes: a `bra` of the body's own scope
  };
  std::size_t statement;
  place where;
  bool operator==(run_break const&) const = default;
};

struct stride {
  /// From one turn to the next [bytes], modulo 2^64. None: each thread has one of its own, and the same in all
  /// turns from its coming into the loop to its leaving it.
  std::optional<std::uint64_t> step;
  std::vector<run_break> breaks;
  std::vector<narrow_step> narrow;  ///< values that are to be looked at in each turn
};

/// Finds strides in one function. What it says holds for each thread by itself, however threads come together: a
/// thread that had the access twice, and came by no break in between, went around the loop once, and the second
/// address is `step` behind the first, modulo 2^64.
class strides {
 public:
  /// @param body a definition of the module @param all its loops; both must outlive this
  strides(module const& from, function const& body, loops const& all);

  /// @param statement an instruction @param base what its address is relative to: a register of 64 bits, a symbol or a
  /// number
  /// @return none if no step is known: the access is in no loop, or may come several times in a turn, or its address
  /// does not go on by steps
  std::optional<stride> find(std::size_t statement, std::string_view base);

 private:
  std::size_t block_of(std::size_t statement) const;
  std::vector<run_break> find_breaks(natural_loop const& in, std::size_t block) const;

  ptx::module const* from_;
  function const* body_;
  loops const* loops_;
  register_scopes registers_;  // those of the body's own scope
  std::unordered_map<natural_loop const*, detail::loop_values> values_;
};

}  // namespace pasta::ptx

#include <pasta/instrument/ptx/detail/strides.inl>
#endif
