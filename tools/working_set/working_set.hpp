// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_WORKING_SET_HPP
#define PASTA_TOOLS_WORKING_SET_HPP

#include <fmt/format.h>

#include <pasta/pasta.hpp>

/// How much memory does each kernel touch, of which allocation, and which pages most?
struct working_set : pasta::tool<working_set> {
  using events = pasta::events<pasta::memory_access>;
  using shadow = pasta::shadow_bits<128>;
  static constexpr std::string_view summary = "how much memory a kernel touches, of which allocation, and where most";

  struct options {
    std::uint32_t memory = 512, hottest = 8;
    static constexpr auto describe() {
      return std::tuple{
          pasta::report_option("memory", &options::memory,
                               "most memory that bits and counts take on a device [MiB]; above it the grain is coarser",
                               1, 65536),
          pasta::report_option("hottest", &options::hottest, "how many pages of each kernel are listed", 0, 1000)};
    }
  };

  /// Most memory that the shadow bits of all kernels take.
  static std::uint64_t shadow_limit_bytes(options const& given) { return std::uint64_t{given.memory} << 20; }

  PASTA_DEVICE static constexpr bool watches(pasta::site_key const& site) {
    return site.space() == pasta::memory_space::global;
  }
  PASTA_DEVICE static void on_memory_access(pasta::context<working_set>& at, pasta::memory_access const& a) {
    at.shadow().set(a.lanes, a.address, a.size_bytes);
  }

  void report(pasta::results<working_set> const& found, pasta::report& out) const {
    for (auto const& kernel : found.kernels) {
      auto section = out.kernel(kernel);
      if (kernel.touched.allocations.empty() && kernel.touched.unknown_accesses == 0) continue;
      add_totals(kernel.touched, section);
      add_allocations(kernel.touched, section);
      add_hottest(kernel.touched, found.options.hottest, section);
    }
  }

 private:
  static double share(std::uint64_t part, std::uint64_t whole) {
    return static_cast<double>(part) / static_cast<double>(whole);  // of nothing: not a number, and so not known
  }
  static std::uint64_t accesses_of(pasta::touched_memory const& touched) {
    std::uint64_t all = 0;
    for (auto const& each : touched.allocations) all += each.accesses();
    return all;
  }

  template <class Section>
  static void add_totals(pasta::touched_memory const& touched, Section& section) {
    using enum pasta::column_role;
    std::uint64_t footprint = 0, in_lines = 0, in_pages = 0, line_bytes = 0, page_bytes = 0;
    for (auto const& each : touched.allocations) {
      footprint += each.allocation.size_bytes;
      in_lines += each.line_grain_bytes();
      in_pages += each.page_grain_bytes();
      line_bytes = std::max(line_bytes, each.line_bytes());
      page_bytes = std::max(page_bytes, each.page_bytes());
    }
    auto table = section.table("totals", {{"allocations", "", value},
                                          {"footprint", "bytes", value},
                                          {"in_lines", "bytes", value},
                                          {"in_pages", "bytes", value},
                                          {"share", "1", value},
                                          {"line", "bytes", value},
                                          {"page", "bytes", value},
                                          {"accesses", "", value},
                                          {"unknown_accesses", "", value}});
    table.add(touched.allocations.size(), footprint, in_lines, in_pages, share(in_lines, footprint), line_bytes,
              page_bytes, accesses_of(touched), touched.unknown_accesses);
  }

  template <class Section>
  static void add_allocations(pasta::touched_memory const& touched, Section& section) {
    using enum pasta::column_role;
    auto table = section.table("allocations", {{"allocation", "", key},
                                               {"size", "bytes", value},
                                               {"in_lines", "bytes", value},
                                               {"in_pages", "bytes", value},
                                               {"share", "1", value},
                                               {"accesses", "", value}});
    for (auto const& each : touched.allocations) {
      table.add(each.allocation.number, each.allocation.size_bytes, each.line_grain_bytes(), each.page_grain_bytes(),
                share(each.line_grain_bytes(), each.allocation.size_bytes), each.accesses());
    }
  }

  template <class Section>
  static void add_hottest(pasta::touched_memory const& touched, std::size_t most, Section& section) {
    using enum pasta::column_role;
    struct page {
      std::uint32_t allocation, number;  // index in touched, page in it
    };
    std::vector<std::uint64_t> coldness;  // ascending: the page with most accesses comes first
    std::vector<page> pages;
    for (std::size_t i = 0; i < touched.allocations.size(); ++i) {
      auto const& accesses = touched.allocations[i].page_accesses;
      for (std::size_t number = 0; number < accesses.size(); ++number) {
        if (accesses[number] == 0) continue;
        coldness.push_back(~accesses[number]);
        pages.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(number)});
      }
    }
    pasta::sort_by_key(coldness, pages);
    pages.resize(std::min(pages.size(), most));
    if (pages.empty()) return;
    std::uint64_t const all = accesses_of(touched);
    auto table = section.table("hottest_pages", {{"allocation", "", key},
                                                 {"offset", "bytes", key},
                                                 {"accesses", "", value},
                                                 {"share", "1", value},
                                                 {"lines", "", value}});
    for (auto const& [index, number] : pages) {
      auto const& of = touched.allocations[index];
      table.add(of.allocation.number, of.page_address(number) - of.allocation.address, of.page_accesses[number],
                share(of.page_accesses[number], all), of.lines_in_page(number));
    }
  }
};

#endif
