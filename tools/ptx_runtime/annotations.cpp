// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// What pasta/annotate.h and python/pasta.py call in this library, which PASTA_ANNOTATIONS names. They may load it
// before the driver does.
#include <pasta/annotate.h>

#include <pasta/session/annotated_range.hpp>

#include "run.hpp"

#define PASTA_DETAIL_EXPORTED __attribute__((visibility("default")))

// NOLINTBEGIN(readability-identifier-naming): names of the interface
extern "C" {
PASTA_DETAIL_EXPORTED void pasta_annotate_push_v1(char const* name) { pasta::open_range(name != nullptr ? name : ""); }
PASTA_DETAIL_EXPORTED void pasta_annotate_pop_v1(void) { pasta::close_range(); }
PASTA_DETAIL_EXPORTED void pasta_step_v1(void) {
  pasta::step_count::end_step();
  if (auto* const guest = pasta::ptx::run::guest()) guest->end_step();
}
PASTA_DETAIL_EXPORTED void pasta_start_v1(void) {
  pasta::ptx::collector::go_on();
  if (auto* const guest = pasta::ptx::run::guest()) guest->go_on();
}
PASTA_DETAIL_EXPORTED void pasta_stop_v1(void) {
  pasta::ptx::collector::stop();
  if (auto* const guest = pasta::ptx::run::guest()) guest->stop();
}
PASTA_DETAIL_EXPORTED int pasta_is_attached_v1(void) {
  pasta::ptx::run const* const here = pasta::ptx::run::existing();
  return here != nullptr && !here->is_over() ? 1 : 0;
}
}
// NOLINTEND(readability-identifier-naming)
