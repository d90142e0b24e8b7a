// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include PASTA_HIP_CAPTURE_HEADER

namespace {
struct printer final : pasta::event_sink {
  void launch_seen(pasta::dim3 grid, pasta::dim3 block) noexcept override {
    std::fprintf(stderr, "launch of %u blocks of %u\n", grid.x, block.x);
  }
  void memory_seen(void*, std::size_t bytes) noexcept override { std::fprintf(stderr, "memory of %zu\n", bytes); }
};
printer sink;
[[maybe_unused]] pasta::event_sink* const before = pasta::install_sink(&sink);
}  // namespace
