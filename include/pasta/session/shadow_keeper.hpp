// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Shadow memory of the kernels that run on one device: allocated, sized, read, and said in the report.
#ifndef PASTA_SESSION_SHADOW_KEEPER_HPP
#define PASTA_SESSION_SHADOW_KEEPER_HPP

#include <fmt/format.h>

#include <cstring>
#include <list>
#include <memory>
#include <pasta/instrument/states.hpp>
#include <pasta/session/shadow_layout.hpp>
#include <set>

namespace pasta::detail {

/// What a tool's run asks of shadow memory.
struct shadow_request {
  std::uint32_t line_shift = 7, page_shift = 16;  // log2 of their bytes
  std::uint64_t limit_bytes = 0;                  // of all kernels of a device; 0: no tool has shadow bits
};

/// @param options of the run's tools
template <class... Tools, class Options>
shadow_request request_shadow(type_list<Tools...>, [[maybe_unused]] Options const& options) {
  shadow_request asked;
  for_each_tool(type_list<Tools...>{}, [&]<std::size_t Index, class Tool>() {
    if constexpr (has_shadow_v<Tool>) {
      asked.line_shift = static_cast<std::uint32_t>(std::countr_zero(Tool::shadow::bytes_per_bit));
      asked.limit_bytes = std::uint64_t{512} << 20;
      if constexpr (requires { Tool::shadow_limit_bytes(get_state<Index>(options)); }) {
        asked.limit_bytes = Tool::shadow_limit_bytes(get_state<Index>(options));
      }
    }
  });
  return asked;
}

/// @tparam Memory the device's memory: `void* allocate(bytes)` gives zeros or null, `release(memory)`; `bool read(to,
/// from, bytes)`, `bool write(to, from, bytes)` and `bool clear(memory, bytes)` wait for themselves and for no kernel;
/// `bool wait()` waits for all kernels of the device, and is false where it cannot. Where kernels find views in the
/// device's memory, it has `void detach()`, after which none that starts finds one
///
/// Guarded by its owner.
template <class Memory>
class shadow_keeper {
 public:
  /// Of a kernel, or of a launch that is kept apart.
  struct kernel {
   private:
    friend shadow_keeper;
    struct arrays {
      unsigned char* memory = nullptr;  // unknown accesses, accesses of pages, lines
      std::uint64_t line_capacity = 0, page_capacity = 0, epoch = 0;
      std::uint64_t lines_offset() const { return 8 * (1 + page_capacity); }
      std::uint64_t size_bytes() const { return lines_offset() + line_capacity / 8; }
    };
    std::vector<arrays> all_;      // the last is the one that launches write to; others were too small
    touched_memory found_, seen_;  // what was read, and what is still in the arrays
    std::uint64_t launches_without_ = 0, launches_captured_ = 0;

   public:
    /// As of the last read() or look().
    touched_memory touched() const {
      touched_memory all = found_;
      all.merge(seen_);
      return all;
    }
  };

  shadow_keeper(shadow_request const& asked, Memory memory = {})
      : asked_(asked), memory_(std::move(memory)), layout_(asked.line_shift, asked.page_shift) {}
  shadow_keeper(shadow_keeper const&) = delete;
  shadow_keeper& operator=(shadow_keeper const&) = delete;

  /// The program has allocated memory.
  void allocated(allocation_record const& what) {
    if (what.size_bytes == 0) return;
    layout_.add(what);
    largest_tracked_bytes_ = std::max(largest_tracked_bytes_, layout_.tracked_bytes());
  }

  /// The program releases memory in the order of a stream: nobody waits. What kernels touch of it is read later.
  void released_in_stream(std::uint64_t address) { layout_.retire(address); }

