// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "assemble.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include <command.hpp>
#include <output.hpp>
#include <process.hpp>

#include <pasta/report/visible.hpp>
#include <pasta/report/write_file.hpp>
#include "calls.hpp"
#include "command_line.hpp"
#include "figures.hpp"
#include "register_fit.hpp"
#include "run_real.hpp"
#include "source_text.hpp"

namespace pasta::ptxas {

namespace {

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
  assembly(std::string const& ptxas, std::vector<std::string> const& words, settings const& wanted,
           std::string const& shown)
      : ptxas_(ptxas), words_(words), wanted_(wanted), shown_(shown), line_(words), calls_(ptxas_, words_, line_) {}

  int run();

 private:
  /// What became of the instrumented texts.
  struct attempt {
    ptxas::call call;
    program_result result;
    std::string refusal;  ///< why it failed; empty: it did not, or someone ended it
    bool is_success() const { return refusal.empty() && result.is_success(); }
  };

  void read_sources();
  void instrument_sources();
  attempt assemble_instrumented();
  int assemble_all(register_fit& fit);
  void print_messages(attempt const& done) const;
  void put_all_in_place() const;
  int assemble_originals(std::string const& refusal);
  void keep_refused() const;
  void complain_or_throw(std::string const& line) const;
  void debug(std::string_view line) const;

  std::string const& ptxas_;
  std::vector<std::string> const& words_;
  settings const& wanted_;
  std::string const& shown_;
  command_line line_;
  calls calls_;
  std::vector<source_text> sources_;
};

void assembly::debug(std::string_view line) const {
  if (wanted_.is_debugging) cli::complain(fmt::format("debug: {}", line));
}

void assembly::complain_or_throw(std::string const& line) const {
  if (wanted_.is_strict) throw cli::command_error(line);
  cli::complain(line);
}

int assembly::run() {
  program const untouched{ptxas_, words_, {}, -1};
  if (line_.only_informs()) become(untouched);
  if (!line_.reason_not_understood().empty()) {
    complain_or_throw(fmt::format("nothing is instrumented: {}", line_.reason_not_understood()));
    become(untouched);
  }
  auto const& inputs = line_.inputs();
  auto const unreadable = std::find_if_not(inputs.begin(), inputs.end(), is_readable);
  if (inputs.empty() || unreadable != inputs.end()) {
    debug(inputs.empty() ? "no inputs" : fmt::format("{} cannot be read", visible(unreadable->name())));
    become(untouched);
  }
  read_sources();
  register_fit fit(ptxas_, line_, sources_, wanted_);
  instrument_sources();
  bool const can_go_back = std::any_of(sources_.begin(), sources_.end(), [](source_text const& source) {
    return source.state == source_state::instrumented || source.original;
  });
  if (can_go_back) return assemble_all(fit);
  fit.stop();

  call const original = calls_.original(sources_);
  if (original.files.empty()) become(original.program);
  program_result const result = ptxas::run(original.program, messages::to_result);
  cli::print_error_stream(original.as_for_originals(result.messages));
  return end_as(result);
}

void assembly::read_sources() {
  for (input what : line_.inputs()) {
    what.shown = shown_;
    sources_.push_back(read_source(what, wanted_));
  }
}

void assembly::instrument_sources() {
  std::vector<std::string> lines;
  for (source_text& source : sources_) {
    instrument(source, wanted_);
    std::string const name = visible(source.input.name());
    if (source.state == source_state::marked) debug(fmt::format("{} is instrumented already", name));
    if (source.state == source_state::instrumented) debug(fmt::format("{} is instrumented", name));
    for (std::string const& warning : source.warnings) lines.push_back(fmt::format("{}: {}", name, warning));
    if (source.state != source_state::not_instrumented || source.reason.empty()) continue;
    lines.push_back(fmt::format("{} is not instrumented: {}", name, source.reason));
  }
  for (std::string const& line : lines) {
    if (&line == &lines.back()) complain_or_throw(line);
    if (&line != &lines.back()) cli::complain(line);
  }
}

assembly::attempt assembly::assemble_instrumented() {
  attempt made;
  try {
    made.call = calls_.instrumented(sources_);
    made.result = ptxas::run(made.call.program, messages::to_result);
    if (made.result.is_success() || was_ended_by_someone(made.result)) return made;
    made.refusal =
        WIFSIGNALED(made.result.wait_status)
            ? fmt::format("ptxas was {} on the instrumented text", cli::describe_end(made.result.wait_status))
            : fmt::format("ptxas refused the instrumented text: {}",
                          first_error(made.call.as_for_originals(made.result.messages)));
  } catch (cannot_start const& e) {
    made.refusal = e.what();  // too few descriptors, too long a command line: ptxas itself may still start
  } catch (std::system_error const& e) {
    made.refusal = e.what();
  }
  return made;
}

int assembly::assemble_all(register_fit& fit) {
  fit.limit_likely(sources_);
  if (fit.interruption()) return end_as(*fit.interruption());
  attempt done = assemble_instrumented();
  if (done.is_success() && fit.limit_others(done.result.messages, sources_)) {
    done = assemble_instrumented();
    fit.read(done.result.messages);
  }
  // Some instructions need a number of registers that ptxas gives them only where no limit is below it.
  if (std::string const refusal = done.refusal; !refusal.empty() && fit.lift_limits(refusal, sources_)) {
    debug(refusal);
    done = assemble_instrumented();
    fit.read(done.result.messages);
    if (done.is_success() && !fit.keeps_launches()) return assemble_originals(refusal);
  }
  if (!done.refusal.empty()) return assemble_originals(done.refusal);
  print_messages(done);
  if (!done.is_success()) return end_as(done.result);
  fit.tell(sources_);
  if (wanted_.is_in_place) put_all_in_place();
  return cli::exit_done;
}

void assembly::print_messages(attempt const& done) const {
  std::string const all = done.call.as_for_originals(done.result.messages);
  cli::print_error_stream(line_.has("--verbose") ? all : without_figures(all));
}

void assembly::put_all_in_place() const {
  for (source_text const& source : sources_) {
    if (!source.instrumented || !source.is_regular_file() || source.original) continue;
    try {
      put_in_place(source, wanted_);
      debug(fmt::format("{} is rewritten in place", visible(source.input.name())));
    } catch (std::exception const& e) {
      complain_or_throw(
          fmt::format("{} is not rewritten in place: {}", visible(source.input.name()), visible(e.what())));
    }
  }
}

int assembly::assemble_originals(std::string const& refusal) {
  if (wanted_.is_debugging) keep_refused();
  std::vector<std::string> lines;
  for (source_text const& source : sources_) {
    if (source.state == source_state::not_instrumented) continue;
    lines.push_back(fmt::format("{} is not instrumented: {}", visible(source.input.name()), refusal));
  }
  if (wanted_.is_strict) throw cli::command_error(lines.front());
  call const original = calls_.original(sources_);
  for (source_text& source : sources_) source.instrumented.reset();  // its descriptor may be the one that is missing
  bool const has_names = !original.files.empty();
  program_result const result =
      ptxas::run(original.program, has_names ? messages::to_result : messages::to_standard_error);
  cli::print_error_stream(original.as_for_originals(result.messages));
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

int assemble(std::string const& ptxas, std::vector<std::string> const& words, settings const& wanted,
             std::string const& shown) {
  return assembly(ptxas, words, wanted, shown).run();
}

}  // namespace pasta::ptxas
