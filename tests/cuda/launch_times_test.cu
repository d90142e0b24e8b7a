// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Times of launches from CUPTI, and from events where it does not tell, on stand-ins for both (stand_in/).
// usage: launch_times_test HOW, with PASTA_CUPTI and STAND_IN_CUPTI set
#include <cstring>

#include "checks.hpp"
#include "stand_in.hpp"

namespace {

struct span {
  std::uint64_t begin_ns, end_ns;
};
std::vector<span> spans;

/// When each launch was.
struct time_watch : pasta::tool<time_watch> {
  using events = pasta::events<pasta::kernel_end>;
  using counts = pasta::counted<pasta::memory_access>;
  static void on_kernel_end(pasta::context<time_watch>&, pasta::kernel_end const& what) {
    spans.push_back({what.begin_ns, what.end_ns});
  }
  void report(pasta::results<time_watch> const&, pasta::report&) const {}
};

struct store_number {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<int, Probe> a, int number) const {
    a[t.index()] = number;
  }
};

using fixture = pasta::testing::fixture<time_watch>;
constexpr fixture::setup asks_for_cupti() { return {.times = pasta::time_source::cupti}; }

std::uint64_t now_ns() { return pasta::get_nanoseconds<pasta::vendor::host>{}(); }

// What a time is longer than the kernel.
constexpr std::uint64_t by_cupti = 0, by_events = cuda_stand_in::extra_ns;
bool is_from(std::uint64_t source, span const& of) {
  std::uint64_t const expected = cuda_stand_in::kernel_ns + source, found = of.end_ns - of.begin_ns;
  // Events say milliseconds as a float; the first one comes before the host has launched the kernel.
  std::uint64_t const most_more_ns = source == by_events ? 20'000'000 : 10;
  return found + 10 + source / 10 > expected && found < expected + most_more_ns;
}

bool has_note(fixture& test, std::string_view text) {
  test.report();
  for (auto const& note : test.notes()) {
    if (note.find(text) != std::string::npos) return true;
    std::printf("note: %s\n", note.c_str());
  }
  return false;
}

// Some launches on two devices, in two streams of each. @return their times in order of begin
std::vector<span> launch_all(fixture& test, int rounds) {
  spans.clear();
  for (int device = 0; device < 2; ++device) {
    CHECK(cudaSetDevice(device) == cudaSuccess);
    auto const a = zeros<int>(64);
    cudaStream_t streams[2] = {};
    for (auto& stream : streams) CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
    for (int i = 0; i < rounds; ++i) {
      test.launch(store_number{}, {1, 64, 0, reinterpret_cast<std::uint64_t>(streams[i % 2])}, a, i);
    }
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
  }
  auto const found = test.results();
  CHECK_EQUAL(found.kernels.size(), 1);
  CHECK_EQUAL(found.kernels.at(0).losses.launches_delivered, 2 * rounds);
  std::uint64_t sum_ns = 0;
  for (span const& each : spans) sum_ns += each.end_ns - each.begin_ns;
  CHECK_EQUAL(found.kernels.at(0).duration_ns, sum_ns);
  CHECK_EQUAL(spans.size(), static_cast<std::size_t>(2 * rounds));
  return spans;
}

// A launch's place on the host's clock: a stream that is not busy begins at once.
void check_place(std::vector<span> const& all, std::uint64_t before_ns, std::uint64_t after_ns) {
  constexpr std::uint64_t slack_ns = 2'000'000;  // of a machine that is busy
  for (span const& each : all) {
    CHECK(each.begin_ns + slack_ns > before_ns);
    CHECK(each.begin_ns < after_ns + slack_ns + all.size() * (cuda_stand_in::kernel_ns + cuda_stand_in::extra_ns));
  }
}

