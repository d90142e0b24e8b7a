// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Launches kernels of another file.
#include <cstdio>

#include "scale.hpp"

int main() {
  pasta::buffer<float> values(512);
  pasta::launch(fill, {2, 256}, values, 3.0F);
  pasta::launch(scale<float>, {2, 256}, values, 2.0F, 500);
  std::vector<float> all(512);
  values.copy_to(all);
  std::puts(all[499] == 6 && all[500] == 3 ? "OK" : "wrong result");
}
