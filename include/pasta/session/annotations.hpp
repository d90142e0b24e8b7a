// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What pasta/annotate.h and python/pasta.py reach: strong symbols in every program of the probe route.
#ifndef PASTA_SESSION_ANNOTATIONS_HPP
#define PASTA_SESSION_ANNOTATIONS_HPP

#include <pasta/annotate.h>

#include <pasta/session/launch.hpp>

namespace pasta::detail {

inline void annotate(char const* name, annotation_kind kind, std::uint64_t depth) {
  session* const here = session::existing();
  if (here != nullptr) here->happened(annotation{name, kind, depth, get_nanoseconds<vendor::host>{}()});
}

}  // namespace pasta::detail

// Inline, so that every translation unit may have them, and used, so that each has.
extern "C" {
[[gnu::used]] inline void pasta_annotate_push_v1(char const* name) {
  char const* const known = name != nullptr ? name : "";
  pasta::detail::annotate(known, pasta::annotation_kind::push, pasta::open_range(known));
}
[[gnu::used]] inline void pasta_annotate_pop_v1(void) {
  std::size_t const depth = pasta::close_range();
  if (depth > 0) pasta::detail::annotate("", pasta::annotation_kind::pop, depth);  // else a pop without its push
}
[[gnu::used]] inline void pasta_step_v1(void) {
  pasta::step_count::end_step();
  pasta::detail::annotate("", pasta::annotation_kind::step, pasta::detail::ranges_of_this_thread().begins.size());
}
[[gnu::used]] inline void pasta_start_v1(void) {
  if (pasta::session* const here = pasta::session::existing()) here->start();
}
[[gnu::used]] inline void pasta_stop_v1(void) {
  if (pasta::session* const here = pasta::session::existing()) here->stop();
}
[[gnu::used]] inline int pasta_is_attached_v1(void) {
  pasta::session* const here = pasta::session::existing();
  return here != nullptr && here->is_attached() ? 1 : 0;
}
}
#endif
