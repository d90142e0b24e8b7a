// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Plain CUDA kernels of one memory instruction each, whose requests and sectors are read from the hardware's counters:
// see calibrate.sh. The pattern is an argument, so that ptxas knows nothing of the addresses: it would merge the atomic
// operations of lanes that it knows to meet.
//
// usage: calibration [--list]
// Without an argument, launches one kernel for each case. --list prints the cases instead, in the order of launches.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "calibration_patterns.hpp"

using calibration::walk;

namespace {

// Keeps a value that was read. Shared memory has counters of its own.
__device__ __forceinline__ void keep(std::uint64_t value) {
  __shared__ volatile std::uint64_t kept[calibration::thread_count];
  kept[threadIdx.x] = value;
}

}  // namespace

// Kernel `name`, in which each active thread does what follows with the byte address `at` in global memory.
#define KERNEL(name, size_bytes, ...)                                                                          \
  extern "C" __global__ void name(char* data, walk where) {                                                    \
    unsigned const thread = threadIdx.x;                                                                       \
    if (!calibration::is_active(where, thread)) return;                                                        \
    std::size_t const at = __cvta_generic_to_global(data) + size_bytes * calibration::index_of(where, thread); \
    __VA_ARGS__                                                                                                \
  }

// `path` names the way through the caches, `selector` is what selects it in PTX.
// PTX keeps 1 byte in a register of 16 bits or more.
#define LOAD(path, selector, size_bytes, type, constraint, word)                                            \
  KERNEL(load_##path##_##size_bytes, size_bytes, {                                                          \
    word value;                                                                                             \
    asm volatile("ld.global" selector "." #type " %0, [%1];" : "=" constraint(value) : "l"(at) : "memory"); \
    keep(value);                                                                                            \
  })
// All four words are used: ptxas narrows a load whose words are not.
#define LOADS(path, selector)                                           \
  LOAD(path, selector, 1, u8, "h", std::uint16_t)                       \
  LOAD(path, selector, 2, u16, "h", std::uint16_t)                      \
  LOAD(path, selector, 4, u32, "r", std::uint32_t)                      \
  LOAD(path, selector, 8, u64, "l", std::uint64_t)                      \
  KERNEL(load_##path##_16, 16, {                                        \
    unsigned a, b, c, d;                                                \
    asm volatile("ld.global" selector ".v4.u32 {%0, %1, %2, %3}, [%4];" \
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)                   \
                 : "l"(at)                                              \
                 : "memory");                                           \
    keep(a ^ b ^ c ^ d);                                                \
  })
LOADS(default, "")  // what nvcc makes of a[i]; .ca asks for the same caches, but as another instruction
LOADS(ca, ".ca")
LOADS(cg, ".cg")
LOADS(nc, ".nc")

#define STORE(path, selector, size_bytes, type, constraint, word)                                             \
  KERNEL(store_##path##_##size_bytes, size_bytes, {                                                           \
    asm volatile("st.global" selector "." #type " [%0], %1;" ::"l"(at), constraint(word(thread)) : "memory"); \
  })
#define STORES(path, selector)                                                                              \
  STORE(path, selector, 1, u8, "h", std::uint16_t)                                                          \
  STORE(path, selector, 2, u16, "h", std::uint16_t)                                                         \
  STORE(path, selector, 4, u32, "r", std::uint32_t)                                                         \
  STORE(path, selector, 8, u64, "l", std::uint64_t)                                                         \
  KERNEL(store_##path##_16, 16, {                                                                           \
    asm volatile("st.global" selector ".v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(at), "r"(thread) : "memory"); \
  })
STORES(default, "")
STORES(cg, ".cg")

#define ATOMICS(size_bytes, type, letter, word)                                                    \
  KERNEL(atom_##size_bytes, size_bytes, {                                                          \
    word before;                                                                                   \
    asm volatile("atom.global.add." #type " %0, [%1], %2;"                                         \
                 : "=" letter(before)                                                              \
                 : "l"(at), letter(word(thread))                                                   \
                 : "memory");                                                                      \
    keep(before);                                                                                  \
  })                                                                                               \
  KERNEL(red_##size_bytes, size_bytes, {                                                           \
    asm volatile("red.global.add." #type " [%0], %1;" ::"l"(at), letter(word(thread)) : "memory"); \
  })
ATOMICS(4, u32, "r", std::uint32_t)
ATOMICS(8, u64, "l", std::uint64_t)

namespace {

using kernel = void (*)(char*, walk);

kernel kernel_named(std::string const& name) {
#define NAMED(name) \
  { #name, name }
#define NAMED_BY_SIZE(prefix) \
  NAMED(prefix##_1), NAMED(prefix##_2), NAMED(prefix##_4), NAMED(prefix##_8), NAMED(prefix##_16)
  static struct {
    char const* name;
    kernel launched;
  } const all[] = {
      NAMED_BY_SIZE(load_default),
      NAMED_BY_SIZE(load_ca),
      NAMED_BY_SIZE(load_cg),
      NAMED_BY_SIZE(load_nc),
      NAMED_BY_SIZE(store_default),
      NAMED_BY_SIZE(store_cg),
      NAMED(atom_4),
      NAMED(atom_8),
      NAMED(red_4),
      NAMED(red_8),
  };
  for (auto const& one : all) {
    if (name == one.name) return one.launched;
  }
  std::fprintf(stderr, "calibration: there is no kernel %s\n", name.c_str());
  std::exit(1);
}

void check(cudaError_t status, char const* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "calibration: %s: %s\n", what, cudaGetErrorString(status));
  std::exit(1);
}

}  // namespace

int main(int argument_count, char** arguments) {
  auto const cases = calibration::all_cases();
  for (auto const& one : cases) kernel_named(one.access.name);  // all are there, before any is launched
  if (argument_count == 2 && std::strcmp(arguments[1], "--list") == 0) {
    for (auto const& one : cases) std::printf("%s\n", one.name.c_str());
    return 0;
  }
  if (argument_count != 1) {
    std::fprintf(stderr, "usage: calibration [--list]\n");
    return 2;
  }
  // Begins at a multiple of 256 bytes, as cudaMalloc always does.
  char* data = nullptr;
  std::size_t const size_bytes = std::size_t{calibration::element_count} * 16;
  check(cudaMalloc(&data, size_bytes), "cudaMalloc");
  check(cudaMemcpy(data, std::vector<char>(size_bytes).data(), size_bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
  for (auto const& one : cases) {
    kernel_named(one.access.name)<<<1, calibration::thread_count>>>(data, one.where);
    check(cudaGetLastError(), one.name.c_str());
    check(cudaDeviceSynchronize(), one.name.c_str());
  }
  check(cudaFree(data), "cudaFree");
  std::printf("%zu cases launched\n", cases.size());
  return 0;
}
