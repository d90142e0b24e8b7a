// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// A library that another tool has the driver load.
#include <cstdio>

extern "C" int InitializeInjection() {
  std::puts("the other injection");
  return 1;
}
