// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Which registers are declared at a place of a function, and how wide they are.
#ifndef PASTA_INSTRUMENT_PTX_REGISTER_SCOPES_HPP
#define PASTA_INSTRUMENT_PTX_REGISTER_SCOPES_HPP

#include <cstdint>
#include <pasta/instrument/ptx/detail/parse_declaration.hpp>
#include <pasta/instrument/ptx/site_types.hpp>
#include <pasta/instrument/ptx/statement.hpp>
#include <pasta/instrument/ptx/token.hpp>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace pasta::ptx {

/// Follows the statements of a function in order. Names of an inner scope hide those of an outer one.
class register_scopes {
 public:
  /// To be called with each statement, from the body's `{` on.
  void pass(statement const& each) {
    if (each.kind == statement_kind::scope_begin) scopes_.emplace_back();
    if (each.kind == statement_kind::scope_end && !scopes_.empty()) scopes_.pop_back();
    if (each.kind == statement_kind::directive && !scopes_.empty()) declare(each.text);
  }

  /// Bits of a register that is declared here: 1 for a predicate, 64 for `.f64`; 0 if it is none.
  std::uint32_t bits_of(std::string_view name) const {
    std::size_t end = name.size();
    while (end > 0 && name[end - 1] >= '0' && name[end - 1] <= '9') --end;
    for (auto each = scopes_.rbegin(); each != scopes_.rend(); ++each) {
      if (auto const found = each->names.find(name); found != each->names.end()) return found->second;
      if (end == name.size()) continue;
      auto const found = each->families.find(name.substr(0, end));
      if (found != each->families.end() && detail::integer_of(name.substr(end)) < found->second.count)
        return found->second.bits;
    }
    return 0;
  }

 private:
  struct family {
    std::uint32_t bits;
    std::uint64_t count;
  };
  struct scope {
    std::unordered_map<std::string_view, std::uint32_t> names;
    std::unordered_map<std::string_view, family> families;  // `%r` of `%r<9>`
  };

  void declare(std::string_view text) {
    token_reader reader(text);
    if (!reader.next().is(".reg")) return;
    std::uint32_t bits = 0;
    token t = reader.next();
    for (; t.is_directive(); t = reader.next()) {
      bits = t.is(".pred") ? 1 : ptx::bits_of(t.text.substr(1));
    }
    for (; t.kind == token_kind::word; t = reader.next()) {
      std::string_view const name = t.text;
      if (reader.peek().is('<')) {
        reader.next();
        scopes_.back().families[name] = {bits, detail::integer_of(reader.next().text)};
        reader.next();
      } else {
        scopes_.back().names[name] = bits;
      }
      if (!reader.next().is(',')) return;
    }
  }

  std::vector<scope> scopes_;
};

}  // namespace pasta::ptx
#endif
