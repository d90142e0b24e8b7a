// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// expect: n_of_a_matrix_shape_is_1_2_4_or_a_multiple_of_8_up_to_256
#include <pasta/instrument/matrix_shape.hpp>

constexpr pasta::matrix_shape shape(64, 264, 16, pasta::element_type::f16, pasta::element_type::f32);
