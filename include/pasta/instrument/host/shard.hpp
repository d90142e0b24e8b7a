// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// One worker's private copy of what the tools of a run collect about one kernel.
#ifndef PASTA_INSTRUMENT_HOST_SHARD_HPP
#define PASTA_INSTRUMENT_HOST_SHARD_HPP

#include <atomic>
#include <bit>
#include <memory>
#include <pasta/instrument/site.hpp>
#include <pasta/instrument/states.hpp>
#include <vector>

namespace pasta {

/// What is kept about one site. Rows never move.
template <class List>
struct site_row {
  site_key key;
  site_id number = 0;
  std::uint64_t executions = 0;  ///< [lanes]
  typename detail::states_of<List>::site states{};
};

/// Written by one worker only, without locks. Others read it when the worker is idle; a crash reporter may read at any
/// time and then sees each row either whole or not at all, with values that may be one event behind.
template <class List>
class shard {
 public:
  /// The row of a site; made when it is asked for the first time.
  PASTA_ALWAYS_INLINE site_row<List>& row(site_key const& key) {
    if (slots_.empty()) return add(key);
    std::size_t slot = key.hash() >> shift_;
    for (;; slot = (slot + 1) & (slots_.size() - 1)) {
      site_row<List>* const found = slots_[slot];
      if (found == nullptr) return add(key);
      if (found->key == key) return *found;
    }
  }

  template <class Function>
  void for_each_row(Function&& f) const {
    std::size_t left = row_count_.load(std::memory_order_acquire);
    for (chunk const* part = first_.get(); left > 0; part = part->next.get()) {
      for (std::size_t i = 0; i < part->capacity && left > 0; ++i, --left) f(part->rows[i]);
    }
  }

  /// Merges another shard of the same kernel into this one. While no worker writes to either.
  void absorb(shard const& other) {
    other.for_each_row([&](site_row<List> const& from) {
      site_row<List>& into = row(from.key);
      into.executions += from.executions;
      detail::merge_states(into.states, from.states);
    });
    detail::merge_states(kernel_states, other.kernel_states);
    detail::merge_states(launch_states, other.launch_states);
    mismatched_exchanges += other.mismatched_exchanges;
  }

  typename detail::states_of<List>::kernel kernel_states{};
  typename detail::states_of<List>::launch launch_states{};
  std::uint64_t mismatched_exchanges = 0;  ///< warp operations of handlers that not all lanes of their mask reached

 private:
  static constexpr std::size_t first_capacity = 4, largest_capacity = 64, first_slot_count = 16;
  struct chunk {
    explicit chunk(std::size_t size) : capacity(size), rows(std::make_unique<site_row<List>[]>(size)) {}
    std::size_t capacity;
    std::unique_ptr<site_row<List>[]> rows;
    std::unique_ptr<chunk> next;
  };

  PASTA_NEVER_INLINE site_row<List>& add(site_key const& key) {
    std::size_t const count = row_count_.load(std::memory_order_relaxed);
    if (first_ == nullptr) {
      first_ = std::make_unique<chunk>(first_capacity);
      last_ = first_.get();
    } else if (used_of_last_ == last_->capacity) {
      last_->next = std::make_unique<chunk>(std::min(2 * last_->capacity, largest_capacity));
      last_ = last_->next.get();
      used_of_last_ = 0;
    }
    site_row<List>& row = last_->rows[used_of_last_++];
    row.key = key;
    row.number = static_cast<site_id>(count);
    if (2 * (count + 1) > slots_.size()) grow();
    insert(row);
    row_count_.store(count + 1, std::memory_order_release);
    return row;
  }

  void insert(site_row<List>& row) {
    std::size_t slot = row.key.hash() >> shift_;
    while (slots_[slot] != nullptr) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = &row;
  }

  void grow() {
    slots_.assign(slots_.empty() ? first_slot_count : 2 * slots_.size(), nullptr);
    shift_ = 64u - static_cast<std::uint32_t>(std::countr_zero(slots_.size()));
    std::size_t left = row_count_.load(std::memory_order_relaxed);
    for (chunk* part = first_.get(); left > 0; part = part->next.get()) {
      for (std::size_t i = 0; i < part->capacity && left > 0; ++i, --left) insert(part->rows[i]);
    }
  }

  std::vector<site_row<List>*> slots_;  // open addressing, at most half full, a power of two
  std::uint32_t shift_ = 0;             // slots_.size() == 2^(64 - shift_)
  std::atomic<std::size_t> row_count_{0};
  std::unique_ptr<chunk> first_;
  chunk* last_ = nullptr;
  std::size_t used_of_last_ = 0;
};

}  // namespace pasta
#endif
