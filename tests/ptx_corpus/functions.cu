// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Calls that stay: pointers to functions, virtual functions, recursion, results and parameters of all sizes.
// corpus: -arch=compute_75
// corpus: -arch=compute_90 -G
// corpus: -arch=compute_90 -lineinfo
// corpus: -arch=compute_90 -rdc=true
// corpus: dlto -arch=sm_90
// corpus: dlto -arch=sm_80 -lineinfo
#include <cstdint>

using operation = float (*)(float, float);

__device__ float add(float a, float b) { return a + b; }
__device__ float multiply(float a, float b) { return a * b; }
__device__ __noinline__ float hypotenuse(float a, float b) { return sqrtf(a * a + b * b); }
__device__ operation table[] = {add, multiply, hypotenuse};

__global__ void by_pointer(float* inout, int which) {
  inout[threadIdx.x] = table[which](inout[threadIdx.x], inout[threadIdx.x + 1]);
}

struct shape {
  __device__ virtual float area() const = 0;
  __device__ virtual void grow(float* by) { factor += *by; }
  float factor = 1;
};
struct square : shape {
  __device__ explicit square(float a) : side(a) {}
  __device__ float area() const override { return side * side * factor; }
  float side;
};
struct circle : shape {
  __device__ explicit circle(float r) : radius(r) {}
  __device__ float area() const override { return 3 * radius * radius * factor; }
  __device__ void grow(float* by) override { factor *= *by; }
  float radius;
};

__global__ void by_virtual(shape** shapes, float* areas, float* by) {
  square one(by[1]);
  circle two(by[2]);
  shape* const mine = threadIdx.x % 3 == 0 ? static_cast<shape*>(&one) : threadIdx.x % 3 == 1 ? &two : shapes[0];
  mine->grow(by);
  areas[threadIdx.x] = mine->area();
}

__device__ __noinline__ int count_leaves(int const* left, int const* right, int node) {
  if (node < 0) return 1;
  return count_leaves(left, right, left[node]) + count_leaves(left, right, right[node]);
}

__global__ void recursive(int const* left, int const* right, int* leaves) {
  leaves[threadIdx.x] = count_leaves(left, right, static_cast<int>(threadIdx.x));
}

struct large {
  float values[24];
  std::uint16_t flags;
};

__device__ __noinline__ large change(large x, float by, bool up, char kind, double more, std::uint64_t mask) {
  for (auto& value : x.values) value = up ? value + by : value - by;
  x.flags = static_cast<std::uint16_t>(x.flags ^ mask ^ static_cast<unsigned>(kind));
  x.values[3] += static_cast<float>(more);
  return x;
}

__global__ void by_value(large* inout, bool up, char kind) {
  inout[threadIdx.x] = change(inout[threadIdx.x], 2, up, kind, 0.5, 0xff00);
}

__device__ __noinline__ void store(float* out, float value) { out[threadIdx.x] = value; }
__device__ __noinline__ float load(float const* in) { return in[threadIdx.x]; }

__global__ void access_in_callees(float const* in, float* out, int n) {
  __shared__ float tile[128];
  for (int i = 0; i < n; ++i) {
    store(tile, load(in + i * 128));
    __syncthreads();
    store(out + i * 128, load(tile));
  }
}

__device__ __noinline__ int leave_early(int* at) {
  if (at[0] < 0) asm volatile("exit;");
  if (at[1] < 0) __trap();
  if (at[2] < 0) return 1;
  at[3] = 4;
  return 2;
}

__global__ void may_end_in_callee(int* at) {
  at[threadIdx.x + 8] = leave_early(at + threadIdx.x);
  if (at[4] == 3) return;
  at[5] = leave_early(at + 6);
}
