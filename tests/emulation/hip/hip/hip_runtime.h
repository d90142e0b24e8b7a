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

#include "hip/emulated_atomics.h"
#include "hip/emulated_device.h"
#include "hip/emulated_launch.h"
#include "hip/emulated_waves.h"
#include "hip/hip_runtime_api.h"

#endif
