// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Lets a last function run when a signal is about to end the process.
#ifndef PASTA_SESSION_CRASH_WATCH_HPP
#define PASTA_SESSION_CRASH_WATCH_HPP

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <memory>

namespace pasta {

/// A thread that sleeps until a fatal signal comes, runs a function, and lets the signal have its way. The function
/// runs on a healthy stack with its own heap arena, so it may allocate although the program just crashed; it gets ten
/// seconds. Signals that the program handles or ignores are left alone, also when it begins to do so later.
class crash_watch {
 public:
  /// Called once, before the program starts threads. @param last gets the signal's name; must not throw
  static void start(void (*last)(char const* signal_name)) {
    last_ = last;
    if (!start_thread()) return;
    use_own_signal_stack();
    for (int const number : watched) {
      struct sigaction now {};
      if (::sigaction(number, nullptr, &now) != 0 || (now.sa_flags & SA_SIGINFO) != 0 || now.sa_handler != SIG_DFL)
        continue;
      struct sigaction ours {};
      ours.sa_handler = &on_signal;
      ours.sa_flags = SA_ONSTACK;
      ::sigemptyset(&ours.sa_mask);
      ::sigaction(number, &ours, nullptr);
    }
  }

  /// While it lives the calling thread is not interrupted by signals that can wait; they come afterwards.
  class signals_held {
   public:
    signals_held() {
      sigset_t held;
      ::sigfillset(&held);
      for (int const fault : faults) ::sigdelset(&held, fault);
      ::pthread_sigmask(SIG_BLOCK, &held, &before_);
    }
    ~signals_held() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    signals_held(signals_held const&) = delete;
    signals_held& operator=(signals_held const&) = delete;

   private:
    sigset_t before_;
  };

  /// In a forked child: the watching thread was not copied; starts another.
  static void restart_after_fork() {
    is_ending_ = 0;
    if (last_ != nullptr) start_thread();
  }

  /// Gives the calling thread a stack for signal handlers, so that a stack overflow can be reported.
  static void use_own_signal_stack() {
    static thread_local std::unique_ptr<std::byte[]> memory;
    stack_t now{};
    if (memory || ::sigaltstack(nullptr, &now) != 0 || (now.ss_flags & SS_DISABLE) == 0) return;
    memory = std::make_unique<std::byte[]>(stack_bytes);
    stack_t own{};
    own.ss_sp = memory.get();
    own.ss_size = stack_bytes;
    ::sigaltstack(&own, nullptr);
  }

 private:
  static constexpr std::size_t stack_bytes = 64 * 1024;
  static constexpr std::array watched = {SIGHUP,  SIGINT,  SIGQUIT,   SIGILL,  SIGTRAP, SIGABRT, SIGBUS,
                                         SIGFPE,  SIGUSR1, SIGSEGV,   SIGUSR2, SIGPIPE, SIGALRM, SIGTERM,
                                         SIGXCPU, SIGXFSZ, SIGVTALRM, SIGPROF, SIGSYS};
  static constexpr std::array faults = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS};
  static constexpr int time_limit_ms = 10'000;

  static bool start_thread() {
    if (::pipe2(wake_, O_CLOEXEC) != 0 || ::pipe2(done_, O_CLOEXEC) != 0) return false;
    owner_ = ::getpid();
    pthread_attr_t attributes;
    ::pthread_attr_init(&attributes);
    ::pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    // The watcher takes no signal itself: it inherits a mask of all of them.
    sigset_t all, before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    bool const is_started = ::pthread_create(&thread, &attributes, &watch, nullptr) == 0;
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    ::pthread_attr_destroy(&attributes);
    if (!is_started) owner_ = 0;
    return is_started;
  }

  static void* watch(void*) {
    int number = 0;
    while (::read(wake_[0], &number, sizeof number) != sizeof number) {
      if (errno != EINTR) return nullptr;
    }
    is_watcher_ = true;  // what goes wrong in here must not wait for itself
    sigset_t held;       // an impatient second Ctrl-C goes to another thread, which waits
    ::sigfillset(&held);
    for (int const fault : faults) ::sigdelset(&held, fault);
    ::pthread_sigmask(SIG_SETMASK, &held, nullptr);
    char name[32] = "SIG";
    char const* const abbreviation = ::sigabbrev_np(number);
    ::strncat(name, abbreviation != nullptr ? abbreviation : "?", sizeof name - 4);
    last_(name);
    char const byte = 1;
    static_cast<void>(!::write(done_[1], &byte, 1));
    return nullptr;
  }

  static void on_signal(int number) {
    int const error = errno;
    if (is_watcher_) {
      // Ends the process, below.
    } else if (owner_ == ::getpid() && __atomic_exchange_n(&is_ending_, 1, __ATOMIC_SEQ_CST) == 0) {
      static_cast<void>(!::write(wake_[1], &number, sizeof number));
      pollfd wait{done_[0], POLLIN, 0};
      while (::poll(&wait, 1, time_limit_ms) < 0 && errno == EINTR) {
      }
    } else if (owner_ == ::getpid()) {
      // Another thread is already waiting for the last function; the process ends when it is done.
      pollfd wait{done_[0], POLLIN, 0};
      ::poll(&wait, 1, time_limit_ms);
    }
    ::signal(number, SIG_DFL);
    ::raise(number);  // delivered when this handler returns, or at the instruction that faulted
    errno = error;
  }

  inline static void (*last_)(char const*) = nullptr;
  inline static int wake_[2] = {-1, -1}, done_[2] = {-1, -1};
  inline static pid_t owner_ = 0;
  inline static int is_ending_ = 0;
  inline static constinit thread_local bool is_watcher_ = false;
};

}  // namespace pasta
#endif
