// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// expect: a line of shadow_bits is a power of two of bytes, from 32 to 4096
#include <pasta/analysis/shadow_bits.hpp>

pasta::shadow_bits<96> const wrong{};
