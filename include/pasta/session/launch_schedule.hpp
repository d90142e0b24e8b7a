// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Which steps of a program a run looks at (`--schedule`), in torch.profiler's words: `skip_first` steps are left out,
/// then come cycles of `wait` steps that are left out, `warmup` steps in which kernels are made ready and not analysed,
/// and `active` ones. A step ends where the program calls pasta_step().
#ifndef PASTA_SESSION_LAUNCH_SCHEDULE_HPP
#define PASTA_SESSION_LAUNCH_SCHEDULE_HPP

#include <fmt/format.h>

#include <atomic>
#include <charconv>
#include <cstdint>
#include <pasta/report/visible.hpp>
#include <pasta/session/comma_list.hpp>
#include <pasta/session/usage_error.hpp>
#include <string>
#include <string_view>

namespace pasta {

enum class step_phase : std::uint8_t { wait, warmup, active };

struct launch_schedule {
  std::uint64_t skip_first = 0, wait = 0, warmup = 0;
  std::uint64_t active = 0;  ///< at least 1; 0: there is no schedule, and all steps are active
  std::uint64_t repeat = 0;  ///< cycles; 0: until the program ends

  bool is_set() const { return active > 0; }
  /// @param step the number of the step, from 0
  step_phase phase_of(std::uint64_t step) const {
    if (!is_set()) return step_phase::active;
    if (step < skip_first) return step_phase::wait;
    std::uint64_t const cycle = wait + warmup + active, behind = step - skip_first, in_cycle = behind % cycle;
    if (repeat > 0 && behind / cycle >= repeat) return step_phase::wait;
    if (in_cycle < wait) return step_phase::wait;
    return in_cycle < wait + warmup ? step_phase::warmup : step_phase::active;
  }
  bool operator==(launch_schedule const&) const = default;
};

/// `wait=1,warmup=1,active=3,repeat=2,skip_first=10`, in any order; `active` must be given, the others are 0.
/// @param flag whose value it is, for the message @throws usage_error
inline launch_schedule parse_launch_schedule(std::string_view flag, std::string_view text) {
  constexpr std::uint64_t most = 1'000'000'000;  // sums stay far from the end of the numbers
  auto const fail = [&](std::string const& why) -> usage_error {
    return usage_error(fmt::format("{}: '{}' {}: wait=1,warmup=1,active=3,repeat=2 (and skip_first=10)", flag,
                                   visible(std::string(text)), why));
  };
  launch_schedule read;
  struct part {
    std::string_view name;
    std::uint64_t* value;
    bool is_given = false;
  } parts[] = {{"wait", &read.wait},
               {"warmup", &read.warmup},
               {"active", &read.active},
               {"repeat", &read.repeat},
               {"skip_first", &read.skip_first}};
  for_each_word(text, [&](std::string_view word) {
    std::size_t const equals = word.find('=');
    part* found = nullptr;
    for (part& each : parts) {
      if (each.name == word.substr(0, equals)) found = &each;
    }
    if (found == nullptr || equals == std::string_view::npos) throw fail("is no schedule");
    if (found->is_given) throw fail(fmt::format("says {} twice", found->name));
    found->is_given = true;
    std::string_view const number = word.substr(equals + 1);
    auto const [end, error] = std::from_chars(number.data(), number.data() + number.size(), *found->value);
    if (error != std::errc{} || end != number.data() + number.size() || *found->value > most)
      throw fail(fmt::format("has no number from 0 to {} for {}", most, found->name));
  });
  if (read.active == 0) throw fail("has no active step");
  return read;
}

/// How many steps the process has ended. Each library that follows launches has its own.
class step_count {
 public:
  static void end_step() { ended_.fetch_add(1, std::memory_order_relaxed); }
  /// The number of the present step, from 0.
  static std::uint64_t current() { return ended_.load(std::memory_order_relaxed); }

 private:
  inline static std::atomic<std::uint64_t> ended_{0};
};

/// What a report says of a program that never ended a step.
inline constexpr char no_step_note[] =
    "There is a schedule, and the program never called pasta_step() (Python: pasta.step()): all its launches are of "
    "step 0.";

}  // namespace pasta
#endif
