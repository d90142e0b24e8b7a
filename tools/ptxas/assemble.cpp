// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "assemble.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <command.hpp>
#include <output.hpp>
#include <process.hpp>

#include <pasta/report/visible.hpp>
#include <pasta/report/write_file.hpp>
#include "command_line.hpp"
#include "memory_file.hpp"
#include "program_mark.hpp"
#include "run_real.hpp"
#include "source_text.hpp"

namespace pasta::ptxas {

namespace {

/// A call of ptxas on other files, and how its messages' names are put right.
struct plan {
  ptxas::program program;
  std::vector<std::pair<std::string, std::string>> names;  // passed, shown

  /// ptxas's messages with the names that the user gave.
  std::string with_names(std::string_view messages) const;
};

std::string plan::with_names(std::string_view messages) const {
  std::string text;
  for (std::size_t i = 0; i < messages.size();) {
    auto const found = std::find_if(names.begin(), names.end(), [&](auto const& pair) {
      std::string_view const rest = messages.substr(i);
      // …/fd/5 also begins …/fd/51
      return rest.starts_with(pair.first) &&
             (rest.size() == pair.first.size() || rest[pair.first.size()] < '0' || rest[pair.first.size()] > '9');
    });
    if (found == names.end()) {
      text += messages[i++];
    } else {
      text += found->second;
      i += found->first.size();
    }
  }
  return text;
}

/// The line that says best why ptxas failed.
std::string first_error(std::string_view messages) {
  std::string first;
  for (std::size_t begin = 0; begin < messages.size();) {
    std::size_t const end = std::min(messages.find('\n', begin), messages.size());
    std::string_view const line = messages.substr(begin, end - begin);
    begin = end + 1;
    if (first.empty()) first = line;
    if (line.find("error") != std::string_view::npos || line.find("fatal") != std::string_view::npos) {
      return visible(line);
    }
  }
  return first.empty() ? "it said nothing" : visible(first);
}

/// Signals by which someone ended the assembling: no reason to try once more.
bool was_ended_by_someone(program_result const& result) {
  if (result.received_signal != 0) return true;
  if (!WIFSIGNALED(result.wait_status)) return false;
  int const signal = WTERMSIG(result.wait_status);
  return signal == SIGINT || signal == SIGQUIT || signal == SIGTERM || signal == SIGHUP || signal == SIGPIPE;
}

int end_as(program_result const& result) {
  return cli::end_as(result.received_signal != 0 ? result.received_signal : result.wait_status);
}

class assembly {
 public:
  assembly(std::string const& ptxas, std::vector<std::string> const& words, settings const& wanted)
      : ptxas_(ptxas), words_(words), wanted_(wanted), line_(words) {}

  int run();

 private:
  plan make_plan(std::vector<memory_file const*> const& replacements) const;
  plan instrumented_plan();
  plan original_plan() const;
  int finish(plan const& done, program_result const& result) const;
  int assemble_originals(std::string const& refusal);
  void keep_refused() const;
  void debug(std::string_view line) const;

