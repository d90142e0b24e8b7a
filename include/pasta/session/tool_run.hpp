// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// One tool (or pack) at work: launches kernels under its probe, keeps what it collects, and makes its report.
#ifndef PASTA_SESSION_TOOL_RUN_HPP
#define PASTA_SESSION_TOOL_RUN_HPP

#include <chrono>
#include <deque>
#include <map>
#include <mutex>
#include <pasta/report/report.hpp>
#include <pasta/session/block_tally.hpp>
#include <pasta/session/launch_shape_summary.hpp>
#include <pasta/session/make_section.hpp>
#include <pasta/session/tool_options.hpp>
#include <set>

#include PASTA_SESSION_OF_VENDOR(collector)

namespace pasta {

/// A run as the session sees it.
struct tool_run_base {
  virtual ~tool_run_base() = default;
  /// Merges everything collected so far and lets each tool report. While launches are under way the result is a
  /// snapshot.
  virtual std::vector<tool_section> report(std::vector<std::string>& notes) = 0;
#define PASTA_DETAIL_DECLARE(event) virtual void happened(event const&) = 0;
  PASTA_DETAIL_FOR_EACH_HOST_EVENT(PASTA_DETAIL_DECLARE)
#undef PASTA_DETAIL_DECLARE
};

/// Most kernels, launches and annotated ranges that a run keeps apart; later launches are merged by kernel, and a note
/// says how many.
inline constexpr std::size_t max_kernel_records = 8192;

template <class ToolOrPack>
class tool_run final : public tool_run_base {
 public:
  using tools = tools_of_t<ToolOrPack>;

  /// @throw usage_error for an option that no tool has, or a value that is not right
  tool_run(executor& runs, settings const& set)
      : runs_(&runs),
        collector_(runs),
        per_(set.per),
        sampling_rate_(set.sampling_rate),
        block_rate_(set.block_rate),
        selection_(set.selection),
        tally_(make_block_sample(set.block_rate, set.seed)) {
    if constexpr (!std::is_same_v<vendor::current, vendor::host>)
      detail::refuse_block_rate(set.block_rate, "the probe route on a GPU");
    detail::set_options(tools{}, options_, set.tool_options);
  }

  /// Runs a kernel with the tools attached (or without, if sampling leaves it out): to its end on the host, else until
  /// it is launched. Any thread.
  /// @param range the annotated ranges that the launch is in; launches are told apart by it
  /// @throw whatever the kernel or the vendor throws; the launch then counts as lost
  template <class Kernel, class... Arguments>
  void launch(std::string const& name, std::string const& range, Kernel const& kernel, launch_shape const& shape,
              std::uint64_t stream, bool is_stopped, Arguments const&... arguments) {
    std::uint64_t number = 0;
    bool is_chosen = false;
    std::uint32_t part = 0;
    kernel_record* const record = begin(name, range, shape, is_stopped, number, is_chosen, part);
    if (!is_chosen) return runs_->run(kernel, shape, stream, arguments...);

    std::uint64_t const device = runs_->current_device(), in_context = runs_->current_context();
    current_launch const launching{this, record};
    happened(kernel_begin{name.c_str(), shape.grid, shape.block, shape.shared_bytes, stream, device, in_context, number,
                          get_nanoseconds<vendor::host>{}()});
    auto const ended = [=, this](std::uint64_t begin_ns, std::uint64_t end_ns) {
      current_launch const ending{this, record};
      happened(kernel_end{record->name.c_str(), number, stream, device, in_context, begin_ns, end_ns});
      std::lock_guard const lock(mutex_);
      ++record->losses.launches_delivered;
      record->duration_ns += end_ns - begin_ns;
    };
    scope const per = record->launch.has_value() ? scope::launch : scope::kernel;  // not if it was merged with others
    collector_.launch({&record->collected, &shape, stream, per, tally_.sample(), part}, options_, ended, kernel,
                      arguments...);
  }

#define PASTA_DETAIL_DEFINE(event) \
  void happened(event const& what) override { deliver_host_event(what); }
  PASTA_DETAIL_FOR_EACH_HOST_EVENT(PASTA_DETAIL_DEFINE)
#undef PASTA_DETAIL_DEFINE

  std::vector<tool_section> report(std::vector<std::string>& notes) override {
    fetch();
    std::vector<tool_section> sections;
    detail::for_each_tool(tools{}, [&]<std::size_t Index, class Tool>() {
      sections.push_back(detail::make_section(collect<Index, Tool>(), notes));
    });
    if (merged_launches_ > 0) {
      notes.push_back(fmt::format("{} launches were merged by kernel: {} launches and ranges are kept apart",
                                  merged_launches_, max_kernel_records));
    }
    auto const lock = lock_for_report();
    std::set<std::string> all = handler_errors_;
    std::vector<store const*> stores;
    for (auto const& record : records_) stores.push_back(&record.collected);
    collector_.add_notes(stores, all);
    notes.insert(notes.end(), all.begin(), all.end());
    return sections;
  }

