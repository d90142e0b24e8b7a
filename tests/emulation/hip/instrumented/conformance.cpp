// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// The kernels of the conformance suite, from the same source, in two forms: on a probe, and without one, for the pass
// plugin to put tools into. Their checks are not run: the reports of the two forms are compared.
//
//   conformance probe|plain       each case once
//   conformance list              the cases and their kernels
#include <cstdio>
#include <functional>
#include <pasta/pasta.hpp>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

// In place of conformance/observe.hpp, with what it includes.
#define PASTA_TESTS_CONFORMANCE_OBSERVE_HPP
#define PASTA_TESTS_EMULATION_HIP_CONFORMANCE_OBSERVE_HPP

namespace {

struct test_case {
  char const* name;
  void (*run)();
};
std::vector<test_case>& cases() {
  static std::vector<test_case> all;
  return all;
}
struct add_case {
  add_case(char const* name, void (*run)()) { cases().push_back({name, run}); }
};
enum class form { listed, probe, plain };
form wanted = form::listed;

struct observed_state {
  struct number {
    std::uint64_t value(std::uint32_t = 0) const { return 0; }
  };
  number lanes, requests, address_sum, address_squares, source_bytes, taken, multiply_adds, by_lane;
};
struct observed_site {
  pasta::site_info site;
  observed_state state;
};
struct observed_kernel {
  std::vector<observed_site> sites;
  struct {
    observed_state::number most_accesses_of_a_thread;
  } kernel;
};
std::vector<observed_site> sites_of(observed_kernel const& kernel, pasta::operation,
                                    pasta::memory_space = pasta::memory_space::global) {
  return kernel.sites;
}
observed_site site_of(observed_kernel const&, pasta::operation, pasta::memory_space = pasta::memory_space::global) {
  return {};
}

template <class Check, class Kernel, class... Arguments>
void observe(Check&&, Kernel const& kernel, pasta::launch_config const& config, Arguments const&... arguments) {
  if (wanted == form::listed)
    return static_cast<void>(std::printf("  %s\n", pasta::detail::kernel_name(kernel).c_str()));
  if (wanted == form::probe) {
    pasta::launch(kernel, config, arguments...);
  } else {
    using pasta::detail::kernel_source;
    dim3 const grid(config.grid.x, config.grid.y, config.grid.z), block(config.block.x, config.block.y, config.block.z);
    hipLaunchKernelGGL((&pasta::detail::run_plain<Kernel, pasta::detail::parameter_t<Arguments>...>), grid, block,
                       config.shared_bytes, nullptr, kernel_source<Kernel>::of(kernel),
                       pasta::detail::to_parameter(arguments)...);
  }
  pasta::synchronize();
}

}  // namespace

#define CONFORMANCE_JOINED(a, b) a##b
#define CONFORMANCE_NAME(a, b) CONFORMANCE_JOINED(a, b)
#define TEST_CASE(name) CONFORMANCE_CASE(name, __COUNTER__)
#define CONFORMANCE_CASE(name, number)                                                            \
  static void CONFORMANCE_NAME(case_, number)();                                                  \
  static add_case const CONFORMANCE_NAME(added_, number)(name, &CONFORMANCE_NAME(case_, number)); \
  static void CONFORMANCE_NAME(case_, number)()
#define CHECK(...) static_cast<void>(__VA_ARGS__)
#define REQUIRE(...) static_cast<void>(__VA_ARGS__)

#include "conformance/access_test.cpp"
#undef CONFORMANCE_CASE
#define CONFORMANCE_CASE(name, number)                                                                  \
  static void CONFORMANCE_NAME(other_case_, number)();                                                  \
  static add_case const CONFORMANCE_NAME(other_, number)(name, &CONFORMANCE_NAME(other_case_, number)); \
  static void CONFORMANCE_NAME(other_case_, number)()
#include "conformance/divergence_test.cpp"

int main(int argc, char** argv) {
  std::string const how = argc > 1 ? argv[1] : "list";
  wanted = how == "probe" ? form::probe : how == "plain" ? form::plain : form::listed;
  for (test_case const& each : cases()) {
    if (wanted == form::listed) std::printf("%s\n", each.name);
    each.run();
  }
  return 0;
}
