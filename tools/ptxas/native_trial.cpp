// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "native_trial.hpp"

#include "program_mark.hpp"

namespace pasta::ptxas {

namespace {

/// For a virtual architecture the real one of its number: `-arch=compute_90` makes no code and has no registers.
void make_real(std::vector<std::string>& words, std::string const& architecture) {
  constexpr std::string_view is_virtual = "compute_";
  if (!architecture.starts_with(is_virtual)) return;
  std::string const real = "sm_" + architecture.substr(is_virtual.size());
  for (std::string& word : words) {
    for (std::string_view const option : {"", "-arch=", "--gpu-name="}) {
      if (word == std::string(option) + architecture) word = std::string(option) + real;
    }
  }
}

}  // namespace

native_trial::native_trial(std::string const& ptxas, command_line const& line, std::span<source_text const> sources) {
  opened_by const who = is_machine_code(ptxas) ? opened_by::the_child_itself : opened_by::its_children_too;
  program trial{ptxas, {}, {output_.descriptor()}, -1};
  std::vector<std::optional<std::string>> files;
  texts_.reserve(sources.size());
  files.reserve(sources.size());
  for (source_text const& source : sources) {
    memory_file const& text = texts_.emplace_back(source.text);
    files.emplace_back(text.name(who));
    trial.descriptors.push_back(text.descriptor());
  }
  trial.words = line.words_with(files, output_.name(who));
  make_real(trial.words, line.value("--gpu-name"));
  if (!line.has("--verbose")) trial.words.emplace_back("-v");
  run_.emplace(trial, error_, error_);
}

std::pair<program_result, std::vector<kernel_figures>> native_trial::finish(linking how) {
  program_result result = run_->wait();
  if (!result.is_success()) return {std::move(result), std::vector<kernel_figures>()};
  std::vector<kernel_figures> figures = read_figures(result.messages, how);
  return {std::move(result), std::move(figures)};
}

}  // namespace pasta::ptxas
