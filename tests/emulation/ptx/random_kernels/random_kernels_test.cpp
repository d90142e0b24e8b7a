// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Random kernels as they are and instrumented: the same results in memory, and of each access what the interpreter saw
// of it in the kernel as it is.
#include <fmt/format.h>

#include <catch.hpp>
#include <coalescing.hpp>
#include <fstream>
#include <iterator>
#include <numeric>

#include "../../../gpu/ptx_module.hpp"
#include "../../../gpu/watch_tools.hpp"
#include "observed.hpp"
#include "random_kernel.hpp"
#include "stand_in/driver.hpp"

namespace {

namespace ptx = pasta::ptx;
using pasta_test::observed_accesses;
using pasta_test::observed_requests;
using pasta_test::random_kernel;
using ptx_test::require;

std::string read_file(char const* name) {
  std::ifstream file(name, std::ios::binary);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}
ptx::hook const& request_hook() {
  static ptx::hook const made("request_watch", read_file(PASTA_REQUEST_WATCH_HOOK));
  return made;
}
ptx::hook const& coalescing_hook() {
  static ptx::hook const made("coalescing", read_file(PASTA_COALESCING_HOOK));
  return made;
}

/// The memory of a kernel, and its launches.
class kernel_run {
 public:
  explicit kernel_run(std::uint32_t seed) : blocks_(1 + seed % 3), threads_(17 + seed * 37 % 112) {
    CUcontext context = nullptr;
    require(cuDevicePrimaryCtxRetain(&context, 0), "context");
    require(cuCtxSetCurrent(context), "context");
    first_.resize(random_kernel::table_words + random_kernel::sum_words +
                  std::size_t{random_kernel::own_words} * blocks_ * threads_);
    for (std::size_t i = 0; i < random_kernel::table_words; ++i)
      first_[i] = static_cast<std::uint32_t>(i * 2654435761U);
    require(cuMemAlloc(&memory_, first_.size() * 4), "memory");
  }
  ~kernel_run() { cuMemFree(memory_); }
  kernel_run(kernel_run const&) = delete;
  kernel_run& operator=(kernel_run const&) = delete;

  std::vector<std::uint32_t> launch(ptx_test::loaded_module const& module) {
    require(cuMemcpyHtoD(memory_, first_.data(), first_.size() * 4), "write");
    std::uint32_t const all = blocks_ * threads_;
    void* parameters[] = {&memory_, const_cast<std::uint32_t*>(&all)};
    require(cuLaunchKernel(module.function("k"), blocks_, 1, 1, threads_, 1, 1, 0, nullptr, parameters, nullptr),
            "launch");
    CUresult const status = cuCtxSynchronize();
    mend_stand_in();  // so that what is to be undone can be
    require(status, "the kernel");
    std::vector<std::uint32_t> found(first_.size());
    require(cuMemcpyDtoH(found.data(), memory_, found.size() * 4), "read");
    return found;
  }

