// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// What ends a kernel or writes to the host: printf, assert, trap, memory from the device's heap.
// corpus: -arch=compute_75
// corpus: -arch=compute_90 -G
// corpus: -arch=compute_90 -rdc=true
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <new>

__global__ void print(int const* in, char const* name) {
  printf("%d of %s: %f\n", in[threadIdx.x], name, static_cast<double>(in[1]));
  if (threadIdx.x == 0) printf("no arguments\n");
}

__global__ void check(int const* in, int* out) {
  assert(in[threadIdx.x] > 0 && "must be positive");
  out[threadIdx.x] = 100 / in[threadIdx.x];
  if (out[threadIdx.x] == 7) __trap();
  if (out[threadIdx.x] == 8) __brkpt();
}

struct node {
  int value;
  node* next;
};

__global__ void build_list(int const* in, int* sum, int count) {
  node* first = nullptr;
  for (int i = 0; i < count; ++i) {
    node* const added = static_cast<node*>(malloc(sizeof(node)));
    if (!added) return;
    *added = {in[i], first};
    first = added;
  }
  int total = 0;
  while (first) {
    total += first->value;
    node* const next = first->next;
    free(first);
    first = next;
  }
  int* const copy = new int[4];
  copy[threadIdx.x % 4] = total;
  *sum = copy[0];
  delete[] copy;
}

__global__ void never_returns(int* at) {
  while (true) atomicAdd(at, 1);
}
