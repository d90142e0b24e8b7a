// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "transpose.hpp"

int main(int argc, char** argv) {
  return targets::run<targets::transpose_problem<tiled_transpose>>(argc, argv, {"rows", 1024, 1, 16384});
}
