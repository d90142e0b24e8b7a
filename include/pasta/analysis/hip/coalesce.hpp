// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_ANALYSIS_HIP_COALESCE_HPP
#define PASTA_ANALYSIS_HIP_COALESCE_HPP

#include <pasta/analysis/gpu/coalesce.hpp>

#endif
