// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <pasta/session/ptx/library_code.hpp>
#include <vector>

#include "demangled.hpp"
#include "kernel_sections.hpp"
#include "memory_rows.hpp"

namespace pasta::patch {

namespace {

using collecting::add_once;

/// The copy of a context's memory, by state.
class context_rows {
 public:
  /// @param spaces of accesses that are wanted
  context_rows(context_record& of, space_set const& spaces)
      : of_(&of), spaces_(spaces), layout_(&of.memory.layout()), copy_(&of.memory.copy()) {
    if (copy_->empty()) return;
    for (std::uint32_t i = 0; i < layout_->sites; ++i) {
      detail::patch_site site;
      std::memcpy(&site, copy_->data() + layout_->sites_begin + i * sizeof site, sizeof site);
      // Functions for several spaces, and for instructions that name none, tell of others as well.
      bool const is_left_out = site.what() < operation::copy && !spaces.has(static_cast<memory_space>(site.space()));
      // Of a pair of words the GPU may have written one.
      if (site.about != 0 && site.address != 0 && !is_left_out) sites_[site.kernel()].emplace_back(i, site);
    }
  }

  /// @param are_shards_parts of a sample; else the group is one
  void add(launch_group const& group, std::string const& kernel, bool are_shards_parts, ptx::collected_kernel& to) {
    if (copy_->empty()) return;
    if (group.state) {
      for (auto const& [number, site] : sites_[*group.state]) {
        to.sites.push_back(make_site(number, site, *group.state, are_shards_parts));
        to.sites.back().part = are_shards_parts ? 0 : group.part;
      }
      if (group.region != nullptr) {
        for_each_row(*group.region, *copy_, [&](code_row const& row) { add_row(row, *group.state, to); });
      }
      add_function(*group.state, to);
    }
    if (group.graph_state) {
      add_from_graph(*group.graph_state, to, are_shards_parts,
                     [&](std::string const& function) { return function == kernel; });
      ++kernels_of_graphs_[*group.graph_state];
    }
  }
  /// What kernels of graphs share, where it is not one kernel's alone: code that several call, and state of kernels.
  /// @param section of a kernel: called for one with this name and range
  template <class Function>
  void add_shared(std::deque<kernel_record> const& records, Function&& section) {
    for (auto const& [range, state] : of_->graph_states) {
      if (copy_->empty()) continue;
      std::string name = "functions that kernels of graphs share";
      if (kernels_of_graphs_[state] == 1) name = find_kernel(records, state);
      auto const shadow = of_->graph_shadows.find(state);
      bool const has_shadow = shadow != of_->graph_shadows.end() && shadow->second.kernel != nullptr;
      bool const is_any = layout_->function_shard_bytes > 0 || has_shadow ||
                          std::any_of(sites_[state].begin(), sites_[state].end(),
                                      [&, state = state](auto const& each) { return is_placed(each.second, state); });
      if (!is_any) continue;
      ptx::collected_kernel& to = section(name, range);
      add_from_graph(state, to, false, [](std::string const& function) { return !function.empty(); });
      add_function(state, to);
      if (has_shadow) to.touched.merge(shadow->second.kernel->touched());
    }
  }

