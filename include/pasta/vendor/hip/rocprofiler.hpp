// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What interpose.hpp tells the sink, by AMD's rocprofiler-sdk, which also sees calls through pointers (Triton) and of
/// hipExtModuleLaunchKernel (rocBLAS). For one file of a shared library that links rocprofiler-sdk and is loaded with
/// the program (LD_PRELOAD, ROCP_TOOL_LIBRARIES). Compiled and run against a stand-in of it, not against AMD's own.
#ifndef PASTA_VENDOR_HIP_ROCPROFILER_HPP
#define PASTA_VENDOR_HIP_ROCPROFILER_HPP

#include <rocprofiler-sdk/registration.h>
#include <rocprofiler-sdk/rocprofiler.h>

#include <cstdio>
#include <pasta/vendor/hip/capture.hpp>
#include <pasta/vendor/hip/memory.hpp>

namespace pasta::detail {

template <class Grid, class Block>
void see_launch(Grid const& grid, Block const& block) {
  capture_kernel<vendor::hip>{}({grid.x, grid.y, grid.z}, {block.x, block.y, block.z});
}
inline constexpr track_memory<vendor::hip> see_memory{};
/// Blocks of a grid that is told in threads.
constexpr std::uint32_t blocks(std::uint32_t all, std::uint32_t each) {
  return each == 0 ? 0 : (all + each - 1) / each;
}

/// A function of the runtime's, and what is seen of its arguments, which have rocprofiler's names.
struct hip_function {
  rocprofiler_tracing_operation_t number;
  rocprofiler_callback_phase_t when;
  void (*see)(rocprofiler_hip_api_args_t const&);
};
#define PASTA_DETAIL_SEE(name, when, what)                                    \
  hip_function {                                                              \
    ROCPROFILER_HIP_RUNTIME_API_ID_##name, ROCPROFILER_CALLBACK_PHASE_##when, \
        [](rocprofiler_hip_api_args_t const& all) {                           \
          auto const& its = all.name;                                         \
          what;                                                               \
        }                                                                     \
  }
inline constexpr hip_function hip_functions[] = {
    PASTA_DETAIL_SEE(hipLaunchKernel, ENTER, see_launch(its.numBlocks, its.dimBlocks)),
    PASTA_DETAIL_SEE(hipLaunchKernel_spt, ENTER, see_launch(its.numBlocks, its.dimBlocks)),
    PASTA_DETAIL_SEE(hipExtLaunchKernel, ENTER, see_launch(its.numBlocks, its.dimBlocks)),
    PASTA_DETAIL_SEE(hipLaunchCooperativeKernel, ENTER, see_launch(its.gridDim, its.blockDimX)),
    PASTA_DETAIL_SEE(hipLaunchCooperativeKernel_spt, ENTER, see_launch(its.gridDim, its.blockDim)),
    PASTA_DETAIL_SEE(
        hipModuleLaunchKernel, ENTER,
        see_launch(dim3(its.gridDimX, its.gridDimY, its.gridDimZ), dim3(its.blockDimX, its.blockDimY, its.blockDimZ))),
    PASTA_DETAIL_SEE(hipExtModuleLaunchKernel, ENTER,
                     see_launch(dim3(blocks(its.globalWorkSizeX, its.localWorkSizeX),
                                     blocks(its.globalWorkSizeY, its.localWorkSizeY),
                                     blocks(its.globalWorkSizeZ, its.localWorkSizeZ)),
                                dim3(its.localWorkSizeX, its.localWorkSizeY, its.localWorkSizeZ))),
    PASTA_DETAIL_SEE(hipMalloc, EXIT, see_memory(*its.ptr, its.size)),
    PASTA_DETAIL_SEE(hipMallocManaged, EXIT, see_memory(*its.dev_ptr, its.size)),
    PASTA_DETAIL_SEE(hipMallocAsync, EXIT, see_memory(*its.dev_ptr, its.size)),
    PASTA_DETAIL_SEE(hipFree, ENTER, see_memory(its.ptr, 0)),
    PASTA_DETAIL_SEE(hipFreeAsync, ENTER, see_memory(its.dev_ptr, 0)),
};
#undef PASTA_DETAIL_SEE

inline void see_hip_call(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t*, void*) {
  auto const& call = *static_cast<rocprofiler_callback_tracing_hip_api_data_t const*>(record.payload);
  if (record.phase == ROCPROFILER_CALLBACK_PHASE_EXIT && call.retval.hipError_t_retval != hipSuccess) return;
  for (hip_function const& function : hip_functions) {
    if (function.number == record.operation && function.when == record.phase) function.see(call.args);
  }
}

/// @return 0, or -1, which has rocprofiler leave this library out: the program runs, and nothing is seen
inline int watch_hip_calls(rocprofiler_client_finalize_t, void*) {
  rocprofiler_tracing_operation_t numbers[std::size(hip_functions)];
  for (std::size_t i = 0; i < std::size(hip_functions); ++i) numbers[i] = hip_functions[i].number;
  rocprofiler_context_id_t context{};
  if (rocprofiler_create_context(&context) == ROCPROFILER_STATUS_SUCCESS &&
      rocprofiler_configure_callback_tracing_service(context, ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API, numbers,
                                                     std::size(numbers), &see_hip_call,
                                                     nullptr) == ROCPROFILER_STATUS_SUCCESS &&
      rocprofiler_start_context(context) == ROCPROFILER_STATUS_SUCCESS)
    return 0;
  std::fputs("pasta: rocprofiler-sdk does not show the HIP runtime's calls: no launch or allocation is seen\n", stderr);
  return -1;
}

}  // namespace pasta::detail

extern "C" rocprofiler_tool_configure_result_t* rocprofiler_configure(std::uint32_t, char const*, std::uint32_t,
                                                                      rocprofiler_client_id_t* client) {
  static rocprofiler_tool_configure_result_t watch{sizeof(watch), &pasta::detail::watch_hip_calls, nullptr, nullptr};
  client->name = "pasta";
  return &watch;
}
#endif
