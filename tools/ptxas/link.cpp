// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "link.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <optional>
#include <string_view>
#include <system_error>

#include <command.hpp>
#include <output.hpp>
#include <process.hpp>

#include <pasta/instrument/ptx/module.hpp>
#include <pasta/report/visible.hpp>
#include "assemble.hpp"
#include "call.hpp"
#include "command_line.hpp"
#include "guard.hpp"
#include "link_words.hpp"
#include "memory_file.hpp"
#include "run_real.hpp"

namespace pasta::ptxas {

namespace {

/// A file beside another, taken away unless it takes that one's place. nvlink knows a cubin by its name's end.
class file_beside {
 public:
  explicit file_beside(std::string const& other) : other_(other), path_(other + ".pasta-XXXXXX.cubin") {
    int const descriptor = ::mkostemps(path_.data(), 6, O_CLOEXEC);
    if (descriptor < 0) throw std::system_error(errno, std::generic_category(), "cannot write beside the output");
    ::close(descriptor);
  }
  ~file_beside() { ::unlink(path_.c_str()); }
  file_beside(file_beside const&) = delete;
  file_beside& operator=(file_beside const&) = delete;
  std::string const& path() const { return path_; }

  void take_its_place() {
    struct stat status {};
    if (::stat(other_.c_str(), &status) != 0 || ::chmod(path_.c_str(), status.st_mode & 07777) != 0 ||
        std::rename(path_.c_str(), other_.c_str()) != 0) {
      throw std::system_error(errno, std::generic_category(), "cannot replace the output");
    }
  }

