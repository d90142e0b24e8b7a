// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_INSTRUMENT_HIP_PROBE_HPP
#define PASTA_INSTRUMENT_HIP_PROBE_HPP

#include <pasta/instrument/gpu/probe.hpp>
#include <pasta/instrument/gpu/thread_probe.hpp>

#endif
