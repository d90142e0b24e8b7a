// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_SESSION_ANNOTATED_RANGE_HPP
#define PASTA_SESSION_ANNOTATED_RANGE_HPP

#include <cstddef>
#include <string>
#include <vector>

namespace pasta {

namespace detail {
// The calling thread's open ranges: their names joined by '/', and where each begins.
struct open_ranges {
  std::string path;
  std::vector<std::size_t> begins;
};
inline open_ranges& ranges_of_this_thread() {
  static thread_local open_ranges ranges;
  return ranges;
}
}  // namespace detail

/// The annotated ranges that are open on the calling thread, outermost first, joined by '/'; "" if there is none.
inline std::string const& current_range() { return detail::ranges_of_this_thread().path; }

/// Opens a range on the calling thread. @return how many are open now
inline std::size_t open_range(char const* name) {
  detail::open_ranges& ranges = detail::ranges_of_this_thread();
  ranges.begins.push_back(ranges.path.size());
  if (ranges.begins.size() > 1) ranges.path += '/';
  ranges.path += name;
  return ranges.begins.size();
}

/// Closes the innermost range. @return how many were open before; 0 if none was
inline std::size_t close_range() {
  detail::open_ranges& ranges = detail::ranges_of_this_thread();
  std::size_t const depth = ranges.begins.size();
  if (depth > 0) {
    ranges.path.resize(ranges.begins.back());
    ranges.begins.pop_back();
  }
  return depth;
}

}  // namespace pasta
#endif
