// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_INSTRUMENT_LLVM_PLAIN_KERNEL_HPP
#define PASTA_INSTRUMENT_LLVM_PLAIN_KERNEL_HPP

#include <atomic>
#include <pasta/instrument/llvm/kernel_registry.hpp>
#include <pasta/instrument/thread.hpp>

namespace pasta {

namespace detail {
template <class T, class Probe>
T* to_plain(traced<T, Probe> const& array) {
  return array.raw();
}
template <class T>
T const& to_plain(T const& value) {
  return value;
}
template <class Argument>
using plain_t = decltype(to_plain(std::declval<Argument const&>()));
}  // namespace detail

/// A function that knows nothing of probes, as a kernel for pasta::launch. Under a tool what the pass plugin made of it
/// is called; if there is none, the function itself, which brings no accesses.
template <class... Parameters>
class plain_kernel {
 public:
  using function = void (*)(Parameters...);

  explicit plain_kernel(function code)
      : name(llvm_route::kernel_registry::instance().name(reinterpret_cast<void const*>(code))), code_(code) {
    if (name.empty()) name = "(a kernel without the llvm route)";
  }

  template <class Probe, class... Arguments>
  requires std::is_invocable_v<function, detail::plain_t<Arguments>...>
  void operator()(thread<Probe>&, Arguments const&... arguments) const {
    if constexpr (Probe::is_active) {
      instrumented<typename Probe::tools>()(static_cast<Parameters>(detail::to_plain(arguments))...);
    } else {
      code_(static_cast<Parameters>(detail::to_plain(arguments))...);
    }
  }

  std::string name;  ///< as reports have it

 private:
  // A kernel object is of one launch, and that of one run: what the first lane finds is right for all.
  template <class Tools>
  function instrumented() const {
    function known = found_.load(std::memory_order_relaxed);
    if (known == nullptr) {
      void const* const made = llvm_route::kernel_registry::instance().find(reinterpret_cast<void const*>(code_),
                                                                            &llvm_route::tools_key<Tools>);
      known = made == nullptr ? code_ : reinterpret_cast<function>(const_cast<void*>(made));
      found_.store(known, std::memory_order_relaxed);
    }
    return known;
  }

  function code_;
  mutable std::atomic<function> found_{nullptr};
};

}  // namespace pasta
#endif
