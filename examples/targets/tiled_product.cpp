// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "tiled_product.hpp"

int main(int argc, char** argv) {
  return targets::run<targets::tiled_product_problem>(argc, argv, {"rows", 128, 1, 4096});
}
