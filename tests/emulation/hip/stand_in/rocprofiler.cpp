// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// In place of librocprofiler-sdk: stands before the HIP runtime's functions, and calls the library that asked to be
// called before and after them. HIP_STAND_IN_ROCPROFILER=refuse has it show nothing.
#include <dlfcn.h>
#include <rocprofiler-sdk/registration.h>
#include <rocprofiler-sdk/rocprofiler.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

struct watcher {
  rocprofiler_callback_tracing_cb_t callback = nullptr;
  void* argument = nullptr;
  std::vector<rocprofiler_tracing_operation_t> operations;
  bool is_started = false;
};
watcher& watching() {
  static watcher only;
  return only;
}

// AMD's runtime looks for it when it is first called.
bool is_watched(rocprofiler_tracing_operation_t operation) {
  static bool const is_configured = [] {
    auto const configure =
        reinterpret_cast<decltype(&rocprofiler_configure)>(::dlsym(RTLD_DEFAULT, "rocprofiler_configure"));
    if (configure == nullptr) return false;
    rocprofiler_client_id_t client{nullptr, 1};
    auto const* const given = configure(10'000, "stand-in", 0, &client);
    return given != nullptr && client.name != nullptr && given->size == sizeof(*given) &&
           given->initialize([](rocprofiler_client_id_t) {}, given->tool_data) == 0;
  }();
  auto const& wanted = watching().operations;
  return is_configured && watching().is_started && std::find(wanted.begin(), wanted.end(), operation) != wanted.end();
}

/// Calls the runtime's function, and the watcher before and after.
template <class... Parameters>
hipError_t call(rocprofiler_tracing_operation_t operation, char const* name,
                rocprofiler_hip_api_args_t const& arguments, Parameters... parameters) {
  auto const next = reinterpret_cast<hipError_t (*)(Parameters...)>(::dlsym(RTLD_NEXT, name));
  if (!is_watched(operation)) return next(parameters...);
  rocprofiler_callback_tracing_hip_api_data_t data{sizeof(data), arguments, {}};
  rocprofiler_user_data_t user{};
  rocprofiler_callback_tracing_record_t record{};
  record.kind = ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API;
  record.operation = operation;
  record.phase = ROCPROFILER_CALLBACK_PHASE_ENTER;
  record.payload = &data;
  watching().callback(record, &user, watching().argument);
  data.retval.hipError_t_retval = next(parameters...);
  record.phase = ROCPROFILER_CALLBACK_PHASE_EXIT;
  watching().callback(record, &user, watching().argument);
  return data.retval.hipError_t_retval;
}

rocprofiler_dim3_t shape(dim3 given) { return {given.x, given.y, given.z}; }

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

rocprofiler_status_t rocprofiler_create_context(rocprofiler_context_id_t* context) {
  char const* const order = std::getenv("HIP_STAND_IN_ROCPROFILER");
  if (order != nullptr && std::strcmp(order, "refuse") == 0) return ROCPROFILER_STATUS_ERROR;
  context->handle = 1;
  return ROCPROFILER_STATUS_SUCCESS;
}
rocprofiler_status_t rocprofiler_configure_callback_tracing_service(rocprofiler_context_id_t context,
                                                                    rocprofiler_callback_tracing_kind_t kind,
                                                                    rocprofiler_tracing_operation_t const* operations,
                                                                    std::size_t count,
                                                                    rocprofiler_callback_tracing_cb_t callback,
                                                                    void* argument) {
  if (context.handle != 1 || kind != ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API) return ROCPROFILER_STATUS_ERROR;
  watching() = {callback, argument, {operations, operations + count}, false};
  return ROCPROFILER_STATUS_SUCCESS;
}
rocprofiler_status_t rocprofiler_start_context(rocprofiler_context_id_t context) {
  watching().is_started = context.handle == 1;
  return watching().is_started ? ROCPROFILER_STATUS_SUCCESS : ROCPROFILER_STATUS_ERROR;
}

#define IN_BRACES(...) \
  { __VA_ARGS__ }
// How the runtime's function is called by its symbol, with the members that rocprofiler has for its arguments.
#define STAND_BEFORE(name, symbol, members, ...)                                        \
  {                                                                                     \
    rocprofiler_hip_api_args_t arguments{};                                             \
    arguments.name = IN_BRACES members;                                                 \
    return call(ROCPROFILER_HIP_RUNTIME_API_ID_##name, symbol, arguments, __VA_ARGS__); \
  }

hipError_t hipLaunchKernel(void const* function, dim3 grid, dim3 block, void** all, std::size_t bytes, hipStream_t in)
    STAND_BEFORE(hipLaunchKernel, "hipLaunchKernel", (function, shape(grid), shape(block), all, bytes, in), function,
                 grid, block, all, bytes, in) hipError_t
    hipLaunchKernel_spt(void const* function, dim3 grid, dim3 block, void** all, std::size_t bytes, hipStream_t in)
        STAND_BEFORE(hipLaunchKernel_spt, "hipLaunchKernel_spt", (function, shape(grid), shape(block), all, bytes, in),
                     function, grid, block, all, bytes, in) hipError_t
    hipExtLaunchKernel(void const* function, dim3 grid, dim3 block, void** all, std::size_t bytes, hipStream_t in,
                       hipEvent_t begin, hipEvent_t end, int flags)
        STAND_BEFORE(hipExtLaunchKernel, "hipExtLaunchKernel",
                     (function, shape(grid), shape(block), all, bytes, in, begin, end, flags), function, grid, block,
                     all, bytes, in, begin, end, flags) hipError_t
    hipLaunchCooperativeKernel(void const* function, dim3 grid, dim3 block, void** all, unsigned bytes, hipStream_t in)
        STAND_BEFORE(hipLaunchCooperativeKernel, "hipLaunchCooperativeKernel",
                     (function, shape(grid), shape(block), all, bytes, in), function, grid, block, all, bytes,
                     in) hipError_t hipLaunchCooperativeKernel_spt(void const* function, dim3 grid, dim3 block,
                                                                   void** all, unsigned bytes, hipStream_t in)
            STAND_BEFORE(hipLaunchCooperativeKernel_spt, "hipLaunchCooperativeKernel_spt",
                         (function, shape(grid), shape(block), all, bytes, in), function, grid, block, all, bytes,
                         in) hipError_t
    hipModuleLaunchKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                          unsigned block_y, unsigned block_z, unsigned bytes, hipStream_t in, void** all, void** extra)
        STAND_BEFORE(hipModuleLaunchKernel, "hipModuleLaunchKernel",
                     (function, grid_x, grid_y, grid_z, block_x, block_y, block_z, bytes, in, all, extra), function,
                     grid_x, grid_y, grid_z, block_x, block_y, block_z, bytes, in, all, extra)

            hipError_t hipMalloc(void** memory, std::size_t bytes)
                STAND_BEFORE(hipMalloc, "hipMalloc", (memory, bytes), memory, bytes) hipError_t
    hipMallocManaged(void** memory, std::size_t bytes, unsigned flags)
        STAND_BEFORE(hipMallocManaged, "hipMallocManaged", (memory, bytes, flags), memory, bytes, flags) hipError_t
    hipMallocAsync(void** memory, std::size_t bytes, hipStream_t in)
        STAND_BEFORE(hipMallocAsync, "hipMallocAsync", (memory, bytes, in), memory, bytes, in) hipError_t
    hipFree(void* memory) STAND_BEFORE(hipFree, "hipFree", (memory), memory) hipError_t
    hipFreeAsync(void* memory, hipStream_t in) STAND_BEFORE(hipFreeAsync, "hipFreeAsync", (memory, in), memory, in)
}

// HIP 5.2 declares it as C++.
hipError_t hipExtModuleLaunchKernel(hipFunction_t function, std::uint32_t all_x, std::uint32_t all_y,
                                    std::uint32_t all_z, std::uint32_t block_x, std::uint32_t block_y,
                                    std::uint32_t block_z, std::size_t bytes, hipStream_t in, void** all, void** extra,
                                    hipEvent_t begin, hipEvent_t end, std::uint32_t flags)
    STAND_BEFORE(hipExtModuleLaunchKernel,
                 "_Z24hipExtModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_j",
                 (function, all_x, all_y, all_z, block_x, block_y, block_z, bytes, in, all, extra, begin, end, flags),
                 function, all_x, all_y, all_z, block_x, block_y, block_z, bytes, in, all, extra, begin, end, flags)
#pragma GCC visibility pop
