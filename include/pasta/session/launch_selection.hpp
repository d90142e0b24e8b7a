// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Which kernels and launches of a program a run looks at: `--kernels`, `--exclude`, `--devices`, `--launches`,
/// `--schedule`. What is not chosen runs as without a tool, and counts as left out.
#ifndef PASTA_SESSION_LAUNCH_SELECTION_HPP
#define PASTA_SESSION_LAUNCH_SELECTION_HPP

#include <fmt/format.h>
#include <regex.h>

#include <charconv>
#include <cstdint>
#include <limits>
#include <memory>
#include <pasta/report/visible.hpp>
#include <pasta/session/device_list.hpp>
#include <pasta/session/launch_schedule.hpp>
#include <pasta/session/space_set.hpp>
#include <pasta/session/usage_error.hpp>
#include <string>
#include <string_view>

namespace pasta {

/// A POSIX extended regular expression, as `grep -E` has them. The C library's: names of kernels have thousands of
/// letters, and it needs no stack for each.
class name_pattern {
 public:
  /// @param flag whose value it is, for the message @throws usage_error
  name_pattern(std::string_view flag, std::string const& text) {
    int const error = ::regcomp(&compiled_, text.c_str(), REG_EXTENDED | REG_NOSUB);
    if (error == 0) return;
    char why[256] = "";
    ::regerror(error, &compiled_, why, sizeof why);
    throw usage_error(fmt::format("{}: '{}' is not a regular expression: {}", flag, visible(text), why));
  }
  ~name_pattern() { ::regfree(&compiled_); }
  name_pattern(name_pattern const&) = delete;
  name_pattern& operator=(name_pattern const&) = delete;

  /// Whether it matches anywhere in the name. Any thread.
  bool is_in(std::string const& name) const { return ::regexec(&compiled_, name.c_str(), 0, nullptr, 0) == 0; }

 private:
  regex_t compiled_{};
};

/// Launches by number, from 0.
struct launch_range {
  std::uint64_t first = 0, last = std::numeric_limits<std::uint64_t>::max(), step = 1;

  bool has(std::uint64_t number) const { return number >= first && number <= last && (number - first) % step == 0; }
  bool is_everything() const { return *this == launch_range{}; }
  bool operator==(launch_range const&) const = default;
};

/// `FIRST:LAST[:STEP]`, both included; `5` is one launch, a FIRST or LAST left out is the program's.
/// @param flag whose value it is, for the message @throws usage_error
inline launch_range parse_launch_range(std::string_view flag, std::string_view text) {
  auto const fail = [&](char const* why) -> usage_error {
    return usage_error(fmt::format("{}: '{}' {}: FIRST:LAST[:STEP], such as 10:20, 100: or 0::50", flag,
                                   visible(std::string(text)), why));
  };
  std::uint64_t numbers[3] = {0, launch_range{}.last, 1};
  std::string_view rest = text;
  int given = 0;
  for (bool goes_on = true; goes_on; ++given) {
    if (given == 3) throw fail("has more than three numbers");
    std::size_t const colon = rest.find(':');
    std::string_view const part = rest.substr(0, colon);
    goes_on = colon != std::string_view::npos;
    if (goes_on) rest.remove_prefix(colon + 1);
    if (part.empty()) continue;
    auto const [end, error] = std::from_chars(part.data(), part.data() + part.size(), numbers[given]);
    if (error != std::errc{} || end != part.data() + part.size()) throw fail("is no range of launches");
  }
  if (text.empty()) throw fail("is no range of launches");
  if (given == 1) numbers[1] = numbers[0];
  if (numbers[1] < numbers[0]) throw fail("ends before it begins");
  if (numbers[2] == 0) throw fail("has a step of 0");
  return {numbers[0], numbers[1], numbers[2]};
}

struct launch_selection {
  std::shared_ptr<name_pattern const> kernels, exclude;  ///< null: all kernels; none
  device_list devices;
  launch_range launches;
  launch_schedule schedule;
  space_set spaces;  ///< of accesses; the patch route alone asks

  /// @param name demangled
  bool has_kernel(std::string const& name) const {
    return (!kernels || kernels->is_in(name)) && !(exclude && exclude->is_in(name));
  }
  /// Whether the present step's launch of this number is one to be analysed. Any thread.
  bool has_launch(std::uint64_t number) const {
    return launches.has(number) && schedule.phase_of(step_count::current()) == step_phase::active;
  }
  /// Whether kernels are to be made ready that are launched now, although these launches are left out.
  bool is_warming_up() const { return schedule.phase_of(step_count::current()) == step_phase::warmup; }
  bool is_everything() const {
    return !kernels && !exclude && devices.is_everything() && launches.is_everything() && !schedule.is_set();
  }
};

}  // namespace pasta
#endif
