// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <cstring>
#include <mutex>

// Some names are macros for those of a later interface.
#define PASTA_DETAIL_NAME(name) PASTA_DETAIL_TEXT(name)
#define PASTA_DETAIL_TEXT(name) #name

namespace pasta::hip_runtime {

namespace {

// Where the runtime was loaded for a library of the program's, its names are not to be found from here.
void* find_in_loaded(char const* name) {
  std::string path;
  auto const look = [](dl_phdr_info* object, std::size_t, void* to) -> int {
    if (object->dlpi_name == nullptr || std::strstr(object->dlpi_name, "libamdhip64") == nullptr) return 0;
    *static_cast<std::string*>(to) = object->dlpi_name;
    return 1;
  };
  if (dl_iterate_phdr(look, &path) == 0) return nullptr;
  void* const library = ::dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return nullptr;
  void* const found = ::dlsym(library, name);
  ::dlclose(library);  // the program holds it too
  return found;
}

template <class Function>
bool find_function(Function*& to, char const* name) {
  to = reinterpret_cast<Function*>(find_next(name));
  return to != nullptr;
}

std::string fill(runtime& all) {
  char const* missing = nullptr;
  auto const need = [&](auto*& to, char const* name) {
    if (!find_function(to, name) && missing == nullptr) missing = name;
  };
  need(all.get_device, "hipGetDevice");
  need(all.set_device, "hipSetDevice");
  need(all.get_device_count, "hipGetDeviceCount");
  need(all.get_device_properties, PASTA_DETAIL_NAME(hipGetDeviceProperties));
  need(all.get_device_attribute, "hipDeviceGetAttribute");
  need(all.get_version, "hipRuntimeGetVersion");
  need(all.get_last_error, "hipGetLastError");
  need(all.get_error_name, "hipGetErrorName");
  need(all.get_error_string, "hipGetErrorString");
  need(all.allocate, "hipMalloc");
  need(all.release, "hipFree");
  need(all.copy_async, "hipMemcpyAsync");
  need(all.set_async, "hipMemsetAsync");
  need(all.make_stream, "hipStreamCreateWithFlags");
  need(all.wait_for_stream, "hipStreamSynchronize");
  need(all.wait_for_device, "hipDeviceSynchronize");
  need(all.exchange_capture_mode, "hipThreadExchangeStreamCaptureMode");
  need(all.is_capturing, "hipStreamIsCapturing");
  find_function(all.get_stream_device, "hipStreamGetDevice");
  find_function(all.get_symbol_address, "hipGetSymbolAddress");
  find_function(all.allocate_on_host, "hipHostMalloc");
  find_function(all.make_event, "hipEventCreateWithFlags");
  find_function(all.record_event, "hipEventRecord");
  find_function(all.ask_event, "hipEventQuery");
  find_function(all.get_global, "hipModuleGetGlobal");
  find_function(all.get_library_global, "hipLibraryGetGlobal");
  find_function(all.register_variable, "__hipRegisterVar");
  find_function(all.get_nodes, "hipGraphGetNodes");
  find_function(all.get_node_type, "hipGraphNodeGetType");
  find_function(all.get_kernel_node, "hipGraphKernelNodeGetParams");
  find_function(all.get_child_graph, "hipGraphChildGraphNodeGetGraph");
  return missing == nullptr ? "" : fmt::format("the HIP runtime has no {}", missing);
}

}  // namespace

void* find_next(char const* name) {
  if (void* const found = ::dlsym(RTLD_NEXT, name)) return found;
  return find_in_loaded(name);
}

runtime const* runtime::find(std::string& why_not) {
  static runtime all{};
  static std::string problem;
  static std::once_flag once;
  std::call_once(once, [] { problem = fill(all); });
  why_not = problem;
  return problem.empty() ? &all : nullptr;
}

std::string runtime::explain(hipError_t error) const {
  static_cast<void>(get_last_error());
  return fmt::format("{} ({})", get_error_string(error), get_error_name(error));
}

own_calls::own_calls(runtime const& with, int device) : with_(&with), device_(device) {
  is_exchanged_ = with.exchange_capture_mode(&mode_) == hipSuccess;
  if (with.get_device(&before_) != hipSuccess) before_ = device;
  if (before_ != device_) static_cast<void>(with.set_device(device_));
}

own_calls::~own_calls() {
  if (before_ != device_) static_cast<void>(with_->set_device(before_));
  if (is_exchanged_) static_cast<void>(with_->exchange_capture_mode(&mode_));
}

}  // namespace pasta::hip_runtime
