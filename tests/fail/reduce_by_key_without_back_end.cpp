// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// expect: no sort back end for this vendor: specialise pasta::sort_backend<V>
#include <pasta/analysis/sort.hpp>

struct vendor {};
void run(std::vector<int>& values) { static_cast<void>(pasta::reduce_by_key<vendor>(values, values)); }
