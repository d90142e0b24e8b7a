// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// A program that does what its arguments say, one after the other, with the stand-in of the driver.
//
//   context A, current A, destroy A, reset        contexts by name
//   load M FILE, unload M, library L FILE, unload_library L
//   launch M FUNCTION GRIDxBLOCK WHAT [STREAM]    WHAT as fake_driver.hpp says; also launch_ex, launch_cooperative,
//                                                 launch_thread (per-thread default stream), kernel (of a library)
//   stream S, capture S, end S GRAPH, graph G, node GRAPH L FUNCTION WHAT, child GRAPH CHILD
//   instantiate E GRAPH, update E GRAPH, replay E STREAM TIMES
//   run S COUNT                                   the next kernels of a stream alone, "-" for the default stream
//   begin S                                       its next kernel reads its state, and goes on when it is run
//   cost LAUNCHES M FUNCTION WHAT                 what the collector takes of the host for a launch; waits at times
//   push RANGE, pop, start, stop, step            pasta/annotate.h
//   alloc NAME BYTES, free NAME, free_async NAME, alloc_async NAME BYTES; $NAME in WHAT is its address
//   sync, runtime_sync, writes
//   memory BYTES, threads COUNT LAUNCHES M FUNCTION WHAT, fork COMMAND…, exit N, _exit N, raise N
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <list>
#include <sstream>
#include <thread>

#include <pasta/annotate.h>

#include "fake_driver.hpp"

// NOLINTNEXTLINE(readability-identifier-naming): the driver's name
extern "C" CUresult cuLaunchKernel_ptsz(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                        unsigned, CUstream, void**, void**);

namespace {

std::map<std::string, CUcontext> contexts;
std::map<std::string, CUmodule> modules;
std::map<std::string, CUlibrary> libraries;
std::map<std::string, CUstream> streams;
std::map<std::string, CUgraph> graphs;
std::map<std::string, CUgraphExec> execs;
std::map<std::string, CUdeviceptr> allocations;
std::list<std::string> kept;  // images and arguments live on

void check(CUresult result, std::string const& what) {
  if (result != CUDA_SUCCESS) std::printf("%s: error %d\n", what.c_str(), static_cast<int>(result));
}

std::string& keep(std::string text) { return kept.emplace_back(std::move(text)); }
std::string& read(std::string const& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) std::abort();
  return keep({std::istreambuf_iterator<char>(file), {}});
}

void launch(std::string const& verb, std::istringstream& words) {
  std::string of, name, shape, what, on;
  words >> of >> name >> shape >> what >> on;
  unsigned grid = 1, block = 1;
  std::sscanf(shape.c_str(), "%ux%u", &grid, &block);
  CUfunction function = nullptr;
  if (verb == "kernel") {
    CUkernel kernel = nullptr;
    cuLibraryGetKernel(&kernel, libraries[of], name.c_str());
    function = reinterpret_cast<CUfunction>(kernel);
  } else {
    check(cuModuleGetFunction(&function, modules[of], name.c_str()), name);
  }
  for (auto const& [known, address] : allocations) {
    std::string const written = "$" + known + "+";
    for (std::size_t at = what.find(written); at != std::string::npos; at = what.find(written))
      what.replace(at, written.size() - 1, std::to_string(address));
  }
  char const* text = what.c_str();
  void* arguments[] = {&text};
  auto* const stream = on.empty() ? nullptr : streams[on];
  if (verb == "launch_ex") {
    CUlaunchConfig config{};
    config.gridDimX = grid, config.gridDimY = config.gridDimZ = 1;
    config.blockDimX = block, config.blockDimY = config.blockDimZ = 1;
    config.hStream = stream;
    check(cuLaunchKernelEx(&config, function, arguments, nullptr), verb);
  } else if (verb == "launch_cooperative") {
    check(cuLaunchCooperativeKernel(function, grid, 1, 1, block, 1, 1, 64, stream, arguments), verb);
  } else if (verb == "launch_thread") {
    check(cuLaunchKernel_ptsz(function, grid, 1, 1, block, 1, 1, 0, stream, arguments, nullptr), verb);
  } else {
    check(cuLaunchKernel(function, grid, 1, 1, block, 1, 1, 128, stream, arguments, nullptr), verb);
  }
}

