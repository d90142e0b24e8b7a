// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// expect: a traced element is trivially copyable
#include <pasta/instrument/traced.hpp>
#include <string>

struct none;
void run(std::string* names) {
  pasta::traced<std::string, pasta::probe<none>> const all(names, pasta::memory_space::global, {});
}
