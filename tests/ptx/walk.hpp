// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Walks a kernel as the lanes of a warp would that all decide alike. Values are not computed: what a predicate becomes,
// where an indexed jump leads and whether a foreign function returns is drawn. What names `pasta_` is run exactly.
#ifndef PASTA_TESTS_PTX_WALK_HPP
#define PASTA_TESTS_PTX_WALK_HPP

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <pasta/instrument/ptx/classify.hpp>
#include <pasta/instrument/ptx/instruction.hpp>
#include <pasta/instrument/ptx/module.hpp>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pasta_test {

inline constexpr std::size_t warp_lanes = 32;
using lane_values = std::array<std::uint64_t, warp_lanes>;

/// A kernel did what counters must not: what() says it.
struct walk_fault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class walk_end { returned, trapped, too_long };

/// Where a kernel's counters are, and who runs it.
struct walk_place {
  std::uint64_t counters = 0x7f0000001000;  ///< 0: nobody collects
  std::uint32_t shard_mask = 3, shard_bytes = 1 << 20, multiprocessor = 6;
  std::size_t first_lane = 0, lanes = warp_lanes;  ///< fewer than 32: other lanes of the warp are elsewhere
};

struct walk_result {
  walk_end end = walk_end::returned;
  std::vector<std::uint64_t> executions;          ///< of each site of the module in order, by one lane
  std::map<std::uint64_t, std::uint64_t> memory;  ///< what was added, by address
  std::vector<std::uint32_t> path;  ///< statements that are not PASTA's and whose guard held, by their number
};

/// One function of a module, made ready to walk.
class walked_function {
 public:
  enum class action { nothing, site, draw, jump, indexed_jump, call, back, exit, trap, count };
  static constexpr std::size_t none = SIZE_MAX;
  struct value {
    std::size_t reg = none;    // none: a number, or a special register
    std::uint64_t number = 0;  // of an address: its offset
    bool is_negated = false;   // `!%p`
    std::string_view special;  // `%laneid`
  };
  struct step {
    action what = action::nothing;
    value guard;
    bool is_guarded = false;
    std::string_view opcode, callee;
    std::vector<value> values;         // registers that are written or read; those in braces one by one
    std::vector<std::size_t> targets;  // of jumps, steps of this function
    bool is_ours = false;              // PASTA's
    std::uint32_t number = 0;          // of one that is not, among those of the module
    std::uint32_t site = 0;            // number of a site in the module
  };
  std::vector<step> steps;
  std::size_t registers = 0;
};

class walker {
 public:
  /// @param from must outlive this. @throws walk_fault for a register or label that is not declared
  explicit walker(pasta::ptx::module const& from) {
    for (auto const& each : from.functions) {
      if (!each.is_declaration) functions_.emplace(each.name, prepare(from, each));
    }
  }
  std::size_t sites() const { return sites_; }

  /// @param seed of what is drawn. @param longest statements of the kernel and what it calls
  walk_result walk(std::string_view kernel, std::uint32_t seed, walk_place const& where, std::size_t longest = 400) {
    where_ = where;
    random_.seed(seed);
    left_ = longest;
    result_ = {};
    result_.executions.resize(sites_);
    ended_ = false;
    run(functions_.at(kernel));
    return std::move(result_);
  }

 private:
  using action = walked_function::action;
  using value = walked_function::value;
  using step = walked_function::step;

  // --- reading ---

  struct names {  // what a `{` declares
    std::map<std::string_view, std::size_t> registers, labels, lists;
  };

  static std::string_view trim(std::string_view text) {
    std::size_t const begin = text.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t\r\n") + 1 - begin);
  }
  static std::vector<std::string_view> split(std::string_view text) {
    std::vector<std::string_view> parts;
    for (std::size_t begin = 0; begin <= text.size();) {
      std::size_t const end = std::min(text.find(',', begin), text.size());
      parts.push_back(trim(text.substr(begin, end - begin)));
      begin = end + 1;
    }
    return parts;
  }
  static bool is_of_pasta(std::string_view text) { return text.find("pasta_") != std::string_view::npos; }

