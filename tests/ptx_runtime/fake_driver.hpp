// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// A stand-in for NVIDIA's driver: device memory is the host's heap, and a kernel does nothing but add to counters as
/// its only argument says. What was launched runs when it is waited for.
#ifndef PASTA_TESTS_PTX_RUNTIME_FAKE_DRIVER_HPP
#define PASTA_TESTS_PTX_RUNTIME_FAKE_DRIVER_HPP

#include <cuda.h>
#include <cupti_callbacks.h>
#include <cupti_driver_cbid.h>
#include <cupti_runtime_cbid.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace fake {

// Handles carry a mark: one of the wrong kind is refused, as by the driver.
enum class kind : std::uint32_t { context = 0xc0, module, library, function, kernel, stream, graph, node, exec };

struct module;
struct handle {
  fake::kind kind;
};
struct context : handle {
  std::uint32_t uid = 0;
  CUdevice device = 0;
  CUresult error = CUDA_SUCCESS;  // a kernel went wrong
  bool is_destroyed = false;
};
struct function : handle {
  fake::module* of;
  std::string name;
};
struct module : handle {
  fake::context* in;
  std::map<std::string, std::vector<unsigned char>> variables;
  std::deque<fake::function> functions;
};
struct library;
struct kernel : handle {
  fake::library* of;
  std::string name;
};
struct library : handle {
  std::string image;
  std::map<fake::context*, fake::module*> modules;  // loaded when a kernel is first needed in the context
  std::deque<fake::kernel> kernels;
};
struct stream : handle {
  bool is_nonblocking = false;
  struct graph* captures = nullptr;
};
/// What a kernel does: "0=100,2=5" adds 100 to counter 0; "1@1=7" is of the module's second table. "fault", "endless".
/// "load@16=100" is of a kernel without counters: the instruction at 16 loads in 100 lanes.
/// "touch@24=4096+8:4" accesses 4 bytes 8 behind the address 4096; the row's word at 24 says where its bits are.
struct work {
  fake::context* in;
  fake::module* of;
  std::string what;
  fake::stream* on;
  std::vector<CUstreamBatchMemOpParams> writes = {};            // instead of a kernel
  std::map<std::string, std::vector<unsigned char>> read = {};  // the states, where it has begun
  fake::function* function = nullptr;
  std::uint64_t given = 0;  // to its patches
};
/// Whom the stand-in of the Compute Sanitizer has told what it wants to see. All on the calling thread.
class observer {
 public:
  virtual void context_made(fake::context& made) = 0;
  virtual void context_ends(fake::context& gone) = 0;
  virtual void module_loaded(fake::module& made, char const* image) = 0;
  virtual void module_ends(fake::module& gone) = 0;
  /// @return what the launch was given
  virtual std::uint64_t launch_begins(fake::function& what, bool is_node) = 0;
  virtual void has_waited(fake::context& in) = 0;
  /// Lanes of a patched kernel load 4 bytes. @param offset of the instruction
  virtual void loads(fake::function& by, std::uint64_t given, std::uint64_t offset, std::uint64_t lanes) = 0;
  /// A lane of a patched kernel accesses memory. @param word where its row says which bits are its own
  virtual void touches(fake::function& by, std::uint64_t given, std::size_t word, std::uint64_t address,
                       std::uint64_t bytes) = 0;
  virtual void memory_made(fake::context& in, std::uint64_t address, std::uint64_t bytes) = 0;
  virtual void memory_ends(fake::context& in, std::uint64_t address) = 0;

 protected:
  ~observer() = default;
};
struct node : handle {
  CUDA_KERNEL_NODE_PARAMS parameters{};
  std::string what;
  struct graph* child = nullptr;
};
struct graph : handle {
  std::deque<fake::node> nodes;
};
struct exec : handle {
  std::vector<fake::node*> nodes;
};

