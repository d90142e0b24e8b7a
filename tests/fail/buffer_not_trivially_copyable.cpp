// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// expect: a buffer's elements are trivially copyable
#include <pasta/pasta.hpp>

void run() { pasta::buffer<std::string> const names(3); }
