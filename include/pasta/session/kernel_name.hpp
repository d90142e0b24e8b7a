// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_SESSION_KERNEL_NAME_HPP
#define PASTA_SESSION_KERNEL_NAME_HPP

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <typeinfo>

namespace pasta::detail {

// What reports call a kernel: its member `name`, or its type.
template <class Kernel>
std::string kernel_name(Kernel const& kernel) {
  if constexpr (requires { std::string(kernel.name); }) {
    return std::string(kernel.name);
  } else {
    static std::string const name = [] {  // once for each kernel, not for each launch
      int status = 0;
      std::unique_ptr<char, void (*)(void*)> const text(
          abi::__cxa_demangle(typeid(Kernel).name(), nullptr, nullptr, &status), std::free);
      return std::string(status == 0 && text ? text.get() : typeid(Kernel).name());
    }();
    return name;
  }
}

}  // namespace pasta::detail
#endif
