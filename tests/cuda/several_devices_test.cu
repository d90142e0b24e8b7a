// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// A run on two GPUs: the session's own code and the kernels that nvcc made, on a stand-in for CUDA's runtime
// (stand_in/stand_in.hpp). Each case may be run alone: its name is the program's argument.
#include <barrier>
#include <cmath>
#include <cstring>
#include <thread>

#include "checks.hpp"
#include "observer.hpp"
#include "stand_in.hpp"

namespace {

/// Which devices and contexts launches began and ended on, and what they did there.
struct device_watch : pasta::tool<device_watch> {
  using events = pasta::events<pasta::memory_access, pasta::kernel_begin, pasta::kernel_end>;
  struct site_state {
    pasta::count lanes;
  };
  struct kernel_state {
    pasta::histogram<4> began, ended;  // by device
    pasta::bitmap<64> contexts;
    pasta::count duration_ns;
    pasta::max<std::uint64_t> longest_ns;
  };
  PASTA_DEVICE static void on_memory_access(pasta::context<device_watch>& at, pasta::memory_access const&) {
    at.site().lanes.add();
  }
  static void on_kernel_begin(pasta::context<device_watch>& at, pasta::kernel_begin const& what) {
    at.kernel().began.add(static_cast<std::uint32_t>(what.device));
    at.kernel().contexts.set(static_cast<std::uint32_t>(what.context));
  }
  static void on_kernel_end(pasta::context<device_watch>& at, pasta::kernel_end const& what) {
    at.kernel().ended.add(static_cast<std::uint32_t>(what.device));
    at.kernel().duration_ns.add(what.end_ns - what.begin_ns);
    at.kernel().longest_ns.observe(what.end_ns - what.begin_ns);
  }
  void report(pasta::results<device_watch> const&, pasta::report&) const {}
};

struct store_number {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<int, Probe> a, int number) const {
    a[t.index()] = number;
  }
};
struct no_arguments {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t) const {
    auto all = pasta::shared<int[32]>(t);
    all[t.thread_index().x] = 1;
  }
};

using fixture = pasta::testing::fixture<device_watch>;

void use(int device) { CHECK(cudaSetDevice(device) == cudaSuccess); }
cudaStream_t make_stream() {
  cudaStream_t made = nullptr;
  CHECK(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking) == cudaSuccess);
  return made;
}
std::uint64_t handle(cudaStream_t stream) { return reinterpret_cast<std::uint64_t>(stream); }

auto only_kernel(fixture& test) {
  auto found = test.results();
  CHECK_EQUAL(found.kernels.size(), 1);
  return std::move(found.kernels.at(0));
}
std::uint64_t lanes_of(pasta::kernel_result<device_watch> const& kernel) {
  std::uint64_t lanes = 0;
  for (auto const& site : kernel.sites) {
    CHECK_EQUAL(site.executions, site.state.lanes.value());
    lanes += site.executions;
  }
  return lanes;
}
std::size_t notes_with(fixture& test, std::string_view text) {
  test.report();
  std::size_t count = 0;
  for (auto const& note : test.notes()) {
    CHECK(note.find('\n') == std::string::npos);
    count += note.find(text) != std::string::npos ? 1 : 0;
  }
  return count;
}

// ---- Cases

void one_row_for_both() {
  fixture test;
  auto const first = zeros<int>(64);
  test.launch(store_number{}, {1, 64}, first, 1);
  use(1);
  auto const second = zeros<int>(128);
  for (int i = 0; i < 3; ++i) test.launch(store_number{}, {2, 64}, second, 2);
  auto const kernel = only_kernel(test);
  int device = -1;
  CHECK(cudaGetDevice(&device) == cudaSuccess && device == 1);  // as the program left it
  CHECK_EQUAL(kernel.sites.size(), 1);
  CHECK_EQUAL(lanes_of(kernel), 64 + 3 * 128);
  CHECK_EQUAL(kernel.losses.launches_delivered, 4);
  CHECK_EQUAL(kernel.kernel.began.value(0), 1);
  CHECK_EQUAL(kernel.kernel.began.value(1), 3);
  CHECK_EQUAL(kernel.kernel.ended.value(1), 3);
  CHECK_EQUAL(kernel.kernel.contexts.count(), 2);
  CHECK(kernel.sites.at(0).site.file.find("several_devices_test.cu") != std::string::npos);
  CHECK(contents(second) == std::vector<int>(128, 2));
  use(0);
  CHECK(contents(first) == std::vector<int>(64, 1));
  CHECK(notes_with(test, "") == 0);
}