  /// The program is about to release memory, or has: what kernels have touched of it is read, which waits for them.
  void released(std::uint64_t address) {
    if (layout_.slots().find(address) == layout_.slots().end()) return;
    bool const is_used =
        std::any_of(kernels_.begin(), kernels_.end(), [](auto const& of) { return !of->all_.empty(); });
    bool const is_ready = is_used && memory_.wait();
    // What cannot be read now is read later, and its places are nobody else's before.
    if (is_used && !is_ready) return layout_.retire(address);
    auto const slot = layout_.remove(address);
    if (!is_used) return;
    auto const is_read_here = [&](touched_allocation const& seen) {
      return seen.allocation.number == slot->allocation.number ||
             std::any_of(layout_.retired().begin(), layout_.retired().end(),
                         [&](slot_type const& each) { return each.allocation.number == seen.allocation.number; });
    };
    for (auto const& of : kernels_) {
      std::erase_if(of->seen_.allocations, is_read_here);
      for (auto const& from : of->all_) {
        read(*of, from, *slot);
        for (auto const& retired : layout_.retired()) read(*of, from, retired);
      }
    }
    layout_.give_back_retired();
    if constexpr (is_placed) {
      // A program that allocates and releases all the time would fill the device with old tables.
      if (!has_old_tables()) return;
      memory_.detach();
      if (!memory_.wait()) return;  // for what another thread has launched meanwhile
    }
    release_tables();
  }

  /// Makes lines so long that a kernel needs no more than that. Before the first kernel.
  void lengthen_lines_for(std::uint64_t most_bytes) {
    while (layout_.can_lengthen_lines() && 8 * layout_.page_end() + layout_.line_end() / 8 > most_bytes) {
      layout_.lengthen_lines();
    }
  }

  /// A new kernel's, empty. It stays until the keeper goes or forget() is called.
  kernel* make_kernel() { return kernels_.emplace_back(std::make_unique<kernel>()).get(); }

  /// Of a launch that is captured: a graph would keep addresses of what is later released. @return empty
  shadow_view leave_out(kernel& of) {
    ++of.launches_captured_;
    return {};
  }

  /// What a launch of the kernel writes to. Waits for no kernel, but where the limit is reached and it may.
  /// @param may_wait not while the stream is captured
  shadow_view prepare(kernel& of, bool may_wait) {
    shadow_range const* ranges = nullptr;
    do {
      if (has_room(of) || add_arrays(of)) ranges = current_ranges();
    } while (ranges == nullptr && may_wait && make_room());
    if (ranges == nullptr) {
      ++of.launches_without_;
      return {};
    }
    auto const& to = of.all_.back();
    return {ranges,
            reinterpret_cast<std::uint32_t*>(to.memory + to.lines_offset()),
            reinterpret_cast<std::uint64_t*>(to.memory) + 1,
            reinterpret_cast<std::uint64_t*>(to.memory),
            static_cast<std::uint32_t>(std::max<std::size_t>(layout_.slots().size(), 1)),
            layout_.line_shift(),
            layout_.page_shift()};
  }

  /// The same in the device's memory, where a kernel finds it; null: nothing is kept.
  shadow_view const* place(kernel& of, bool may_wait) {
    constexpr std::size_t stride = 64, count = 256;
    static_assert(sizeof(shadow_view) <= stride);
    shadow_view const view = prepare(of, may_wait);
    if (view.ranges == nullptr) return nullptr;
    if (views_left_ == 0) {
      void* const memory = allocate_table(stride * count);
      if (memory == nullptr) {
        if (may_wait && make_room()) return place(of, may_wait);
        ++of.launches_without_;
        return nullptr;
      }
      views_left_ = count;
      views_ = memory;
    }
    unsigned char* const at = static_cast<unsigned char*>(views_) + stride * --views_left_;
    return memory_.write(at, &view, sizeof view) ? reinterpret_cast<shadow_view const*>(at) : nullptr;
  }

  /// Reads what ended launches of the kernel wrote; it is zeros then. @return whether it could be read
  bool read(kernel& of) {
    of.seen_ = {};
    for (auto const& from : of.all_) {
      std::vector<unsigned char> image(from.size_bytes());
      if (!memory_.read(image.data(), from.memory, image.size()) || !memory_.clear(from.memory, image.size())) {
        return false;
      }
      add(of.found_, from, image.data());
    }
    return true;
  }
  /// Looks at what launches have written so far, while some may be running.
  bool look(kernel& of) {
    touched_memory seen;
    for (auto const& from : of.all_) {
      std::vector<unsigned char> image(from.size_bytes());
      if (!memory_.read(image.data(), from.memory, image.size())) return false;
      add(seen, from, image.data());
    }
    of.seen_ = std::move(seen);
    return true;
  }
  /// After read(), of launches that have ended: its memory is for others. What was touched stays.
  void retire(kernel& of) {
    for (auto const& each : of.all_) free_.push_back(each);
    of.all_.clear();
  }

