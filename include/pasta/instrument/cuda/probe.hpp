// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_INSTRUMENT_CUDA_PROBE_HPP
#define PASTA_INSTRUMENT_CUDA_PROBE_HPP

#include <pasta/instrument/cuda/thread_probe.hpp>
#include <pasta/instrument/gpu/probe.hpp>

#endif
