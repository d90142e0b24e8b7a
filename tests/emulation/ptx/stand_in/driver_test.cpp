// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// The stand-in answers as CUDA's driver does, also where a kernel goes wrong.
#include "driver.hpp"

#include <cuda.h>

#include <array>
#include <catch.hpp>
#include <string>

namespace {

using pasta_test::contains_text;

void make_current() {
  CUdevice device = 1;
  CUcontext context = nullptr;
  REQUIRE(cuInit(0) == CUDA_SUCCESS);
  REQUIRE(cuDeviceGet(&device, 0) == CUDA_SUCCESS);
  REQUIRE(cuDevicePrimaryCtxRetain(&context, device) == CUDA_SUCCESS);
  REQUIRE(cuCtxSetCurrent(context) == CUDA_SUCCESS);
}

CUmodule load(std::string const& body) {
  std::string const text =
      ".version 8.0\n.target sm_90\n.address_size 64\n.global .u32 g[3] = {1, 2, 3};\n"
      ".entry k(.param .u64 at, .param .u32 add)\n{\n"
      ".reg .b64 %rd<3>; .reg .b32 %r<4>; ld.param.u64 %rd1, [at]; ld.param.u32 %r1, [add];\n" +
      body + "\n}\n";
  CUmodule made = nullptr;
  REQUIRE(cuModuleLoadData(&made, text.c_str()) == CUDA_SUCCESS);
  return made;
}

CUresult run(CUmodule module, CUdeviceptr at, unsigned add, unsigned threads = 32) {
  CUfunction function = nullptr;
  REQUIRE(cuModuleGetFunction(&function, module, "k") == CUDA_SUCCESS);
  void* parameters[] = {&at, &add};
  CUresult const launched = cuLaunchKernel(function, 1, 1, 1, threads, 1, 1, 0, nullptr, parameters, nullptr);
  if (launched != CUDA_SUCCESS) return launched;
  CUresult const status = cuCtxSynchronize();
  CHECK(cuMemsetD8(at, 0, 0) == status);  // it stays so
  mend_stand_in();
  return status;
}

TEST_CASE("A module is loaded, its variables are there, its kernel runs") {
  make_current();
  CUmodule const module = load(
      "ld.global.u32 %r2, [g+8]; add.u32 %r2, %r2, %r1; st.global.u32 [g+4], %r2; red.global.add.u32 [%rd1], 2; ret;");
  CUdeviceptr memory = 0, variable = 0;
  std::size_t bytes = 0;
  REQUIRE(cuMemAlloc(&memory, 8) == CUDA_SUCCESS);
  REQUIRE(cuMemsetD32(memory, 7, 2) == CUDA_SUCCESS);
  CHECK(run(module, memory, 40) == CUDA_SUCCESS);
  std::array<unsigned, 3> found{};
  CHECK(cuMemcpyDtoH(found.data(), memory, 8) == CUDA_SUCCESS);
  CHECK(found == std::array<unsigned, 3>{71, 7, 0});
  REQUIRE(cuModuleGetGlobal(&variable, &bytes, module, "g") == CUDA_SUCCESS);
  CHECK(bytes == 12);
  CHECK(cuMemcpyDtoH(found.data(), variable, 12) == CUDA_SUCCESS);
  CHECK(found == std::array<unsigned, 3>{1, 43, 3});
  CHECK(cuMemcpyDtoH(found.data(), memory, 12) == CUDA_ERROR_INVALID_VALUE);
  CHECK(run(module, memory, 0, 2048) == CUDA_ERROR_INVALID_VALUE);
  CUfunction none = nullptr;
  CHECK(cuModuleGetFunction(&none, module, "other") == CUDA_ERROR_NOT_FOUND);
  CHECK(cuModuleUnload(module) == CUDA_SUCCESS);
  CHECK(cuMemFree(memory) == CUDA_SUCCESS);
  CHECK(cuMemFree(memory) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("What goes wrong in a kernel is an error of the driver") {
  make_current();
  CHECK(run(load("st.global.u32 [%rd1], %r1; ret;"), 0, 1) == CUDA_ERROR_ILLEGAL_ADDRESS);
  CHECK(run(load("ld.global.u32 %r1, [g+2]; ret;"), 0, 1) == CUDA_ERROR_MISALIGNED_ADDRESS);
  CHECK(run(load("trap; ret;"), 0, 1) == CUDA_ERROR_LAUNCH_FAILED);
}

TEST_CASE("PTX with what is not known is refused, and the log says where") {
  make_current();
  std::array<char, 200> log{};
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log.data(), reinterpret_cast<void*>(log.size())};
  CUmodule module = nullptr;
  CHECK(cuModuleLoadDataEx(&module, ".version 8.0\n.target sm_90\n.entry k()\n{\nwibble;\n}\n", 2, options, values) ==
        CUDA_ERROR_INVALID_PTX);
  CHECK_THAT(std::string(log.data()), contains_text("line 5: wibble;"));
  CHECK(cuModuleLoadData(&module, "no PTX") == CUDA_ERROR_INVALID_PTX);
}

}  // namespace
