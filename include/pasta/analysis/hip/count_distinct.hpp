// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_ANALYSIS_HIP_COUNT_DISTINCT_HPP
#define PASTA_ANALYSIS_HIP_COUNT_DISTINCT_HPP

#include <pasta/analysis/gpu/count_distinct.hpp>

#endif
