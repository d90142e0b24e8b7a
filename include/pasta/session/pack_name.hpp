// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_SESSION_PACK_NAME_HPP
#define PASTA_SESSION_PACK_NAME_HPP

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pasta {

/// The names in a list like "a+b", in its order; names may be empty. @param separators each stands between two names
inline std::vector<std::string> split_names(std::string_view list, std::string_view separators) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin <= list.size();) {
    std::size_t const end = std::min(list.find_first_of(separators, begin), list.size());
    names.emplace_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

/// The tools of a pack "b+a" in order of their names: a+b and b+a are the same pack.
inline std::vector<std::string> tools_of_pack(std::string_view pack) {
  std::vector<std::string> names = split_names(pack, "+");
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace pasta
#endif
