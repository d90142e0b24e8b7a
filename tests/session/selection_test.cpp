// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <pasta/session/launch_selection.hpp>
#include <string>

#include "catch.hpp"

using namespace pasta;

namespace {

std::string phases(launch_schedule const& schedule, int steps) {
  std::string text;
  for (int step = 0; step < steps; ++step) {
    step_phase const phase = schedule.phase_of(static_cast<std::uint64_t>(step));
    text += phase == step_phase::wait ? '.' : phase == step_phase::warmup ? 'w' : 'A';
  }
  return text;
}

std::string message_of(char const* text) {
  try {
    parse_launch_schedule("--schedule", text);
  } catch (usage_error const& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a schedule has the phases that torch.profiler's has") {
  CHECK(phases(parse_launch_schedule("--schedule", "wait=1,warmup=1,active=3,repeat=2"), 13) == ".wAAA.wAAA...");
  CHECK(phases(parse_launch_schedule("--schedule", "active=2,wait=1"), 8) == ".AA.AA.A");
  CHECK(phases(parse_launch_schedule("--schedule", "skip_first=3,wait=1,warmup=2,active=1,repeat=1"), 9) ==
        "....wwA..");
  CHECK(phases(parse_launch_schedule("--schedule", "active=1"), 3) == "AAA");
  CHECK(phases({}, 3) == "AAA");
}

TEST_CASE("what is no schedule is refused with the reason") {
  CHECK(message_of("wait=1,warmup=1") ==
        "--schedule: 'wait=1,warmup=1' has no active step: wait=1,warmup=1,active=3,repeat=2 (and skip_first=10)");
  for (char const* text : {"", "active", "active=", "active=x", "active=-1", "active=1,", "activ=1", "active=1;wait=2",
                           "active=1,active=2", "active=1000000001", "active=99999999999999999999", "=1"}) {
    INFO(text);
    CHECK(message_of(text).rfind("--schedule: '" + std::string(text) + "' ", 0) == 0);
  }
}

TEST_CASE("devices are a list of numbers") {
  device_list const some = parse_device_list("--devices", "2,0,2");
  CHECK(some.has(0));
  CHECK_FALSE(some.has(1));
  CHECK(some.has(2));
  CHECK_FALSE(some.is_everything());
  CHECK(device_list{}.has(7));
  for (char const* text : {"", ",", "0,", "a", "-1", "1024", "0 1", "0:1"}) {
    INFO(text);
    CHECK_THROWS_AS(parse_device_list("--devices", text), usage_error);
  }
}

TEST_CASE("only launches of active steps are chosen, and those of a warm-up are made ready") {
  launch_selection selection;
  selection.schedule = parse_launch_schedule("--schedule", "wait=1,warmup=1,active=1,repeat=1");
  selection.launches = parse_launch_range("--launches", "1:");
  CHECK_FALSE(selection.is_everything());
  CHECK_FALSE(selection.has_launch(5));
  CHECK_FALSE(selection.is_warming_up());
  step_count::end_step();
  CHECK_FALSE(selection.has_launch(5));
  CHECK(selection.is_warming_up());
  step_count::end_step();
  CHECK(selection.has_launch(5));
  CHECK_FALSE(selection.has_launch(0));
  step_count::end_step();
  CHECK_FALSE(selection.has_launch(5));
}