struct driver {
  std::recursive_mutex mutex;
  std::deque<fake::context> contexts;
  std::deque<fake::library> libraries;
  std::deque<fake::module> modules;
  std::deque<fake::stream> streams;
  std::deque<fake::graph> graphs;
  std::deque<fake::exec> execs;
  std::deque<fake::work> queue;
  std::map<CUdeviceptr, std::vector<unsigned char>> memory;
  std::size_t free_bytes = std::size_t{64} << 20;
  CUdeviceptr again = 0;  // what was freed in the order of a stream
  std::uint32_t last_uid = 0, shard = 0;
  int captures = 0, context_waits = 0, writes = 0;
  bool is_timing = false;
  std::int64_t listening_ns = 0, ordering_ns = 0;  // in the listener; of that, in functions that it calls for a launch
  void (*listener)(CUpti_CallbackDomain, CUpti_CallbackId, void const*) = nullptr;
  fake::observer* observer = nullptr;
};
extern driver all;
extern thread_local std::vector<fake::context*> current;
extern thread_local CUstreamCaptureMode capture_mode;

/// The handle as what it should be, or null.
template <class Kind, class Handle>
Kind* as(Handle given, fake::kind wanted) {
  auto* const found = reinterpret_cast<Kind*>(given);
  return found != nullptr && found->kind == wanted ? found : nullptr;
}
/// Null for those that are always there.
inline fake::stream* stream_of(CUstream given) {
  return given == CU_STREAM_LEGACY || given == CU_STREAM_PER_THREAD ? nullptr : as<fake::stream>(given, kind::stream);
}
inline fake::context* here() { return current.empty() ? nullptr : current.back(); }

/// Whether a call that a capture forbids must fail.
inline bool is_forbidden() { return all.captures > 0 && capture_mode != CU_STREAM_CAPTURE_MODE_RELAXED; }

/// Adds how long it lives.
class stopwatch {
 public:
  explicit stopwatch(std::int64_t& to) : to_(&to), begin_(std::chrono::steady_clock::now()) {}
  ~stopwatch() { *to_ += (std::chrono::steady_clock::now() - begin_).count(); }
  stopwatch(stopwatch const&) = delete;
  stopwatch& operator=(stopwatch const&) = delete;

 private:
  std::int64_t* to_;
  std::chrono::steady_clock::time_point begin_;
};

/// Tells the listener of a call's begin, and of its end when it goes out of scope.
class call {
 public:
  call(CUpti_CallbackId id, char const* name, void const* parameters, char const* symbol = nullptr);
  ~call();
  call(call const&) = delete;
  call& operator=(call const&) = delete;
  CUresult operator()(CUresult result) {
    result_ = result;
    return result;
  }

 private:
  void tell();

  CUpti_CallbackId id_;
  CUpti_CallbackData data_{};
  std::uint64_t correlation_ = 0;
  CUresult result_ = CUDA_SUCCESS;
};

fake::module* load_module(fake::context* in, char const* image);
fake::function* find_function(fake::module* in, std::string const& name);
std::vector<std::string> function_names(char const* image);
std::size_t image_bytes(char const* image);
/// Runs what is queued in a context. @return what became of it
CUresult run_queue(fake::context* in);
/// The next kernels of one stream, and what is to be written before them.
CUresult run_stream(fake::stream* on, int kernels);
void begin_in_stream(fake::stream* on);

}  // namespace fake

// Beside the driver's functions, for the program and the stand-in of CUPTI.
extern "C" {
CUresult fake_context_create(CUcontext* made);
void fake_set_listener(void (*listener)(CUpti_CallbackDomain, CUpti_CallbackId, void const*));
void fake_set_free_bytes(std::size_t bytes);
int fake_context_waits();
/// Writes that streams were told of so far.
int fake_writes();
/// Time in the listener since the last call, without that in the stand-in's own functions for streams [ns].
std::int64_t fake_listening_ns();
/// The next kernel of a stream reads what there is to read, and goes on later.
void fake_begin(CUstream on);
/// Runs the next kernels of a stream alone.
void fake_run(CUstream on, int kernels);
/// As cudaDeviceSynchronize: no call of the driver is told of.
int fake_runtime_synchronize();
}
#endif
