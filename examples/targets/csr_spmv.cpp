// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "csr_spmv.hpp"

int main(int argc, char** argv) {
  return targets::run<targets::csr_spmv_problem>(argc, argv, {"rows", std::size_t{1} << 16, 1, std::size_t{1} << 24});
}
