// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_INSTRUMENT_PTX_DETAIL_BLOCKS_INL
#define PASTA_INSTRUMENT_PTX_DETAIL_BLOCKS_INL

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <pasta/instrument/ptx/blocks.hpp>
#include <pasta/instrument/ptx/instruction.hpp>
#include <pasta/instrument/ptx/token.hpp>
#include <unordered_map>
#include <utility>

namespace pasta::ptx {
namespace detail {

[[noreturn]] inline void fail_missing(std::string_view what, std::string_view name, std::uint32_t line) {
  throw unknown_label(fmt::format("the {} {} of line {} is missing", what, name.substr(0, 200), line));
}

/// Where labels of a function stand. A label is known in its scope and in those within.
class labels {
 public:
  /// @param outer the scope around a scope, by the scope's number
  explicit labels(std::unordered_map<std::size_t, std::size_t> const& outer) : outer_(&outer) {}

  void add(std::string_view name, std::size_t scope, std::size_t statement) { places_[{scope, name}] = statement; }

  /// @param line of what names it. @throws unknown_label
  std::size_t find(std::string_view what, std::string_view name, std::size_t scope, std::uint32_t line) const {
    for (;;) {
      if (auto const found = places_.find({scope, name}); found != places_.end()) return found->second;
      auto const outer = outer_->find(scope);
      if (outer == outer_->end()) break;
      scope = outer->second;
    }
    fail_missing(what, name, line);
  }

 private:
  std::unordered_map<std::size_t, std::size_t> const* outer_;
  std::map<std::pair<std::size_t, std::string_view>, std::size_t> places_;
};

/// `$L:` without the colon.
inline std::string_view label_name(std::string_view text) { return trim(text.substr(0, text.find_last_of(':'))); }

/// The names behind `.branchtargets`.
inline std::vector<std::string_view> listed_labels(std::string_view text) {
  std::string_view rest = text.substr(std::min(text.find_first_of(" \t\r\n"), text.size()));
  std::vector<std::string_view> names;
  while (!rest.empty()) {
    std::size_t const end = std::min(rest.find_first_of(",;"), rest.size());
    if (std::string_view const name = trim(rest.substr(0, end)); !name.empty()) names.push_back(name);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return names;
}

/// A way from the end of a loop to its begin, by the order of the text: all loops have one, since something must lead
/// back. What stands in between counts as of the loop, also where it is not.
struct way_back {
  std::size_t begin, end;
};

/// How many loops are around each statement: how many different places behind or at it lead back before it.
inline std::vector<std::uint32_t> depths_of(std::vector<way_back> ways, std::size_t first, std::size_t count) {
  // The longest way to each place stands for all: depth counts loops, not jumps.
  std::sort(ways.begin(), ways.end(),
            [](auto const& a, auto const& b) { return a.begin != b.begin ? a.begin < b.begin : a.end > b.end; });
  ways.erase(std::unique(ways.begin(), ways.end(), [](auto const& a, auto const& b) { return a.begin == b.begin; }),
             ways.end());
  std::vector<std::uint32_t> depths(count + 1, 0);
  for (way_back const& way : ways) {
    ++depths[way.begin - first];
    --depths[way.end + 1 - first];  // wraps, and comes right in the sum
  }
  for (std::size_t i = 1; i < depths.size(); ++i) depths[i] += depths[i - 1];
  return depths;
}

/// Says of each block where control may go behind it. @param jumps from one statement to another
inline void connect(module const& from, std::vector<block>& all,
                    std::vector<std::pair<std::size_t, std::size_t>> const& jumps) {
  auto const block_of = [&](std::size_t statement) {
    auto const behind = std::upper_bound(all.begin(), all.end(), statement,
                                         [](std::size_t place, block const& each) { return place < each.begin; });
    return static_cast<std::size_t>(behind - all.begin()) - 1;
  };
  for (auto const& [place, to] : jumps) all[block_of(place)].next.push_back(block_of(to));
  for (std::size_t i = 0; i + 1 < all.size(); ++i) {
    statement const& last = from.statements[all[i].end - 1];
    if (last.kind != statement_kind::instruction || falls_through(read_instruction(last.text)))
      all[i].next.push_back(i + 1);
  }
}

}  // namespace detail

inline blocks::blocks(module const& from, function const& body)
    : begin_(body.begin), scopes_(body.end - body.begin + 1) {
  auto const& statements = from.statements;
  std::unordered_map<std::size_t, std::size_t> outer;
  detail::labels labels(outer);
  std::vector<std::size_t> open;
  for (std::size_t i = body.begin; i <= body.end; ++i) {
    statement const& each = statements[i];
    if (each.kind == statement_kind::scope_begin) {
      if (!open.empty()) outer[i] = open.back();
      open.push_back(i);
    }
    scopes_[i - begin_] = open.back();
    if (each.kind == statement_kind::scope_end) open.pop_back();
    if (each.kind == statement_kind::label) labels.add(detail::label_name(each.text), open.back(), i);
  }

  std::vector<detail::way_back> ways;
  std::vector<std::pair<std::size_t, std::size_t>> jumps;
  block current{body.begin + 1, body.begin + 1, 0};
  auto const close = [&](std::size_t end) {
    current.end = end;
    if (current.end > current.begin) all_.push_back(current);
    current.begin = end;
  };
  for (std::size_t i = body.begin + 1; i < body.end; ++i) {
    statement const& each = statements[i];
    if (each.kind == statement_kind::label) close(i);
    if (each.kind != statement_kind::instruction) continue;
    instruction const read = read_instruction(each.text);
    auto const jump_to = [&](std::string_view name) {
      std::size_t const to = labels.find("label", name, scope_of(i), each.line);
      if (to <= i) ways.push_back({to, i});
      jumps.emplace_back(i, to);
    };
    if (auto const target = jump_target(read); !target.empty()) jump_to(target);
    if (auto const list = target_list(read); !list.empty()) {
      std::string_view const text = statements[labels.find("list", list, scope_of(i), each.line) + 1].text;
      if (!text.starts_with(".branchtargets")) detail::fail_missing("list", list, each.line);
      for (std::string_view const name : detail::listed_labels(text)) jump_to(name);
    }
    if (ends_block(read) || control_of(read) == control::call) close(i + 1);
  }
  close(body.end);

  auto const depths = detail::depths_of(std::move(ways), begin_, scopes_.size());
  for (block& each : all_) each.loop_depth = depths[each.begin - begin_];
  detail::connect(from, all_, jumps);
}

}  // namespace pasta::ptx
#endif
