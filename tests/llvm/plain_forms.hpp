// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Which plain kernel is the form of which kernel of examples/targets.
#ifndef PASTA_TESTS_LLVM_PLAIN_FORMS_HPP
#define PASTA_TESTS_LLVM_PLAIN_FORMS_HPP

#include "csr_spmv.hpp"
#include "histogram.hpp"
#include "misaligned_copy.hpp"
#include "plain_targets.hpp"
#include "stencil.hpp"
#include "tiled_product.hpp"
#include "transpose.hpp"
#include "vector_add.hpp"

inline auto* plain_form(vector_add const&) { return &plain::vector_add; }
inline auto* plain_form(csr_spmv const&) { return &plain::csr_spmv; }
inline auto* plain_form(histogram const&) { return &plain::histogram; }
inline auto* plain_form(misaligned_copy const&) { return &plain::misaligned_copy; }
inline auto* plain_form(strided_copy const&) { return &plain::strided_copy; }
inline auto* plain_form(record_sum const&) { return &plain::record_sum; }
inline auto* plain_form(stencil const&) { return &plain::stencil; }
inline auto* plain_form(naive_transpose const&) { return &plain::naive_transpose; }
inline auto* plain_form(tiled_transpose const&) { return &plain::tiled_transpose; }
inline auto* plain_form(tiled_product const&) { return &plain::tiled_product; }

#endif
