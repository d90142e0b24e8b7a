// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_COALESCING_HPP
#define PASTA_TOOLS_COALESCING_HPP

#include <fmt/format.h>

#include <pasta/pasta.hpp>

namespace coalescing_detail {

/// How the lanes of one request lie to each other, in words, and what the same lanes would ask for in a better layout.
class pattern {
 public:
  pattern(pasta::request_sample const& sample, pasta::site_info const& site, std::uint32_t sector_bytes)
      : sample_(&sample), site_(&site), sector_bytes_(sector_bytes) {
    for (std::uint32_t lane = 0; lane < sample.max_lanes; ++lane) {
      if ((sample.lanes >> lane & 1) != 0) lanes_.push_back(lane);
    }
    shape_ = replay([&](std::size_t i) { return sample.first_byte + offset(i); });
    is_misaligned_ = replay([&](std::size_t i) { return offset(i); }).sectors < shape_.sectors;
    if (!shape_.is_regular) find_groups();
  }

  pasta::request_shape const& shape() const { return shape_; }

  /// For example "lane i+1 writes 1024 elements after lane i".
  std::string describe() const {
    std::string_view verb = site_->what == pasta::operation::load    ? "reads"
                            : site_->what == pasta::operation::store ? "writes"
                                                                     : "updates";
    if (group_lanes_ > 0) {
      std::size_t const last = (lanes_.size() + group_lanes_ - 1) / group_lanes_;
      return fmt::format("{} groups of {} lanes, {} apart; within a group {}{}", last, group_lanes_,
                         distance(group_step_), describe_step(verb, step(1)), after_border());
    }
    if (lanes_.size() == 1) return fmt::format("one lane {} one element{}", verb, after_border());
    if (!shape_.is_regular) {
      verb.remove_suffix(1);
      if (is_rising()) return fmt::format("lanes {} at irregular distances, each lane after the one before", verb);
      return fmt::format("lanes {} here and there (a {})", verb,
                         site_->what == pasta::operation::load ? "gather" : "scatter");
    }
    std::uint32_t const span = lanes_.back() - lanes_.front() + 1;
    std::string const idle = span > lanes_.size()
                                 ? fmt::format(", with {} of {} lanes inactive", span - lanes_.size(), span)
                                 : std::string();
    return describe_step(verb, shape_.stride_bytes) + idle + after_border();
  }

  /// What would help, with the sectors that this request would then ask for.
  struct cure {
    std::uint32_t sectors;
    std::string text;
  };

  /// The cure that leaves the fewest sectors; of equals the one that changes least.
  cure best_cure() const {
    std::vector<cure> cures;
    if (!is_gather()) {
      cures.push_back(
          {replay([&](std::size_t i) { return offset(i); }).sectors,
           fmt::format("{} (what a stencil reads of its neighbours: from a tile in shared memory)", padding())});
    }
    if (group_lanes_ > 0) {
      std::uint64_t const pitch = round_up(static_cast<std::uint64_t>(std::abs(group_step_)));
      auto const padded = [&](std::size_t i) { return i / group_lanes_ * pitch + in_group(i); };
      cures.push_back({replay(padded).sectors, padding()});
    }
    // The distinct elements side by side, in the order in which they lie now.
    std::vector<std::uint64_t> distinct;
    for (std::size_t i = 0; i < lanes_.size(); ++i) distinct.push_back(offset(i));
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    auto const packed = [&](std::size_t i) {
      auto const rank = std::lower_bound(distinct.begin(), distinct.end(), offset(i)) - distinct.begin();
      return static_cast<std::uint64_t>(rank) * site_->size_bytes;
    };
    cures.push_back({replay(packed).sectors, std::string(packing())});
    return *std::min_element(cures.begin(), cures.end(),
                             [](cure const& a, cure const& b) { return a.sectors < b.sectors; });
  }

