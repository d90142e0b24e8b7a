// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_COALESCING_HPP
#define PASTA_TOOLS_COALESCING_HPP

#include <fmt/format.h>

#include <pasta/pasta.hpp>

namespace coalescing_detail {

/// What a finding says about one request, in words.
class wording {
 public:
  wording(pasta::request_pattern const& pattern, pasta::site_info const& site, std::uint32_t sector_bytes)
      : pattern_(&pattern), site_(&site), sector_bytes_(sector_bytes) {}

  /// For example "lane i+1 writes 1024 elements after lane i".
  std::string describe(std::uint64_t first_byte) const {
    std::string_view const verb = site_->what == pasta::operation::load    ? "read"
                                  : site_->what == pasta::operation::store ? "write"
                                                                           : "update";
    std::string text;
    switch (pattern_->kind()) {
      case pasta::request_kind::single:
        text = fmt::format("one lane {}s one element", verb);
        break;
      case pasta::request_kind::regular: {
        text = describe_step(verb);
        std::uint32_t const span = pattern_->span_lanes(), idle = span - pattern_->shape().lanes;
        if (idle > 0) text += fmt::format(", {} of {} lanes are idle", idle, span);
        break;
      }
      case pasta::request_kind::groups:
        text = fmt::format("{} groups of {} lanes, {} apart, in which {}", pattern_->group_count(),
                           pattern_->group_lanes(), distance(pattern_->group_step_bytes()), describe_step(verb));
        break;
      case pasta::request_kind::rising:
        text = fmt::format("each lane {}s after the lane before, at irregular distances", verb);
        break;
      case pasta::request_kind::mixed:
        text = fmt::format("lanes {} here and there (a {})", verb, verb == "read" ? "gather" : "scatter");
        break;
    }
    if (pattern_->sectors_aligned() < pattern_->shape().sectors) {
      text += fmt::format(", from {} byte{} after a sector's begin", first_byte, first_byte == 1 ? "" : "s");
    }
    return text;
  }

  /// What would help, with the sectors that the request would then ask for.
  struct cure {
    std::uint32_t sectors;
    std::string text;
  };

  /// The cure that leaves the fewest sectors; of equals the one that changes least.
  cure best_cure() const {
    cure const rows{pattern_->sectors_padded(), padding()}, packed{pattern_->sectors_packed(), std::string(packing())};
    bool const has_rows =
        pattern_->kind() != pasta::request_kind::rising && pattern_->kind() != pasta::request_kind::mixed;
    return has_rows && rows.sectors <= packed.sectors ? rows : packed;
  }

 private:
  std::string distance(std::int64_t bytes) const {
    std::uint64_t const size = site_->size_bytes, length = static_cast<std::uint64_t>(std::abs(bytes));
    if (length % size != 0) return fmt::format("{} bytes", length);
    return fmt::format("{} element{}", length / size, length == size ? "" : "s");
  }
  std::string describe_step(std::string_view verb) const {
    std::int64_t const bytes = pattern_->stride_bytes();
    if (bytes == 0) return fmt::format("all lanes {} one element", verb);
    return fmt::format("lane i+1 {}s {} {} lane i", verb, distance(bytes), bytes > 0 ? "after" : "before");
  }

  std::string padding() const {
    std::uint32_t const size = site_->size_bytes;
    std::string const length =
        sector_bytes_ % size == 0 ? fmt::format(" (pad them to a multiple of {} elements)", sector_bytes_ / size) : "";
    return fmt::format(
        "let the array and its rows start at multiples of {} bytes{}; neighbours that a stencil reads can come from "
        "a tile in shared memory",
        sector_bytes_, length);
  }
  std::string_view packing() const {
    switch (pattern_->kind()) {
      case pasta::request_kind::rising:
        return "let the lanes of a warp go through one row together, not each lane through its own";
      case pasta::request_kind::groups:
        return "make blocks at least a warp wide in x, so that a warp stays in one row";
      case pasta::request_kind::mixed:
        if (site_->what == pasta::operation::atomic) {
          return "add up in shared memory first, or sort the keys, so that a warp updates elements side by side (their "
                 "order "
                 "within the warp does not matter)";
        }
        return "sort or bin the indices, or reorder the data, so that a warp's elements lie side by side (their order "
               "within "
               "the warp does not matter)";
      default:
        break;
    }
    constexpr std::int64_t largest_record_bytes = 128;  // a longer step is taken for a row
    std::int64_t const step = std::abs(pattern_->stride_bytes());
    if (step == site_->size_bytes)
      return "let neighbouring lanes take the active work, so that none between them is idle";
    if (step <= largest_record_bytes) {
      return "keep the values that lanes access together side by side: a structure of arrays, or the next element for "
             "lane i+1";
    }
    return "let lane i+1 take the next element (swap the loops or store the array transposed), or stage tiles in "
           "shared memory";
  }

  pasta::request_pattern const* pattern_;
  pasta::site_info const* site_;
  std::uint32_t sector_bytes_;
};

}  // namespace coalescing_detail