// Parts of a sample are told apart where there is memory for them, and all launches of it count.
void a_sample_is_scaled() {
  fixture test({.sampling_rate = 0.25});
  auto const array = zeros<int>(1024);
  for (std::uint32_t i = 0; i < 32; ++i) test.launch(store_number{}, {i / 4 + 1, 64}, array, 1);
  auto const kernel = only_kernel(test);
  std::uint64_t lanes = 0, squares = 0;  // each fourth launch: 64, 128, ... 512; parts are a fourth of them apart
  for (std::uint64_t i = 1; i <= 8; ++i) lanes += 64 * i;
  for (std::uint64_t part = 0; part < 4; ++part) {
    auto const events = static_cast<std::int64_t>(64 * (part + 1) + 64 * (part + 5)), mean = std::int64_t{2 * 288};
    squares += static_cast<std::uint64_t>((events - mean) * (events - mean));
  }
  CHECK_EQUAL(lanes_of(kernel), lanes);
  CHECK_EQUAL(kernel.losses.launches_delivered, 8);
  CHECK(kernel.sampling.has_value());
  CHECK_EQUAL(kernel.sampling->launches_offered, 32);
  CHECK_EQUAL(kernel.sampling->launches_taken, 8);
  CHECK(kernel.sampling->events == 4.0 * static_cast<double>(lanes));
  CHECK(kernel.sampling->events_error.has_value());
  double const error = 4 * std::sqrt(0.75 * 4 / 3 * static_cast<double>(squares));
  CHECK(std::abs(*kernel.sampling->events_error - error) < 1e-6 * error);
}

void a_launch_is_the_first_call() {
  fixture test;
  test.launch(no_arguments{}, {1, 32});
  test.launch(no_arguments{}, {1, 32});
  auto const kernel = only_kernel(test);
  CHECK_EQUAL(lanes_of(kernel), 2 * 32);
  CHECK_EQUAL(kernel.losses.launches_delivered, 2);
  CHECK_EQUAL(kernel.kernel.contexts.count(), 1);
  CHECK(notes_with(test, "") == 0);
}

void a_thread_that_sets_no_device() {
  fixture test;
  auto const a = zeros<int>(64);
  test.launch(store_number{}, {1, 64}, a, 1);
  std::thread([&] { test.launch(store_number{}, {1, 64}, a, 2); }).join();
  auto const kernel = only_kernel(test);
  CHECK_EQUAL(lanes_of(kernel), 2 * 64);
  CHECK_EQUAL(kernel.losses.launches_delivered, 2);
  CHECK_EQUAL(kernel.kernel.contexts.count(), 1);
  CHECK(notes_with(test, "") == 0);
}

