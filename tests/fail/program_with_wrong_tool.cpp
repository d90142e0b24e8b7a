// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// expect: this tool lists pasta::memory_access in its events but has no handler; add: PASTA_DEVICE static void
//   on_memory_access(pasta::context<YourTool>& at, pasta::memory_access const& event)
#define PASTA_PROBE_TOOLS_HEADER "program_with_wrong_tool.hpp"
#include <pasta/pasta.hpp>

struct fill {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<float, Probe> array, std::size_t count) const {
    if (t.index() < count) array[t.index()] = 1.0f;
  }
};

void run(float* array) { pasta::launch(fill{}, {4, 64}, array, std::size_t{200}); }
