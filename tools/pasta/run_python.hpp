// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PASTA_RUN_PYTHON_HPP
#define PASTA_TOOLS_PASTA_RUN_PYTHON_HPP

#include "command.hpp"
#include "process.hpp"

namespace pasta::cli {

/// Variables by which Python, if the program is or starts one, has Triton and torch.compile assemble with the tools
/// (python/run/). Empty where this installation has not all that it takes; PASTA_DEBUG=1 says what is missing.
environment_changes python_variables(arguments tools);

}  // namespace pasta::cli
#endif
