// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// A path as a field of a line of PASTA_REPORT_INDEX, where tabs and newlines are what separates fields and lines.
#ifndef PASTA_SESSION_INDEX_PATH_HPP
#define PASTA_SESSION_INDEX_PATH_HPP

#include <cstddef>
#include <string>
#include <string_view>

namespace pasta {

/// "a<TAB>b%" becomes "a%09b%25"; other bytes stand for themselves.
inline std::string to_index_path(std::string_view path) {
  std::string escaped;
  for (char const letter : path) {
    switch (letter) {
      case '\t':
        escaped += "%09";
        break;
      case '\n':
        escaped += "%0A";
        break;
      case '%':
        escaped += "%25";
        break;
      default:
        escaped += letter;
    }
  }
  return escaped;
}

/// The path that to_index_path made the field from; any other % stands for itself.
inline std::string from_index_path(std::string_view field) {
  std::string path;
  for (std::size_t i = 0; i < field.size(); ++i) {
    std::string_view const code = field.substr(i, 3);
    char const letter = code == "%09" ? '\t' : code == "%0A" ? '\n' : code == "%25" ? '%' : '\0';
    path += letter != '\0' ? letter : field[i];
    if (letter != '\0') i += 2;
  }
  return path;
}

}  // namespace pasta
#endif