  /// What one tool of the run has collected so far.
  template <class Tool>
  results<Tool> collected() {
    fetch();
    results<Tool> found;
    detail::for_each_tool(tools{}, [&]<std::size_t Index, class Each>() {
      if constexpr (std::is_same_v<Each, Tool>) found = collect<Index, Tool>();
    });
    return found;
  }

 private:
  using store = typename collector<ToolOrPack>::store;
  static constexpr std::uint32_t store_parts = collector<ToolOrPack>::sample_parts;
  using record_key = std::tuple<std::string, std::string, std::optional<std::uint64_t>>;  // name, range, launch
  struct kernel_record {
    std::string name, range;
    std::optional<std::uint64_t> launch;
    launch_shape_summary shape;
    std::uint64_t duration_ns = 0;
    loss losses;
    sample_count sampled;
    store collected;
    // What handlers of kernel_begin and kernel_end collect.
    typename detail::states_of<tools>::kernel host_kernel_states{};
    typename detail::states_of<tools>::launch host_launch_states{};
  };

  // How often a kernel was offered for analysis and taken: sampling is by kernel, so that none is always left out.
  struct kernel_sampling {
    std::uint64_t offered = 0, chosen = 0;
    std::optional<bool> is_selected;  // by the kernel's name
  };

  // Which kernel the launching thread's host events belong to.
  struct current_launch {
    current_launch(tool_run* run, kernel_record* record)
        : before(std::exchange(run_, run)), record_before(std::exchange(record_, record)) {}
    ~current_launch() { run_ = before, record_ = record_before; }
    current_launch(current_launch const&) = delete;
    current_launch& operator=(current_launch const&) = delete;
    tool_run* before;
    kernel_record* record_before;
    inline static thread_local tool_run* run_ = nullptr;
    inline static thread_local kernel_record* record_ = nullptr;
  };

  kernel_record* begin(std::string const& name, std::string const& range, launch_shape const& shape, bool is_stopped,
                       std::uint64_t& number, bool& is_chosen, std::uint32_t& part) {
    std::lock_guard const lock(mutex_);
    number = launch_count_++;
    record_key key{name, range, per_ == scope::launch ? std::optional(number) : std::nullopt};
    bool const is_apart = !range.empty() || per_ == scope::launch;
    if (is_apart && records_.size() >= max_kernel_records && known_.find(key) == known_.end()) {
      key = {name, "", std::nullopt};
      ++merged_launches_;
    }
    kernel_record*& record = known_[key];
    if (record == nullptr) {
      record = &records_.emplace_back();
      std::tie(record->name, record->range, record->launch) = key;
    }
    record->shape.add(shape);
    ++record->losses.launches_seen;
    // The share reached so far never exceeds the rate by a whole launch, and a kernel's first launch is always in.
    kernel_sampling& so_far = samplings_[name];
    if (!so_far.is_selected) so_far.is_selected = selection_.has_kernel(name);
    bool const is_offered = !is_stopped && *so_far.is_selected && selection_.has_launch(number) &&
                            selection_.devices.has(runs_->current_device());
    is_chosen =
        is_offered && static_cast<double>(so_far.chosen) < sampling_rate_ * static_cast<double>(so_far.offered + 1);
    if (is_offered) ++so_far.offered;
    is_chosen ? ++so_far.chosen : ++record->losses.launches_sampled_out;
    if (is_offered) ++record->sampled.launches_offered;
    if (is_chosen && is_sampling()) {
      bool const is_by_launch = sampling_rate_ < 1;
      part = is_by_launch ? record->sampled.next_part() % store_parts : sample_count::by_block;
      record->sampled.take(part, shape.grid.count(), tally_);
    }
    return record;
  }

  bool is_sampling() const { return sampling_rate_ < 1 || block_rate_ < 1; }

  // Of what was read last.
  std::optional<sampling> estimated(kernel_record const& record) const {
    if (!is_sampling() || record.sampled.launches_offered == 0) return std::nullopt;
    std::vector<double> const collected = record.collected.part_events();
    std::array<double, sample_part_count> events{};
    std::copy(collected.begin(), collected.end(), events.begin());
    sample_count counts = record.sampled;
    counts.are_parts_known = counts.are_parts_known && !collected.empty();
    return counts.estimated(block_rate_, events);
  }

  // What lies in a GPU's memory is brought to the host before it is looked at.
  void fetch() {
    std::vector<store*> stores;
    {
      auto const lock = lock_for_report();
      for (auto& record : records_) stores.push_back(&record.collected);
    }
    std::set<std::string> problems;
    collector_.fetch(stores, problems);
    auto const lock = lock_for_report();
    handler_errors_.merge(problems);
  }

