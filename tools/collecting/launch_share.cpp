// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "launch_share.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <pasta/report/text_table.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace pasta::collecting {

namespace {

std::uint64_t not_seen(loss const& of) {
  std::uint64_t const known = of.launches_delivered + of.launches_sampled_out + of.launches_lost;
  return of.launches_seen - std::min(of.launches_seen, known);
}
double percent(std::uint64_t part, std::uint64_t of) {
  return of == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(of);
}
std::string count(std::uint64_t n) { return with_separators(fmt::format("{}", n)); }

loss sum_of(std::vector<kernel_section> const& kernels) {
  loss sum;
  for (kernel_section const& kernel : kernels) {
    sum.launches_seen += kernel.losses.launches_seen;
    sum.launches_delivered += kernel.losses.launches_delivered;
    sum.launches_sampled_out += kernel.losses.launches_sampled_out;
    sum.launches_lost += kernel.losses.launches_lost;
  }
  return sum;
}

// Their kernels' sections say why.
void add_note(report_model& model, loss const& sum) {
  if (not_seen(sum) == 0) return;
  std::string text =
      fmt::format("Route {}: of {} launches {} were analysed ({:.3g} %)", model.header.route, sum.launches_seen,
                  sum.launches_delivered, percent(sum.launches_delivered, sum.launches_seen));
  if (sum.launches_sampled_out > 0) text += fmt::format(", {} left out by choice", sum.launches_sampled_out);
  if (sum.launches_lost > 0) text += fmt::format(", {} lost", sum.launches_lost);
  text += fmt::format(", and {} could not be; their kernels say why", not_seen(sum));
  if (model.header.route == "ptx") text += " (route patch sees machine code as it is)";
  model.notes.push_back(text + ".");
}

// "4 launches: it was built without PASTA's counters" without the number.
std::string_view reason_of(std::string_view sentence) {
  std::size_t const colon = sentence.find(": ");
  bool const has_number =
      colon != std::string_view::npos && !sentence.empty() && sentence[0] >= '0' && sentence[0] <= '9';
  return has_number ? sentence.substr(colon + 2) : sentence;
}

std::string reasons(std::vector<kernel_section> const& kernels) {
  constexpr std::size_t most = 3;
  std::set<std::string> all;
  for (kernel_section const& kernel : kernels) {
    if (not_seen(kernel.losses) == 0) continue;
    for (std::string const& each : kernel.losses.not_instrumentable) all.emplace(reason_of(each));
  }
  std::string text;
  std::size_t shown = 0;
  for (std::string const& each : all) {
    if (++shown > most) return text + "; …";
    text += (text.empty() ? "" : "; ") + each;
  }
  return text;
}

std::string seen_by_route(std::vector<kernel_section> const& kernels, loss const& sum) {
  std::set<std::pair<std::string, std::string>> launched, seen;  // name, route
  std::map<std::string, std::uint64_t> by_route{{"ptx", 0}, {"patch", 0}};
  for (kernel_section const& kernel : kernels) {
    if (kernel.losses.launches_seen > 0) launched.emplace(kernel.kernel, kernel.route);
    if (kernel.losses.launches_delivered > 0) seen.emplace(kernel.kernel, kernel.route);
    if (!kernel.route.empty()) by_route[kernel.route] += kernel.losses.launches_delivered;
  }
  std::string text = fmt::format("{} of {} kernels, {} of {} launches", count(seen.size()), count(launched.size()),
                                 count(sum.launches_delivered), count(sum.launches_seen));
  char const* separator = ": ";
  for (char const* route : {"ptx", "patch"}) {
    text += fmt::format("{}{} by {} ({:.3g} %)", separator, count(by_route[route]), route,
                        percent(by_route[route], sum.launches_seen));
    separator = ", ";
  }
  if (sum.launches_sampled_out > 0) text += fmt::format("; {} left out by choice", count(sum.launches_sampled_out));
  if (sum.launches_lost > 0) text += fmt::format("; {} lost", count(sum.launches_lost));
  if (std::uint64_t const rest = not_seen(sum); rest > 0) {
    std::string const why = reasons(kernels);
    text += fmt::format("; {} not seen{}{}", count(rest), why.empty() ? "" : ": ", why);
  }
  return text;
}

}  // namespace

void tell_share(report_model& of) {
  if (of.tools.empty()) return;
  std::vector<kernel_section> const& kernels = of.tools.front().kernels;
  loss const sum = sum_of(kernels);
  if (of.header.route != "auto") return add_note(of, sum);
  if (sum.launches_seen > 0) of.header.seen = seen_by_route(kernels, sum);
}

}  // namespace pasta::collecting
