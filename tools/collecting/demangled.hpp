// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_COLLECTING_DEMANGLED_HPP
#define PASTA_TOOLS_COLLECTING_DEMANGLED_HPP

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <string>

namespace pasta::collecting {

/// "fill(int*)" for "_Z4fillPi"; a name that is not mangled as it is.
inline std::string demangled(std::string const& name) {
  int status = 0;
  std::unique_ptr<char, void (*)(void*)> const text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                    std::free);
  return status == 0 && text ? text.get() : name;
}

}  // namespace pasta::collecting
#endif