  std::string const& ptxas_;
  std::vector<std::string> const& words_;
  settings const& wanted_;
  command_line line_;
  std::vector<source_text> sources_;
  std::vector<memory_file> strings_;  // strings that are not instrumented beside one that is
};

void assembly::debug(std::string_view line) const {
  if (wanted_.is_debugging) cli::complain(fmt::format("debug: {}", line));
}

plan assembly::make_plan(std::vector<memory_file const*> const& replacements) const {
  opened_by const who = is_machine_code(ptxas_) ? opened_by::the_child_itself : opened_by::its_children_too;
  plan made;
  std::vector<std::optional<std::string>> files(replacements.size());
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (replacements[i] == nullptr) continue;
    files[i] = replacements[i]->name(who);
    made.names.emplace_back(*files[i], sources_[i].input.name());
    made.program.descriptors.push_back(replacements[i]->descriptor());
  }
  made.program.path = ptxas_;
  made.program.words = made.names.empty() ? words_ : line_.words_with(files);
  return made;
}

plan assembly::instrumented_plan() {
  bool const is_string_instrumented = std::any_of(sources_.begin(), sources_.end(), [](source_text const& s) {
    return s.input.kind == input_kind::string && s.instrumented;
  });
  std::vector<memory_file const*> replacements;
  strings_.reserve(sources_.size());  // pointers to its elements are kept
  for (source_text const& source : sources_) {
    memory_file const* replacement = source.instrumented ? &*source.instrumented : nullptr;
    if (replacement == nullptr && source.stream) replacement = &*source.stream;
    if (replacement == nullptr && source.input.kind == input_kind::string && is_string_instrumented) {
      replacement = &strings_.emplace_back(source.input.text);
    }
    replacements.push_back(replacement);
  }
  return make_plan(replacements);
}

plan assembly::original_plan() const {
  std::vector<memory_file const*> replacements;
  memory_file const* standard_input = nullptr;
  for (source_text const& source : sources_) {
    memory_file const* replacement = source.original ? &*source.original : nullptr;
    if (source.stream) replacement = &*source.stream;
    // ptxas reads its standard input once more, under the name that it gives that itself.
    if (source.input.kind == input_kind::standard_input && standard_input == nullptr) {
      standard_input = std::exchange(replacement, nullptr);
    }
    replacements.push_back(replacement);
  }
  plan made = make_plan(replacements);
  if (standard_input != nullptr) {
    standard_input->rewind();
    made.program.standard_input = standard_input->descriptor();
  }
  return made;
}

int assembly::run() {
  program const untouched{ptxas_, words_, {}, -1};
  if (line_.only_informs()) become(untouched);
  if (!line_.reason_not_understood().empty()) {
    std::string const line = fmt::format("nothing is instrumented: {}", line_.reason_not_understood());
    if (wanted_.is_strict) throw cli::command_error(line);
    cli::complain(line);
    become(untouched);
  }
  auto const& inputs = line_.inputs();
  auto const unreadable = std::find_if_not(inputs.begin(), inputs.end(), is_readable);
  if (inputs.empty() || unreadable != inputs.end()) {
    debug(inputs.empty() ? "no inputs" : fmt::format("{} cannot be read", visible(unreadable->name())));
    become(untouched);
  }

  for (input const& what : inputs) {
    source_text const& source = sources_.emplace_back(instrument(what, wanted_));
    std::string const name = visible(what.name());
    if (source.state == source_state::marked) debug(fmt::format("{} is instrumented already", name));
    if (source.state == source_state::instrumented) debug(fmt::format("{} is instrumented", name));
    for (std::string const& warning : source.warnings) cli::complain(fmt::format("{}: {}", name, warning));
    if (source.state != source_state::not_instrumented || source.reason.empty()) continue;
    std::string const line = fmt::format("{} is not instrumented: {}", name, source.reason);
    if (wanted_.is_strict) throw cli::command_error(line);
    cli::complain(line);
  }
  bool const can_go_back = std::any_of(sources_.begin(), sources_.end(), [](source_text const& source) {
    return source.state == source_state::instrumented || source.original;
  });
  if (!can_go_back) {
    plan const original = original_plan();
    if (original.names.empty()) become(original.program);
    program_result const result = ptxas::run(original.program, messages::to_result);
    cli::print_error_stream(original.with_names(result.messages));
    return end_as(result);
  }

  std::string refusal;
  try {
    plan const instrumented = instrumented_plan();
    program_result const result = ptxas::run(instrumented.program, messages::to_result);
    if (result.is_success() || was_ended_by_someone(result)) return finish(instrumented, result);
    refusal = WIFSIGNALED(result.wait_status)
                  ? fmt::format("ptxas was {} on the instrumented text", cli::describe_end(result.wait_status))
                  : fmt::format("ptxas refused the instrumented text: {}",
                                first_error(instrumented.with_names(result.messages)));
  } catch (cannot_start const& e) {
    refusal = e.what();  // too few descriptors, too long a command line: ptxas itself may still start
  } catch (std::system_error const& e) {
    refusal = e.what();
  }
  return assemble_originals(refusal);
}

int assembly::finish(plan const& done, program_result const& result) const {
  cli::print_error_stream(done.with_names(result.messages));
  if (!result.is_success() || !wanted_.is_in_place) return end_as(result);
  for (source_text const& source : sources_) {
    if (!source.instrumented || !source.is_regular_file()) continue;
    try {
      put_in_place(source, wanted_);
      debug(fmt::format("{} is rewritten in place", visible(source.input.name())));
    } catch (std::exception const& e) {
      std::string const line =
          fmt::format("{} is not rewritten in place: {}", visible(source.input.name()), visible(e.what()));
      if (wanted_.is_strict) throw cli::command_error(line);
      cli::complain(line);
    }
  }
  return cli::exit_done;
}

int assembly::assemble_originals(std::string const& refusal) {
  if (wanted_.is_debugging) keep_refused();
  std::vector<std::string> lines;
  for (source_text const& source : sources_) {
    if (source.state == source_state::not_instrumented) continue;
    lines.push_back(fmt::format("{} is not instrumented: {}", visible(source.input.name()), refusal));
  }
  if (wanted_.is_strict) throw cli::command_error(lines.front());
  plan const original = original_plan();
  for (source_text& source : sources_) source.instrumented.reset();  // its descriptor may be the one that is missing
  bool const has_names = !original.names.empty();
  program_result const result =
      ptxas::run(original.program, has_names ? messages::to_result : messages::to_standard_error);
  cli::print_error_stream(original.with_names(result.messages));
  // What ptxas says of the original is all there is to say if it refuses that too.
  for (std::string const& line : lines) {
    if (result.is_success()) {
      cli::complain(line);
    } else {
      debug(line);
    }
  }
  return end_as(result);
}

void assembly::keep_refused() const {
  char const* const variable = std::getenv("TMPDIR");
  std::string const folder = variable != nullptr && *variable != '\0' ? variable : "/tmp";
  for (source_text const& source : sources_) {
    if (!source.instrumented) continue;
    std::string path = folder + "/pasta-refused-XXXXXX.ptx";
    detail::open_file file(::mkostemps(path.data(), 4, O_CLOEXEC));
    int const error = file.descriptor() < 0 ? errno : detail::write_all(file.descriptor(), source.instrumented->read());
    std::string const name = visible(source.input.name());
    debug(error == 0 ? fmt::format("the refused text of {} is kept in {}", name, visible(path))
                     : fmt::format("the refused text of {} cannot be kept in {}: {}", name, visible(folder),
                                   std::generic_category().message(error)));
  }
}

}  // namespace

int assemble(std::string const& ptxas, std::vector<std::string> const& words, settings const& wanted) {
  return assembly(ptxas, words, wanted).run();
}

}  // namespace pasta::ptxas
