// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// A kernel on a probe with MFMA instructions.
#include <pasta/pasta.hpp>

struct product {
  using halves = _Float16 __attribute__((ext_vector_type(4)));
  using sums = float __attribute__((ext_vector_type(16)));

  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<float, Probe> c, int steps) const {
    halves const a{1, 2, 3, 4}, b{1, 1, 1, 1};
    sums d{};
    PASTA_NO_UNROLL
    for (int i = 0; i < steps; ++i) {
      t.matrix_operation({32, 32, 8, pasta::element_type::f16, pasta::element_type::f32});
#if defined(__HIP_DEVICE_COMPILE__)
      d = __builtin_amdgcn_mfma_f32_32x32x8f16(a, b, d, 0, 0, 0);
#endif
    }
    static_cast<void>(a), static_cast<void>(b);
    c[t.index()] = d[0];
  }
};

int main() {
  pasta::buffer<float> c(64);
  pasta::launch(product{}, {1, 64}, c, 3);
}
