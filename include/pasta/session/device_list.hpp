// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_SESSION_DEVICE_LIST_HPP
#define PASTA_SESSION_DEVICE_LIST_HPP

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <pasta/report/visible.hpp>
#include <pasta/session/comma_list.hpp>
#include <pasta/session/usage_error.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace pasta {

/// Devices by the numbers that the program knows them by (after CUDA_VISIBLE_DEVICES and the like), from 0.
struct device_list {
  std::vector<std::uint64_t> numbers;  ///< sorted; empty: all

  bool has(std::uint64_t device) const {
    return numbers.empty() || std::binary_search(numbers.begin(), numbers.end(), device);
  }
  bool is_everything() const { return numbers.empty(); }
};

/// `0,2`. @param flag whose value it is, for the message @throws usage_error
inline device_list parse_device_list(std::string_view flag, std::string_view text) {
  constexpr std::uint64_t most = 1023;
  device_list read;
  for_each_word(text, [&](std::string_view word) {
    std::uint64_t number = 0;
    auto const [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc{} || end != word.data() + word.size() || number > most) {
      throw usage_error(fmt::format("{}: '{}' is no list of devices: numbers from 0 to {}, such as 0,2", flag,
                                    visible(std::string(text)), most));
    }
    read.numbers.push_back(number);
  });
  std::sort(read.numbers.begin(), read.numbers.end());
  read.numbers.erase(std::unique(read.numbers.begin(), read.numbers.end()), read.numbers.end());
  return read;
}

}  // namespace pasta
#endif
