// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// What a part of a warp does with others: calls, exchanges, barriers.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "block.hpp"
#include "warp.hpp"

namespace ptx_emulation {

namespace {

// One value of a call from one frame to another.
void hand_over(execution const& source, frame& from, call_argument const& of, frame& to, call_argument const& into,
               lane_mask lanes) {
  std::size_t const from_bytes = from.function->parameter_bytes, to_bytes = to.function->parameter_bytes;
  std::size_t const bytes = std::min(of.bytes == 0 ? into.bytes : of.bytes, into.bytes == 0 ? of.bytes : into.bytes);
  for_lanes(lanes, [&](unsigned i) {
    std::uint64_t value = 0;
    std::byte const* read = reinterpret_cast<std::byte const*>(&value);
    if (of.is_parameter) {
      read = &from.parameters[i * from_bytes + of.offset];
    } else {
      value = of.value.where == storage::frame ? from.rows[of.value.index + i] : source.at(of.value)[i];
    }
    if (into.is_parameter) {
      std::memcpy(&to.parameters[i * to_bytes + into.offset], read, bytes);
    } else {
      std::uint64_t word = 0;
      std::memcpy(&word, read, std::min(bytes, sizeof word));
      to.rows[into.value.index + i] = word;
    }
  });
}

}  // namespace

bool warp::call(part_at now, op const& what) {
  code const& callee = *what.call->callee;
  std::shared_ptr<frame> const made = make_frame(callee, now->where, now->at);
  for (std::size_t i = 0; i < what.call->arguments.size(); ++i)
    hand_over(view_, *now->where, what.call->arguments[i], *made, callee.parameters[i], now->lanes);
  now->where = made;
  now->at = 0;
  enter(*now);
  return true;
}

bool warp::call_by_address(part_at now, op const& what) {
  const_row const address = view_.at(what.at[0]);
  std::uint64_t const first = address[std::countr_zero(now->lanes)];
  lane_mask others = 0;
  for_lanes(now->lanes, [&](unsigned i) { others |= static_cast<lane_mask>(address[i] != first) << i; });
  // Lanes that call another function come to the same call in their turn.
  if (others != 0) split(now, others, now->at, now->at + 1);
  code const* const callee = launch_->from->function_at(first);
  bool const fits = callee != nullptr && callee->is_defined &&
                    callee->parameters.size() == what.call->arguments.size() &&
                    callee->results.size() == what.call->results.size();
  if (!fits) view_.fail(fault_kind::illegal_address, what, fmt::format("at {:#x} is no such function", first));
  std::shared_ptr<frame> const made = make_frame(*callee, now->where, now->at);
  for (std::size_t i = 0; i < what.call->arguments.size(); ++i)
    hand_over(view_, *now->where, what.call->arguments[i], *made, callee->parameters[i], now->lanes);
  now->where = made;
  now->at = 0;
  enter(*now);
  return true;
}

void warp::go_back(part_at now) {
  std::shared_ptr<frame> const from = now->where;
  if (!from->caller) return end_lanes(now, now->lanes);
  lane_mask const lanes = now->lanes;
  std::shared_ptr<meeting> const inner = now->top;
  while (now->top && now->top->where == from) now->top = now->top->outer;
  now->where = from->caller;
  now->at = from->called_by + 1;
  op const& called = from->caller->function->ops[from->called_by];
  for (std::size_t i = 0; i < called.call->results.size(); ++i)
    hand_over(view_, *from, from->function->results[i], *now->where, called.call->results[i], lanes);
  forget(inner, from.get(), lanes);
}

bool warp::exchange_values(part_at now, op const& what) {
  const_row const masks = view_.at(what.at[exchange_mask]);
  auto const members = static_cast<lane_mask>(masks[std::countr_zero(now->lanes)]);
  lane_mask others = 0;
  for_lanes(now->lanes, [&](unsigned i) { others |= static_cast<lane_mask>(masks[i] != members) << i; });
  // Lanes that name another mask come to the same instruction in their turn.
  if (others != 0) split(now, others, now->at, now->at + 1);
  if ((now->lanes & ~members) != 0)
    view_.fail(fault_kind::illegal_instruction, what,
               fmt::format("of the lanes {:#010x} not all are in the mask {:#010x}", now->lanes, members));
  now->state = waiting::for_lanes;
  now->members = members;
  // Behind an exchange with others the part may be one with another.
  return try_exchange(*now) == exchanged::alone;
}

// Lanes of one mask that came to an instruction of the same kind, wherever it stands.
warp::exchanged warp::try_exchange(part& asking) {
  op const& what = asking.next();
  lane_mask const members = asking.members;
  auto const takes_part = [&](part const& each) {
    return each.state == waiting::for_lanes && each.members == members && each.next().exchange == what.exchange;
  };
  exchange values;
  values.of = &view_;
  values.members = members;
  values.lanes = 0;
  for (part const& each : parts_) {
    if (takes_part(each)) values.lanes |= each.lanes;
  }
  if ((members & alive_ & ~values.lanes) != 0) return exchanged::waits;
  bool const is_alone = values.lanes == asking.lanes;
  for (part const& each : parts_) {
    if (!takes_part(each)) continue;
    enter(each);
    for (std::size_t n = 0; n < exchange_source_count; ++n) {
      const_row const from = view_.at(each.next().at[exchange_sources + n]);
      for_lanes(each.lanes, [&](unsigned i) { values.in[n][i] = from[i]; });
    }
  }
  std::memset(values.out, 0, sizeof values.out);
  what.exchange(values, what);
  for (part& each : parts_) {
    if (!takes_part(each)) continue;
    enter(each);
    op const& mine = each.next();
    for (std::size_t n = 0; n < 2; ++n) {
      row const to = view_.at(mine.at[n]);
      for_lanes(each.lanes, [&](unsigned i) { to[i] = values.out[n][i]; });
    }
    each.state = waiting::not_at_all;
    each.is_released = true;
    ++each.at;
  }
  if (is_alone) {
    asking.is_released = false;
    return exchanged::alone;
  }
  join_released_parts();
  return exchanged::with_others;
}

// Lanes that waited for each other at one place go on as one. Others may be there by chance: they stay apart.
void warp::join_released_parts() {
  for (auto first = parts_.begin(); first != parts_.end(); ++first) {
    if (!first->is_released) continue;
    first->is_released = false;
    for (auto other = std::next(first); other != parts_.end();) {
      bool const is_equal =
          other->is_released && first->at == other->at && first->where == other->where && first->top == other->top;
      if (is_equal) first->lanes |= other->lanes;
      other = is_equal ? parts_.erase(other) : std::next(other);
    }
  }
}

// Lanes that ended are waited for no more.
void warp::finish_exchanges() {
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (part& each : parts_) {
      if (each.state != waiting::for_lanes || try_exchange(each) == exchanged::waits) continue;
      has_changed = true;
      break;
    }
  }
}

