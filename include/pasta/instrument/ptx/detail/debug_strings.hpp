// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_INSTRUMENT_PTX_DETAIL_DEBUG_STRINGS_HPP
#define PASTA_INSTRUMENT_PTX_DETAIL_DEBUG_STRINGS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <pasta/instrument/ptx/detail/parse_declaration.hpp>
#include <pasta/instrument/ptx/token.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pasta::ptx::detail {

/// The names in `.section .debug_str { $L__info_string0: .b8 102, 0 }`.
class debug_strings {
 public:
  /// @param section a statement of kind section; one with another name adds nothing.
  void add(std::string_view section);
  /// To be called once, behind the last add().
  std::shared_ptr<std::string const> finish();
  /// The name at a label; empty if there is none. Only behind finish().
  std::string_view find(std::string_view label, std::uint64_t offset) const;

 private:
  std::string bytes_;
  std::map<std::string_view, std::size_t> labels_;
  std::shared_ptr<std::string const> finished_;
  std::vector<std::size_t> ends_;  // the NULs of finished_
};

inline void debug_strings::add(std::string_view section) {
  token_reader reader(section);
  reader.next();  // `.section`
  token const name = reader.next();
  if (!name.is(".debug_str") || !reader.next().is('{')) return;
  labels_.emplace(name.text, bytes_.size());
  std::uint64_t width = 1;  // of a number [bytes]
  for (token t = reader.next(); t.kind != token_kind::end; t = reader.next()) {
    if (t.kind == token_kind::number) {
      std::uint64_t value = integer_of(t.text);
      for (std::uint64_t i = 0; i < width; ++i, value >>= 8U) bytes_ += static_cast<char>(value & 0xffU);
    } else if (t.is_directive()) {
      width = std::min<std::uint64_t>(size_of_type(t.text), 8);
    } else if (t.kind == token_kind::word && reader.peek().is(':')) {
      labels_.emplace(t.text, bytes_.size());
    }
  }
}

inline std::shared_ptr<std::string const> debug_strings::finish() {
  finished_ = std::make_shared<std::string const>(std::move(bytes_));
  for (std::size_t i = finished_->find('\0'); i != std::string::npos; i = finished_->find('\0', i + 1))
    ends_.push_back(i);
  return finished_;
}

inline std::string_view debug_strings::find(std::string_view label, std::uint64_t offset) const {
  auto const found = labels_.find(label);
  if (found == labels_.end() || offset > finished_->size() - found->second) return {};
  std::size_t const begin = found->second + static_cast<std::size_t>(offset);
  // Not a search for the NUL: a long text without one would be searched again for each name.
  auto const end = std::lower_bound(ends_.begin(), ends_.end(), begin);
  return std::string_view(*finished_).substr(begin, (end == ends_.end() ? finished_->size() : *end) - begin);
}

}  // namespace pasta::ptx::detail
#endif
