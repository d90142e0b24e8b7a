// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Kernels of the programs that the patch route's collector is tested with. Tests know the lines.
__global__ void scale(float* a, int n) {
  int const i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) {
    float const value = a[i];
    a[i] = value * 2;
  }
}

__global__ void strided(float* a, int n) {
  int const i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) a[i * 8] = 1;
}

__device__ PASTA_TEST_CALLED void add_one(float* a, int i) { atomicAdd(&a[i], 1.0f); }
__global__ void through_shared(float* a, int n) {
  __shared__ volatile float tile[64];
  int const i = static_cast<int>(threadIdx.x);
  if (i < n) tile[i] = a[i];
  __syncthreads();
  if (i < n) add_one(a, static_cast<int>(tile[n - 1 - i]));
}

__global__ void wrong(float* a, int n) { a[threadIdx.x + (static_cast<unsigned long long>(n) << 40)] = 1; }

__global__ void generic(float* a, int n) {
  __shared__ float tile[64];
  int const i = static_cast<int>(threadIdx.x);
  float* const to = i % 2 == 0 ? a + i : tile + i;
  if (i < n) asm volatile("st.f32 [%0], %1;" ::"l"(to), "f"(1.0f) : "memory");
}