/// Finds global loads, stores and atomics that move more sectors than their bytes need, by source line, and says what
/// would help.
struct coalescing : pasta::tool<coalescing> {
  using events = pasta::events<pasta::memory_access>;
  static constexpr std::string_view summary = "finds global memory accesses that waste bandwidth, by source line";

  struct options {
    std::uint32_t sector_bytes = 32;
    double minimum_gain = 1.01;
    static constexpr auto describe() {
      return std::tuple{pasta::option("sector-bytes", &options::sector_bytes,
                                      "what memory moves at once [bytes]: 32 on NVIDIA, 64 or 128 on AMD", 8, 4096),
                        pasta::report_option("minimum-gain", &options::minimum_gain,
                                             "report a line if the kernel could gain this much [1]", 1, 1000)};
    }
  };

  static constexpr std::int32_t irregular = std::numeric_limits<std::int32_t>::min();
  struct site_state {
    pasta::count requests, sectors, sectors_needed;
    pasta::common_value<std::int32_t> stride;  // of requests with two lanes or more [bytes]
    pasta::worst_request worst;                // the request with the most unneeded sectors, if any has them
  };

  PASTA_DEVICE static constexpr bool watches(pasta::site_key const& site) {
    return site.space() == pasta::memory_space::global;
  }
  /// Requests that are a multiple of a sector apart have the same shape.
  static constexpr std::uint32_t address_period(options const& chosen) { return chosen.sector_bytes; }

  PASTA_DEVICE static void on_memory_access(pasta::context<coalescing>& at, pasta::memory_access const& access) {
    std::uint32_t const sector_bytes = at.options().sector_bytes;
    pasta::request_shape const shape = pasta::coalesce(access, sector_bytes);
    if (shape.sectors > shape.sectors_needed) {
      pasta::observe_request(at, &site_state::worst, rank_of(shape), access, shape, sector_bytes);
    }
    if (!pasta::warp::is_leader(access)) return;
    at.site().requests.add(1);
    at.site().sectors.add(shape.sectors);
    at.site().sectors_needed.add(shape.sectors_needed);
    if (shape.lanes > 1) at.site().stride.observe(stride_of(shape));
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
        if (row.state.requests.value() == 0) continue;  // another tool's site
        sums const sum = sums_of(row);
        by_kind[row.site.what] += sum;
        all += sum;
        sites.add(row.site, sum.requests, sum.sectors, sum.needed, sum.efficiency(), sum.lanes_per_request(),
                  sum.sectors_per_request(), common_stride(row.state));
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
  // The more waste the lower; requests of equal waste: the more sectors the lower.
  PASTA_DEVICE static std::uint32_t rank_of(pasta::request_shape const& shape) {
    std::uint32_t const wasted = shape.sectors - shape.sectors_needed;
    return ~((wasted < 0xffff ? wasted : 0xffff) << 16 | (shape.sectors < 0xffff ? shape.sectors : 0xffff));
  }
  // Lanes that are 2 GiB apart or more have no stride worth a name.
  PASTA_DEVICE static std::int32_t stride_of(pasta::request_shape const& shape) {
    auto const stride = static_cast<std::int32_t>(shape.stride_bytes);
    return shape.is_regular && stride == shape.stride_bytes ? stride : irregular;
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

  // The stride of all requests, where they have the same.
  static std::optional<std::int32_t> common_stride(site_state const& state) {
    std::optional<std::int32_t> const stride = state.stride.value();
    return stride == irregular ? std::nullopt : stride;
  }

  static pasta::finding find(pasta::site_result<coalescing> const& row, sums const& sum, sums const& all,
                             std::uint32_t sector_bytes) {
    pasta::request_sample const sample = *row.state.worst.get().value();
    pasta::request_pattern const pattern(sample, row.site.size_bytes, sector_bytes);
    coalescing_detail::wording const words(pattern, row.site, sector_bytes);
    std::uint32_t const asked = pattern.shape().sectors;
    std::uint64_t const needed = pattern.shape().sectors_needed;
    // No request wastes more than the worst: if the sums say that each wastes as much, all are alike.
    bool const is_every_request = sum.sectors == sum.requests * asked && sum.needed == sum.requests * needed;
    double const gain = 1 / (1 - sums::ratio(sum.sectors - sum.needed, all.sectors));

    pasta::finding found;
    found.level = pasta::severity_of(gain);
    found.place = pasta::place_of(row.site);
    found.gain_at_most = gain;
    found.message = fmt::format("{} of {} bytes: {}{}; {:.4g} sectors per request where {:.4g} would do",
                                to_string(row.site.what), row.site.size_bytes,
                                is_every_request ? "" : "in the worst request, ", words.describe(sample.first_byte),
                                sum.sectors_per_request(), sums::ratio(sum.needed, sum.requests));
    if (auto const cure = words.best_cure(); cure.sectors < asked) {
      found.advice = fmt::format("{}: {} instead of {} sectors in {} request", cure.text, cure.sectors, asked,
                                 is_every_request ? "each" : "the worst");
    }
    return found;
  }
};

#endif
