// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// A reduction as programs compile it while they run: no headers.
// corpus: nvrtc -arch=compute_75
// corpus: nvrtc -arch=compute_90 -lineinfo
// corpus: nvrtc -arch=compute_90 -G
template <class T, int Size>
__device__ T reduce(T value) {
  __shared__ T tile[Size];
  tile[threadIdx.x] = value;
  __syncthreads();
#pragma unroll
  for (int step = Size / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) tile[threadIdx.x] += tile[threadIdx.x + step];
    __syncthreads();
  }
  return tile[0];
}

extern "C" __global__ void sum_of_squares(float const* in, float* out, unsigned size) {
  float sum = 0;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += gridDim.x * blockDim.x) sum += in[i] * in[i];
  sum = reduce<float, 256>(sum);
  if (threadIdx.x == 0) atomicAdd(out, sum);
}

extern "C" __global__ void longest(int4 const* in, long long* out) {
  int4 const x = in[blockIdx.x * blockDim.x + threadIdx.x];
  long long const length = reduce<long long, 128>(1ll * x.x * x.x + 1ll * x.y * x.y);
  if (threadIdx.x == 0) atomicMax(out, length);
}
