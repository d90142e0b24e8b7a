// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// All that the author of a tool or of a kernel needs.
#ifndef PASTA_PASTA_HPP
#define PASTA_PASTA_HPP

#include <pasta/analysis/bitmap.hpp>
#include <pasta/analysis/bloom_filter.hpp>
#include <pasta/analysis/coalesce.hpp>
#include <pasta/analysis/common_value.hpp>
#include <pasta/analysis/count.hpp>
#include <pasta/analysis/count_distinct.hpp>
#include <pasta/analysis/distinct_estimate.hpp>
#include <pasta/analysis/earliest.hpp>
#include <pasta/analysis/histogram.hpp>
#include <pasta/analysis/max.hpp>
#include <pasta/analysis/min.hpp>
#include <pasta/analysis/request_pattern.hpp>
#include <pasta/analysis/request_sample.hpp>
#include <pasta/analysis/shadow_bits.hpp>
#include <pasta/analysis/sort.hpp>
#include <pasta/analysis/top_k.hpp>
#include <pasta/analysis/touched_memory.hpp>
#include <pasta/report/report.hpp>
#include <pasta/session/annotations.hpp>
#include <pasta/session/buffer.hpp>
#include <pasta/session/launch.hpp>
#include <pasta/session/tool_module.hpp>

#endif
