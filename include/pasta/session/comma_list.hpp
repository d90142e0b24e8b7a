// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_SESSION_COMMA_LIST_HPP
#define PASTA_SESSION_COMMA_LIST_HPP

#include <string_view>

namespace pasta {

/// Calls f(word) for each word between commas; one that is empty for no text, and behind a comma at the end.
template <class Function>
void for_each_word(std::string_view text, Function&& f) {
  for (bool goes_on = true; goes_on;) {
    std::size_t const comma = text.find(',');
    f(text.substr(0, comma));
    goes_on = comma != std::string_view::npos;
    if (goes_on) text.remove_prefix(comma + 1);
  }
}

}  // namespace pasta
#endif