void run(std::string const& line);

bool do_graphs(std::string const& line) {
  std::istringstream words(line);
  std::string verb, a, b, c, d;
  words >> verb >> a >> b >> c >> d;
  if (verb == "capture") {
    check(cuStreamBeginCapture(streams[a], CU_STREAM_CAPTURE_MODE_GLOBAL), verb);
  } else if (verb == "end") {
    check(cuStreamEndCapture(streams[a], &graphs[b]), verb);
  } else if (verb == "graph") {
    check(cuGraphCreate(&graphs[a], 0), verb);
  } else if (verb == "node") {
    CUkernel kernel = nullptr;
    cuLibraryGetKernel(&kernel, libraries[b], c.c_str());
    char const* text = keep(d).c_str();
    void* arguments[] = {&text};
    CUDA_KERNEL_NODE_PARAMS parameters{};
    parameters.kern = kernel;
    parameters.gridDimX = 3, parameters.gridDimY = parameters.gridDimZ = 1;
    parameters.blockDimX = 32, parameters.blockDimY = parameters.blockDimZ = 1;
    parameters.kernelParams = arguments;
    CUgraphNode node = nullptr;
    check(cuGraphAddKernelNode(&node, graphs[a], nullptr, 0, &parameters), verb);
  } else if (verb == "child") {
    CUgraphNode node = nullptr;
    check(cuGraphAddChildGraphNode(&node, graphs[a], nullptr, 0, graphs[b]), verb);
  } else if (verb == "instantiate") {
    check(cuGraphInstantiate(&execs[a], graphs[b], 0), verb);
  } else if (verb == "update") {
    check(cuGraphExecUpdate(execs[a], graphs[b], nullptr), verb);
  } else if (verb == "replay") {
    for (int i = 0; i < std::atoi(c.c_str()); ++i) check(cuGraphLaunch(execs[a], streams[b]), verb);
  } else {
    return false;
  }
  return true;
}

bool annotate(std::string const& line) {
  std::istringstream words(line);
  std::string verb, name;
  words >> verb >> name;
  if (verb == "push") pasta_annotate_push(name.c_str());
  if (verb == "pop") pasta_annotate_pop();
  if (verb == "start") pasta_start();
  if (verb == "stop") pasta_stop();
  if (verb == "step") pasta_step();
  if (verb == "attached") std::printf("attached: %d\n", pasta_is_attached());
  return verb == "push" || verb == "pop" || verb == "start" || verb == "stop" || verb == "step" || verb == "attached";
}

bool do_process(std::string const& line) {
  std::istringstream words(line);
  std::string verb, rest;
  words >> verb;
  std::getline(words >> std::ws, rest);
  int const number = std::atoi(rest.c_str());
  if (verb == "exit") std::exit(number);
  if (verb == "_exit") ::_exit(number);
  if (verb == "raise") std::raise(number);
  if (verb == "fork") {
    pid_t const child = ::fork();
    if (child == 0) {
      run(rest);
      std::exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    std::printf("child: %d\n", status);
  }
  if (verb == "say") {
    std::puts(rest.c_str());
    std::fflush(stdout);
  }
  return verb == "raise" || verb == "fork" || verb == "say";
}

void launch_from_threads(std::istringstream& words) {
  int count = 0, launches = 0;
  words >> count >> launches;
  std::string rest;
  std::getline(words >> std::ws, rest);
  std::vector<std::thread> threads;
  threads.reserve(static_cast<std::size_t>(count));
  auto* const context = reinterpret_cast<CUcontext>(fake::here());
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([&, context] {
      cuCtxSetCurrent(context);
      for (int k = 0; k < launches; ++k) {
        std::istringstream again(rest);
        launch("launch", again);
      }
    });
  }
  for (auto& thread : threads) thread.join();
}

