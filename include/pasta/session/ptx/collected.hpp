// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What the ptx route collected, without any tool's types: the collector makes it, a tool's shared library reads it.
#ifndef PASTA_SESSION_PTX_COLLECTED_HPP
#define PASTA_SESSION_PTX_COLLECTED_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <pasta/analysis/touched_memory.hpp>
#include <pasta/instrument/site.hpp>
#include <pasta/report/model.hpp>
#include <pasta/session/block_tally.hpp>
#include <string>
#include <utility>
#include <vector>

namespace pasta::ptx {

/// A row's bytes in a copy of a GPU's memory: one in each shard, and one that all shards share. Views the copy.
struct row_bytes {
  std::byte const* first_shard = nullptr;
  std::size_t shard_stride = 0;  ///< from one shard's to the next [bytes]
  std::uint32_t shard_count = 0;
  std::byte const* shared = nullptr;
  std::uint32_t shard_bytes = 0, shared_bytes = 0;  ///< of the row in each
};

/// Requests of whole warps, lane after lane, that began so far behind the begin of 32 bytes.
struct requests_in_order {
  std::uint32_t first_byte = 0;
  std::uint64_t count = 0;
};

/// A place in the source that a site's place is inlined in.
struct inlined_at {
  std::string file;
  std::uint32_t line = 0, column = 0;
  std::string function;  ///< that was inlined there, demangled
};

/// One access of a site in one function.
struct collected_site {
  site_info where;                          ///< innermost place that is not a library's
  std::vector<inlined_at> callers;          ///< from the innermost outwards
  bool is_size_known = true;                ///< else where.size_bytes is 0
  std::string opcode;                       ///< as PTX spells it
  std::optional<std::uint64_t> executions;  ///< by its counter [lanes]; empty: it has none
  std::vector<row_bytes> rows;              ///< of the tool
  std::vector<requests_in_order> in_order;  ///< that are in no row
  std::uint32_t part = 0;                   ///< of a sample
  std::vector<double> part_executions;      ///< in each part of a sample; empty: all are of `part`
  std::string unhandled;                    ///< why it does not reach a handler that wants it; empty: it does
};

/// A kernel, or a function that kernels call.
struct collected_kernel {
  std::string name;                     ///< demangled
  std::string range;                    ///< the annotated ranges that its launches were in; "" outside of any
  std::optional<std::uint64_t> launch;  ///< the number of the one launch that it is; empty: of several
  dim3 grid, block;                     ///< of the first launch
  bool has_one_shape = true;
  std::uint64_t shared_bytes = 0;
  loss losses;                          ///< but for the events
  std::optional<sample_count> sampled;  ///< where launches or blocks are sampled
  double block_rate = 1;
  std::vector<collected_site> sites;
  std::vector<row_bytes> function_rows;
  touched_memory touched;  ///< of a tool with shadow bits
  std::string route;       ///< that saw it, where a report has several
};

/// Everything that one tool may report.
struct collected {
  std::vector<collected_kernel> kernels;  ///< in order of first launch
};

}  // namespace pasta::ptx
#endif