 private:
  std::uint32_t blocks_, threads_;
  std::vector<std::uint32_t> first_;
  CUdeviceptr memory_ = 0;
};

/// What is wrong with what a tool has of an access, or nothing.
std::string compare(request_watch::site_state const& found, std::uint64_t lanes, observed_requests const& expected,
                    bool is_generic, bool is_ideal) {
  std::string wrong;
  auto const check = [&](char const* what, std::uint64_t is, std::uint64_t should) {
    if (is != should) wrong += fmt::format(" {} {} not {};", what, is, should);
  };
  check("executions", lanes, expected.lanes);
  check("lanes", found.lanes.value(), expected.lanes);
  check("bytes", found.bytes.value(), expected.bytes);
  check("of all spaces", found.spaces.total(), found.requests.value());
  if (is_ideal) {
    check("requests", found.requests.value(), expected.requests);
    check("most lanes", found.most_lanes.value_or(0), expected.most_lanes);
    for (std::size_t i = 0; i < 3; ++i) check("of a space", found.spaces.value(i), expected.spaces[i]);
  } else if (found.requests.value() < expected.requests || found.requests.value() > expected.lanes) {
    check("requests", found.requests.value(), expected.requests);
  }
  if (!is_generic) check("highest", found.highest.value_or(0), expected.highest);
  return wrong;
}
std::string compare(coalescing::site_state const& found, std::uint64_t lanes, observed_requests const& expected, bool,
                    bool is_ideal) {
  std::string wrong;
  auto const check = [&](char const* what, std::uint64_t is, std::uint64_t should) {
    if (is != should) wrong += fmt::format(" {} {} not {};", what, is, should);
  };
  check("executions", lanes, expected.global_lanes);
  if (!is_ideal) return wrong;
  check("requests", found.requests.value(), expected.spaces[0]);
  check("sectors", found.sectors.value(), expected.sectors);
  check("sectors needed", found.sectors_needed.value(), expected.sectors_needed);
  return wrong;
}

/// What is known of all kernels, so that a test sees that it tests something.
struct tally {
  ptx_emulation::reconvergence meets = ptx_emulation::reconvergence::ideal;
  std::size_t kernels = 0, accesses = 0, with_requests = 0, runs = 0;
  std::uint64_t requests = 0;
};

template <class Tool>
std::string compare_rows(ptx::module const& from, ptx::instrumented const& made, ptx_test::collector const& collector,
                         std::size_t tool, observed_accesses& expected, tally& sum) {
  std::string wrong;
  auto const rows = collector.read_rows<Tool>(tool);
  for (ptx::table_function const& function : made.table.functions) {
    for (ptx::table_site const& site : function.sites) {
      for (std::uint32_t number = 0; number < site.what.access_count; ++number) {
        if (site.rows[number].row == ptx::no_row) continue;
        auto const& row = rows.at(site.rows[number].row);
        typename Tool::site_state state = row.state;
        std::uint64_t const lanes = row.executions + collector.settle<Tool>(site, number, state);
        ptx::statement const& at = from.statements[site.statement];
        observed_requests const& seen = expected.at(at.line, number);
        std::string const text = compare(state, lanes, seen, site.what.all[number].space == ptx::state_space::generic,
                                         sum.meets == ptx_emulation::reconvergence::ideal);
        if (!text.empty()) wrong += fmt::format("\n{}: line {}: {} ({}):{}", tool, at.line, at.text, number, text);
        ++sum.accesses;
        sum.with_requests += seen.requests > 0;
      }
    }
  }
  return wrong;
}

/// Runs a kernel natively and with hooks; what is wrong, or nothing.
std::string find_difference(std::uint32_t seed, std::string const& source, tally& sum) {
  kernel_run run(seed);
  ptx::module const from = ptx::read(source);
  ptx_test::loaded_module const native(source);
  observed_accesses seen;
  stand_in_options().meets = ptx_emulation::reconvergence::ideal;
  stand_in_options().observer = &seen;
  std::vector<std::uint32_t> const results = run.launch(native);
  stand_in_options().observer = nullptr;
  stand_in_options().meets = sum.meets;
  ++sum.kernels;
  sum.requests += seen.requests();

  std::string wrong;
  {
    ptx::instrumented const made = ptx::count_accesses(from, std::vector<std::string>{"access_count"});
    ptx_test::loaded_module const counting(made.text);
    if (run.launch(counting) != results) wrong += "\nother results with counters that nobody collects";
    ptx_test::collector const collector(counting, made.table);
    if (run.launch(counting) != results) wrong += "\nother results with counters";
    std::vector<std::uint64_t> const counts = collector.read();
    for (ptx::table_function const& function : made.table.functions) {
      wrong += function.why;
      for (ptx::table_site const& site : function.sites) {
        // A copy's number is that of what it writes: it always does.
        ptx::statement const& at = from.statements[site.statement];
        std::uint64_t const lanes = seen.at(at.line, site.what.access_count > 1 ? 1 : 0).lanes;
        if (counts.at(site.counter) != lanes)
          wrong += fmt::format("\ncounter: line {}: {}: {} not {}", at.line, at.text, counts[site.counter], lanes);
      }
    }
  }
  for (std::uint32_t which = 1; which < 4; ++which) {
    std::vector<ptx::hook> hooks;
    if ((which & 1) != 0) hooks.push_back(request_hook());
    if ((which & 2) != 0) hooks.push_back(coalescing_hook());
    ptx::instrumented const made = ptx::instrument(from, hooks);
    for (std::size_t at = 0; (at = made.text.find(".reg .b32 \t%pasta_run", at)) != std::string::npos; ++at) ++sum.runs;
    ptx_test::loaded_module const hooked(made.text);
    if (run.launch(hooked) != results) wrong += "\nother results with hooks that nobody collects";
    ptx_test::collector const collector(hooked, made.table);
    if (run.launch(hooked) != results) wrong += "\nother results with hooks";
    if ((which & 1) != 0) wrong += compare_rows<request_watch>(from, made, collector, 0, seen, sum);
    if ((which & 2) != 0) wrong += compare_rows<coalescing>(from, made, collector, which - 2, seen, sum);
  }
  return wrong;
}

tally check_kernels(std::uint32_t first, std::uint32_t count, ptx_emulation::reconvergence meets,
                    random_kernel::kind kind = random_kernel::kind::mixed) {
  tally sum;
  sum.meets = meets;
  for (std::uint32_t seed = first; seed < first + count; ++seed) {
    std::string const source = random_kernel(seed, kind).text();
    std::string wrong;
    try {
      wrong = find_difference(seed, source, sum);
    } catch (std::exception const& error) {
      wrong = error.what();
    }
    if (wrong.empty()) continue;
    CAPTURE(seed, source);
    FAIL_CHECK(wrong);
  }
  CAPTURE(sum.accesses, sum.with_requests, sum.requests);
  CHECK(sum.kernels == count);
  CHECK(sum.with_requests > sum.accesses / 2);
  CHECK(sum.requests > 100 * sum.kernels);
  return sum;
}

TEST_CASE("Counters and handlers have what the interpreter saw, in random kernels") {
  check_kernels(0, 50, ptx_emulation::reconvergence::ideal);
}
TEST_CASE("Where lanes never meet again lanes and bytes are right, and results as ever") {
  check_kernels(1000, 20, ptx_emulation::reconvergence::none);
}

TEST_CASE("Requests that are counted in runs are as if each was handled") {
  tally const sum = check_kernels(2000, 40, ptx_emulation::reconvergence::ideal, random_kernel::kind::strides);
  CHECK(sum.runs > 2 * sum.kernels);
}
TEST_CASE("Where lanes never meet again no run goes wrong") {
  check_kernels(3000, 10, ptx_emulation::reconvergence::none, random_kernel::kind::strides);
}

}  // namespace
