// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// A program that says what it is doing, and which part is to be analysed. pasta/annotate.h is plain C with nothing to
// link: in a program without PASTA, or without a tool, its functions do nothing.
#include <pasta/annotate.h>

#include <cstdio>
#include <pasta/pasta.hpp>

struct scale {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<float, Probe> a) const {
    a[t.index()] *= 2;
  }
};

int main() {
  pasta::buffer<float> a(256);
  a.set_bytes(0);

  pasta_stop();  // warming up is of no interest
  for (int step = 0; step < 10; ++step) {
    if (step == 7) pasta_start();  // from here on launches are analysed
    pasta_annotate_push("scale");  // a range, for tools that look at ranges; ranges nest
    pasta::launch(scale{}, {1, 256}, a);
    pasta_annotate_pop();
    pasta_step();  // the end of a step
  }

  std::puts(pasta_is_attached() ? "attached: 3 of 10 launches were analysed" : "no tool is attached");
}