 private:
  std::string other_, path_;
};

bool is_regular_file(std::string const& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

/// What ptxas knows itself.
bool is_built_in(std::string_view name) {
  constexpr std::array<std::string_view, 4> all{"vprintf", "malloc", "free", "__assertfail"};
  return std::find(all.begin(), all.end(), name) != all.end();
}

/// Whether a module needs others. @throws ptx::read_error
bool needs_others(std::string_view text) {
  ptx::module const module = ptx::read(text);
  return std::any_of(module.functions.begin(), module.functions.end(),
                     [](ptx::function const& each) {
                       return each.is_declaration && each.linked == ptx::linkage::external && !is_built_in(each.name);
                     }) ||
         std::any_of(module.variables.begin(), module.variables.end(),
                     [](ptx::variable const& each) { return each.linked == ptx::linkage::external; });
}

class link_steps {
 public:
  link_steps(std::string const& nvlink, std::vector<std::string> const& words, settings const& wanted,
             std::function<std::string()> const& find_ptxas)
      : untouched_{nvlink, words, {}, -1},
        wanted_(wanted),
        find_ptxas_(find_ptxas),
        line_(words, known_link_options()),
        output_(line_.value("--output-file")) {}

  int run();

 private:
  /// Why a link is left to nvlink, for a user; nothing if it is not.
  std::optional<std::string> reason_against() const;
  /// @throws std::exception: the output is still nvlink's own @return the exit code
  int instrument(std::string_view text, std::string_view messages);
  int give_up(std::string const& reason) const;
  void debug(std::string_view line) const;

  program const untouched_;
  settings const& wanted_;
  std::function<std::string()> const& find_ptxas_;
  command_line line_;
  std::string output_;
};

void link_steps::debug(std::string_view line) const {
  if (wanted_.is_debugging) cli::complain(fmt::format("debug: {}", line));
}

std::optional<std::string> link_steps::reason_against() const {
  if (!line_.reason_not_understood().empty()) return line_.reason_not_understood();
  if (line_.has("--relocatable-link")) return "-dlto with a relocatable link (-r) is not handled";
  if (output_.empty()) return "-dlto without -o is not handled";
  return std::nullopt;
}

/// The output is nvlink's own. Strict, there is none.
int link_steps::give_up(std::string const& reason) const {
  std::string const line = fmt::format("{} is not instrumented: {}", visible(output_), reason);
  if (wanted_.is_strict) {
    if (is_regular_file(output_)) ::unlink(output_.c_str());
    throw cli::command_error(line);
  }
  cli::complain(line);
  return cli::exit_done;
}

int link_steps::run() {
  bool const is_optimised = line_.has("--dlto") || line_.has("--link-time-opt");
  if (line_.only_informs() || (!is_optimised && line_.reason_not_understood().empty())) become(untouched_);
  if (line_.has("--emit-ptx")) {
    debug("PTX is asked for: it is not instrumented");
    become(untouched_);
  }
  if (auto const reason = reason_against()) {
    std::string const text = fmt::format("nothing is instrumented: {}", *reason);
    if (wanted_.is_strict) throw cli::command_error(text);
    cli::complain(text);
    become(untouched_);
  }

  memory_file const ptx, messages;
  std::optional<side_run> to_ptx;
  std::string failure;
  try {
    program const step{untouched_.path, words_to_ptx(line_, ptx.name(opened_by::its_children_too)), {}, -1};
    to_ptx.emplace(step, messages, messages);
  } catch (std::exception const& e) {
    failure = e.what();
  }
  program_result const native = ptxas::run(untouched_, messages::to_standard_error);
  if (!native.is_success()) {
    return cli::end_as(native.received_signal != 0 ? native.received_signal : native.wait_status);
  }
  if (!to_ptx) return give_up(visible(failure));
  program_result const made = to_ptx->wait();
  if (made.received_signal != 0) return cli::end_as(made.received_signal);
  if (!made.is_success()) return give_up(fmt::format("nvlink gives no PTX: {}", first_error(made.messages)));
  if (!is_regular_file(output_)) return give_up("it is no regular file");
  try {
    std::string const text = ptx.read();
    if (!ptx::looks_like_ptx(text)) {  // nvlink says itself that -dlto has nothing to do
      debug("nothing is optimised at link time");
      return cli::exit_done;
    }
    return instrument(text, made.messages);
  } catch (std::exception const& e) {
    failure = visible(e.what());
  }
  return give_up(failure);
}

int link_steps::instrument(std::string_view text, std::string_view messages) {
  std::vector<std::string> const other_inputs = read_other_inputs(messages);
  linking const how = !other_inputs.empty() || needs_others(text) ? linking::relocatable : linking::whole_program;
  file_beside object(output_);
  memory_file const source(text);
  std::vector<std::string> const words =
      words_to_assemble(line_, how, source.name(opened_by::its_children_too), object.path());
  settings inner = wanted_;
  inner.is_in_place = false;
  inner.originals.clear();
  std::string const ptxas = find_ptxas_();
  int const status = guard_apart([&] { return assemble(ptxas, words, inner, output_); });
  if (status != 0) {
    // Strict, it has said why.
    if (wanted_.is_strict && WIFEXITED(status) && WEXITSTATUS(status) == cli::exit_own_error) {
      ::unlink(output_.c_str());
      return cli::exit_own_error;
    }
    throw cli::command_error(fmt::format("its PTX cannot be assembled: {}", cli::describe_end(status)));
  }
  if (how == linking::whole_program) {
    object.take_its_place();
    return cli::exit_done;
  }
  file_beside joined(output_);
  program const step{untouched_.path, words_to_join(line_, other_inputs, object.path(), joined.path()), {}, -1};
  program_result const result = ptxas::run(step, messages::to_result);
  if (result.received_signal != 0) return cli::end_as(result.received_signal);
  if (!result.is_success()) {
    call const shown{step, {{object.path(), output_, nullptr}, {joined.path(), output_, nullptr}}};
    throw cli::command_error(fmt::format("what is optimised at link time cannot be joined with the rest: {}",
                                         first_error(shown.as_for_originals(result.messages))));
  }
  joined.take_its_place();
  return cli::exit_done;
}

}  // namespace

int link(std::string const& nvlink, std::vector<std::string> const& words, settings const& wanted,
         std::function<std::string()> const& find_ptxas) {
  return link_steps(nvlink, words, wanted, find_ptxas).run();
}

}  // namespace pasta::ptxas
