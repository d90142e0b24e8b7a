// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <pasta/session/shadow_keeper.hpp>

#include "catch.hpp"

namespace {

struct device {
  std::map<void*, std::size_t> memory;
  std::uint64_t bytes = 0, most_bytes = 0;
  int waits = 0;
  bool is_idle = true;
};

class device_memory {
 public:
  explicit device_memory(device& of) : of_(&of) {}
  void* allocate(std::size_t bytes) {
    void* const memory = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
    std::memset(memory, 0, bytes);
    of_->memory[memory] = bytes;
    of_->most_bytes = std::max(of_->most_bytes, of_->bytes += bytes);
    return memory;
  }
  void release(void* memory) {
    of_->bytes -= of_->memory.at(memory);
    of_->memory.erase(memory);
    std::free(memory);
  }
  bool read(void* to, void const* from, std::size_t bytes) { return std::memcpy(to, from, bytes), true; }
  bool write(void* to, void const* from, std::size_t bytes) { return std::memcpy(to, from, bytes), true; }
  bool clear(void* memory, std::size_t bytes) { return std::memset(memory, 0, bytes), true; }
  bool wait() { return ++of_->waits, of_->is_idle; }

 private:
  device* of_;
};

// Kernels find views by a word of their own.
class placed_memory : public device_memory {
 public:
  placed_memory(device& of, int& detached) : device_memory(of), detached_(&detached) {}
  void detach() { ++*detached_; }

 private:
  int* detached_;
};

using keeper = pasta::detail::shadow_keeper<device_memory>;
using placed_keeper = pasta::detail::shadow_keeper<placed_memory>;
constexpr std::uint64_t page = 65536, mib = 1 << 20;

pasta::allocation_record allocation(std::uint64_t number, std::uint64_t address, std::uint64_t bytes) {
  pasta::allocation_record made{};
  made.number = number, made.address = address, made.size_bytes = bytes;
  return made;
}

std::string all_notes(auto const& of) {
  std::set<std::string> notes;
  of.add_notes(notes);
  std::string all;
  for (auto const& each : notes) all += each + "\n";
  return all;
}

// As a kernel does that touches the first byte of an address.
void touch(pasta::detail::shadow_view const& view, std::uint64_t address) {
  for (std::uint32_t i = 0; i < view.range_count; ++i) {
    pasta::detail::shadow_range const& range = view.ranges[i];
    if (address - range.address >= range.size_bytes) continue;
    std::uint64_t const line = range.first_line + (address >> view.line_shift) - (range.address >> view.line_shift);
    view.lines[line / 32] |= 1u << line % 32;
    ++view.page_accesses[range.first_page + (address >> view.page_shift) - (range.address >> view.page_shift)];
  }
}

}  // namespace

TEST_CASE("shadow_keeper reads later what it cannot wait for, and gives its places to nobody before") {
  device of;
  keeper keeps({7, 16, 8 * mib}, device_memory(of));
  auto* const kernel = keeps.make_kernel();
  keeps.allocated(allocation(0, page, page));
  pasta::detail::shadow_view const view = keeps.prepare(*kernel, true);
  of.is_idle = false;
  keeps.released(page);
  keeps.allocated(allocation(1, page, page));
  touch(view, page);
  touch(keeps.prepare(*kernel, true), page + 256);
  of.is_idle = true;
  REQUIRE(keeps.read(*kernel));
  auto const touched = kernel->touched().allocations;
  REQUIRE(touched.size() == 2);
  CHECK(touched[0].lines[0] == 1);
  CHECK(touched[1].lines[0] == 4);
  keeps.release();
  CHECK(of.bytes == 0);
}

TEST_CASE("shadow_keeper keeps what it has seen of other memory when some is released") {
  device of;
  keeper keeps({7, 16, 8 * mib}, device_memory(of));
  auto* const kernel = keeps.make_kernel();
  for (std::uint64_t i = 0; i < 2; ++i) keeps.allocated(allocation(i, (i + 1) * page, page));
  pasta::detail::shadow_view const view = keeps.prepare(*kernel, true);
  for (std::uint64_t i = 0; i < 2; ++i) touch(view, (i + 1) * page);
  REQUIRE(keeps.look(*kernel));
  keeps.released(page);
  auto const touched = kernel->touched().allocations;
  REQUIRE(touched.size() == 2);
  for (auto const& each : touched) CHECK(each.accesses() == 1);
  keeps.release();
}

TEST_CASE("shadow_keeper stays below its limit while memory comes and goes in a stream's order") {
  constexpr std::uint64_t live = 500, changes = 4000, limit = 2 * mib;
  device of;
  int detached = 0;
  placed_keeper keeps({7, 16, limit}, placed_memory(of, detached));
  auto* const kernel = keeps.make_kernel();
  auto const address = [](std::uint64_t number) { return (number % live + 1) * page; };
  for (std::uint64_t i = 0; i < live; ++i) keeps.allocated(allocation(i, address(i), page));
  std::uint64_t without = 0;
  for (std::uint64_t i = live; i < live + changes; ++i) {
    keeps.released_in_stream(address(i));
    keeps.allocated(allocation(i, address(i), page));
    pasta::detail::shadow_view const* const view = keeps.place(*kernel, true);
    if (view == nullptr) {
      ++without;
    } else {
      touch(*view, address(i));
    }
  }
  CHECK(without == 0);
  CHECK(of.most_bytes <= limit);
  CHECK(of.waits > 0);
  CHECK(of.waits < static_cast<int>(changes / 20));
  CHECK(detached > 0);
  REQUIRE(keeps.read(*kernel));
  CHECK(kernel->touched().allocations.size() == changes);
  CHECK(all_notes(keeps).find("is limited to") == std::string::npos);
  CHECK(all_notes(keeps).find("found no shadow memory") == std::string::npos);
  keeps.release();
  CHECK(of.bytes == 0);
}

TEST_CASE("shadow_keeper counts launches without shadow memory where it may not wait") {
  device of;
  keeper keeps({7, 16, mib / 4}, device_memory(of));
  auto* const kernel = keeps.make_kernel();
  for (std::uint64_t i = 0; i < 2000; ++i) {
    keeps.allocated(allocation(i, (i + 1) * page, 128));
    static_cast<void>(keeps.prepare(*kernel, false));
  }
  CHECK(of.waits == 0);
  CHECK(of.most_bytes <= mib / 4);
  CHECK(all_notes(keeps).find("found no shadow memory") != std::string::npos);
  CHECK(keeps.leave_out(*kernel).ranges == nullptr);
  CHECK(all_notes(keeps).find("1 launches were captured") != std::string::npos);
  keeps.release();
}
