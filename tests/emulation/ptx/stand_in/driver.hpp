// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TESTS_EMULATION_PTX_STAND_IN_DRIVER_HPP
#define PASTA_TESTS_EMULATION_PTX_STAND_IN_DRIVER_HPP

#include "launch.hpp"

/// How the stand-in for CUDA's driver runs kernels, to be changed at will. The seed is PASTA_EMULATION_SEED, 0 without
/// it; each launch adds one.
ptx_emulation::launch_options& stand_in_options();

/// Makes the context as good as new behind a kernel that went wrong. Memory and modules stay.
void mend_stand_in();

#endif
