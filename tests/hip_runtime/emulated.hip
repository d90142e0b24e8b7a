// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// A HIP program for the emulation, instrumented by hand: its state, its site table, and what counts in its kernel are
// what the compiler's plugin makes. Started with the number of blocks and of launches, and with `ranges`: each launch
// is in one of three ranges; `steps`: each launch is a step; `half`: the second half of the launches is stopped.
#include <hip/hip_runtime.h>
#include <pasta/annotate.h>

#include <cstdio>
#include <cstdlib>
#include <pasta/instrument/ptx/module_state.hpp>
#include <string_view>

namespace {

pasta::ptx::module_state state{};
constexpr char table[] = R"({"schema": "pasta.ptx.sites/3", "pasta": "0.1.0",
  "id": "00000000000000000000000000000001", "tools": ["access_count"], "target": "emulated", "counters": 2,
  "shard_bytes": 128, "shared_bytes": 0, "rows": [],
  "places": [{"file": "emulated.hip", "line": 40, "column": 3, "function": "", "caller": null}],
  "functions": [{"name": "_Z5scalePfi", "is_entry": true, "why": "", "row": null, "sites": [
    {"counter": 0, "place": 0, "opcode": "load", "line": 0, "accesses": [
      {"kind": "load", "space": "global", "bytes": 4}]},
    {"counter": 1, "place": 0, "opcode": "store", "line": 0, "accesses": [
      {"kind": "store", "space": "global", "bytes": 4}]}]}]})";

void count(unsigned counter) {
  if (state.shards == 0) return;  // nobody collects
  std::uint64_t const shard = blockIdx.x & state.shard_mask;
  atomicAdd(reinterpret_cast<unsigned long long*>(state.shards + shard * state.shard_bytes) + counter, 1ull);
}

}  // namespace

__global__ void scale(float* data, int size) {
  int const i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= size) return;
  count(0);
  count(1);
  data[i] *= 2;
}

extern "C" __attribute__((weak)) void pasta_hip_add_module(void* state, char const* table, std::uint64_t table_bytes);
extern "C" __attribute__((weak)) void pasta_hip_add_kernel(void const* function, char const* name);

namespace {

__attribute__((constructor)) void tell() {
  if (pasta_hip_add_module == nullptr) return;
  pasta_hip_add_module(&state, table, sizeof table - 1);
  pasta_hip_add_kernel(reinterpret_cast<void const*>(&scale), "_Z5scalePfi");
}

}  // namespace

int main(int argc, char** argv) {
  unsigned const blocks = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 1;
  int const launches = argc > 2 ? std::atoi(argv[2]) : 1;
  int const size = static_cast<int>(blocks) * 64 - 10;
  float* data = nullptr;
  if (hipMalloc(&data, blocks * 64 * sizeof(float)) != hipSuccess) return 1;
  for (int i = 0; i < size; ++i) data[i] = 1;
  std::string_view const how = argc > 3 ? argv[3] : "";
  char const* const ranges[] = {"a", "b", "c"};
  for (int i = 0; i < launches; ++i) {
    if (how == "ranges") pasta_annotate_push(ranges[i % 3]);
    if (how == "half" && 2 * i >= launches) pasta_stop();
    scale<<<blocks, 64>>>(data, size);
    if (how == "ranges") pasta_annotate_pop();
    if (how == "steps") pasta_step();
  }
  if (hipDeviceSynchronize() != hipSuccess) return 1;
  std::printf("%g %g\n", data[0], data[size - 1]);
  return 0;
}