 private:
  /// Sites in functions of these names. @param is_wanted of a name as the module has it
  template <class Predicate>
  void add_from_graph(std::uint32_t state, ptx::collected_kernel& to, bool are_shards_parts, Predicate&& is_wanted) {
    std::erase_if(sites_[state], [&, this](auto const& each) {
      auto const place = of_->places.find({each.second.address, state});
      if (place == of_->places.end() || !is_wanted(place->second.function)) return false;
      to.sites.push_back(make_site(each.first, each.second, state, are_shards_parts));
      return true;
    });
  }
  bool is_placed(detail::patch_site const& site, std::uint32_t state) const {
    auto const place = of_->places.find({site.address, state});
    return place != of_->places.end() && !place->second.function.empty();
  }
  std::string const& find_kernel(std::deque<kernel_record> const& records, std::uint32_t graph_state) const {
    static std::string const none;
    for (kernel_record const& record : records) {
      if (record.context != of_) continue;
      for (launch_group const& group : record.groups) {
        if (group.graph_state == graph_state) return record.name;
      }
    }
    return none;
  }
  void add_row(code_row const& row, std::uint32_t state, ptx::collected_kernel& to) {
    using detail::code_rows;
    ptx::collected_site made;
    made.opcode = "machine code";
    made.where.what = code_rows::what(row.kind);
    made.where.space = static_cast<memory_space>(code_rows::space(row.kind));
    made.where.size_bytes = code_rows::size_bytes(row.kind);
    if (!spaces_.has(made.where.space)) return;
    made.rows.push_back({row.first_shard, row.shard_stride, row.shards, nullptr, sizeof(std::uint64_t), 0});
    made.executions = sum_of(made.rows.back());
    place(row.address, state, made);
    to.sites.push_back(std::move(made));
  }
  void add_function(std::uint32_t state, ptx::collected_kernel& to) {
    if (layout_->function_shard_bytes + layout_->function_shared_bytes > 0) {
      to.function_rows.push_back(row(
          std::size_t{layout_->sites} * layout_->site_shard_bytes + std::size_t{state} * layout_->function_shard_bytes,
          layout_->function_shard_bytes,
          layout_->function_shared_begin + std::size_t{state} * layout_->function_shared_bytes,
          layout_->function_shared_bytes));
    }
    detail::patch_state head;
    std::memcpy(&head, copy_->data() + std::size_t{state} * sizeof head, sizeof head);
    to.losses.events_dropped += head.dropped;
    if (head.dropped != 0) {
      add_once(to.losses.not_instrumentable,
               fmt::format("some of its instructions: all {} places for such were taken", layout_->sites));
    }
  }
  static std::uint64_t count_in(ptx::row_bytes const& row, std::uint32_t shard) {
    std::uint64_t lanes = 0;
    std::memcpy(&lanes, row.first_shard + shard * row.shard_stride, sizeof lanes);
    return lanes;
  }
  static std::uint64_t sum_of(ptx::row_bytes const& row) {
    std::uint64_t sum = 0;
    for (std::uint32_t shard = 0; shard < row.shard_count; ++shard) sum += count_in(row, shard);
    return sum;
  }

  ptx::row_bytes row(std::size_t in_shard, std::uint32_t shard_bytes, std::size_t shared,
                     std::uint32_t shared_bytes) const {
    std::byte const* const begin = copy_->data();
    return {begin + layout_->shards_begin + in_shard,
            layout_->shard_stride,
            layout_->shards,
            begin + shared,
            shard_bytes,
            shared_bytes};
  }
  ptx::collected_site make_site(std::uint32_t number, detail::patch_site const& site, std::uint32_t state,
                                bool are_shards_parts) {
    ptx::collected_site made;
    made.opcode = "machine code";
    made.where.what = site.what();
    bool const has_space = site.what() <= operation::copy;
    made.where.space = has_space ? static_cast<memory_space>(site.space()) : memory_space::global;
    made.where.size_bytes = has_space ? site.size_bytes() : 0;
    ptx::row_bytes const of =
        row(std::size_t{number} * layout_->site_shard_bytes, layout_->site_shard_bytes,
            layout_->site_shared_begin + std::size_t{number} * layout_->site_shared_bytes, layout_->site_shared_bytes);
    made.executions = sum_of(of);
    for (std::uint32_t shard = 0; are_shards_parts && shard < of.shard_count; ++shard) {
      made.part_executions.resize(sample_part_count);
      made.part_executions[block_tally::part_of(shard)] += static_cast<double>(count_in(of, shard));
    }
    made.rows.push_back(of);
    place(site.address, state, made);
    return made;
  }
  void place(std::uint64_t address, std::uint32_t state, ptx::collected_site& made) {
    auto const known = of_->places.find({address, state});
    if (known == of_->places.end() || known->second.function.empty()) {
      made.where.file = fmt::format("?+0x{:x}", address);
      return;
    }
    code_place const& at = known->second;
    std::vector<source_line> const lines =
        at.code ? at.code->find_lines(at.function, at.offset) : std::vector<source_line>();
    if (lines.empty()) {
      made.where.file = fmt::format("{}+0x{:04x}", collecting::demangled(at.function), at.offset);
      return;
    }
    // As on the ptx route: the innermost place that is not a library's, or of a library's own kernel the innermost.
    auto place = std::find_if(lines.begin(), lines.end(),
                              [](source_line const& each) { return !ptx::is_library_code(each.file); });
    if (place == lines.end()) place = lines.begin();
    made.where.file = place->file;
    made.where.line = place->line;
    made.where.column = place->column;
    for (; std::next(place) != lines.end(); ++place) {
      source_line const& caller = *std::next(place);
      made.callers.push_back({caller.file, caller.line, caller.column, collecting::demangled(place->function)});
    }
  }

