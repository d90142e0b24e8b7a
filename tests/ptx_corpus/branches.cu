// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Ways through a kernel: switches, early returns, loops that parts of a warp leave. nvcc 13.0 makes comparisons of each
// switch, so the table of branches is assembly.
// corpus: -arch=compute_75
// corpus: -arch=compute_90
// corpus: -arch=compute_90 -G
// corpus: -arch=compute_90 -rdc=true
#include <cstdint>

__global__ void interpret(std::uint8_t const* code, int* stack, int steps) {
  int top = 0, at = 0;
  for (int i = 0; i < steps; ++i) {
    int const operand = stack[top];
    switch (code[at++]) {
      case 0:
        stack[++top] = at;
        break;
      case 1:
        stack[top - 1] += operand;
        --top;
        break;
      case 2:
        stack[top - 1] -= operand;
        --top;
        break;
      case 3:
        stack[top - 1] *= operand;
        --top;
        break;
      case 4:
        at = operand;
        --top;
        break;
      case 5:
        if (operand > 0) at -= 4;
        break;
      case 6:
        stack[top] = __popc(static_cast<unsigned>(operand));
        break;
      case 7:
        stack[top] = stack[operand];
        break;
      case 8:
        stack[operand] = stack[top - 1];
        break;
      case 9:
        __syncthreads();
        break;
      case 10:
        stack[top] = static_cast<int>(threadIdx.x);
        break;
      case 11:
        return;
      case 12:
        stack[top] = __shfl_sync(0xffffffff, operand, 3);
        break;
      default:
        stack[0] = -1;
        return;
    }
  }
}

__global__ void many_returns(int const* in, int* out, int n) {
  int const i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  if (in[i] == 0) {
    out[i] = 1;
    return;
  }
  if (in[i] % 2) {
    out[i] = in[in[i]];
    if (out[i] > 5) return;
  }
  for (int k = 0; k < in[i]; ++k) {
    if (in[k] == 7) return;
    for (int j = k; j < n; ++j) {
      if (in[j] == 8) goto found;
      if (in[j] == 9) continue;
      out[j] += k;
    }
  }
found:
  out[i] = 3;
}

__global__ void search(int const* sorted, int const* wanted, int* places, int n) {
  int low = 0, high = n;
  int const value = wanted[threadIdx.x];
  while (low < high) {
    int const middle = (low + high) / 2;
    if (sorted[middle] < value) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  places[threadIdx.x] = low;
}

__global__ void take_turns(int volatile* lock, int* shared_total) {
  bool is_done = false;
  while (!is_done) {
    if (atomicCAS(const_cast<int*>(lock), 0, 1) == 0) {
      *shared_total += static_cast<int>(threadIdx.x);
      __threadfence();
      *lock = 0;
      is_done = true;
    }
  }
}

__global__ void table_in_assembly(int* at, unsigned which) {
  asm volatile(
      "{\n"
      "targets: .branchtargets first, second, third;\n"
      "  brx.idx %1, targets;\n"
      "first:\n"
      "  st.global.u32 [%0], 1; bra third;\n"
      "second: st.global.u32 [%0+4], 2;\n"
      "third:\n"
      "}\n" ::"l"(at),
      "r"(which)
      : "memory");
}
