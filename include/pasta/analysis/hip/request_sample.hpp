// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_ANALYSIS_HIP_REQUEST_SAMPLE_HPP
#define PASTA_ANALYSIS_HIP_REQUEST_SAMPLE_HPP

#include <pasta/analysis/gpu/request_sample.hpp>

#endif