 private:
  std::uint64_t offset(std::size_t i) const { return sample_->offsets[lanes_[i]]; }
  bool is_gather() const { return lanes_.size() > 1 && !shape_.is_regular && group_lanes_ == 0; }
  bool is_rising() const {
    for (std::size_t i = 1; i < lanes_.size(); ++i) {
      if (step(i) < 0) return false;
    }
    return true;
  }
  std::int64_t step(std::size_t i) const { return static_cast<std::int64_t>(offset(i) - offset(i - 1)); }
  std::uint64_t round_up(std::uint64_t bytes) const {
    return (bytes + sector_bytes_ - 1) / sector_bytes_ * sector_bytes_;
  }

  template <class FirstByte>
  pasta::request_shape replay(FirstByte&& first_byte) const {
    std::array<std::uint64_t, pasta::request_sample::max_lanes> moved{};
    for (std::size_t i = 0; i < lanes_.size(); ++i) moved[lanes_[i]] = first_byte(i);
    return pasta::replay(*sample_, moved.data(), site_->size_bytes, sector_bytes_);
  }

  // Groups of equally many neighbouring lanes (the last may be cut off), alike inside, equally far apart: a block's rows.
  void find_groups() {
    for (std::size_t i = 1; i < lanes_.size(); ++i) {
      if (lanes_[i] != lanes_[0] + i) return;
    }
    std::size_t size = 1;
    while (size < lanes_.size() && step(size) == step(1)) ++size;
    if (size < 2 || size >= lanes_.size()) return;
    for (std::size_t i = 1; i < lanes_.size(); ++i) {
      if (step(i) != step(i % size == 0 ? size : 1)) return;
    }
    group_lanes_ = size;
    group_step_ = static_cast<std::int64_t>(offset(size) - offset(0));
  }
  // From the lowest byte of the lane's group.
  std::uint64_t in_group(std::size_t i) const {
    std::size_t const first = i / group_lanes_ * group_lanes_, end = std::min(first + group_lanes_, lanes_.size());
    return offset(i) - std::min(offset(first), offset(end - 1));
  }

  std::string distance(std::int64_t bytes) const {
    std::uint64_t const size = site_->size_bytes, length = static_cast<std::uint64_t>(std::abs(bytes));
    if (length % size != 0) return fmt::format("{} bytes", length);
    return fmt::format("{} element{}", length / size, length == size ? "" : "s");
  }
  std::string describe_step(std::string_view verb, std::int64_t bytes) const {
    if (bytes == 0) return fmt::format("all lanes {} one element", verb.substr(0, verb.size() - 1));
    return fmt::format("lane i+1 {} {} {} lane i", verb, distance(bytes), bytes > 0 ? "after" : "before");
  }
  std::string after_border() const {
    if (!is_misaligned_) return {};
    return fmt::format(", from {} byte{} after a sector's begin", sample_->first_byte,
                       sample_->first_byte == 1 ? "" : "s");
  }

  std::string padding() const {
    std::uint32_t const size = site_->size_bytes;
    std::string const start = fmt::format("let the array's rows start at multiples of {} bytes", sector_bytes_);
    if (sector_bytes_ % size != 0) return start;
    return fmt::format("{}, padded to {}n elements", start, sector_bytes_ / size);
  }
  std::string_view packing() const {
    if (is_gather() && is_rising()) {
      return "let the lanes of a warp go through one row together, not each lane through its own";
    }
    if (is_gather() && site_->what == pasta::operation::atomic) {
      return "add up in shared memory first, or sort the keys, so that a warp updates elements side by side; the order "
             "of the "
             "lanes within a warp does not matter";
    }
    if (is_gather()) {
      return "sort or bin the indices, or reorder the data, so that a warp's elements lie side by side; the order of "
             "the lanes "
             "within a warp does not matter";
    }
    if (group_lanes_ > 0) return "make blocks at least a warp wide in x, so that a warp stays in one row";
    if (shape_.stride_bytes == site_->size_bytes)
      return "let neighbouring lanes take the active work, so that no lane between them is idle";
    constexpr std::int64_t largest_struct_bytes = 128;  // beyond, a step is a row rather than a record
    if (std::abs(shape_.stride_bytes) <= largest_struct_bytes) {
      return "keep this field's values side by side (a structure of arrays), or let lane i+1 take the next element";
    }
    return "let lane i+1 take the next element (swap the loops or store the array transposed), or stage tiles in "
           "shared memory";
  }

