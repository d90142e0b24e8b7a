// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Times the kernels of examples/targets under access_count, on a probe and in plain form, in turn: CPU time of the
// process, which other work on the machine changes little. Prints for each program the median, least and greatest ratio
// of the pairs, and the medians of both times [ms]: `vector_add 0.63 0.60 0.70 41.20 26.00`.
#include <time.h>

#include <algorithm>
#include <pasta/testing.hpp>

#include "access_count.hpp"
#include "plain_forms.hpp"

namespace {

constexpr int pairs = 9;

template <class Work>
double time_ms(Work&& work) {
  auto const now = [] {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
  };
  double const begin = now();
  work();
  return now() - begin;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

template <class Problem>
void measure(char const* name, std::size_t size) {
  Problem problem(size);
  std::vector<double> on_probe, plain, ratios;
  for (int i = 0; i < pairs; ++i) {
    on_probe.push_back(time_ms([&] {
      problem.run([](auto const& kernel, auto const& config, auto const&... arguments) {
        pasta::testing::fixture<access_count> test;
        test.launch(kernel, config, arguments...);
      });
    }));
    plain.push_back(time_ms([&] {
      problem.run([](auto const& kernel, auto const& config, auto const&... arguments) {
        pasta::testing::fixture<access_count> test;
        test.launch(plain_form(kernel), config, arguments...);
      });
    }));
    ratios.push_back(plain.back() / on_probe.back());
  }
  auto const [least, greatest] = std::minmax_element(ratios.begin(), ratios.end());
  fmt::print("{} {:.3f} {:.3f} {:.3f} {:.2f} {:.2f}\n", name, median(ratios), *least, *greatest, median(on_probe),
             median(plain));
}

}  // namespace

int main() {
  measure<targets::vector_add_problem>("vector_add", 1u << 20);
  measure<targets::csr_spmv_problem>("csr_spmv", 1u << 17);
  measure<targets::histogram_problem>("histogram", 1u << 20);
  measure<targets::misaligned_copy_problem>("misaligned_copy", 1u << 19);
  measure<targets::stencil_problem>("stencil", 1u << 10);
  measure<targets::transpose_problem<naive_transpose>>("naive_transpose", 1u << 10);
  measure<targets::transpose_problem<tiled_transpose>>("tiled_transpose", 1u << 10);
  measure<targets::tiled_product_problem>("tiled_product", 1u << 8);
}