  void add_notes(std::set<std::string>& notes) const {
    if (largest_used_bytes_ > 0) {
      notes.insert(
          fmt::format("shadow memory: at most {} KiB at a time, for {} KiB that the program had allocated; a bit "
                      "for {} bytes, a count for {} KiB",
                      in_kib(largest_used_bytes_), in_kib(largest_tracked_bytes_),
                      std::uint64_t{1} << layout_.line_shift(), in_kib(std::uint64_t{1} << layout_.page_shift())));
    }
    if (layout_.line_shift() > asked_.line_shift) {
      notes.insert(fmt::format("shadow memory is limited to {} KiB for all kernels: a bit is for {} bytes, not for {}",
                               in_kib(asked_.limit_bytes), std::uint64_t{1} << layout_.line_shift(),
                               std::uint64_t{1} << asked_.line_shift));
    }
    std::uint64_t without = 0, captured = 0;
    for (auto const& of : kernels_) without += of->launches_without_, captured += of->launches_captured_;
    if (captured > 0)
      notes.insert(fmt::format("{} launches were captured in graphs: what they touch is not known", captured));
    if (without > 0) {
      notes.insert(fmt::format("{} launches found no shadow memory (at most {} KiB): what they touched is not known",
                               without, in_kib(asked_.limit_bytes)));
    }
  }

  /// Gives all memory back. While no kernel runs that writes to it.
  void release() {
    for (auto const& of : kernels_) retire(*of);
    for (auto const& each : free_) memory_.release(each.memory);
    free_.clear();
    release_tables();
    used_bytes_ = 0;
  }

 private:
  using arrays = typename kernel::arrays;
  using slot_type = shadow_layout::slot;
  static constexpr bool is_placed = requires(Memory & memory) { memory.detach(); };

  static std::uint64_t in_kib(std::uint64_t bytes) { return (bytes + 1023) / 1024; }

  bool has_room(kernel const& of) const {
    if (of.all_.empty()) return false;
    arrays const& last = of.all_.back();
    return last.epoch == layout_.epoch() && last.line_capacity >= layout_.line_end() &&
           last.page_capacity >= layout_.page_end();
  }
  bool has(arrays const& from, slot_type const& slot) const {
    return from.epoch == layout_.epoch() &&
           std::uint64_t{slot.range.first_line} + slot.line_count <= from.line_capacity &&
           std::uint64_t{slot.range.first_page} + slot.page_count <= from.page_capacity;
  }

  // A kernel that had too little before gets some more, so that not each allocation makes another array.
  bool add_arrays(kernel& of) {
    if (!layout_.fits()) return false;
    std::uint64_t const more = of.all_.empty() ? 0 : 1;
    arrays made;
    made.epoch = layout_.epoch();
    made.line_capacity = (layout_.line_end() + more * layout_.line_end() / 4 + 31) / 32 * 32;
    made.page_capacity = layout_.page_end() + more * layout_.page_end() / 4;
    for (auto known = free_.begin(); known != free_.end(); ++known) {
      if (known->line_capacity < layout_.line_end() || known->page_capacity < layout_.page_end()) continue;
      known->epoch = made.epoch;
      of.all_.push_back(*known);
      free_.erase(known);
      return true;
    }
    if (used_bytes_ + made.size_bytes() > asked_.limit_bytes) return false;
    made.memory = static_cast<unsigned char*>(memory_.allocate(made.size_bytes()));
    if (made.memory == nullptr) return false;
    count_use(made.size_bytes());
    of.all_.push_back(made);
    return true;
  }

  bool has_old_tables() const { return table_bytes_ > asked_.limit_bytes / 16; }

  // All kernels' arrays are read and released: what comes next is at other places. First those of memory that is gone
  // are given again; where there are none, lines are made longer. Called again and again it is false in the end.
  bool make_room() {
    bool const has_waste = has_old_tables() || !layout_.retired().empty();
    bool const would_fit = 8 * (layout_.page_end() + 1) + layout_.page_end() / 8 <= asked_.limit_bytes;
    if (!has_waste && (!would_fit || !layout_.can_lengthen_lines())) return false;
    if (!memory_.wait()) return false;
    if constexpr (is_placed) {
      memory_.detach();
      if (!memory_.wait()) return false;  // for what another thread has launched meanwhile
    }
    for (auto const& of : kernels_) {
      if (!read(*of)) return false;
      retire(*of);
    }
    for (auto const& each : free_) {
      memory_.release(each.memory);
      used_bytes_ -= each.size_bytes();
    }
    free_.clear();
    has_waste ? layout_.place_again() : layout_.lengthen_lines();
    release_tables();
    return true;
  }

