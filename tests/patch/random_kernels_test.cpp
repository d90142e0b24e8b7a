// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Random kernels as they are and with patches: the same results in memory, and of each access what the interpreter saw
// of it in the kernel as it is.
#include <fmt/format.h>

#include <access_count.hpp>
#include <catch.hpp>
#include <coalescing.hpp>
#include <fstream>
#include <iterator>

#include "launch.hpp"
#include "observed.hpp"
#include "patch_memory.hpp"
#include "patched_text.hpp"
#include "random_kernel.hpp"

namespace {

namespace ptx = pasta::ptx;
using pasta_test::observed_accesses;
using pasta_test::observed_requests;
using pasta_test::patch_memory;
using pasta_test::random_kernel;

std::string read_file(std::string const& name) {
  std::ifstream file(name, std::ios::binary);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}
template <class Tool>
std::string const& patches_of() {
  static std::string const text =
      read_file(fmt::format("{0}/{1}/{1}_patch.ptx", PASTA_TOOLS_BUILD_DIR, pasta::tool_name<Tool>()));
  return text;
}

/// 16 bytes for each line.
constexpr std::uint64_t code_begin = 0x7f0000100000;
std::uint64_t address_of(ptx::statement const& at) { return code_begin + std::uint64_t{at.line} * 16; }

/// The memory of a kernel, and its launches.
class kernel_run {
 public:
  explicit kernel_run(std::uint32_t seed) : seed_(seed), blocks_(1 + seed % 3), threads_(17 + seed * 37 % 112) {
    first_.resize(random_kernel::table_words + random_kernel::sum_words +
                  std::size_t{random_kernel::own_words} * blocks_ * threads_);
    for (std::size_t i = 0; i < random_kernel::table_words; ++i)
      first_[i] = static_cast<std::uint32_t>(i * 2654435761U);
    at_ = memory_.allocate(first_.size() * 4);
  }
  ptx_emulation::device_memory& memory() { return memory_; }

  std::vector<std::uint32_t> launch(std::string const& text, ptx_emulation::reconvergence meets,
                                    ptx_emulation::access_observer* observer) {
    ptx_emulation::program const module(text, memory_);
    std::memcpy(reinterpret_cast<void*>(at_), first_.data(), first_.size() * 4);
    std::byte parameters[12];
    std::uint32_t const all = blocks_ * threads_;
    std::memcpy(parameters, &at_, 8);
    std::memcpy(parameters + 8, &all, 4);
    ptx_emulation::launch_shape shape;
    shape.grid[0] = blocks_;
    shape.block[0] = threads_;
    ptx_emulation::launch_options options;
    options.seed = seed_;
    options.meets = meets;
    options.observer = observer;
    ptx_emulation::launch(module, *module.find_kernel("k"), shape, parameters, memory_, options);
    std::vector<std::uint32_t> found(first_.size());
    std::memcpy(found.data(), reinterpret_cast<void const*>(at_), found.size() * 4);
    return found;
  }

