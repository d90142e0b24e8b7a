// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// A library for LD_PRELOAD that says on stderr what the hooks saw: of vendor/hip/interpose.hpp, or of rocprofiler.hpp.
#include <cstdio>
#include PASTA_HIP_CAPTURE_HEADER

namespace {

struct printing_sink final : pasta::event_sink {
  void launch_seen(pasta::dim3 grid, pasta::dim3 block) noexcept override {
    std::fprintf(stderr, "launch %u,%u,%u %u,%u,%u\n", grid.x, grid.y, grid.z, block.x, block.y, block.z);
  }
  void memory_seen(void* pointer, std::size_t bytes) noexcept override {
    static void* first = nullptr;
    if (first == nullptr) first = pointer;
    std::fprintf(stderr, "memory %s %zu\n", pointer == first ? "first" : "other", bytes);
  }
};
printing_sink sink;
[[maybe_unused]] bool const is_installed = (pasta::install_sink(&sink), true);

}  // namespace