// In rounds, since what is launched takes the stand-in memory until it is waited for: the median of their means.
void measure_cost(std::istringstream& words) {
  int launches = 0;
  std::string of, name, what;
  words >> launches >> of >> name >> what;
  CUfunction function = nullptr;
  check(cuModuleGetFunction(&function, modules[of], name.c_str()), name);
  char const* text = what.c_str();
  void* arguments[] = {&text};
  std::vector<double> means;
  constexpr int in_round = 500;
  for (int done = 0; done < launches; done += in_round) {
    fake_listening_ns();
    for (int i = 0; i < in_round; ++i)
      check(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr), name);
    means.push_back(static_cast<double>(fake_listening_ns()) / in_round);
    check(cuCtxSynchronize(), "sync");
  }
  std::sort(means.begin(), means.end());
  std::printf("%.0f ns for a launch, at most %.0f\n", means[means.size() / 2], means.back());
}

void run(std::string const& line) {
  std::istringstream words(line);
  std::string verb;
  words >> verb;
  if (verb == "cost") return measure_cost(words);
  if (verb.rfind("launch", 0) == 0 || verb == "kernel") return launch(verb, words);
  if (verb == "threads") return launch_from_threads(words);
  if (do_process(line) || do_graphs(line) || annotate(line)) return;
  std::string a, b;
  words >> a;
  std::getline(words >> std::ws, b);  // a path may have blanks
  if (verb == "context") {
    check(fake_context_create(&contexts[a]), verb);
    check(cuCtxSetCurrent(contexts[a]), verb);
  } else if (verb == "current") {
    check(cuCtxSetCurrent(contexts[a]), verb);
  } else if (verb == "destroy") {
    check(cuCtxDestroy(contexts[a]), verb);
  } else if (verb == "reset") {
    check(cuDevicePrimaryCtxReset(0), verb);
  } else if (verb == "load") {
    check(cuModuleLoadData(&modules[a], read(b).data()), verb);
  } else if (verb == "unload") {
    check(cuModuleUnload(modules[a]), verb);
  } else if (verb == "library") {
    check(cuLibraryLoadData(&libraries[a], read(b).data(), nullptr, nullptr, 0, nullptr, nullptr, 0), verb);
  } else if (verb == "unload_library") {
    check(cuLibraryUnload(libraries[a]), verb);
  } else if (verb == "stream") {
    check(cuStreamCreate(&streams[a], CU_STREAM_DEFAULT), verb);
  } else if (verb == "alloc") {
    check(cuMemAlloc(&allocations[a], std::stoul(b)), verb);
  } else if (verb == "alloc_async") {
    std::size_t const blank = b.find(' ');
    CUstream const stream = blank == std::string::npos ? nullptr : streams[b.substr(blank + 1)];
    check(cuMemAllocAsync(&allocations[a], std::stoul(b), stream), verb);
  } else if (verb == "free") {
    check(cuMemFree(allocations[a]), verb);
  } else if (verb == "free_async") {
    check(cuMemFreeAsync(allocations[a], b.empty() ? nullptr : streams[b]), verb);
  } else if (verb == "memory") {
    fake_set_free_bytes(std::stoul(a));
  } else if (verb == "waits") {
    std::printf("waits: %d\n", fake_context_waits());
  } else if (verb == "writes") {
    std::printf("writes: %d\n", fake_writes());
  } else if (verb == "run") {
    fake_run(a == "-" ? nullptr : streams[a], std::atoi(b.c_str()));
  } else if (verb == "begin") {
    fake_begin(a == "-" ? nullptr : streams[a]);
  } else if (verb == "destroy_stream") {
    check(cuStreamDestroy(streams[a]), verb);
  } else if (verb == "runtime_sync") {
    check(static_cast<CUresult>(fake_runtime_synchronize()), verb);
  } else if (verb == "sync") {
    check(cuCtxSynchronize(), verb);
  } else {
    std::printf("unknown: %s\n", line.c_str());
    std::exit(99);
  }
}

}  // namespace

int main(int count, char** lines) {
  cuInit(0);
  for (int i = 1; i < count; ++i) run(lines[i]);
}
