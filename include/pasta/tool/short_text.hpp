// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOL_SHORT_TEXT_HPP
#define PASTA_TOOL_SHORT_TEXT_HPP

#include <pasta/config.hpp>
#include <string_view>

namespace pasta {

/// A text of an option, for report() alone: up to 255 bytes, kept in the object, since options are copied to GPUs.
class short_text {
 public:
  static constexpr std::size_t max_bytes = 255;

  constexpr short_text() = default;
  /// What is beyond max_bytes is left out.
  constexpr explicit short_text(std::string_view text)
      : size_bytes_(static_cast<std::uint8_t>(text.size() < max_bytes ? text.size() : max_bytes)) {
    for (std::size_t i = 0; i < size_bytes_; ++i) letters_[i] = text[i];
  }
  constexpr std::string_view view() const { return {letters_, size_bytes_}; }
  constexpr bool is_empty() const { return size_bytes_ == 0; }

  friend constexpr bool operator==(short_text const& a, short_text const& b) { return a.view() == b.view(); }

 private:
  std::uint8_t size_bytes_ = 0;
  char letters_[max_bytes] = {};
};

}  // namespace pasta
#endif
