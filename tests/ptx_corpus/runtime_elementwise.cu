// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Elementwise kernels as array libraries make them from an expression while they run.
// corpus: nvrtc -arch=compute_80
// corpus: nvrtc -arch=compute_90 -use_fast_math
// corpus: nvrtc -arch=compute_120 -rdc=true
#define N 4

struct view {
  char* data;
  long long strides[N];
};

__device__ char* locate(view const& x, long long index, long long const* shape) {
  char* at = x.data;
  for (int axis = N - 1; axis >= 0; --axis) {
    at += index % shape[axis] * x.strides[axis];
    index /= shape[axis];
  }
  return at;
}

struct sizes {
  long long shape[N], count;
};

extern "C" __global__ void gelu(view in, view out, sizes s) {
  for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < s.count; i += gridDim.x * blockDim.x) {
    float const x = *reinterpret_cast<float const*>(locate(in, i, s.shape));
    *reinterpret_cast<float*>(locate(out, i, s.shape)) = x * 0.5f * (1 + erff(x * 0.7071067811865476f));
  }
}

extern "C" __global__ void where(view condition, view a, view b, view out, sizes s) {
  long long const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= s.count) return;
  bool const is_first = *locate(condition, i, s.shape) != 0;
  *reinterpret_cast<double*>(locate(out, i, s.shape)) = is_first
                                                            ? *reinterpret_cast<double const*>(locate(a, i, s.shape))
                                                            : *reinterpret_cast<double const*>(locate(b, i, s.shape));
}
