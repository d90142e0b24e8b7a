// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// For tests of tools: run a small kernel with the tool attached, on the host engine or, in a file that nvcc compiles,
/// on the GPU, and look at what it collected or reports. Nothing is read from the environment and no file is written.
#ifndef PASTA_TESTING_HPP
#define PASTA_TESTING_HPP

#include <pasta/pasta.hpp>

namespace pasta::testing {

namespace detail {
// A wrong tool has had its message; a run without tools adds no second one.
template <class ToolOrPack>
using checked = std::conditional_t<pasta::detail::is_ready_for_probe<ToolOrPack>(), ToolOrPack, tool_pack<>>;
}  // namespace detail

/// A tool (or pack) on a host engine of its own, or on the current GPU.
///
///     pasta::testing::fixture<coalescing> test;
///     test.launch(vector_add{}, {1, 64}, a, b, n);
///     CHECK(test.results().kernels[0].sites[0].state.requests.value() == 2);
template <class ToolOrPack>
class fixture {
 public:
  static_assert(check_tool<ToolOrPack>() && check_probe_delivers<ToolOrPack>());

  struct setup {
    std::uint32_t warp_width = 32;  ///< of the host engine
    std::uint32_t threads = 1;      ///< worker threads of the host engine; 1 makes the order of blocks certain
    scope per = scope::kernel;
    double sampling_rate = 1;
    double block_rate = 1;   ///< share of a launch's blocks that is analysed, on the host engine
    std::uint32_t seed = 0;  ///< which blocks
    std::vector<std::pair<std::string, std::string>> options = {};  ///< name, value as on the command line
    time_source times = time_source::events;                        ///< of launches on an NVIDIA GPU
  };

  fixture() : fixture(setup{}) {}
  /// @throw usage_error for a wrong option
  explicit fixture(setup const& with) : runs_(to_settings(with)), run_(runs_, to_settings(with)) {}

  /// As pasta::launch.
  template <class Kernel, class... Arguments>
  void launch(Kernel const& kernel, launch_config const& config, Arguments const&... arguments) {
    run_.launch(pasta::detail::kernel_name(kernel), current_range(), kernel,
                {config.grid, config.block, config.shared_bytes}, config.stream, false, arguments...);
  }

  /// As pasta::launch of a function.
  template <class... Parameters, class... Arguments>
  requires std::is_same_v<vendor::current, vendor::host>
  void launch(void (*kernel)(Parameters...), launch_config const& config, Arguments const&... arguments) {
    launch(plain_kernel<Parameters...>(kernel), config, arguments...);
  }

  /// Tells the tool of something that happened on the host.
  template <class Event>
  void happened(Event const& what) {
    run_.happened(what);
  }

  /// Feeds events of one warp to the tool without any kernel: `event_of(lane)` gives each lane's event, whose `lanes`
  /// are set here. All events of a call are one site. The kernel is called "events".
  /// @param lanes which lanes of the warp take part
  template <class EventOf>
  void feed(lane_mask lanes, EventOf&& event_of, PASTA_PLACE_PARAMETERS) {
    feeder<std::decay_t<EventOf>> const kernel{lanes, std::forward<EventOf>(event_of), {PASTA_PLACE_ARGUMENTS}};
    run_.launch("events", current_range(), kernel, {dim3(1), dim3(runs_.warp_width())}, 0, false);
  }

  /// What the tool collected so far. For a pack, name the tool.
  template <class Tool = ToolOrPack>
  pasta::results<Tool> results() {
    if constexpr (pasta::detail::is_ready_for_probe<ToolOrPack>()) {
      return run_.template collected<Tool>();
    } else {
      return {};
    }
  }
  /// What the tool reports now, one section per tool of a pack.
  std::vector<tool_section> report() { return run_.report(notes_); }
  /// What PASTA had to say about the run: handlers that failed, launches that were merged. Filled by report().
  std::vector<std::string> const& notes() const { return notes_; }

 private:
  template <class EventOf>
  struct feeder {
    lane_mask lanes;
    EventOf event_of;
    place where;

    template <class Probe>
    void operator()(thread<Probe>& t) const {
      if (((lanes >> t.lane()) & 1) == 0) return;
      if constexpr (Probe::is_active) Probe::feed(t.probe_handle(), where, event_of(t.lane()));
    }
  };

  static settings to_settings(setup const& with) {
    settings all;
    all.warp_width = with.warp_width;
    all.host_threads = with.threads;
    all.times = with.times;
    all.per = with.per;
    all.sampling_rate = with.sampling_rate;
    all.block_rate = with.block_rate;
    all.seed = with.seed;
    all.tool_options = with.options;
    return all;
  }

  executor runs_;
  tool_run<detail::checked<ToolOrPack>> run_;
  std::vector<std::string> notes_;
};

}  // namespace pasta::testing
#endif
