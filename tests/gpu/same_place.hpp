// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Kernels whose accesses stand 64 and 128 lines apart: a probe on a GPU keeps what it counts for them in the same
/// registers, and must tell them apart. The lines are said, not real.
#ifndef PASTA_TESTS_GPU_SAME_PLACE_HPP
#define PASTA_TESTS_GPU_SAME_PLACE_HPP

#include <pasta/pasta.hpp>

namespace same_place {

/// Each thread loads at line 1000 in each round, at 1064 in every third, at 1128 in every fifth.
struct in_a_loop {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<int const, Probe> a,
                               pasta::traced<int, Probe> out, unsigned rounds) const {
    int sum = 0;
    for (unsigned round = 0; round < rounds; ++round) {
#line 1000
      sum += a[t.index()];
      if (round % 3 == 0) {
#line 1064
        sum += 2 * a[t.index()];
      }
      if (round % 5 == 0) {
#line 1128
        sum += 4 * a[t.index()];
      }
    }
#line 1500
    out[t.index()] = sum;
  }
};

/// Lanes load at line 2000 (those below 5), 2064 (others that are even) or 2128 (the rest), once for each of their
/// rounds: lane + 1.
struct in_branches {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<int const, Probe> a,
                               pasta::traced<int, Probe> out) const {
    int sum = 0;
    for (unsigned round = 0; round <= t.lane(); ++round) {
      if (t.lane() < 5) {
#line 2000
        sum += a[t.index()];
      } else if (t.lane() % 2 == 0) {
#line 2064
        sum += 2 * a[t.index()];
      } else {
#line 2128
        sum += 4 * a[t.index()];
      }
    }
#line 2500
    out[t.index()] = sum;
  }
};

/// Without a loop: each thread loads once at lines 3000, 3064 and 3128.
struct one_after_the_other {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<int const, Probe> a,
                               pasta::traced<int, Probe> out) const {
#line 3000
    int sum = a[t.index()];
#line 3064
    sum += 2 * a[t.index()];
#line 3128
    sum += 4 * a[t.index()];
#line 3500
    out[t.index()] = sum;
  }
};

}  // namespace same_place
#endif
