// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "stencil.hpp"

int main(int argc, char** argv) { return targets::run<targets::stencil_problem>(argc, argv, {"rows", 768, 1, 16384}); }
