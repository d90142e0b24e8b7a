// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_VENDOR_HOST_FIBER_STACK_HPP
#define PASTA_VENDOR_HOST_FIBER_STACK_HPP

#include <sys/mman.h>

#include <boost/context/stack_context.hpp>
#include <cstddef>
#include <new>

namespace pasta::simt {

/// Stacks for Boost.Context: mapped, touched on use, with a guard below that a frame of up to 64 KiB cannot step over
/// (one page, as the library's own have, is skipped by a kernel's local array, which then writes to a neighbour's
/// stack).
class fiber_stack_allocator {
 public:
  explicit fiber_stack_allocator(std::size_t stack_bytes) : stack_bytes_(stack_bytes) {}

  /// @throw std::bad_alloc if the system has no memory, or no more mappings
  boost::context::stack_context allocate() const {
    std::size_t const size = guard_bytes + stack_bytes_;
    void* const low = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (low == MAP_FAILED) throw std::bad_alloc();
    if (::mprotect(low, guard_bytes, PROT_NONE) != 0) {
      ::munmap(low, size);
      throw std::bad_alloc();
    }
    boost::context::stack_context stack;
    stack.size = size;
    stack.sp = static_cast<char*>(low) + size;
    return stack;
  }

  void deallocate(boost::context::stack_context& stack) const noexcept {
    ::munmap(static_cast<char*>(stack.sp) - stack.size, stack.size);
  }

 private:
  static constexpr std::size_t guard_bytes = 64 * 1024;
  std::size_t stack_bytes_;
};

}  // namespace pasta::simt
#endif
