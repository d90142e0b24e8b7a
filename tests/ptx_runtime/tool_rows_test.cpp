// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <catch.hpp>
#include <coalescing.hpp>
#include <cstring>
#include <pasta/session/ptx/tool_exchange.hpp>

namespace {

struct both_ways : pasta::tool<both_ways> {
  using events = pasta::events<pasta::memory_access>;
  struct options {
    std::uint32_t in_handler = 3, in_report = 5;
    static constexpr auto describe() {
      return std::tuple{pasta::option("in-handler", &options::in_handler, "a number"),
                        pasta::report_option("in-report", &options::in_report, "a number")};
    }
  };
  struct site_state {
    pasta::count requests, bytes;
    pasta::max<std::uint32_t> largest;
  };
  struct kernel_state {
    pasta::count requests;
  };
  struct program_state {
    pasta::count requests;
  };
  PASTA_DEVICE static void on_memory_access(pasta::context<both_ways>& at, pasta::memory_access const& access) {
    if (!pasta::warp::is_leader(access.lanes)) return;
    at.site().requests.add(1);
    at.site().bytes.add(access.size_bytes * pasta::warp::count(access.lanes));
    at.site().largest.observe(access.size_bytes);
    at.kernel().requests.add(1);
    at.program().requests.add(1);
  }
  void report(pasta::results<both_ways> const& found, pasta::report& out) const {
    for (auto const& kernel : found.kernels) {
      auto table = out.kernel(kernel).table("requests", {{"requests", "", pasta::column_role::value}});
      for (auto const& site : kernel.sites) table.add(site.state.requests.value());
    }
  }
};

struct every_event : pasta::tool<every_event> {
  using events = pasta::events<pasta::memory_access, pasta::branch, pasta::matrix_operation, pasta::call,
                               pasta::thread_enter, pasta::thread_exit>;
  using counts = pasta::counted<pasta::barrier>;
  struct thread_state {
    std::uint32_t accesses = 0;
  };
  struct site_state {
    pasta::count lanes;
  };
  struct kernel_state {
    pasta::count accesses;
  };
  using context = pasta::context<every_event>;
  PASTA_DEVICE static void on_memory_access(context& at, pasta::memory_access const&) { ++at.thread().accesses; }
  PASTA_DEVICE static void on_branch(context& at, pasta::branch const&) { at.site().lanes.add(); }
  PASTA_DEVICE static void on_matrix_operation(context& at, pasta::matrix_operation const&) { at.site().lanes.add(); }
  PASTA_DEVICE static void on_call(context& at, pasta::call const&) { at.site().lanes.add(); }
  PASTA_DEVICE static void on_thread_enter(context&, pasta::thread_enter const&) {}
  PASTA_DEVICE static void on_thread_exit(context&, pasta::thread_exit const&) {}
  PASTA_DEVICE static void fold(thread_state& state, context& at) {
    at.kernel().accesses.add(state.accesses);
    state = {};
  }
  void report(pasta::results<every_event> const&, pasta::report&) const {}
};

struct blocks : pasta::tool<blocks> {
  using events = pasta::events<pasta::memory_access, pasta::block_exit>;
  PASTA_DEVICE static void on_memory_access(pasta::context<blocks>&, pasta::memory_access const&) {}
  PASTA_DEVICE static void on_block_exit(pasta::context<blocks>&, pasta::block_exit const&) {}
  void report(pasta::results<blocks> const&, pasta::report&) const {}
};

struct launches : pasta::tool<launches> {
  using events = pasta::events<pasta::branch, pasta::kernel_end>;
  PASTA_DEVICE static void on_branch(pasta::context<launches>&, pasta::branch const&) {}
  static void on_kernel_end(pasta::context<launches>&, pasta::kernel_end const&) {}
  void report(pasta::results<launches> const&, pasta::report&) const {}
};

using layout = pasta::detail::hook_layout<both_ways>;
using site_layout = layout::site;

/// Memory of a module as a GPU would leave it: what is shared, and two shards with one site's row and a function's.
struct memory {
  static constexpr std::size_t stride = 256, shards = 2;
  std::vector<std::byte> bytes = std::vector<std::byte>(1024 + stride * shards);

