// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// expect: a traced element is trivially copyable
#include <pasta/pasta.hpp>

struct set_names {
  template <class Probe>
  void operator()(pasta::thread<Probe>& t, pasta::traced<std::string, Probe> names) const {
    names[t.index()] = "a";
  }
};

void run(std::string* names) { pasta::launch(set_names{}, {4, 64}, names); }
