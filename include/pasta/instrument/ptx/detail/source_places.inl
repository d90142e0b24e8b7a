// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Part of ptx/source_places.hpp.
#ifndef PASTA_INSTRUMENT_PTX_DETAIL_SOURCE_PLACES_INL
#define PASTA_INSTRUMENT_PTX_DETAIL_SOURCE_PLACES_INL

#include <array>
#include <cstdint>
#include <map>
#include <pasta/instrument/ptx/detail/debug_strings.hpp>
#include <pasta/instrument/ptx/source_places.hpp>
#include <pasta/instrument/ptx/token.hpp>
#include <tuple>

namespace pasta::ptx {

namespace detail {

inline constexpr std::uint32_t max_chain = 256;

using position = std::array<std::uint32_t, 3>;  // number of the file, line, column

struct loc_directive {
  position at{}, caller{};
  std::string_view label;  // of the function's name
  std::uint64_t label_offset = 0;
  bool is_inlined = false;
};

inline loc_directive parse_loc(std::string_view text) {
  loc_directive result;
  token_reader reader(text);
  reader.next();  // `.loc`
  auto const read_place = [&](position& place) {
    for (std::uint32_t& number : place) {
      if (reader.peek().kind == token_kind::number) number = integer32_of(reader.next().text);
    }
  };
  read_place(result.at);
  for (token t = reader.next(); t.kind != token_kind::end; t = reader.next()) {
    if (t.is("function_name")) {
      result.label = reader.next().text;
      if (!reader.peek().is('+')) continue;
      reader.next();
      result.label_offset = integer_of(reader.next().text);
    } else if (t.is("inlined_at")) {
      read_place(result.caller);
      result.is_inlined = true;
    }
  }
  return result;
}

/// Follows the `.loc` directives of a module from front to back.
class place_tracker {
 public:
  place_tracker(module const& from, debug_strings const& names, std::vector<source_place>& places)
      : names_(names), places_(places) {
    for (source_file const& file : from.files) files_.emplace(file.number, file.name);
  }

  void begin_function() { last_.clear(); }

  /// @return the number of the place.
  std::uint32_t enter(loc_directive const& loc) {
    std::string_view name;
    std::uint32_t caller = no_place;
    if (loc.is_inlined) {
      name = names_.find(loc.label, loc.label_offset);
      caller = find_caller(loc.caller, name);
    }
    std::uint32_t const number = number_of(loc.at, name, caller);
    last_[loc.at] = number;
    return number;
  }

 private:
  std::uint32_t find_caller(position const& at, std::string_view name) {
    auto const found = last_.find(at);
    if (found == last_.end()) return number_of(at, {}, no_place);
    std::uint32_t const caller = found->second;
    // All of f, g and h on one line: `f at g` may follow `h at f`, and has to go back to g.
    for (std::uint32_t i = caller; places_[i].caller != no_place; i = places_[i].caller) {
      if (places_[i].function.data() == name.data() && positions_[places_[i].caller] == at) return places_[i].caller;
    }
    return depths_[caller] < max_chain ? caller : no_place;
  }

  std::uint32_t number_of(position const& at, std::string_view name, std::uint32_t caller) {
    // Names are told apart by where they stand: to compare their text would take its length each time.
    auto const key = std::tuple(at, reinterpret_cast<std::uintptr_t>(name.data()), caller);
    auto const [entry, is_new] = numbers_.try_emplace(key, static_cast<std::uint32_t>(places_.size()));
    if (is_new) {
      auto const file = files_.find(at[0]);
      places_.push_back({file == files_.end() ? std::string_view() : file->second, at[1], at[2], name, caller});
      positions_.push_back(at);
      depths_.push_back(caller == no_place ? 1 : depths_[caller] + 1);
    }
    return entry->second;
  }

  debug_strings const& names_;
  std::vector<source_place>& places_;
  std::vector<position> positions_;    // of the places
  std::vector<std::uint32_t> depths_;  // lengths of the chains from the places
  std::map<std::uint32_t, std::string_view> files_;
  std::map<position, std::uint32_t> last_;  // the last place with each position in this function
  std::map<std::tuple<position, std::uintptr_t, std::uint32_t>, std::uint32_t> numbers_;
};

}  // namespace detail

inline source_places::source_places(module const& from) {
  detail::debug_strings names;
  for (statement const& s : from.statements) {
    if (s.kind == statement_kind::section) names.add(s.text);
  }
  names_ = names.finish();

  detail::place_tracker tracker(from, names, places_);
  of_statement_.reserve(from.statements.size());
  std::uint32_t in_force = no_place, function = no_function;
  for (statement const& s : from.statements) {
    // A declaration within a body belongs to another function, but the body goes on behind it.
    if (s.kind != statement_kind::function_head && s.function != function) {
      function = s.function;
      in_force = no_place;
      tracker.begin_function();
    }
    if (s.kind == statement_kind::directive && token_reader(s.text).next().is(".loc"))
      in_force = tracker.enter(detail::parse_loc(s.text));
    of_statement_.push_back(s.kind == statement_kind::function_head ? no_place : in_force);
  }
}

inline std::vector<source_place> source_places::chain(std::size_t statement) const {
  std::vector<source_place> result;
  for (std::uint32_t i = of_statement_[statement]; i != no_place; i = places_[i].caller) result.push_back(places_[i]);
  return result;
}

}  // namespace pasta::ptx
#endif
