// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// A warp: parts of it that run in turn.
#ifndef PASTA_TESTS_EMULATION_PTX_WARP_HPP
#define PASTA_TESTS_EMULATION_PTX_WARP_HPP

#include <cstdint>
#include <list>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "execution.hpp"
#include "launch.hpp"
#include "parts.hpp"

namespace ptx_emulation {

class block;

/// What all warps of a launch share.
struct launch_state {
  program const* from;
  launch_options const* options;
  std::minstd_rand random;
  std::uint64_t instructions = 0;
};

class warp {
 public:
  /// @param lanes those that have a thread @param view what is the same for all warps of the block
  warp(launch_state& launch, block& of, code const& kernel, lane_mask lanes, execution const& view);

  /// Executes about so many instructions, as long as one of its parts can. @return whether any was
  bool run(std::uint32_t turns);
  lane_mask alive() const { return alive_; }
  row special(warp_row which) { return &specials_[which * std::size_t{warp_lanes}]; }

  /// Lets go on who waits at a barrier of the block. @param count lanes whose predicate holds, of those that came
  void release(std::uint32_t barrier, std::uint64_t count, std::uint64_t lanes_there);
  /// Where lanes wait at a barrier of the block, others go on that wait for them where they should meet, as ptxas has
  /// it. @return whether there are any
  bool go_on_alone();
  std::list<part> const& parts() const { return parts_; }
  execution const& view() const { return view_; }
  /// A line for each part and meeting that waits.
  void describe(std::string& text) const;

 private:
  using part_at = std::list<part>::iterator;

  void execute(part_at now, std::uint32_t& turns);
  /// @return whether the part can go on at once; else it may be gone
  bool control(part_at now, op const& what, lane_mask lanes);
  bool jump(part_at now, op const& what, lane_mask lanes);
  bool indexed_jump(part_at now, op const& what, lane_mask lanes);
  bool call(part_at now, op const& what);
  bool call_by_address(part_at now, op const& what);
  bool exchange_values(part_at now, op const& what);
  bool wait_for_block(part_at now, op const& what);
  void go_back(part_at now);
  void end_lanes(part_at now, lane_mask lanes);

  /// Parts these lanes from others; they come at `to` later, and all meet at the point.
  part_at split(part_at now, lane_mask lanes, std::uint32_t to, std::uint32_t point);
  void arrive(part_at now);
  void resume(std::shared_ptr<meeting> const& at);
  void forget(std::shared_ptr<meeting> from, frame const* only_of, lane_mask lanes);
  void lose_patience(part const& running);
  void join_released_parts();
  void finish_exchanges();
  enum class exchanged : std::uint8_t { waits, alone, with_others };  // the last may have joined the part to another
  exchanged try_exchange(part& asking);
  void enter(part const& now);
  std::shared_ptr<frame> make_frame(code const& function, std::shared_ptr<frame> caller, std::uint32_t called_by);

  launch_state* launch_;
  block* block_;
  execution view_;
  std::vector<std::uint64_t> specials_;
  std::vector<std::byte> local_;
  std::list<part> parts_;
  std::vector<std::shared_ptr<meeting>> meetings_;  // where lanes have arrived
  lane_mask alive_;
  std::uint64_t executed_ = 0;
};

}  // namespace ptx_emulation
#endif
