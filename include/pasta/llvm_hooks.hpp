// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Included before each source that is compiled by the llvm route, behind the tools' headers: what the pass plugin
/// looks for. `pasta clang++` and pasta_instrument(... ROUTE llvm ...) see to it.
#ifndef PASTA_LLVM_HOOKS_HPP
#define PASTA_LLVM_HOOKS_HPP

#include <pasta/pasta.hpp>

#include <pasta/instrument/llvm/host_hooks.hpp>

/// Each object has its own; the plugin reads it and takes it away.
__attribute__((used)) static constexpr auto pasta_llvm_hooks = pasta::llvm_route::all_hooks(pasta::probe_tools{});

#endif
