// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// What goes wrong on a GPU while a tool is attached. What leaves a GPU's context unusable happens in a child process:
// this program again, with the case's name as its argument.
#define PASTA_PROBE_TOOLS_HEADER "failing_tools.hpp"
#include <sys/wait.h>
#include <unistd.h>

#include <access_count.hpp>
#include <coalescing.hpp>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "checks.hpp"
#include "observer.hpp"

using pasta::operation;

namespace {

// ---- Kernels

struct store_number {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<int, Probe> a, int number) const {
    a[t.index()] = number;
  }
};

struct use_shared {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<int, Probe> out, unsigned elements) const {
    auto all = pasta::dynamic_shared<int>(t);
    for (unsigned i = t.thread_index().x; i < elements; i += t.block_size().x) {
      all[i] = static_cast<int>(i);
    }
    t.sync_block();
    unsigned const from_the_end = elements - 1 - t.thread_index().x;
    out[t.index()] = all[from_the_end];
  }
};

// ---- A program as users write it, in a child process

// How a child ended, and what it wrote to standard error.
struct ended {
  int status = -1;  // until it is known: neither an exit nor a signal
  std::string errors;
  bool exited_with(int code) const { return WIFEXITED(status) && WEXITSTATUS(status) == code; }
  bool died_of(int number) const { return WIFSIGNALED(status) && WTERMSIG(status) == number; }
};

using variables = std::vector<std::pair<char const*, std::string>>;

std::string own_path;

ended run_child(char const* what, variables const& environment) {
  ended child;
  int ends[2];
  if (::pipe(ends) != 0) return child;
  pid_t const pid = ::fork();
  if (pid == 0) {
    ::dup2(ends[1], STDERR_FILENO);
    ::close(ends[0]);
    ::close(ends[1]);
    for (auto const& [name, value] : environment) ::setenv(name, value.c_str(), 1);
    ::execl(own_path.c_str(), own_path.c_str(), what, static_cast<char*>(nullptr));
    ::_exit(126);
  }
  ::close(ends[1]);
  char part[4096];
  for (ssize_t size = 0; (size = ::read(ends[0], part, sizeof part)) > 0;) {
    child.errors.append(part, static_cast<std::size_t>(size));
  }
  ::close(ends[0]);
  ::waitpid(pid, &child.status, 0);
  return child;
}

