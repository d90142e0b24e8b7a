// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// What nvcc registers before main, and launches.
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "state.hpp"

namespace cuda_stand_in {

namespace {

// The PTX in what nvcc embeds, if it is not packed; the layout around it is not looked at but for its size.
std::string find_ptx(void const* wrapper) {
  struct {
    int magic, version;
    char const* data;
    void* more;
  } outer;
  std::memcpy(&outer, wrapper, sizeof outer);
  struct {
    std::uint32_t magic;
    std::uint16_t version, head_bytes;
    std::uint64_t bytes;
  } inner;
  std::memcpy(&inner, outer.data, sizeof inner);
  std::string_view const image(outer.data, inner.head_bytes + inner.bytes);
  std::size_t const begin = image.find(".version ");
  if (begin == std::string_view::npos) return "";
  return std::string(image.substr(begin, image.find('\0', begin) - begin));
}

// .target sm_80 -> 80
int architecture_of(std::string const& ptx) {
  std::size_t const at = ptx.find("\n.target sm_");
  return at == std::string::npos ? 0 : std::atoi(ptx.c_str() + at + 12);
}

cudaError_t code_of(ptx_emulation::kernel_fault const& fault) {
  switch (fault.kind) {
    case ptx_emulation::fault_kind::illegal_address:
      return cudaErrorIllegalAddress;
    case ptx_emulation::fault_kind::misaligned_address:
      return cudaErrorMisalignedAddress;
    case ptx_emulation::fault_kind::trap:
      return cudaErrorLaunchFailure;
    default:
      return cudaErrorLaunchTimeout;
  }
}

// @return null with an error
loaded_module* load(function const& of, device& on, cudaError_t& error) {
  error = of.image->architecture <= on.architecture ? cudaSuccess : cudaErrorNoKernelImageForDevice;
  if (error != cudaSuccess) return nullptr;
  std::unique_ptr<loaded_module>& made = on.modules[of.image];
  if (!made) {
    try {
      made = std::make_unique<loaded_module>(of.image->ptx, on.memory);
    } catch (ptx_emulation::unknown_code const& unknown) {
      std::fprintf(stderr, "the stand-in for CUDA's runtime refuses the PTX: %s\n", unknown.what());
      error = cudaErrorInvalidPtx;
    }
  }
  return made.get();
}

bool fits(::dim3 grid, ::dim3 block) {
  bool const has_threads =
      block.x > 0 && block.y > 0 && block.z > 0 && block.z <= 64 && std::uint64_t{block.x} * block.y * block.z <= 1024;
  return has_threads && grid.x > 0 && grid.y > 0 && grid.z > 0 && grid.x < 1u << 31 && grid.y < 1u << 16 &&
         grid.z < 1u << 16;
}

struct launched {
  loaded_module* module;
  ptx_emulation::code const* kernel;
  ptx_emulation::launch_shape shape;
  std::vector<std::byte> parameters;
  std::uint32_t correlation;
  bool is_of_graph;
};

void run(launched const& what, CUstream_st& stream) {
  device& on = all().devices[static_cast<std::size_t>(stream.device)];
  ptx_emulation::launch_options options;
  options.seed = options.grid_id = ++all().launches;
  std::uint64_t const begin_ns = stream.clock_ns + extra_ns / 2, end_ns = begin_ns + kernel_ns;
  stream.clock_ns += kernel_ns + extra_ns;
  try {
    ptx_emulation::launch(what.module->program, *what.kernel, what.shape, what.parameters, on.memory, options);
  } catch (ptx_emulation::kernel_fault const& fault) {
    if (std::getenv("STAND_IN_DEBUG") != nullptr) {
      std::fprintf(stderr, "the kernel %s: %s\n", std::string(what.kernel->name).c_str(), fault.what());
    }
    on.broken = code_of(fault);
    return;
  }
  if (all().kernel_listener == nullptr) return;
  std::uint64_t const ahead_ns = now_ns(CLOCK_REALTIME) - now_ns(CLOCK_MONOTONIC);
  std::string const name(what.kernel->name);
  kernel_seen seen{name.c_str(),
                   static_cast<std::uint32_t>(stream.device),
                   static_cast<std::uint32_t>(stream.context),
                   {},
                   {},
                   what.correlation,
                   what.is_of_graph,
                   begin_ns + ahead_ns,
                   end_ns + ahead_ns};
  for (std::size_t i = 0; i < 3; ++i) seen.grid[i] = what.shape.grid[i], seen.block[i] = what.shape.block[i];
  all().kernel_listener(seen);
}

cudaError_t launch(void const* pointer, ::dim3 grid, ::dim3 block, void** arguments, std::size_t shared_bytes,
                   cudaStream_t handle) {
  static std::uint32_t correlations = 0;
  std::uint32_t const correlation = ++correlations;
  if (all().call_listener != nullptr) all().call_listener(correlation);

  constexpr std::size_t usual_shared_bytes = 48 * 1024;
  auto const known = all().functions.find(pointer);
  CUstream_st* const stream = stream_of(handle);
  if (known == all().functions.end()) return cudaErrorInvalidDeviceFunction;
  if (stream == nullptr) return cudaErrorInvalidResourceHandle;
  cudaError_t error = cudaSuccess;
  loaded_module* const module = load(known->second, here(), error);
  if (module == nullptr) return error;
  if (!fits(grid, block)) return cudaErrorInvalidConfiguration;
  auto const allowed = all().dynamic_shared.find(pointer);
  if (shared_bytes >
      (allowed == all().dynamic_shared.end() ? usual_shared_bytes : static_cast<std::size_t>(allowed->second)))
    return cudaErrorInvalidValue;
  launched what{module, module->program.find_kernel(known->second.name), {}, {}, 0, stream->captures != nullptr};
  if (what.kernel == nullptr) return cudaErrorInvalidDeviceFunction;
  what.shape = {{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, static_cast<std::uint32_t>(shared_bytes)};
  what.parameters.resize(what.kernel->parameter_bytes);
  for (std::size_t i = 0; i < what.kernel->parameters.size(); ++i) {
    auto const& parameter = what.kernel->parameters[i];
    std::memcpy(&what.parameters[parameter.offset], arguments[i], parameter.bytes);
  }
  what.correlation = correlation;
  return enqueue(*stream, [what](CUstream_st& on) { run(what, on); });
}

}  // namespace
}  // namespace cuda_stand_in

using namespace cuda_stand_in;

extern "C" {

void** CUDARTAPI __cudaRegisterFatBinary(void* wrapper) {
  module_image& made = all().images.emplace_back();
  made.ptx = find_ptx(wrapper);
  made.architecture = architecture_of(made.ptx);
  return reinterpret_cast<void**>(&made);
}
void CUDARTAPI __cudaRegisterFatBinaryEnd(void**) {}
void CUDARTAPI __cudaUnregisterFatBinary(void**) {}
void CUDARTAPI __cudaRegisterFunction(void** image, char const* pointer, char*, char const* name, int, uint3*, uint3*,
                                      ::dim3*, ::dim3*, int*) {
  all().functions.try_emplace(pointer, function{reinterpret_cast<module_image const*>(image), name});
}
void CUDARTAPI __cudaRegisterVar(void**, char*, char*, char const*, int, std::size_t, int, int) {}
char CUDARTAPI __cudaInitModule(void**) { return 0; }
cudaError_t CUDARTAPI __cudaGetKernel(cudaKernel_t* kernel, void const* pointer) {
  *kernel = reinterpret_cast<cudaKernel_t>(const_cast<void*>(pointer));
  return cudaSuccess;
}

cudaError_t CUDARTAPI cudaLaunchKernel(void const* pointer, ::dim3 grid, ::dim3 block, void** arguments,
                                       std::size_t shared_bytes, cudaStream_t stream) {
  return call("cudaLaunchKernel", needs::context,
              [&] { return launch(pointer, grid, block, arguments, shared_bytes, stream); });
}
// Of <<<>>>, which the programs do not use.
cudaError_t CUDARTAPI __cudaLaunchKernel(cudaKernel_t, ::dim3, ::dim3, void**, std::size_t, cudaStream_t) {
  return cudaErrorNotSupported;
}
cudaError_t CUDARTAPI __cudaPopCallConfiguration(::dim3*, ::dim3*, std::size_t*, void*) {
  return cudaErrorNotSupported;
}

cudaError_t CUDARTAPI cudaFuncGetAttributes(cudaFuncAttributes* into, void const* pointer) {
  return call("cudaFuncGetAttributes", needs::context, [&] {
    auto const known = all().functions.find(pointer);
    if (known == all().functions.end()) return cudaErrorInvalidDeviceFunction;
    cudaError_t error = cudaSuccess;
    load(known->second, here(), error);
    *into = {};
    into->numRegs = all().registers;
    return error;
  });
}
cudaError_t CUDARTAPI cudaFuncSetAttribute(void const* pointer, cudaFuncAttribute attribute, int value) {
  return call("cudaFuncSetAttribute", needs::context, [&] {
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize || value > 227 * 1024) return cudaErrorInvalidValue;
    all().dynamic_shared[pointer] = value;
    return cudaSuccess;
  });
}

}  // extern "C"
