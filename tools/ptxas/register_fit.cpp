// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "register_fit.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <system_error>
#include <utility>

#include <output.hpp>

#include <pasta/instrument/ptx/module_state.hpp>
#include <pasta/report/visible.hpp>
#include <pasta/report/write_file.hpp>
#include "occupancy.hpp"

namespace pasta::ptxas {

namespace {

/// The id in the name of an instrumented text's state; empty if there is none.
std::string find_id(std::string_view text) {
  std::size_t const at = text.find(ptx::state_prefix);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + ptx::state_prefix.size());
  return std::string(text.substr(0, text.find_first_not_of("0123456789abcdef")));
}

/// The first input that was instrumented: several are one module to ptxas.
source_text const* first_instrumented(std::span<source_text const> sources) {
  auto const found = std::find_if(sources.begin(), sources.end(),
                                  [](source_text const& each) { return each.instrumented.has_value(); });
  return found == sources.end() ? nullptr : &*found;
}

}  // namespace

register_fit::register_fit(std::string const& ptxas, command_line const& line, std::span<source_text const> sources,
                           settings const& wanted)
    : wanted_(wanted),
      linking_(line.has("--compile-only") || line.has("--extensible-whole-program") ? linking::relocatable
                                                                                    : linking::whole_program),
      has_fixed_limit_(line.has("--override-directive-values") && line.has("--maxrregcount")) {
  bool const has_work =
      std::any_of(sources.begin(), sources.end(), [](source_text const& each) { return each.is_to_be_instrumented(); });
  // Nobody asks what the original takes.
  bool const is_free = wanted.registers == register_policy::free && wanted.report.empty() && !wanted.is_debugging;
  // For compute_90 ptxas makes nothing; but the text may be embedded, and assembled when the program is run.
  bool const makes_nothing = line.value("--gpu-name").starts_with("compute_") && !wanted.is_in_place;
  if (!has_work || is_free || makes_nothing) return;
  try {
    native_.emplace(ptxas, line, sources);
  } catch (std::exception const& e) {
    debug(fmt::format("registers are not compared: {}", visible(e.what())));
  }
}

void register_fit::debug(std::string_view line) const {
  if (wanted_.is_debugging) cli::complain(fmt::format("debug: {}", line));
}

std::vector<kernel_bounds> register_fit::read_all_bounds(std::span<source_text const> sources) const {
  std::vector<kernel_bounds> all;
  for (source_text const& source : sources) {
    if (!source.instrumented) continue;
    std::vector<kernel_bounds> more = read_bounds(source.instrumented->read());
    std::move(more.begin(), more.end(), std::back_inserter(all));
  }
  return all;
}

void register_fit::limit_likely(std::vector<source_text>& sources) {
  if (!native_ || first_instrumented(sources) == nullptr) return;
  try {
    auto const [result, native] = native_->finish(linking_);
    native_.reset();
    if (result.received_signal != 0) interruption_ = result;
    if (native.empty()) {
      debug("registers are not compared: ptxas gave no figures");
      return;
    }
    spare_registers(native, sources);
    changes_ = list_changes(native, read_all_bounds(sources));
    put_limits(sources);
  } catch (std::exception const& e) {
    debug(fmt::format("registers are not limited: {}", visible(e.what())));
  }
}

void register_fit::spare_registers(std::span<kernel_figures const> native, std::vector<source_text>& sources) const {
  if (wanted_.registers == register_policy::free) return;  // whether or not someone asked for figures
  std::vector<std::string> names;
  for (kernel_figures const& each : native) {
    if (each.registers > most_registers_with_room) names.push_back(each.name);
  }
  if (names.empty()) return;
  for (source_text& source : sources) {
    // A text without them would come back the same.
    bool const has_one = std::any_of(names.begin(), names.end(), [&](std::string const& name) {
      return source.text.find(name) != std::string::npos;
    });
    if (source.state != source_state::instrumented || !has_one) continue;
    source_text again;
    again.text = source.text;
    again.state = source_state::read;
    instrument(again, wanted_, names);
    if (again.instrumented) source.instrumented = std::move(again.instrumented);
  }
}

bool register_fit::limit_others(std::string_view messages, std::vector<source_text>& sources) {
  read(messages);
  try {
    return put_limits(sources);
  } catch (std::exception const& e) {
    debug(fmt::format("registers are not limited: {}", visible(e.what())));
    return false;
  }
}

bool register_fit::put_limits(std::vector<source_text>& sources) {
  if (has_fixed_limit_) return false;
  auto const limits = choose_limits(changes_, wanted_.registers, linking_);
  if (limits.empty()) return false;
  if (unlimited_.empty()) {
    for (source_text const& source : sources)
      unlimited_.push_back(source.instrumented ? source.instrumented->read() : std::string());
  }
  for (source_text& source : sources) {
    if (source.instrumented) source.instrumented.emplace(with_register_limits(source.instrumented->read(), limits));
  }
  return true;
}

bool register_fit::lift_limits(std::string const& refusal, std::vector<source_text>& sources) {
  if (unlimited_.empty()) return false;
  try {
    for (std::size_t i = 0; i < sources.size(); ++i) {
      if (sources[i].instrumented) sources[i].instrumented.emplace(unlimited_[i]);
    }
  } catch (std::exception const& e) {
    debug(fmt::format("limits are not lifted: {}", visible(e.what())));
    return false;
  }
  unlimited_.clear();
  for (kernel_change& change : changes_) {
    if (change.limit == 0) continue;
    change.limit = 0;
    change.why_unlimited = refusal;
  }
  return true;
}

bool register_fit::keeps_launches() const {
  return std::all_of(changes_.begin(), changes_.end(), [](kernel_change const& each) { return each.keeps_launches(); });
}

void register_fit::read(std::string_view messages) {
  std::vector<kernel_figures> const figures = read_figures(messages, linking_);
  for (kernel_change& change : changes_) {
    change.instrumented = {};
    auto const found = std::find_if(figures.begin(), figures.end(),
                                    [&](kernel_figures const& each) { return each.name == change.native.name; });
    if (found != figures.end()) change.instrumented = *found;
  }
}

void register_fit::tell(std::span<source_text const> sources) const {
  for (kernel_change const& change : changes_) {
    if (change.is_changed()) debug(describe(change));
  }
  source_text const* const first = first_instrumented(sources);
  if (first == nullptr || changes_.empty()) return;
  if (std::string const line = warn(changes_); !line.empty()) {
    cli::complain(fmt::format("{}: {}", visible(first->input.name()), line));
  }
  if (!wanted_.report.empty()) report(sources);
}

void register_fit::report(std::span<source_text const> sources) const {
  source_text const& first = *first_instrumented(sources);
  std::string const lines = to_json_lines(changes_, find_id(first.instrumented->read()), first.input.name());
  detail::open_file file(::open(wanted_.report.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  int error = file.descriptor() < 0 ? errno : detail::write_all(file.descriptor(), lines);
  if (error == 0) error = file.close();
  if (error == 0) return;
  std::string const line =
      fmt::format("PASTA_PTX_REPORT={}: {}", visible(wanted_.report), std::generic_category().message(error));
  if (wanted_.is_strict) throw cli::command_error(line);
  cli::complain(line);
}

}  // namespace pasta::ptxas