  pasta::request_sample const* sample_;
  pasta::site_info const* site_;
  std::uint32_t sector_bytes_;
  std::vector<std::uint32_t> lanes_;  // active
  pasta::request_shape shape_;
  bool is_misaligned_ = false;   // fewer sectors if it began with a sector
  std::size_t group_lanes_ = 0;  // 0: no groups
  std::int64_t group_step_ = 0;  // from one group's first lane to the next one's [bytes]
};

}  // namespace coalescing_detail

/// Finds global loads, stores and atomics that move more sectors than their bytes need, by source line, and says what would help.
struct coalescing : pasta::tool<coalescing> {
  using events = pasta::events<pasta::memory_access>;
  static constexpr std::string_view summary = "finds global memory accesses that waste bandwidth, by source line";

  struct options {
    std::uint32_t sector_bytes = 32;
    double minimum_gain = 1.01;
    static constexpr auto describe() {
      return std::tuple{pasta::option("sector-bytes", &options::sector_bytes,
                                      "what memory moves at once [bytes]: 32 on NVIDIA, 64 or 128 on AMD", 8, 4096),
                        pasta::option("minimum-gain", &options::minimum_gain,
                                      "report a line if the kernel could gain this much [1]", 1, 1000)};
    }
  };

  static constexpr std::int64_t irregular = std::numeric_limits<std::int64_t>::min();
  struct site_state {
    pasta::count requests, sectors, sectors_needed;
    pasta::top_k<4, std::int64_t> strides;         // of requests with two lanes or more [bytes]
    pasta::earliest<pasta::request_sample> worst;  // the request with the most unneeded sectors
  };

  PASTA_DEVICE static void on_memory_access(pasta::context<coalescing>& at, pasta::memory_access const& access) {
    if (access.space != pasta::memory_space::global) return;
    std::uint32_t const sector_bytes = at.options().sector_bytes;
    pasta::request_shape const shape = pasta::coalesce(access, sector_bytes);
    std::uint64_t const needed = sectors_needed(shape, sector_bytes);
    // The more waste the lower the key; requests of equal waste: the more sectors the lower.
    std::uint64_t const key = ~((shape.sectors - needed) << 32 | shape.sectors);
    pasta::observe_request(at.site().worst, key, access, sector_bytes);
    if (!pasta::warp::is_leader(access.lanes)) return;
    at.site().requests.add(1);
    at.site().sectors.add(shape.sectors);
    at.site().sectors_needed.add(needed);
    if (shape.lanes > 1) at.site().strides.add(shape.is_regular ? shape.stride_bytes : irregular);
  }

  void report(pasta::results<coalescing> const& found, pasta::report& out) const {
    for (auto const& kernel : found.kernels) {
      auto section = out.kernel(kernel);
      std::map<pasta::operation, sums> by_kind;
      sums all;
      std::vector<pasta::finding> findings;
      auto columns = pasta::site_columns();
      for (auto const& more : value_columns()) columns.push_back(more);
      columns.push_back({"stride", "bytes", pasta::column_role::value});
      auto sites = section.table("sites", columns);
      for (auto const& row : kernel.sites) {
        if (row.state.requests.value() == 0) continue;  // other memory, or another tool's site
        sums const sum = sums_of(row);
        by_kind[row.site.what] += sum;
        all += sum;
        sites.add(row.site, sum.requests, sum.sectors, sum.needed, sum.efficiency(), sum.lanes_per_request(),
                  sum.sectors_per_request(), usual_stride(row.state));
      }
      columns = value_columns();
      columns.insert(columns.begin(), {"access", "", pasta::column_role::key});
      auto totals = section.table("totals", columns);
      auto const add_total = [&](std::string_view name, sums const& sum) {
        totals.add(name, sum.requests, sum.sectors, sum.needed, sum.efficiency(), sum.lanes_per_request(),
                   sum.sectors_per_request());
      };
      for (auto const& [kind, sum] : by_kind) add_total(to_string(kind), sum);
      add_total("all", all);

      for (auto const& row : kernel.sites) {
        sums const sum = sums_of(row);
        if (sum.sectors > sum.needed) findings.push_back(find(row, sum, all, found.options.sector_bytes));
      }
      auto const rank = [](pasta::finding const& one) {
        return std::tuple(-*one.gain_at_most, one.place.file, one.place.line, one.place.column, one.message);
      };
      std::sort(findings.begin(), findings.end(), [&](auto const& a, auto const& b) { return rank(a) < rank(b); });
      for (auto& one : findings) {
        if (*one.gain_at_most >= found.options.minimum_gain) section.finding(std::move(one));
      }
    }
  }