  void set(std::size_t at, std::uint64_t value, std::size_t size = 8) { std::memcpy(&bytes[at], &value, size); }
  std::size_t site_at(std::size_t shard) const { return 1024 + shard * stride; }
  std::size_t function_at(std::size_t shard) const { return site_at(shard) + 128; }
  pasta::ptx::row_bytes site() const {
    return {&bytes[1024], stride, shards, bytes.data(), layout::site_shard_bytes, layout::site_shared_bytes};
  }
  pasta::ptx::row_bytes function() const {
    return {&bytes[1024 + 128],           stride, shards, &bytes[512], layout::function_shard_bytes,
            layout::function_shared_bytes};
  }
};

pasta::ptx::collected one_site(memory const& of) {
  pasta::ptx::collected all;
  auto& kernel = all.kernels.emplace_back();
  kernel.name = "k";
  kernel.losses.launches_seen = kernel.losses.launches_delivered = 4;
  kernel.function_rows.push_back(of.function());
  auto& site = kernel.sites.emplace_back();
  site.where = {"a.cu", 7, 1, pasta::operation::load, pasta::memory_space::global, 4};
  site.rows.push_back(of.site());
  return all;
}

memory filled() {
  memory made;
  for (std::size_t shard = 0; shard < memory::shards; ++shard) {
    made.set(made.site_at(shard), 32 * (shard + 1));                              // executions
    made.set(made.site_at(shard) + site_layout::offset_v<0>, shard + 1);          // requests
    made.set(made.site_at(shard) + site_layout::offset_v<1>, 128 * (shard + 1));  // bytes
    made.set(made.function_at(shard), 0);                                         // the kernel's row has no executions
    made.set(made.function_at(shard) + layout::kernel::offset_v<0>, 10 * (shard + 1));
    made.set(made.function_at(shard) + layout::program_shard + layout::program::offset_v<0>, 100 * (shard + 1));
  }
  pasta::max<std::uint32_t> largest;
  largest.observe(4);
  std::memcpy(static_cast<void*>(&made.bytes[site_layout::offset_v<2>]), &largest, sizeof largest);
  return made;
}

}  // namespace

TEST_CASE("rows of all shards become a tool's states") {
  static_assert(site_layout::is_shared_v<2>);  // the test writes it to what is shared
  memory const from = filled();
  auto const found = pasta::ptx::results_of<both_ways>(one_site(from), {});
  REQUIRE(found.kernels.size() == 1);
  auto const& kernel = found.kernels[0];
  REQUIRE(kernel.sites.size() == 1);
  CHECK(kernel.sites[0].executions == 96);
  CHECK(kernel.sites[0].state.requests.value() == 3);
  CHECK(kernel.sites[0].state.bytes.value() == 384);
  CHECK(kernel.sites[0].state.largest.value() == 4u);
  CHECK(kernel.kernel.requests.value() == 30);
  CHECK(found.program.requests.value() == 300);
  CHECK(kernel.losses.events_delivered == 96);
  CHECK(kernel.losses.launches_delivered == 4);
}

TEST_CASE("requests that were only counted are handed to the handler") {
  memory const from = filled();
  auto all = one_site(from);
  all.kernels[0].sites[0].in_order = {{0, 1000}, {4, 7}};
  auto const found = pasta::ptx::results_of<both_ways>(all, {});
  auto const& kernel = found.kernels[0];
  CHECK(kernel.sites[0].executions == 96 + 1007 * 32);
  CHECK(kernel.sites[0].state.requests.value() == 3 + 1007);
  CHECK(kernel.sites[0].state.bytes.value() == 384 + 1007 * 128);
  CHECK(kernel.kernel.requests.value() == 30 + 1007);
  CHECK(found.program.requests.value() == 300 + 1007);
}

TEST_CASE("what the handler sees of requests in order depends on where they begin") {
  pasta::ptx::collected all;
  auto& site = all.kernels.emplace_back().sites.emplace_back();
  site.where = {"a.cu", 7, 1, pasta::operation::load, pasta::memory_space::global, 4};
  site.in_order = {{0, 10}, {16, 1}};
  auto const found = pasta::ptx::results_of<coalescing>(all, {});
  REQUIRE(found.kernels[0].sites.size() == 1);
  auto const& state = found.kernels[0].sites[0].state;
  CHECK(state.requests.value() == 11);
  CHECK(state.sectors.value() == 45);  // four, and five where they begin in the middle of one
}

TEST_CASE("rows of another layout are not read") {
  memory const from = filled();
  auto all = one_site(from);
  all.kernels[0].sites[0].rows[0].shard_bytes += 8;
  auto const found = pasta::ptx::results_of<both_ways>(all, {});
  CHECK(found.kernels[0].sites.empty());
  REQUIRE(found.kernels[0].losses.not_instrumentable.size() == 1);
  CHECK_THAT(found.kernels[0].losses.not_instrumentable[0], pasta_test::contains_text("another version of the tool"));
}

