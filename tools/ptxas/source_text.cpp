// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "source_text.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <new>
#include <system_error>

#include <command.hpp>
#include <pasta/report/visible.hpp>
#include <pasta/report/write_file.hpp>
#include "marker.hpp"
#include "rewrite_apart.hpp"

namespace pasta::ptxas {

namespace {

/// SIGINT, SIGTERM and SIGHUP wait: a file beside the one that is replaced must not be left behind.
class signals_wait {
 public:
  signals_wait() {
    sigset_t set;
    sigemptyset(&set);
    for (int const signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, signal);
    sigprocmask(SIG_BLOCK, &set, &before_);
  }
  ~signals_wait() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  signals_wait(signals_wait const&) = delete;
  signals_wait& operator=(signals_wait const&) = delete;

 private:
  sigset_t before_{};
};

std::string read_file(std::string const& path) {
  detail::open_file const file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.descriptor() < 0) throw std::system_error(errno, std::generic_category(), "cannot read");
  memory_file copy;
  copy.append_all_of(file.descriptor());
  return copy.read();
}

/// The text of an input; what comes from a pipe is kept in source.stream.
std::string read_input(source_text& source) {
  if (source.input.kind == input_kind::string) return source.input.text;
  if (source.input.kind == input_kind::file) {
    struct stat status {};
    if (::stat(source.input.text.c_str(), &status) == 0 && S_ISREG(status.st_mode)) return read_file(source.input.text);
  }
  bool const is_standard_input = source.input.kind == input_kind::standard_input;
  detail::open_file const file(is_standard_input ? ::dup(STDIN_FILENO)
                                                 : ::open(source.input.text.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.descriptor() < 0) throw std::system_error(errno, std::generic_category(), "cannot read");
  source.stream.emplace();
  source.stream->append_all_of(file.descriptor());
  return source.stream->read();
}

/// Where the original of an instrumented text is kept. Calls of ptxas for other architectures find it by the text.
std::string place_of_original(std::string_view instrumented, settings const& wanted) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (char const c : instrumented) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{}/{:016x}-{}.ptx", wanted.originals, hash, instrumented.size());
}

void find_original(source_text& source, settings const& wanted) {
  if (wanted.originals.empty() || !source.is_regular_file()) return;
  std::string const place = place_of_original(source.text, wanted);
  if (::access(place.c_str(), R_OK) != 0) return;
  std::string text = read_file(place);
  source.original.emplace(text);
  source.text = std::move(text);
}

}  // namespace

bool is_readable(input const& what) {
  if (what.kind != input_kind::file) return true;
  struct stat status {};
  if (::stat(what.text.c_str(), &status) != 0 || S_ISDIR(status.st_mode)) return false;
  return ::access(what.text.c_str(), R_OK) == 0;
}

source_text read_source(input const& what, settings const& wanted) {
  source_text source;
  source.input = what;
  try {
    source.text = read_input(source);
    std::string_view const found = find_marker(source.text);
    source.state = found.empty() ? source_state::read : source_state::marked;
    if (found.empty()) return source;
    if (found != make_marker(wanted.tools)) {
      throw cli::command_error(fmt::format("{} was instrumented before, otherwise than is asked for: '{}'",
                                           visible(what.name()), visible(found)));
    }
    find_original(source, wanted);
  } catch (std::system_error const& e) {
    source.reason = e.what();
  } catch (std::bad_alloc const&) {
    source.reason = "out of memory";
  }
  return source;
}

void instrument(source_text& source, settings const& wanted, std::vector<std::string> const& short_of_registers) {
  if (!source.is_to_be_instrumented()) return;
  try {
    memory_file changed;
    rewritten const result = rewrite_apart(
        [&] {
          return rewrite(source.text, {wanted.tools, short_of_registers});
        },
        changed);
    // The text in the file's place will do.
    if (source.original && !result.is_instrumented) return;
    source.reason = result.reason;
    source.warnings = result.warnings;
    source.state = result.is_instrumented ? source_state::instrumented : source_state::not_instrumented;
    if (result.is_instrumented) source.instrumented = std::move(changed);
    return;
  } catch (std::system_error const& e) {
    source.reason = e.what();
  } catch (std::bad_alloc const&) {
    source.reason = "out of memory";
  }
  source.state = source_state::not_instrumented;
}

void put_in_place(source_text const& source, settings const& wanted) {
  std::string const text = source.instrumented->read();
  signals_wait const signals;
  if (!wanted.originals.empty()) write_file(source.text, place_of_original(text, wanted));
  write_file(text, source.input.text);
}

}  // namespace pasta::ptxas