bool warp::wait_for_block(part_at now, op const& what) {
  const_row const number = view_.at(what.at[1]), threads = view_.at(what.at[2]), holds = view_.at(what.at[3]);
  auto const first = static_cast<unsigned>(std::countr_zero(now->lanes));
  barrier_arrival made;
  made.barrier = static_cast<std::uint32_t>(number[first]);
  made.threads = what.value != 0 ? static_cast<std::uint32_t>(threads[first]) : 0;
  made.kind = static_cast<barrier_kind>(what.variant);
  made.lanes = static_cast<std::uint32_t>(std::popcount(now->lanes));
  for_lanes(now->lanes, [&](unsigned i) { made.holds += (holds[i] != 0) != what.inverts[0] ? 1U : 0U; });
  for_lanes(now->lanes, [&](unsigned i) {
    if (number[i] != number[first])
      view_.fail(fault_kind::illegal_instruction, what, "lanes that are together name different barriers");
  });
  if (made.barrier >= 16 || made.threads % warp_lanes != 0)
    view_.fail(fault_kind::illegal_instruction, what,
               "the barrier is none of the 16, or its threads are no whole warps");
  if (made.kind != barrier_kind::arrive) {
    now->state = waiting::for_block;
    now->barrier = made.barrier;
  } else {
    ++now->at;
  }
  block_->arrive(made);
  // Where it was the last it has gone on, perhaps as a part of another.
  return false;
}

void warp::release(std::uint32_t barrier, std::uint64_t count, std::uint64_t lanes_there) {
  for (part& each : parts_) {
    if (each.state != waiting::for_block || each.barrier != barrier) continue;
    op const& what = each.next();
    auto const kind = static_cast<barrier_kind>(what.variant);
    std::uint64_t const value = kind == barrier_kind::count ? count
                                : kind == barrier_kind::all ? count == lanes_there
                                                            : count != 0;
    enter(each);
    row const to = view_.at(what.at[0]);
    for_lanes(each.lanes, [&](unsigned i) { to[i] = value; });
    each.state = waiting::not_at_all;
    each.is_released = true;
    ++each.at;
  }
  join_released_parts();
}

}  // namespace ptx_emulation
