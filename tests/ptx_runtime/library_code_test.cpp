// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <catch.hpp>
#include <pasta/session/ptx/library_code.hpp>
#include <string_view>
#include <vector>

using pasta::ptx::is_library_code;
using pasta::ptx::place_outside_libraries;
using place = pasta::ptx::read_table::place;

namespace {

TEST_CASE("Libraries are known by their folders") {
  for (std::string_view const file : {"/usr/local/cuda-13.0/include/cccl/cub/block/block_load.cuh",
                                      "/usr/local/cuda/bin/../targets/x86_64-linux/include/cccl/thrust/detail/a.h",
                                      "/home/a/cccl/cub/cub/util.cuh",
                                      "/opt/conda/include/cuda/std/__atomic/order.h",
                                      "/usr/local/cuda-12.4/include/cuda/__barrier/barrier.h",
                                      "/usr/include/cub/agent.cuh",
                                      "/usr/include/thrust/for_each.h",
                                      "/usr/local/cuda-13.0/include/curand_kernel.h",
                                      "/usr/local/cuda-13.0/include/sm_32_intrinsics.hpp",
                                      "/usr/local/cuda/include/crt/mma.hpp",
                                      "/opt/cuda/targets/x86_64-linux/include/cuda_fp16.hpp",
                                      "/usr/include/cooperative_groups/reduce.h",
                                      "/usr/local/cuda/include/cooperative_groups.h",
                                      "/usr/local/cuda/include/math_functions.h",
                                      "/usr/include/hip/amd_detail/amd_hip_atomic.h",
                                      "/opt/rocm-6.2.0/include/rocprim/block/block_load.hpp",
                                      "/opt/rocm/include/hipcub/backend/rocprim/block/block_scan.hpp",
                                      "/usr/lib/llvm-19/lib/clang/19/include/__clang_hip_math.h",
                                      "/usr/include/cuda_fp16.hpp",
                                      "/env/site-packages/nvidia/cuda_runtime/include/cuda_bf16.hpp"}) {
    CAPTURE(file);
    CHECK(is_library_code(file));
  }
  for (std::string_view const file :
       {"kernel.cu", "/home/a/cuda/sort.cu", "/home/cub.cu", "/home/my_thrust/a.cu", "/home/a/include/cuda_kernels.hpp",
        "/home/me/cuda_app/include/vector_add.cuh", "/home/me/cuda_app/include/device_array.cuh",
        "/home/a/cub/my_kernel.cu", "/home/a/cuda-tools/include/x.cuh", "/home/a/targets/add.cu", "/usr/include/my.cuh",
        "/home/cubs/cub_sort.cu", "/home/a/include/hip/kernels.hpp", "/home/a/rocprim/sort.hip", ""}) {
    CAPTURE(file);
    CHECK_FALSE(is_library_code(file));
  }
}

TEST_CASE("What a library does is its caller's") {
  std::vector<place> const places{{"main.cu", 10, 1, "", {}},
                                  {"/usr/include/cub/block_load.cuh", 5, 1, "a", 0},
                                  {"/usr/include/cub/detail.cuh", 6, 1, "b", 1},
                                  {"user.hpp", 7, 1, "c", 2},  // a function of the author's that a library calls
                                  {"/usr/include/cub/agent.cuh", 8, 1, "", {}},
                                  {"/usr/include/cub/detail.cuh", 6, 1, "b", 4}};
  CHECK(place_outside_libraries(places, 0) == 0);
  CHECK(place_outside_libraries(places, 1) == 0);
  CHECK(place_outside_libraries(places, 2) == 0);
  CHECK(place_outside_libraries(places, 3) == 3);
  // A kernel of the library's own stays as it is.
  CHECK(place_outside_libraries(places, 4) == 4);
  CHECK(place_outside_libraries(places, 5) == 5);
}

}  // namespace
