// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_ANALYSIS_CUDA_SHADOW_UPDATE_HPP
#define PASTA_ANALYSIS_CUDA_SHADOW_UPDATE_HPP

#include <pasta/analysis/gpu/shadow_update.hpp>

#endif
