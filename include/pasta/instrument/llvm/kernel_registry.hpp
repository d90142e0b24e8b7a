// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_INSTRUMENT_LLVM_KERNEL_REGISTRY_HPP
#define PASTA_INSTRUMENT_LLVM_KERNEL_REGISTRY_HPP

#include <cxxabi.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>

namespace pasta::llvm_route {

/// Stands for a run's tools where their types are not known.
template <class List>
inline constexpr char tools_key = 0;

/// The kernels of this program that the pass plugin instrumented: a function beside the original for each run's tools.
/// Any thread.
class kernel_registry {
 public:
  static kernel_registry& instance() {
    static auto* const one = new kernel_registry;  // kernels may be launched until the very end
    return *one;
  }

  /// Called before main by code that the plugin made, for each kernel and each run's tools.
  /// @param tools a tools_key
  /// @param name the original's symbol
  void add(void const* original, void const* tools, void const* instrumented, char const* name) {
    // clang 15 for HIP crashes where it first asks this while it defines another class; what it has found it knows.
    static_assert(!std::is_copy_assignable_v<std::pair<void const* const, entry>>);
    std::lock_guard const lock(mutex_);
    entry& kernel = kernels_[original];
    if (kernel.name.empty()) kernel.name = readable(name);
    kernel.instrumented.try_emplace(tools, instrumented);  // an inline function's may come from several files
  }

  /// The function to call instead of the original; null if it was not compiled with these tools.
  void const* find(void const* original, void const* tools) const {
    std::lock_guard const lock(mutex_);
    auto const kernel = kernels_.find(original);
    if (kernel == kernels_.end()) return nullptr;
    auto const found = kernel->second.instrumented.find(tools);
    return found == kernel->second.instrumented.end() ? nullptr : found->second;
  }

  /// What reports call the kernel: `ns::scale<float>`. @return "" for one that was not instrumented
  std::string name(void const* original) const {
    std::lock_guard const lock(mutex_);
    auto const kernel = kernels_.find(original);
    return kernel == kernels_.end() ? "" : kernel->second.name;
  }

 private:
  struct entry {
    std::string name;
    std::map<void const*, void const*> instrumented;  // [tools]
  };

  // "void scale<float>(float*, int)" without what it returns and takes.
  static std::string readable(char const* symbol) {
    int status = 0;
    std::unique_ptr<char, void (*)(void*)> const demangled(abi::__cxa_demangle(symbol, nullptr, nullptr, &status),
                                                           std::free);
    std::string text = status == 0 && demangled ? demangled.get() : symbol;
    std::size_t depth = 0, begin = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      char const letter = text[i];
      bool const is_anonymous = text.compare(i, 21, "(anonymous namespace)") == 0;
      if (is_anonymous) {
        i += 20;
        continue;
      }
      if (letter == '(' && depth == 0) return text.substr(begin, i - begin);
      if (letter == '<' || letter == '(') ++depth;
      if (letter == '>' || letter == ')') --depth;
      if (letter == ' ' && depth == 0) begin = i + 1;
    }
    return text.substr(begin);
  }

  mutable std::mutex mutex_;
  std::map<void const*, entry> kernels_;  // [original]
};

}  // namespace pasta::llvm_route
#endif
