// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// The probe route: kernels are templates on a probe, which says what becomes of each traced operation.
#ifndef PASTA_INSTRUMENT_PROBE_HPP
#define PASTA_INSTRUMENT_PROBE_HPP

#include <pasta/instrument/no_probe.hpp>
#include <pasta/vendor/current.hpp>

// probe<ToolOrPack>, the probe of a run with tools.
#include PASTA_INSTRUMENT_OF_VENDOR(probe)

#endif
