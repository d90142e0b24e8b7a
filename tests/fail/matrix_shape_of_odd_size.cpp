// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// expect: m_and_k_of_a_matrix_shape_are_powers_of_two_up_to_128_and_32768
#include <pasta/pasta.hpp>

struct product {
  template <class Probe>
  void operator()(pasta::thread<Probe>& t) const {
    t.matrix_operation({24, 8, 16, pasta::element_type::f16, pasta::element_type::f32});
  }
};
void run() { pasta::launch(product{}, {1, 32}); }
