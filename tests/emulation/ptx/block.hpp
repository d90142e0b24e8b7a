// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// A block: its warps, its shared memory, its barriers.
#ifndef PASTA_TESTS_EMULATION_PTX_BLOCK_HPP
#define PASTA_TESTS_EMULATION_PTX_BLOCK_HPP

#include <array>
#include <cstdint>
#include <list>
#include <span>
#include <string>
#include <vector>

#include "warp.hpp"

namespace ptx_emulation {

/// Lanes of one warp that come to a barrier together.
struct barrier_arrival {
  std::uint32_t barrier = 0, threads = 0;  // threads that the instruction names; 0: all of the block
  barrier_kind kind = barrier_kind::sync;
  std::uint32_t lanes = 0, holds = 0;  // holds: lanes whose predicate does
};

class block {
 public:
  block(launch_state& launch, code const& kernel, launch_shape const& shape, std::array<std::uint32_t, 3> index,
        std::uint32_t multiprocessor, std::span<std::byte const> parameters, device_memory& memory);
  block(block const&) = delete;
  block& operator=(block const&) = delete;

  /// Each warp in turn. @return whether any could
  bool run();
  /// See warp.
  bool go_on_alone();
  bool is_done() const;
  void describe(std::string& text) const;

  void arrive(barrier_arrival const& made);
  /// Barriers of all threads wait for those no more that ended.
  void lanes_ended();

 private:
  struct state {
    std::uint32_t arrived = 0, holds = 0, threads = 0;
    bool is_waited_for = false;
  };
  void try_release(std::uint32_t barrier);

  launch_state* launch_;
  std::vector<std::byte> shared_, parameters_;
  std::array<state, 16> barriers_{};
  std::list<warp> warps_;
};

}  // namespace ptx_emulation
#endif
