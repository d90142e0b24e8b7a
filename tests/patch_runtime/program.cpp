// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// A program that does what its arguments say, one after the other, on the stand-in of a GPU.
//
//   load M FILE, unload M
//   launch M KERNEL GRIDxBLOCK N [TIMES]    on one array, which all kernels have
//   alloc BYTES, free                       another array for the kernels; without one
//   sync, reset, push RANGE, pop, start, stop, step, exit N
#include <cuda.h>

#include <pasta/annotate.h>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>

int main(int count, char** words) {
  std::map<std::string, CUmodule> modules;
  CUcontext context = nullptr;
  CUdeviceptr array = 0;
  cuInit(0);
  cuDevicePrimaryCtxRetain(&context, 0);
  cuMemAlloc(&array, 1 << 16);
  for (int i = 1; i < count; ++i) {
    std::istringstream line(words[i]);
    std::string verb, name, what, shape;
    line >> verb >> name;
    if (verb == "load") {
      std::getline(line >> std::ws, what);
      if (cuModuleLoad(&modules[name], what.c_str()) != CUDA_SUCCESS) std::puts("load failed");
    } else if (verb == "unload") {
      cuModuleUnload(modules[name]);
    } else if (verb == "launch") {
      int n = 0, times = 1;
      line >> what >> shape >> n >> times;
      unsigned grid = 1, block = 1;
      std::sscanf(shape.c_str(), "%ux%u", &grid, &block);
      CUfunction function = nullptr;
      if (cuModuleGetFunction(&function, modules[name], what.c_str()) != CUDA_SUCCESS) std::puts("no such kernel");
      void* arguments[] = {&array, &n};
      for (int round = 0; round < times; ++round) {
        if (cuLaunchKernel(function, grid, 1, 1, block, 1, 1, 0, nullptr, arguments, nullptr) != CUDA_SUCCESS)
          std::puts("launch failed");
      }
    } else if (verb == "alloc") {
      cuMemAlloc(&array, std::stoul(name));
    } else if (verb == "free") {
      cuMemFree(array);
    } else if (verb == "sync") {
      if (CUresult const error = cuCtxSynchronize(); error != CUDA_SUCCESS) std::printf("error %d\n", error);
    } else if (verb == "reset") {
      cuDevicePrimaryCtxReset(0);
      cuDevicePrimaryCtxRetain(&context, 0);
    } else if (verb == "push") {
      pasta_annotate_push(name.c_str());
    } else if (verb == "pop") {
      pasta_annotate_pop();
    } else if (verb == "start") {
      pasta_start();
    } else if (verb == "stop") {
      pasta_stop();
    } else if (verb == "step") {
      pasta_step();
    } else if (verb == "exit") {
      return std::atoi(name.c_str());
    } else {
      std::abort();
    }
  }
  std::puts("done");
  return 0;
}