 private:
  std::uint32_t seed_, blocks_, threads_;
  std::vector<std::uint32_t> first_;
  ptx_emulation::device_memory memory_;
  std::uint64_t at_ = 0;
};

struct tally {
  ptx_emulation::reconvergence meets = ptx_emulation::reconvergence::ideal;
  std::size_t kernels = 0, compared = 0, generic = 0;
  std::uint64_t lanes = 0;
};

/// What the patches found of one access of a line, all its spaces and sizes together.
struct found_access {
  std::uint64_t lanes = 0, lanes_of_space[3] = {}, requests = 0, sectors = 0, sectors_needed = 0;
};
template <class Tool>
void add(found_access& to, typename patch_memory<Tool>::row const& row) {
  to.lanes += row.executions;
  to.lanes_of_space[row.site.space()] += row.executions;
  if constexpr (std::is_same_v<Tool, coalescing>) {
    to.requests += row.state.requests.value();
    to.sectors += row.state.sectors.value();
    to.sectors_needed += row.state.sectors_needed.value();
  }
}

template <class Tool>
std::string find_difference(kernel_run& run, ptx::module const& from, std::vector<std::uint32_t> const& results,
                            observed_accesses& seen, tally& sum) {
  patch_memory<Tool> collected(run.memory(), 1024, 4);
  std::string const text = pasta_test::patched_text::make(from, pasta::detail::patch_needs<Tool>::functions,
                                                          collected.user_data(), patches_of<Tool>(), address_of);
  std::string wrong;
  if (run.launch(text, sum.meets, nullptr) != results) wrong += "\nother results with patches";
  if (collected.dropped() != 0) wrong += "\nsites found no place";
  std::map<std::pair<std::uint32_t, std::uint32_t>, found_access> found;  // by line and number in it
  collected.for_each_row([&](auto const& row) {
    if (row.site.kernel() != 3) wrong += "\na row is another kernel's";
    std::uint32_t const line = static_cast<std::uint32_t>((row.site.address - code_begin) / 16);
    ptx::statement const* at = nullptr;
    for (ptx::statement const& each : from.statements) {
      if (each.line == line && each.kind == ptx::statement_kind::instruction) at = &each;
    }
    REQUIRE(at != nullptr);
    bool const is_copy = ptx::classify(ptx::read_instruction(at->text)).kind == ptx::site_kind::copy;
    add<Tool>(found[{line, is_copy && row.site.what() == pasta::operation::store ? 1 : 0}], row);
  });
  for (ptx::statement const& at : from.statements) {
    if (at.kind != ptx::statement_kind::instruction) continue;
    ptx::site const site = ptx::classify(ptx::read_instruction(at.text));
    if (site.kind != ptx::site_kind::access && site.kind != ptx::site_kind::copy) continue;
    for (std::uint32_t number = 0; number < site.access_count; ++number) {
      found_access const& is = found[{at.line, number}];
      observed_requests const& should = seen.at(at.line, number);
      auto const check = [&](char const* what, std::uint64_t a, std::uint64_t b) {
        if (a != b)
          wrong += fmt::format("\n{}: line {}: {} ({}): {} {} not {}", pasta::tool_name<Tool>(), at.line, at.text,
                               number, what, a, b);
      };
      ++sum.compared;
      sum.lanes += is.lanes;
      sum.generic += site.all[number].space == ptx::state_space::generic;
      if constexpr (std::is_same_v<Tool, access_count>) {
        check("lanes", is.lanes, should.lanes);
        check("lanes in global memory", is.lanes_of_space[0], should.global_lanes);
      } else {
        check("lanes", is.lanes, should.global_lanes);
        // Of a copy's read the vendor says the size of what is written.
        if (sum.meets != ptx_emulation::reconvergence::ideal || site.kind == ptx::site_kind::copy) continue;
        check("requests", is.requests, should.spaces[0]);
        check("sectors", is.sectors, should.sectors);
        check("sectors needed", is.sectors_needed, should.sectors_needed);
      }
    }
  }
  return wrong;
}

tally check_kernels(std::uint32_t first, std::uint32_t count, ptx_emulation::reconvergence meets) {
  tally sum;
  sum.meets = meets;
  for (std::uint32_t seed = first; seed < first + count; ++seed) {
    std::string const source = random_kernel(seed).text();
    std::string wrong;
    try {
      kernel_run run(seed);
      ptx::module const from = ptx::read(source);
      observed_accesses seen;
      std::vector<std::uint32_t> const results = run.launch(source, ptx_emulation::reconvergence::ideal, &seen);
      wrong = find_difference<access_count>(run, from, results, seen, sum) +
              find_difference<coalescing>(run, from, results, seen, sum);
      ++sum.kernels;
    } catch (std::exception const& error) {
      wrong = error.what();
    }
    if (wrong.empty()) continue;
    CAPTURE(seed, source);
    FAIL_CHECK(wrong);
  }
  CHECK(sum.kernels == count);
  CHECK(sum.compared > 10 * sum.kernels);
  CHECK(sum.generic > 0);
  CHECK(sum.lanes > 1000 * sum.kernels);
  return sum;
}

TEST_CASE("Patches have what the interpreter saw, in random kernels") {
  check_kernels(0, 40, ptx_emulation::reconvergence::ideal);
}
TEST_CASE("Where lanes never meet again patches have each lane once, and results are as ever") {
  check_kernels(1000, 15, ptx_emulation::reconvergence::none);
}

TEST_CASE("Lanes of sites that find no place are counted") {
  kernel_run run(1);
  std::string const source = random_kernel(7).text();
  ptx::module const from = ptx::read(source);
  observed_accesses seen;
  std::vector<std::uint32_t> const results = run.launch(source, ptx_emulation::reconvergence::ideal, &seen);
  patch_memory<access_count> collected(run.memory(), 4, 2);
  std::string const text =
      pasta_test::patched_text::make(from, pasta::detail::patch_needs<access_count>::functions, collected.user_data(),
                                     patches_of<access_count>(), address_of);
  CHECK(run.launch(text, ptx_emulation::reconvergence::ideal, nullptr) == results);
  std::uint64_t lanes = 0, rows = 0, expected = 0;
  collected.for_each_row([&](auto const& row) { lanes += row.executions, ++rows; });
  for (ptx::statement const& at : from.statements) {
    for (std::uint32_t number = 0; number < 2; ++number) expected += seen.at(at.line, number).lanes;
  }
  CHECK(rows == 4);
  CHECK(collected.dropped() > 0);
  CHECK(lanes + collected.dropped() == expected);
}

TEST_CASE("A kernel without user data runs as if nothing was patched") {
  kernel_run run(2);
  std::string const source = random_kernel(3).text();
  ptx::module const from = ptx::read(source);
  std::vector<std::uint32_t> const results = run.launch(source, ptx_emulation::reconvergence::ideal, nullptr);
  std::string const text = pasta_test::patched_text::make(from, pasta::detail::patch_needs<coalescing>::functions, 0,
                                                          patches_of<coalescing>(), address_of);
  CHECK(run.launch(text, ptx_emulation::reconvergence::ideal, nullptr) == results);
}

}  // namespace
