// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "calls.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "program_mark.hpp"

namespace pasta::ptxas {

call calls::make(std::span<source_text const> sources, std::vector<memory_file const*> const& replacements) const {
  opened_by const who = is_machine_code(*ptxas_) ? opened_by::the_child_itself : opened_by::its_children_too;
  call made;
  std::vector<std::optional<std::string>> files(replacements.size());
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (replacements[i] == nullptr) continue;
    source_text const& source = sources[i];
    files[i] = replacements[i]->name(who);
    bool const is_instrumented = source.instrumented && replacements[i] == &*source.instrumented;
    made.files.push_back({*files[i], source.input.name(), is_instrumented ? &source : nullptr});
    made.program.descriptors.push_back(replacements[i]->descriptor());
  }
  made.program.path = *ptxas_;
  made.program.words = made.files.empty() ? *words_ : line_->words_with(files);
  return made;
}

call calls::instrumented(std::span<source_text const> sources) {
  bool const is_string_instrumented = std::any_of(sources.begin(), sources.end(), [](source_text const& s) {
    return s.input.kind == input_kind::string && s.instrumented;
  });
  std::vector<memory_file const*> replacements;
  replacements.reserve(sources.size());
  strings_.clear();
  strings_.reserve(sources.size());  // pointers to its elements are kept
  for (source_text const& source : sources) {
    memory_file const* replacement = source.instrumented ? &*source.instrumented : nullptr;
    if (replacement == nullptr && source.stream) replacement = &*source.stream;
    if (replacement == nullptr && source.input.kind == input_kind::string && is_string_instrumented) {
      replacement = &strings_.emplace_back(source.input.text);
    }
    replacements.push_back(replacement);
  }
  call made = make(sources, replacements);
  if (!line_->has("--verbose")) made.program.words.emplace_back("-v");
  return made;
}

call calls::original(std::span<source_text const> sources) const {
  std::vector<memory_file const*> replacements;
  replacements.reserve(sources.size());
  memory_file const* standard_input = nullptr;
  for (source_text const& source : sources) {
    memory_file const* replacement = source.original ? &*source.original : nullptr;
    if (source.stream) replacement = &*source.stream;
    // ptxas reads its standard input once more, under the name that it gives that itself.
    if (source.input.kind == input_kind::standard_input && standard_input == nullptr) {
      standard_input = std::exchange(replacement, nullptr);
    }
    replacements.push_back(replacement);
  }
  call made = make(sources, replacements);
  if (standard_input != nullptr) {
    standard_input->rewind();
    made.program.standard_input = standard_input->descriptor();
  }
  return made;
}

}  // namespace pasta::ptxas
