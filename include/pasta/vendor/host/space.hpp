// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_VENDOR_HOST_SPACE_HPP
#define PASTA_VENDOR_HOST_SPACE_HPP

#include <link.h>

#include <pasta/event.hpp>
#include <pasta/vendor/host/block.hpp>

namespace pasta::simt {

namespace detail {

struct address_range {
  char const *low = nullptr, *high = nullptr;
  bool contains(void const* address) const { return low <= address && address < high; }
};

// The calling thread's copy of the program's thread_local variables. Those of shared libraries are not in it.
inline address_range find_thread_locals() {
  address_range found;
  auto const look = [](dl_phdr_info* object, std::size_t, void* into) {
    for (std::size_t i = 0; i < object->dlpi_phnum; ++i) {
      if (object->dlpi_phdr[i].p_type != PT_TLS || object->dlpi_tls_data == nullptr) continue;
      auto const* const low = static_cast<char const*>(object->dlpi_tls_data);
      *static_cast<address_range*>(into) = {low, low + object->dlpi_phdr[i].p_memsz};
    }
    return 1;  // the first object is the program
  };
  ::dl_iterate_phdr(look, &found);
  return found;
}

}  // namespace detail

/// Where a pointer points that a lane of this block has: to the block's shared memory (a thread_local variable is
/// shared by the lanes of a block), to the lane's own stack, or elsewhere.
inline memory_space space_of(block_runner& block, void const* address) {
  static thread_local detail::address_range const thread_locals = detail::find_thread_locals();
  if (block.shared().contains(address) || thread_locals.contains(address)) return memory_space::shared;
  return block.is_on_own_stack(address) ? memory_space::local : memory_space::global;
}

}  // namespace pasta::simt
#endif
