// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// A HIP program that knows nothing of PASTA.
#include <hip/hip_ext.h>
#include <hip/hip_runtime.h>

#include <cstdio>

__global__ void scale(float* data, float by) { data[blockIdx.x * blockDim.x + threadIdx.x] *= by; }

// Each other way to launch and allocate that the hooks know.
bool use_other_functions(float* a) {
  auto const kernel = reinterpret_cast<void const*>(&scale);
  float by = 1;
  void* all[] = {&a, &by};
  void *managed = nullptr, *in_order = nullptr;
  bool is_done = hipLaunchKernel_spt(kernel, dim3(7), dim3(8), all, 0, nullptr) == hipSuccess &&
                 hipExtLaunchKernel(kernel, dim3(7), dim3(16), all, 0, nullptr, nullptr, nullptr, 0) == hipSuccess &&
                 hipLaunchCooperativeKernel(kernel, dim3(7), dim3(24), all, 0, nullptr) == hipSuccess &&
                 hipLaunchCooperativeKernel_spt(kernel, dim3(7), dim3(32), all, 0, nullptr) == hipSuccess &&
                 hipModuleLaunchKernel(nullptr, 7, 2, 1, 40, 1, 1, 0, nullptr, all, nullptr) == hipSuccess;
  is_done = is_done && hipMallocManaged(&managed, 48) == hipSuccess && hipFree(managed) == hipSuccess &&
            hipMallocAsync(&in_order, 56, nullptr) == hipSuccess && hipFreeAsync(in_order, nullptr) == hipSuccess;
  return is_done && hipFree(nullptr) == hipSuccess;
}

int main(int argc, char**) {
  float *a = nullptr, *b = nullptr;
  if (hipMalloc(&a, 1024) != hipSuccess || hipMalloc(&b, 16) != hipSuccess) return 1;
  scale<<<dim3(2, 1, 1), dim3(64, 2)>>>(a, 2.0f);
  hipLaunchKernelGGL(scale, 3, 32, 256, 0, a, 3.0f);
  scale<<<1, 2048>>>(a, 1.0f);
  if (hipGetLastError() != hipErrorInvalidConfiguration) return 2;
  if (argc > 1 && !use_other_functions(a)) return 4;
  // Of threads, not of blocks.
  if (argc > 2 && hipExtModuleLaunchKernel(nullptr, 640, 4, 1, 64, 2, 1, 0, nullptr, nullptr, nullptr) != hipSuccess)
    return 5;
  if (hipFree(b) != hipSuccess || hipFree(a) != hipSuccess || hipDeviceSynchronize() != hipSuccess) return 3;
  std::puts("done");
}