  walked_function prepare(pasta::ptx::module const& from, pasta::ptx::function const& body) {
    using pasta::ptx::statement_kind;
    walked_function result;
    // First what each scope declares, as labels may be used before they stand.
    std::map<std::size_t, names> declared;
    std::map<std::size_t, std::size_t> outer;
    std::vector<std::size_t> scope_of(body.end + 1), open;
    for (std::size_t i = body.begin; i < body.end; ++i) {
      auto const& each = from.statements[i];
      if (each.kind == statement_kind::scope_begin) {
        if (!open.empty()) outer[i] = open.back();
        open.push_back(i);
      }
      scope_of[i] = open.back();
      names& here = declared[open.back()];
      if (each.kind == statement_kind::scope_end) open.pop_back();
      if (each.kind == statement_kind::label) {
        std::string_view const name = trim(each.text.substr(0, each.text.size() - 1));
        if (!here.labels.emplace(name, i).second) throw walk_fault(fmt::format("{} stands twice", name));
        if (from.statements[i + 1].text.starts_with(".branchtargets")) here.lists[name] = i + 1;
      }
      if (each.text.starts_with(".reg")) {
        std::string_view list = each.text.substr(0, each.text.size() - 1);
        list.remove_prefix(list.find_first_of(" \t", list.find('.', 1)));  // behind the type
        for (std::string_view const name : split(list)) {
          if (!here.registers.emplace(name, result.registers++).second)
            throw walk_fault(fmt::format("{} is declared twice", name));
        }
      }
    }
    auto const find = [&](auto kind, std::string_view name, std::size_t scope) {
      for (;;) {
        auto const& known = declared[scope].*kind;
        if (auto const found = known.find(name); found != known.end()) return found->second;
        auto const around = outer.find(scope);
        if (around == outer.end()) throw walk_fault(fmt::format("{} is not declared", name));
        scope = around->second;
      }
    };

    bool passes_arguments = false;
    for (std::size_t i = body.begin; i < body.end; ++i) {
      auto const& each = from.statements[i];
      step next;
      if (passes_arguments && (each.kind == statement_kind::label || each.text.find("bra") != std::string_view::npos))
        throw walk_fault("control parts between an argument and its call");
      if (each.text.starts_with("st.param")) passes_arguments = true;
      if (each.text.find("call") != std::string_view::npos) passes_arguments = false;
      if (each.kind != statement_kind::instruction) {
        result.steps.push_back(next);
        continue;
      }
      auto const read = pasta::ptx::read_instruction(each.text);
      auto const read_value = [&](std::string_view text) {
        value found;
        if (text.starts_with('!')) {
          found.is_negated = true;
          text = trim(text.substr(1));
        }
        if (text == "%laneid" || text == "%smid") {
          found.special = text;
        } else if (text[0] == '-' || (text[0] >= '0' && text[0] <= '9')) {
          found.number = std::strtoull(std::string(text).c_str(), nullptr, 0);
        } else {
          found.reg = find(&names::registers, text, scope_of[i]);
        }
        return found;
      };
      next.opcode = read.opcode;
      next.is_guarded = static_cast<bool>(read.guard);
      if (next.is_guarded) {
        next.guard = read_value(read.guard.predicate);
        next.guard.is_negated = read.guard.is_negated;
      }
      next.is_ours = is_of_pasta(each.text);
      if (!next.is_ours) next.number = statements_++;
      if (read.name == "bra") {
        next.what = action::jump;
        next.targets = {find(&names::labels, read.operands.at(0), scope_of[i]) - body.begin};
      } else if (read.name == "brx") {
        next.what = action::indexed_jump;
        std::size_t const list = find(&names::lists, read.operands.at(1), scope_of[i]);
        std::string_view text = from.statements[list].text;
        text = text.substr(0, text.size() - 1).substr(std::string_view(".branchtargets").size());
        for (std::string_view const name : split(text)) {
          next.targets.push_back(find(&names::labels, name, scope_of[list]) - body.begin);
        }
      } else if (read.name == "call") {
        next.what = action::call;
        next.callee = read.operands.at(0);
      } else if (read.name == "ret") {
        next.what = action::back;
      } else if (read.name == "exit") {
        next.what = action::exit;
      } else if (read.name == "trap") {
        next.what = action::trap;
      } else if (next.is_ours) {
        next.what = action::count;
        read_counting(next, read, read_value);
      } else if (read.name == "setp") {
        next.what = action::draw;
        std::string_view const both = read.operands.at(0);
        std::size_t const bar = both.find('|');
        next.values.push_back(read_value(trim(both.substr(0, bar))));
        if (bar != std::string_view::npos) next.values.push_back(read_value(trim(both.substr(bar + 1))));
      } else if (pasta::ptx::classify(read).access_count > 0) {
        next.what = action::site;
        next.site = static_cast<std::uint32_t>(sites_++);
      }
      result.steps.push_back(next);
    }
    return result;
  }

