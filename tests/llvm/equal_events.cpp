// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Runs the kernels of examples/targets on a probe, and their plain forms as the pass plugin instruments them, and
// compares what a tool gets, event for event. Prints a line for each kernel and width of a warp; exit code 1 if any
// differs.
#include <map>
#include <pasta/testing.hpp>

#include "plain_forms.hpp"
#include "recorder.hpp"

namespace {

// The rank of each row's line among the lines of its kernel: the two forms have the same lines in the same order.
std::map<std::uint32_t, std::size_t> rank_lines(pasta::kernel_result<recorder> const& kernel) {
  std::map<std::uint32_t, std::size_t> rank_of_line, rank_of_site;
  for (auto const& site : kernel.sites) rank_of_line[site.site.line] = 0;
  std::size_t rank = 0;
  for (auto& [line, its_rank] : rank_of_line) its_rank = ++rank;
  for (auto const& site : kernel.sites) rank_of_site[site.state.number.value().value()] = rank_of_line[site.site.line];
  return rank_of_site;
}

std::vector<std::string> readable(std::vector<recorded_event> const& events,
                                  std::map<std::uint32_t, std::size_t> ranks) {
  std::uint64_t shared = ~std::uint64_t{0};  // the first byte; arrays of shared memory lie elsewhere in the two forms
  for (recorded_event const& event : events) {
    if (event.space == pasta::memory_space::shared) shared = std::min(shared, event.address);
  }
  std::vector<std::string> lines;
  lines.reserve(events.size());
  for (recorded_event const& event : events) {
    bool const has_site = event.what != "block_enter" && event.what != "block_exit" && event.what != "thread_enter" &&
                          event.what != "thread_exit";
    lines.push_back(fmt::format("block {} {} {} thread {} {} line {} {} bytes at {:x} in {}, lanes {:x}", event.block.x,
                                event.block.y, event.block.z, event.thread, event.what,
                                has_site ? ranks[event.site] : 0, event.size_bytes,
                                event.space == pasta::memory_space::shared ? event.address - shared : event.address,
                                to_string(event.space), event.lanes));
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

struct observed {
  std::vector<std::string> events;
  std::map<std::tuple<std::size_t, pasta::operation, std::uint32_t>, std::uint64_t> executions;
};

template <class Run>
observed observe(std::uint32_t warp_width, Run&& run) {
  recorder::all.clear();
  pasta::testing::fixture<recorder> fixture({.warp_width = warp_width});
  run(fixture);
  auto const kernel = fixture.results().kernels.at(0);
  auto const ranks = rank_lines(kernel);
  observed found{readable(recorder::all, ranks), {}};
  for (auto const& site : kernel.sites)
    found.executions[{ranks.at(site.state.number.value().value()), site.site.what, site.site.size_bytes}] +=
        site.executions;
  return found;
}

int failures = 0;

template <class Kernel, class... Arguments>
void compare(std::uint32_t warp_width, Kernel const& kernel, pasta::launch_config const& config,
             Arguments const&... arguments) {
  auto const on_probe = observe(warp_width, [&](auto& test) { test.launch(kernel, config, arguments...); });
  auto const plain = observe(warp_width, [&](auto& test) { test.launch(plain_form(kernel), config, arguments...); });
  std::string const name = fmt::format("{} {}", pasta::detail::kernel_name(kernel), warp_width);
  bool const is_equal = on_probe.events == plain.events && on_probe.executions == plain.executions;
  if (!is_equal) ++failures;
  fmt::print("{} {}: {} events, {} sites\n", is_equal ? "equal" : "DIFFERENT", name, plain.events.size(),
             plain.executions.size());
  if (is_equal) return;
  std::vector<std::string> only_probe, only_plain;
  std::set_difference(on_probe.events.begin(), on_probe.events.end(), plain.events.begin(), plain.events.end(),
                      std::back_inserter(only_probe));
  std::set_difference(plain.events.begin(), plain.events.end(), on_probe.events.begin(), on_probe.events.end(),
                      std::back_inserter(only_plain));
  for (std::size_t i = 0; i < std::min<std::size_t>(5, only_probe.size()); ++i)
    fmt::print("  probe {}\n", only_probe[i]);
  for (std::size_t i = 0; i < std::min<std::size_t>(5, only_plain.size()); ++i)
    fmt::print("  plain {}\n", only_plain[i]);
}

template <class Problem>
void compare_all(std::size_t size) {
  for (std::uint32_t const warp_width : {32u, 64u}) {
    Problem problem(size);
    problem.run([&](auto const& kernel, auto const& config, auto const&... arguments) {
      compare(warp_width, kernel, config, arguments...);
    });
  }
}

template <class Problem>
void check_result(std::size_t size) {
  Problem problem(size);
  problem.run([](auto const& kernel, auto const& config, auto const&... arguments) {
    pasta::testing::fixture<recorder> fixture;
    fixture.launch(plain_form(kernel), config, arguments...);
  });
  std::string const difference = problem.check();
  if (difference.empty()) return;
  ++failures;
  fmt::print("WRONG RESULT {}\n", difference);
}

}  // namespace

int main() {
  compare_all<targets::vector_add_problem>(1000);
  compare_all<targets::csr_spmv_problem>(300);
  compare_all<targets::histogram_problem>(1000);
  compare_all<targets::misaligned_copy_problem>(500);
  compare_all<targets::stencil_problem>(70);
  compare_all<targets::transpose_problem<naive_transpose>>(50);
  compare_all<targets::transpose_problem<tiled_transpose>>(50);
  compare_all<targets::tiled_product_problem>(40);
  check_result<targets::vector_add_problem>(1000);
  check_result<targets::csr_spmv_problem>(300);
  check_result<targets::histogram_problem>(1000);
  check_result<targets::misaligned_copy_problem>(500);
  check_result<targets::stencil_problem>(70);
  check_result<targets::transpose_problem<tiled_transpose>>(50);
  check_result<targets::tiled_product_problem>(40);
  return failures == 0 ? 0 : 1;
}
