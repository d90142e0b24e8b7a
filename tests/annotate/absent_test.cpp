// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0

// A program without PASTA: linked with nothing that defines the symbols.
#include <dlfcn.h>

#include <pasta/annotate.h>

#include "annotate_user.h"
#include "catch.hpp"

TEST_CASE("without PASTA every call from C does nothing") { CHECK(annotate_from_c() == 0); }

TEST_CASE("without PASTA every call from C++ does nothing") { CHECK(annotate_from_cpp() == 0); }

TEST_CASE("the header defines no symbol that PASTA would be found by") {
  for (char const* name : {"pasta_annotate_push_v1", "pasta_annotate_pop_v1", "pasta_step_v1", "pasta_start_v1",
                           "pasta_stop_v1", "pasta_is_attached_v1"}) {
    CAPTURE(name);
    CHECK(dlsym(RTLD_DEFAULT, name) == nullptr);
  }
}

TEST_CASE("a pop without a push does nothing") {
  pasta_annotate_pop();
  CHECK(pasta_is_attached() == 0);
}
