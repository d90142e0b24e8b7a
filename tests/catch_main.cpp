// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0

// The main function of each test program, compiled once. Version 3 brings its own (see tests/CMakeLists.txt).
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