TEST_CASE("an access that no handler got is told with its executions") {
  memory const from = filled();
  auto all = one_site(from);
  auto& site = all.kernels[0].sites.emplace_back();
  site.where = {"a.cu", 9, 1, pasta::operation::store, pasta::memory_space::global, 4};
  site.opcode = "st.async";
  site.unhandled = "its address is the hardware's";
  site.executions = 50;
  auto const found = pasta::ptx::results_of<both_ways>(all, {});
  auto const& losses = found.kernels[0].losses;
  CHECK(losses.events_dropped == 50);
  CHECK(losses.events_delivered == 96);
  REQUIRE(losses.not_instrumentable.size() == 1);
  CHECK(losses.not_instrumentable[0] == "store at a.cu:9 (st.async): its address is the hardware's");
}

TEST_CASE("options of handlers are fixed and options of reports are not") {
  CHECK(pasta::ptx::read_options<both_ways>({{"in-report", "6"}}).in_report == 6);
  CHECK(pasta::ptx::read_options<both_ways>({{"in-handler", "3"}}).in_handler == 3);
  CHECK_THROWS_AS(pasta::ptx::read_options<both_ways>({{"in-handler", "4"}}), pasta::usage_error);
  CHECK_THROWS_AS(pasta::ptx::read_options<both_ways>({{"depth", "4"}}), pasta::usage_error);
}

TEST_CASE("a tool that needs other events does not have the route") {
  CHECK(pasta::ptx::can_collect_v<both_ways>);
  CHECK(pasta::ptx::can_collect_v<coalescing>);
  CHECK(pasta::ptx::can_collect_v<every_event>);
  CHECK_FALSE(pasta::ptx::can_collect_v<blocks>);
  CHECK_FALSE(pasta::ptx::can_collect_v<launches>);
}

TEST_CASE("sites of other events are a tool's if it handles or counts them") {
  using events_layout = pasta::detail::hook_layout<every_event>;
  std::vector<std::byte> bytes(events_layout::site_shard_bytes + events_layout::function_shard_bytes);
  auto const set = [&](std::size_t at, std::uint64_t value) { std::memcpy(&bytes[at], &value, sizeof value); };
  set(0, 64);                                 // executions
  set(events_layout::site::offset_v<0>, 63);  // lanes
  std::size_t const function = events_layout::site_shard_bytes;
  set(function + events_layout::kernel::offset_v<0>, 500);
  pasta::ptx::row_bytes const row{
      bytes.data(), 0, 1, nullptr, events_layout::site_shard_bytes, events_layout::site_shared_bytes};
  pasta::ptx::collected all;
  auto& kernel = all.kernels.emplace_back();
  kernel.function_rows.push_back(
      {&bytes[function], 0, 1, nullptr, events_layout::function_shard_bytes, events_layout::function_shared_bytes});
  auto const add = [&](pasta::operation what) -> pasta::ptx::collected_site& {
    auto& site = kernel.sites.emplace_back();
    site.where = {"a.cu", 7, 1, what, pasta::memory_space::global, 0};
    return site;
  };
  add(pasta::operation::branch).rows.push_back(row);
  add(pasta::operation::barrier).executions = 96;  // counted
  add(pasta::operation::copy).executions = 50;     // neither
  auto& unhandled = add(pasta::operation::matrix);
  unhandled.opcode = "mma";
  unhandled.unhandled = "its two factors are of different types";
  auto const found = pasta::ptx::results_of<every_event>(all, {});
  auto const& sites = found.kernels.at(0).sites;
  REQUIRE(sites.size() == 2);
  CHECK(sites[0].site.what == pasta::operation::barrier);
  CHECK(sites[0].executions == 96);
  CHECK(sites[1].site.what == pasta::operation::branch);
  CHECK(sites[1].executions == 64);
  CHECK(sites[1].state.lanes.value() == 63);
  CHECK(found.kernels[0].kernel.accesses.value() == 500);
  REQUIRE(found.kernels[0].losses.not_instrumentable.size() == 1);
  CHECK(found.kernels[0].losses.not_instrumentable[0] ==
        "matrix at a.cu:7 (mma): its two factors are of different types");
}

TEST_CASE("a tool answers with its section, or with one line") {
  memory const from = filled();
  auto const all = one_site(from);
  std::vector<std::pair<std::string, std::string>> options;
  pasta::ptx::tool_exchange about;
  about.options = &options;
  about.rows = &all;
  pasta::ptx::answer<both_ways>(about);
  CHECK(about.error.empty());
  CHECK(about.section.tool == "both_ways");
  REQUIRE(about.section.kernels.size() == 1);
  CHECK(about.section.kernels[0].tables[0].rows[0][0] == pasta::cell{std::uint64_t{3}});
  options.emplace_back("in-handler", "4");
  pasta::ptx::answer<both_ways>(about);
  CHECK(about.error == "--in-handler: on the route ptx the handlers of both_ways have 3, as they were built");
}
