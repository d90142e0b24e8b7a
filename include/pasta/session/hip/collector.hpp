// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_SESSION_HIP_COLLECTOR_HPP
#define PASTA_SESSION_HIP_COLLECTOR_HPP

#include <pasta/session/gpu/collector.hpp>
#include <pasta/session/hip/executor.hpp>

#endif
