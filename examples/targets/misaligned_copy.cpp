// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "misaligned_copy.hpp"

int main(int argc, char** argv) {
  return targets::run<targets::misaligned_copy_problem>(argc, argv,
                                                        {"elements", std::size_t{1} << 18, 1, std::size_t{1} << 25});
}