 private:
  PASTA_DEVICE static std::uint64_t sectors_needed(pasta::request_shape const& shape, std::uint32_t sector_bytes) {
    return (std::uint64_t{shape.distinct_bytes} + sector_bytes - 1) / sector_bytes;
  }

  struct sums {
    std::uint64_t requests = 0, sectors = 0, needed = 0, lanes = 0;
    sums& operator+=(sums const& more) {
      requests += more.requests, sectors += more.sectors, needed += more.needed, lanes += more.lanes;
      return *this;
    }
    static double ratio(std::uint64_t of, std::uint64_t to) {
      return static_cast<double>(of) / static_cast<double>(to);
    }
    double efficiency() const { return ratio(needed, sectors); }
    double lanes_per_request() const { return ratio(lanes, requests); }
    double sectors_per_request() const { return ratio(sectors, requests); }
  };
  static sums sums_of(pasta::site_result<coalescing> const& row) {
    return {row.state.requests.value(), row.state.sectors.value(), row.state.sectors_needed.value(), row.executions};
  }
  static std::vector<pasta::column> value_columns() {
    using enum pasta::column_role;
    return {{"requests", "", value},    {"sectors", "", value}, {"sectors_needed", "", value},
            {"efficiency", "1", value}, {"lanes", "", value},   {"sectors_per_request", "", value}};
  }

  // The stride of more than half of the requests. Exact or empty, so that it never depends on the order of events.
  static std::optional<std::int64_t> usual_stride(site_state const& state) {
    auto const entries = state.strides.entries();
    if (entries.empty() || state.strides.error_bound() > 0 || 2 * entries[0].count <= state.strides.total()) return {};
    return entries[0].key == irregular ? std::nullopt : std::optional(entries[0].key);
  }

  static pasta::finding find(pasta::site_result<coalescing> const& row, sums const& sum, sums const& all,
                             std::uint32_t sector_bytes) {
    pasta::request_sample const sample = *row.state.worst.value();
    coalescing_detail::pattern const pattern(sample, row.site, sector_bytes);
    std::uint32_t const asked = pattern.shape().sectors;
    std::uint64_t const needed = sectors_needed(pattern.shape(), sector_bytes);
    // No request wastes more than the worst: if the sums say that each wastes as much, all are alike.
    bool const is_every_request = sum.sectors == sum.requests * asked && sum.needed == sum.requests * needed;
    double const gain = 1 / (1 - sums::ratio(sum.sectors - sum.needed, all.sectors));

    pasta::finding found;
    found.level = pasta::severity_of(gain);
    found.place = pasta::place_of(row.site);
    found.gain_at_most = gain;
    found.message =
        fmt::format("{} of {} bytes: {}{}; {:.4g} sectors per request where {:.4g} would do", to_string(row.site.what),
                    row.site.size_bytes, is_every_request ? "" : "in the worst request, ", pattern.describe(),
                    sum.sectors_per_request(), sums::ratio(sum.needed, sum.requests));
    if (auto const cure = pattern.best_cure(); cure.sectors < asked) {
      found.advice = fmt::format("{}: {} instead of {} sectors in {} request", cure.text, cure.sectors, asked,
                                 is_every_request ? "each" : "the worst");
    }
    return found;
  }
};

#endif