void threads_with_a_device_each() {
  constexpr int thread_count = 4, launch_count = 25;
  fixture test;
  std::barrier start(thread_count);
  std::vector<std::thread> threads;
  std::vector<std::vector<int>> found(thread_count);
  for (int i = 0; i < thread_count; ++i) {
    threads.emplace_back([&, i] {
      static_cast<void>(cudaSetDevice(i % 2));
      cudaStream_t stream = nullptr;
      static_cast<void>(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
      auto const mine = zeros<int>(32);
      start.arrive_and_wait();
      for (int j = 1; j <= launch_count; ++j) test.launch(store_number{}, {1, 32, 0, handle(stream)}, mine, j);
      static_cast<void>(cudaStreamSynchronize(stream));
      found[static_cast<std::size_t>(i)] = contents(mine);
    });
  }
  for (auto& thread : threads) thread.join();
  auto const kernel = only_kernel(test);
  CHECK_EQUAL(lanes_of(kernel), thread_count * launch_count * 32);
  CHECK_EQUAL(kernel.losses.launches_delivered, thread_count * launch_count);
  for (std::uint32_t device = 0; device < 2; ++device) {
    CHECK_EQUAL(kernel.kernel.began.value(device), thread_count / 2 * launch_count);
    CHECK_EQUAL(kernel.kernel.ended.value(device), thread_count / 2 * launch_count);
  }
  for (auto const& values : found) CHECK(values == std::vector<int>(32, launch_count));
}

// Work waits in its streams; a device that is never waited for must not be, and results are there nevertheless.
void nothing_waits() {
  fixture test;
  for (int device = 0; device < 2; ++device) {
    use(device);
    auto const a = zeros<int>(64);
    test.launch(store_number{}, {1, 64}, a, 1);  // the first takes memory
  }
  std::vector<pasta::buffer<int>> buffers;
  std::vector<cudaStream_t> streams;
  for (int device = 0; device < 2; ++device) {
    use(device);
    buffers.push_back(zeros<int>(64));
    streams.push_back(make_stream());
  }
  char const* const watched[] = {
      "cudaDeviceSynchronize", "cudaStreamSynchronize", "cudaEventSynchronize", "cudaMemcpy", "cudaMalloc", "cudaFree",
      "cudaMemcpyAsync",       "cudaMemsetAsync",       "cudaEventCreate"};
  for (char const* const name : watched) cuda_stand_in::calls_of(name);
  cuda_stand_in::calls_of("cudaLaunchKernel");
  cuda_stand_in::hold_work(true);
  constexpr int rounds = 50;
  for (int i = 0; i < rounds; ++i) {
    for (std::size_t device = 0; device < 2; ++device) {
      static_cast<void>(cudaSetDevice(static_cast<int>(device)));
      test.launch(store_number{}, {1, 64, 0, handle(streams[device])}, buffers[device], i);
    }
  }
  for (char const* const name : watched) {
    bool const is_for_times = std::strcmp(name, "cudaEventCreate") == 0;
    CHECK_EQUAL(cuda_stand_in::calls_of(name), is_for_times ? 2 * (2 * rounds - 2) : 0);
  }
  CHECK_EQUAL(cuda_stand_in::calls_of("cudaLaunchKernel"), 2 * rounds);  // nothing is launched beside the kernels
  auto const kernel = only_kernel(test);
  CHECK_EQUAL(lanes_of(kernel), 2 * 64 + 2 * rounds * 64);
  CHECK_EQUAL(kernel.losses.launches_delivered, 2 + 2 * rounds);
  cuda_stand_in::hold_work(false);
}

void launches_apart() {
  pasta::testing::fixture<device_watch> test({.per = pasta::scope::launch});
  cuda_stand_in::hold_work(true);
  std::vector<pasta::buffer<int>> buffers;
  for (int i = 0; i < 6; ++i) {
    use(i % 2);
    buffers.push_back(pasta::buffer<int>(256));
    test.launch(store_number{}, {1, 32u * static_cast<unsigned>(i + 1)}, buffers.back(), i);
  }
  auto const found = test.results();
  cuda_stand_in::hold_work(false);
  CHECK_EQUAL(found.kernels.size(), 6);
  for (std::uint32_t i = 0; i < found.kernels.size(); ++i) {
    CHECK_EQUAL(lanes_of(found.kernels[i]), 32 * (i + 1));
    CHECK_EQUAL(found.kernels[i].kernel.ended.value(i % 2), 1);
    CHECK_EQUAL(found.kernels[i].kernel.ended.value(1 - i % 2), 0);
  }
}

// Those beyond what is kept apart share memory, also while some of them still run.
void very_many_launches_apart() {
  fixture test({.per = pasta::scope::launch});
  auto const a = zeros<int>(32);
  constexpr std::size_t more = 20;
  for (std::size_t i = 0; i < pasta::max_kernel_records; ++i) test.launch(store_number{}, {1, 1}, a, 1);
  cuda_stand_in::hold_work(true);
  std::vector<cudaStream_t> streams;
  for (std::size_t i = 0; i < more; ++i) {
    if (i % 5 == 0) streams.push_back(make_stream());
    test.launch(store_number{}, {1, 32, 0, handle(streams.back())}, a, 2);
    if (i % 5 == 4) CHECK(cudaStreamSynchronize(streams.front()) == cudaSuccess);  // one stream is done early
  }
  auto const found = test.results();
  cuda_stand_in::hold_work(false);
  CHECK_EQUAL(found.kernels.size(), pasta::max_kernel_records + 1);
  auto const& merged = found.kernels.back();
  CHECK_EQUAL(merged.losses.launches_delivered, more);
  CHECK_EQUAL(lanes_of(merged), more * 32);
  std::uint64_t lanes = 0;
  for (auto const& kernel : found.kernels) lanes += kernel.sites.empty() ? 0 : kernel.sites[0].executions;
  CHECK_EQUAL(lanes, pasta::max_kernel_records + more * 32);
}

void one_faults() {
  fixture test;
  auto const a = zeros<int>(64);
  test.launch(store_number{}, {1, 64}, a, 1);
  use(1);
  test.launch(store_number{}, {1, 64}, reinterpret_cast<int*>(std::uintptr_t{0x10}), 2);
  CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  std::string said;
  try {
    test.launch(store_number{}, {1, 64}, reinterpret_cast<int*>(std::uintptr_t{0x10}), 2);
  } catch (pasta::vendor_error const& error) {
    said = error.what();
  }
  CHECK(said.find("cannot launch") == 0 && said.find("cudaErrorIllegalAddress") != std::string::npos);
  use(0);
  test.launch(store_number{}, {1, 64}, a, 3);
  CHECK(contents(a) == std::vector<int>(64, 3));
  auto kernel = only_kernel(test);
  CHECK_EQUAL(lanes_of(kernel), 2 * 64);
  CHECK_EQUAL(kernel.losses.launches_seen, 4);
  CHECK_EQUAL(kernel.losses.launches_delivered, 2);
  CHECK_EQUAL(kernel.losses.launches_lost, 2);
  // Which of them it was.
  CHECK(notes_with(test, "GPU 1: a kernel went wrong, and what the GPU had collected is lost with it") == 1);
  CHECK(notes_with(test, "GPU 0") == 0);
  test.launch(store_number{}, {1, 64}, a, 4);  // also after the results were asked for
  kernel = only_kernel(test);
  CHECK_EQUAL(kernel.losses.launches_delivered, 3);
  CHECK_EQUAL(lanes_of(kernel), 3 * 64);
}

void one_is_reset() {
  fixture test;
  auto const a = zeros<int>(64);
  test.launch(store_number{}, {1, 64}, a, 1);
  use(1);
  {
    auto const b = zeros<int>(64);
    test.launch(store_number{}, {1, 64}, b, 2);
  }
  CHECK(cudaDeviceReset() == cudaSuccess);
  auto const b = zeros<int>(32);
  test.launch(store_number{}, {1, 32}, b, 3);
  auto const kernel = only_kernel(test);
  CHECK_EQUAL(lanes_of(kernel), 64 + 32);
  CHECK_EQUAL(kernel.losses.launches_delivered, 2);
  CHECK_EQUAL(kernel.losses.launches_lost, 1);
  CHECK_EQUAL(kernel.kernel.contexts.count(), 3);
  CHECK(notes_with(test, "GPU 1 was reset: what was collected before is lost") == 1);
}

void one_has_no_memory() {
  fixture test;
  auto const a = zeros<int>(64);
  use(1);
  auto const b = zeros<int>(64);
  cuda_stand_in::limit_memory(1, 64 * sizeof(int) + 100);
  for (int i = 0; i < 3; ++i) {
    use(0);
    test.launch(store_number{}, {1, 64}, a, i);
    use(1);
    test.launch(store_number{}, {1, 64}, b, i);
  }
  CHECK(contents(b) == std::vector<int>(64, 2));
  auto const kernel = only_kernel(test);
  CHECK_EQUAL(lanes_of(kernel), 3 * 64);
  CHECK_EQUAL(kernel.losses.launches_delivered, 3);
  CHECK_EQUAL(kernel.losses.launches_lost, 3);
  CHECK(notes_with(test, "3 launches were not analysed: there was no GPU memory for results") == 1);
  cuda_stand_in::limit_memory(1, std::size_t{1} << 30);
}

// CUDA refuses it, and says so; what else was launched is not harmed.
void a_stream_of_the_other_device() {
  fixture test;
  auto const a = zeros<int>(64);
  use(1);
  cudaStream_t const stream = make_stream();
  use(0);
  std::string said;
  test.launch(store_number{}, {1, 64}, a, 1);  // that it has ended is noticed at the next launch
  try {
    test.launch(store_number{}, {1, 64, 0, handle(stream)}, a, 1);
  } catch (pasta::vendor_error const& error) {
    said = error.what();
  }
  CHECK(said.find("cannot launch") == 0 && said.find("cudaErrorInvalidResourceHandle") != std::string::npos);
  test.launch(store_number{}, {1, 64}, a, 2);
  auto const kernel = only_kernel(test);
  CHECK_EQUAL(lanes_of(kernel), 2 * 64);
  CHECK_EQUAL(kernel.losses.launches_lost, 1);
  CHECK_EQUAL(kernel.losses.launches_delivered, 2);
}

void a_graph_of_the_other_device() {
  fixture test;
  use(1);
  auto const a = zeros<int>(64);
  cudaStream_t const stream = make_stream();
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  test.launch(store_number{}, {1, 64, 0, handle(stream)}, a, 1);
  CHECK(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  CHECK(cudaGraphInstantiate(&ready, graph, 0) == cudaSuccess);
  for (int i = 0; i < 5; ++i) CHECK(cudaGraphLaunch(ready, stream) == cudaSuccess);
  use(0);
  auto const kernel = only_kernel(test);
  CHECK_EQUAL(lanes_of(kernel), 5 * 64);
  CHECK_EQUAL(kernel.losses.launches_lost, 0);
  CHECK(cudaGraphExecDestroy(ready) == cudaSuccess);
  CHECK(cudaGraphDestroy(graph) == cudaSuccess);
}

// Memory of results goes back to the device it came from, and the program's device stays chosen.
void all_is_given_back() {
  std::size_t before[2] = {}, after[2] = {}, most = 0;
  for (int device = 0; device < 2; ++device) {
    use(device);
    CHECK(cudaMemGetInfo(&before[device], &most) == cudaSuccess);
  }
  use(0);
  {
    fixture test;
    for (int device = 0; device < 2; ++device) {
      use(device);
      auto const a = zeros<int>(64);
      test.launch(store_number{}, {1, 64}, a, 1);
    }
    use(0);
    test.results();
  }
  int device = -1;
  CHECK(cudaGetDevice(&device) == cudaSuccess && device == 0);
  for (device = 0; device < 2; ++device) {
    use(device);
    CHECK(cudaMemGetInfo(&after[device], &most) == cudaSuccess);
    CHECK_EQUAL(after[device], before[device]);
  }
}

// In its stream's order, on the host's clock, as long as the stand-in says.
void times() {
  fixture test;
  std::uint64_t const begin_ns = pasta::get_nanoseconds<pasta::vendor::host>{}();
  for (int device = 0; device < 2; ++device) {
    use(device);
    auto const a = zeros<int>(64);
    test.launch(store_number{}, {1, 64}, a, 1);
  }
  auto const kernel = only_kernel(test);
  CHECK(begin_ns > 0);
  std::uint64_t const expected = cuda_stand_in::kernel_ns + cuda_stand_in::extra_ns;
  CHECK(kernel.duration_ns + 2000 > 2 * expected && kernel.duration_ns < 2 * expected + 40'000'000);
  CHECK_EQUAL(kernel.duration_ns, kernel.kernel.duration_ns.value());
}

struct named_case {
  char const* name;
  void (*run)();
} const cases[] = {
    {"a launch is the first call", a_launch_is_the_first_call},
    {"one row for both", one_row_for_both},
    {"a sample is scaled", a_sample_is_scaled},
    {"a thread that sets no device", a_thread_that_sets_no_device},
    {"threads with a device each", threads_with_a_device_each},
    {"nothing waits", nothing_waits},
    {"launches apart", launches_apart},
    {"one is reset", one_is_reset},
    {"one has no memory", one_has_no_memory},
    {"a stream of the other device", a_stream_of_the_other_device},
    {"a graph of the other device", a_graph_of_the_other_device},
    {"all is given back", all_is_given_back},
    {"times", times},
    {"very many launches apart", very_many_launches_apart},
    {"one faults", one_faults},  // it leaves a device broken
};

}  // namespace

int main(int argument_count, char** arguments) {
  cuda_stand_in::make_devices(2);
  for (named_case const& one : cases) {
    if (argument_count > 1 && std::strcmp(arguments[1], one.name) != 0) continue;
    checks::run(one.name, one.run);
    static_cast<void>(cudaSetDevice(0));
    static_cast<void>(cudaGetLastError());
  }
  return checks::finish();
}