  template <class ReadValue>
  static void read_counting(step& next, pasta::ptx::instruction const& read, ReadValue&& read_value) {
    for (std::string_view const operand : read.operands) {
      if (operand.starts_with('[')) {
        auto const address = pasta::ptx::read_address(operand);
        if (read.name == "ld") {
          if (!address.base.starts_with("pasta_state_")) throw walk_fault("it reads other memory than the state");
          continue;
        }
        next.values.push_back(read_value(address.base));
        next.values.back().number =
            address.offset.empty() ? 0 : std::strtoull(std::string(address.offset).c_str(), nullptr, 0);
        continue;
      }
      for (std::string_view const element : pasta::ptx::read_elements(operand)) {
        next.values.push_back(read_value(element));
      }
    }
    // What is written stands first.
    if (read.name != "red" && !is_of_pasta(read.operands.at(0)))
      throw walk_fault(fmt::format("it writes a register that is not its own: {}", read.text));
  }

  // --- walking ---

  using registers = std::vector<lane_values>;

  lane_values get(registers const& all, value const& which) const {
    lane_values result{};
    for (std::size_t lane = 0; lane < where_.lanes; ++lane) {
      std::uint64_t known = which.number;
      if (which.reg != walked_function::none) known = all[which.reg][lane];
      if (which.special == "%laneid") known = where_.first_lane + lane;
      if (which.special == "%smid") known = where_.multiprocessor;
      result[lane] = which.is_negated ? known == 0 : known;
    }
    return result;
  }

  /// What all lanes have. @throws walk_fault if they differ: they would part
  bool agree(lane_values const& values) const {
    for (std::size_t lane = 1; lane < where_.lanes; ++lane) {
      if (values[lane] != values[0]) throw walk_fault("lanes that decided alike part");
    }
    return values[0] != 0;
  }

  bool draw() { return (random_() >> 7 & 1) != 0; }

  void run(walked_function const& body) {
    registers all(body.registers, lane_values{});
    for (std::size_t at = 0; at < body.steps.size() && !ended_;) {
      step const& now = body.steps[at++];
      if (now.what == action::nothing && now.opcode.empty()) continue;
      lane_values holds;
      holds.fill(1);
      if (now.is_guarded) holds = get(all, now.guard);
      if (now.what == action::count) {
        count(now, all, holds);
        continue;
      }
      if (!agree(holds)) continue;
      if (!now.is_ours) {
        result_.path.push_back(now.number);
        if (left_-- == 0) return stop(walk_end::too_long);
      }
      switch (now.what) {
        case action::site:
          ++result_.executions[now.site];
          break;
        case action::draw:
          for (value const& each : now.values) all[each.reg].fill(draw());
          break;
        case action::jump:
          at = now.targets[0];
          break;
        case action::indexed_jump:
          at = now.targets[random_() / 256 % now.targets.size()];
          break;
        case action::call:
          if (auto const found = functions_.find(now.callee); found != functions_.end()) {
            run(found->second);
          } else if (draw() && draw() && draw()) {
            return stop(walk_end::returned);
          }
          break;
        case action::back:
          return;
        case action::exit:
          return stop(walk_end::returned);
        case action::trap:
          return stop(walk_end::trapped);
        default:
          break;
      }
    }
  }
  void stop(walk_end how) {
    result_.end = how;
    ended_ = true;
  }

