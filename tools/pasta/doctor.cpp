// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <pasta/report/visible.hpp>
#include "amd.hpp"
#include "capture.hpp"
#include "clang_compiler.hpp"
#include "command.hpp"
#include "find_cupti.hpp"
#include "find_sanitizer.hpp"
#include "gpus.hpp"
#include "installed_tools.hpp"
#include "output.hpp"
#include "parse.hpp"
#include "run_options.hpp"
#include "run_route.hpp"

namespace pasta::cli {

namespace {

/// One thing that was looked for.
struct fact {
  std::string name;
  std::string value;  ///< version or place; "" if not found
};

struct route_state {
  std::string route;
  bool is_usable = false;
  std::vector<std::string> lacks;     ///< what, in words
  std::vector<std::string> packages;  ///< Debian packages that bring it
  std::string note;
  std::vector<std::string> optional{};  ///< what it would use besides, and where from
};

struct examination {
  std::vector<fact> system, compilers, libraries, installation;
  std::vector<route_state> routes;
};

std::string first_line(std::string const& text) { return text.substr(0, text.find('\n')); }

/// The value of a line "name<separator>value" in a small file such as /etc/os-release.
std::string value_in_file(char const* path, std::string const& name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.compare(0, name.size(), name) != 0) continue;
    auto const start = line.find_first_not_of(" \t:=\"", name.size());
    auto const end = line.find_last_not_of(" \t\"");
    if (start != std::string::npos && end >= start) return line.substr(start, end - start + 1);
  }
  return "";
}

std::string version_of(std::string const& program) {
  auto const text = capture({program, "--version"}, "");
  if (!text) return "";
  if (program != "nvcc") return first_line(*text);
  auto const release = text->find("release ");  // the line "Cuda compilation tools, release 13.0, V13.0.48"
  return release == std::string::npos ? first_line(*text) : first_line(text->substr(release));
}

/// A library's header as a C++ compiler finds it.
struct header_probe {
  char const* name;
  char const* package;
  char const* header;          ///< whether it is there
  char const* version_header;  ///< cheap to read
  char const* version;         ///< expression of its macros
  enum { probed_kernels, own_build, amd } needed_by;
};

constexpr std::array<header_probe, 8> header_probes{{
    {"fmt", "libfmt-dev", "fmt/format.h", "fmt/core.h", "FMT_VERSION", header_probe::probed_kernels},
    {"nlohmann/json", "nlohmann-json3-dev", "nlohmann/json.hpp", "nlohmann/detail/abi_macros.hpp",
     "NLOHMANN_JSON_VERSION_MAJOR NLOHMANN_JSON_VERSION_MINOR NLOHMANN_JSON_VERSION_PATCH",
     header_probe::probed_kernels},
    {"Boost.Context", "libboost-context-dev", "boost/context/fiber.hpp", "boost/version.hpp", "BOOST_LIB_VERSION",
     header_probe::probed_kernels},
    {"CLI11", "libcli11-dev", "CLI/CLI.hpp", "CLI/Version.hpp", "CLI11_VERSION", header_probe::own_build},
    {"libelf", "libelf-dev", "gelf.h", "elfutils/version.h", "_ELFUTILS_VERSION", header_probe::own_build},
    {"HIP runtime", "libamdhip64-dev", "hip/hip_runtime_api.h", "hip/hip_version.h",
     "HIP_VERSION_MAJOR HIP_VERSION_MINOR", header_probe::amd},
    {"rocPRIM", "librocprim-dev", "rocprim/rocprim.hpp", "rocprim/rocprim_version.hpp",
     "ROCPRIM_VERSION_MAJOR ROCPRIM_VERSION_MINOR ROCPRIM_VERSION_PATCH", header_probe::amd},
    {"rocprofiler-sdk", "rocprofiler-sdk", "rocprofiler-sdk/rocprofiler.h", "rocprofiler-sdk/version.h",
     "ROCPROFILER_VERSION_MAJOR ROCPROFILER_VERSION_MINOR ROCPROFILER_VERSION_PATCH", header_probe::amd},
}};

