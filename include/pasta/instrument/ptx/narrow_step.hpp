// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Values of 32 bits that go on by steps, in addresses of 64.
#ifndef PASTA_INSTRUMENT_PTX_NARROW_STEP_HPP
#define PASTA_INSTRUMENT_PTX_NARROW_STEP_HPP

#include <cstdint>
#include <string_view>

namespace pasta::ptx {

/// A value of 32 bits that an address is made of. In 32 bits it goes on by a step in each turn; the address does only
/// where that leads not beyond what they hold: from 2^32 - 1, or signed 2^31 - 1, and back. What is said of strides is
/// so from one turn to the next if the value of the next turn, where its access is, minus the step is in that range.
struct narrow_step {
  std::string_view value;    ///< register of 32 bits
  std::uint32_t step = 0;    ///< modulo 2^32; one above 2^31 - 1 leads back
  std::string_view by = {};  ///< the register of 32 bits that is the step; empty: it is `step`
  bool is_signed = false;    ///< made 64 bits as
  bool operator==(narrow_step const&) const = default;
};

}  // namespace pasta::ptx
#endif
