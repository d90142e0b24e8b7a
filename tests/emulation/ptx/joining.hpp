// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// What makes one value of two, for atomic operations, exchanges of lanes, and bits.
#ifndef PASTA_TESTS_EMULATION_PTX_JOINING_HPP
#define PASTA_TESTS_EMULATION_PTX_JOINING_HPP

#include <algorithm>

namespace ptx_emulation {

struct least {
  template <class T>
  T operator()(T a, T b) const {
    return std::min(a, b);
  }
};
struct most {
  template <class T>
  T operator()(T a, T b) const {
    return std::max(a, b);
  }
};
struct both {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a & b);
  }
};
struct either {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a | b);
  }
};
struct different {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a ^ b);
  }
};

}  // namespace ptx_emulation
#endif
