// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_INSTRUMENT_PTX_DETAIL_LEAVING_INL
#define PASTA_INSTRUMENT_PTX_DETAIL_LEAVING_INL

#include <pasta/instrument/ptx/instruction.hpp>
#include <pasta/instrument/ptx/leaving.hpp>
#include <unordered_map>
#include <vector>

namespace pasta::ptx {

inline leaving_functions::leaving_functions(module const& from) {
  staying_ = {"vprintf", "malloc", "free", "__assertfail"};
  std::unordered_map<std::string_view, std::vector<std::string_view>> callers;
  std::vector<std::string_view> leaving;
  for (function const& each : from.functions) {
    if (!each.is_declaration) staying_.insert(each.name);
  }
  for (function const& each : from.functions) {
    if (each.is_declaration) continue;
    bool leaves = false;
    for (std::size_t i = each.begin; i < each.end && !leaves; ++i) {
      if (from.statements[i].kind != statement_kind::instruction) continue;
      instruction const read = read_instruction(from.statements[i].text);
      control const to = control_of(read);
      leaves = to == control::exit || (to == control::call && may_leave(read));
      if (to == control::call && !leaves) callers[read.operands[callee_operand(read)]].push_back(each.name);
    }
    if (leaves) leaving.push_back(each.name);
  }
  while (!leaving.empty()) {
    std::string_view const name = leaving.back();
    leaving.pop_back();
    if (staying_.erase(name) == 0) continue;
    if (auto const found = callers.find(name); found != callers.end()) {
      leaving.insert(leaving.end(), found->second.begin(), found->second.end());
    }
  }
}

inline bool leaving_functions::may_leave(instruction const& what) const {
  std::size_t const callee = callee_operand(what);
  return is_indirect_call(what) || callee >= what.operands.size() || !staying_.contains(what.operands[callee]);
}

}  // namespace pasta::ptx
#endif