std::size_t count_of(std::string const& text, std::string_view what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

std::string contents_of_file(std::filesystem::path const& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// A folder of its own, gone when it is out of sight.
class folder {
 public:
  folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "pasta-failures-XXXXXX").string();
    if (char const* const made = ::mkdtemp(pattern.data())) path_ = made;
  }
  ~folder() {
    std::error_code none;
    if (!path_.empty()) std::filesystem::remove_all(path_, none);
  }
  folder(folder const&) = delete;
  folder& operator=(folder const&) = delete;
  std::filesystem::path operator/(char const* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

// Launches a kernel that is right and one that writes to an address that is nobody's.
void launch_right_and_wrong(pasta::buffer<int> const& a) {
  pasta::launch(store_number{}, {1, 64}, a, 1);
  pasta::launch(store_number{}, {1, 64}, reinterpret_cast<int*>(std::uintptr_t{0x10}), 2);
}

// The program waits and says what PASTA told it.
int fault_caught() {
  pasta::buffer<int> const a(64);
  launch_right_and_wrong(a);
  try {
    pasta::synchronize();
  } catch (pasta::vendor_error const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
  return 0;
}

// The program asks CUDA itself.
int fault_asked() {
  pasta::buffer<int> const a(64);
  launch_right_and_wrong(a);
  return cudaDeviceSynchronize() == cudaErrorIllegalAddress ? 5 : 0;
}

// The program does not look.
int fault_unseen() {
  pasta::buffer<int> const a(64);
  launch_right_and_wrong(a);
  return 0;
}

// What the program throws ends it.
int fault_thrown() {
  pasta::buffer<int> const a(64);
  launch_right_and_wrong(a);
  pasta::synchronize();
  return 0;
}

void faults() {
  folder const here;
  struct {
    char const* name;
    int exit_code;      // -1: SIGABRT
    std::size_t lines;  // of the error on standard error
  } const programs[] = {{"fault_caught", 3, 1}, {"fault_asked", 5, 0}, {"fault_unseen", 0, 0}, {"fault_thrown", -1, 1}};
  for (auto const& program : programs) {
    for (char const* const tools : {"", "counter"}) {
      checks::current_case = program.name;
      auto const report = here / "report.json";
      auto const child =
          run_child(program.name, {{"PASTA_TOOLS", tools}, {"PASTA_OUTPUT", report.string()}, {"PASTA_QUIET", "0"}});
      CHECK(program.exit_code >= 0 ? child.exited_with(program.exit_code) : child.died_of(SIGABRT));
      CHECK_EQUAL(count_of(child.errors, "a kernel went wrong"), program.lines);
      CHECK_EQUAL(count_of(child.errors, "cudaErrorIllegalAddress"), program.lines);
      bool const is_attached = *tools != '\0';
      CHECK_EQUAL(std::filesystem::exists(report), is_attached);
      if (is_attached) {
        CHECK_EQUAL(count_of(child.errors, "pasta: report: "), 1);
        std::string const text = contents_of_file(report);
        CHECK_EQUAL(count_of(text, "what the GPU had collected is lost with it"), 1);
        CHECK(count_of(text, "store_number") > 0);
        CHECK(text.find_last_not_of(" \n") != std::string::npos && text[text.find_last_not_of(" \n")] == '}');
        std::filesystem::remove(report);
      }
      if (checks::failure_count > 0) std::printf("%s with '%s' said: %s\n", program.name, tools, child.errors.c_str());
    }
  }
}

// ---- Launches that the GPU refuses

template <class Kernel, class... Arguments>
void check_refused(pasta::testing::fixture<counter>& test, Kernel const& kernel, pasta::launch_config const& config,
                   Arguments const&... arguments) {
  std::string said;
  try {
    test.launch(kernel, config, arguments...);
  } catch (pasta::vendor_error const& error) {
    said = error.what();
  }
  CHECK_EQUAL(count_of(said, "cannot launch "), 1);
  CHECK(count_of(said, "store_number") == 1);
  CHECK_EQUAL(count_of(said, "\n"), 0);
  CHECK(cudaPeekAtLastError() == cudaSuccess);
}

void refused_launches() {
  auto const a = zeros<int>(1024);
  pasta::testing::fixture<counter> test;
  check_refused(test, store_number{}, {1, 2048}, a, 1);
  check_refused(test, store_number{}, {pasta::dim3{1, 1u << 16}, 32}, a, 1);
  check_refused(test, store_number{}, {0, 32}, a, 1);
  check_refused(test, store_number{}, {1, 32, std::size_t{300} << 10}, a, 1);
  test.launch(store_number{}, {1, 64}, a, 7);
  auto const found = test.results();
  CHECK_EQUAL(found.kernels.size(), 1);
  auto const& kernel = found.kernels.at(0);
  CHECK_EQUAL(kernel.losses.launches_seen, 5);
  CHECK_EQUAL(kernel.losses.launches_delivered, 1);
  CHECK_EQUAL(kernel.losses.launches_lost, 4);
  CHECK_EQUAL(kernel.sites.at(0).executions, 64);
  CHECK_EQUAL(contents(a)[63], 7);
}

// ---- Shapes that a kernel accepts without a tool

template <class ToolOrPack>
void largest_block() {
  auto const a = zeros<int>(2048);
  pasta::testing::fixture<ToolOrPack> test;
  test.launch(store_number{}, {2, 1024}, a, 9);
  using first_tool = typename decltype([]<class First, class... Others>(pasta::type_list<First, Others...>) {
    return std::type_identity<First>{};
  }(pasta::tools_of_t<ToolOrPack>{}))::type;
  auto const found = test.template results<first_tool>();
  CHECK_EQUAL(found.kernels.size(), 1);
  CHECK_EQUAL(found.kernels.at(0).losses.launches_delivered, 1);
  CHECK_EQUAL(found.kernels.at(0).sites.size(), 1);
  CHECK(contents(a) == std::vector<int>(2048, 9));
}

template <class Tool>
void much_shared_memory() {
  constexpr std::size_t shared_bytes = std::size_t{100} << 10;
  constexpr unsigned elements = shared_bytes / sizeof(int);
  auto const out = zeros<int>(512);
  pasta::testing::fixture<Tool> test;
  test.launch(use_shared{}, {2, 256, shared_bytes}, out, elements);
  auto const found = test.results();
  CHECK_EQUAL(found.kernels.size(), 1);
  std::uint64_t stores = 0, loads = 0;
  for (auto const& site : found.kernels.at(0).sites) {
    if (site.site.space != pasta::memory_space::shared) continue;
    if (site.site.what == operation::store) stores += site.executions;
    if (site.site.what == operation::load) loads += site.executions;
  }
  bool const sees_shared = !std::is_same_v<Tool, coalescing>;
  CHECK_EQUAL(stores, sees_shared ? 2 * elements : 0);
  CHECK_EQUAL(loads, sees_shared ? 2 * 256 : 0);
  auto const values = contents(out);
  for (unsigned i = 0; i < 512; ++i) CHECK_EQUAL(values[i], static_cast<int>(elements - 1 - i % 256));
}

// ---- In a child process, which prints its own failures

// The child's modules are loaded before (see main): a kernel's code needs memory too.
int exhausted() {
  return checks::run("no memory is left",
                     [] {
                       auto const a = zeros<int>(64);
                       std::vector<void*> taken;
                       for (std::size_t bytes = std::size_t{64} << 30; bytes >= std::size_t{64} << 10;) {
                         void* memory = nullptr;
                         if (cudaMalloc(&memory, bytes) == cudaSuccess) {
                           taken.push_back(memory);
                         } else {
                           static_cast<void>(cudaGetLastError());
                           bytes /= 2;
                         }
                       }
                       pasta::testing::fixture<counter> test;
                       test.launch(store_number{}, {1, 64}, a, 4);
                       test.launch(store_number{}, {1, 64}, a, 5);
                       CHECK(contents(a) == std::vector<int>(64, 5));
                       auto const found = test.results();
                       CHECK_EQUAL(found.kernels.size(), 1);
                       CHECK_EQUAL(found.kernels.at(0).losses.launches_seen, 2);
                       CHECK_EQUAL(found.kernels.at(0).losses.launches_lost, 2);
                       CHECK(found.kernels.at(0).sites.empty());
                       test.report();
                       CHECK_EQUAL(test.notes().size(), 1);
                       for (auto const& note : test.notes())
                         CHECK_EQUAL(count_of(note, "2 launches were not analysed"), 1);
                       for (void* const memory : taken) CHECK(cudaFree(memory) == cudaSuccess);
                       // With memory again, launches are analysed.
                       test.launch(store_number{}, {1, 64}, a, 6);
                       auto const later = test.results();
                       CHECK_EQUAL(later.kernels.at(0).losses.launches_delivered, 1);
                       CHECK_EQUAL(later.kernels.at(0).sites.size(), 1);
                       for (auto const& site : later.kernels.at(0).sites) CHECK_EQUAL(site.executions, 64);
                     }),
         checks::failure_count;
}

// @param is_read whether the first launch's results are asked for before the reset
int reset(char const* name, bool is_read) {
  return checks::run(name,
                     [&] {
                       pasta::testing::fixture<counter> test;
                       {
                         auto const a = zeros<int>(64);
                         test.launch(store_number{}, {1, 64}, a, 1);
                         CHECK(cudaDeviceSynchronize() == cudaSuccess);
                         if (is_read) test.results();
                       }
                       CHECK(cudaDeviceReset() == cudaSuccess);
                       auto const b = zeros<int>(128);
                       test.launch(store_number{}, {1, 128}, b, 2);
                       test.launch(store_number{}, {1, 128}, b, 3);
                       auto const found = test.results();
                       CHECK_EQUAL(found.kernels.size(), 1);
                       auto const& kernel = found.kernels.at(0);
                       CHECK_EQUAL(kernel.losses.launches_seen, 3);
                       CHECK_EQUAL(kernel.losses.launches_delivered, is_read ? 3 : 2);
                       CHECK_EQUAL(kernel.losses.launches_lost, is_read ? 0 : 1);
                       CHECK_EQUAL(kernel.sites.size(), 1);
                       for (auto const& site : kernel.sites) {
                         CHECK_EQUAL(site.executions, 2 * 128 + (is_read ? 64 : 0));
                         CHECK(site.site.file.find("failures_test.cu") != std::string::npos);
                       }
                       CHECK(contents(b) == std::vector<int>(128, 3));
                       test.report();
                       std::size_t told = 0;
                       for (auto const& note : test.notes()) told += count_of(note, "the GPU was reset");
                       if (!is_read) CHECK_EQUAL(told, 1);
                     }),
         checks::failure_count;
}

// An error of the program's own that it has not asked for yet: it stays, and harms nothing.
int pending_error() {
  return checks::run("an error is pending",
                     [] {
                       auto const a = zeros<int>(64);
                       auto const fail = [] {
                         void* memory = nullptr;
                         CHECK(cudaMalloc(&memory, std::size_t{1} << 50) == cudaErrorMemoryAllocation);
                       };
                       fail();
                       pasta::testing::fixture<counter> test;
                       test.launch(store_number{}, {1, 64}, a, 1);
                       CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
                       CHECK(cudaDeviceSynchronize() == cudaSuccess);
                       fail();
                       auto const found = test.results();
                       CHECK_EQUAL(found.kernels.at(0).losses.launches_delivered, 1);
                       CHECK_EQUAL(found.kernels.at(0).sites.size(), 1);
                       for (auto const& site : found.kernels.at(0).sites) {
                         CHECK_EQUAL(site.executions, 64);
                         CHECK(site.site.file.find("failures_test.cu") != std::string::npos);
                       }
                     }),
         checks::failure_count;
}

void child_succeeds(char const* name) {
  auto const child = run_child(name, {{"CUDA_MODULE_LOADING", "EAGER"}});
  CHECK(child.exited_with(0));
  if (!child.exited_with(0)) std::printf("%s: status %#x, said: %s\n", name, child.status, child.errors.c_str());
}

int run_as_child(std::string_view what) {
  if (what == "fault_caught") return fault_caught();
  if (what == "fault_asked") return fault_asked();
  if (what == "fault_unseen") return fault_unseen();
  if (what == "fault_thrown") return fault_thrown();
  if (what == "exhausted") return exhausted();
  if (what == "reset") return reset("a reset", false);
  if (what == "reset_after_reading") return reset("a reset after reading", true);
  if (what == "pending_error") return pending_error();
  return 125;
}

}  // namespace

int main(int argument_count, char** arguments) {
  if (argument_count > 1) return run_as_child(arguments[1]);
  own_path = std::filesystem::read_symlink("/proc/self/exe").string();
  if (!checks::has_gpu()) {
    std::printf("skipped: there is no NVIDIA GPU\n");
    return 77;
  }
  checks::run("refused launches", refused_launches);
  checks::run("1024 threads, access_count", largest_block<access_count>);
  checks::run("1024 threads, coalescing", largest_block<coalescing>);
  checks::run("1024 threads, observer", largest_block<observer>);
  checks::run("1024 threads, a pack", largest_block<pasta::tool_pack<access_count, coalescing>>);
  checks::run("100 KiB of shared memory, counted", much_shared_memory<counter>);
  checks::run("100 KiB of shared memory, coalescing", much_shared_memory<coalescing>);
  checks::run("faults", faults);
  checks::run("no memory is left", [] { child_succeeds("exhausted"); });
  checks::run("a reset", [] { child_succeeds("reset"); });
  checks::run("a reset after reading", [] { child_succeeds("reset_after_reading"); });
  checks::run("an error is pending", [] { child_succeeds("pending_error"); });
  return checks::finish();
}
