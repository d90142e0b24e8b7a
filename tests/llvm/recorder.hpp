// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// A tool that keeps each event of a kernel of the host engine as it comes. Its handlers know that they run there.
#ifndef PASTA_TESTS_LLVM_RECORDER_HPP
#define PASTA_TESTS_LLVM_RECORDER_HPP

#include <compare>
#include <pasta/pasta.hpp>
#include <string_view>

struct recorded_event {
  std::string_view what;
  pasta::dim3 block;
  std::uint32_t thread = 0;
  std::uint32_t site = 0;  ///< row of its worker
  pasta::lane_mask lanes = 0;
  std::uint64_t address = 0, size_bytes = 0;
  pasta::memory_space space = pasta::memory_space::global;
};

struct recorder : pasta::tool<recorder> {
  // Not branches: those of the llvm route are the program's own, those of the probe route what a kernel says.
  using events = pasta::events<pasta::memory_access, pasta::barrier, pasta::block_enter, pasta::block_exit,
                               pasta::thread_enter, pasta::thread_exit>;
  using counts = pasta::counted<pasta::memory_access>;
  struct site_state {
    pasta::max<std::uint32_t> number;
  };

  static inline std::vector<recorded_event> all;  ///< of one worker thread

  static void on_memory_access(pasta::context<recorder>& at, pasta::memory_access const& access) {
    constexpr std::string_view names[] = {"load", "store", "atomic"};
    recorded_event& made = add(names[static_cast<int>(access.kind)], access.lanes);
    made.site = access.site;
    made.address = access.address;
    made.size_bytes = access.size_bytes;
    made.space = access.space;
    at.site().number.observe(access.site);
  }
  static void on_barrier(pasta::context<recorder>& at, pasta::barrier const& arrival) {
    add("barrier", arrival.lanes).site = arrival.site;
    at.site().number.observe(arrival.site);
  }
  static void on_block_enter(pasta::context<recorder>&, pasta::block_enter const&) { add("block_enter", 1); }
  static void on_block_exit(pasta::context<recorder>&, pasta::block_exit const&) { add("block_exit", 1); }
  static void on_thread_enter(pasta::context<recorder>&, pasta::thread_enter const& enter) {
    add("thread_enter", enter.lanes);
  }
  static void on_thread_exit(pasta::context<recorder>&, pasta::thread_exit const& exit) {
    add("thread_exit", exit.lanes);
  }
  void report(pasta::results<recorder> const&, pasta::report&) const {}

 private:
  static recorded_event& add(std::string_view what, pasta::lane_mask lanes) {
    pasta::simt::block_runner const& block = pasta::simt::current_worker()->block;
    recorded_event& made = all.emplace_back();
    made.what = what;
    made.block = block.block_index();
    made.thread = block.thread();
    made.lanes = lanes;
    return made;
  }
};

PASTA_PROBE_TOOLS(recorder)

#endif
