// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// A program that knows nothing of PASTA and takes long to compile: radix sorts of rocPRIM.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <rocprim/rocprim.hpp>

template <class Key, class Value>
bool sort(unsigned count) {
  Key *keys = nullptr, *sorted = nullptr;
  Value *values = nullptr, *moved = nullptr;
  if (hipMalloc(&keys, count * sizeof(Key)) != hipSuccess || hipMalloc(&sorted, count * sizeof(Key)) != hipSuccess ||
      hipMalloc(&values, count * sizeof(Value)) != hipSuccess || hipMalloc(&moved, count * sizeof(Value)) != hipSuccess)
    return false;
  std::size_t bytes = 0;
  void* memory = nullptr;
  return rocprim::radix_sort_pairs(nullptr, bytes, keys, sorted, values, moved, count) == hipSuccess &&
         hipMalloc(&memory, bytes) == hipSuccess &&
         rocprim::radix_sort_pairs(memory, bytes, keys, sorted, values, moved, count) == hipSuccess &&
         hipDeviceSynchronize() == hipSuccess;
}

int main() {
  if (!sort<unsigned, unsigned>(1 << 20)) return 1;
  std::puts("sorted");
}
