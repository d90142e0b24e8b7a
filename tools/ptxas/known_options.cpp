// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "command_line.hpp"

namespace pasta::ptxas {

namespace {

constexpr option flag(std::string_view long_name, std::string_view short_name, meaning means = meaning::passed_on) {
  return {long_name, short_name, takes::nothing, takes::nothing, means};
}

constexpr option valued(std::string_view long_name, std::string_view short_name, meaning means = meaning::passed_on) {
  return {long_name, short_name, takes::value, takes::value, means};
}

// In the order of --help.
constexpr std::array options{
    valued("--Ofast-compile", "-Ofc"),
    valued("--allow-expensive-optimizations", "-allow-expensive-optimizations"),
    flag("--compile-as-tools-patch", "-astoolspatch"),
    flag("--compile-only", "-c"),
    flag("--compiler-annotations", "-annotate"),
    valued("--def-load-cache", "-dlcm"),
    valued("--def-store-cache", "-dscm"),
    flag("--device-debug", "-g"),
    valued("--device-function-maxrregcount", "-func-maxrregcount"),
    valued("--device-stack-protector", "-device-stack-protector"),
    flag("--disable-optimizer-constants", "-disable-optimizer-consts"),
    flag("--disable-warnings", "-w"),
    flag("--dont-merge-basicblocks", "-no-bb-merge"),
    valued("--entry", "-e"),
    flag("--extensible-whole-program", "-ewp"),
    valued("--fmad", "-fmad"),
    valued("--force-load-cache", "-flcm"),
    valued("--force-store-cache", "-fscm"),
    flag("--g-tensor-memory-access-check", "-g-tmem-access-check"),
    flag("--generate-line-info", "-lineinfo"),
    flag("--gno-tensor-memory-access-check", "-gno-tmem-access-check"),
    valued("--gpu-name", "-arch"),
    flag("--help", "-h", meaning::informs),
    valued("--input-as-string", "-ias", meaning::input_string),
    flag("--legacy-bar-warp-wide-behavior", "-legacy-bar-warp-wide-behavior"),
    flag("--list-version", "-version-ls", meaning::informs),
    option{"--machine", "-m", takes::value, takes::value_or_joined, meaning::passed_on},
    flag("--make-errors-visible-at-exit", "-make-errors-visible-at-exit"),
    valued("--maxntid", "-maxntid"),
    valued("--maxrregcount", "-maxrregcount"),
    valued("--minnctapersm", "-minnctapersm"),
    option{"--opt-level", "-O", takes::value, takes::only_joined, meaning::passed_on},
    flag("--optimize-float-atomics", "-opt-fp-atomics"),
    valued("--options-file", "-optf", meaning::options_file),
    valued("--output-file", "-o"),
    flag("--override-directive-values", "-override-directive-values"),
    valued("--position-independent-code", "-pic"),
    flag("--preserve-relocs", "-preserve-relocs"),
    valued("--register-usage-level", "-regUsageLevel"),
    flag("--return-at-end", "-ret-end"),
    valued("--sanitize", "-sanitize"),
    flag("--sp-bounds-check", "-sp-bounds-check"),
    valued("--split-compile", "-split-compile"),
    flag("--suppress-async-bulk-multicast-advisory-warning", "-suppress-async-bulk-multicast-advisory-warning"),
    flag("--suppress-debug-info", "-suppress-debug-info"),
    flag("--suppress-double-demote-warning", "-suppress-double-demote-warning"),
    flag("--suppress-sparse-mma-advisory-info", "-suppress-sparse-mma-advisory-info"),
    flag("--suppress-stack-size-warning", "-suppress-stack-size-warning"),
    flag("--verbose", "-v"),
    flag("--version", "-V", meaning::informs),
    flag("--warn-on-double-precision-use", "-warn-double-usage"),
    flag("--warn-on-local-memory-usage", "-warn-lmem-usage"),
    flag("--warn-on-spills", "-warn-spills"),
    flag("--warning-as-error", "-Werror"),
};

}  // namespace

std::span<option const> known_options() { return options; }

}  // namespace pasta::ptxas
