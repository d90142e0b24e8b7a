// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "histogram.hpp"

int main(int argc, char** argv) {
  return targets::run<targets::histogram_problem>(argc, argv, {"keys", std::size_t{1} << 20, 1, std::size_t{1} << 27});
}