  context_record* of_;
  space_set spaces_;
  arena_layout const* layout_;
  std::vector<std::byte> const* copy_;
  std::map<std::uint32_t, std::vector<std::pair<std::uint32_t, detail::patch_site>>> sites_;  // by state
  std::map<std::uint32_t, std::uint32_t> kernels_of_graphs_;                                  // by state
};

void add_launches(kernel_record const& from, launch_group const& group, bool is_new, ptx::collected_kernel& to) {
  std::uint64_t const wanted = group.launches - group.left_out;
  to.losses.launches_seen += group.launches;
  to.losses.launches_sampled_out += group.left_out;
  to.losses.launches_delivered += group.delivered;
  if (group.unpatched > 0) {
    add_once(to.losses.not_instrumentable,
             fmt::format("{} launch{}: {}", group.unpatched, group.unpatched == 1 ? "" : "es",
                         !from.why_not.empty()                 ? from.why_not
                         : !from.context->lost_because.empty() ? "a kernel had gone wrong before"
                                                               : "they could not be given memory"));
  }
  to.losses.launches_lost += wanted - group.unpatched - std::min(wanted - group.unpatched, group.delivered);
  if (is_new) {
    to.grid = group.first.grid;
    to.block = group.first.block;
    to.has_one_shape = true;
  }
  to.has_one_shape =
      to.has_one_shape && group.has_one_shape && to.grid == group.first.grid && to.block == group.first.block;
}

}  // namespace

ptx::collected make_rows(std::deque<kernel_record> const& records, std::list<context_record>& contexts,
                         settings const& wanted, std::set<std::string>& notes) {
  ptx::collected made;
  std::map<context_record const*, context_rows> rows;
  for (context_record& each : contexts) rows.emplace(&each, context_rows(each, wanted.selection.spaces));
  collecting::kernel_sections into(made);
  std::set<std::string> beside;
  for (kernel_record const& record : records) {
    auto const add_sample = [&](sample_count const& counts, ptx::collected_kernel& kernel) {
      collecting::add_sample(counts, kernel);
      kernel.block_rate = wanted.block_rate;
      if (record.context->memory.layout().shards < sample_part_count && wanted.sampling_rate >= 1)
        kernel.sampled->are_parts_known = false;
    };
    for (launch_group const& group : record.groups) {
      bool is_new = false;
      ptx::collected_kernel& kernel = into.of(record.name, is_new, group.range, group.launch);
      add_launches(record, group, is_new, kernel);
      bool const are_shards_parts = wanted.block_rate < 1 && wanted.sampling_rate >= 1;
      rows.at(record.context).add(group, record.name, are_shards_parts, kernel);
      if (group.sampled.launches_offered != 0) add_sample(group.sampled, kernel);
      if (group.shadow.kernel != nullptr) kernel.touched.merge(group.shadow.kernel->touched());
    }
    for (auto const& [range, counts] : record.sampled) {
      bool is_new = false;
      add_sample(counts, into.of(record.name, is_new, range));
    }
    if (!record.is_wanted && record.context->modules.is_patched(record.module))
      beside.insert(collecting::demangled(record.name));
  }
  for (auto& [context, each] : rows) {
    each.add_shared(records, [&](std::string const& name, std::string const& range) -> ptx::collected_kernel& {
      bool is_new = false;
      return into.of(name, is_new, range);
    });
  }
  if (!beside.empty()) {
    std::string names;
    for (std::string const& name : beside) {
      if (names.size() > 400) {
        names += ", …";
        break;
      }
      names += (names.empty() ? "" : ", ") + name;
    }
    notes.insert(
        fmt::format("These kernels were not chosen, but lie in a module with one that was, and ran with its "
                    "patches, which did nothing: {}.",
                    names));
  }
  for (context_record const& context : contexts) {
    if (context.shadow != nullptr) context.shadow->add_notes(notes);
    if (context.lost_because.empty()) continue;
    notes.insert(
        fmt::format("A kernel went wrong, and what was not read by then is lost with it: {}", context.lost_because));
  }
  return made;
}

}  // namespace pasta::patch