  template <class Event>
  void deliver_host_event(Event const& what) {
    if constexpr (requires { collector_.memory_changed(what); }) collector_.memory_changed(what);
    if constexpr (any_handles_v<tools, Event>) {
      std::lock_guard const lock(mutex_);
      kernel_record* const record = current_launch::run_ == this ? current_launch::record_ : nullptr;
      detail::for_each_tool(tools{}, [&]<std::size_t Index, class Tool>() {
        if constexpr (handles_v<Tool, Event>) {
          typename context<Tool>::parts parts;
          if (record != nullptr) {
            parts.kernel = &detail::get_state<Index>(record->host_kernel_states);
            parts.launch = &detail::get_state<Index>(record->host_launch_states);
          }
          parts.program = &detail::get_state<Index>(host_program_states_);
          parts.options = &detail::get_state<Index>(options_);
          context<Tool> at(parts);
          try {
            detail::deliver(at, what);
          } catch (std::exception const& error) {
            handler_errors_.insert(
                fmt::format("{}: a handler of a host event failed: {}", tool_name<Tool>(), error.what()));
          }
        }
      });
    }
    static_cast<void>(what);
  }

  // A crash may have come while its thread held the lock; a report that may be one launch off is better than none.
  std::unique_lock<std::timed_mutex> lock_for_report() {
    std::unique_lock lock(mutex_, std::defer_lock);
    static_cast<void>(lock.try_lock_for(std::chrono::seconds(2)));
    return lock;
  }

  template <std::size_t Index, class Tool>
  results<Tool> collect() {
    auto const lock = lock_for_report();
    results<Tool> found;
    found.options = detail::get_state<Index>(options_);
    found.program = detail::get_state<Index>(host_program_states_);
    typename collector<ToolOrPack>::program_states program{};
    collector_.merge_into(program);
    merge_state(found.program, detail::get_state<Index>(program));
    for (kernel_record const& record : records_) {
      kernel_result<Tool>& kernel = found.kernels.emplace_back();
      kernel.name = record.name;
      kernel.range = record.range;
      kernel.launch = record.launch;
      record.shape.fill(kernel.grid, kernel.block, kernel.has_one_shape, kernel.shared_bytes);
      kernel.duration_ns = record.duration_ns;
      kernel.losses = record.losses;
      if constexpr (requires { record.collected.launches_lost(); }) {
        kernel.losses.launches_delivered -= record.collected.launches_lost();
      }
      kernel.losses.launches_lost =
          kernel.losses.launches_seen - kernel.losses.launches_delivered - kernel.losses.launches_sampled_out;
      std::map<site_info, site_result<Tool>> sites;
      record.collected.for_each_site([&](site_info const& where, std::uint64_t executions, auto const& states) {
        if (!detail::watches<Tool>(where.what)) return;  // a site of another tool of the pack
        site_result<Tool>& site = sites[where];
        site.executions += executions;
        merge_state(site.state, detail::get_state<Index>(states));
      });
      typename collector<ToolOrPack>::kernel_states kernel_states{};
      typename collector<ToolOrPack>::launch_states launch_states{};
      record.collected.merge_into(kernel_states, launch_states);
      merge_state(kernel.kernel, detail::get_state<Index>(kernel_states));
      merge_state(kernel.launch_state, detail::get_state<Index>(launch_states));
      kernel.losses.events_dropped += record.collected.events_dropped();
      merge_state(kernel.kernel, detail::get_state<Index>(record.host_kernel_states));
      merge_state(kernel.launch_state, detail::get_state<Index>(record.host_launch_states));
      if constexpr (detail::has_shadow_v<Tool>) kernel.touched = record.collected.touched();
      for (auto& [site, result] : sites) {
        result.site = site;
        kernel.losses.events_delivered += result.executions;
        kernel.sites.push_back(std::move(result));
      }
      kernel.sampling = estimated(record);
    }
    return found;
  }

  executor* runs_;
  collector<ToolOrPack> collector_;
  scope per_;
  double sampling_rate_, block_rate_;
  launch_selection selection_;
  typename detail::states_of<tools>::options options_{};

  // Guards what follows, but for what the records collected, which is the collector's.
  std::timed_mutex mutex_;
  std::deque<kernel_record> records_;
  std::map<record_key, kernel_record*> known_;
  std::map<std::string, kernel_sampling> samplings_;  // [kernel]
  block_tally tally_;
  typename detail::states_of<tools>::program host_program_states_{};
  std::set<std::string> handler_errors_;
  std::uint64_t launch_count_ = 0, merged_launches_ = 0;
};

}  // namespace pasta
#endif
