// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Part of ptx/edits.hpp.
#ifndef PASTA_INSTRUMENT_PTX_DETAIL_EDITS_INL
#define PASTA_INSTRUMENT_PTX_DETAIL_EDITS_INL

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <pasta/instrument/ptx/edits.hpp>
#include <stdexcept>
#include <utility>

namespace pasta::ptx {

inline std::size_t edits::offset_of(std::string_view part) const {
  // std::less orders pointers of different arrays too.
  std::less<char const*> const is_before;
  if (is_before(part.data(), source_.data()) || is_before(source_.data() + source_.size(), part.data() + part.size()))
    throw std::logic_error("pasta::ptx::edits: the part is not one of the source");
  return static_cast<std::size_t>(part.data() - source_.data());
}

inline void edits::insert_before(std::string_view part, std::string text) {
  std::size_t const place = offset_of(part);
  changes_.push_back({place, place, order::before, std::move(text)});
}

inline void edits::insert_after(std::string_view part, std::string text) {
  std::size_t const place = offset_of(part) + part.size();
  // A part without text has one place only; what is inserted there stays in the order of the calls.
  changes_.push_back({place, place, part.empty() ? order::before : order::after, std::move(text)});
}

inline void edits::replace(std::string_view part, std::string text) {
  std::size_t const begin = offset_of(part);
  changes_.push_back({begin, begin + part.size(), part.empty() ? order::before : order::instead, std::move(text)});
}

inline std::string edits::apply() const {
  std::vector<change const*> in_order;
  in_order.reserve(changes_.size());
  std::size_t size = source_.size();
  for (change const& c : changes_) {
    in_order.push_back(&c);
    size += c.text.size();
  }
  auto const is_before = [](change const* a, change const* b) {
    if (a->begin != b->begin) return a->begin < b->begin;
    return a->place != b->place ? a->place < b->place : a < b;  // of equal ones the one made first
  };
  // Mostly the changes were made from front to back.
  if (!std::is_sorted(in_order.begin(), in_order.end(), is_before))
    std::sort(in_order.begin(), in_order.end(), is_before);

  std::string result;
  result.reserve(size);
  std::size_t copied = 0;  // of the source, with what was replaced
  for (change const* c : in_order) {
    if (c->begin < copied)
      throw std::logic_error(fmt::format("pasta::ptx::edits: two changes overlap at byte {}", c->begin));
    result.append(source_, copied, c->begin - copied);
    result += c->text;
    copied = c->end;
  }
  result.append(source_, copied);
  return result;
}

}  // namespace pasta::ptx
#endif
