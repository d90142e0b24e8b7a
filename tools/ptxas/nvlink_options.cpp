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
    valued("--Xnvvm", "-Xnvvm"),
    valued("--Xptxas", "-Xptxas"),
    valued("--arch", "-arch"),
    valued("--cpu-arch", "-cpu-arch"),
    flag("--debug", "-g"),
    valued("--device-stack-protector", "-device-stack-protector"),
    flag("--disable-infos", "-disable-infos"),
    flag("--disable-warnings", "-w"),
    flag("--dlto", "-dlto"),
    flag("--dump-callgraph", "-dump-callgraph"),
    flag("--dump-callgraph-no-demangle", "-dump-callgraph-no-demangle"),
    flag("--emit-ptx", "-emit-ptx"),
    flag("--extra-warnings", "-extrawarn"),
    valued("--gen-host-linker-script", "-ghls"),
    flag("--help", "-h", meaning::informs),
    flag("--ignore-host-info", "-ignore-host-info"),
    flag("--keep-system-libraries", "-keep-system-libraries"),
    valued("--kernels-used", "-kernels-used"),
    option{"--library", "-l", takes::value, takes::text_or_joined, meaning::passed_on},
    option{"--library-path", "-L", takes::value, takes::text_or_joined, meaning::passed_on},
    flag("--link-time-opt", "-lto"),
    option{"--machine", "-m", takes::value, takes::value_or_joined, meaning::passed_on},
    valued("--maxrregcount", "-maxrregcount"),
    valued("--nvvmpath", "-nvvmpath"),
    valued("--options-file", "-optf", meaning::options_file),
    valued("--output-file", "-o"),
    flag("--preserve-relocs", "-preserve-relocs"),
    valued("--register-link-binaries", "--register-link-binaries"),
    flag("--relocatable-link", "-r"),
    flag("--report-arch", "-report-arch"),
    flag("--shared", "-shared"),  // which nvcc says, and --help does not
    valued("--split-compile", "-split-compile"),
    valued("--split-compile-extended", "-split-compile-extended"),
    flag("--suppress-arch-warning", "-suppress-arch-warning"),
    flag("--suppress-debug-info", "-suppress-debug-info"),
    flag("--suppress-stack-size-warning", "-suppress-stack-size-warning"),
    valued("--time", "-time"),
    valued("--uidx-file", "-uidx"),
    flag("--use-host-info", "-use-host-info"),
    valued("--variables-used", "-variables-used"),
    flag("--verbose", "-v"),
    flag("--version", "-V", meaning::informs),
    flag("--warning-as-error", "-Werror"),
    // nvcc gives it, --help does not list it.
    valued("--host-ccbin", "-ccbin"),
};

}  // namespace

std::span<option const> known_link_options() { return options; }

}  // namespace pasta::ptxas