void told_by_cupti() {
  fixture test(asks_for_cupti());
  std::uint64_t const before_ns = now_ns();
  auto const all = launch_all(test, 6);
  for (span const& each : all) CHECK(is_from(by_cupti, each));
  check_place(all, before_ns, now_ns());
  CHECK(has_note(test, "times of launches: 12 from CUPTI, on the host's clock within"));
  // Two streams of one device overlap: the second launch begins before the first one ends.
  CHECK(all.at(1).begin_ns < all.at(0).end_ns);
}

// More than wait to be told at once, and more than a buffer holds.
void told_of_very_many() {
  fixture test(asks_for_cupti());
  auto const all = launch_all(test, 6000);
  for (span const& each : all) CHECK(is_from(by_cupti, each));
  CHECK(has_note(test, "times of launches: 12000 from CUPTI"));
}

// Launches of a graph have no time, those of the program itself are none of ours.
void told_of_others() {
  fixture test(asks_for_cupti()), other;
  spans.clear();
  auto const a = zeros<int>(64);
  test.launch(store_number{}, {1, 64}, a, 1);
  other.launch(store_number{}, {1, 64}, a, 2);  // asks for events
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  test.results();
  CHECK_EQUAL(spans.size(), 1);
  CHECK(is_from(by_cupti, spans.at(0)));
  other.results();
  CHECK_EQUAL(spans.size(), 2);
  CHECK(is_from(by_events, spans.at(1)));
}

// A launch that is refused leaves nothing behind that a later one is taken for.
void told_after_a_refusal() {
  fixture test(asks_for_cupti());
  auto const a = zeros<int>(64);
  bool is_refused = false;
  try {
    test.launch(store_number{}, {1, 2048}, a, 1);
  } catch (pasta::vendor_error const&) {
    is_refused = true;
  }
  CHECK(is_refused);
  spans.clear();
  test.launch(store_number{}, {1, 64}, a, 2);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  test.results();
  CHECK_EQUAL(spans.size(), 1);
  CHECK(is_from(by_cupti, spans.at(0)));
}

void told_by_events(char const* note) {
  fixture test(asks_for_cupti());
  std::uint64_t const before_ns = now_ns();
  auto const all = launch_all(test, 6);
  for (span const& each : all) CHECK(is_from(by_events, each));
  check_place(all, before_ns, now_ns());
  CHECK(has_note(test, note));
}

void told_by_both() {
  fixture test(asks_for_cupti());
  auto const all = launch_all(test, 6);
  std::size_t cupti = 0, events = 0;
  for (span const& each : all) (is_from(by_cupti, each) ? cupti : events) += 1;
  for (span const& each : all) CHECK(is_from(by_cupti, each) || is_from(by_events, each));
  CHECK(cupti > 0 && events > 0);
  CHECK(has_note(test, fmt::format("times of launches: {} from CUPTI", cupti)));
}

}  // namespace

int main(int argument_count, char** arguments) {
  cuda_stand_in::make_devices(2);
  std::string_view const how = argument_count > 1 ? arguments[1] : "";
  if (how == "works") {
    checks::run("CUPTI tells", told_by_cupti);
    checks::run("very many", told_of_very_many);
    checks::run("others", told_of_others);
    checks::run("a launch is refused", told_after_a_refusal);
  } else if (how == "drops") {
    checks::run("CUPTI tells of every second kernel", told_by_both);
  } else if (how == "silent") {
    checks::run("CUPTI tells nothing", [] { told_by_events("0 from CUPTI"); });
  } else if (how == "taken") {
    checks::run("another tool has CUPTI", [] { told_by_events("come from events: another tool has CUPTI"); });
  } else if (how == "refuses") {
    checks::run("CUPTI refuses",
                [] { told_by_events("come from events: CUPTI refused to tell of kernels (error 35)"); });
  } else if (how == "old") {
    checks::run("CUPTI is old", [] { told_by_events("is not CUPTI of CUDA 12 or 13"); });
  } else if (how == "missing") {
    checks::run("there is no CUPTI", [] { told_by_events("come from events: CUPTI was not found at PASTA_CUPTI="); });
  } else {
    std::fprintf(stderr, "launch_times_test: how?\n");
    return 2;
  }
  return checks::finish();
}
