// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What pasta/annotate.h and python/pasta.py reach: strong symbols in every program of the probe route.
#ifndef PASTA_SESSION_ANNOTATIONS_HPP
#define PASTA_SESSION_ANNOTATIONS_HPP

#include <pasta/annotate.h>

#include <pasta/session/launch.hpp>

namespace pasta::detail {

inline thread_local std::uint64_t annotation_depth = 0;  // open ranges of the thread

inline void annotate(char const* name, annotation_kind kind, std::uint64_t depth) {
  session* const here = session::existing();
  if (here != nullptr) here->happened(annotation{name, kind, depth, get_nanoseconds<vendor::host>{}()});
}

}  // namespace pasta::detail

// Inline, so that every translation unit may have them, and used, so that each has.
extern "C" {
[[gnu::used]] inline void pasta_annotate_push_v1(char const* name) {
  pasta::detail::annotate(name != nullptr ? name : "", pasta::annotation_kind::push, ++pasta::detail::annotation_depth);
}
[[gnu::used]] inline void pasta_annotate_pop_v1(void) {
  if (pasta::detail::annotation_depth == 0) return;  // a pop without its push
  pasta::detail::annotate("", pasta::annotation_kind::pop, pasta::detail::annotation_depth--);
}
[[gnu::used]] inline void pasta_step_v1(void) {
  pasta::detail::annotate("", pasta::annotation_kind::step, pasta::detail::annotation_depth);
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