  void count(step const& now, registers& all, lane_values const& holds) {
    std::vector<lane_values> in;
    for (value const& each : now.values) in.push_back(get(all, each));
    auto const put = [&](std::size_t which, auto&& of_lane) {
      for (std::size_t lane = 0; lane < where_.lanes; ++lane) {
        if (holds[lane] != 0) all[now.values.at(which).reg][lane] = of_lane(lane);
      }
    };
    auto const sum_of_warp = [&](auto&& join) {
      if (where_.lanes != warp_lanes) throw walk_fault("a part of a warp waits for all of it");
      std::uint64_t joined = 0;
      for (std::size_t lane = 0; lane < warp_lanes; ++lane) joined = join(joined, in[1][lane]);
      put(0, [&](std::size_t) { return joined; });
    };
    auto const low = [](std::uint64_t v) { return v & 0xffffffff; };
    std::string_view const opcode = now.opcode;
    if (opcode == "ld.global.nc.v2.u64" || opcode == "ld.global.v2.u64") {
      put(0, [&](std::size_t) { return where_.counters; });
      put(1, [&](std::size_t) { return std::uint64_t{where_.shard_bytes} << 32 | where_.shard_mask; });
    } else if (opcode == "mov.b64" && now.values.size() == 3) {
      put(0, [&](std::size_t lane) { return low(in[2][lane]); });
      put(1, [&](std::size_t lane) { return in[2][lane] >> 32; });
    } else if (opcode == "mov.b64" || opcode == "mov.u32" || opcode == "mov.b32" || opcode == "cvt.u64.u32") {
      put(0, [&](std::size_t lane) { return in[1][lane]; });
    } else if (opcode == "and.b32") {
      put(0, [&](std::size_t lane) { return in[1][lane] & in[2][lane]; });
    } else if (opcode == "or.b32") {
      put(0, [&](std::size_t lane) { return in[1][lane] | in[2][lane]; });
    } else if (opcode == "xor.b32") {
      put(0, [&](std::size_t lane) { return in[1][lane] ^ in[2][lane]; });
    } else if (opcode == "sub.u32") {
      put(0, [&](std::size_t lane) { return low(in[1][lane] - in[2][lane]); });
    } else if (opcode == "mul.lo.u32") {
      put(0, [&](std::size_t lane) { return low(in[1][lane] * in[2][lane]); });
    } else if (opcode == "bfe.u32") {
      put(0, [&](std::size_t lane) {
        std::uint64_t const first = in[2][lane] & 0xff, bits = in[3][lane] & 0xff;
        return first > 31 ? 0 : low(in[1][lane]) >> first & ((std::uint64_t{1} << bits) - 1);
      });
    } else if (opcode == "shl.b32") {
      put(0, [&](std::size_t lane) { return low(in[1][lane] << in[2][lane]); });
    } else if (opcode == "popc.b32") {
      put(0, [&](std::size_t lane) { return static_cast<std::uint64_t>(std::popcount(in[1][lane])); });
    } else if (opcode == "bfind.u32") {
      put(0, [&](std::size_t lane) { return static_cast<std::uint64_t>(std::bit_width(in[1][lane])) - 1; });
    } else if (opcode == "lop3.b32") {
      put(0, [&](std::size_t lane) {
        std::uint64_t joined = 0;
        for (std::size_t bit = 0; bit < 32; ++bit) {
          auto const of = [&](std::size_t which) { return in[which][lane] >> bit & 1; };
          joined |= (in[4][lane] >> (of(1) << 2 | of(2) << 1 | of(3)) & 1) << bit;
        }
        return joined;
      });
    } else if (opcode == "or.pred") {
      put(0, [&](std::size_t lane) { return in[1][lane] | in[2][lane]; });
    } else if (opcode == "add.s64") {
      put(0, [&](std::size_t lane) { return in[1][lane] + in[2][lane]; });
    } else if (opcode == "add.u32") {
      put(0, [&](std::size_t lane) { return low(in[1][lane] + in[2][lane]); });
    } else if (opcode == "mad.wide.u32") {
      put(0, [&](std::size_t lane) { return low(in[1][lane]) * low(in[2][lane]) + in[3][lane]; });
    } else if (opcode == "selp.b64" || opcode == "selp.b32") {
      put(0, [&](std::size_t lane) { return in[3][lane] != 0 ? in[1][lane] : in[2][lane]; });
    } else if (opcode == "shf.l.wrap.b32") {
      put(0, [&](std::size_t lane) { return (in[2][lane] << 32 | in[1][lane]) << (in[3][lane] & 31) >> 32; });
    } else if (opcode == "activemask.b32") {
      put(0,
          [&](std::size_t) { return where_.lanes == warp_lanes ? 0xffffffff : std::uint64_t{1} << where_.first_lane; });
    } else if (opcode == "redux.sync.or.b32") {
      sum_of_warp([](std::uint64_t a, std::uint64_t b) { return a | b; });
    } else if (opcode == "redux.sync.add.u32") {
      sum_of_warp([&](std::uint64_t a, std::uint64_t b) { return low(a + b); });
    } else if (opcode == "vote.sync.any.pred") {
      sum_of_warp([](std::uint64_t a, std::uint64_t b) { return a | b; });
    } else if (opcode == "shfl.sync.bfly.b32") {
      if (where_.lanes != warp_lanes) throw walk_fault("a part of a warp waits for all of it");
      put(0, [&](std::size_t lane) { return in[1][lane ^ in[2][lane]]; });
    } else if (opcode == "red.global.add.u64") {
      for (std::size_t lane = 0; lane < where_.lanes; ++lane) {
        if (holds[lane] == 0) continue;
        if (where_.counters == 0) throw walk_fault("it counts though nobody collects");
        result_.memory[in[0][lane] + now.values[0].number] += in[1][lane];
      }
    } else if (opcode.starts_with("setp.")) {
      // setp.ne.u64 d, a, b; setp.ne.and.u64 d, a, b, c
      bool const is_word = opcode.ends_with("32");
      put(0, [&](std::size_t lane) {
        std::uint64_t const a = is_word ? low(in[1][lane]) : in[1][lane], b = is_word ? low(in[2][lane]) : in[2][lane];
        std::string_view const how = opcode.substr(5, 2);
        bool const is_so = how == "eq" ? a == b : how == "ge" ? a >= b : a != b;
        return std::uint64_t{is_so && (in.size() < 4 || in[3][lane] != 0)};
      });
      if (opcode.substr(5, 2) != "eq" && opcode.substr(5, 2) != "ne" && opcode != "setp.ge.u32")
        throw walk_fault(fmt::format("{}?", opcode));
    } else {
      throw walk_fault(fmt::format("{} is not known", opcode));
    }
  }

  std::map<std::string_view, walked_function> functions_;
  std::size_t sites_ = 0;
  std::uint32_t statements_ = 0;
  walk_place where_;
  std::minstd_rand random_;
  std::size_t left_ = 0;
  bool ended_ = false;
  walk_result result_;
};

}  // namespace pasta_test
#endif
