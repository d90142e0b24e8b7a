// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <utility>

#include <pasta/analysis/shadow_bits.hpp>

#include "fake_driver.hpp"

namespace fake {

namespace {

// The module of what is launched, loaded by now.
fake::function* function_of(CUfunction given) {
  if (auto* const plain = as<fake::function>(given, kind::function)) return plain;
  CUfunction found = nullptr;
  cuKernelGetFunction(&found, reinterpret_cast<CUkernel>(given));
  return as<fake::function>(found, kind::function);
}

std::string name_of(CUfunction given) {
  if (auto* const plain = as<fake::function>(given, kind::function)) return plain->name;
  if (auto* const kernel = as<fake::kernel>(given, kind::kernel)) return kernel->name;
  return "";
}

void add(work const& by, std::size_t table, std::size_t counter, std::uint64_t amount) {
  for (auto const& [name, bytes] : by.read.empty() ? by.of->variables : by.read) {
    if (name.rfind("pasta_state_", 0) != 0 || table-- != 0) continue;
    std::uint64_t shards = 0;
    std::uint32_t mask = 0, stride = 0;
    std::memcpy(&shards, bytes.data(), 8);
    std::memcpy(&mask, bytes.data() + 8, 4);
    std::memcpy(&stride, bytes.data() + 12, 4);
    if (shards == 0) return;  // nobody collects
    if (shards % 128 != 0 || stride % 128 != 0) std::abort();
    *reinterpret_cast<std::uint64_t*>(shards + std::uint64_t{all.shard++ & mask} * stride + counter * 8) += amount;
    return;
  }
}

// A lane's access, where the word at this place of what the module has once says where its bits are.
void touch(work const& by, std::size_t word, std::uint64_t address, std::uint64_t bytes) {
  if (by.of->variables.empty() && all.observer != nullptr)
    return all.observer->touches(*by.function, by.given, word, address, bytes);
  for (auto const& [name, state] : by.of->variables) {
    std::uint64_t shards = 0, shared = 0;
    if (name.rfind("pasta_state_", 0) != 0 || state.size() < 48) continue;
    std::memcpy(&shards, state.data(), 8);
    std::memcpy(&shared, state.data() + 32, 8);
    if (shards == 0) return;  // nobody collects
    auto const* const view = *reinterpret_cast<pasta::detail::shadow_view const* const*>(shared + word);
    if (view != nullptr) pasta::detail::update_shadow(*view, 1, address, bytes);
    return;
  }
}

CUresult run(work const& each) {
  for (CUstreamBatchMemOpParams const& write : each.writes) {
    auto const& value = write.writeValue;
    std::size_t const bytes = write.operation == CU_STREAM_MEM_OP_WRITE_VALUE_64 ? 8 : 4;
    if (value.address % bytes != 0) std::abort();
    std::memcpy(reinterpret_cast<void*>(value.address), &value.value64, bytes);
  }
  if (each.what == "fault") return CUDA_ERROR_ILLEGAL_ADDRESS;
  while (each.what == "endless") ::usleep(100'000);
  std::istringstream parts(each.what);
  for (std::string part; std::getline(parts, part, ',');) {
    unsigned long counter = 0, table = 0, amount = 0, address = 0;
    if (std::sscanf(part.c_str(), "touch@%lu=%lu+%lu:%lu", &counter, &address, &table, &amount) == 4) {
      touch(each, counter, address + table, amount);
      continue;
    }
    if (std::sscanf(part.c_str(), "load@%lu=%lu", &address, &amount) == 2) {
      if (all.observer != nullptr) all.observer->loads(*each.function, each.given, address, amount);
      continue;
    }
    if (std::sscanf(part.c_str(), "%lu@%lu=%lu", &counter, &table, &amount) != 3) {
      table = 0;
      if (std::sscanf(part.c_str(), "%lu=%lu", &counter, &amount) != 2) continue;
    }
    add(each, table, counter, amount);
  }
  return CUDA_SUCCESS;
}

CUresult launch(CUfunction given, CUstream on, void** arguments) {
  fake::context* const in = here();
  if (in == nullptr || in->is_destroyed) return CUDA_ERROR_INVALID_CONTEXT;
  if (in->error != CUDA_SUCCESS) return in->error;
  fake::function* const function = function_of(given);
  if (function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  std::string const what = arguments == nullptr ? "" : *static_cast<char const**>(arguments[0]);
  if (what == "refuse") return CUDA_ERROR_INVALID_VALUE;
  std::lock_guard const lock(all.mutex);
  auto* const stream = stream_of(on);
  if (stream != nullptr && stream->captures != nullptr) {
    fake::node& node = stream->captures->nodes.emplace_back();
    node.kind = kind::node;
    node.parameters.func = given;
    node.parameters.gridDimX = node.parameters.gridDimY = node.parameters.gridDimZ = 1;
    node.parameters.blockDimX = 32, node.parameters.blockDimY = node.parameters.blockDimZ = 1;
    node.what = what;
    return CUDA_SUCCESS;
  }
  std::uint64_t const to_patches = all.observer == nullptr ? 0 : all.observer->launch_begins(*function, false);
  all.queue.push_back({in, function->of, what, stream, {}, {}, function, to_patches});
  return CUDA_SUCCESS;
}

void flatten(fake::graph const* from, std::vector<fake::node*>& into) {
  for (fake::node const& each : from->nodes) {
    if (each.child != nullptr) {
      flatten(each.child, into);
    } else {
      into.push_back(const_cast<fake::node*>(&each));
    }
  }
}

}  // namespace

CUresult run_queue(fake::context* in) {
  for (;;) {
    fake::work next;
    {
      std::lock_guard const lock(all.mutex);
      auto const found =
          std::find_if(all.queue.begin(), all.queue.end(), [&](work const& each) { return each.in == in; });
      if (found == all.queue.end()) return in->error;
      next = *found;
      all.queue.erase(found);
    }
    if (CUresult const result = run(next); result != CUDA_SUCCESS) in->error = result;
  }
}

void begin_in_stream(fake::stream* on) {
  run_stream(on, 0);
  std::lock_guard const lock(all.mutex);
  auto const found = std::find_if(all.queue.begin(), all.queue.end(), [&](work const& each) { return each.on == on; });
  if (found != all.queue.end() && found->read.empty()) found->read = found->of->variables;
}

// And, as a GPU does, what is to be written behind them.
CUresult run_stream(fake::stream* on, int kernels) {
  for (;;) {
    std::lock_guard const lock(all.mutex);
    auto const found =
        std::find_if(all.queue.begin(), all.queue.end(), [&](work const& each) { return each.on == on; });
    if (found == all.queue.end() || (kernels == 0 && found->writes.empty())) return CUDA_SUCCESS;
    if (found->writes.empty()) --kernels;
    if (CUresult const result = run(*found); result != CUDA_SUCCESS) found->in->error = result;
    all.queue.erase(found);
  }
}

}  // namespace fake

using namespace fake;

extern "C" {

CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                        unsigned shared, CUstream stream, void** arguments, void** extra) {
  struct {
    CUfunction f;
    unsigned gx, gy, gz, bx, by, bz, shared;
    CUstream stream;
    void **arguments, **extra;
  } const p{f, gx, gy, gz, bx, by, bz, shared, stream, arguments, extra};
  std::string const name = name_of(f);
  call told(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, "cuLaunchKernel", &p, name.c_str());
  return told(launch(f, stream, arguments));
}
// NOLINTNEXTLINE(readability-identifier-naming): the driver's name
CUresult cuLaunchKernel_ptsz(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                             unsigned shared, CUstream stream, void** arguments, void** extra) {
  struct {
    CUfunction f;
    unsigned gx, gy, gz, bx, by, bz, shared;
    CUstream stream;
    void **arguments, **extra;
  } const p{f, gx, gy, gz, bx, by, bz, shared, stream, arguments, extra};
  std::string const name = name_of(f);
  call told(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz, "cuLaunchKernel_ptsz", &p, name.c_str());
  return told(launch(f, stream, arguments));
}
CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                                   unsigned bz, unsigned shared, CUstream stream, void** arguments) {
  struct {
    CUfunction f;
    unsigned gx, gy, gz, bx, by, bz, shared;
    CUstream stream;
    void** arguments;
  } const p{f, gx, gy, gz, bx, by, bz, shared, stream, arguments};
  std::string const name = name_of(f);
  call told(CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel, "cuLaunchCooperativeKernel", &p, name.c_str());
  return told(launch(f, stream, arguments));
}
CUresult cuLaunchKernelEx(CUlaunchConfig const* config, CUfunction f, void** arguments, void** extra) {
  struct {
    CUlaunchConfig const* config;
    CUfunction f;
    void **arguments, **extra;
  } const p{config, f, arguments, extra};
  std::string const name = name_of(f);
  call told(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, "cuLaunchKernelEx", &p, name.c_str());
  return told(launch(f, config->hStream, arguments));
}

CUresult cuStreamBatchMemOp(CUstream given, unsigned count, CUstreamBatchMemOpParams* what, unsigned) {
  stopwatch const watch(all.ordering_ns);
  if (here() == nullptr || here()->error != CUDA_SUCCESS) return CUDA_ERROR_ILLEGAL_ADDRESS;
  if (std::getenv("FAKE_REFUSES_WRITES") != nullptr) return CUDA_ERROR_NOT_SUPPORTED;
  fake::stream* const stream = stream_of(given);
  if (stream != nullptr && stream->captures != nullptr) std::abort();  // nothing of the collector's in a graph
  std::lock_guard const lock(all.mutex);
  ++all.writes;
  all.queue.push_back({here(), nullptr, "", stream, {what, what + count}});
  return CUDA_SUCCESS;
}
CUresult cuStreamWriteValue32(CUstream given, CUdeviceptr address, cuuint32_t value, unsigned) {
  CUstreamBatchMemOpParams one{};
  one.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
  one.writeValue.address = address;
  one.writeValue.value = value;
  return cuStreamBatchMemOp(given, 1, &one, 0);
}

CUresult cuStreamBeginCapture(CUstream given, CUstreamCaptureMode mode) {
  struct {
    CUstream stream;
    CUstreamCaptureMode mode;
  } const p{given, mode};
  call told(CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2, "cuStreamBeginCapture_v2", &p);
  fake::graph& made = all.graphs.emplace_back();
  made.kind = kind::graph;
  as<fake::stream>(given, kind::stream)->captures = &made;
  ++all.captures;
  return told(CUDA_SUCCESS);
}
CUresult cuStreamEndCapture(CUstream given, CUgraph* made) {
  auto* const stream = as<fake::stream>(given, kind::stream);
  *made = reinterpret_cast<CUgraph>(std::exchange(stream->captures, nullptr));
  --all.captures;
  return CUDA_SUCCESS;
}
CUresult cuGraphCreate(CUgraph* made, unsigned) {
  fake::graph& graph = all.graphs.emplace_back();
  graph.kind = kind::graph;
  *made = reinterpret_cast<CUgraph>(&graph);
  return CUDA_SUCCESS;
}
CUresult cuGraphAddKernelNode(CUgraphNode* made, CUgraph to, CUgraphNode const*, std::size_t,
                              CUDA_KERNEL_NODE_PARAMS const* parameters) {
  fake::node& node = as<fake::graph>(to, kind::graph)->nodes.emplace_back();
  node.kind = kind::node;
  node.parameters = *parameters;
  node.what = *static_cast<char const**>(parameters->kernelParams[0]);
  *made = reinterpret_cast<CUgraphNode>(&node);
  return CUDA_SUCCESS;
}
CUresult cuGraphAddChildGraphNode(CUgraphNode* made, CUgraph to, CUgraphNode const*, std::size_t, CUgraph child) {
  fake::node& node = as<fake::graph>(to, kind::graph)->nodes.emplace_back();
  node.kind = kind::node;
  node.child = as<fake::graph>(child, kind::graph);
  *made = reinterpret_cast<CUgraphNode>(&node);
  return CUDA_SUCCESS;
}
CUresult cuGraphGetNodes(CUgraph of, CUgraphNode* nodes, std::size_t* count) {
  auto& all_nodes = as<fake::graph>(of, kind::graph)->nodes;
  if (nodes != nullptr) {
    std::transform(all_nodes.begin(), all_nodes.end(), nodes,
                   [](fake::node& each) { return reinterpret_cast<CUgraphNode>(&each); });
  }
  *count = all_nodes.size();
  return CUDA_SUCCESS;
}
CUresult cuGraphNodeGetType(CUgraphNode given, CUgraphNodeType* type) {
  *type = as<fake::node>(given, kind::node)->child != nullptr ? CU_GRAPH_NODE_TYPE_GRAPH : CU_GRAPH_NODE_TYPE_KERNEL;
  return CUDA_SUCCESS;
}
CUresult cuGraphKernelNodeGetParams(CUgraphNode given, CUDA_KERNEL_NODE_PARAMS* parameters) {
  *parameters = as<fake::node>(given, kind::node)->parameters;
  return CUDA_SUCCESS;
}
CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode given, CUgraph* child) {
  *child = reinterpret_cast<CUgraph>(as<fake::node>(given, kind::node)->child);
  return CUDA_SUCCESS;
}
CUresult cuGraphInstantiate(CUgraphExec* made, CUgraph from, unsigned long long flags) {
  struct {
    CUgraphExec* exec;
    CUgraph graph;
    unsigned long long flags;
  } const p{made, from, flags};
  call told(CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithFlags, "cuGraphInstantiateWithFlags", &p);
  fake::exec& exec = all.execs.emplace_back();
  exec.kind = kind::exec;
  flatten(as<fake::graph>(from, kind::graph), exec.nodes);
  *made = reinterpret_cast<CUgraphExec>(&exec);
  return told(CUDA_SUCCESS);
}
CUresult cuGraphExecUpdate(CUgraphExec given, CUgraph from, CUgraphExecUpdateResultInfo* info) {
  struct {
    CUgraphExec exec;
    CUgraph graph;
    void* info;
  } const p{given, from, info};
  call told(CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate_v2, "cuGraphExecUpdate_v2", &p);
  auto* const exec = as<fake::exec>(given, kind::exec);
  exec->nodes.clear();
  flatten(as<fake::graph>(from, kind::graph), exec->nodes);
  return told(CUDA_SUCCESS);
}
CUresult cuGraphLaunch(CUgraphExec given, CUstream on) {
  struct {
    CUgraphExec exec;
    CUstream stream;
  } const p{given, on};
  call told(CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, "cuGraphLaunch", &p);
  std::lock_guard const lock(all.mutex);
  for (fake::node* const node : as<fake::exec>(given, kind::exec)->nodes) {
    auto* const f =
        node->parameters.func != nullptr ? node->parameters.func : reinterpret_cast<CUfunction>(node->parameters.kern);
    fake::function* const function = function_of(f);
    std::uint64_t const to_patches = all.observer == nullptr ? 0 : all.observer->launch_begins(*function, true);
    all.queue.push_back({here(), function->of, node->what, stream_of(on), {}, {}, function, to_patches});
  }
  return told(CUDA_SUCCESS);
}

}  // extern "C"
