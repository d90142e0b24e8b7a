// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0

// All that users include, in one file: what clang-tidy reads.
#include <pasta/pasta.hpp>
#include <pasta/testing.hpp>
