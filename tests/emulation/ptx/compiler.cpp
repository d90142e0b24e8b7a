// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "compiler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <pasta/instrument/ptx/control.hpp>
#include <utility>

#include "fault.hpp"
#include "post_dominators.hpp"

namespace ptx_emulation {

namespace {

// Labels by scope: those of different scopes may be spelt alike.
using labels = std::map<std::pair<std::uint32_t, std::string_view>, std::uint32_t>;

struct pending_jump {
  std::uint32_t number, scope;
  std::string_view list;  // of an indexed jump
};

bool ends_block(op const& what) { return what.to == flow::jump || what.to == flow::indexed_jump; }
// Behind it a lane is gone, and comes to no end: ways out of a kernel are told apart by find_meetings.
bool leaves(op const& what) { return what.to == flow::exit || what.to == flow::trap || what.to == flow::to_caller; }

bool falls_through(op const& what) { return what.has_guard || (!ends_block(what) && !leaves(what)); }

// The blocks of a function: nodes that begin with these instructions, the last behind all, and where each leads to.
struct flow_graph {
  std::vector<std::uint32_t> begins;
  std::vector<std::vector<std::uint32_t>> next;
  std::uint32_t end() const { return static_cast<std::uint32_t>(begins.size() - 1); }
  std::uint32_t last_of(std::uint32_t node) const { return begins[node + 1] - 1; }
};
flow_graph make_graph(code const& from) {
  auto const size = static_cast<std::uint32_t>(from.ops.size());
  flow_graph made;
  made.begins.push_back(0);
  for (std::uint32_t i = 0; i < size; ++i) {
    op const& each = from.ops[i];
    if (each.target != nowhere) made.begins.push_back(each.target);
    made.begins.insert(made.begins.end(), each.targets.begin(), each.targets.end());
    if (ends_block(each) || leaves(each)) made.begins.push_back(i + 1);
  }
  made.begins.push_back(size);
  std::sort(made.begins.begin(), made.begins.end());
  made.begins.erase(std::unique(made.begins.begin(), made.begins.end()), made.begins.end());
  auto const node_of = [&](std::uint32_t number) {
    return static_cast<std::uint32_t>(std::lower_bound(made.begins.begin(), made.begins.end(), number) -
                                      made.begins.begin());
  };
  made.next.resize(made.begins.size());
  for (std::uint32_t node = 0; node < made.end(); ++node) {
    op const& last = from.ops[made.last_of(node)];
    if (last.to == flow::jump) made.next[node].push_back(node_of(last.target));
    for (std::uint32_t const to : last.targets) made.next[node].push_back(node_of(to));
    if (!from.is_entry && last.to == flow::to_caller) made.next[node].push_back(made.end());
    if (falls_through(last)) made.next[node].push_back(node + 1);
  }
  return made;
}

// Lanes that end their thread meet nobody. Of the ways out of a kernel the last one that can be reached is its end, a
// `ret` rather than an `exit`.
void add_kernel_end(code const& from, flow_graph& graph) {
  std::vector<bool> is_reached(graph.next.size());
  std::vector<std::uint32_t> open{0};
  is_reached[0] = true;
  while (!open.empty()) {
    std::uint32_t const node = open.back();
    open.pop_back();
    for (std::uint32_t const to : graph.next[node]) {
      if (!is_reached[to]) open.push_back(to);
      is_reached[to] = true;
    }
  }
  for (flow const which : {flow::to_caller, flow::exit}) {
    for (std::uint32_t node = graph.end(); node-- > 0;) {
      if (!is_reached[node] || from.ops[graph.last_of(node)].to != which) continue;
      graph.next[node].push_back(graph.end());
      return;
    }
  }
}

// Sets where the lanes meet that each branch parts.
void find_meetings(code& into) {
  flow_graph graph = make_graph(into);
  if (into.is_entry) add_kernel_end(into, graph);
  std::vector<std::uint32_t> const found = find_post_dominators(graph.next, graph.end());
  for (std::uint32_t node = 0; node < graph.end(); ++node) {
    // A way that comes to no end has no post-dominator: where only one goes on there is nobody to wait for.
    std::vector<std::uint32_t> alive;
    for (std::uint32_t const to : graph.next[node]) {
      if (to == graph.end() || found[to] != nowhere) alive.push_back(to);
    }
    std::sort(alive.begin(), alive.end());
    alive.erase(std::unique(alive.begin(), alive.end()), alive.end());
    if (alive.size() > 1) into.ops[graph.last_of(node)].meeting = graph.begins[found[node]];
  }
}

class body_compiler {
 public:
  body_compiler(pasta::ptx::module const& from, pasta::ptx::function const& body, module_names const& names, code& into)
      : from_(&from), body_(&body), names_(names, into), into_(&into) {}

