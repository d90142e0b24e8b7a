// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// A stand-in for CUDA's runtime with several devices, on the interpreter of PTX: programs that nvcc compiled run
/// without a GPU. It takes kernels' PTX alone (nvcc -arch=compute_80 --no-compress -cudart none).
///
/// Programs that know nothing of it are told by the environment:
///   STAND_IN_DEVICES=2          how many devices there are; default 1
///   STAND_IN_DRIVER=none|old    no driver, or one of CUDA 11.4
///   STAND_IN_ARCHITECTURE=70    what the last device can run, if not all; default 90
///   STAND_IN_MEMORY=N           of the last device [bytes]; default 2^30
///   STAND_IN_REGISTERS=N        what each kernel is said to have; default 16
#ifndef PASTA_TESTS_CUDA_STAND_IN_HPP
#define PASTA_TESTS_CUDA_STAND_IN_HPP

#include <cstddef>
#include <cstdint>
#include <string>

namespace cuda_stand_in {

/// Adds devices until there are so many.
void make_devices(std::size_t count);

/// Work waits in its streams until something waits for it, as on a GPU that is slow; else it is done at once.
void hold_work(bool is_held);

/// Memory of a device from here on [bytes]; what is allocated stays.
void limit_memory(int device, std::size_t bytes);

/// How often a function of the runtime was called, by all threads, since the last call of this function for it.
std::uint64_t calls_of(std::string const& name);

/// What each kernel takes on its stream's clock [ns], longer than interpreting it; between two events extra_ns more.
inline constexpr std::uint64_t kernel_ns = 50'000'000, extra_ns = 30'000;

/// What a profiler is told of a kernel that has ended. Times are CLOCK_REALTIME's [ns].
struct kernel_seen {
  char const* name;
  std::uint32_t device, context, grid[3], block[3], correlation;
  bool is_of_graph;
  std::uint64_t begin_ns, end_ns;
};
/// What is called before each call that launches a kernel, with its number, and for each kernel that has ended; under
/// the runtime's lock.
extern "C" void stand_in_listen(void (*call)(std::uint32_t correlation), void (*kernel)(kernel_seen const&));

}  // namespace cuda_stand_in
#endif
