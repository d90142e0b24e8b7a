// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "vector_add.hpp"

int main(int argc, char** argv) {
  return targets::run<targets::vector_add_problem>(argc, argv,
                                                   {"elements", std::size_t{1} << 20, 1, std::size_t{1} << 27});
}
