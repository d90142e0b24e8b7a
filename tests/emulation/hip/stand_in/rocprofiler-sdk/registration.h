// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// In place of rocprofiler-sdk's header of this name: what a library says of itself. Names and types are AMD's; only
// what vendor/hip/rocprofiler.hpp uses is here.
#ifndef PASTA_STAND_IN_ROCPROFILER_REGISTRATION_H
#define PASTA_STAND_IN_ROCPROFILER_REGISTRATION_H

#include <cstddef>
#include <cstdint>

extern "C" {

struct rocprofiler_client_id_t {
  char const* name;
  std::uint32_t const handle;
};
using rocprofiler_client_finalize_t = void (*)(rocprofiler_client_id_t);
struct rocprofiler_tool_configure_result_t {
  std::size_t size;
  int (*initialize)(rocprofiler_client_finalize_t, void*);
  void (*finalize)(void*);
  void* tool_data;
};

/// Defined by a library that wants to be called; looked for by rocprofiler-sdk in all libraries of the process.
__attribute__((visibility("default"))) rocprofiler_tool_configure_result_t* rocprofiler_configure(
    std::uint32_t version, char const* runtime_version, std::uint32_t priority, rocprofiler_client_id_t* client_id);
}

#endif