/// Headers by name; "" if not found. Asks the compiler's preprocessor, so that its own search path counts.
std::map<std::string, std::string> find_headers(std::string const& compiler) {
  std::string source;
  for (header_probe const& probe : header_probes) {
    source += fmt::format(
        "#if __has_include(<{}>)\n#if __has_include(<{}>)\n#include <{}>\n#endif\nPASTA_FOUND {} = {}\n#endif\n",
        probe.header, probe.version_header, probe.version_header, probe.name, probe.version);
  }
  source +=
      "#if __has_include(<catch2/catch_version_macros.hpp>)\n#include <catch2/catch_version_macros.hpp>\n"
      "PASTA_FOUND Catch2 = CATCH_VERSION_MAJOR CATCH_VERSION_MINOR\n"
      "#elif __has_include(<catch2/catch.hpp>)\nPASTA_FOUND Catch2 = 2\n#endif\n";
  std::map<std::string, std::string> found;
  arguments command{compiler, "-std=c++20", "-E", "-P", "-x", "c++", "-"};
  for (std::string const& folder : rocm_folders()) command.push_back("-isystem" + folder + "/include");
  auto const text = compiler.empty() ? std::nullopt : capture(command, source);
  for (std::string_view rest = text ? *text : std::string_view(); !rest.empty();) {
    auto const end = std::min(rest.find('\n'), rest.size());
    std::string line(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    constexpr std::string_view mark = "PASTA_FOUND ";
    auto const equals = line.find(" = ");
    if (line.compare(0, mark.size(), mark) != 0 || equals == std::string::npos) continue;
    std::string version = line.substr(equals + 3);
    version.erase(std::remove(version.begin(), version.end(), '"'), version.end());
    std::replace(version.begin(), version.end(), ' ', '.');
    std::replace(version.begin(), version.end(), '_', '.');
    if (version.find_first_not_of("0123456789.") != std::string::npos)
      version = "found";  // a macro that is not defined
    std::string const name = line.substr(mark.size(), equals - mark.size());
    if (name == "fmt" && version.size() >= 5) {  // 90100 is 9.1.0
      int const number = std::atoi(version.c_str());
      version = fmt::format("{}.{}.{}", number / 10000, number / 100 % 100, number % 100);
    }
    found[name] = version;
  }
  return found;
}

examination examine() {
  examination e;
  found_gpus const gpus = find_gpus();
  utsname system{};
  ::uname(&system);
  std::string const os = value_in_file("/etc/os-release", "PRETTY_NAME=");
  std::string const cpu = value_in_file("/proc/cpuinfo", "model name");
  e.system = {{"system", fmt::format("{}{}{} {}", os, os.empty() ? "" : ", ", system.sysname, system.release)},
              {"processor", fmt::format("{}, {} threads", cpu.empty() ? system.machine : cpu.c_str(),
                                        std::thread::hardware_concurrency())},
              {"GPU", describe(gpus)}};

  std::map<std::string, std::string> versions;
  for (char const* program : {"g++", "clang++", "nvcc", "hipcc", "cmake"}) {
    versions[program] = version_of(program);
    e.compilers.push_back({program, versions[program]});
  }
  std::string const compiler = !versions["g++"].empty() ? "g++" : !versions["clang++"].empty() ? "clang++" : "";
  auto const headers = find_headers(compiler);
  auto const header = [&](std::string const& name) {
    auto const found = headers.find(name);
    return found == headers.end() ? std::string() : found->second;
  };
  for (header_probe const& probe : header_probes) e.libraries.push_back({probe.name, header(probe.name)});
  e.libraries.push_back({"Catch2 (tests)", header("Catch2")});

  installed_tools const installed = find_installed_tools();
  e.installation = {{"tools", visible(joined(installed.names(), ", "))}, {"CMake package", own_package_folder()}};
  for (std::string const& problem : installed.problems) e.installation.push_back({"problem", problem});

  route_state probe{"probe", true, {}, {}, "any C++20 compiler; kernels that you own"};
  auto const need = [](route_state& route, bool is_there, std::string const& what, std::string const& package) {
    if (is_there) return;
    route.is_usable = false;
    route.lacks.push_back(what);
    if (!package.empty()) route.packages.push_back(package);
  };
  need(probe, !compiler.empty(), "a C++20 compiler", "g++");
  need(probe, !versions["cmake"].empty(), "cmake", "cmake");
  for (header_probe const& library : header_probes) {
    if (library.needed_by == header_probe::probed_kernels)
      need(probe, !header(library.name).empty(), library.name, library.package);
  }
  route_state probe_on_nvidia{"probe (NVIDIA)", probe.is_usable, probe.lacks, probe.packages,
                              "the same kernels on an NVIDIA GPU"};
  auto const toolkit = versions["nvcc"].empty() ? std::nullopt : find_release(versions["nvcc"]);
  for (std::string const& what : what_cuda_lacks(gpus, toolkit)) need(probe_on_nvidia, false, what, "");
  // To build needs nvcc, to collect the rest; the machine need not be the same.
  route_state ptx{"ptx", true, {}, {}, "NVIDIA, unmodified source"};
  for (std::string const& what : what_cuda_lacks(gpus, toolkit)) need(ptx, false, what, "");
  std::string const collector = ptx_library();
  ptx::opened_cupti const cupti = ptx::open_cupti();
  need(ptx, !collector.empty(), "its collector: build PASTA where CUDA's headers are, with those of CUPTI", "");
  need(ptx, cupti.library != nullptr, cupti.problem, "");
  e.installation.push_back({"ptx collector", visible(collector)});
  e.libraries.push_back({"CUPTI", visible(cupti.path)});
  route_state llvm{"llvm", true, {}, {}, "plain kernels on the CPU, by clang"};
  std::vector<int> const plugins = plugin_versions();
  std::string compilers;
  for (int const version : plugins) {
    std::string const name = fmt::format("clang++-{}", version);
    if (!version_of(name).empty()) compilers += (compilers.empty() ? "" : ", ") + name;
  }
  need(llvm, !plugins.empty(), "its pass plugin: build PASTA where LLVM's headers are", "llvm-15-dev");
  need(llvm, !compilers.empty(), "a clang++ of LLVM 15, 16 or 19 with a plugin", "clang-15");
  e.installation.push_back({"pass plugins", compilers.empty() ? "" : "for " + compilers});
  // To build needs the compiler, to run the GPU; the machine need not be the same.
  std::string const device_libraries = find_hip_device_libraries();
  std::vector<std::string> const hip_clangs = find_hip_clangs();
  e.compilers.push_back({"clang for HIP", joined(hip_clangs, ", ")});
  e.libraries.push_back({"HIP device code", visible(device_libraries)});
  auto const need_amd = [&](route_state& route) {
    need(route, !versions["hipcc"].empty() || !hip_clangs.empty(), "hipcc, or clang for HIP", "hipcc");
    need(route, !device_libraries.empty(), "the libraries for device code", "rocm-device-libs");
    need(route, !header("HIP runtime").empty(), "the HIP runtime", "libamdhip64-dev");
    need(route, !gpus.amd.empty(), "an AMD GPU with the driver amdgpu", "");
  };
  route_state probe_on_amd{"probe (AMD)", probe.is_usable, probe.lacks, probe.packages,
                           "the same kernels on an AMD GPU; not run on AMD hardware yet"};
  need_amd(probe_on_amd);
  if (header("rocPRIM").empty()) {
    probe_on_amd.optional.push_back("rocPRIM, for pasta/analysis/hip/sort.hpp: apt-get install librocprim-dev");
  }
  if (header("rocprofiler-sdk").empty()) {
    probe_on_amd.optional.push_back(
        "rocprofiler-sdk, for pasta/vendor/hip/rocprofiler.hpp: apt-get install rocprofiler-sdk, from AMD's packages");
  }
  route_state llvm_on_amd{"llvm (AMD)", true, {}, {}, "HIP, unmodified source; not run on AMD hardware yet"};
  need(llvm_on_amd, !plugins.empty(), "its pass plugin: build PASTA where LLVM's headers are", "llvm-15-dev");
  std::string const hip_collector = hip_library();
  need(llvm_on_amd, !hip_collector.empty(), "its collector: build PASTA where the HIP runtime's headers are", "");
  e.installation.push_back({"HIP collector", visible(hip_collector)});
  need_amd(llvm_on_amd);
  route_state patch{"patch", true, {}, {}, "NVIDIA, machine code only; not yet run on a GPU"};
  need(patch, !gpus.nvidia.empty(), "an NVIDIA GPU with a driver", "");
  std::string const patcher = patch_library();
  patch::opened_sanitizer const sanitizer = patch::open_sanitizer();
  need(patch, !patcher.empty(), "its collector: build PASTA where cuda.h, sanitizer.h and libdw are", "");
  need(patch, sanitizer.library != nullptr, sanitizer.problem, "");
  std::string patched;
  for (tool_description const& tool : installed.tools) {
    std::string const file = tool.path.substr(0, tool.path.rfind('.')) + ".patch.fatbin";
    bool const has_route = std::count(tool.routes.begin(), tool.routes.end(), "patch") != 0;
    if (has_route && ::access(file.c_str(), R_OK) == 0) patched += (patched.empty() ? "" : ", ") + tool.tool;
  }
  need(patch, !patched.empty(), "tools with patches: build them where nvcc and sanitizer.h are", "");
  e.installation.push_back({"patch collector", visible(patcher)});
  e.installation.push_back({"tools' patches", visible(patched)});
  e.libraries.push_back({"Sanitizer API", visible(sanitizer.path)});
  e.routes = {probe, probe_on_nvidia, probe_on_amd, ptx, llvm, llvm_on_amd, patch};
  return e;
}

std::string install_line(route_state const& route) {
  return route.packages.empty() ? "" : "apt-get install " + joined(route.packages, " ");
}

std::string text_of(examination const& e) {
  std::string text;
  auto const add = [&](char const* heading, std::vector<fact> const& facts) {
    text += fmt::format("{}\n", heading);
    for (fact const& f : facts)
      text += fmt::format("  {:<16}{}\n", f.name, f.value.empty() ? "not found" : visible(f.value));
    text += '\n';
  };
  add("machine", e.system);
  add("compilers and build", e.compilers);
  add("libraries", e.libraries);
  add("PASTA", e.installation);
  text += "routes\n";
  for (route_state const& route : e.routes) {
    text += fmt::format("  {:<16}{}  ({})\n", route.route, route.is_usable ? "usable" : "not usable", route.note);
    if (!route.lacks.empty()) text += fmt::format("  {:<16}lacks: {}\n", "", joined(route.lacks, ", "));
    if (!route.packages.empty()) text += fmt::format("  {:<16}{}\n", "", install_line(route));
    for (std::string const& other : route.optional) text += fmt::format("  {:<16}would use {}\n", "", other);
  }
  return text;
}

std::string json_of(examination const& e) {
  using nlohmann::ordered_json;
  auto const facts = [](std::vector<fact> const& list) {
    ordered_json object = ordered_json::object();
    for (fact const& f : list) object[f.name] = f.value.empty() ? ordered_json(nullptr) : ordered_json(f.value);
    return object;
  };
  ordered_json result;
  result["machine"] = facts(e.system);
  result["compilers"] = facts(e.compilers);
  result["libraries"] = facts(e.libraries);
  result["installation"] = facts(e.installation);
  result["routes"] = ordered_json::object();
  for (route_state const& route : e.routes) {
    ordered_json entry;
    entry["is_usable"] = route.is_usable;
    entry["lacks"] = route.lacks;
    entry["install"] = install_line(route);
    entry["optional"] = route.optional;
    result["routes"][route.route] = entry;
  }
  return result.dump(1, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace

int run_doctor(arguments const& words) {
  bool as_json = false;
  auto const app =
      make_app("pasta doctor [--json]",
               "Says what was found on this machine, and for each route what it lacks and how to install it.");
  app->add_flag("--json", as_json, "write JSON");
  app->footer("Exit code: 0 if the route probe is usable, else 125.");
  if (parse(*app, words) == parsed::help_was_shown) return exit_done;
  examination const e = examine();
  print(as_json ? json_of(e) : text_of(e));
  return e.routes.front().is_usable ? exit_done : exit_own_error;
}

}  // namespace pasta::cli
