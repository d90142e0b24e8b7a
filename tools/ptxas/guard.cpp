// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "guard.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <exception>
#include <new>
#include <system_error>

#include <command.hpp>
#include <output.hpp>

#include <pasta/report/visible.hpp>
#include <pasta/session/settings.hpp>

namespace pasta::ptxas {

int guard(std::function<int()> const& work) noexcept {
  try {
    return work();
  } catch (usage_error const& e) {
    cli::complain(e.what());
    return cli::exit_usage;
  } catch (cli::command_error const& e) {
    cli::complain(e.what());
    return e.exit_code;
  } catch (std::bad_alloc const&) {
    cli::complain("out of memory");
  } catch (std::exception const& e) {
    cli::complain(visible(e.what()));
  }
  return cli::exit_own_error;
}

int guard_apart(std::function<int()> const& work) {
  ::signal(SIGCHLD, SIG_DFL);
  pid_t const child = ::fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "cannot fork");
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    ::_exit(guard(work));
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace pasta::ptxas
