// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_INSTRUMENT_PTX_DETAIL_LIVE_REGISTERS_HPP
#define PASTA_INSTRUMENT_PTX_DETAIL_LIVE_REGISTERS_HPP

#include <algorithm>
#include <pasta/instrument/ptx/blocks.hpp>
#include <pasta/instrument/ptx/detail/loop_values.hpp>
#include <pasta/instrument/ptx/instruction.hpp>
#include <pasta/instrument/ptx/module.hpp>
#include <pasta/instrument/ptx/register_scopes.hpp>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace pasta::ptx::detail {

/// Which registers of 32 and 64 bits of a function's own scope are read later, and worth being kept in memory
/// meanwhile: not those that are the same for all lanes, which the assembler may have elsewhere, nor those that several
/// accesses are relative to, of which it knows what they are a multiple of, nor those of an asynchronous product
/// (wgmma), which nothing else may look at until it is done. An instruction that is not understood may make it a
/// register too many or too few.
class live_registers {
 public:
  struct known_register {
    std::string_view name;
    std::uint32_t bits;
  };

  live_registers(module const& from, function const& body, blocks const& parts) : from_(&from), parts_(&parts) {
    register_scopes scopes;
    for (std::size_t i = body.begin; i < body.end; ++i) scopes.pass(from.statements[i]);
    auto const& all = parts.all();
    std::vector<uses> of(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t at = all[i].begin; at < all[i].end; ++at) look_at(at, scopes);
    }
    is_known_ = all.size() * known_.size() <= most_looked_at;
    if (!is_known_) return;
    for (std::size_t i = 0; i < all.size(); ++i) {
      of[i].live.assign(known_.size(), false);
      for (std::size_t at = all[i].end; at-- > all[i].begin;) step_back(at, of[i].live, &of[i].written);
    }
    find_varying();
    std::vector<std::vector<bool>> at_end(all.size(), std::vector<bool>(known_.size(), false));
    for (bool changes = true; changes;) {
      changes = false;
      for (std::size_t i = all.size(); i-- > 0;) {
        std::vector<bool>& end = at_end[i];
        for (std::size_t const next : all[i].next) {
          for (std::size_t each = 0; each < known_.size(); ++each) {
            if (end[each] || !of[next].live[each]) continue;
            end[each] = changes = true;
            if (std::find(of[i].written.begin(), of[i].written.end(), each) == of[i].written.end())
              of[i].live[each] = true;
          }
        }
      }
    }
    at_end_ = std::move(at_end);
  }

  /// Registers with a value before a statement that is read at it or later, and worth it.
  std::vector<known_register> before(std::size_t statement) const {
    if (!is_known_) return {};
    auto const& all = parts_->all();
    std::size_t block = 0;
    while (block + 1 < all.size() && all[block].end <= statement) ++block;
    std::vector<bool> live = at_end_[block];
    for (std::size_t at = all[block].end; at-- > statement;) step_back(at, live, nullptr);
    std::vector<known_register> found;
    for (std::size_t i = 0; i < known_.size(); ++i) {
      if (live[i] && is_varying_[i] && !is_of_product_[i] && based_[i] < 2) found.push_back(known_[i]);
    }
    return found;
  }

 private:
  struct uses {
    std::vector<bool> live;            // read before it is written
    std::vector<std::size_t> written;  // wherever
  };

  void look_at(std::size_t statement, register_scopes const& scopes) {
    statement_uses made;
    if (from_->statements[statement].kind == statement_kind::instruction) {
      instruction const what = read_instruction(from_->statements[statement].text);
      auto const add = [&](std::string_view operand, std::vector<std::size_t>& to) {
        for (std::string_view name : names_in(operand)) {
          name = name.substr(0, name.find('.'));
          std::uint32_t const bits = scopes.bits_of(name);
          if (bits != 32 && bits != 64) continue;
          auto const [found, is_new] = numbers_.try_emplace(name, known_.size());
          if (is_new) known_.push_back({name, bits});
          to.push_back(found->second);
        }
      };
      made.is_product = what.name == "wgmma";
      made.makes_varying = !is_pure(what) && !(what.name == "ld" && what.has("param"));
      for (std::size_t i = 0; i < what.operands.size(); ++i) {
        if (what.operands[i].starts_with('[')) add(read_address(what.operands[i]).base, made.based);
        for (std::string_view const name : names_in(what.operands[i])) {
          made.makes_varying |= name.starts_with('%') && scopes.bits_of(name.substr(0, name.find('.'))) == 0 &&
                                !name.starts_with("%ctaid") && !name.starts_with("%nctaid") &&
                                !name.starts_with("%ntid");
        }
        // What is written stands first, if anything is. Under a guard it may keep its value.
        bool const is_written = i == 0 && !what.operands[0].starts_with('[') && what.name != "call";
        if (!is_written || what.guard) add(what.operands[i], made.read);
        if (is_written && !what.guard) add(what.operands[i], made.written);
      }
    }
    based_.resize(known_.size());
    is_of_product_.resize(known_.size());
    if (made.is_product) {
      for (std::vector<std::size_t> const* all : {&made.read, &made.written}) {
        for (std::size_t const each : *all) is_of_product_[each] = true;
      }
    }
    for (std::size_t const each : made.based) ++based_[each];
    statements_.emplace(statement, std::move(made));
  }
  void find_varying() {
    is_varying_.assign(known_.size(), false);
    for (bool changes = true; changes;) {
      changes = false;
      for (auto const& [at, each] : statements_) {
        if (!each.makes_varying &&
            std::none_of(each.read.begin(), each.read.end(), [&](std::size_t from) { return is_varying_[from]; }))
          continue;
        for (std::size_t const to : each.written) {
          changes |= !is_varying_[to];
          is_varying_[to] = true;
        }
      }
    }
  }
  void step_back(std::size_t statement, std::vector<bool>& live, std::vector<std::size_t>* written) const {
    statement_uses const& here = statements_.at(statement);
    for (std::size_t const each : here.written) {
      live[each] = false;
      if (written != nullptr) written->push_back(each);
    }
    for (std::size_t const each : here.read) live[each] = true;
  }

  struct statement_uses {
    std::vector<std::size_t> read, written, based;
    bool makes_varying = false, is_product = false;
  };
  ptx::module const* from_;
  blocks const* parts_;
  std::vector<known_register> known_;
  std::unordered_map<std::string_view, std::size_t> numbers_;
  std::unordered_map<std::size_t, statement_uses> statements_;
  std::vector<std::vector<bool>> at_end_;
  static constexpr std::size_t most_looked_at = std::size_t{1} << 22;  // in larger functions none is known
  bool is_known_ = false;
  std::vector<bool> is_varying_;
  std::vector<bool> is_of_product_;
  std::vector<std::size_t> based_;  // addresses that are relative to each
};

}  // namespace pasta::ptx::detail
#endif
