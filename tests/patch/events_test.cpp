// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// All events that patches tell of, of a kernel that nvcc compiled; and the tools that have no patches.
#include <catch.hpp>
#include <fstream>
#include <iterator>
#include <pasta/session/patch/tool_patches.hpp>

#include "event_watch.hpp"
#include "launch.hpp"
#include "patch_memory.hpp"
#include "patched_text.hpp"

namespace {

namespace ptx = pasta::ptx;
using pasta::operation;
using pasta_test::patch_memory;

std::string read_file(char const* name) {
  std::ifstream file(name, std::ios::binary);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}
std::uint64_t address_of(ptx::statement const& at) { return 0x500000000 + std::uint64_t{at.line} * 16; }

/// What the patches of event_watch have of one launch of `kernel(float* a, int n)`.
void watch(char const* kernel, std::uint32_t blocks, std::uint32_t threads, std::uint32_t n,
           std::function<void(patch_memory<event_watch> const&)> const& check) {
  ptx_emulation::device_memory memory;
  std::string const source = read_file(PASTA_EVENT_KERNELS);
  patch_memory<event_watch> collected(memory, 256, 2);
  std::string const text =
      pasta_test::patched_text::make(ptx::read(source), pasta::detail::patch_needs<event_watch>::functions,
                                     collected.user_data(), read_file(PASTA_EVENT_WATCH_PATCHES), address_of);
  ptx_emulation::program const module(text, memory);
  std::uint64_t const array = memory.allocate(4096);
  std::byte parameters[12];
  std::memcpy(parameters, &array, 8);
  std::memcpy(parameters + 8, &n, 4);
  ptx_emulation::launch_shape shape;
  shape.grid[0] = blocks;
  shape.block[0] = threads;
  ptx_emulation::launch(module, *module.find_kernel(kernel), shape, parameters, memory, {});
  CHECK(collected.dropped() == 0);
  check(collected);
  memory.free(array);
}

TEST_CASE("A kernel's accesses, barriers, calls and threads reach the handlers") {
  watch("_Z14through_sharedPfi", 2, 64, 50, [](auto const& collected) {
    auto const kernel = collected.kernel();
    CHECK(kernel.entered.value() == 128);
    CHECK(kernel.ended.value() == 128);
    CHECK(kernel.barriers.value() == 128);
    CHECK(kernel.calls.value() == 100);
    CHECK(kernel.callee.value_or(0) == 4096);
    CHECK(kernel.copies.value() == 0);
    CHECK(kernel.accesses.value() == 400);  // load, store, load, atomic
    std::map<operation, std::uint64_t> lanes, bytes, sites;
    collected.for_each_row([&](auto const& row) {
      CHECK(row.executions == row.state.lanes.value());
      ++sites[row.site.what()];
      lanes[row.site.what()] += row.executions;
      bytes[row.site.what()] += row.state.bytes.value();
      if (row.site.what() == operation::barrier)
        CHECK(row.site.space() == static_cast<std::uint8_t>(pasta::barrier_scope::block));
      if (row.site.what() == operation::store) {
        CHECK(row.site.space() == static_cast<std::uint8_t>(pasta::memory_space::shared));
        CHECK(row.state.highest.value_or(0) % 1024 == 49 * 4);  // behind what is reserved
      }
    });
    CHECK(lanes == std::map<operation, std::uint64_t>{{operation::load, 200},
                                                      {operation::store, 100},
                                                      {operation::atomic, 100},
                                                      {operation::barrier, 128},
                                                      {operation::call, 100}});
    CHECK(bytes[operation::load] == 800);
    CHECK(sites[operation::load] == 2);
  });
}

TEST_CASE("Threads that end early are told of once") {
  watch("_Z5scalePfi", 3, 96, 70, [](auto const& collected) {
    CHECK(collected.kernel().entered.value() == 288);
    CHECK(collected.kernel().ended.value() == 288);
    CHECK(collected.kernel().accesses.value() == 140);
  });
}

TEST_CASE("A tool's library says what is to be patched, or why the route is not for it") {
  using pasta::detail::patch_bit;
  using pasta::detail::patch_function;
  pasta::patch::tool_patches about;
  pasta::patch::answer_patches<event_watch>(about);
  CHECK(about.obstacle.empty());
  CHECK((about.functions & patch_bit(patch_function::barrier)) != 0);
  CHECK((about.functions & patch_bit(patch_function::thread_exit)) != 0);
  CHECK(about.site_shard_bytes == pasta::detail::hook_layout<event_watch>::site_shard_bytes);

  pasta::patch::answer_patches<keeps_threads>(about);
  CHECK(about.functions == 0);
  CHECK(about.obstacle.find("site_state") != std::string::npos);
  pasta::patch::answer_patches<sees_branches>(about);
  CHECK(about.functions == 0);
  CHECK(about.obstacle == "the route has no branch");
  pasta::patch::answer_patches<sees_launches>(about);
  CHECK(about.functions == 0);
  CHECK(about.obstacle == "the route has no kernel_end");
}

}  // namespace
