// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "device.hpp"

#include <link.h>
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <unordered_map>

#include "hip/emulated_device.h"
#include "hip/emulated_launch.h"
#include "hip/emulated_waves.h"

namespace hip_emulation {

namespace {

std::uint32_t read_number(char const* variable, std::uint32_t otherwise) {
  char const* const text = std::getenv(variable);
  return text == nullptr || *text == 0 ? otherwise : static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10));
}

pasta::simt::block_runner& block() {
  pasta::simt::worker* const self = pasta::simt::current_worker();
  if (self == nullptr) throw std::logic_error("a HIP device function was called outside of a kernel");
  return self->block;
}

// [thread of the block]: the frame that the lane's kernel was called from.
thread_local void const* frames[pasta::simt::max_block_threads];

// A worker's own copy of the numbers, by a hash of the path.
struct known_points {
  struct entry {
    call_path path;
    std::uint64_t number;
  };
  std::uint64_t generation = 0;
  std::unordered_map<std::uint64_t, entry> entries;
};

// Where the caller of a function of this file is. The frame is that function's own.
std::uint64_t point_of(void const* frame) {
  static thread_local call_path path;
  static thread_local known_points known;
  read_call_path(path, frame, frames[block().thread()]);
  if (known.generation != device::only().generation()) known = {device::only().generation(), {}};
  std::uint64_t hash = 0;
  for (std::uintptr_t const address : path) hash = (hash ^ address) * 0x9e3779b97f4a7c15u;
  auto const found = known.entries.find(hash);
  if (found != known.entries.end() && found->second.path == path) return found->second.number;
  std::uint64_t const number = device::only().number_of(path);
  known.entries[hash] = {path, number};
  return number;
}

// The engine's group values go on being those of the caller's group until it waits again.
std::uint64_t value_of(std::uint64_t lanes, std::uint32_t lane) {
  return lane < 64 && (lanes >> lane & 1) != 0 ? block().group_values()[lane] : 0;
}

}  // namespace

device& device::only() {
  static auto* const one = new device;  // never deleted: kernels may be launched until the very end
  return *one;
}

pasta::simt::engine& device::engine() {
  std::lock_guard const lock(mutex_);
  if (!engine_) {
    std::uint32_t const width = read_number("PASTA_WARP_WIDTH", 64);
    if (width != 32 && width != 64) {
      std::fprintf(stderr, "emulated HIP: PASTA_WARP_WIDTH is neither 32 nor 64\n");
      std::_Exit(2);
    }
    engine_ = std::make_unique<pasta::simt::engine>(
        pasta::simt::engine_settings{.warp_width = width, .threads = read_number("PASTA_HOST_THREADS", 0)});
  }
  return *engine_;
}

void device::set(std::uint32_t wave_width, std::uint32_t threads) {
  auto made =
      std::make_unique<pasta::simt::engine>(pasta::simt::engine_settings{.warp_width = wave_width, .threads = threads});
  std::lock_guard const lock(mutex_);
  engine_ = std::move(made);
}

std::uint32_t device::wave_width() {
  if (pasta::simt::worker* const self = pasta::simt::current_worker()) return self->block.warp_width();
  return engine().settings().warp_width;
}

std::uint64_t device::number_of(call_path const& path) {
  std::lock_guard const lock(points_mutex_);
  return points_.number_of(path);
}

void device::forget_points() {
  std::lock_guard const lock(points_mutex_);
  points_.clear();
  ++generation_;
}

void set_device(std::uint32_t wave_width, std::uint32_t threads) { device::only().set(wave_width, threads); }

hipError_t run(dim3 grid, dim3 block_size, std::size_t shared_bytes, std::function<void()> const& lane) {
  struct call {
    std::function<void()> const* lane;
    static void run_lane(void* self, std::uint32_t thread) {
      frames[thread] = __builtin_frame_address(0);
      (*static_cast<call*>(self)->lane)();
    }
  } work{&lane};
  pasta::simt::launch_hooks hooks;
  hooks.argument = &work;
  hooks.run_lane = &call::run_lane;
  device::only().forget_points();
  device::only().begin_dispatch();
  try {
    device::only().engine().run({{grid.x, grid.y, grid.z}, {block_size.x, block_size.y, block_size.z}, shared_bytes},
                                hooks);
    return set_last_error(hipSuccess);
  } catch (std::invalid_argument const&) {  // a shape that no GPU accepts
    return set_last_error(hipErrorInvalidConfiguration);
  } catch (std::exception const& error) {
    std::fprintf(stderr, "emulated HIP: a kernel failed: %s\n", error.what());
    std::abort();
  }
}

std::uint64_t dispatch_number() { return device::only().dispatch_number(); }

uint3 thread_index() {
  std::uint32_t const linear = block().thread();
  auto const& size = block().shape().block;
  return {linear % size.x, linear / size.x % size.y, linear / size.x / size.y};
}
uint3 block_index() {
  auto const index = block().block_index();
  return {index.x, index.y, index.z};
}
dim3 block_size() {
  auto const& size = block().shape().block;
  return {size.x, size.y, size.z};
}
dim3 grid_size() {
  auto const& size = block().shape().grid;
  return {size.x, size.y, size.z};
}
std::uint32_t lane_number() { return block().lane_in_warp(); }
std::uint32_t wave_width() { return device::only().wave_width(); }

void* dynamic_shared() { return block().shared().dynamic(); }

bool is_private(void const* address) { return block().is_on_own_stack(address); }

bool is_shared(void const* address) {
  if (block().shared().contains(address)) return true;
  // Static arrays are variables of the thread, in one of the modules' parts of its memory.
  auto const has = [](dl_phdr_info* module, std::size_t, void* wanted) -> int {
    auto const* const begin = static_cast<char const*>(module->dlpi_tls_data);
    for (int i = 0; begin != nullptr && i < module->dlpi_phnum; ++i) {
      auto const& part = module->dlpi_phdr[i];
      if (part.p_type == PT_TLS && wanted >= begin && wanted < begin + part.p_memsz) return 1;
    }
    return 0;
  };
  return dl_iterate_phdr(has, const_cast<void*>(address)) != 0;
}

void sync_block() { block().sync_block(); }

long long wall_clock() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 100'000'000ll + now.tv_nsec / 10;
}

std::uint64_t converge() { return block().converge(point_of(__builtin_frame_address(0))); }

std::uint64_t ballot(bool condition) {
  std::uint64_t const lanes = block().converge(point_of(__builtin_frame_address(0)), condition ? 1 : 0);
  std::uint64_t holds = 0;
  for (std::uint64_t left = lanes; left != 0; left &= left - 1) {
    auto const lane = static_cast<std::uint32_t>(std::countr_zero(left));
    holds |= block().group_values()[lane] << lane;
  }
  return holds;
}

std::uint64_t exchange(std::uint64_t value, std::uint32_t source) {
  return value_of(block().converge(point_of(__builtin_frame_address(0)), value), source);
}

}  // namespace hip_emulation
