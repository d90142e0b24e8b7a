// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// HIP on the CPU: what a HIP program includes, for a C++ compiler that knows nothing of GPUs. Kernels run on the host
/// engine, a wave of 64 or 32 lanes in step. README.md says what there is.
#ifndef PASTA_TESTS_EMULATION_HIP_HIP_RUNTIME_H
#define PASTA_TESTS_EMULATION_HIP_HIP_RUNTIME_H

// One compilation is both of hipcc's: that for the host and that for the GPU.
#ifndef __HIPCC__
#define __HIPCC__ 1
#endif
#define __HIP_PLATFORM_AMD__ 1
#define __HIP_DEVICE_COMPILE__ 1

// What is here is the GPU's, and no doing of a kernel, for clang's pass plugin (tools/llvm).
#ifdef __clang__
#pragma clang attribute push(__attribute__((annotate("pasta.runtime"))), apply_to = function)
#endif
#include "hip/emulated_atomics.h"
#include "hip/emulated_device.h"
#include "hip/emulated_launch.h"
#include "hip/emulated_waves.h"
#include "hip/hip_runtime_api.h"
#ifdef __clang__
#pragma clang attribute pop
#endif

// As `pasta hipcc --tools` has it for a GPU: a line for each tool.
#ifdef PASTA_LLVM_DEVICE_TOOLS
extern "C" __attribute__((used)) char const pasta_device_tools[] = PASTA_LLVM_DEVICE_TOOLS;
#endif

#endif
