// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// The other of two files that have an instance of a kernel.
#include "shared_kernel.hpp"

void launch_in_other_file(int* sum) { add_twice<int><<<1, 64>>>(sum, 30); }