  void compile() {
    names_.declare_head(*body_);
    for (std::size_t i = body_->begin + 1; i < body_->end; ++i) {
      pasta::ptx::statement const& each = from_->statements[i];
      try {
        read(each);
      } catch (unknown_code const& error) {
        throw unknown_code(fmt::format("line {}: {}: {}", each.line, each.text.substr(0, 300), error.what()));
      }
    }
    op& end = into_->ops.emplace_back();  // a body ends as by ret
    end.to = flow::to_caller;
    end.line = from_->statements[body_->end].line;
    end.text = "}";
    for (pending_jump const& each : jumps_) resolve(each);
    find_meetings(*into_);
  }

 private:
  void read(pasta::ptx::statement const& what) {
    using enum pasta::ptx::statement_kind;
    switch (what.kind) {
      case scope_begin:
        return names_.begin_scope();
      case scope_end:
        return names_.end_scope();
      case directive:
        if (what.text.starts_with(".branchtargets")) return names_.name_list(last_label_, what.text);
        return names_.declare(what.text);
      case label:
        last_label_ = pasta::ptx::trim(what.text.substr(0, what.text.size() - 1));
        labels_[{names_.scope(), last_label_}] = next();
        return;
      case instruction:
        return add(what);
      default:
        throw unknown_code("this cannot stand in a function");
    }
  }
  std::uint32_t next() const { return static_cast<std::uint32_t>(into_->ops.size()); }

  void add(pasta::ptx::statement const& what) {
    spelled const text(what.text);
    op made;
    made.line = what.line;
    made.text = what.text;
    if (text.what.guard) {
      made.has_guard = true;
      made.is_negated = text.what.guard.is_negated;
      made.guard = names_.source(text.what.guard.predicate, {kind::predicate, 1});
    }
    builder const build = find_builder(text.what.name);
    if (build == nullptr) throw unknown_code("the instruction is not known");
    build(names_, text, made);
    if (made.to == flow::jump) jumps_.push_back({next(), names_.scope(), pasta::ptx::jump_target(text.what)});
    if (made.to == flow::indexed_jump) jumps_.push_back({next(), names_.scope(), pasta::ptx::target_list(text.what)});
    into_->ops.push_back(std::move(made));
  }

  void resolve(pending_jump const& jump) {
    op& made = into_->ops[jump.number];
    if (made.to == flow::jump) {
      made.target = find(jump, jump.list);
      return;
    }
    for (std::string_view const label : names_.label_list(jump.list)) made.targets.push_back(find(jump, label));
  }
  std::uint32_t find(pending_jump const& jump, std::string_view label) const {
    for (std::uint32_t scope = jump.scope;; scope = names_.outer_scope(scope)) {
      if (auto const found = labels_.find({scope, label}); found != labels_.end()) return found->second;
      if (scope == 0) {
        op const& from = into_->ops[jump.number];
        throw unknown_code(fmt::format("line {}: {}: the label {} is not there", from.line, from.text, label));
      }
    }
  }

  pasta::ptx::module const* from_;
  pasta::ptx::function const* body_;
  function_compiler names_;
  code* into_;
  labels labels_;
  std::string_view last_label_;
  std::vector<pending_jump> jumps_;
};

}  // namespace

void compile_function(pasta::ptx::module const& from, pasta::ptx::function const& body, module_names const& names,
                      code& into) {
  body_compiler(from, body, names, into).compile();
}

void declare_parameters(pasta::ptx::function const& head, code& into) {
  into.parameters.clear();
  into.results.clear();
  into.parameter_sizes.clear();
  std::uint32_t offset = 0;
  auto const place_one = [&](pasta::ptx::parameter const& each) {
    call_argument made;
    made.is_parameter = !each.is_register;
    made.bytes = static_cast<std::uint32_t>(each.size_bytes);
    if (each.is_register) {
      made.value.index = into.rows++ * warp_lanes;
      return made;
    }
    std::uint32_t const natural = read_scalar(each.type.substr(each.type.empty() ? 0 : 1)).bytes();
    std::uint32_t const alignment = std::max({each.alignment, natural, 1U});
    offset = (offset + alignment - 1) / alignment * alignment;
    made.offset = offset;
    offset += made.bytes;
    return made;
  };
  into.rows = first_register_row;
  for (pasta::ptx::parameter const& each : head.parameters) {
    into.parameters.push_back(place_one(each));
    into.parameter_sizes.push_back(into.parameters.back().bytes);
  }
  for (pasta::ptx::parameter const& each : head.results) into.results.push_back(place_one(each));
  into.parameter_bytes = offset;
}

}  // namespace ptx_emulation
