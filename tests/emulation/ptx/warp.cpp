// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "warp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "block.hpp"
#include "spaces.hpp"

namespace ptx_emulation {

namespace {

// What registers and local memory hold before they are written: nothing that a program could use by chance.
constexpr std::uint64_t unwritten = 0xa5a5a5a5a5a5a5a5;

// Most predicates are the same in all lanes, which is found out faster.
lane_mask true_lanes(const_row predicate) {
  std::uint64_t any = 0, count = 0;
  for (unsigned i = 0; i < warp_lanes; ++i) any |= predicate[i], count += predicate[i] & 1;
  if (any == 0) return 0;
  if (any == 1 && count == warp_lanes) return all_lanes;
  lane_mask yes = 0;
  for (unsigned i = 0; i < warp_lanes; ++i) yes |= static_cast<lane_mask>(predicate[i] != 0) << i;
  return yes;
}

}  // namespace

warp::warp(launch_state& launch, block& of, code const& kernel, lane_mask lanes, execution const& view)
    : launch_(&launch), block_(&of), view_(view), specials_(warp_row_count * std::size_t{warp_lanes}), alive_(lanes) {
  part all;
  all.lanes = lanes;
  all.where = make_frame(kernel, nullptr, 0);
  parts_.push_back(std::move(all));
  view_.bases[static_cast<std::size_t>(storage::warp)] = specials_.data();
}

std::shared_ptr<frame> warp::make_frame(code const& function, std::shared_ptr<frame> caller, std::uint32_t called_by) {
  auto made = std::make_shared<frame>();
  made->function = &function;
  made->rows.assign(function.rows * std::size_t{warp_lanes}, unwritten);
  made->parameters.resize(function.parameter_bytes * std::size_t{warp_lanes});
  made->local_begin = caller ? caller->local_end : first_local;
  made->local_end = made->local_begin + (function.local_bytes + 15) / 16 * 16;
  if (!function.locals.empty()) {
    if (made->local_end > local_bytes_per_lane)
      throw kernel_fault(fault_kind::illegal_address, fmt::format("{}: the stack is full", function.name));
    if (local_.empty()) local_.resize(local_bytes_per_lane * std::size_t{warp_lanes}, std::byte{0xa5});
    view_.local = local_.data();
    view_.local_stride = local_bytes_per_lane;
    for (local_variable const& each : function.locals)
      std::fill_n(&made->rows[each.row], warp_lanes, std::uint64_t{made->local_begin + each.offset});
  }
  made->caller = std::move(caller);
  made->called_by = called_by;
  return made;
}

// Makes a part's frame the one that actions see.
void warp::enter(part const& now) {
  view_.bases[static_cast<std::size_t>(storage::frame)] = now.where->rows.data();
  view_.bases[static_cast<std::size_t>(storage::constants)] =
      const_cast<row>(now.where->function->constants.data());  // nothing writes to a constant: it is no destination
  view_.parameters = now.where->parameters.data();
  view_.parameter_bytes = now.where->function->parameter_bytes;
}

bool warp::run(std::uint32_t turns) {
  bool has_run = false;
  while (turns > 0) {
    auto const now =
        std::find_if(parts_.begin(), parts_.end(), [](part const& each) { return each.state == waiting::not_at_all; });
    if (now == parts_.end()) return has_run;
    has_run = true;
    execute(now, turns);
  }
  return has_run;
}

// Until the part waits, is gone, or the turns are over.
void warp::execute(part_at now, std::uint32_t& turns) {
  enter(*now);
  part& mine = *now;
  std::vector<op> const* ops = &mine.where->function->ops;
  for (;;) {
    if (mine.top && mine.at == mine.top->point && mine.where == mine.top->where) return arrive(now);
    if (mine.at == ops->size()) return go_back(now);
    if (turns == 0) break;
    op const& what = (*ops)[mine.at];
    lane_mask lanes = mine.lanes;
    if (what.has_guard) {
      lane_mask const yes = true_lanes(view_.at(what.guard));
      lanes &= what.is_negated ? ~yes : yes;
    }
    --turns;
    ++executed_;
    if (++launch_->instructions > launch_->options->most_instructions)
      view_.fail(fault_kind::endless, what, "the launch has executed more instructions than it may have");
    if (what.to == flow::next) {
      if (lanes != 0) what.run(view_, what, lanes);
      ++mine.at;
      continue;
    }
    if (!control(now, what, lanes)) return;
    ops = &mine.where->function->ops;  // a call has made another frame
  }
  // The others come first the next time.
  lose_patience(mine);
  parts_.splice(parts_.end(), parts_, now);
}

bool warp::control(part_at now, op const& what, lane_mask lanes) {
  if (lanes == 0) {
    ++now->at;
    return true;
  }
  lane_mask const others = now->lanes & ~lanes;
  switch (what.to) {
    case flow::jump:
      return jump(now, what, lanes);
    case flow::indexed_jump:
      return indexed_jump(now, what, lanes);
    case flow::trap:
      view_.fail(fault_kind::trap, what, "trap");
    case flow::exit:
      if (others != 0) ++now->at;
      end_lanes(now, lanes);
      return false;
    case flow::pause:
      ++now->at;
      lose_patience(*now);
      parts_.splice(parts_.end(), parts_, now);
      return false;
    case flow::to_caller:
      if (!now->where->caller) {
        if (others != 0) ++now->at;
        end_lanes(now, lanes);
        return false;
      }
      if (others != 0) split(now, others, now->at + 1, what.meeting);
      now->at = static_cast<std::uint32_t>(now->where->function->ops.size());
      return true;
    default:
      break;
  }
  // Lanes that the guard leaves out wait behind the instruction.
  if (others != 0) split(now, others, now->at + 1, now->at + 1);
  switch (what.to) {
    case flow::call:
      return call(now, what);
    case flow::indirect_call:
      return call_by_address(now, what);
    case flow::exchange:
      return exchange_values(now, what);
    default:
      return wait_for_block(now, what);
  }
}

bool warp::jump(part_at now, op const& what, lane_mask lanes) {
  lane_mask const others = now->lanes & ~lanes;
  if (others == 0) {
    now->at = what.target;
    return true;
  }
  // Either side may go first.
  bool const jumps_first = (launch_->random() >> 8 & 1) != 0;
  if (jumps_first) {
    split(now, others, now->at + 1, what.meeting);
    now->at = what.target;
  } else {
    split(now, lanes, what.target, what.meeting);
    ++now->at;
  }
  return true;
}

bool warp::indexed_jump(part_at now, op const& what, lane_mask lanes) {
  const_row const index = view_.at(what.at[0]);
  if (lane_mask const others = now->lanes & ~lanes; others != 0) split(now, others, now->at + 1, what.meeting);
  std::array<std::uint32_t, warp_lanes> to{};
  for_lanes(now->lanes, [&](unsigned i) {
    std::uint64_t const number = index[i] & UINT32_MAX;
    if (number >= what.targets.size())
      view_.fail(fault_kind::illegal_instruction, what, "the index is beyond the list of targets");
    to[i] = what.targets[number];
  });
  for (;;) {
    std::uint32_t const target = to[static_cast<std::size_t>(std::countr_zero(now->lanes))];
    lane_mask same = 0;
    for_lanes(now->lanes, [&](unsigned i) { same |= static_cast<lane_mask>(to[i] == target) << i; });
    if (same == now->lanes) {
      now->at = target;
      return true;
    }
    split(now, same, target, what.meeting);
  }
}

warp::part_at warp::split(part_at now, lane_mask lanes, std::uint32_t to, std::uint32_t point) {
  bool const is_known = now->top && now->top->where == now->where && now->top->point == point;
  if (point != nowhere && !is_known && launch_->options->meets == reconvergence::ideal) {
    auto made = std::make_shared<meeting>();
    made->where = now->where;
    made->point = point;
    made->expected = now->lanes;
    made->outer = now->top;
    now->top = std::move(made);
  }
  part other = *now;
  other.lanes = lanes;
  other.at = to;
  now->lanes &= ~lanes;
  return parts_.insert(std::next(now), std::move(other));
}

void warp::arrive(part_at now) {
  std::shared_ptr<meeting> const at = now->top;
  if (at->arrived == 0) meetings_.push_back(at);
  at->arrived |= now->lanes;
  at->since = executed_;
  parts_.erase(now);
  if (at->arrived == at->expected) resume(at);
}

void warp::resume(std::shared_ptr<meeting> const& at) {
  part together;
  together.lanes = at->arrived;
  together.at = at->point;
  together.where = at->where;
  together.top = at->outer;
  parts_.push_front(std::move(together));
  at->expected &= ~at->arrived;
  at->arrived = 0;
  std::erase(meetings_, at);
}

// These lanes come to none of the meetings, or to none of those of a frame.
void warp::forget(std::shared_ptr<meeting> from, frame const* only_of, lane_mask lanes) {
  for (; from && (only_of == nullptr || from->where.get() == only_of); from = from->outer) {
    from->expected &= ~lanes;
    if (from->arrived != 0 && from->arrived == from->expected) resume(from);
  }
}

void warp::lose_patience(part const& running) {
  for (std::shared_ptr<meeting> each = running.top; each; each = each->outer) {
    if (each->arrived != 0 && executed_ - each->since > launch_->options->patience) resume(each);
  }
}

bool warp::go_on_alone() {
  bool const is_waited_for =
      std::any_of(parts_.begin(), parts_.end(), [](part const& each) { return each.state == waiting::for_block; });
  if (!is_waited_for) return false;
  auto const all = meetings_;
  for (std::shared_ptr<meeting> const& each : all) {
    if (each->arrived != 0) resume(each);
  }
  return !all.empty();
}

void warp::end_lanes(part_at now, lane_mask lanes) {
  std::shared_ptr<meeting> const top = now->top;
  alive_ &= ~lanes;
  now->lanes &= ~lanes;
  if (now->lanes == 0) parts_.erase(now);
  forget(top, nullptr, lanes);
  finish_exchanges();
  block_->lanes_ended();
}

void warp::describe(std::string& text) const {
  auto const add = [&](lane_mask lanes, op const& at, std::string_view why) {
    text += fmt::format("\n  block ({}, {}, {}), warp {}, lanes {:#010x}: line {}: {}: {}", view_.block_index[0],
                        view_.block_index[1], view_.block_index[2], view_.warp_index, lanes, at.line, at.text, why);
  };
  for (part const& each : parts_) {
    add(each.lanes, each.next(),
        each.state == waiting::for_block ? "waits for the block"
                                         : fmt::format("waits for the lanes {:#010x}", each.members));
  }
  for (auto const& each : meetings_) {
    std::vector<op> const& ops = each->where->function->ops;
    add(each->arrived, ops[std::min<std::size_t>(each->point, ops.size() - 1)],
        fmt::format("waits to go on with the lanes {:#010x}", each->expected & ~each->arrived));
  }
}

}  // namespace ptx_emulation