  // Running kernels may read the old ones.
  shadow_range const* current_ranges() {
    if (ranges_ != nullptr && ranges_version_ == layout_.version()) return ranges_;
    std::vector<shadow_range> ranges = layout_.ranges();
    if (ranges.empty()) ranges.emplace_back();
    std::size_t const bytes = ranges.size() * sizeof(shadow_range);
    void* const memory = allocate_table(bytes);
    if (memory == nullptr) return nullptr;
    if (!memory_.write(memory, ranges.data(), bytes)) return nullptr;
    ranges_version_ = layout_.version();
    return ranges_ = static_cast<shadow_range const*>(memory);
  }
  // Of ranges, or of views. It stays: running kernels may read it.
  void* allocate_table(std::size_t bytes) {
    if (used_bytes_ + bytes > asked_.limit_bytes) return nullptr;
    void* const memory = memory_.allocate(bytes);
    if (memory == nullptr) return nullptr;
    tables_.push_back(memory);
    table_bytes_ += bytes;
    count_use(bytes);
    return memory;
  }
  // While no kernel runs, and none that starts finds them.
  void release_tables() {
    for (void* const old : tables_) memory_.release(old);
    tables_.clear();
    used_bytes_ -= table_bytes_;
    table_bytes_ = 0;
    ranges_ = nullptr;
    views_ = nullptr;
    views_left_ = 0;
  }

  void count_use(std::uint64_t bytes) {
    used_bytes_ += bytes;
    largest_used_bytes_ = std::max(largest_used_bytes_, used_bytes_);
  }

  // What was touched of one allocation, from the device; zeros are left.
  void read(kernel& of, arrays const& from, slot_type const& slot) {
    if (!has(from, slot)) return;
    std::vector<unsigned char> pages(8 * std::size_t{slot.page_count}), lines((slot.line_count + 31) / 32 * 4);
    unsigned char* const pages_from = from.memory + 8 * (1 + std::uint64_t{slot.range.first_page});
    unsigned char* const lines_from = from.memory + from.lines_offset() + slot.range.first_line / 8;
    if (memory_.read(pages.data(), pages_from, pages.size()) && memory_.read(lines.data(), lines_from, lines.size()) &&
        memory_.clear(pages_from, pages.size()) && memory_.clear(lines_from, lines.size())) {
      add(of.found_, slot, pages.data(), lines.data());
    }
  }
  void add(touched_memory& to, arrays const& from, unsigned char const* image) const {
    std::uint64_t unknown = 0;
    std::memcpy(&unknown, image, sizeof unknown);
    to.unknown_accesses += unknown;
    auto const add_slot = [&](slot_type const& slot) {
      if (!has(from, slot)) return;
      add(to, slot, image + 8 * (1 + std::uint64_t{slot.range.first_page}),
          image + from.lines_offset() + slot.range.first_line / 8);
    };
    for (auto const& [address, slot] : layout_.slots()) add_slot(slot);
    for (slot_type const& slot : layout_.retired()) add_slot(slot);
  }
  void add(touched_memory& to, slot_type const& slot, unsigned char const* pages, unsigned char const* lines) const {
    touched_allocation touched{slot.allocation, layout_.line_shift(), layout_.page_shift(), {}, {}};
    touched.lines.resize((slot.line_count + 31) / 32);
    touched.page_accesses.resize(slot.page_count);
    std::memcpy(touched.lines.data(), lines, 4 * touched.lines.size());
    std::memcpy(touched.page_accesses.data(), pages, 8 * touched.page_accesses.size());
    if (touched.is_touched()) to.merge(touched);
  }

  shadow_request asked_;
  Memory memory_;
  shadow_layout layout_;
  std::list<std::unique_ptr<kernel>> kernels_;
  std::vector<arrays> free_;   // zeros
  std::vector<void*> tables_;  // of ranges and of views
  std::uint64_t table_bytes_ = 0;
  shadow_range const* ranges_ = nullptr;  // the newest
  void* views_ = nullptr;                 // the newest, of 256
  std::size_t views_left_ = 0;
  std::uint64_t ranges_version_ = 0;
  std::uint64_t used_bytes_ = 0, largest_used_bytes_ = 0, largest_tracked_bytes_ = 0;
};

}  // namespace pasta::detail
#endif
