// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// A program that does what its first argument says, between and after launches of one kernel.
#include <sys/wait.h>
// A tool's header first: it includes PASTA, and that the tools of this program.
#include "site_lanes.hpp"
//
#include <pasta/pasta.hpp>

#include <csignal>
#include <cstdio>

namespace {

struct fill {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<int, Probe> a) const {
    a[t.index()] = 1;
  }
};

struct touch {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<int, Probe> a) const {
    a[t.index()]++;
  }
};

struct throwing {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<int, Probe> a) const {
    a[t.index()] = 1;
    if (t.index() == 40) throw std::runtime_error("a kernel's exception");
  }
};

struct faulting {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<int, Probe> a) const {
    a[t.index()] = 1;
    if (t.index() == 40) *reinterpret_cast<volatile int*>(8) = 1;
  }
};

struct endless {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<int, Probe> a) const {
    for (;;) a[t.index()] = 1;
  }
};

struct deep_recursion {
  template <class Probe>
  PASTA_NEVER_INLINE static int down(pasta::traced<int, Probe> a, int depth) {
    volatile char frame[4096];
    frame[0] = static_cast<char>(depth);
    return depth < 1'000'000 ? down(a, depth + 1) + frame[0] : 0;
  }
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>&, pasta::traced<int, Probe> a) const {
    a[0] = down(a, 0);
  }
};

std::vector<int> memory(4096);

template <class Kernel = fill>
void launch(Kernel const& kernel = {}) {
  pasta::launch(kernel, {4, 64}, memory.data());
}

// What crashes in the allocator may hold its lock.
void free_twice() {
  void* volatile block = std::malloc(64);
  std::free(block);
  std::free(block);
}

int run(std::string const& what, char** rest) {
  launch();
  if (what == "plain") return 0;
  if (what == "code") return std::atoi(rest[0]);
  if (what == "exit") std::exit(7);
  if (what == "quick_exit") ::_exit(7);
  if (what == "abort") std::abort();
  if (what == "throw") throw std::runtime_error("uncaught");
  if (what == "kernel_throws") launch(throwing{});
  if (what == "kernel_caught") {
    try {
      launch(throwing{});
    } catch (std::exception const& error) {
      std::printf("caught: %s\n", error.what());
    }
    return 0;
  }
  if (what == "fault") *reinterpret_cast<volatile int*>(8) = 1;
  if (what == "kernel_faults") launch(faulting{});
  if (what == "overflow") launch(deep_recursion{});
  if (what == "free_twice") free_twice();
  if (what == "raise") std::raise(std::atoi(rest[0]));
  if (what == "endless") {
    std::puts("ready");
    std::fflush(stdout);
    launch(endless{});
  }
  if (what == "handles_term") {
    std::signal(SIGTERM, [](int) { std::_Exit(9); });
    std::raise(SIGTERM);
  }
  if (what == "ignores_term") {
    std::signal(SIGTERM, SIG_IGN);
    std::raise(SIGTERM);
    return 0;
  }
  if (what == "fork") {
    pid_t const child = ::fork();
    if (child == 0) {
      for (int i = 0; i < 2; ++i) launch();
      std::exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    launch();
    return WEXITSTATUS(status);
  }
  if (what == "fork_twice") {
    if (::fork() == 0) {
      launch();
      if (::fork() == 0) {
        launch();
        std::exit(0);
      }
      ::wait(nullptr);
      std::exit(0);
    }
    ::wait(nullptr);
    return 0;
  }
  if (what == "fork_without_launch") {
    pid_t const child = ::fork();
    if (child == 0) std::exit(0);
    int status = 0;
    ::waitpid(child, &status, 0);
    return WEXITSTATUS(status);
  }
  if (what == "exec") {
    char* const arguments[] = {rest[0], const_cast<char*>("plain"), nullptr};
    ::execv(arguments[0], arguments);
    return 1;
  }
  if (what == "chdir") return ::chdir("/");
  if (what == "launches") {
    for (int i = 1; i < std::atoi(rest[0]); ++i) launch();
    return 0;
  }
  if (what == "alternating") {
    for (int i = 0; i < 10; ++i) {
      launch();
      pasta::launch(touch{}, {1, 32}, memory.data());
    }
    return 0;
  }
  if (what == "memory") {
    {
      std::vector<int> const from(100, 3);
      pasta::buffer<int> array(std::span<int const>{from});  // an allocation and a copy of 400 bytes
      array.set_bytes(1);
      std::vector<int> to(50);
      array.copy_to(to);
      pasta::buffer<int> const moved = std::move(array);
      pasta::launch(fill{}, {1, 64}, moved);
    }
    pasta::synchronize();
    return 0;
  }
  if (what == "many_records") {
    for (int i = 0; i < std::atoi(rest[0]); ++i) launch();
    std::puts("ready");
    std::fflush(stdout);
    return 0;
  }
  if (what == "stop") {
    pasta_stop();
    for (int i = 0; i < 3; ++i) launch();
    pasta_start();
    launch();
    return 0;
  }
  if (what == "steps") {  // a launch in each
    for (int i = 1; i < std::atoi(rest[0]); ++i) {
      pasta_step();
      launch();
    }
    return 0;
  }
  if (what == "no_launch") return 0;
  if (what == "names") {
    pasta::launch(
        pasta::named_kernel{"a\"b\\c\n\x01\xff<T,\"x\">", []<class Probe>(pasta::traced<int, Probe> a) { a[0] = 1; }},
        {1, 32}, memory.data());
    return 0;
  }
  if (what == "threads") {
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([] {
        for (int k = 0; k < 25; ++k) launch();
      });
    }
    for (auto& thread : threads) thread.join();
    return 0;
  }
  if (what == "ranges") {
    pasta_annotate_pop();  // without its push: nothing
    pasta_annotate_push("step");
    launch();
    pasta_annotate_push("forward");
    for (int i = 0; i < 2; ++i) launch();
    std::thread([] { launch(); }).join();  // another thread is in no range
    pasta_annotate_pop();
    launch();
    pasta_annotate_pop();
    pasta_step();
    return 0;
  }
  if (what == "attached") {
    std::printf("%d\n", pasta_is_attached());
    return 0;
  }
  std::fprintf(stderr, "unknown: %s\n", what.c_str());
  return 3;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 0;
  return run(argv[1], argv + 2);
}
